//! A protocol as a table, decided entry by entry, and its renamings.

use crate::family::Family;
use std::cmp::Ordering;

/// The states and the input of two agents that interact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) initiator: u8,
    pub(crate) responder: u8,
    /// The detector's answer, if there is a detector.
    pub(crate) hears: bool,
}

/// The entries of a table, in the order of comparison.
pub(crate) struct Entries {
    states: usize,
    pub(crate) leaders: usize,
    symmetric: bool,
    list: Vec<Entry>,
}

/// An undecided entry.
pub(crate) const UNDECIDED: u8 = u8::MAX;

impl Entries {
    /// The entries that some configuration of the sizes needs. The first `leaders` states are the leader states.
    pub(crate) fn new(family: &Family, leaders: usize) -> Entries {
        let states = family.states as u8;
        let leads = |state: u8| usize::from(state) < leaders;
        let most = family.sizes.last().copied().unwrap_or(0);
        let mut list = vec![];
        // Equal states come first: a configuration of equal states needs no other entry.
        for apart in 0..states {
            for initiator in 0..states {
                let responder = (initiator + apart) % states;
                if family.symmetric && initiator > responder {
                    continue;
                }
                for hears in [false, true] {
                    let led = leads(initiator) || leads(responder);
                    let occurs = if family.detector { if hears { led || most > 2 } else { !led } } else { !hears };
                    if occurs {
                        list.push(Entry { initiator, responder, hears });
                    }
                }
            }
        }
        Entries { states: family.states, leaders, symmetric: family.symmetric, list }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The number of values: a value is the pair of new states, as a number.
    pub(crate) fn values(&self) -> usize {
        self.states * self.states
    }

    pub(crate) fn value(&self, initiator: u8, responder: u8) -> u8 {
        initiator * self.states as u8 + responder
    }

    pub(crate) fn pair(&self, value: u8) -> (u8, u8) {
        (value / self.states as u8, value % self.states as u8)
    }

    /// The values that an entry can have, as bits.
    pub(crate) fn domain(&self, entry: usize) -> u64 {
        let Entry { initiator, responder, .. } = self.list[entry];
        let equal = self.symmetric && initiator == responder;
        let fits = |value: &u8| !equal || self.pair(*value).0 == self.pair(*value).1;
        (0..self.values() as u8).filter(fits).fold(0, |bits, value| bits | 1 << value)
    }

    /// The same, as an iterator.
    pub(crate) fn each_value(&self, entry: usize) -> impl Iterator<Item = u8> + use<> {
        let domain = self.domain(entry);
        (0..64).filter(move |value| domain >> value & 1 == 1)
    }

    /// The entry of an interaction, and whether it is mirrored; `None` if the interaction never happens.
    pub(crate) fn find(&self, meeting: Entry) -> Option<(usize, bool)> {
        let turned = self.symmetric && meeting.initiator > meeting.responder;
        let Entry { initiator, responder, hears } = meeting;
        let sought = if turned { Entry { initiator: responder, responder: initiator, hears } } else { meeting };
        let found = self.list.iter().position(|&entry| entry == sought)?;
        Some((found, turned))
    }

    /// The same for an interaction that happens.
    pub(crate) fn deciding(&self, meeting: Entry) -> (usize, bool) {
        self.find(meeting).expect("an entry for every meeting that happens")
    }

    /// All permutations of the names of leader states and of the other states, except the identity.
    pub(crate) fn renamings(&self) -> Vec<Renaming> {
        let (mut all, mut names) = (vec![], (0..self.states as u8).collect::<Vec<_>>());
        self.permute(0, &mut names, &mut all);
        all.retain(|names| !names.is_sorted());
        all.iter().map(|names| self.renaming(names)).collect()
    }

    fn permute(&self, at: usize, names: &mut Vec<u8>, all: &mut Vec<Vec<u8>>) {
        if at == self.states {
            all.push(names.clone());
            return;
        }
        let end = if at < self.leaders { self.leaders } else { self.states };
        for other in at..end {
            names.swap(at, other);
            self.permute(at + 1, names, all);
            names.swap(at, other);
        }
    }

    fn renaming(&self, names: &[u8]) -> Renaming {
        let named = |state: u8| names[usize::from(state)];
        let mut from = vec![(0, false); self.len()];
        for (at, entry) in self.list.iter().enumerate() {
            let other = Entry { initiator: named(entry.initiator), responder: named(entry.responder), ..*entry };
            let (to, turned) = self.deciding(other);
            from[to] = (at, turned);
        }
        let value = |turned: bool| {
            let renamed = |value: u8| {
                let (a, b) = self.pair(value);
                if turned { self.value(named(b), named(a)) } else { self.value(named(a), named(b)) }
            };
            (0..self.values() as u8).map(renamed).collect::<Vec<_>>()
        };
        Renaming { from, plain: value(false), turned: value(true) }
    }
}

/// A renaming of the states.
pub(crate) struct Renaming {
    /// For each entry of the renamed table: its source, and whether it is mirrored.
    from: Vec<(usize, bool)>,
    plain: Vec<u8>,
    turned: Vec<u8>,
}

impl Renaming {
    /// The renamed table; all entries must be decided.
    pub(crate) fn apply(&self, table: &[u8]) -> Vec<u8> {
        let renamed = |&(from, turned): &(usize, bool)| {
            let values = if turned { &self.turned } else { &self.plain };
            values[usize::from(table[from])]
        };
        self.from.iter().map(renamed).collect()
    }

    /// Compares the table with its renaming, up to the first undecided entry of either: there the table is said to come first.
    pub(crate) fn order(&self, table: &[u8]) -> Ordering {
        for (&mine, &(from, turned)) in table.iter().zip(&self.from) {
            let before = table[from];
            if mine == UNDECIDED || before == UNDECIDED {
                return Ordering::Less;
            }
            let values = if turned { &self.turned } else { &self.plain };
            let order = mine.cmp(&values[usize::from(before)]);
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Topology;

    /// Pseudo-random tables of a family.
    fn tables(entries: &Entries) -> Vec<Vec<u8>> {
        let mut seed = 1u64;
        let mut next = move || {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (seed >> 40) as usize
        };
        let mut table = || {
            let value = |entry: usize, next: &mut dyn FnMut() -> usize| {
                let values: Vec<u8> = entries.each_value(entry).collect();
                values[next() % values.len()]
            };
            (0..entries.len()).map(|entry| value(entry, &mut next)).collect()
        };
        (0..300).map(|_| table()).collect()
    }

    #[test]
    fn tables_are_compared_with_their_renamed_selves() {
        let ring = Family::new(3, Topology::DirectedRing, &[3]);
        for family in [ring.clone(), ring.clone().symmetric(), ring.with_detector().symmetric()] {
            for leaders in [1, 2] {
                let entries = Entries::new(&family, leaders);
                let renamings = entries.renamings();
                assert_eq!(renamings.len(), 1, "two states of a kind");
                for table in tables(&entries) {
                    let other = renamings[0].apply(&table);
                    let order = table.cmp(&other);
                    assert_eq!(renamings[0].order(&table), order);
                    assert_eq!(renamings[0].apply(&other), table, "exchanging two names twice changes nothing");
                    for entry in 0..table.len() {
                        let mut partial = table.clone();
                        partial[entry] = UNDECIDED;
                        // A partial table may still come first. If the order says that it does not, no completion does.
                        assert!(renamings[0].order(&partial).is_le() || order.is_gt());
                    }
                }
            }
        }
    }

    #[test]
    fn only_entries_that_are_needed_are_decided() {
        let entries = |family: Family| Entries::new(&family, 1).len();
        let complete = |sizes: &[usize]| Family::new(2, Topology::Complete, sizes);
        assert_eq!(entries(complete(&[2])), 4);
        assert_eq!(entries(complete(&[3]).symmetric()), 3);
        // Three entries with a leader, and two others with or without a leader elsewhere. Two agents have no third
        // agent elsewhere.
        assert_eq!(entries(complete(&[3]).with_detector()), 5);
        assert_eq!(entries(complete(&[2]).with_detector()), 4);
    }
}
