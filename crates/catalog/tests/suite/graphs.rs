//! Random algorithms on random graphs, against the naive twin: every daemon.

use ringleader_catalog::{Catalog, Instance, WrittenClaim};
use ringleader_check::{Condition, Monitor, Question, Report, Starting, Subject, graph};
use ringleader_erased::{GraphInstance, Instance as Erased, Kind, Number, Parameters, Topology};
use ringleader_language::Source;
use ringleader_model::graph::{Census, Neighbours};
use ringleader_model::text::print_state_at;
use ringleader_model::{
    Coin, Goal, Graph, Knowledge, Marks, Networked, Odometer, Promise, Scheduler, Stabilizing, Variables, Vicinity,
    Visitor,
};
use ringleader_testkit::configurations::{
    Moves, Network, Together, count, expected_steps, greatest_closed, longest, unable_to_reach,
};
use std::sync::Arc;

/// An algorithm whose rule and goal are made up from a seed.
#[derive(Clone)]
struct Arbitrary {
    neighbours: Neighbours,
    states: u64,
    seed: u64,
    /// Whether processes have numbers, the scheduler has choices, and a state at process 0 is given.
    numbered: bool,
    chooses: bool,
    given: bool,
}

fn mixed(mut x: u64) -> u64 {
    x ^= x >> 31;
    x = x.wrapping_mul(0x7fb5_d329_728e_a185);
    x ^= x >> 27;
    x.wrapping_mul(0x81da_def4_bc2d_d44d) >> 20
}

impl Variables for Arbitrary {
    type State = u64;
    fn variables(&self, state: &mut u64, v: &mut dyn Visitor) {
        v.range("x", 0, self.states - 1, state);
    }
}

impl Networked for Arbitrary {
    fn neighbours(&self) -> &Neighbours {
        &self.neighbours
    }

    fn act(&self, view: Vicinity<'_, u64>, coin: &mut impl Coin) -> u64 {
        if self.given && view.process == 0 {
            return view.own;
        }
        let process = if self.numbered { view.process as u64 } else { 0 };
        let ports = view.back.iter().map(|&back| if self.numbered { u64::from(back) } else { 0 });
        let seen = view
            .neighbours
            .iter()
            .zip(ports)
            .fold(mixed(self.seed ^ view.own ^ process << 8), |all, (state, back)| mixed(all ^ state ^ back << 4));
        // Few views are enabled, so that some runs end.
        match seen % 5 {
            0 | 1 => seen / 5 % self.states,
            2 if self.chooses => (view.own + 1 + u64::from(coin.choose(2))) % self.states,
            _ => view.own,
        }
    }

    fn marks(&self, view: Vicinity<'_, u64>) -> Marks {
        Marks::LEADER.when(view.neighbours.iter().all(|state| *state < view.own))
    }
}

impl Stabilizing for Arbitrary {
    fn goal(&self) -> Goal {
        Goal::Holds("an arbitrary set")
    }
    fn correct(&self, c: &[u64]) -> bool {
        let all = c.iter().fold(self.seed, |all, state| mixed(all ^ state));
        let silent = (0..c.len()).all(|process| {
            let neighbours: Vec<u64> = self.neighbours.of(process).iter().map(|&at| c[at as usize]).collect();
            let view =
                Vicinity { process, own: c[process], neighbours: &neighbours, back: self.neighbours.back(process) };
            let mut still = true;
            Odometer::each(|coin| still &= self.act(view, coin) == c[process]);
            still
        });
        silent || all % 3 > 0
    }
    fn restore(&self, c: &mut [u64]) {
        if self.given {
            c[0] = 1;
        }
    }
    fn names_places(&self) -> bool {
        true
    }
}

fn graph_report(instance: &GraphInstance, question: &Question) -> Report {
    graph(instance, question, &Monitor::new(1)).unwrap_or_else(|stop| panic!("{stop}"))
}

/// The same graph with other numbers.
fn renumbered(graph: &Graph, seed: u64) -> Graph {
    let mut order: Vec<u64> = (0..graph.size() as u64).collect();
    order.sort_by_key(|&vertex| mixed(seed ^ vertex << 40));
    let at = |vertex: u32| order[vertex as usize];
    let edges: Vec<String> = graph.arcs().iter().map(|&(u, v)| format!("{} {}", at(u), at(v))).collect();
    Graph::parse(&edges.join("\n")).unwrap_or_else(|wrong| panic!("{wrong:?}"))
}

/// Worst and mean expected steps.
fn assert_expected(report: &Report, twin: &Network<GraphInstance>, safe: &[bool], what: &str) {
    let time = report.expected_steps.as_ref().and_then(|times| times.to_really_safe.as_ref()).expect(what);
    let steps = expected_steps(twin, safe);
    let worst = steps.iter().copied().fold(0.0, f64::max);
    let mean = steps.iter().sum::<f64>() / twin.configurations() as f64;
    for (found, known) in [(&time.worst, worst), (&time.mean, mean)] {
        let bounds = found.bounds();
        let slack = 1e-6 * (1.0 + known);
        assert!(bounds.low <= known + slack && known <= bounds.high + slack, "{what}: {bounds:?}, not {known}");
    }
}

#[test]
fn the_checker_agrees_with_its_twin_on_graphs() {
    use Scheduler::{Distributed, GloballyFair, LocallyCentral, Random, Synchronous, Unfair};
    let mut graphs: Vec<Graph> = (2..=4).flat_map(|size| Graph::all_connected(size).unwrap()).collect();
    graphs.push(Graph::parse("3 1\n1 0\n0 2").unwrap());
    let (mut held, mut failed) = ([0; 6], [0; 6]);
    for seed in 0..24 {
        for graph in graphs.iter().map(|graph| renumbered(graph, seed)) {
            let flag = |bit: u64| mixed(seed + 77 * bit) % 2 == 1;
            let algorithm = Arbitrary {
                neighbours: graph.neighbours(),
                states: 2 + seed % 2,
                seed: mixed(seed),
                numbered: flag(1),
                chooses: flag(2),
                given: flag(3),
            };
            let instance = GraphInstance::new(algorithm).unwrap();
            for (at, (scheduler, daemon)) in [
                (Unfair, Together::One),
                (Distributed, Together::Any),
                (LocallyCentral, Together::Apart),
                (Synchronous, Together::All),
                (GloballyFair, Together::One),
                (Random, Together::Random),
            ]
            .into_iter()
            .enumerate()
            {
                let what = format!("seed {seed}, {}, {scheduler}", graph.words());
                let report = graph_report(&instance, &Question::new(scheduler));
                let twin = Network::new(instance.clone(), daemon);
                let safe = greatest_closed(&twin, twin.set(|a, c| a.correct(c)), |_, _| true);
                let sizes = (report.configurations, report.really_safe);
                assert_eq!(sizes, (twin.configurations() as u64, count(&safe) as u64), "{what}");
                let steps = longest(&twin, &safe);
                let holds = match scheduler {
                    GloballyFair | Random => unable_to_reach(&twin, &safe).is_none(),
                    _ => steps.is_ok(),
                };
                assert_eq!(report.holds, holds, "{what}");
                if scheduler == Random && holds {
                    assert_expected(&report, &twin, &safe, &what);
                }
                let worst = report.steps.as_ref().and_then(|times| times.to_really_safe.as_ref());
                if let (Some(worst), Ok(steps)) = (worst, steps) {
                    assert_eq!(worst.worst.bounds().high, f64::from(steps), "{what}");
                }
                if holds { held[at] += 1 } else { failed[at] += 1 }
            }
        }
    }
    assert!(held.iter().chain(&failed).all(|&count| count > 15), "{held:?} {failed:?}");
}

/// Executions from some configurations only.
#[test]
fn starts_are_those_of_the_twin() {
    use Scheduler::{Distributed, Unfair};
    let (mut held, mut failed) = (0, 0);
    for seed in 0..24 {
        for graph in Graph::all_connected(3).unwrap() {
            let neighbours = graph.neighbours();
            let algorithm = Arbitrary {
                neighbours,
                states: 3,
                seed: mixed(seed),
                numbered: true,
                chooses: seed % 2 == 1,
                given: false,
            };
            let instance = GraphInstance::new(algorithm).unwrap();
            for (scheduler, daemon) in [(Unfair, Together::One), (Distributed, Together::Any)] {
                let mut question = Question::new(scheduler);
                let holds: Condition = Arc::new(|digits| digits[0] == 0 && digits[1] != 2);
                question.starting = Some(Starting { name: "some".into(), holds, places: true });
                let report = graph_report(&instance, &question);
                let twin = Network::new(instance.clone(), daemon);
                let starts = twin.set(|_, c| c[0].0 == 0 && c[1].0 != 2);
                let (mut reached, mut open) =
                    (starts.clone(), (0..starts.len()).filter(|c| starts[*c]).collect::<Vec<_>>());
                while let Some(c) = open.pop() {
                    twin.each(c, &mut |to, _| {
                        if !std::mem::replace(&mut reached[to], true) {
                            open.push(to);
                        }
                    });
                }
                let correct = twin.set(|a, c| a.correct(c));
                let correct = correct.iter().zip(&reached).map(|(correct, reached)| *correct && *reached).collect();
                let safe = greatest_closed(&twin, correct, |_, _| true);
                // No execution from the starts leaves the reached configurations.
                let ended: Vec<bool> = safe.iter().zip(&reached).map(|(safe, reached)| *safe || !reached).collect();
                let steps = longest(&twin, &ended);
                let what = format!("seed {seed}, {}, {scheduler}", graph.words());
                assert_eq!((report.holds, report.starts), (steps.is_ok(), Some(count(&starts) as u64)), "{what}");
                let worst = report.steps.as_ref().and_then(|times| times.to_really_safe.as_ref());
                if let (Some(worst), Ok(steps)) = (worst, steps) {
                    assert_eq!(worst.worst.bounds().high, f64::from(steps), "{what}");
                }
                if report.holds { held += 1 } else { failed += 1 }
            }
        }
    }
    assert!(held > 15 && failed > 15, "{held} {failed}");
}

/// The facts that the texts use. An anonymous algorithm has the same verdict on isomorphic graphs, whatever their numbers.
#[test]
fn only_algorithms_with_identities_or_a_root_tell_isomorphic_graphs_apart() {
    let catalog = Catalog::builtin();
    let (numbers, root) =
        (Knowledge { identities: true, ..Knowledge::NONE }, Knowledge { root: true, ..Knowledge::NONE });
    let mut anonymous = 0;
    for card in catalog.cards().filter(|card| card.kind == Kind::Graph) {
        let build = |graph: &Graph| {
            let parameters = Parameters::new(graph.size()).on(graph.clone());
            let Ok(Instance::Graph(instance)) = catalog.instance(card.name, &parameters) else {
                panic!("{}", card.name)
            };
            instance
        };
        let check = |graph: &Graph| {
            let report = graph_report(&build(graph), &Question::new(Scheduler::Unfair));
            let worst = report.steps.and_then(|times| times.to_really_safe).map(|time| time.worst.bounds().high);
            (report.holds, report.configurations, report.really_safe, worst)
        };
        let tree = card.topology == Topology::Tree;
        let [first, same] = match tree {
            true => ["0 1\n1 2\n2 3", "3 1\n1 0\n0 2"],
            false => ["0 1\n1 2\n2 0\n2 3", "3 1\n1 0\n0 3\n0 2"],
        }
        .map(|edges| Graph::parse(edges).unwrap());
        let expected = match card.name {
            "arora-gouda" | "best-offer" | "local-detection" => numbers,
            "huang-chen" => root,
            _ => Knowledge::NONE,
        };
        assert_eq!(build(&first).knowledge(), expected, "{}", card.name);
        if expected == Knowledge::NONE {
            assert_eq!(check(&first), check(&same), "{}", card.name);
            anonymous += 1;
        }
    }
    assert!(anonymous >= 7);
}

/// The same path with another process in the middle has the same expected steps.
#[test]
fn the_numbers_of_processes_change_no_expected_steps() {
    let catalog = Catalog::builtin();
    for (name, edges, worst, mean) in [
        ("tree-centre", ["0 1\n1 2\n2 3\n3 4", "1 2\n2 0\n0 3\n3 4"], 16.7361, 13.8497),
        ("colouring", ["0 1\n1 2", "0 1\n0 2"], 2.0, 24.0 / 27.0),
    ] {
        for edges in edges {
            let path = Parameters::new(0).on(Graph::parse(edges).unwrap());
            let Ok(Instance::Graph(instance)) = catalog.instance(name, &path) else { panic!("a graph of processes") };
            let report = graph_report(&instance, &Question::new(Scheduler::Random));
            let time = report.expected_steps.unwrap().to_really_safe.unwrap();
            let found = [time.worst.bounds().low, time.mean.bounds().low];
            let near = |found: f64, known: f64| (found - known).abs() < 5e-5;
            assert!(near(found[0], worst) && near(found[1], mean), "{name} on {edges:?}: {found:?}");
        }
    }
}

#[test]
fn claims_about_the_processes_of_a_graph_are_judged() {
    let (catalog, path) = (Catalog::builtin(), Parameters::new(3).on(Graph::parse("0 1\n1 2").unwrap()));
    let Ok(Instance::Graph(unison)) = catalog.instance("unison", &path) else { panic!("a graph of processes") };
    let written = catalog.written_claims("unison", path.layers);
    let holds = |claim: &WrittenClaim| {
        let mut question = Question::new(Scheduler::Unfair);
        question.claims = vec![catalog.claim("unison", &path, claim).unwrap_or_else(|wrong| panic!("{wrong}"))];
        let report = graph(&unison, &question, &Monitor::new(1)).unwrap();
        report.claims[0].counterexample.is_none()
    };
    assert!(holds(&written[0]), "every clock ticks for ever");
    let claim =
        |promise, text: &str| WrittenClaim { promise, name: "claim".into(), text: text.into(), from: "claim".into() };
    assert!(holds(&claim(Promise::Invariant, "all i : steady[i]")));
    assert!(!holds(&claim(Promise::Invariant, "some i : steady[i]")));
    assert!(holds(&claim(Promise::Eventually, "all i : x[i] >= 0 and degree[i] <= 2")));
    assert!(!holds(&claim(Promise::Eventually, "all i : degree[i] = 2")));
}

#[test]
fn marks_depend_on_all_neighbours() {
    let star = Arbitrary {
        neighbours: Graph::parse("0 1\n0 2\n0 3").unwrap().neighbours(),
        states: 3,
        seed: 1,
        numbered: false,
        chooses: false,
        given: false,
    };
    let instance = GraphInstance::new(star).unwrap();
    let survey = ringleader_check::parts::Survey::of(
        &Subject::Graph(&instance),
        &Question::new(Scheduler::Unfair),
        &Monitor::new(1),
    )
    .unwrap();
    for c in 0..81 {
        let digits = survey.system.space.digits(c);
        let states: Vec<Number> = digits.iter().map(|&digit| Number(digit.into())).collect();
        let shown = |i: usize| u32::from(instance.marks_of(i, &instance.read(i, &states)).leader()) << i;
        assert_eq!(survey.system.leaders(c), (0..4).map(shown).sum::<u32>(), "{digits:?}");
    }
}

/// The bounds on steps that the texts state, on all connected graphs; the first two are attained.
#[test]
fn worst_steps_are_within_the_bounds_of_the_texts() {
    type Bound = fn(usize, usize) -> usize;
    let cases: [(&str, usize, bool, Bound); 3] = [
        ("independent-set", 6, true, |n, _| 2 * n - 3),
        ("colouring", 5, true, |n, _| n - 1),
        ("hsu-huang", 5, false, |n, m| 2 * m + n),
    ];
    for (name, largest, attained, bound) in cases {
        for size in 2..=largest {
            let mut worst = 0.0_f64;
            for graph in Census::All.graphs(size, Knowledge::NONE).unwrap() {
                let parameters = Parameters::new(size).on(graph.clone());
                let Ok(Instance::Graph(instance)) = Catalog::builtin().instance(name, &parameters) else {
                    panic!("{name}")
                };
                let report = graph_report(&instance, &Question::new(Scheduler::Unfair));
                let steps = report.steps.and_then(|steps| steps.to_really_safe).expect("it holds").worst.bounds().high;
                let bound = bound(size, graph.arcs().len() / 2) as f64;
                assert!(steps <= bound, "{name} on {}: {steps} steps, not {bound}", graph.words());
                worst = worst.max(steps);
            }
            assert!(!attained || worst == bound(size, 0) as f64, "{name}, n = {size}: {worst}");
        }
    }
}

/// A process that the graph does not have has no neighbours to point at.
#[test]
fn pointers_beyond_the_graph_are_ports() {
    let path = Parameters::new(0).on(Graph::parse("0 1\n1 2").unwrap());
    let Ok(Instance::Graph(matching)) = Catalog::builtin().instance("hsu-huang", &path) else { panic!("a graph") };
    let shown = [1, 3].map(|process| print_state_at(&matching, process, &Number(1)));
    assert_eq!(shown, ["p=0", "p=1"]);
}

/// Both hold on every graph of 3 processes (the corpus), and fail without the check that exposes an identity that no process has.
#[test]
fn elections_without_their_check_of_distances_fail() {
    for (name, check, without) in [
        ("best-offer", "if dist[j] + 1 < hops then lead[j] else 0", "lead[j]"),
        ("local-detection", "lead[j] = lead and dist[j] = dist - 1", "lead[j] = lead"),
    ] {
        let catalog = Catalog::builtin();
        let text = catalog.card(name).unwrap().source;
        assert!(text.contains(check), "{name}");
        let holds = |text: &str, graph: &Graph| {
            let protocol = Source::parse("variant.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
            let parameters = Parameters::new(graph.size()).on(graph.clone());
            let Ok(Erased::Graph(instance)) = protocol.instance(&parameters) else { panic!("{name}") };
            graph_report(&instance, &Question::new(Scheduler::Unfair)).holds
        };
        for graph in Census::All.graphs(3, Knowledge { identities: true, ..Knowledge::NONE }).unwrap() {
            assert!(holds(text, &graph), "{name} on {}", graph.words());
            assert!(!holds(&text.replace(check, without), &graph), "{name} on {}", graph.words());
        }
    }
}

/// An algorithm for trees runs on the line by default, and on no graph with a cycle.
#[test]
fn trees_are_asked_for() {
    let catalog = Catalog::builtin();
    for name in ["tree-leader", "tree-centre"] {
        let Ok(Instance::Graph(instance)) = catalog.instance(name, &Parameters::new(4)) else { panic!("{name}") };
        assert_eq!(instance.neighbours(), &Topology::Line.graph(4).unwrap().neighbours());
        let ring = Parameters::new(4).on(Graph::parse("0 1\n1 2\n2 3\n3 1").unwrap());
        let refusal = catalog.instance(name, &ring).map(|_| ()).unwrap_err().to_string();
        assert!(refusal.contains("is for trees, and the graph has the cycle 1-2-3-1"), "{refusal}");
    }
    for graph in Graph::all_connected(5).unwrap() {
        assert_eq!(graph.cycle().is_none(), graph.arcs().len() == 8, "{}", graph.words());
    }
}
