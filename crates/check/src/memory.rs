//! How much memory a check will take, so that it can be refused before it starts.

use crate::report::{Detector, Options};
use crate::table::Table;
use crate::watch::Stop;
use ringleader_model::Scheduler;

/// The bytes a check of `configurations` of `agents` with `states` each will need, `sets` bitmaps included.
pub fn estimate(options: &Options, configurations: u64, agents: usize, states: u64, inputs: u64, sets: u64) -> u64 {
    let orientations = 1_u64.checked_shl(agents as u32).unwrap_or(u64::MAX);
    // A label and a bit per set; own safe, really safe and reachable.
    let survey = configurations + configurations / 8 * (sets + 3);
    let per_node = |nodes: u64, bytes: u64| nodes.saturating_mul(bytes);
    let engine = match options.scheduler {
        // Two levels of the frontier, or one value.
        Scheduler::Random | Scheduler::GloballyFair => per_node(configurations, 8),
        Scheduler::Unfair => per_node(configurations, 8),
        // The frontier or the lengths of the runs, and three bitmaps.
        Scheduler::Alternating => {
            let product = configurations.saturating_mul(orientations);
            per_node(product, 8).saturating_add(product / 8 * 3)
        }
        Scheduler::Synchronous => per_node(configurations, 24),
        _ => per_node(configurations, 32),
    };
    let lies = match options.detector {
        Detector::Perfect => 0,
        Detector::EventuallyCorrect => per_node(configurations.saturating_mul(orientations.saturating_add(1)), 32),
    };
    survey.saturating_add(engine.max(lies)).saturating_add(Table::bytes(states, inputs * inputs))
}

/// Refuses what does not fit.
pub(crate) fn admit(needed: u64, limit: u64, configurations: u64) -> Result<(), Stop> {
    if needed <= limit {
        return Ok(());
    }
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    Err(Stop::refused(format!(
        "{configurations} configurations need about {:.1} GiB, and {:.1} GiB may be used: try a smaller size, or allow more \
         with --memory",
        gib(needed),
        gib(limit)
    )))
}
