//! Algorithms for any graph on graphs of members: cut links, restarts and overwritten variables.

use super::world::{World, at, told};
use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{GraphInstance, Parameters};
use ringleader_model::graph::Family;
use ringleader_model::{Graph, NoCoin, Stabilizing};
use ringleader_node::{Config, Corruption, Handle, Links, Role, SplitMix, Trouble};
use ringleader_node_core::Instruction;
use std::net::UdpSocket;
use std::time::{Duration, Instant};

const MINUTES: u64 = 600_000_000;
/// The heartbeat in microseconds.
const HEARTBEAT: u64 = 100_000;

fn family(name: &str, size: usize) -> Graph {
    name.parse::<Family>().unwrap().graph(size, &mut NoCoin).unwrap()
}

fn on(graph: &Graph, name: &str) -> Instance {
    Catalog::builtin().instance(name, &Parameters::new(0).on(graph.clone())).unwrap()
}

fn graph_instance(instance: &Instance) -> &GraphInstance {
    let Instance::Graph(algorithm) = instance else { panic!("for any graph") };
    algorithm
}

fn corrupt(world: &mut World, corruption: Corruption) {
    let now = at(world.now);
    for core in &mut world.cores {
        core.obey(now, Instruction::Corrupt(corruption));
        drop(core.take_commands());
    }
}

/// Each with the graphs that its paper claims.
const SUBJECTS: [(&str, &[(&str, usize)]); 4] = [
    ("tree-leader", &[("star", 6), ("binary-tree", 7), ("line", 5)]),
    ("arora-gouda", &[("star", 5), ("grid:2x3", 6), ("complete", 5)]),
    ("huang-chen", &[("grid:2x3", 6), ("undirected-ring", 5)]),
    ("independent-set", &[("star", 6), ("complete", 4)]),
];

#[test]
fn on_every_graph_the_goal_is_reached_and_kept_and_every_fault_heals() {
    for (name, graphs) in SUBJECTS {
        for &(shape, size) in graphs {
            let graph = family(shape, size);
            let instance = on(&graph, name);
            for seed in 0..2 {
                let about = format!("{name} on {shape}, seed {seed}");
                let mut world = World::on(&graph, name, 10, seed);
                world.settle(&instance, MINUTES).unwrap_or_else(|| panic!("{about}: elects"));
                for corruption in [Corruption::Random, Corruption::Low, Corruption::High] {
                    corrupt(&mut world, corruption);
                    world.settle(&instance, MINUTES).unwrap_or_else(|| panic!("{about}: after {corruption:?}"));
                }
                let links = Links::Given(graph.clone().into());
                world.restart(Config { graph: Some(links), ..told(name, size, size - 1) });
                world.settle(&instance, MINUTES).unwrap_or_else(|| panic!("{about}: after a restart"));
                // The algorithms are silent: from a safe configuration on, no state changes.
                let algorithm = graph_instance(&instance);
                let end = world.now + MINUTES;
                while !algorithm.safe(&world.states(algorithm)) {
                    assert!(world.now < end, "{about}: never safe");
                    world.run_until(world.now + 10_000);
                }
                let states = world.states(algorithm);
                world.run_until(world.now + 20 * HEARTBEAT);
                assert_eq!(world.states(algorithm), states, "{about}: a safe configuration stays");
            }
        }
    }
}

/// A cut link is loss. The processes at its two ends take no step and report it; the others go on; when it is repaired, all heal.
#[test]
fn a_cut_link_stops_its_two_ends_only_and_heals_when_it_returns() {
    // 0 - 1 - 2 - 3 - 4 - 5: the link 1 - 2 is cut.
    let graph = family("line", 6);
    for name in ["tree-leader", "arora-gouda"] {
        let instance = on(&graph, name);
        let algorithm = graph_instance(&instance);
        let mut world = World::on(&graph, name, 0, 7);
        world.settle(&instance, MINUTES).expect("elects");
        world.cut.insert((1, 2));
        // Past the datagrams under way and the read that is in progress.
        world.run_until(world.now + 10 * HEARTBEAT);
        corrupt(&mut world, Corruption::Random);
        let before = world.states(algorithm);
        let mut moved = [false; 6];
        for _ in 0..1000 {
            world.run_until(world.now + HEARTBEAT / 2);
            for (id, state) in world.states(algorithm).iter().enumerate() {
                moved[id] |= *state != before[id];
            }
        }
        assert!(!moved[1] && !moved[2], "{name}: an end of the cut link took a step: {moved:?}");
        assert!(moved[0] || moved[3] || moved[4] || moved[5], "{name}: no other process took a step");
        for (id, core) in world.cores.iter().enumerate() {
            let silent: Vec<usize> = core
                .notices()
                .recent(at(world.now).elapsed)
                .filter(|notice| notice.trouble == Trouble::Broken)
                .map(|notice| notice.peer)
                .collect();
            let expected = match id {
                1 => vec![2],
                2 => vec![1],
                _ => vec![],
            };
            assert_eq!(silent, expected, "{name}: node {id}");
            assert_eq!(core.status().leadership.state == Role::Unsettled, !expected.is_empty(), "{name}: node {id}");
        }
        world.cut.clear();
        world.settle(&instance, MINUTES).unwrap_or_else(|| panic!("{name}: does not heal"));
        assert!(world.cores.iter().all(|core| core.status().leadership.state != Role::Unsettled));
    }
}

/// Neighbours on a graph do not compare lists of members, which differ.
#[test]
fn neighbours_report_no_trouble() {
    let graph = family("star", 5);
    let mut world = World::on(&graph, "tree-leader", 0, 1);
    world.run_until(100 * HEARTBEAT);
    for core in &world.cores {
        assert_eq!(core.notices().recent(at(world.now).elapsed).count(), 0);
    }
}

/// The greatest degree that settings may have.
#[test]
fn a_star_with_as_many_leaves_as_possible_elects() {
    let graph = family("star", 1 + ringleader_node::MOST_NEIGHBOURS);
    let instance = on(&graph, "tree-leader");
    let algorithm = graph_instance(&instance);
    for loss in [0, 10] {
        let mut world = World::on(&graph, "tree-leader", loss, 3);
        while !algorithm.safe(&world.states(algorithm)) {
            assert!(world.now < MINUTES, "not safe after ten minutes");
            world.run_until(world.now + HEARTBEAT);
        }
        println!("star of {}, {loss} % lost: safe after {:.1} s", graph.size(), world.now as f64 / 1e6);
    }
}

#[test]
fn settings_without_their_graph_are_refused() {
    let refusal = |config: Config| match Catalog::builtin().prepare(config) {
        Ok(_) => panic!("accepted"),
        Err(refusal) => refusal.to_string(),
    };
    let ring = told("yokota-ring", 5, 0);
    let tree = told("tree-leader", 5, 0);
    assert!(refusal(Config { graph: None, ..tree.clone() }).contains("tree-leader runs on a graph: give graph"));
    assert!(
        refusal(Config { graph: tree.graph.clone(), ..ring.clone() }).contains("graph is for algorithms for any graph")
    );
    let sides = Catalog::builtin().member(&Config { sides: ring.sides, ..tree.clone() }, &mut SplitMix::new(0));
    assert!(sides.err().unwrap().to_string().contains("instead of left and right"));
    assert!(
        refusal(Config { graph: Some(Links::Family(Family::Hypercube)), size: Some(6), ..tree.clone() })
            .contains("hypercube")
    );
    let peers = (0..5).map(|id| (id, format!("127.0.0.1:{}", 7400 + id))).collect();
    let robust = Config { algorithm: "robust-s2".into(), peers, ..tree.clone() };
    assert!(refusal(robust).contains("robust-s2 needs no graph"));
    assert!(Catalog::builtin().member(&Config { id: 9, ..tree }, &mut SplitMix::new(0)).is_err());
}

/// Two graphs give states and ports different meanings.
#[test]
fn nodes_with_different_graphs_report_it() {
    let held: Vec<_> = (0..3).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
    let addresses: Vec<_> = held.iter().map(|socket| socket.local_addr().unwrap()).collect();
    drop(held);
    let start = |id: usize, edges: &str| {
        let mut config = Config::new(id, addresses[id]).heartbeat(Duration::from_millis(50));
        config.algorithm = "arora-gouda".into();
        config.graph = Some(Links::Given(Graph::parse(edges).unwrap().into()));
        config.peers = addresses.iter().map(ToString::to_string).enumerate().collect();
        Catalog::builtin().launch(config).unwrap()
    };
    let nodes = [start(0, "0 1\n1 2\n"), start(1, "0 1\n1 2\n2 0\n")];
    let told = |node: &Handle| node.notices().iter().any(|notice| notice.trouble == Trouble::Algorithm);
    let begun = Instant::now();
    while !nodes.iter().all(told) {
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", nodes[0].notices());
        std::thread::sleep(Duration::from_millis(20));
    }
}
