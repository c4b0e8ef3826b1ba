//! How much memory a check will take, so that it can be refused before it starts.

use crate::fold::Fold;
use crate::graph::Markov as _;
use crate::report::{Detector, Options};
use crate::system::System;
use crate::watch::Stop;
use ringleader_model::Scheduler;

/// The bytes that a check of a system will need at most, for a survey of so many named sets.
///
/// Searches are counted at their worst: everything on the stack at once, and a failure to be explained.
pub fn estimate(system: &System, fold: bool, sets: usize, options: &Options) -> u64 {
    let configurations = system.space().size();
    let agents = system.space().agents() as u64;
    let nodes = if fold { Fold::count(system.space()) } else { configurations };
    let folding = if fold { Fold::bytes(configurations, nodes) } else { 0 };
    let orientations = 1_u64 << agents;
    let steps = system.steps_at_most();
    // A depth-first search has a number, a place among the open nodes, a frame and the pending successors for each node.
    let search = |steps: u64| 4 + 4 + 16 + 4 * steps;
    // Which nodes it is about.
    let trap = 4 + search(steps);
    let (engine, nodes_of_engine) = match options.scheduler {
        // One value and, up to rotation, the successors; or a frontier.
        Scheduler::Random if fold => (trap.max(8 + 4 * steps), nodes),
        Scheduler::Random | Scheduler::GloballyFair => (trap.max(8), nodes),
        Scheduler::Unfair => (search(steps), nodes),
        // At most every other process may step.
        Scheduler::Alternating => (search(steps.div_ceil(2)), nodes.saturating_mul(orientations - 2)),
        // A function, its inverse with the starts, and how far that was filled.
        Scheduler::Synchronous => ((4 + 4 + 4 + 4).max(12 + search(1)), nodes),
        // Besides the search the owner, the components with their ends, and what is left to do.
        _ => (search(steps) + 4 + 4 + 8 + 4, nodes),
    };
    let lies = match options.detector {
        Detector::Perfect => 0,
        // A configuration has a step for each answer, and then one for each site.
        Detector::EventuallyCorrect => {
            let product = configurations.saturating_mul(orientations + 1);
            product.saturating_mul(search(steps) + 4 + 4 + 8 + 4)
        }
    };
    let survey = nodes + nodes / 8 * (sets as u64 + 2);
    // Really safe, own safe and reached.
    let engine = nodes_of_engine.saturating_mul(engine).saturating_add(nodes_of_engine / 8 * 3);
    survey + folding + engine.max(lies)
}

/// Refuses what does not fit.
pub(crate) fn admit(needed: u64, limit: u64, configurations: u64) -> Result<(), Stop> {
    if needed <= limit {
        return Ok(());
    }
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    Err(Stop::refused(format!(
        "{configurations} configurations may need {:.1} GiB, and {:.1} GiB may be used: try a smaller size, or allow more \
         with --memory",
        gib(needed),
        gib(limit)
    )))
}
