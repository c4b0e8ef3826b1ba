//! Probabilities and expectations against the reference numbers, and against each other.

use ringleader_algorithms::message::dolev_klawe_rodeh_bits::DolevKlaweRodehBits;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_no_bit::FranklinNoBit;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_algorithms::message::itai_rodeh::ItaiRodeh;
use ringleader_erased::MessageInstance;
use ringleader_explore::{Action, Cost, Decider, DecisionGraph, Elections, Interval, Options, Space};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn graph(algorithm: &MessageInstance, rotation: bool) -> DecisionGraph {
    let options = Options { rotation, ..Options::default() };
    Space::explore(algorithm, &options, &mut |_| true).expect("it fits").graph()
}

fn tables(size: u32, keeps_identity: bool) -> FranklinTables {
    FranklinTables { algorithm: Franklin { size, ids: 2, keeps_identity }, reading: Reading::Both }
}

fn contains(interval: Option<Interval>, value: f64, width: f64) -> bool {
    let Interval { low, high } = interval.expect("every scheduler elects");
    low <= value && value <= high && high - low <= width
}

#[test]
fn the_uniform_scheduler_agrees_with_the_reference() {
    for rotation in [false, true] {
        let graph = graph(&MessageInstance::new(tables(2, false)), rotation);
        let elections = Elections::new(&graph);
        assert!(contains(elections.expected(Cost::Steps, Decider::Uniform), 23.25, 1e-8));
        let curve = elections.within(40, 2, |_| true).expect("it is not stopped");
        assert_eq!(curve[40][1], 0.9375);
        assert_eq!(curve[0], [0.0; 3]);
    }
    let graph = graph(&MessageInstance::new(tables(3, false)), true);
    let elections = Elections::new(&graph);
    let expected = elections.expected(Cost::Steps, Decider::Uniform).expect("every scheduler elects");
    assert!((expected.low - 38.852740378).abs() < 1e-8 && expected.high - expected.low < 1e-7, "{expected:?}");
    assert!((elections.within(40, 1, |_| true).expect("it is not stopped")[40][1] - 0.65625).abs() < 1e-12);
}

#[test]
fn variants_a_and_b_differ_from_size_four_on() {
    for (size, differ) in [(2, false), (3, false), (4, true)] {
        let expected = [false, true].map(|keeps| {
            let graph = graph(&MessageInstance::new(tables(size, keeps)), true);
            Elections::new(&graph).expected(Cost::Steps, Decider::Uniform).expect("every scheduler elects")
        });
        let apart = expected[0].high < expected[1].low || expected[1].high < expected[0].low;
        assert_eq!(apart, differ, "n = {size}: {expected:?}");
    }
}

#[test]
fn theorem_2_every_scheduler_elects_with_probability_1() {
    for size in 2..=4 {
        let graph = graph(&MessageInstance::new(Franklin { size, ids: 2, keeps_identity: false }), true);
        let elections = Elections::new(&graph);
        assert_eq!(elections.certain(), Some(true));
        for decider in [Decider::Least, Decider::Greatest] {
            assert_eq!(elections.probability(decider), Some(Interval { low: 1.0, high: 1.0 }));
        }
    }
}

#[test]
fn minimum_uniform_and_maximum_are_in_order() {
    for keeps_identity in [false, true] {
        let graph = graph(&MessageInstance::new(tables(3, keeps_identity)), true);
        let elections = Elections::new(&graph);
        for cost in [Cost::Steps, Cost::Messages] {
            let expected = [Decider::Least, Decider::Uniform, Decider::Greatest]
                .map(|decider| elections.expected(cost, decider).expect("every scheduler elects"));
            assert!(expected[0].low <= expected[1].high && expected[1].low <= expected[2].high, "{expected:?}");
        }
        let curve = elections.within(150, 2, |_| true).expect("it is not stopped");
        assert!(curve.iter().all(|[least, uniform, greatest]| least <= uniform && uniform <= greatest));
        assert!(curve.windows(2).all(|pair| pair[0][1] <= pair[1][1]));
    }
}

#[test]
fn flawed_algorithms_may_fail_to_elect() {
    let graph = graph(&MessageInstance::new(FranklinNoBit { size: 3, ids: 3, keeps_identity: false }), true);
    let elections = Elections::new(&graph);
    assert_eq!(elections.certain(), Some(false));
    let least = elections.probability(Decider::Least).expect("it is bounded");
    assert!(least.high < 1.0 && least.high - least.low < 1e-6, "{least:?}");
    assert_eq!(elections.expected(Cost::Steps, Decider::Least), None);
}

#[test]
fn a_cut_off_state_is_no_election() {
    let graph = graph(&MessageInstance::new(ItaiRodeh { size: 2, ids: 2, rounds: Some(2) }), true);
    let elections = Elections::new(&graph);
    // In lockstep, the two draw the same identity in both rounds with probability 1/4. But a scheduler may let one process start
    // its second round early, with a message that beats every draw of the first round.
    assert!(contains(elections.probability(Decider::Least), 0.75, 1e-9));
    assert_eq!(elections.probability(Decider::Greatest), Some(Interval { low: 1.0, high: 1.0 }));
    let graph = self::graph(&MessageInstance::new(DolevKlaweRodehBits { size: 3, ids: 2 }), true);
    assert_eq!(Elections::new(&graph).certain(), Some(true));
}

/// A coin that is tossed until it shows heads, and a scheduler that may pause for ever.
#[test]
fn a_small_model_has_the_values_computed_by_hand() {
    let mut coin = DecisionGraph::default();
    coin.push(0, &[vec![(0, 0.75, Action::Internal, 1), (1, 0.25, Action::Leader, 0)]]);
    coin.push(1, &[]);
    let elections = Elections::new(&coin);
    assert!(contains(elections.expected(Cost::Steps, Decider::Greatest), 4.0, 1e-9));
    assert!(contains(elections.expected(Cost::Messages, Decider::Least), 3.0, 1e-9));
    let mut lazy = DecisionGraph::default();
    let toss = vec![(1, 0.5, Action::Internal, 0), (2, 0.5, Action::Leader, 0)];
    lazy.push(0, &[toss, vec![(0, 1.0, Action::Internal, 0)]]);
    lazy.push(0, &[]);
    lazy.push(1, &[]);
    let elections = Elections::new(&lazy);
    assert_eq!(elections.probability(Decider::Least), Some(Interval { low: 0.0, high: 0.0 }));
    assert_eq!(elections.expected(Cost::Steps, Decider::Least), None);
}

#[test]
fn questions_end_when_keep_going_returns_false() {
    let graph = graph(&MessageInstance::new(Franklin { size: 2, ids: 2, keeps_identity: false }), true);
    let asked = AtomicUsize::new(0);
    for patience in 0..10 {
        asked.store(0, Relaxed);
        let keep_going = || asked.fetch_add(1, Relaxed) < patience;
        let elections = Elections::new(&graph).while_told(&keep_going);
        assert_eq!(elections.expected(Cost::Steps, Decider::Greatest), None);
        assert_eq!(asked.load(Relaxed), patience + 1, "no more sweeps");
    }
}
