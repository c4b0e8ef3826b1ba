//! Robust stabilizing election in crash-prone, timed networks.

pub mod s5;

use crate::{Parameter, Parameters, Refusal};
use ringleader_model::Timing;

/// The bounds that all robust algorithms know.
pub const TIMING_PARAMETERS: &[Parameter] = &[
    Parameter { name: "alpha", meaning: "α, the least duration of a loop iteration", default: "8" },
    Parameter { name: "beta", meaning: "β, the greatest duration of a loop iteration", default: "10" },
    Parameter { name: "delta", meaning: "δ, the greatest delay of a timely link", default: "40" },
];

fn timing(p: &Parameters) -> Result<Timing, Refusal> {
    let timing = Timing {
        alpha: p.number("alpha")?.unwrap_or(8),
        beta: p.number("beta")?.unwrap_or(10),
        delta: p.number("delta")?.unwrap_or(40),
    };
    timing.validate().map_err(Refusal::new)?;
    Ok(timing)
}

fn complete_network(name: &str, size: usize) -> Result<usize, Refusal> {
    if (2..=1000).contains(&size) {
        return Ok(size);
    }
    Err(Refusal::new(format!("{name} needs 2 to 1000 processes, not {size}")))
}
