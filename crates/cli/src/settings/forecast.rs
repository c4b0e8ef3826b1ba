//! The size of a state space, estimated from the state spaces of smaller rings.

use super::reading::Read;
use crate::terminal::exit::{Failure, usage};
use ringleader_erased::MessageInstance;
use ringleader_explore::{Failure as Ended, Options, Space, Storage};
use ringleader_model::{Channels, Terminating};

/// The most states of a smaller ring that are explored.
const SAMPLE: u64 = 150_000;

pub(crate) const GIB: f64 = (1u64 << 30) as f64;

/// The expected size of a state space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    pub(crate) stored: f64,
    /// Its bytes in the plain set.
    plain: f64,
    /// Its bytes in the compact set.
    compact: f64,
}

impl Estimate {
    /// The set that is used, and its bytes.
    pub(crate) fn choose(&self, options: &Options) -> (Storage, f64) {
        match options.set {
            Storage::Automatic if self.plain > options.memory as f64 => (Storage::Compact, self.compact),
            Storage::Compact => (Storage::Compact, self.compact),
            set => (set, self.plain),
        }
    }
}

impl Read<'_> {
    /// Refuses a search that will not fit into the memory, judging by smaller rings; else returns the estimate, if there is one.
    pub(crate) fn refuse_if_too_large(&self, options: &Options, advice: &str) -> Result<Option<Estimate>, Failure> {
        let Some(expected) = self.estimate(options) else { return Ok(None) };
        let (_, bytes) = expected.choose(options);
        self.refuse(expected.stored, bytes, options.memory, advice)?;
        Ok(Some(expected))
    }

    /// The same for the table of a device.
    #[cfg(feature = "cuda")]
    pub(crate) fn refuse_on_device(&self, options: &Options, advice: &str) -> Result<(), Failure> {
        // 16 bytes a state, and a quarter of the slots is empty.
        let Some(Estimate { stored, .. }) = self.estimate(options) else { return Ok(()) };
        self.refuse(stored, stored * 16.0 / 0.75, options.memory, advice)
    }

    fn refuse(&self, stored: f64, bytes: f64, memory: u64, advice: &str) -> Result<(), Failure> {
        if bytes <= memory as f64 {
            return Ok(());
        }
        Err(usage!(
            "{} at size {} will not fit into memory: judging by smaller rings, {} states would take {} GiB, and the limit is \
             {:.1} GiB; {advice}choose a smaller size, or raise the limit (--memory)",
            self.card.name,
            self.parameters.size,
            if stored < 1e30 { format!("about {:.1e}", stored) } else { "very many".into() },
            if bytes < 1e15 { format!("{:.0}", bytes / GIB) } else { "very many".into() },
            memory as f64 / GIB
        ))
    }

    /// Explores ever larger rings while that is quick, and extrapolates their growth. `None` if the wanted size is small itself.
    fn estimate(&self, options: &Options) -> Option<Estimate> {
        let (mut counts, size): (Vec<f64>, _) = (vec![], self.parameters.size);
        for smaller in 2..size {
            let parameters = &self.parameters.resized(smaller);
            let Ok(smaller) = (Read { parameters, ..*self }).build("explore") else { break };
            let Ok(space) = Space::explore(&smaller, options, &mut |progress| progress.stored < SAMPLE) else {
                break;
            };
            counts.push(space.stored() as f64);
        }
        let stored = extrapolated(&counts, size - 1 - counts.len())?;
        // A record takes at least two and at most four words; an index slot four bytes, and at least three in ten are empty.
        let words = (size as f64 * 14.0 / 32.0).ceil().min(4.0);
        // Compactly, four or five bytes, of which at least a fifth and at most a third are empty, and the numbered halves.
        Some(Estimate { stored, plain: stored * (4.0 * words + 4.0 / 0.7), compact: stored * 8.0 })
    }
}

/// Why a search ended early, with an alternative that the command line offers.
pub(crate) fn unexplored(failure: &Ended, model: &MessageInstance, channels: Channels) -> Failure {
    let unordered = channels == Channels::Bag && model.channels() == Channels::Fifo;
    let instead = if unordered { "; the algorithm's claim is about --channels fifo" } else { "" };
    usage!("{failure}{instead}")
}

/// The number that many places after the last, if the factor between neighbours goes on growing as before. With a constant
/// factor the estimate for Table 1 at n = 7 would be half of the true number.
fn extrapolated(counts: &[f64], places: usize) -> Option<f64> {
    let factors: Vec<f64> = counts.windows(2).map(|pair| pair[1] / pair[0]).collect();
    let mut factor = *factors.last()?;
    let growth = if let [.., before, last] = factors[..] { (last - before).max(0.0) } else { 0.0 };
    let mut count = *counts.last()?;
    for _ in 0..places {
        factor += growth;
        count *= factor;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::extrapolated;

    #[test]
    fn growth_is_extrapolated() {
        assert_eq!(extrapolated(&[1.0, 2.0, 4.0], 3), Some(32.0));
        assert_eq!(extrapolated(&[1.0, 2.0, 6.0], 2), Some(6.0 * 4.0 * 5.0));
        assert_eq!(extrapolated(&[8.0, 4.0], 1), Some(2.0));
        assert_eq!(extrapolated(&[8.0], 1), None);
        // Table 1, kept under rotation, n = 2..4; 43,461,635 at n = 6.
        let estimate = extrapolated(&[341.0, 5_155.0, 95_325.0], 2).unwrap_or_default();
        assert!((43_461_635.0..1.3 * 43_461_635.0).contains(&estimate), "{estimate}");
    }
}
