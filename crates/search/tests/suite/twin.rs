//! The search against plain enumeration, and against the checker.

use crate::support::{Plain, enumerate, permutations};
use ringleader_check::{Monitor, Question, population};
use ringleader_erased::PopulationInstance;
use ringleader_model::{Graph, Scheduler};
use ringleader_search::{Control, Family, Options, Outcome, Topology, discover};
use std::collections::BTreeSet;

fn all_of(family: &Family) -> Outcome {
    let mut options = Options::default();
    (options.keep, options.threads) = (usize::MAX, 2);
    let outcome = discover(family, &options, &Control::default()).expect("a family that can be searched");
    assert!(outcome.counts.complete);
    outcome
}

/// The same protocols, one by one, and the same numbers.
fn agrees(family: &Family) -> usize {
    let (outcome, plain) = (all_of(family), enumerate(family));
    let classes: BTreeSet<Plain> = plain.iter().map(Plain::canonical).collect();
    let found: BTreeSet<Plain> =
        outcome.found.iter().map(|found| Plain::of(&found.protocol, family.detector).canonical()).collect();
    assert_eq!(found, classes, "{family:?}");
    assert_eq!(outcome.counts.protocols as usize, classes.len(), "{family:?}");
    assert_eq!(outcome.counts.named as usize, plain.len(), "{family:?}");
    assert_eq!(outcome.found.iter().map(|found| found.names).sum::<u64>(), outcome.counts.named);
    classes.len()
}

#[test]
fn all_families_of_two_states() {
    let mut held = 0;
    for topology in [Topology::DirectedRing, Topology::Complete] {
        for scheduler in [Scheduler::Random, Scheduler::GloballyFair, Scheduler::Unfair] {
            for sizes in [&[2][..], &[3], &[4], &[2, 3], &[3, 4], &[2, 3, 4]] {
                for (detector, symmetric) in [(false, false), (false, true), (true, false), (true, true)] {
                    let mut family = Family::new(2, topology, sizes).under(scheduler);
                    (family.detector, family.symmetric) = (detector, symmetric);
                    held += usize::from(agrees(&family) > 0);
                }
            }
        }
    }
    assert!(held > 20, "only {held} families have protocols at all");
}

#[test]
fn symmetric_protocols_of_three_states() {
    for (topology, sizes) in
        [(Topology::DirectedRing, &[3][..]), (Topology::Complete, &[2]), (Topology::Complete, &[3])]
    {
        for scheduler in [Scheduler::Random, Scheduler::Unfair] {
            agrees(&Family::new(3, topology, sizes).symmetric().under(scheduler));
        }
    }
}

/// A generator of numbers for tests: xorshift.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most
    }
}

/// Random tables rarely hold; tables that differ in one or two entries from one that holds often do.
#[test]
fn three_states_as_the_checker_says() {
    let family = Family::new(3, Topology::DirectedRing, &[3, 4]);
    let outcome = all_of(&family);
    let found: Vec<Plain> = outcome.found.iter().map(|found| Plain::of(&found.protocol, false)).collect();
    let known: BTreeSet<Plain> = found.iter().map(Plain::canonical).collect();
    let (mut numbers, names) = (Numbers(0x9e37_79b9_7f4a_7c15), permutations(3));
    let graphs = [3, 4].map(|n| Graph::directed_ring(n).expect("a ring"));
    let (mut held, mut failed) = (0, 0);
    for trial in 0..2000 {
        let mut table = found[numbers.below(found.len())].renamed(&names[numbers.below(6)]);
        let changes = if trial % 10 == 0 { 9 } else { trial % 3 };
        for _ in 0..changes {
            let at = numbers.below(9);
            table.after[at] = (numbers.below(3) as u8, numbers.below(3) as u8);
        }
        let instance = PopulationInstance::new(table.clone()).expect("few states");
        let holds = graphs.iter().all(|graph| {
            let question = Question::new(Scheduler::Random);
            population(&instance, graph, &question, &Monitor::new(1)).expect("small").holds
        });
        assert_eq!(known.contains(&table.canonical()), holds, "{table:?}");
        if holds { held += 1 } else { failed += 1 }
    }
    assert!(held > 700 && failed > 700, "{held} hold and {failed} fail: too one-sided to show anything");
}

/// Tables that are skipped as too slow are not among the fastest.
#[test]
fn the_fastest_are_the_fastest_of_all() {
    let ring = |sizes: &[usize]| Family::new(3, Topology::DirectedRing, sizes);
    let complete = Family::new(3, Topology::Complete, &[3, 4]).with_detector().symmetric();
    for family in [ring(&[3]), ring(&[3, 4]), ring(&[3]).under(Scheduler::Unfair), complete] {
        let [all, fastest] = [false, true].map(|fastest| {
            let mut options = Options::default();
            (options.fastest, options.keep) = (fastest, 25);
            discover(&family, &options, &Control::default()).expect("a family that can be searched")
        });
        assert!(fastest.counts.complete && fastest.counts.fastest_only);
        assert!(fastest.counts.protocols <= all.counts.protocols);
        let times = |outcome: &Outcome| outcome.found.iter().map(|found| found.times.clone()).collect::<Vec<_>>();
        assert_eq!(times(&all).len(), 25, "{family:?}");
        assert_eq!(times(&all), times(&fastest), "{family:?}");
    }
}

#[test]
fn threads_change_nothing() {
    let family = Family::new(3, Topology::DirectedRing, &[3]);
    let outcomes = [1, 2, 5].map(|threads| {
        let mut options = Options::default();
        options.threads = threads;
        discover(&family, &options, &Control::default()).expect("a family that can be searched")
    });
    for outcome in &outcomes[1..] {
        assert_eq!(outcome.counts.looked_at, outcomes[0].counts.looked_at);
        assert_eq!(outcome.counts.named, outcomes[0].counts.named);
        let tables = |o: &Outcome| o.found.iter().map(|f| Plain::of(&f.protocol, false)).collect::<Vec<_>>();
        assert_eq!(tables(outcome), tables(&outcomes[0]));
    }
}
