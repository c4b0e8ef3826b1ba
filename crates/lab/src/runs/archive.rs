//! Moments of runs that were told, so that none is told again from its beginning.

use ringleader_simulate::plain::Checkpoint;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many bytes of moments are kept, about.
const MOST: usize = 128 << 20;

/// Moments by the chapter that they are in: a setup, and what the viewer has done so far.
#[derive(Default)]
pub(crate) struct Archive(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    chapters: HashMap<u64, BTreeMap<u64, Checkpoint>>,
    bytes: usize,
}

impl Archive {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a moment. When there is no more room all are forgotten: they can be computed again.
    pub(crate) fn keep(&self, chapter: u64, moment: Checkpoint) {
        let mut kept = self.kept();
        if kept.bytes > MOST {
            *kept = Kept::default();
        }
        let bytes = moment.bytes();
        if kept.chapters.entry(chapter).or_default().insert(moment.steps(), moment).is_none() {
            kept.bytes += bytes;
        }
    }

    /// The last moment of a chapter between two steps.
    pub(crate) fn latest(&self, chapter: u64, from: u64, until: u64) -> Option<Checkpoint> {
        if from > until {
            return None;
        }
        let kept = self.kept();
        kept.chapters.get(&chapter)?.range(from..=until).next_back().map(|(_, moment)| moment.clone())
    }
}
