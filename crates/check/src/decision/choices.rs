//! The choices of a daemon in every configuration, each with the outcomes of the coins.

use super::listing::{Listing, offers, picked};
use crate::memory;
use crate::rules::System;
use crate::schedule::Daemon;
use crate::space::{Edge, Markov, NOBODY, StateGraph};
use crate::{Monitor, Stop, Uncheckable};
use std::ops::Range;

/// The daemon whose numbers are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The daemon that delays most.
    Worst,
    /// The daemon that helps most.
    Best,
}

/// A Markov decision process. A choice in which nothing can change is left out, unless all processes step at once. A node
/// without any choice has one that stays there.
#[derive(Debug, Default)]
pub struct Choices {
    /// The choices of a node are `choices[node]..choices[node + 1]`.
    choices: Vec<u32>,
    /// The outcomes of a choice are `outcomes[choice]..outcomes[choice + 1]`.
    outcomes: Vec<u32>,
    targets: Vec<u32>,
    /// The weights of the outcomes; their sum over a choice is its whole.
    weights: Vec<u32>,
    /// The site and the first action of a choice. For several processes at once: the set of processes and the number of
    /// their combination.
    chosen: Vec<(u32, u32)>,
    /// The agents that a daemon may schedule at a node without any change, as bits.
    idle: Vec<u32>,
    /// The number of configurations that a node represents, unless it is always 1.
    members: Vec<u64>,
    /// Whether a choice is an initiator, and a coin chooses its partner.
    pub(crate) by_initiator: bool,
    most: u64,
}

impl Choices {
    /// The choices of a daemon that schedules one site at a time. `graph` is the system itself or its product with
    /// tokens.
    pub fn one_at_a_time<G: StateGraph>(
        graph: &G,
        system: &System,
        memory: u64,
        monitor: &Monitor,
    ) -> Result<Choices, Stop> {
        Choices::refuse(system)?;
        let look = |node, list: &mut Listing| list.one_at_a_time(graph, system, node);
        Choices::list(graph.size(), memory, monitor, look)
    }

    /// The choices of a daemon that picks the initiator of an interaction, while a fair coin picks one of its arcs.
    pub fn by_initiator(system: &System, memory: u64, monitor: &Monitor) -> Result<Choices, Stop> {
        let look = |node, list: &mut Listing| list.by_initiator(system, node);
        Ok(Choices { by_initiator: true, ..Choices::list(system.size(), memory, monitor, look)? })
    }

    /// The same choices, where each node represents this many configurations.
    pub(crate) fn representing(self, members: impl Fn(u32) -> u64) -> Choices {
        let members = (0..self.size() as u32).map(members).collect();
        Choices { members, ..self }
    }

    /// Refuses a system in which a choice of the scheduler may depend on a coin: it has no choice before the coin.
    pub(crate) fn refuse(system: &System) -> Result<(), Stop> {
        Uncheckable::ChoosesLate.refuse_if(system.chooses_late())
    }

    /// Refuses the same, and several processes at once whose coins have too many outcomes.
    pub(crate) fn refuse_together(system: &System) -> Result<(), Stop> {
        Choices::refuse(system)?;
        let wholes = system.sites.iter().map(|site| u64::from(system.tables[site.table].whole()));
        let whole = wholes.fold(1, u64::saturating_mul);
        Uncheckable::TooManyCoins.refuse_if(whole > u64::from(u32::MAX))
    }

    /// The choices of a daemon that schedules several processes of a ring or line at once.
    pub fn together(system: &System, daemon: Daemon, memory: u64, monitor: &Monitor) -> Result<Choices, Stop> {
        Choices::refuse_together(system)?;
        Choices::list(system.size(), memory, monitor, |node, list| list.together(system, daemon, node))
    }

    /// A process of which `each` visits the outcomes of a node: the number of the choice, the node it leads to, the weight. The
    /// outcomes of a choice follow each other. A node without outcomes stays there.
    pub(super) fn of_outcomes(
        size: u64,
        memory: u64,
        monitor: &Monitor,
        each: impl Fn(u32, &mut dyn FnMut(u32, u32, u32)) + Sync,
    ) -> Result<Choices, Stop> {
        let look = |node: u32, list: &mut Listing| {
            each(node, &mut |choice, target, weight| {
                if list.chosen.last() != Some(&(choice, 0)) {
                    list.begin((choice, 0));
                }
                list.outcome(target, weight);
            });
        };
        Choices::list(size, memory, monitor, look)
    }

    /// Lists the choices of every node, if they fit into `memory` bytes.
    fn list(
        size: u64,
        memory: u64,
        monitor: &Monitor,
        look: impl Fn(u32, &mut Listing) + Sync,
    ) -> Result<Choices, Stop> {
        monitor.enter("counting the choices of the daemon", Some(size));
        let count = |(list, choices, outcomes): &mut (Listing, u64, u64), range: Range<u64>| {
            for node in range.map(|node| node as u32) {
                list.clear();
                look(node, list);
                list.complete(node);
                *choices += list.chosen.len() as u64;
                *outcomes += list.outcomes.len() as u64;
            }
        };
        let counted = monitor.blocks(size, 1 << 12, count, Default::default)?;
        let (choices, outcomes) = counted.iter().fold((0, 0), |(c, o), (_, choices, all)| (c + choices, o + all));
        memory::admit(memory::of_choices(size, choices, outcomes), memory, Some(size))?;
        Uncheckable::TooManySteps { configurations: size, steps: outcomes }.refuse_if(outcomes >= 1 << 32)?;
        monitor.enter("the choices of the daemon", Some(size));
        let mut all = Choices {
            choices: Vec::with_capacity(size as usize + 1),
            outcomes: Vec::with_capacity(choices as usize + 1),
            targets: Vec::with_capacity(outcomes as usize),
            weights: Vec::with_capacity(outcomes as usize),
            chosen: Vec::with_capacity(choices as usize),
            idle: Vec::with_capacity(size as usize),
            most: 1,
            ..Choices::default()
        };
        all.choices.push(0);
        all.outcomes.push(0);
        let mut list = Listing::default();
        for node in 0..size {
            monitor.pass(node, 1 << 14)?;
            list.clear();
            look(node as u32, &mut list);
            list.complete(node as u32);
            list.each().for_each(|(chosen, outcomes)| all.push(chosen, outcomes.iter().copied()));
            all.choices.push(all.chosen.len() as u32);
            all.idle.push(list.idle);
            let lengths = all.of(node as u32).map(|choice| all.outcomes_of(choice).len() as u64);
            all.most = lengths.fold(all.most, u64::max);
        }
        Ok(all)
    }

    /// The bytes of the process.
    pub(crate) fn bytes(&self) -> u64 {
        let [nodes, choices, outcomes] = [self.idle.len(), self.chosen.len(), self.targets.len()];
        (8 * (nodes + self.members.len()) + 12 * choices + 8 * outcomes) as u64
    }

    /// The choices of a node.
    #[inline]
    pub fn of(&self, node: u32) -> Range<u32> {
        self.choices[node as usize]..self.choices[node as usize + 1]
    }

    /// The number of choices of all nodes.
    pub fn count(&self) -> u64 {
        self.chosen.len() as u64
    }

    #[inline]
    fn outcomes_of(&self, choice: u32) -> Range<usize> {
        self.outcomes[choice as usize] as usize..self.outcomes[choice as usize + 1] as usize
    }

    /// The nodes that a choice may lead to.
    #[inline]
    pub fn targets(&self, choice: u32) -> &[u32] {
        &self.targets[self.outcomes_of(choice)]
    }

    /// The weights of the [targets](Self::targets).
    #[inline]
    pub fn weights(&self, choice: u32) -> &[u32] {
        &self.weights[self.outcomes_of(choice)]
    }

    /// The site and the first action of a choice, or several processes and the number of their combination.
    pub fn chosen(&self, choice: u32) -> (u32, u32) {
        self.chosen[choice as usize]
    }

    /// For several processes at once: the processes of a choice in a node, each with the number of its first outcome,
    /// and how many outcomes it has.
    pub(crate) fn acting(system: &System, daemon: Daemon, node: u32, combination: u32) -> Vec<(usize, usize, usize)> {
        let offers = offers(system, daemon, node);
        let picked = picked(&offers, daemon, combination.into());
        picked.into_iter().map(|(process, offer)| (process, offer.first, offer.outcomes.len())).collect()
    }

    /// The same process on some of its nodes, in order, with some of their choices, and with the steps in `resting`, which
    /// change nothing. Its last node stands for all others.
    pub(crate) fn within(
        &self,
        nodes: &[u32],
        kept: impl Fn(u32) -> Vec<u32>,
        resting: impl Fn(u32) -> Vec<(u32, u32)>,
    ) -> Choices {
        let outside = nodes.len() as u32;
        let number = |node: &u32| nodes.binary_search(node).map_or(outside, |at| at as u32);
        let mut all = Choices {
            choices: vec![0],
            outcomes: vec![0],
            idle: nodes.iter().map(|&node| self.idle(node)).chain([0]).collect(),
            by_initiator: self.by_initiator,
            most: self.most,
            ..Choices::default()
        };
        for &node in nodes {
            for choice in kept(node) {
                let targets = self.targets(choice).iter().map(number);
                all.push(self.chosen(choice), targets.zip(self.weights(choice).iter().copied()));
            }
            resting(node).into_iter().for_each(|chosen| all.push(chosen, [(number(&node), 1)]));
            all.choices.push(all.chosen.len() as u32);
        }
        all.push((NOBODY, 0), [(outside, 1)]);
        all.choices.push(all.chosen.len() as u32);
        all
    }

    /// Adds a choice of the last node with its outcomes.
    fn push(&mut self, chosen: (u32, u32), outcomes: impl IntoIterator<Item = (u32, u32)>) {
        for (target, weight) in outcomes {
            self.targets.push(target);
            self.weights.push(weight);
        }
        self.outcomes.push(self.targets.len() as u32);
        self.chosen.push(chosen);
    }

    /// The agents that a daemon may schedule at a node without any change, as bits.
    pub fn idle(&self, node: u32) -> u32 {
        self.idle[node as usize]
    }

    /// The agents that a choice of this site schedules, as bits: its initiator alone where a coin chooses the partner.
    pub(crate) fn actors(&self, system: &System, site: u32) -> u32 {
        if self.by_initiator { 1 << system.sites[site as usize].left } else { system.actors(site) }
    }

    /// The agents that a daemon can schedule, as bits.
    pub(crate) fn everyone(&self, system: &System) -> u32 {
        (0..system.sites.len() as u32).fold(0, |all, site| all | self.actors(system, site))
    }
}

/// Every outcome of every choice.
impl StateGraph for Choices {
    fn size(&self) -> u64 {
        self.idle.len() as u64
    }

    fn successors(&self, node: u32, mut visit: impl FnMut(Edge)) {
        for choice in self.of(node) {
            let (site, action) = self.chosen(choice);
            for (&target, &weight) in self.targets(choice).iter().zip(self.weights(choice)) {
                visit(Edge { target, site, action, turn: 0, weight });
            }
        }
    }
}

impl Markov for Choices {
    /// Not used: every choice has its own whole.
    fn total(&self) -> u64 {
        1
    }

    fn steps_at_most(&self) -> u64 {
        self.most
    }

    fn members(&self, node: u32) -> u64 {
        self.members.get(node as usize).copied().unwrap_or(1)
    }
}
