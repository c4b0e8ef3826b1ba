//! Conditions that hold again and again, and conditions that are followed by others.
//!
//! Every configuration is a start, and the end of an execution is an execution. So a condition recurs in every execution
//! if every execution reaches it. If every execution reaches a closed set, this is decided inside that set.

use super::reaching::Inquiry;
use super::service::{self, Wait};
use super::shared::Executions;
use crate::question::Each;
use crate::report::{Counterexample, Report, Service};
use crate::schedule::{Alternating, Together};
use crate::search::reachable;
use crate::space::{Bits, Markov as _, Part, Place, Reversible, StateGraph};
use crate::witness::{Nodes, Scene};
use crate::{Stop, Uncheckable};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The result for a claim.
pub(super) struct Found {
    pub(super) configurations: u64,
    pub(super) counterexample: Option<Counterexample>,
    pub(super) service: Option<Service>,
}

impl<G: Reversible> Inquiry<'_, G> {
    /// Checks that each condition holds infinitely often. If the goal is checked too, this is about the safe set, since every
    /// execution must reach it; otherwise about all configurations.
    pub(super) fn recurs(
        &self,
        [safe, own]: [&Bits; 2],
        (name, each): (&str, &Each),
        report: &Report,
    ) -> Result<Found, Stop> {
        let Inquiry { scene, question, monitor, .. } = *self;
        let inside = if report.own_is_reached == Some(true) { own } else { safe };
        let (part, nodes) = self.part(inside)?;
        let sub = match self.executions {
            Executions::Coins(choices, _) => {
                Some(choices.within(&nodes, |node| choices.of(node).collect(), |_| vec![]))
            }
            _ => None,
        };
        let executions = match (self.executions, &sub) {
            (Executions::Coins(_, fairness), Some(sub)) => Executions::Coins(sub, fairness),
            (other, _) => other,
        };
        let small = Scene::new(scene.survey, &part, Nodes::Part(&part, scene.together()));
        let within = &Inquiry { scene: &small, executions, question, monitor, count: part.size() };
        let configurations =
            if question.only_claims { report.configurations } else { self.configurations(inside.iter()) };
        let mut found = Found { configurations, counterexample: None, service: None };
        if question.only_claims {
            let bits = self.bits(each)?;
            for i in 0..each.count {
                let holds = |node: u32| bits[node as usize].load(Relaxed) >> i & 1 == 1;
                let set = Bits::of(scene.graph.size(), |node| holds(node) || !scene.possible(node));
                let Some(run) = self.avoiding(&set)? else { continue };
                found.counterexample = Some(Counterexample { shows: never_again(name, each, i), ..run });
                return Ok(found);
            }
        }
        let bits = within.bits(each)?;
        let size = sub.as_ref().map_or(part.size(), StateGraph::size);
        let visits = |i: usize| {
            Bits::of(size, |node| bits.get(node as usize).is_none_or(|bits| bits.load(Relaxed) >> i & 1 == 1))
        };
        for i in (0..each.count).filter(|_| !question.only_claims) {
            if let Some(run) = within.avoiding(&visits(i))? {
                found.counterexample = Some(Counterexample { shows: never_again(name, each, i), ..run });
                return Ok(found);
            }
        }
        for i in 0..each.count {
            let wait = Wait { inquiry: within, name, process: (each.count > 1).then_some(i) };
            if let Some(service) = wait.between(&visits(i))? {
                service::keep_longest(&mut found.service, service);
            }
        }
        Ok(found)
    }

    /// Checks that each first condition is followed by the second one.
    pub(super) fn responds(&self, (name, first, then): (&str, &Each, &Each)) -> Result<Found, Stop> {
        let Inquiry { scene, monitor, .. } = *self;
        let [firsts, thens] = [self.bits(first)?, self.bits(then)?];
        let size = scene.graph.size();
        let asks = |node: &u32| firsts[*node as usize].load(Relaxed) != 0;
        let configurations = self.configurations((0..size as u32).filter(asks));
        let mut found = Found { configurations, counterexample: None, service: None };
        for i in 0..first.count.max(then.count) {
            let holds = |bits: &[AtomicU32], each: &Each, node: u32| {
                bits[node as usize].load(Relaxed) >> (if each.count > 1 { i } else { 0 }) & 1 == 1
            };
            let met = Bits::of(size, |node| holds(&thens, then, node));
            let asked =
                Bits::of(size, |node| holds(&firsts, first, node) && !met.contains(node) && scene.possible(node));
            let waiting = reachable(scene.graph, &asked, Some(&met), monitor)?;
            let others = waiting.complement();
            let scene = Scene { lead: Some([&asked, &waiting]), nodes: scene.nodes, ..*scene };
            let inquiry = &Inquiry { scene: &scene, ..*self };
            let about = (first.count.max(then.count) > 1).then_some(i);
            if let Some(run) = inquiry.avoiding(&others)? {
                let about = about.map(|i| format!(" for i = {i}")).unwrap_or_default();
                let shows = format!(
                    "a run in which {name} fails{about}: the first condition holds, and the second one never follows"
                );
                found.counterexample = Some(Counterexample { shows, ..run });
                found.service = None;
                return Ok(found);
            }
            if let Some(service) = (Wait { inquiry, name, process: about }).until(&asked, &others)? {
                service::keep_longest(&mut found.service, service);
            }
        }
        Ok(found)
    }

    /// The number of configurations of some nodes, regardless of tokens.
    fn configurations(&self, nodes: impl Iterator<Item = u32>) -> u64 {
        let scene = self.scene;
        let seen = Bits::new(scene.survey.system.size());
        let first = |node: &u32| scene.possible(*node) && seen.insert(scene.base(*node));
        nodes.filter(first).map(|node| scene.members(node)).sum()
    }

    /// For every node, the conditions that hold there.
    fn bits(&self, each: &Each) -> Result<Vec<AtomicU32>, Stop> {
        let (scene, size) = (self.scene, self.scene.graph.size());
        self.monitor.enter("configurations that meet the claim", Some(size));
        let bits: Vec<AtomicU32> = (0..size).map(|_| AtomicU32::new(0)).collect();
        let look = |node: u32| bits[node as usize].store((each.holds)(&scene.states(node)), Relaxed);
        self.monitor.each(size, 1 << 12, look)?;
        Ok(bits)
    }

    /// The configurations of a closed set, each one by itself, and their nodes in the graph that is not up to symmetry.
    fn part(&self, inside: &Bits) -> Result<(Part, Vec<u32>), Stop> {
        let Inquiry { scene, executions, question, monitor, .. } = *self;
        let system = &scene.survey.system;
        let stored = scene.together().map_or(0, Together::bytes);
        // The part of a decision process is at most as large as the process.
        let chosen = match executions {
            Executions::Coins(choices, _) => 2 * choices.bytes(),
            _ => 0,
        };
        let memory = question.memory.saturating_sub(stored + chosen);
        let total = scene.together().map_or_else(|| system.total(), |graph| graph.total());
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
                let configuration = system.space.encode(&digits);
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
}

fn never_again(name: &str, each: &Each, i: usize) -> String {
    let about = if each.count > 1 { format!(" for i = {i}") } else { String::new() };
    format!("a run in which {name} holds only finitely often{about}")
}
