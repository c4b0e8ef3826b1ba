//! Systems up to symmetry: the nodes of the graph are classes of configurations.

use super::{Marked, Site, System};
use crate::report::Symmetry;
use crate::space::{Digits, Edge, MOST_AGENTS, MixedRadix, Orbits, Rotations, Symmetries};
use crate::{Monitor, Stop};
use ringleader_erased::RuleTable;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Classes of configurations.
#[derive(Debug)]
pub(super) enum Classes {
    /// Those of a ring.
    Rotations(Rotations),
    /// Those of a graph of processes.
    Orbits(Orbits),
}

impl Classes {
    pub(super) fn count(&self) -> u64 {
        match self {
            Classes::Rotations(classes) => classes.classes(),
            Classes::Orbits(classes) => classes.count(),
        }
    }

    fn members(&self, node: u32) -> u64 {
        match self {
            Classes::Rotations(classes) => classes.members(node),
            Classes::Orbits(classes) => classes.members(node),
        }
    }

    fn least(&self, node: u32) -> u32 {
        match self {
            Classes::Rotations(classes) => classes.least(node),
            Classes::Orbits(classes) => classes.least(node),
        }
    }

    /// It is not inlined, so that the loops over the steps of systems without classes stay short.
    #[inline(never)]
    fn node(&self, c: u32) -> (u32, u32) {
        match self {
            Classes::Rotations(classes) => classes.class(c),
            Classes::Orbits(classes) => classes.orbit(c),
        }
    }
}

impl System {
    /// The same system up to rotation, if rotation preserves its steps.
    pub fn up_to_rotation(self, monitor: &Monitor) -> Result<System, Stop> {
        if !self.anonymous() {
            return Ok(self);
        }
        let classes = Classes::Rotations(Rotations::new(&self.space, monitor)?);
        Ok(System { classes: Some(Arc::new(classes)), ..self })
    }

    /// The same system up to symmetries that preserve its steps.
    pub fn up_to(self, symmetries: Symmetries, monitor: &Monitor) -> Result<System, Stop> {
        let classes = Classes::Orbits(Orbits::new(&self.space, symmetries, monitor)?);
        Ok(System { classes: Some(Arc::new(classes)), ..self })
    }

    /// The same system, not up to symmetry.
    pub(crate) fn unfolded(&self) -> System {
        System { classes: None, ..self.clone() }
    }

    /// Whether rotating a configuration by one place rotates all its steps.
    pub fn anonymous(&self) -> bool {
        let n = self.space.agents;
        let same = |a: usize, b: usize| a == b || self.tables[a] == self.tables[b];
        let turned = |a: &Site| {
            let (left, right) = ((a.left + 1) % n, (a.right + 1) % n);
            self.sites.iter().any(|b| (b.left, b.right) == (left, right) && same(a.table, b.table))
        };
        self.leaders.is_uniform() && !self.is_line && !self.is_graph() && self.sites.iter().all(turned)
    }

    /// Whether the classes are those of symmetries of the tables.
    pub(super) fn keeps_its_classes(&self) -> bool {
        match self.classes.as_deref() {
            None => true,
            Some(Classes::Rotations(_)) => self.anonymous(),
            Some(Classes::Orbits(orbits)) => self.is_symmetric(&orbits.symmetries, None),
        }
    }

    /// Whether each symmetry maps the steps of the processes of a graph, the leaders and these tokens to each other.
    pub(crate) fn is_symmetric(&self, symmetries: &Symmetries, tokens: Option<&Marked>) -> bool {
        let processes = || 0..self.space.agents;
        let same = |symmetry: u32| processes().all(|process| self.is_moved(process, symmetries, symmetry, tokens));
        symmetries.generators().into_iter().all(same)
    }

    /// Whether a symmetry maps the steps and marks of a process to those of another one.
    fn is_moved(&self, process: usize, symmetries: &Symmetries, symmetry: u32, tokens: Option<&Marked>) -> bool {
        let image = symmetries.place(symmetry, process);
        let near = |process: usize| {
            let others = self.others[process].iter().map(|&(other, _)| other);
            [process, self.sites[process].left].into_iter().chain(others).collect::<Vec<_>>()
        };
        // A process reads its own state first. These states are the digits of a number, the place in its table.
        let (here, there) = (near(process), near(image));
        let views = |near: &[usize]| {
            let states: Vec<u64> = near.iter().map(|&agent| self.space.radix_of(agent).into()).collect();
            MixedRadix::mixed(&states)
        };
        let (Some(views), Some(moved_views)) = (views(&here), views(&there)) else { return false };
        let mut summands = vec![];
        for &agent in &here {
            let moved = symmetries.place(symmetry, agent);
            let Some(at) = there.iter().position(|&other| other == moved) else { return false };
            let renamed = (0..self.space.radix_of(agent)).map(|state| symmetries.state(symmetry, agent, state));
            summands.push(renamed.map(|state| state * moved_views.powers[at]).collect::<Vec<_>>());
        }
        let renamed = |state: u32| symmetries.state(symmetry, process, state);
        let mut digits: Digits = [0; MOST_AGENTS];
        (0..views.size() as u32).all(|view| {
            views.decode(view, &mut digits);
            let moved = summands.iter().zip(&digits).map(|(summands, &state)| summands[state as usize]).sum();
            let marked = |marked: &Marked| match marked {
                Marked::Each(shown) => shown[process][view as usize] == shown[image][moved as usize],
                Marked::Own(_) | Marked::Seen(_) => false,
            };
            self.same_outcomes((process, view), (image, moved), renamed)
                && marked(&self.leaders)
                && tokens.is_none_or(marked)
        })
    }

    /// Whether the outcomes of two processes, each with its view, are the same after those of the first are renamed.
    fn same_outcomes(&self, one: (usize, u32), other: (usize, u32), renamed: impl Fn(u32) -> u32) -> bool {
        let cell = |(process, view): (usize, u32)| {
            let table = &self.tables[self.sites[process].table];
            let (own, first) = (view % table.radix(), view / table.radix() % table.lefts());
            (table, table.cell((view / table.radix() / table.lefts()) as usize, first, own))
        };
        let ((one, here), (other, there)) = (cell(one), cell(other));
        if here.len() == 1 && there.len() == 1 {
            return renamed(one.changes()[here.start].right.into()) == other.changes()[there.start].right.into();
        }
        let choices = |table: &RuleTable, cell: Range<usize>, renamed: &dyn Fn(u32) -> u32| {
            let mut choices = BTreeMap::<u32, BTreeMap<u32, u32>>::new();
            for at in cell {
                let (change, scale) = (table.changes()[at], self.whole / table.whole());
                let outcomes = choices.entry(table.choice(at)).or_default();
                *outcomes.entry(renamed(change.right.into())).or_default() += change.weight * scale;
            }
            let mut choices: Vec<BTreeMap<u32, u32>> = choices.into_values().collect();
            choices.sort_unstable();
            choices
        };
        choices(one, here, &renamed) == choices(other, there, &|state| state)
    }

    /// The symmetry between the configurations of a node, where nodes are classes.
    pub(crate) fn symmetry(&self) -> Option<Symmetry> {
        Some(match self.classes.as_deref()? {
            Classes::Rotations(_) => Symmetry::Rotation,
            Classes::Orbits(_) => Symmetry::Automorphism,
        })
    }

    /// Whether nodes are classes of configurations.
    pub fn is_up_to_symmetry(&self) -> bool {
        self.classes.is_some()
    }

    /// The automorphisms, where nodes are orbits.
    pub(crate) fn automorphisms(&self) -> Option<&Symmetries> {
        match self.classes.as_deref() {
            Some(Classes::Orbits(orbits)) => Some(&orbits.symmetries),
            _ => None,
        }
    }

    /// Whether every node is one configuration, whose digits are states.
    pub(crate) fn is_plain(&self) -> bool {
        self.classes.is_none() && self.weights.is_none()
    }

    /// The number of configurations of a node, if digits are states.
    #[inline]
    pub(crate) fn orbit(&self, node: u32) -> u64 {
        self.classes.as_deref().map_or(1, |classes| classes.members(node))
    }

    /// The configuration of a node, or its representative.
    #[inline]
    pub fn configuration(&self, node: u32) -> u32 {
        self.classes.as_deref().map_or(node, |classes| classes.least(node))
    }

    /// The node of a configuration, and the symmetry that turns the representative into it.
    #[inline(always)]
    pub fn node(&self, c: u32) -> (u32, u32) {
        match self.classes.as_deref() {
            None => (c, 0),
            Some(classes) => classes.node(c),
        }
    }

    /// A step to a configuration as a step to its node.
    #[inline(always)]
    pub(super) fn class_of(&self, edge: Edge) -> Edge {
        let (target, turn) = self.node(edge.target);
        Edge { target, turn, ..edge }
    }

    /// The number of symmetries.
    pub(crate) fn turns(&self) -> u32 {
        match self.classes.as_deref() {
            None => 1,
            Some(Classes::Rotations(_)) => self.space.agents as u32,
            Some(Classes::Orbits(orbits)) => orbits.symmetries.order(),
        }
    }

    /// The place of an agent after a symmetry.
    #[inline]
    pub(crate) fn turned_agent(&self, agent: usize, turn: u32) -> usize {
        match self.automorphisms() {
            Some(symmetries) => symmetries.place(turn, agent),
            None => (agent + turn as usize) % self.space.agents,
        }
    }

    /// Local states after a symmetry.
    pub(crate) fn turned(&self, mut digits: Vec<u32>, turn: u32) -> Vec<u32> {
        match self.automorphisms() {
            Some(symmetries) => symmetries.moved(turn, &digits),
            None => {
                digits.rotate_right(turn as usize);
                digits
            }
        }
    }

    /// The symmetry that is `first`, and then `next`.
    pub(crate) fn turned_twice(&self, next: u32, first: u32) -> u32 {
        match self.automorphisms() {
            Some(symmetries) => symmetries.product(next, first),
            None => (next + first) % self.space.agents as u32,
        }
    }
}
