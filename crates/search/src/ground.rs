//! All configurations of one size up to symmetry, and the possible targets of each step for all tables.

use crate::family::{Family, Topology};
use crate::search::Control;
use crate::table::{Entries, Entry, UNDECIDED};
use std::collections::HashMap;

/// An interaction in a configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interaction {
    /// The table entry of the interaction.
    pub(crate) entry: u16,
    /// The number of pairs of agents with this interaction.
    pub(crate) weight: u32,
    /// The index of its first target.
    first: u32,
}

/// The target of an interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target(u32);

impl Target {
    const CHANGES: u32 = 1 << 31;
    const BREAKS: u32 = 1 << 30;

    /// The class of configurations.
    #[inline]
    pub(crate) fn class(self) -> usize {
        (self.0 & !(Target::CHANGES | Target::BREAKS)) as usize
    }

    /// Whether the interaction changes a state.
    #[inline]
    pub(crate) fn changes(self) -> bool {
        self.0 & Target::CHANGES != 0
    }

    /// Whether an agent becomes leader or ceases to be leader.
    #[inline]
    pub(crate) fn breaks(self) -> bool {
        self.0 & Target::BREAKS != 0
    }
}

/// The configurations of one size: on a ring up to rotation, on a complete graph up to permutation.
pub(crate) struct Ground {
    /// The first configuration of each class.
    pub(crate) configurations: Vec<Vec<u8>>,
    /// The classes with exactly one leader.
    pub(crate) led: Vec<bool>,
    starts: Vec<u32>,
    meetings: Vec<Interaction>,
    targets: Vec<Target>,
}

impl Ground {
    /// `None` if the search is stopped.
    pub(crate) fn new(family: &Family, entries: &Entries, agents: usize, control: &Control) -> Option<Ground> {
        let classes = Classes::new(family, agents, control)?;
        let leads = |state: u8| usize::from(state) < entries.leaders;
        let mut ground =
            Ground { configurations: vec![], led: vec![], starts: vec![0], meetings: vec![], targets: vec![] };
        for configuration in &classes.list {
            if control.stopped() {
                return None;
            }
            let leaders = configuration.iter().filter(|&&state| leads(state)).count();
            ground.led.push(leaders == 1);
            let mut here: Vec<(usize, Vec<Target>, u32)> = vec![];
            for (from, to) in pairs(family.topology, agents) {
                let (a, b) = (configuration[from], configuration[to]);
                let meeting = Entry { initiator: a, responder: b, hears: family.detector && leaders > 0 };
                let (entry, turned) = entries.deciding(meeting);
                let target = |value: u8| {
                    let (c, d) = match (turned, entries.pair(value)) {
                        (false, after) => after,
                        (true, (d, c)) => (c, d),
                    };
                    let mut after = configuration.clone();
                    (after[from], after[to]) = (c, d);
                    let changes = if (a, b) == (c, d) { 0 } else { Target::CHANGES };
                    let breaks = if (leads(a), leads(b)) == (leads(c), leads(d)) { 0 } else { Target::BREAKS };
                    Target(classes.of(&after) | changes | breaks)
                };
                let targets: Vec<Target> = (0..entries.values() as u8).map(target).collect();
                match here.iter_mut().find(|(other, same, _)| *other == entry && *same == targets) {
                    Some((_, _, weight)) => *weight += 1,
                    None => here.push((entry, targets, 1)),
                }
            }
            for (entry, targets, weight) in here {
                let first = ground.targets.len() as u32;
                ground.meetings.push(Interaction { entry: entry as u16, weight, first });
                ground.targets.extend(targets);
            }
            ground.starts.push(ground.meetings.len() as u32);
        }
        ground.configurations = classes.list;
        Some(ground)
    }

    pub(crate) fn classes(&self) -> usize {
        self.led.len()
    }

    /// The number of pairs that can interact: the sum of the weights of the interactions of a class.
    pub(crate) fn pairs(&self) -> u32 {
        self.meetings[..self.starts[1] as usize].iter().map(|meeting| meeting.weight).sum()
    }

    #[inline]
    pub(crate) fn meetings(&self, class: usize) -> &[Interaction] {
        &self.meetings[self.starts[class] as usize..self.starts[class + 1] as usize]
    }

    /// The targets of the steps of a class whose entries are decided.
    #[inline]
    pub(crate) fn decided(&self, class: usize, table: &[u8]) -> impl Iterator<Item = Target> {
        self.meetings(class).iter().filter_map(|&meeting| {
            let value = table[usize::from(meeting.entry)];
            (value != UNDECIDED).then(|| self.target(meeting, value))
        })
    }

    #[inline]
    pub(crate) fn target(&self, meeting: Interaction, value: u8) -> Target {
        self.targets[meeting.first as usize + usize::from(value)]
    }
}

fn pairs(topology: Topology, agents: usize) -> Vec<(usize, usize)> {
    match topology {
        Topology::DirectedRing => (0..agents).map(|left| (left, (left + 1) % agents)).collect(),
        Topology::Complete => {
            let all = (0..agents).flat_map(|from| (0..agents).map(move |to| (from, to)));
            all.filter(|(from, to)| from != to).collect()
        }
    }
}

/// One configuration of each class.
struct Classes {
    topology: Topology,
    list: Vec<Vec<u8>>,
    number: HashMap<Vec<u8>, u32>,
}

impl Classes {
    fn new(family: &Family, agents: usize, control: &Control) -> Option<Classes> {
        let mut classes = Classes { topology: family.topology, list: vec![], number: HashMap::new() };
        classes.extend(&mut vec![], agents, family.states as u8, control);
        for (number, configuration) in classes.list.iter().enumerate() {
            if control.stopped() {
                return None;
            }
            classes.number.insert(configuration.clone(), number as u32);
        }
        Some(classes)
    }

    fn extend(&mut self, start: &mut Vec<u8>, agents: usize, states: u8, control: &Control) {
        if control.stopped() {
            return;
        }
        if start.len() == agents {
            if first_of_class(self.topology, start) == *start {
                self.list.push(start.clone());
            }
            return;
        }
        let least = match self.topology {
            Topology::DirectedRing => 0,
            Topology::Complete => start.last().copied().unwrap_or(0),
        };
        for state in least..states {
            start.push(state);
            self.extend(start, agents, states, control);
            start.pop();
        }
    }

    fn of(&self, configuration: &[u8]) -> u32 {
        self.number[&first_of_class(self.topology, configuration)]
    }
}

/// The first of the configurations that are equal up to rotation, on a ring, or up to permutation.
pub(crate) fn first_of_class(topology: Topology, configuration: &[u8]) -> Vec<u8> {
    let n = configuration.len();
    match topology {
        Topology::Complete => {
            let mut sorted = configuration.to_vec();
            sorted.sort_unstable();
            sorted
        }
        Topology::DirectedRing => {
            let turned = |by: usize| (0..n).map(move |i| configuration[(i + by) % n]);
            let least = (1..n).fold(0, |best, by| if turned(by).lt(turned(best)) { by } else { best });
            turned(least).collect()
        }
    }
}
