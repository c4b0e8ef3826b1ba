//! Checkpoints of runs, so that a later request need not compute a run from its beginning.

use ringleader_model::lock;
use ringleader_simulate::plain::Checkpoint;
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::time::Duration;

/// About how many bytes of checkpoints are kept.
const MOST: usize = 128 << 20;

/// Checkpoints by chapter: a setup and the acts of the viewer so far.
pub(crate) struct Archive {
    kept: Mutex<Kept>,
    /// The clock that limits the time of an answer.
    pub(crate) now: fn() -> Duration,
}

#[derive(Default)]
struct Kept {
    chapters: HashMap<u64, BTreeMap<u64, Checkpoint>>,
    bytes: usize,
}

impl Archive {
    pub(crate) fn new(now: fn() -> Duration) -> Archive {
        Archive { kept: Mutex::default(), now }
    }

    /// Keeps a checkpoint. When there is no more room all are forgotten: they can be computed again.
    pub(crate) fn keep(&self, chapter: u64, moment: Checkpoint) {
        let mut kept = lock(&self.kept);
        if kept.bytes > MOST {
            *kept = Kept::default();
        }
        let bytes = moment.bytes();
        if kept.chapters.entry(chapter).or_default().insert(moment.steps, moment).is_none() {
            kept.bytes += bytes;
        }
    }

    /// The last checkpoint of a chapter between two steps.
    pub(crate) fn latest(&self, chapter: u64, from: u64, until: u64) -> Option<Checkpoint> {
        if from > until {
            return None;
        }
        let kept = lock(&self.kept);
        kept.chapters.get(&chapter)?.range(from..=until).next_back().map(|(_, moment)| moment.clone())
    }
}
