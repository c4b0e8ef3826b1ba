//! Every algorithm of neighbours, member by member between datagrams that get lost, doubled and late, in virtual time: the code
//! that a node puts on a socket.

mod growth;
mod on_graphs;
mod strangers;
mod world;

use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{Kind, Number};
use ringleader_model::{Chain, Coin, Ring, Stabilizing, View, corrupt};
use ringleader_node::{Corruption, SplitMix};
use ringleader_node_core::Instruction;
use world::{World, at, instance, told};

const SELF_STABILIZING: [&str; 13] = [
    "fischer-jiang-complete",
    "fischer-jiang-ring",
    "yokota-ring",
    "angluin-ring",
    "token-circulation",
    "ring-orientation",
    "fich-johnen",
    "fich-johnen-token",
    "burns-pachl",
    "gouda-haddix",
    "dijkstra-k-state",
    "dijkstra-three-state",
    "huang",
];

/// How many runs of each: `RINGLEADER_RUNS`, or a sample.
fn runs() -> u64 {
    std::env::var("RINGLEADER_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(3)
}

fn median(mut times: Vec<u64>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2] as f64 / 1e6
}

#[test]
fn every_algorithm_of_neighbours_reaches_its_goal_whatever_is_lost() {
    let catalog = Catalog::builtin();
    let cards = catalog
        .cards()
        .filter(|card| card.kind != Kind::Robust && card.flaw.is_none() && catalog.why_absent(card.name).is_none());
    for card in cards {
        if let Err(refusal) = catalog.member(&told(card.name, 5, 0), &mut SplitMix::new(0)) {
            let reason = refusal.to_string();
            let known = ["line", "at once"];
            assert!(known.iter().any(|words| reason.contains(words)), "{reason}");
            println!("{reason}");
            continue;
        }
        for loss in [0, 10, 30] {
            let times = (0..runs()).map(|seed| {
                let mut world = World::new(card.name, 5, loss, seed);
                let took = world.settle(&instance(card.name, 5), 600_000_000);
                took.unwrap_or_else(|| panic!("{} with {loss} % lost, seed {seed}", card.name))
            });
            println!("{}: {loss} % lost: median {:.2} s", card.name, median(times.collect()));
        }
    }
}

#[test]
fn every_self_stabilizing_one_heals_when_all_variables_are_overwritten() {
    for name in SELF_STABILIZING {
        let mut times = vec![];
        for seed in 0..runs() {
            let mut world = World::new(name, 5, 10, seed);
            let instance = instance(name, 5);
            world.settle(&instance, 600_000_000).expect("it elects");
            for corruption in [Corruption::Random, Corruption::Low, Corruption::High] {
                let now = at(world.now);
                for core in &mut world.cores {
                    core.obey(now, Instruction::Corrupt(corruption));
                    drop(core.take_commands());
                }
                let took = world.settle(&instance, 600_000_000);
                times.push(took.unwrap_or_else(|| panic!("{name} after {corruption:?}, seed {seed}")));
            }
        }
        println!("{name}: healed {} times, median {:.2} s", times.len(), median(times));
    }
}

/// The hook of a token keeps its holder from stepping, so nobody else may move it.
#[test]
fn only_its_holder_moves_a_token() {
    for (name, size) in [("gouda-haddix", 5), ("fich-johnen-token", 5), ("burns-pachl", 5), ("dijkstra-three-state", 5)]
    {
        let Instance::Ring(algorithm) = instance(name, size) else { panic!("{name} is a ring") };
        let mut coin = SplitMix::new(1);
        let mut states = corrupt::configuration(&algorithm, size, &mut coin);
        let holders = |states: &[Number]| -> Vec<usize> {
            (0..size).filter(|&p| algorithm.marks(View::of(states, p, Chain::Ring)).token()).collect()
        };
        let step = |states: &[Number], p: usize, coin: &mut SplitMix| {
            let mut after = states.to_vec();
            after[p] = algorithm.act(View::of(states, p, Chain::Ring), coin);
            after
        };
        while !algorithm.safe(&states) {
            let p = coin.below(size as u32) as usize;
            states = step(&states, p, &mut coin);
        }
        let mut moved = 0;
        for _ in 0..20_000 {
            let [holder] = holders(&states)[..] else { panic!("{name}: {:?}", holders(&states)) };
            for p in (0..size).filter(|&p| p != holder) {
                assert_eq!(holders(&step(&states, p, &mut coin)), [holder], "{name}: {p} moves the token of {holder}");
            }
            let p = coin.below(size as u32) as usize;
            states = step(&states, p, &mut coin);
            moved += u32::from(holders(&states) != [holder]);
        }
        assert!(moved > 100, "{name}: the token moves");
    }
}
