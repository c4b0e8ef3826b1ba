//! Leaps of the expected steps.
//!
//! After some sweeps, every sweep leaves the same share of the differences between the values and their limit. If a window of sweeps leaves
//! the share q, a leap moves every value on by q / (1 - q) times its change in the window, near the limit. The sweeps go on from there,
//! and may lower values, too. In the end the values w are settled: if the residual r = 1 + P w - w is at least -d, then (1 - d) w has the
//! residual d + (1 - d) r >= d * d. So these values are below the expectation, as values that only rise.

use super::{Run, words_of};
use crate::Stop;
use crate::device::kernels::{Job, Kernel, Sums};
use ringleader_device::{Board, Device};

/// Sweeps over fewer slots take no time.
const LEAP_FROM: u64 = if cfg!(test) { 1 << 14 } else { 1 << 22 };
/// Two sweeps leave equal shares q of the residuals if 1 - q differs by this share. A leap leaves about this share of the differences.
const EQUAL: f64 = 0.02;
/// The number of equal shares in a row before a window.
const STEADY: u32 = 3;
/// The sweeps of a window. A GPU replaces values in no fixed order, so that a single sweep says little about the next one.
const WINDOW: u32 = 3;
/// The least number of further sweeps that a leap replaces.
const WORTH: f64 = 8.0;

/// The way to the next leap.
pub(super) struct Window<W> {
    /// The values at the beginning of the window, and the sum of all residuals.
    before: W,
    sum: f64,
    /// The sweeps since the window began, if it has begun.
    sweeps: Option<u32>,
    /// The last sum of all residuals, the share that the last sweep left of it, and the number of equal shares.
    last: f64,
    share: f64,
    equal: u32,
}

impl<W> Window<W> {
    fn new(before: W) -> Window<W> {
        Window { before, sum: 0.0, sweeps: None, last: 0.0, share: 0.0, equal: 0 }
    }

    /// Whether the last sweeps left equal shares.
    fn is_steady(&mut self, sum: f64) -> bool {
        let share = sum / self.last;
        let is_equal = share < 1.0 && (share - self.share).abs() < EQUAL * (1.0 - share);
        self.equal = if is_equal { self.equal + 1 } else { 0 };
        (self.last, self.share) = (sum, share);
        self.equal >= STEADY
    }
}

impl<D: Device> Run<'_, D> {
    /// A window, if sweeps take long and memory suffices for a second value of each slot.
    pub(super) fn window(&mut self, memory: u64) -> Result<Option<Window<<D::Board as Board>::Words>>, Stop> {
        let words = words_of(self.ring.slots.count(), self.format);
        let bytes = self.format.bytes(self.ring) + 8 * words as u64;
        if self.ring.slots.count() < LEAP_FROM || bytes > memory {
            return Ok(None);
        }
        self.peak_bytes = self.peak_bytes.max(bytes);
        Ok(Some(Window::new(self.board.zeros(words)?)))
    }

    /// Leaps at the end of a window. A window begins when sweeps leave equal shares and the width, a share of the residual that is
    /// left, is many sweeps away. `job` is that of the last sweep. Returns whether there was a leap.
    pub(super) fn leap(
        &mut self,
        window: &mut Window<<D::Board as Board>::Words>,
        seen: &Sums,
        left: f64,
        job: Job,
    ) -> Result<bool, Stop> {
        let sum = seen.values as f64;
        let is_steady = window.is_steady(sum);
        match &mut window.sweeps {
            None if is_steady && left.ln() / window.share.ln() > WORTH => {
                self.board.copy(&self.values, words_of(self.ring.slots.count(), self.format), &mut window.before)?;
                (window.sum, window.sweeps) = (sum, Some(0));
            }
            None => {}
            Some(sweeps) => *sweeps += 1,
        }
        if window.sweeps != Some(WINDOW) {
            return Ok(false);
        }
        let share = (sum / window.sum).min(1.0 - 1e-3);
        let (next, level) =
            (self.board.address(&window.before, 0), (share / (1.0 - share) * f64::from(1 << 16)) as u64);
        self.pass("expected steps, a leap", Kernel::Leap, Job { next, level, ..job })?;
        (window.sweeps, window.equal) = (None, 0);
        Ok(true)
    }

    /// Lowers the values so far that no residual is negative.
    pub(super) fn settle(&mut self, job: Job) -> Result<(), Stop> {
        let Sums { below, .. } = self.pass("expected steps, before they are lowered", Kernel::Measure, job)?;
        // A new value is at most one unit too low for its own factor: two units more suffice.
        let share = (u128::from(below) << 64) / u128::from(self.one()) + (2 << (64 - self.format.scale)) + 1;
        let level = u64::try_from(share).unwrap_or(u64::MAX);
        self.pass("expected steps, lowered", Kernel::Settle, Job { level, ..job })?;
        Ok(())
    }
}
