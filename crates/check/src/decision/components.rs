//! End components: sets of nodes in which a daemon can keep a run for ever, whatever the coins show.
//!
//! Maximal end components come from alternating two steps until nothing changes: split into strongly connected
//! components, and drop every choice with an outcome outside its component. Where fairness obliges the daemon to more
//! than the component offers, the nodes that owe it are dropped, and the rest is split again (Streett conditions).

use crate::decision::Choices;
use crate::question::Level;
use crate::rules::System;
use crate::search::{Fairness, components};
use crate::space::{Bits, Edge, NOBODY, StateGraph};
use crate::{Monitor, Stop};
use ringleader_model::Grouped;
use ringleader_model::components::Components;

/// A maximal end component whose obligations can be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndComponent {
    /// Its nodes, in order.
    pub nodes: Vec<u32>,
    /// For each node the choices that stay inside.
    pub choices: Vec<Vec<u32>>,
}

/// The maximal end components outside `target`, under the obligations of a fair daemon if there are any.
pub fn end_components(
    choices: &Choices,
    system: &System,
    target: &Bits,
    fairness: Option<Fairness>,
    monitor: &Monitor,
) -> Result<Vec<EndComponent>, Stop> {
    monitor.enter("sets in which the daemon can stay", Some(choices.size()));
    let mut search = Search::new(choices, system, target, fairness);
    let mut found = vec![];
    let mut work = vec![target.missing().filter(|&node| search.left[node as usize] > 0).collect::<Vec<_>>()];
    let mut tarjan = Components::new(choices.size() as usize);
    while let Some(nodes) = work.pop() {
        search.sets += 1;
        let here = search.sets;
        nodes.iter().for_each(|&node| search.owner[node as usize] = here);
        let (mut members, mut ends) = (vec![], vec![0]);
        let (owner, left) = (&search.owner, &search.left);
        let inside = |node: u32| owner[node as usize] == here && left[node as usize] > 0;
        let alive: Vec<u32> = nodes.into_iter().filter(|&node| left[node as usize] > 0).collect();
        components(&mut tarjan, &Kept(&search), &alive, monitor, inside, |component| {
            members.extend_from_slice(component);
            ends.push(members.len());
            true
        })?;
        for component in ends.windows(2).map(|end| &members[end[0]..end[1]]) {
            search.sets += 1;
            component.iter().for_each(|&node| search.owner[node as usize] = search.sets);
            search.drop_leaving(component);
            if !search.is_cut(component, here) {
                search.drop_owing(component);
            }
            let rest: Vec<u32> = component.iter().copied().filter(|&node| search.left[node as usize] > 0).collect();
            if rest.is_empty() {
                continue;
            }
            if search.is_cut(component, here) {
                work.push(rest);
            } else {
                found.push(search.component(rest));
            }
        }
    }
    found.sort_by_key(|component| (component.nodes.len(), component.nodes[0]));
    Ok(found)
}

struct Search<'a> {
    choices: &'a Choices,
    system: &'a System,
    fairness: Option<Fairness>,
    /// The choices that are not dropped.
    kept: Bits,
    /// The number of choices of each node that are not dropped, with the one to change nothing. A node without any is
    /// dropped.
    left: Vec<u32>,
    /// The node of each choice, and the choices that may lead to a node.
    node_of: Vec<u32>,
    into: Grouped,
    /// The number of the last set that contained each node.
    owner: Vec<u32>,
    sets: u32,
    /// The number of the last set when a choice of each node was dropped.
    cut: Vec<u32>,
    /// The number of the last set in which each obligation was met.
    met: Vec<u32>,
}

/// The choices that are not dropped, as a graph.
struct Kept<'a>(&'a Search<'a>);

impl StateGraph for Kept<'_> {
    fn size(&self) -> u64 {
        self.0.choices.size()
    }

    fn successors(&self, node: u32, mut visit: impl FnMut(Edge)) {
        for choice in self.0.choices.of(node).filter(|&choice| self.0.kept.contains(choice)) {
            for &target in self.0.choices.targets(choice) {
                visit(Edge { target, site: 0, action: 0, turn: 0, weight: 1 });
            }
        }
    }
}

impl<'a> Search<'a> {
    fn new(choices: &'a Choices, system: &'a System, target: &Bits, fairness: Option<Fairness>) -> Search<'a> {
        let nodes = choices.size() as usize;
        let kept = Bits::new(choices.count());
        let (mut left, mut node_of) = (vec![0; nodes], vec![0; choices.count() as usize]);
        for node in 0..nodes as u32 {
            for choice in choices.of(node) {
                node_of[choice as usize] = node;
                if !target.contains(node) {
                    kept.insert(choice);
                    left[node as usize] += 1;
                }
            }
            // Fairness to agents counts steps that change nothing, so a daemon may take them for ever.
            if fairness == Some(Fairness::Agents) && choices.idle(node) != 0 && !target.contains(node) {
                left[node as usize] += 1;
            }
        }
        let outcomes = |choice| choices.targets(choice).iter().map(move |&to| (to, choice));
        let into = Grouped::new(nodes, (0..choices.count() as u32).flat_map(outcomes));
        let met = fairness.map_or(0, |fairness| fairness.obligations(system));
        let (owner, cut, met) = (vec![0; nodes], vec![0; nodes], vec![0; met]);
        let mut search = Search { choices, system, fairness, kept, left, node_of, into, owner, sets: 0, cut, met };
        search.drop_into(target.iter().collect());
        search
    }

    /// Drops a choice. Returns its node if that was the last one.
    fn drop(&mut self, choice: u32) -> Option<u32> {
        if !self.kept.remove(choice) {
            return None;
        }
        let node = self.node_of[choice as usize];
        self.cut[node as usize] = self.sets;
        self.left[node as usize] -= 1;
        (self.left[node as usize] == 0).then_some(node)
    }

    /// Drops every choice that may lead to these nodes, and to nodes that have no choice then.
    fn drop_into(&mut self, mut nodes: Vec<u32>) {
        while let Some(node) = nodes.pop() {
            for at in 0..self.into.of(node as usize).len() {
                let choice = self.into.of(node as usize)[at];
                nodes.extend(self.drop(choice));
            }
        }
    }

    /// Whether a choice of the component was dropped since the set `since` was split. It may then not be connected: also
    /// if another component of that set caused it.
    fn is_cut(&self, component: &[u32], since: u32) -> bool {
        component.iter().any(|&node| self.cut[node as usize] >= since)
    }

    /// Drops the choices of a component that may leave it.
    fn drop_leaving(&mut self, component: &[u32]) {
        let (here, mut gone) = (self.owner[component[0] as usize], vec![]);
        for &node in component {
            for choice in self.choices.of(node).filter(|&choice| self.kept.contains(choice)).collect::<Vec<_>>() {
                if self.choices.targets(choice).iter().any(|&to| self.owner[to as usize] != here) {
                    gone.extend(self.drop(choice));
                }
            }
        }
        self.drop_into(gone);
    }

    /// Drops the nodes of an end component whose obligations it cannot meet.
    fn drop_owing(&mut self, component: &[u32]) {
        let owing: Vec<u32> = match self.fairness {
            None | Some(Fairness::Steps) => vec![],
            // A larger component serves more agents, so no part of this one serves them all.
            Some(Fairness::Agents) if self.serves_all(component) => vec![],
            Some(Fairness::Agents) => component.to_vec(),
            Some(_) => self.owing(component),
        };
        for &node in &owing {
            self.choices.of(node).for_each(|choice| {
                self.drop(choice);
            });
            self.left[node as usize] = 0;
            self.cut[node as usize] = self.sets;
        }
        self.drop_into(owing);
    }

    /// Whether every agent is somewhere scheduled inside, with or without a change.
    fn serves_all(&self, component: &[u32]) -> bool {
        let mut served = 0;
        for &node in component {
            served |= self.choices.idle(node);
            for choice in self.choices.of(node) {
                match self.choices.chosen(choice).0 {
                    // Nothing is enabled: every agent can be scheduled without a change.
                    NOBODY => served = u32::MAX,
                    site if self.kept.contains(choice) => served |= self.choices.actors(self.system, site),
                    _ => {}
                }
            }
        }
        let everyone = self.choices.everyone(self.system);
        served & everyone == everyone
    }

    /// The nodes where something is enabled that is never taken inside.
    fn owing(&mut self, component: &[u32]) -> Vec<u32> {
        let (here, mut met) = (self.sets, std::mem::take(&mut self.met));
        for &node in component {
            for choice in self.choices.of(node).filter(|&choice| self.kept.contains(choice)) {
                self.obligations(choice, |o| met[o] = here);
            }
        }
        let owes = |node: &u32| {
            let mut owes = false;
            self.choices.of(*node).for_each(|choice| self.obligations(choice, |o| owes |= met[o] != here));
            owes
        };
        let owing = component.iter().copied().filter(owes).collect();
        self.met = met;
        owing
    }

    /// The obligations that a choice meets; where it is possible it incurs the same ones. The outcome of a coin is not
    /// the daemon's to choose: a choice meets the obligations of all its outcomes.
    fn obligations(&self, choice: u32, mut visit: impl FnMut(usize)) {
        let (site, action) = self.choices.chosen(choice);
        match self.fairness {
            _ if site == NOBODY => {}
            Some(Fairness::Actions(Level::Transition)) => visit(action as usize),
            Some(Fairness::Actions(Level::Arc)) => visit(site as usize),
            Some(Fairness::Actions(Level::Rule)) => {
                for action in (action..).take(self.choices.targets(choice).len()) {
                    let edge = Edge { target: 0, site, action, turn: 0, weight: 1 };
                    self.system.rules(edge).iter().for_each(|&rule| visit((site as usize) << 8 | usize::from(rule)));
                }
            }
            _ => {}
        }
    }

    fn component(&self, mut nodes: Vec<u32>) -> EndComponent {
        nodes.sort_unstable();
        let kept = |&node: &u32| self.choices.of(node).filter(|&choice| self.kept.contains(choice)).collect();
        let choices = nodes.iter().map(kept).collect();
        EndComponent { nodes, choices }
    }
}
