//! The naive twin of a checker: every configuration, every move, nothing clever.

mod explore;
mod network;
mod system;

pub use explore::{expected_steps, greatest_closed, leaving, longest, unable_to_reach};
pub use network::{Network, Together};
pub use system::{Alternating, Changing, Moves, Synchronous, System};

use ringleader_erased::Topology;
use ringleader_model::Graph;

/// The graph of a population protocol.
///
/// # Panics
/// If none runs there.
pub fn graph(topology: Topology, size: usize) -> Graph {
    match topology.at_hand() {
        Topology::DirectedRing => Graph::directed_ring(size),
        Topology::UndirectedRing => Graph::undirected_ring(size),
        Topology::Complete => Graph::complete(size),
        other => panic!("no population protocol runs on a {}", other.describe()),
    }
    .expect("small graphs exist")
}

/// How many members a set has.
pub fn count(set: &[bool]) -> usize {
    set.iter().filter(|&&member| member).count()
}

/// Asserts that the algorithm's safe set is closed, implies correctness with an unchanging leader, and can be reached from
/// every configuration; gives its size.
///
/// # Panics
/// If not.
pub fn safe_set_stands<A: ringleader_model::Stabilizing<State: Copy>>(system: &System<A>) -> usize {
    let safe = system.set(|a, c| a.safe(c));
    let really = system.really_safe();
    assert!(safe.iter().zip(&really).all(|(&own, &real)| real || !own), "a safe configuration is not");
    assert_eq!(leaving(system, &safe), None, "the safe set can be left");
    if let Some(c) = unable_to_reach(system, &safe) {
        panic!("the safe set cannot be reached from {:?}", system.configuration(c));
    }
    count(&safe)
}
