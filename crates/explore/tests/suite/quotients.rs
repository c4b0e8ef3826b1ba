//! Quotients against the definitions of strong and branching bisimilarity, and against the paper.

use ringleader_algorithms::message::dolev_klawe_rodeh_bits::DolevKlaweRodehBits;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_erased::MessageInstance;
use ringleader_explore::{Action, DecisionGraph, Edge, Equivalence, Options, Quotient, Space, Visible, minimize};
use ringleader_model::{Channels, Terminating};
use std::collections::BTreeSet;

/// The pairs of states in the greatest relation with the transfer property, found by removing pairs.
fn related(graph: &DecisionGraph, branching: bool) -> Vec<Vec<bool>> {
    let n = graph.len();
    let mut related = vec![vec![true; n]; n];
    loop {
        let before = related.clone();
        for s in 0..n {
            for t in 0..n {
                related[s][t] = before[s][t]
                    && simulated(graph, &before, s, t, branching)
                    && simulated(graph, &before, t, s, branching);
            }
        }
        if related == before {
            return related;
        }
    }
}

/// Whether t can match every step of s.
fn simulated(graph: &DecisionGraph, related: &[Vec<bool>], s: usize, t: usize, branching: bool) -> bool {
    graph.edges(s).iter().all(|edge| {
        let target = edge.target as usize;
        if branching && edge.action == Action::Internal && related[target][t] {
            return true;
        }
        let pauses = if branching { internally(graph, t) } else { BTreeSet::from([t]) };
        pauses.into_iter().filter(|&pause| related[s][pause]).any(|pause| {
            graph.edges(pause).iter().any(|e| e.action == edge.action && related[target][e.target as usize])
        })
    })
}

/// The states that are reachable by internal steps.
fn internally(graph: &DecisionGraph, from: usize) -> BTreeSet<usize> {
    let (mut found, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(state) = open.pop() {
        for edge in graph.edges(state).iter().filter(|e| e.action == Action::Internal) {
            if found.insert(edge.target as usize) {
                open.push(edge.target as usize);
            }
        }
    }
    found
}

fn minimized(graph: &DecisionGraph, equivalence: Equivalence) -> Quotient {
    minimize(graph, equivalence, &mut || true).expect("it is not stopped")
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

fn random_graph(dice: &mut Dice) -> DecisionGraph {
    let states = 1 + dice.below(9);
    let mut graph = DecisionGraph::default();
    for _ in 0..states {
        let edges = (0..dice.below(4)).map(|_| {
            let action = [Action::Internal, Action::Internal, Action::Leader, Action::Passive][dice.below(4) as usize];
            vec![(dice.below(states) as u32, 1.0, action, 0)]
        });
        let edges: Vec<_> = edges.collect();
        graph.push(0, &edges);
    }
    graph
}

#[test]
fn refinement_agrees_with_the_definition() {
    for seed in 0..3000 {
        let graph = random_graph(&mut Dice(seed));
        for (equivalence, branching) in [(Equivalence::Strong, false), (Equivalence::Branching, true)] {
            let related = related(&graph, branching);
            let quotient = minimized(&graph, equivalence);
            for (s, row) in related.iter().enumerate() {
                for (t, &related) in row.iter().enumerate() {
                    let same = quotient.class_of[s] == quotient.class_of[t];
                    assert_eq!(same, related, "{equivalence}, seed {seed}, states {s} and {t}: {graph:?}");
                }
            }
        }
    }
}

fn quotient(algorithm: &MessageInstance, options: &Options) -> Quotient {
    minimized(&graph(algorithm, options), Equivalence::Branching)
}

fn two_states(quotient: &Quotient) {
    assert_eq!(quotient.states, 2);
    assert_eq!(quotient.transitions, [(0, Action::Leader, 1)]);
}

fn franklin(size: u32, ids: u32) -> Franklin {
    Franklin { size, ids, keeps_identity: false }
}

#[test]
fn section_4_the_quotient_has_two_states() {
    for size in 2..=4 {
        for reading in [Reading::Both, Reading::LeftFirst] {
            let tables = FranklinTables { algorithm: franklin(size, 2), reading };
            two_states(&quotient(&MessageInstance::new(tables), &Options::default()));
        }
        two_states(&quotient(&MessageInstance::new(franklin(size, 2)), &Options::default()));
    }
    let tables = FranklinTables { algorithm: franklin(5, 2), reading: Reading::Both };
    two_states(&quotient(&MessageInstance::new(tables), &Options { rotation: true, ..Options::default() }));
}

fn graph(algorithm: &MessageInstance, options: &Options) -> DecisionGraph {
    Space::explore(algorithm, options, &mut |_| true).expect("it fits").graph()
}

/// Whether the starts of two graphs are in the same class of their disjoint union.
fn bisimilar(a: &DecisionGraph, b: &DecisionGraph) -> bool {
    let mut union = a.clone();
    for state in 0..b.len() {
        let edge = |e: &Edge| (e.target + a.len() as u32, b.probability(e), e.action, 0);
        let choices: Vec<Vec<_>> = b.choices(state).map(|choice| choice.iter().map(edge).collect()).collect();
        union.push(0, &choices);
    }
    let quotient = minimized(&union, Equivalence::Branching);
    quotient.class_of[0] == quotient.class_of[a.len()]
}

/// With two visible actions the quotient is large enough to reveal a wrong reduction.
fn reductions_keep(algorithm: &MessageInstance, channels: Channels) {
    let visible: Visible = "leader,passive".parse().expect("both are actions");
    let full = graph(algorithm, &Options { visible, channels, ..Options::default() });
    let classes = minimized(&full, Equivalence::Branching).states;
    assert!(classes > algorithm.network().size(), "only {classes} classes");
    for (rotation, confluence) in [(true, false), (false, true), (true, true)] {
        let reduced = graph(algorithm, &Options { rotation, confluence, visible, channels, ..Options::default() });
        assert!(reduced.len() < full.len());
        assert!(bisimilar(&full, &reduced), "rotation {rotation}, confluence {confluence}");
    }
}

#[test]
fn reductions_keep_the_quotient() {
    for reading in [Reading::Both, Reading::LeftFirst] {
        for (size, ids) in [(2, 2), (2, 3), (3, 2)] {
            let tables = FranklinTables { algorithm: franklin(size, ids), reading };
            reductions_keep(&MessageInstance::new(tables), Channels::Bag);
            reductions_keep(&MessageInstance::new(tables), Channels::Fifo);
        }
    }
    reductions_keep(
        &MessageInstance::new(FranklinTables { algorithm: franklin(4, 2), reading: Reading::LeftFirst }),
        Channels::Bag,
    );
    reductions_keep(&MessageInstance::new(franklin(3, 3)), Channels::Bag);
    reductions_keep(&MessageInstance::new(DolevKlaweRodehBits { size: 3, ids: 3 }), Channels::Bag);
}

#[test]
fn the_table_faithful_model_is_branching_bisimilar_to_the_algorithm() {
    let visible: Visible = "leader,passive".parse().expect("both are actions");
    let options = Options { visible, rotation: true, ..Options::default() };
    for size in 2..=4 {
        let atomic = graph(&MessageInstance::new(franklin(size, 2)), &options);
        for reading in [Reading::Both, Reading::LeftFirst] {
            let small_steps =
                graph(&MessageInstance::new(FranklinTables { algorithm: franklin(size, 2), reading }), &options);
            assert!(bisimilar(&atomic, &small_steps), "n = {size}, {reading:?}");
        }
    }
}

/// The number of states ("external") in the paper's "confelm + on-the-fly" rows is the number of kept states here.
#[test]
fn tables_2_and_3_reduced() {
    for (size, ids, states) in
        [(2, 2, 165), (3, 2, 1_819), (4, 2, 21_409), (5, 2, 263_963), (2, 3, 385), (3, 3, 6_400), (4, 3, 116_785)]
    {
        let tables = FranklinTables { algorithm: franklin(size, ids), reading: Reading::LeftFirst };
        let options = Options { confluence: true, ..Options::default() };
        let tables = MessageInstance::new(tables);
        let space = Space::explore(&tables, &options, &mut |_| true).expect("it fits");
        assert_eq!(space.stored(), states, "n = {size}, k = {ids}");
        assert_eq!(space.states(), None);
    }
}

#[test]
fn the_definition_agrees_on_real_state_spaces() {
    let visible: Visible = "leader,passive".parse().expect("both are actions");
    let options = Options { visible, rotation: true, ..Options::default() };
    let models = [MessageInstance::new(franklin(2, 2)), MessageInstance::new(DolevKlaweRodehBits { size: 2, ids: 2 })];
    for graph in models.map(|model| self::graph(&model, &options)) {
        for (equivalence, branching) in [(Equivalence::Strong, false), (Equivalence::Branching, true)] {
            let (related, quotient) = (related(&graph, branching), minimized(&graph, equivalence));
            let same = |s: usize, t: usize| quotient.class_of[s] == quotient.class_of[t];
            let all = (0..graph.len()).all(|s| (0..graph.len()).all(|t| same(s, t) == related[s][t]));
            assert!(all, "{equivalence}, {} states", graph.len());
        }
    }
}

#[test]
fn minimization_ends_when_keep_going_returns_false() {
    let graph = graph(&MessageInstance::new(franklin(3, 2)), &Options::default());
    let mut patience = 1;
    let mut keep_going = || {
        patience -= 1;
        patience >= 0
    };
    assert!(minimize(&graph, Equivalence::Strong, &mut keep_going).is_none());
}
