//! Exports state spaces, lets MERC read and minimize them, and compares its quotients with ours.
//!
//!     cargo run --release

use merc_lts::{LTS, read_mcrl2_aut};
use merc_reduction::{Equivalence as Theirs, reduce_lts};
use merc_utilities::Timing;
use ringleader_algorithms::message::dolev_klawe_rodeh_bits::DolevKlaweRodehBits;
use ringleader_algorithms::message::fokkink_pang::FokkinkPang;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_no_bit::FranklinNoBit;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_erased::MessageInstance;
use ringleader_explore::{Action, Equivalence, DecisionGraph, Options, Space, export, minimize};
use ringleader_model::Terminating;
use std::process::ExitCode;

/// States and transitions of both quotients, ours first.
fn quotients(graph: &DecisionGraph, ours: Equivalence, theirs: Theirs) -> [(usize, usize); 2] {
    let quotient = minimize(graph, ours, &mut || true).expect("nobody stops it");
    let mut text = vec![];
    export::aut(graph, &mut text).expect("memory can be written to");
    let lts = read_mcrl2_aut(&text[..]).expect("MERC reads what is exported");
    assert_eq!(lts.num_of_states(), graph.len());
    let reduced = reduce_lts(lts, theirs, false, &Timing::new());
    [(quotient.states, quotient.transitions.len()), (reduced.num_of_states(), reduced.num_of_transitions())]
}

fn agree(name: &str, graph: &DecisionGraph) -> bool {
    let pairs = [(Equivalence::Strong, Theirs::StrongBisim), (Equivalence::Branching, Theirs::BranchingBisim)];
    pairs.into_iter().fold(true, |all, (ours, theirs)| {
        let [here, there] = quotients(graph, ours, theirs);
        if !name.is_empty() || here != there {
            let verdict = if here == there { "ok  " } else { "FAIL" };
            println!("{verdict} {name}, {} states, {ours}: {here:?} and {there:?}", graph.len());
        }
        all && here == there
    })
}

/// A reproducible graph with many internal steps. Every state is reachable, as MERC keeps only what is.
fn random_graph(seed: u64) -> DecisionGraph {
    let mut dice = seed;
    let mut below = |n: u64| {
        dice = dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (dice >> 33) % n
    };
    let states = 2 + below(40);
    let mut edges: Vec<Vec<Vec<(u32, f64, Action, usize)>>> = vec![vec![]; states as usize];
    let actions = [Action::Internal, Action::Internal, Action::Leader, Action::Passive];
    for state in 1..states {
        edges[below(state) as usize].push(vec![(state as u32, 1.0, actions[below(4) as usize], 0)]);
    }
    for _ in 0..states {
        edges[below(states) as usize].push(vec![(below(states) as u32, 1.0, actions[below(4) as usize], 0)]);
    }
    let mut graph = DecisionGraph::default();
    edges.iter().for_each(|choices| graph.push(0, choices));
    graph
}

fn main() -> ExitCode {
    let mut all = true;
    let franklin = |size, ids| Franklin { size, ids, keeps_identity: false };
    let tables = |size, ids, reading| FranklinTables { algorithm: franklin(size, ids), reading };
    let models: Vec<(&str, MessageInstance)> = vec![
        ("franklin, n = 3, k = 2", MessageInstance::new(franklin(3, 2))),
        ("franklin, n = 4, k = 2", MessageInstance::new(franklin(4, 2))),
        ("Table 1, n = 3, k = 2", MessageInstance::new(tables(3, 2, Reading::Both))),
        ("Table 1, n = 4, k = 2", MessageInstance::new(tables(4, 2, Reading::Both))),
        ("Table 3, n = 3, k = 3", MessageInstance::new(tables(3, 3, Reading::LeftFirst))),
        ("franklin-no-bit, n = 3, k = 3", MessageInstance::new(FranklinNoBit { size: 3, ids: 3, keeps_identity: false })),
        ("dolev-klawe-rodeh-bits, n = 4, k = 2", MessageInstance::new(DolevKlaweRodehBits { size: 4, ids: 2 })),
        ("fokkink-pang, n = 3, k = 2", MessageInstance::new(FokkinkPang { size: 3, ids: 2 })),
    ];
    for visible in ["leader", "leader,passive"] {
        for (name, model) in &models {
            let options = Options {
                channels: Terminating::channels(model),
                visible: visible.parse().expect("both are actions"),
                ..Options::default()
            };
            let graph = Space::explore(model, &options, &mut |_| true).expect("it fits").graph();
            all &= agree(&format!("{name}, {visible} visible"), &graph);
        }
    }
    let random = (0..2000).filter(|&seed| agree("", &random_graph(seed))).count();
    println!("{random} of 2000 random graphs agree");
    if all && random == 2000 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
