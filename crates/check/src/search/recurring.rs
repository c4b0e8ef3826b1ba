//! Sets of nodes in which a fair execution can stay for ever.
//!
//! The nodes that an execution visits infinitely often, with the steps it takes infinitely often, are strongly
//! connected. So the search examines each component. If fairness can be met inside it, an execution can stay. If some
//! obligation cannot be met, the search drops the nodes that incur it and examines the components of the rest (Emerson
//! and Lei 1987, for Streett conditions). The same loop finds end components when every step is an obligation.

use crate::question::Level;
use crate::rules::System;
use crate::space::{Edge, NOBODY, StateGraph};
use crate::{Monitor, Stop};
use ringleader_model::components::Components;

/// The obligations of a fair execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// Every agent takes part in a step infinitely often.
    Agents,
    /// Every step possible infinitely often is taken infinitely often.
    Steps,
    /// Every action that is enabled infinitely often is taken infinitely often.
    Actions(Level),
}

impl Fairness {
    /// The number of obligations that are numbered.
    pub(crate) fn obligations(self, system: &System) -> usize {
        match self {
            Fairness::Actions(Level::Transition) => system.actions(),
            Fairness::Actions(Level::Rule) => system.sites.len() << 8,
            Fairness::Actions(Level::Arc) => system.sites.len(),
            Fairness::Agents | Fairness::Steps => 0,
        }
    }
}

/// Calls `found` with each strongly connected component of the subgraph on `nodes`, until it returns `false`.
pub(crate) fn components<G: StateGraph>(
    search: &mut Components,
    graph: &G,
    nodes: &[u32],
    monitor: &Monitor,
    inside: impl FnMut(u32) -> bool,
    found: impl FnMut(&[u32]) -> bool,
) -> Result<(), Stop> {
    let successors = |node: u32, targets: &mut Vec<u32>| {
        graph.successors(node, |e| {
            if e.target != node {
                targets.push(e.target);
            }
        });
    };
    search.find(nodes, successors, inside, found, |at| monitor.pass(at as u64, 1 << 14))
}

/// Searches for sets of nodes in which fair executions can stay.
pub struct Recurrence<'a, G> {
    graph: &'a G,
    system: &'a System,
    fairness: Fairness,
    search: Components,
    /// The number of the last set that contained each node.
    owner: Vec<u32>,
    sets: u32,
    /// The number of the last set in which each obligation was met.
    met: Vec<u32>,
}

enum Judgement {
    Fair,
    Never,
    Without(Vec<u32>),
}

impl<'a, G: StateGraph> Recurrence<'a, G> {
    /// A search in a graph whose edges are those of `system`.
    pub fn new(graph: &'a G, system: &'a System, fairness: Fairness) -> Self {
        Recurrence {
            graph,
            system,
            fairness,
            search: Components::new(graph.size() as usize),
            owner: vec![0; graph.size() as usize],
            sets: 0,
            met: vec![0; fairness.obligations(system)],
        }
    }

    /// The smallest set found among `nodes` that is fair and accepted, if there is one.
    ///
    /// A set that is not accepted must have no accepted subset.
    pub fn smallest(
        &mut self,
        nodes: Vec<u32>,
        monitor: &Monitor,
        accept: impl Fn(&[u32]) -> bool,
    ) -> Result<Option<Vec<u32>>, Stop> {
        let mut best: Option<Vec<u32>> = None;
        let mut work = vec![nodes];
        while let Some(nodes) = work.pop() {
            self.sets += 1;
            let here = self.sets;
            nodes.iter().for_each(|&node| self.owner[node as usize] = here);
            let (mut members, mut ends) = (vec![], vec![0]);
            let owner = &self.owner;
            let inside = |node: u32| owner[node as usize] == here;
            components(&mut self.search, self.graph, &nodes, monitor, inside, |component| {
                members.extend_from_slice(component);
                ends.push(members.len());
                true
            })?;
            drop(nodes);
            for component in ends.windows(2).map(|end| &members[end[0]..end[1]]).filter(|c| accept(c)) {
                self.sets += 1;
                component.iter().for_each(|&node| self.owner[node as usize] = self.sets);
                match self.judge(component) {
                    Judgement::Fair if best.as_ref().is_none_or(|b| component.len() < b.len()) => {
                        best = Some(component.to_vec());
                    }
                    Judgement::Without(rest) if !rest.is_empty() => work.push(rest),
                    _ => {}
                }
            }
        }
        Ok(best)
    }

    /// Drops nodes from a fair set as long as a smaller fair and accepted set remains.
    pub fn shrink(
        &mut self,
        mut set: Vec<u32>,
        monitor: &Monitor,
        accept: impl Fn(&[u32]) -> bool,
    ) -> Result<Vec<u32>, Stop> {
        const MOST: usize = 3000;
        let mut at = 0;
        while at < set.len() && set.len() <= MOST {
            let without = set.iter().copied().filter(|&node| node != set[at]).collect();
            match self.smallest(without, monitor, &accept)? {
                Some(smaller) => (set, at) = (smaller, 0),
                None => at += 1,
            }
        }
        Ok(set)
    }

    /// The obligations that taking an edge meets; an edge that is possible incurs the same obligations.
    pub fn obligations(&self, node: u32, edge: Edge, mut visit: impl FnMut(u64)) {
        match self.fairness {
            _ if edge.site == NOBODY => {}
            Fairness::Actions(Level::Arc | Level::Rule) if !self.system.is_enabled(edge) => {}
            Fairness::Agents => {
                let actors = self.system.actors(edge.site);
                (0..32).filter(|i| actors >> i & 1 == 1).for_each(visit);
            }
            Fairness::Steps => visit(u64::from(node) << 32 | u64::from(edge.action)),
            Fairness::Actions(Level::Transition) => visit(u64::from(edge.action)),
            Fairness::Actions(Level::Arc) => visit(u64::from(edge.site)),
            Fairness::Actions(Level::Rule) => {
                self.system.rules(edge).iter().for_each(|&rule| visit(u64::from(edge.site) << 8 | u64::from(rule)));
            }
        }
    }

    fn judge(&mut self, set: &[u32]) -> Judgement {
        match self.fairness {
            Fairness::Agents => self.judge_agents(set),
            Fairness::Steps => self.judge_steps(set),
            Fairness::Actions(_) => self.judge_actions(set),
        }
    }

    fn judge_agents(&self, set: &[u32]) -> Judgement {
        let here = self.owner[set[0] as usize];
        let mut seen = 0;
        for &node in set {
            self.graph.successors(node, |e| {
                if self.owner[e.target as usize] == here {
                    seen |= self.system.actors(e.site);
                }
            });
        }
        if seen == self.system.everyone() { Judgement::Fair } else { Judgement::Never }
    }

    fn judge_steps(&self, set: &[u32]) -> Judgement {
        let here = self.owner[set[0] as usize];
        let mut rest = vec![];
        let mut connected = false;
        for &node in set {
            let mut stays = true;
            self.graph.successors(node, |e| {
                let inside = self.owner[e.target as usize] == here;
                connected |= inside;
                stays &= inside || e.site == NOBODY;
            });
            if stays {
                rest.push(node);
            }
        }
        self.verdict(set, rest, connected)
    }

    fn judge_actions(&mut self, set: &[u32]) -> Judgement {
        let here = self.owner[set[0] as usize];
        let mut met = std::mem::take(&mut self.met);
        let mut connected = false;
        for &node in set {
            self.graph.successors(node, |e| {
                if self.owner[e.target as usize] == here {
                    connected = true;
                    self.obligations(node, e, |o| met[o as usize] = here);
                }
            });
        }
        let mut rest = vec![];
        for &node in set {
            let mut owes = false;
            self.graph.successors(node, |e| self.obligations(node, e, |o| owes |= met[o as usize] != here));
            if !owes {
                rest.push(node);
            }
        }
        self.met = met;
        self.verdict(set, rest, connected)
    }

    fn verdict(&self, set: &[u32], rest: Vec<u32>, connected: bool) -> Judgement {
        match (connected, rest.len() == set.len()) {
            (false, _) => Judgement::Never,
            (true, true) => Judgement::Fair,
            (true, false) => Judgement::Without(rest),
        }
    }
}
