//! Conditions that hold again and again, and conditions that are followed by others.
//!
//! Every configuration is a start, and the end of an execution is an execution. So a condition recurs in every execution
//! if every execution reaches it. If every execution reaches a closed set, this is decided inside that set.

use super::rounds;
use super::shared::Executions;
use crate::decision::{Choices, Extreme, end_components};
use crate::expectation::{Effort, Expected, NARROW, Successors, bounded};
use crate::question::{Each, Question};
use crate::report::{Bounds, Counterexample, Report, Rounds, Service, Value};
use crate::schedule::Alternating;
use crate::search::{Longest, longest, reachable};
use crate::space::{Bits, Markov, Part, Place, Reversible, StateGraph};
use crate::witness::{Nodes, Scene};
use crate::{Monitor, Stop, Uncheckable};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The result for a claim.
pub(super) struct Found {
    pub(super) configurations: u64,
    pub(super) counterexample: Option<Counterexample>,
    pub(super) service: Option<Service>,
}

/// Checks that each condition holds infinitely often. If the goal is checked too, this is about the safe set, since every
/// execution must reach it; otherwise about all configurations.
pub(super) fn recurs<G: Reversible>(
    scene: &Scene<'_, G>,
    executions: &Executions<'_>,
    [safe, own]: [&Bits; 2],
    (name, each): (&str, &Each),
    question: &Question,
    report: &Report,
    monitor: &Monitor,
) -> Result<Found, Stop> {
    let inside = if report.own_is_reached == Some(true) { own } else { safe };
    let (part, nodes) = part(scene, executions, inside, question.memory, monitor)?;
    let sub = match executions {
        Executions::Coins(choices, _) => Some(choices.within(&nodes, |node| choices.of(node).collect(), |_| vec![])),
        _ => None,
    };
    let together = match scene.nodes {
        Nodes::Together(graph) => Some(graph),
        _ => None,
    };
    let small = Scene::new(scene.survey, &part, Nodes::Part(&part, together));
    let within = match (executions, &sub) {
        (Executions::Coins(_, fairness), Some(sub)) => Executions::Coins(sub, *fairness),
        (other, _) => *other,
    };
    let configurations =
        if question.only_claims { report.configurations } else { configurations(scene, inside.iter()) };
    let mut found = Found { configurations, counterexample: None, service: None };
    if question.only_claims {
        let bits = bits(scene, each, monitor)?;
        for i in 0..each.count {
            let holds = |node: u32| bits[node as usize].load(Relaxed) >> i & 1 == 1;
            let set = set(scene.graph.size(), |node| holds(node) || !scene.possible(node));
            let Some(run) = executions.avoiding(scene, &set, monitor)? else { continue };
            found.counterexample = Some(Counterexample { shows: never_again(name, each, i), ..run });
            return Ok(found);
        }
    }
    let bits = bits(&small, each, monitor)?;
    let size = sub.as_ref().map_or(part.size(), StateGraph::size);
    let visits = |i: usize| {
        // The last node of a decision process stands for all nodes outside.
        set(size, |node| bits.get(node as usize).is_none_or(|bits| bits.load(Relaxed) >> i & 1 == 1))
    };
    for i in (0..each.count).filter(|_| !question.only_claims) {
        if let Some(run) = within.avoiding(&small, &visits(i), monitor)? {
            found.counterexample = Some(Counterexample { shows: never_again(name, each, i), ..run });
            return Ok(found);
        }
    }
    let width = question.width.unwrap_or(NARROW);
    for i in 0..each.count {
        let wait = Wait { scene: &small, part: &part, executions: &within, size, width };
        let process = (each.count > 1).then_some(i);
        let Some(mut service) = wait.between(&visits(i), process, name, monitor)? else { continue };
        if question.rounds {
            service.rounds = Some(wait.rounds(&visits(i), &service, question, monitor)?);
        }
        let most_rounds =
            more_rounds(found.service.as_ref().and_then(|known| known.rounds.clone()), service.rounds.clone());
        let longer = |known: &Service| match (&known.worst, &service.worst) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(a), Some(b)) => b.bounds().high > a.bounds().high,
        };
        if found.service.as_ref().is_none_or(longer) {
            found.service = Some(service);
        }
        found.service.iter_mut().for_each(|service| service.rounds.clone_from(&most_rounds));
    }
    Ok(found)
}

/// The greater number of rounds.
fn more_rounds(known: Option<Rounds>, next: Option<Rounds>) -> Option<Rounds> {
    let high = |rounds: &Rounds| rounds.worst.as_ref().map_or(f64::INFINITY, |worst| worst.bounds().high);
    match (known, next) {
        (Some(known), Some(next)) => Some(if high(&next) > high(&known) { next } else { known }),
        (known, next) => known.or(next),
    }
}

fn never_again(name: &str, each: &Each, i: usize) -> String {
    let about = if each.count > 1 { format!(" for i = {i}") } else { String::new() };
    format!("a run in which {name} holds only finitely often{about}")
}

/// Checks that each first condition is followed by the second one.
pub(super) fn responds<G: Reversible>(
    scene: &Scene<'_, G>,
    executions: &Executions<'_>,
    (name, first, then): (&str, &Each, &Each),
    question: &Question,
    monitor: &Monitor,
) -> Result<Found, Stop> {
    let [firsts, thens] = [bits(scene, first, monitor)?, bits(scene, then, monitor)?];
    let size = scene.graph.size();
    let asks = |node: &u32| firsts[*node as usize].load(Relaxed) != 0;
    let configurations = configurations(scene, (0..size as u32).filter(asks));
    let mut found = Found { configurations, counterexample: None, service: None };
    for i in 0..first.count.max(then.count) {
        let holds = |bits: &[AtomicU32], each: &Each, node: u32| {
            bits[node as usize].load(Relaxed) >> (if each.count > 1 { i } else { 0 }) & 1 == 1
        };
        let met = set(size, |node| holds(&thens, then, node));
        let asked = set(size, |node| holds(&firsts, first, node) && !met.contains(node) && scene.possible(node));
        let waiting = reachable(scene.graph, asked.iter().collect(), &met, monitor)?;
        let others = set(size, |node| !waiting.contains(node));
        let scene = Scene { lead: Some([&asked, &waiting]), nodes: scene.nodes, ..*scene };
        let about = (first.count.max(then.count) > 1).then_some(i);
        if let Some(run) = executions.avoiding(&scene, &others, monitor)? {
            let about = about.map(|i| format!(" for i = {i}")).unwrap_or_default();
            let shows = format!(
                "a run in which {name} fails{about}: the first condition holds, and the second one never follows"
            );
            found.counterexample = Some(Counterexample { shows, ..run });
            found.service = None;
            return Ok(found);
        }
        if !matches!(executions, Executions::Daemon) {
            continue;
        }
        if let Longest::Steps { worst, worst_start, .. } = longest(scene.graph, &others, |_| 1, monitor)? {
            let shorter = |known: &Service| known.worst.as_ref().is_some_and(|k| k.bounds().high < f64::from(worst));
            let known = found.service.as_ref().and_then(|known| known.rounds.clone());
            if found.service.as_ref().is_none_or(shorter) {
                let (worst, start) = (Some(Value::Steps(worst.into())), scene.start(worst_start));
                found.service =
                    Some(Service { worst, expected: false, process: about, start, delay: None, rounds: None });
            }
            if let (true, Some(service)) = (question.rounds, &mut found.service) {
                let starts: Vec<u32> = asked.iter().collect();
                let rounds = rounds::most(&scene, executions, &starts, &others, None, question, monitor)?;
                service.rounds = more_rounds(known, Some(rounds));
            }
        }
    }
    Ok(found)
}

/// The number of configurations of some nodes, regardless of tokens.
fn configurations<G: StateGraph>(scene: &Scene<'_, G>, nodes: impl Iterator<Item = u32>) -> u64 {
    let seen = Bits::new(scene.survey.system.size());
    let first = |node: &u32| scene.possible(*node) && seen.insert(scene.base(*node));
    nodes.filter(first).map(|node| scene.members(node)).sum()
}

/// For every node, the conditions that hold there.
fn bits<G: StateGraph>(scene: &Scene<'_, G>, each: &Each, monitor: &Monitor) -> Result<Vec<AtomicU32>, Stop> {
    let size = scene.graph.size();
    monitor.enter("configurations that meet the claim", Some(size));
    let bits: Vec<AtomicU32> = (0..size).map(|_| AtomicU32::new(0)).collect();
    let look = |_: &mut (), range: Range<u64>| {
        for node in range {
            bits[node as usize].store((each.holds)(&scene.states(node as u32)), Relaxed);
        }
    };
    monitor.blocks(size, 1 << 12, look, || ())?;
    Ok(bits)
}

fn set(size: u64, contains: impl Fn(u32) -> bool) -> Bits {
    let set = Bits::new(size);
    (0..size as u32).filter(|&node| contains(node)).for_each(|node| assert!(set.insert(node)));
    set
}

/// The configurations of a closed set, each one by itself, and their nodes in the graph that is not up to symmetry.
fn part<G: StateGraph>(
    scene: &Scene<'_, G>,
    executions: &Executions<'_>,
    inside: &Bits,
    memory: u64,
    monitor: &Monitor,
) -> Result<(Part, Vec<u32>), Stop> {
    let system = &scene.survey.system;
    let stored = match scene.nodes {
        Nodes::Together(graph) => graph.bytes(),
        _ => 0,
    };
    // The part of a decision process is at most as large as the process.
    let chosen = match executions {
        Executions::Coins(choices, _) => 2 * choices.bytes(),
        _ => 0,
    };
    let memory = memory.saturating_sub(stored + chosen);
    let total = match scene.nodes {
        Nodes::Together(graph) => graph.total(),
        _ => system.total(),
    };
    let members = inside.iter().filter(|&node| scene.possible(node));
    if !system.is_up_to_symmetry() {
        let nodes: Vec<u32> = members.collect();
        let place = |node: u32| {
            let (base, configuration) = (scene.base(node), scene.configuration(node));
            Place { base, configuration, turns: scene.turned(node, 0).1 }
        };
        return Ok((Part::new(scene.graph, &nodes, place, total, memory, monitor)?, nodes));
    }
    let plain = system.unfolded();
    let product = match scene.nodes {
        Nodes::Tokens(_) => Some(Alternating::new(&plain).ok_or(Uncheckable::TooManyTokens)?),
        _ => None,
    };
    let mut nodes = vec![];
    for node in members {
        for turn in 0..system.turns() {
            let (digits, turns) = scene.turned(node, turn);
            let configuration = system.space().encode(&digits);
            let tokens = product.as_ref().zip(turns);
            nodes.push(tokens.map_or(configuration, |(product, turns)| product.node(configuration, turns)));
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    let place = |node: u32| {
        let configuration = product.as_ref().map_or(node, |product| product.base(node));
        let turns = product.as_ref().map(|product| product.turns(node));
        Place { base: system.node(configuration).0, configuration, turns }
    };
    let part = match &product {
        Some(product) => Part::new(product, &nodes, place, total, memory, monitor)?,
        None => Part::new(&plain, &nodes, place, total, memory, monitor)?,
    };
    Ok((part, nodes))
}

/// The time between two visits to a set.
struct Wait<'a> {
    scene: &'a Scene<'a, Part>,
    part: &'a Part,
    executions: &'a Executions<'a>,
    /// The number of nodes of the graph or of the decision process.
    size: u64,
    width: f64,
}

impl Wait<'_> {
    /// The most rounds that begin from one visit on until the next.
    fn rounds(&self, visits: &Bits, steps: &Service, question: &Question, monitor: &Monitor) -> Result<Rounds, Stop> {
        if rounds::is_synchronous_chain(self.executions, question) {
            let (worst, worst_start) = (steps.worst.clone(), steps.start.clone());
            return Ok(Rounds { worst, expected: true, worst_start, mean: None });
        }
        let starts: Vec<u32> = visits.iter().filter(|&node| u64::from(node) < self.part.size()).collect();
        rounds::most(self.scene, self.executions, &starts, visits, None, question, monitor)
    }

    /// The worst time between two visits; `None` if there are no visits.
    fn between(
        &self,
        visits: &Bits,
        process: Option<usize>,
        name: &str,
        monitor: &Monitor,
    ) -> Result<Option<Service>, Stop> {
        let (part, size) = (self.part, self.part.size());
        let visited: Vec<u32> = visits.iter().filter(|&node| u64::from(node) < size).collect();
        let Some(&some) = visited.first() else { return Ok(None) };
        let mut left = vec![];
        visited.iter().for_each(|&node| part.successors(node, |edge| left.push(edge.target)));
        left.sort_unstable();
        left.dedup();
        let waiting = reachable(part, left, visits, monitor)?;
        let others = set(self.size, |node| u64::from(node) >= size || !waiting.contains(node));
        let service = |worst: Option<Value>, expected: bool, node: u32| Service {
            worst,
            expected,
            process,
            start: self.scene.start(node),
            delay: None,
            rounds: None,
        };
        let unbounded = |delay: Option<Counterexample>| {
            let shows = format!("the daemon delays {name} as long as it wants, but not for ever");
            let delay = delay.map(|run| Counterexample { shows, ..run });
            Service { delay, ..service(None, false, some) }
        };
        let bounds = |expected: &Expected, steps: &dyn Fn(u32) -> Vec<Vec<(u32, f64)>>| {
            let mut worst = (Bounds { low: 1.0, high: 1.0 }, some);
            for &node in &visited {
                for outcomes in steps(node) {
                    let sum = |end: fn(Bounds) -> f64| {
                        1.0 + outcomes.iter().map(|&(to, chance)| chance * end(expected.at(to))).sum::<f64>()
                    };
                    // Each term and each addition is rounded.
                    let slack = 2.0 * (outcomes.len() as f64 + 4.0) * f64::EPSILON;
                    let low = sum(|bounds| bounds.low) * (1.0 - slack);
                    let high = sum(|bounds| bounds.high) * (1.0 + slack);
                    if high > worst.0.high {
                        worst.1 = node;
                    }
                    worst.0 = Bounds { low: worst.0.low.max(low), high: worst.0.high.max(high) };
                }
            }
            service(Some(Value::Between(worst.0)), true, worst.1)
        };
        let effort = Effort::new(self.width);
        Ok(Some(match *self.executions {
            Executions::Chance { random: true } => {
                let found = bounded(part, &Successors::Single, &others, size, effort, None, monitor)?;
                let total = part.total() as f64;
                bounds(&found, &|node| {
                    let mut outcomes = vec![];
                    part.successors(node, |edge| outcomes.push((edge.target, f64::from(edge.weight) / total)));
                    vec![outcomes]
                })
            }
            Executions::Coins(choices, fairness) => {
                let delay = match fairness {
                    Some(_) => end_components(choices, &self.scene.survey.system, &others, None, monitor)?,
                    None => vec![],
                };
                if let Some(component) = delay.first() {
                    unbounded(Some(self.scene.delay(choices, component, monitor)?))
                } else {
                    let steps = Successors::Chosen(choices, Extreme::Worst);
                    let found = bounded(choices, &steps, &others, size, effort, None, monitor)?;
                    bounds(&found, &|node| choices.of(node).map(|choice| shares(choices, choice)).collect())
                }
            }
            Executions::Daemon | Executions::Fair(_) | Executions::Chance { random: false } => {
                match longest(part, &others, |_| 1, monitor)? {
                    Longest::Steps { worst, worst_start, .. } => {
                        // The longest wait begins with the step that leaves the set.
                        let mut start = None;
                        part.predecessors(worst_start, |node| {
                            start = start.or(Some(node).filter(|&n| visits.contains(n)))
                        });
                        service(Some(Value::Steps(f64::from(worst) + 1.0)), false, start.unwrap_or(some))
                    }
                    found => unbounded(self.scene.avoiding(&found, &others, monitor)?),
                }
            }
        }))
    }
}

/// The outcomes of a choice, each with its probability.
fn shares(choices: &Choices, choice: u32) -> Vec<(u32, f64)> {
    let weights = choices.weights(choice);
    let whole: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    choices.targets(choice).iter().zip(weights).map(|(&to, &weight)| (to, f64::from(weight) / whole)).collect()
}
