//! Read/write atomicity against a brute force that knows nothing of the layer: registers and copies, every step of one process.

use ringleader_catalog::{Catalog, Instance};
use ringleader_check::{Monitor, Question, Report};
use ringleader_erased::{GraphInstance, Number, Parameters};
use ringleader_model::text::{parse_state_at, print_state_at};
use ringleader_model::{Graph, Networked as _, Odometer, Ring, Scheduler, Stabilizing, View};
use std::collections::{BTreeMap, BTreeSet};

/// The registers, and for each process its copies.
type Configuration = (Vec<u64>, Vec<Vec<u64>>);

/// The outcomes of the rule of a process with a register and copies.
type Rule<'a> = Box<dyn Fn(usize, u64, &[u64]) -> Vec<u64> + 'a>;
type Set<'a> = Box<dyn Fn(&[Number]) -> bool + 'a>;

/// An algorithm under read/write atomicity.
struct Brute<'a> {
    states: u64,
    /// The processes whose registers each process copies.
    read: Vec<Vec<usize>>,
    rule: Rule<'a>,
    correct: Set<'a>,
    possible: Set<'a>,
    /// Whether a copy of the register of a process may have this state.
    copied: Box<dyn Fn(usize, u64) -> bool + 'a>,
}

fn numbers(registers: &[u64]) -> Vec<Number> {
    registers.iter().map(|&state| Number(state)).collect()
}

impl Brute<'_> {
    fn all(&self) -> Vec<Configuration> {
        let digits = self.read.len() + self.read.iter().map(Vec::len).sum::<usize>();
        let configuration = |code: u64| {
            let mut digit = (0..digits as u32).map(move |at| code / self.states.pow(at) % self.states);
            let registers: Vec<u64> = digit.by_ref().take(self.read.len()).collect();
            let copies: Vec<Vec<u64>> =
                self.read.iter().map(|read| digit.by_ref().take(read.len()).collect()).collect();
            (registers, copies)
        };
        let all = (0..self.states.pow(digits as u32)).map(configuration);
        let copied = |copies: &[Vec<u64>]| {
            self.read
                .iter()
                .zip(copies)
                .all(|(read, copies)| read.iter().zip(copies).all(|(&at, &copy)| (self.copied)(at, copy)))
        };
        all.filter(|(registers, copies)| (self.possible)(&numbers(registers)) && copied(copies)).collect()
    }

    fn next(&self, (registers, copies): &Configuration) -> BTreeSet<Configuration> {
        let mut next = BTreeSet::new();
        for process in 0..registers.len() {
            for (at, &other) in self.read[process].iter().enumerate() {
                let mut copies = copies.clone();
                copies[process][at] = registers[other];
                next.insert((registers.clone(), copies));
            }
            for outcome in (self.rule)(process, registers[process], &copies[process]) {
                let mut registers = registers.clone();
                registers[process] = outcome;
                next.insert((registers, copies.clone()));
            }
        }
        next.remove(&(registers.clone(), copies.clone()));
        next
    }

    /// The number of configurations, the size of the largest closed set of correct ones, and the length of the longest execution outside,
    /// if it has a bound.
    fn verdict(&self) -> (u64, u64, Option<u64>) {
        let all = self.all();
        let next: BTreeMap<&Configuration, BTreeSet<Configuration>> = all.iter().map(|c| (c, self.next(c))).collect();
        let mut safe: BTreeSet<&Configuration> = all.iter().filter(|c| (self.correct)(&numbers(&c.0))).collect();
        loop {
            let stays = |c: &&Configuration| next[*c].iter().all(|to| safe.contains(to));
            let kept: BTreeSet<_> = safe.iter().copied().filter(stays).collect();
            if kept.len() == safe.len() {
                break;
            }
            safe = kept;
        }
        // A configuration ends once all its successors have ended.
        let mut ended: BTreeMap<&Configuration, u64> = safe.iter().map(|&c| (c, 0)).collect();
        loop {
            let mut found = vec![];
            for c in all.iter().filter(|c| !ended.contains_key(c)) {
                let after = next[c].iter().map(|to| ended.get(to).copied()).collect::<Option<Vec<_>>>();
                if let Some(steps) = after.and_then(|after| after.into_iter().max()) {
                    found.push((c, steps + 1));
                }
            }
            if found.is_empty() {
                break;
            }
            ended.extend(found);
        }
        let longest = (ended.len() == all.len()).then(|| ended.values().copied().max().unwrap_or(0));
        (all.len() as u64, safe.len() as u64, longest)
    }
}

fn outcomes(mut rule: impl FnMut(&mut Odometer) -> u64) -> Vec<u64> {
    let mut all = vec![];
    Odometer::each(|coin| all.push(rule(coin)));
    all
}

fn compared(report: &Report, brute: &Brute<'_>, what: &str) {
    let (configurations, safe, longest) = brute.verdict();
    let found = (report.configurations, report.really_safe, report.holds);
    assert_eq!(found, (configurations, safe, longest.is_some()), "{what}");
    let worst = report.steps.as_ref().and_then(|times| times.to_really_safe.as_ref());
    assert_eq!(worst.map(|worst| worst.worst.bounds().high), longest.map(|steps| steps as f64), "{what}");
}

fn read_write(parameters: Parameters) -> Parameters {
    parameters.layered("read-write".parse().unwrap())
}

#[test]
fn rings_and_lines_are_those_of_the_brute_force() {
    let catalog = Catalog::builtin();
    for (name, size, k) in [
        ("dijkstra-k-state", 2, Some(2)),
        ("dijkstra-k-state", 2, Some(3)),
        ("dijkstra-k-state", 3, Some(2)),
        ("dijkstra-k-state", 3, Some(3)),
        ("dijkstra-three-state", 3, None),
        ("dijkstra-four-state", 2, None),
    ] {
        let parameters = Parameters::new(size);
        let parameters = k.map_or(parameters.clone(), |k: u64| parameters.with("k", k.to_string()));
        let Ok(Instance::Ring(inner)) = catalog.instance(name, &parameters) else { panic!("{name}") };
        let Ok(Instance::Ring(layered)) = catalog.instance(name, &read_write(parameters)) else { panic!("{name}") };
        let report =
            ringleader_check::ring(&layered, size, &Question::new(Scheduler::Unfair), &Monitor::new(1)).unwrap();
        let chain = inner.chain();
        let read = |process: usize| {
            let (left, right) = chain.neighbours(process, size);
            let both = inner.reads() == ringleader_model::Reads::BothSides;
            let right = (both && right != process).then_some(right);
            (left != process).then_some(left).into_iter().chain(right).collect::<Vec<_>>()
        };
        let brute = Brute {
            states: inner.states(),
            read: (0..size).map(read).collect(),
            rule: Box::new(|process, own, copies| {
                // The copies, put where the process sees them.
                let (left, right) = chain.neighbours(process, size);
                let mut copies = copies.iter().copied();
                let left = if left == process { own } else { copies.next().unwrap() };
                let right = if right == process { own } else { copies.next().unwrap_or(own) };
                let at = ringleader_model::Place::of(process, size);
                outcomes(|coin| inner.try_act(View { at, left, own, right }, coin).unwrap())
            }),
            correct: Box::new(|c| inner.correct(c)),
            possible: Box::new(|c| {
                let mut restored = c.to_vec();
                inner.restore(&mut restored);
                restored == c
            }),
            copied: Box::new(|_, _| true),
        };
        compared(&report, &brute, &format!("{name}, n = {size}, k = {k:?}"));
    }
}

#[test]
fn graphs_are_those_of_the_brute_force() {
    let catalog = Catalog::builtin();
    let (mut held, mut failed) = (0, 0);
    for (name, edges) in [
        ("independent-set", "0 1"),
        ("independent-set", "0 1\n1 2"),
        ("independent-set", "0 1\n1 2\n2 0"),
        ("colouring", "0 1\n1 2"),
        ("hsu-huang", "0 1\n1 2"),
    ] {
        let parameters = Parameters::new(2).on(Graph::parse(edges).unwrap());
        let Ok(Instance::Graph(inner)) = catalog.instance(name, &parameters) else { panic!("{name}") };
        let Ok(Instance::Graph(layered)) = catalog.instance(name, &read_write(parameters)) else { panic!("{name}") };
        let report = ringleader_check::graph(&layered, &Question::new(Scheduler::Unfair), &Monitor::new(1)).unwrap();
        let brute = Brute {
            states: inner.states(),
            read: (0..GraphInstance::size(&inner))
                .map(|process| inner.neighbours().of(process).iter().map(|&j| j as usize).collect())
                .collect(),
            rule: Box::new(|process, own, copies| {
                let seen: Vec<u64> = std::iter::once(own).chain(copies.iter().copied()).collect();
                outcomes(|coin| inner.try_act(process, &seen, coin).unwrap())
            }),
            correct: Box::new(|c| inner.correct(c)),
            possible: Box::new(|c| {
                let mut restored = c.to_vec();
                inner.restore(&mut restored);
                restored == c
            }),
            // The texts with pointers have no other variable.
            copied: Box::new(|process, state| {
                let ports = inner.neighbours().of(process).len() as u64;
                inner.pointers().is_empty() || state <= ports
            }),
        };
        compared(&report, &brute, &format!("{name} on {edges:?}"));
        if report.holds { held += 1 } else { failed += 1 }
    }
    assert!(held > 0 && failed > 0, "{held} {failed}");
}

#[test]
fn only_processes_that_read_neighbours_take_it() {
    let refused =
        |name: &str| Catalog::builtin().instance(name, &read_write(Parameters::new(3))).err().unwrap().to_string();
    assert!(refused("yokota-ring").contains("processes that read their neighbours"), "{}", refused("yokota-ring"));
    assert!(refused("franklin").contains("processes that read their neighbours"), "{}", refused("franklin"));
}

/// A pointer in a copy names the neighbour of the neighbour, as the register does.
#[test]
fn copies_show_the_neighbours_that_they_point_at() {
    let parameters = Parameters::new(4).on(Graph::parse("0 1\n1 2\n1 3").unwrap());
    let Ok(Instance::Graph(layered)) = Catalog::builtin().instance("hsu-huang", &read_write(parameters)) else {
        panic!("a graph of processes")
    };
    let registers = ["p=1", "p=3", "p=none", "p=none"];
    let written = [
        format!("{} copy.p[1]=2", registers[0]),
        format!("{} copy.p[1]=none copy.p[2]=1 copy.p[3]=1", registers[1]),
        format!("{} copy.p[1]=none", registers[2]),
        format!("{} copy.p[1]=0", registers[3]),
    ];
    for (process, text) in written.iter().enumerate() {
        let state = parse_state_at(&layered, process, text, 1, 1).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
        assert_eq!(print_state_at(&layered, process, &state), *text);
        assert_eq!(layered.admits(process, &state), Some(true));
    }
    // A leaf has one neighbour.
    assert!(parse_state_at(&layered, 1, &written[1].replace("copy.p[2]=1", "copy.p[2]=3"), 1, 1).is_err());
}
