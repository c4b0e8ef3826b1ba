//! Memory estimates, so that a check that needs too much is refused before it starts.

use crate::expectation::Descent;
use crate::question::{Detector, Question};
use crate::rules::{Multisets, System};
use crate::space::{Edge, Markov as _, Place, StateGraph as _};
use crate::{Stop, Uncheckable};
use ringleader_model::Scheduler;

/// A depth-first search stores for each node a number, a place among the open nodes and a frame, besides its pending
/// successors.
const SEARCH: u64 = 4 + 4 + 16;
/// A search for recurring sets stores the owner of each node, the components with their ends, and the work list.
const OBLIGATIONS: u64 = 4 + 4 + 8 + 4;

/// The bytes of the expected steps from a node.
const VALUE: u64 = 8;

/// An upper bound on the bytes that a check needs.
#[derive(Clone, Copy)]
pub(crate) struct Estimate {
    pub(crate) bytes: u64,
    /// The part of them that is free while expected steps are computed, because no failure has to be explained any more.
    pub(crate) free: u64,
}

/// The estimate for a check of a system, with a survey of `sets` named sets. Up to symmetry, `classes` has the number of classes and
/// their bytes.
///
/// Searches are counted at their worst: all nodes on the stack at once, and a failure to explain.
pub(crate) fn estimate(system: &System, classes: Option<(u64, u64)>, sets: usize, question: &Question) -> Estimate {
    let configurations = system.space.size();
    let agents = system.space.agents as u64;
    let (nodes, bytes_of_classes) = classes.unwrap_or((configurations, 0));
    let orientations = 1_u64 << agents;
    let steps = system.steps_at_most();
    let search = |steps: u64| SEARCH + 4 * steps;
    // The nodes of the subgraph.
    let trap = if question.converges { 0 } else { 4 + search(steps) };
    let (engine, nodes_of_engine) = match question.scheduler {
        // A value, or a frontier.
        Scheduler::Random | Scheduler::GloballyFair => (trap.max(VALUE), nodes),
        Scheduler::Unfair => (search(steps), nodes),
        // At most every other process may step.
        Scheduler::Alternating => (search(steps.div_ceil(2)), nodes.saturating_mul(orientations - 2)),
        // The size of the steps is known only after they are counted.
        Scheduler::Synchronous | Scheduler::Distributed | Scheduler::LocallyCentral => (search(1), nodes),
        _ => (search(steps) + OBLIGATIONS, nodes),
    };
    let lies = match question.detector {
        Detector::Perfect => 0,
        // A configuration has a step for each answer, and then one for each site.
        Detector::EventuallyCorrect => {
            let product = configurations.saturating_mul(orientations + 1);
            product.saturating_mul(search(steps) + OBLIGATIONS)
        }
    };
    let survey = nodes + nodes / 8 * (sets as u64 + 2);
    // Two values, before and after a step.
    let engine = engine.max(if question.horizon.is_some() { 16 + 4 * steps } else { 0 });
    // Really safe, own safe and reached.
    let engine = nodes_of_engine.saturating_mul(engine).saturating_add(nodes_of_engine / 8 * 3);
    let rounds = if question.rounds { of_rounds(configurations, agents, steps) } else { 0 };
    // The conditions of a claim, two of them for a response.
    let claims = if question.claims.is_empty() { 0 } else { nodes_of_engine.saturating_mul(4 + 4) };
    let bytes = engine.max(lies).max(rounds).saturating_add(claims).saturating_add(survey + bytes_of_classes);
    Estimate { bytes, free: nodes.saturating_mul(trap.saturating_sub(VALUE)) }
}

/// The bytes that counting rounds takes: configurations with sets of processes, and a search in them.
pub(crate) fn of_rounds(configurations: u64, agents: u64, steps: u64) -> u64 {
    // The value and the component of a node; the enabled processes of a configuration.
    let nodes = configurations.saturating_mul(1 << agents);
    nodes.saturating_mul(4 + 4 + SEARCH + 4 * steps).saturating_add(4 * configurations)
}

/// The bytes that a part of a graph takes, with searches in it and a table of `table` numbers.
pub(crate) fn of_part(nodes: u64, steps: u64, table: u64) -> u64 {
    // A step, its inverse, and its place among the pending steps. A node has its place, its two offsets, the fill level of
    // the inverse, its conditions, and one or two values.
    let step = size_of::<Edge>() as u64 + 4 + 4;
    let node = size_of::<Place>() as u64 + 3 * 4 + 4 + 16 + SEARCH + OBLIGATIONS;
    steps.saturating_mul(step).saturating_add(nodes.saturating_mul(node)).saturating_add(4 * table)
}

/// The bytes of the expected steps of all nodes at once: the values, the means after a step, and those of the solver.
pub(crate) fn of_values(nodes: u64) -> u64 {
    nodes.saturating_mul(8 + 8 + SEARCH).saturating_add(Descent::bytes(nodes))
}

/// The bytes that `nodes` nodes with `steps` stored steps take, including a search in them.
pub(crate) fn of_steps(nodes: u64, steps: u64, weighted: bool) -> u64 {
    // The step, its inverse, and its place among the pending steps. Each node has two start offsets and the fill level
    // of the inverse.
    let step = 4 + 4 + 4 + if weighted { 4 } else { 0 };
    steps.saturating_mul(step).saturating_add(nodes.saturating_mul(4 + 4 + 4 + 8 + SEARCH))
}

/// The bytes that a decision process takes, including the search for its end components.
pub(crate) fn of_choices(nodes: u64, choices: u64, outcomes: u64) -> u64 {
    // The target, its weight, its inverse, its place among the pending steps; the start, the actor and the node of a
    // choice; the offsets of a node, its idle agents, its choices left, its owner, its last cut and its two values.
    let choices = choices.saturating_mul(4 + 8 + 4);
    let nodes = nodes.saturating_mul(4 + 4 + 4 + 4 + 4 + 4 + 16 + SEARCH + OBLIGATIONS);
    outcomes.saturating_mul(4 + 4 + 4 + 4).saturating_add(choices).saturating_add(nodes)
}

/// An upper bound on the bytes that a check of multisets needs: three sets, and a value or a search.
pub(crate) fn of_multisets(graph: &Multisets) -> u64 {
    graph.size().saturating_mul(1 + SEARCH + 4 * graph.steps_at_most() + OBLIGATIONS)
}

/// Refuses a check that does not fit.
pub(crate) fn admit(needed: u64, allowed: u64, configurations: Option<u64>) -> Result<(), Stop> {
    if needed <= allowed {
        return Ok(());
    }
    Err(Uncheckable::Memory { configurations, needed, allowed }.into())
}
