//! Handshakes, explored: every order in which packets can arrive, be lost and be duplicated, with the code that the node runs.

mod history;
mod model;
mod starts;

use history::{anomalies, serial};
use model::{Fault, Ring, World};

/// From these starts all interactions are those of a serial execution, and no agent waits at the end.
fn exact(ring: &Ring, starts: Vec<World>) -> Result<usize, World> {
    ring.explore(starts, |world, ended| serial(world, ring) && (!ended || nobody_waits(world)))
}

/// There are at most as many wrong interactions as wrong values and offers given up.
fn excused(ring: &Ring, starts: Vec<World>) -> Result<usize, World> {
    ring.explore(starts, |world, ended| {
        let excuses: u8 = world.iter().map(|agent| agent.wrong + agent.gave_up).sum();
        anomalies(world, ring) <= usize::from(excuses) && (!ended || nobody_waits(world))
    })
}

fn nobody_waits(world: &World) -> bool {
    world.iter().all(|agent| agent.handshake.out.is_none())
}

#[test]
fn from_clean_starts_executions_are_serial_and_no_agent_waits_forever() {
    for (offers, fewest) in [(&[1, 1][..], 10), (&[2, 2], 100), (&[3, 2], 1000), (&[1, 1, 1], 100), (&[2, 1, 1], 1000)]
    {
        let states = exact(&Ring::new(), vec![starts::clean(offers)]).unwrap();
        println!("offers {offers:?}: {states} worlds");
        assert!(states > fewest, "interactions take place");
    }
}

#[test]
fn giving_up_leaves_at_most_half_an_interaction_each_time() {
    for (offers, losses) in [(&[2, 2][..], 1), (&[2, 1], 2), (&[1, 1, 1], 1)] {
        let ring = Ring { losses, ..Ring::new() };
        println!(
            "offers {offers:?}, given up {losses} times: {} worlds",
            excused(&ring, vec![starts::clean(offers)]).unwrap()
        );
        assert!(exact(&ring, vec![starts::clean(offers)]).is_err(), "half of an interaction is left");
    }
}

#[test]
fn from_every_small_start_there_is_at_most_one_wrong_interaction_for_each_wrong_value() {
    for (what, starts) in [("a pair", starts::pair()), ("both arcs", starts::both_arcs()), ("three", starts::three())] {
        let count = starts.len();
        let states: usize = starts.into_iter().map(|start| excused(&Ring::new(), vec![start]).unwrap()).sum();
        println!("{what}: {count} starts, {states} worlds");
    }
    let none_excused = Ring::new().explore(starts::pair(), |world, _| anomalies(world, &Ring::new()) == 0);
    assert!(none_excused.is_err(), "otherwise the bound would not be tight");
}

#[test]
fn planted_faults_are_caught() {
    for fault in [Fault::AnswersForgotten, Fault::RefusedTakenLater, Fault::OldTaken] {
        let ring = Ring { fault: Some(fault), ..Ring::new() };
        let caught = exact(&ring, vec![starts::clean(&[2, 2])]).expect_err("a planted bug");
        assert!(!serial(&caught, &ring), "{fault:?}");
    }
    for offers in [&[1, 1][..], &[1, 1, 1]] {
        let ring = Ring { fault: Some(Fault::WaitsWhileLocked), ..Ring::new() };
        let caught = exact(&ring, vec![starts::clean(offers)]).expect_err("all wait");
        assert!(serial(&caught, &ring) && caught.iter().all(|agent| agent.handshake.out.is_some()));
    }
}
