//! How large a state space will be, judged by those of smaller rings.

use super::model::{self, Steps};
use ringleader_algorithms::{Card, Parameters};
use ringleader_explore::{Options, Space};

/// Smaller rings are explored up to so many kept states.
const SAMPLE: u64 = 150_000;

/// What is expected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    pub(crate) stored: f64,
    pub(crate) bytes: f64,
}

/// Explores ever larger rings while that takes no time, and carries on their growth. `None` if two sizes do not suffice for
/// that, or the size asked for is itself small.
pub(crate) fn estimate(
    card: &'static Card,
    parameters: &Parameters,
    steps: Steps,
    options: &Options,
) -> Option<Estimate> {
    let mut counts: Vec<f64> = vec![];
    for size in 2..parameters.size {
        let smaller = parameters.given().iter().fold(Parameters::new(size), |all, (name, value)| all.with(name, value));
        let Ok(model) = model::build(card, &smaller, steps, "explore") else { break };
        let Ok(space) = Space::explore(&*model, options, &mut |progress| progress.stored < SAMPLE) else { break };
        counts.push(space.stored() as f64);
    }
    let [.., before, last] = counts[..] else { return None };
    let sizes_ahead = parameters.size - 1 - counts.len();
    let stored = last * (last / before).powi(sizes_ahead as i32);
    // A record takes at least two and at most four words; an index slot four bytes, and at least three in ten are empty.
    let words = (parameters.size as f64 * 14.0 / 32.0).ceil().min(4.0);
    Some(Estimate { stored, bytes: stored * (4.0 * words + 4.0 / 0.7) })
}
