//! The probability that the really safe set is reached within t steps, for t = 0, 1, ..
//!
//! A value is the probability that the set is not reached, as a multiple of a power of 1/2. One pass replaces all by their means after
//! a step, rounded up. A mean does not enlarge errors, so after t steps every value is at most t units above the probability, and 0
//! is exact.

use super::{Format, Run, SLACK, TERMS, words_of};
use crate::device::kernels::{Job, Kernel, Sums};
use crate::device::ring::Ring;
use crate::expectation::{MOST_STEPS, curve};
use crate::report::{Bounds, Likely, Reach, Report};
use crate::stop::MOST_STEPS_WITHIN;
use crate::{Horizon, Question, Stop, Uncheckable, memory};
use ringleader_device::{Board, Device};

/// The formats of probabilities, the best first.
const FORMATS: [Format; 4] = [
    Format { bits: 64, scale: 48 },
    Format { bits: 64, scale: 40 },
    Format { bits: 64, scale: 32 },
    Format { bits: 32, scale: 31 },
];

/// The bytes of a format with two values for each slot.
fn bytes(format: Format, ring: &Ring) -> u64 {
    format.bytes(ring).saturating_add(8 * words_of(ring.slots.count(), format) as u64)
}

/// The format of the probabilities that a question asks for, if it does.
pub(super) fn format(ring: &Ring, question: &Question) -> Result<Option<(Horizon, Format)>, Stop> {
    let Some(horizon) = question.horizon else { return Ok(None) };
    if let Some(steps) = horizon.steps.filter(|&steps| steps > MOST_STEPS_WITHIN) {
        return Err(Uncheckable::TooLate(steps).into());
    }
    let exact = |format: &Format| u64::from(ring.total) < 1 << (63 - format.scale);
    let fits = |format: &Format| bytes(*format, ring) <= question.memory;
    let Some(best) = FORMATS.into_iter().filter(exact).find(fits) else {
        let least = FORMATS.into_iter().filter(exact).map(|format| bytes(format, ring)).min();
        memory::admit(least.unwrap_or(u64::MAX), question.memory, Some(ring.configurations))?;
        return Err(Uncheckable::TooRandom.into());
    };
    Ok(Some((horizon, best)))
}

impl<D: Device> Run<'_, D> {
    /// The probabilities of a report.
    pub(super) fn within(
        &mut self,
        horizon: Horizon,
        format: Format,
        report: &Report,
        question: &Question,
    ) -> Result<Reach, Stop> {
        let slots = self.ring.slots.count();
        self.change(format, 1 << format.scale)?;
        let mut next = self.board.zeros(words_of(slots, format))?;
        self.peak_bytes = self.peak_bytes.max(bytes(format, self.ring));
        let starts: Vec<u64> = question.starts.iter().map(|start| self.ring.slot(&start.states)).collect();
        let outside = report.configurations - report.really_safe;
        let (values, worst) = (u128::from(outside) << format.scale, u64::from(outside > 0) << format.scale);
        let first = self.likely(&Sums { values, worst, ..Sums::default() }, 0, &starts)?;
        let most = TERMS / (slots * self.ring.slots.size as u64) + 1;
        let most = if report.holds { most } else { most.min(MOST_STEPS) };
        let (least, quantile) = curve(horizon, most, first, |t| {
            let job = Job { next: self.board.address(&next, 0), one: u64::from(self.ring.total) - 1, ..Job::default() };
            let seen = self.pass(&format!("probabilities within {t} steps"), Kernel::Outlast, job)?;
            std::mem::swap(&mut self.values, &mut next);
            Ok((self.likely(&seen, t, &starts)?, seen.changed > 0))
        })?;
        Ok(Reach { least, greatest: None, quantile })
    }

    /// The probabilities after t steps.
    fn likely(&self, seen: &Sums, t: u64, starts: &[u64]) -> Result<Likely, Stop> {
        let unit = self.format.unit();
        let reached = |units: f64, slack: f64| {
            if units == 0.0 {
                return Bounds { low: 1.0, high: 1.0 };
            }
            let outside = units * unit;
            let error = t as f64 * unit;
            Bounds { low: (1.0 - outside - slack).max(0.0), high: (1.0 - outside + error + slack).min(1.0) }
        };
        let mean = reached(seen.values as f64 / self.ring.configurations as f64, SLACK);
        let from = starts.iter().map(|&slot| Ok(reached(self.value(slot)? as f64, 0.0)));
        Ok(Likely { worst: reached(seen.worst as f64, 0.0), mean, from: from.collect::<Result<_, Stop>>()? })
    }
}
