//! Every algorithm with one of its rules missing, which the naive checker must notice.
//!
//! The rules named here are all those whose absence matters on the smallest graphs; the lists are exact, so that a rule which
//! is not listed is shown to be of no use there.

use ringleader_algorithms::population::angluin_ring::AngluinRing;
use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_algorithms::population::layers::Distance;
use ringleader_algorithms::population::token_circulation::TokenCirculation;
use ringleader_algorithms::population::yokota_ring::YokotaRing;
use ringleader_algorithms::ring::alternator::Alternator;
use ringleader_algorithms::ring::burns_pachl::BurnsPachl;
use ringleader_algorithms::ring::fich_johnen::FichJohnen;
use ringleader_algorithms::ring::gouda_haddix::GoudaHaddix;
use ringleader_algorithms::ring::stack::Stack;
use ringleader_model::{Graph, Population, Ring, Stabilizing};
use ringleader_testkit::broken::Without;
use ringleader_testkit::configurations::{Alternating, Changing, System, leaving, longest, unable_to_reach};

/// The rules without which a protocol no longer stabilizes under global fairness, its safe set taken as it is.
fn needed<P: Population + Stabilizing + Copy>(protocol: P, graph: &Graph, rules: u8) -> Vec<u8> {
    let fails = |rule: &u8| {
        let system = System::population(Without { inner: protocol, rule: *rule }, graph);
        let safe = system.set(|a, c| a.safe(c));
        leaving(&system, &safe).is_some() || unable_to_reach(&system, &safe).is_some()
    };
    (1..=rules).filter(fails).collect()
}

/// The same for ring algorithms, under the unfair daemon or all alternating schedules.
fn needed_on_ring<R: Ring + Stabilizing + Copy>(algorithm: R, size: usize, alternating: bool, rules: u8) -> Vec<u8> {
    let fails = |rule: &u8| {
        let system = System::ring(Without { inner: algorithm, rule: *rule }, size);
        let safe = system.set(|a, c| a.safe(c));
        let runs = if alternating {
            longest(&Alternating(&system), &Alternating(&system).lift(&safe))
        } else {
            longest(&Changing(&system), &safe)
        };
        leaving(&system, &safe).is_some() || runs.is_err()
    };
    (1..=rules).filter(fails).collect()
}

fn ring(size: usize) -> Graph {
    Graph::directed_ring(size).unwrap()
}

#[test]
fn population_protocols_need_their_rules() {
    assert_eq!(needed(FischerJiangComplete, &Graph::complete(3).unwrap(), 2), [1, 2]);
    // Shields that only leaders pass on (rule 3 without rule 2) still do on three agents.
    assert_eq!(needed(FischerJiangRing, &ring(3), 5), [1, 3, 4, 5]);
    assert_eq!(needed(Distance { inner: FischerJiangRing, bound: 3 }, &ring(3), 5), [1, 2, 3, 4, 5]);
    assert_eq!(needed(YokotaRing { bound: 2 }, &ring(2), 7), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(needed(AngluinRing { modulus: 2 }, &ring(3), 6), [1, 2, 3, 4, 5, 6]);
    assert_eq!(needed(TokenCirculation, &ring(3), 2), [1, 2]);
}

#[test]
fn ring_algorithms_need_their_rules() {
    assert_eq!(needed_on_ring(FichJohnen { size: 3 }, 3, true, 18), [1, 2, 5, 6, 7, 8, 9, 11, 18]);
    // With three processes all tags are 0.
    assert_eq!(needed_on_ring(BurnsPachl { size: 3 }, 3, false, 3), [1]);
    assert_eq!(needed_on_ring(BurnsPachl { size: 5 }, 5, false, 3), [1, 2, 3]);
    assert_eq!(needed_on_ring(GoudaHaddix, 4, false, 3), [1, 2, 3]);
}

/// A privileged process that does not step keeps its privilege, so behind the alternator even the actions that change nothing
/// are needed; action 16 has nothing to apply to on two processes.
#[test]
fn behind_the_alternator_every_action_is_needed() {
    let every: Vec<u8> = (1..=18).collect();
    assert_eq!(needed_on_ring(Alternator::new(FichJohnen { size: 3 }, 3), 3, false, 18), every);
    let token = Alternator::new(Stack { lower: FichJohnen { size: 2 }, upper: GoudaHaddix }, 2);
    let every: Vec<u8> = every.into_iter().filter(|&action| action != 16).collect();
    assert_eq!(needed_on_ring(token, 2, false, 18), every);
}
