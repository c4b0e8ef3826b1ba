//! How much memory a check will take, so that it can be refused before it starts.

use crate::counts::Counts;
use crate::fold::Fold;
use crate::graph::{Graph as _, Markov as _};
use crate::report::{Detector, Options};
use crate::system::System;
use crate::watch::Stop;
use ringleader_model::Scheduler;

/// A depth-first search has for each node a number, a place among the open ones and a frame, besides its pending successors.
const SEARCH: u64 = 4 + 4 + 16;
/// A search for recurring sets has the owner of each node, the components with their ends, and what is left to do.
const OBLIGATIONS: u64 = 4 + 4 + 8 + 4;

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
    let search = |steps: u64| SEARCH + 4 * steps;
    // Which nodes it is about.
    let trap = 4 + search(steps);
    let (engine, nodes_of_engine) = match options.scheduler {
        // One value and, up to rotation, the successors; or a frontier.
        Scheduler::Random if fold => (trap.max(8 + 4 * steps), nodes),
        Scheduler::Random | Scheduler::GloballyFair => (trap.max(8), nodes),
        Scheduler::Unfair => (search(steps), nodes),
        // At most every other process may step.
        Scheduler::Alternating => (search(steps.div_ceil(2)), nodes.saturating_mul(orientations - 2)),
        // What the steps take is known once they are counted.
        Scheduler::Synchronous | Scheduler::Distributed => (search(1), nodes),
        _ => (search(steps) + OBLIGATIONS, nodes),
    };
    let lies = match options.detector {
        Detector::Perfect => 0,
        // A configuration has a step for each answer, and then one for each site.
        Detector::EventuallyCorrect => {
            let product = configurations.saturating_mul(orientations + 1);
            product.saturating_mul(search(steps) + OBLIGATIONS)
        }
    };
    let survey = nodes + nodes / 8 * (sets as u64 + 2);
    // Really safe, own safe and reached.
    let engine = nodes_of_engine.saturating_mul(engine).saturating_add(nodes_of_engine / 8 * 3);
    survey + folding + engine.max(lies)
}

/// The bytes that so many nodes with so many kept steps take, and a search in them.
pub fn of_steps(nodes: u64, steps: u64, weighted: bool) -> u64 {
    // The step, its inverse, and its place among the pending ones; two starts, and how far the inverse was filled.
    let step = 4 + 4 + 4 + if weighted { 4 } else { 0 };
    steps.saturating_mul(step).saturating_add(nodes.saturating_mul(4 + 4 + 4 + 8 + SEARCH))
}

/// The bytes that a check of multisets will need at most: three sets, and a value or a search.
pub fn of_multisets(graph: &Counts) -> u64 {
    graph.size().saturating_mul(1 + SEARCH + 4 * graph.steps_at_most() + OBLIGATIONS)
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
