//! Whether an algorithm's predicates read no more of a state than the algorithm declares.

use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{Judge, Number, Parameters, Verdict};
use ringleader_model::{Reader, Stabilizing};
use std::collections::HashMap;

/// Larger spaces are left out.
const MOST: u64 = 1 << 20;

/// For each state, the least state that is declared interchangeable with it.
fn least<A: Stabilizing<State = Number>>(algorithm: &A, states: u64, to: Reader) -> Option<Vec<u32>> {
    let mut known = HashMap::new();
    let visible = (0..states).map(|state| algorithm.visible(&Number(state), to));
    visible.enumerate().map(|(state, seen)| Some(*known.entry(seen?).or_insert(state as u32))).collect()
}

/// The verdicts about all configurations are those about the least interchangeable states. Returns whether something was
/// declared.
fn agrees<A: Stabilizing<State = Number>>(
    (name, size): (&str, usize),
    algorithm: &A,
    states: u64,
    judge: &mut dyn Judge,
) -> bool {
    let mut told = false;
    for to in [Reader::Goal, Reader::Proof] {
        let Some(least) = least(algorithm, states, to) else { continue };
        told = true;
        let read = |verdict: Verdict| match to {
            Reader::Goal => (verdict.possible, verdict.correct, false, 0),
            Reader::Proof => (verdict.possible, verdict.correct, verdict.safe, verdict.sets),
        };
        for mut c in 0..states.pow(size as u32) {
            let mut configuration = vec![0; size];
            for digit in &mut configuration {
                *digit = (c % states) as u32;
                c /= states;
            }
            let merged: Vec<u32> = configuration.iter().map(|&state| least[state as usize]).collect();
            let verdicts = [&configuration, &merged].map(|states| read(judge.judge(states)));
            assert_eq!(verdicts[0], verdicts[1], "{name} {to:?}: {configuration:?} and {merged:?}");
        }
    }
    told
}

#[test]
fn predicates_read_no_more_than_declared() {
    let (catalog, mut told) = (Catalog::builtin(), vec![]);
    for card in catalog.cards() {
        for size in (2..6).filter(|&n| catalog.supports(card.name, &Parameters::new(n)).is_ok()) {
            let small = |states: u64| states.checked_pow(size as u32).is_some_and(|all| all <= MOST);
            let declared = match catalog.instance(card.name, &Parameters::new(size)).expect(card.name) {
                Instance::Population(a) if small(a.states()) => {
                    agrees((card.name, size), &a, a.states(), &mut *a.judge(size).expect("few states"))
                }
                Instance::Ring(a) if small(a.states()) => {
                    agrees((card.name, size), &a, a.states(), &mut *a.judge(size).expect("few states"))
                }
                _ => false,
            };
            if declared {
                told.push((card.name, size));
            }
        }
    }
    println!("{told:?}");
    for known in [("yokota-ring", 3), ("angluin-ring", 3), ("loosely-stabilizing", 3)] {
        assert!(told.contains(&known), "{known:?} is not among {told:?}");
    }
}
