//! Verdicts about the completions of a partial table.

use crate::ground::{Ground, Target};
use crate::search::Control;
use crate::table::UNDECIDED;

/// The verdict about all completions of a partial table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outlook {
    /// No completion keeps the promise.
    Hopeless,
    /// Some completions may keep the promise. This entry is to be decided next; a configuration depends on it.
    Open {
        /// The entry.
        entry: usize,
        /// The number of undecided entries on which that configuration depends.
        among: u32,
    },
    /// All completions keep the promise.
    Certain,
}

impl Outlook {
    /// The verdict if a configuration depends on these undecided entries, or if none depends on any.
    fn depending(open: Option<u128>) -> Outlook {
        open.map_or(Outlook::Certain, |open| Outlook::Open {
            entry: open.trailing_zeros() as usize,
            among: open.count_ones(),
        })
    }
}

/// Working memory for one size. Once the search is stopped, its loops end early, and no result of them may be used.
pub(crate) struct Prospect<'a> {
    pub(crate) ground: &'a Ground,
    pub(crate) control: &'a Control,
    /// Whether each class may be safe, for the last examined table.
    pub(crate) safe: Vec<bool>,
    reaches: Vec<bool>,
    open: Vec<u128>,
}

impl<'a> Prospect<'a> {
    pub(crate) fn new(ground: &'a Ground, control: &'a Control) -> Prospect<'a> {
        let classes = ground.classes();
        Prospect { ground, control, safe: vec![false; classes], reaches: vec![false; classes], open: vec![0; classes] }
    }

    /// The verdict under the random scheduler and under global fairness.
    ///
    /// An undecided entry may keep a configuration safe, and may lead anywhere. So the promise is lost if some
    /// configuration has only decided steps, for ever, and none of the configurations reached may be safe. It is kept
    /// if all configurations that may be safe depend on decided steps only, and decided steps lead there from
    /// everywhere.
    pub(crate) fn fair(&mut self, table: &[u8]) -> Outlook {
        if !self.find_safe(table) {
            return Outlook::Hopeless;
        }
        self.find_reaching(table);
        match self.least_open(table) {
            Some(0) => Outlook::Hopeless,
            None => Outlook::depending(self.open_in_safe(table)),
            open => Outlook::depending(open),
        }
    }

    /// The verdict under the unfair scheduler. The promise is also lost in two more cases. Decided steps that change
    /// something form a cycle outside the possibly safe set. Or a configuration outside has only steps that change
    /// nothing.
    pub(crate) fn unfair(&mut self, table: &[u8]) -> Outlook {
        if !self.find_safe(table) {
            return Outlook::Hopeless;
        }
        let mut least: Option<u128> = None;
        for class in 0..self.ground.classes() {
            let open = self.undecided(class, table);
            if !self.safe[class] && open == 0 && !self.moves(class, table) {
                return Outlook::Hopeless;
            }
            if open != 0 && least.is_none_or(|least| open.count_ones() < least.count_ones()) {
                least = Some(open);
            }
        }
        if !self.ends(table) {
            return Outlook::Hopeless;
        }
        Outlook::depending(least)
    }

    /// Whether the search was asked to stop.
    pub(crate) fn stopped(&self) -> bool {
        self.control.stopped()
    }

    /// The classes that are safe in the best case: the greatest set with exactly one leader such that no decided step
    /// leaves it or changes the leader.
    pub(crate) fn find_safe(&mut self, table: &[u8]) -> bool {
        let (ground, safe) = (self.ground, &mut self.safe);
        safe.copy_from_slice(&ground.led);
        settle(ground, self.control, |class| {
            let leaves = safe[class] && ground.decided(class, table).any(|to| to.breaks() || !safe[to.class()]);
            safe[class] &= !leaves;
            leaves
        });
        safe.contains(&true)
    }

    /// The classes from which decided steps lead to a possibly safe class.
    fn find_reaching(&mut self, table: &[u8]) {
        let (ground, reaches) = (self.ground, &mut self.reaches);
        reaches.copy_from_slice(&self.safe);
        settle(ground, self.control, |class| {
            let joins = !reaches[class] && ground.decided(class, table).any(|target| reaches[target.class()]);
            reaches[class] |= joins;
            joins
        });
    }

    /// For the classes that do not reach a safe class yet: the smallest set of undecided entries, one of which must
    /// lead to one.
    fn least_open(&mut self, table: &[u8]) -> Option<u128> {
        let ground = self.ground;
        for class in 0..ground.classes() {
            if !self.reaches[class] {
                self.open[class] = self.undecided(class, table);
            }
        }
        let (reaches, open) = (&self.reaches, &mut self.open);
        settle(ground, self.control, |class| {
            let before = open[class];
            if !reaches[class] {
                open[class] = ground.decided(class, table).fold(before, |all, target| all | open[target.class()]);
            }
            open[class] != before
        });
        let waiting = (0..ground.classes()).filter(|&class| !self.reaches[class]);
        waiting.map(|class| self.open[class]).min_by_key(|open| open.count_ones())
    }

    /// The smallest set of undecided entries on which a safe class depends.
    fn open_in_safe(&self, table: &[u8]) -> Option<u128> {
        let safe = (0..self.ground.classes()).filter(|&class| self.safe[class]);
        let open = safe.map(|class| self.undecided(class, table)).filter(|&open| open != 0);
        open.min_by_key(|open| open.count_ones())
    }

    /// The undecided entries on which a class depends, as bits.
    fn undecided(&self, class: usize, table: &[u8]) -> u128 {
        let entries = self.ground.meetings(class).iter().map(|meeting| usize::from(meeting.entry));
        entries.filter(|&entry| table[entry] == UNDECIDED).fold(0, |open, entry| open | 1 << entry)
    }

    /// Whether some decided step changes something.
    fn moves(&self, class: usize, table: &[u8]) -> bool {
        self.ground.decided(class, table).any(Target::changes)
    }

    /// Whether decided steps that change something terminate outside the possibly safe set. `reaches` marks the classes
    /// known to terminate: those whose steps all lead to marked classes.
    fn ends(&mut self, table: &[u8]) -> bool {
        let (ground, ended) = (self.ground, &mut self.reaches);
        ended.copy_from_slice(&self.safe);
        settle(ground, self.control, |class| {
            let ends = !ended[class] && ground.decided(class, table).all(|to| !to.changes() || ended[to.class()]);
            ended[class] |= ends;
            ends
        });
        !ended.contains(&false)
    }
}

/// Visits all classes again and again, until no visit changes anything or the search is stopped.
pub(crate) fn settle(ground: &Ground, control: &Control, mut changes: impl FnMut(usize) -> bool) {
    loop {
        let changed = (0..ground.classes()).filter(|&class| changes(class)).count() > 0;
        if !changed || control.stopped() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::{Family, Topology};
    use crate::walk::{Limits, Realm, Traversal};
    use ringleader_model::Scheduler;

    /// All completions of a partial table.
    fn completions(realm: &Realm, table: &[u8]) -> Vec<Vec<u8>> {
        match table.iter().position(|&value| value == UNDECIDED) {
            None => vec![table.to_vec()],
            Some(entry) => {
                let decided = realm.entries.each_value(entry).map(|value| {
                    let mut table = table.to_vec();
                    table[entry] = value;
                    table
                });
                decided.flat_map(|table| completions(realm, &table)).collect()
            }
        }
    }

    /// Tables that keep the promise.
    fn some_that_hold(realm: &Realm) -> Vec<Vec<u8>> {
        let control = Control::default();
        let (mut found, mut walk) = (vec![], Traversal::new(realm, 1.0, &control));
        let limits = Limits { looks: 20_000, steps: None };
        let mut prospects = realm.prospects(&control);
        walk.go(realm, &mut prospects, limits, &control, &mut |leaf| found.push(leaf.table.to_vec()));
        found
    }

    /// The verdict about a partial table is true of all its completions.
    #[test]
    fn an_outlook_speaks_of_every_way_to_go_on() {
        let (mut hopeless, mut certain, mut seed) = (0, 0, 7u64);
        let ring = Family::new(3, Topology::DirectedRing, &[3]);
        let complete = Family::new(2, Topology::Complete, &[2, 3]).with_detector();
        for family in [ring.clone(), ring.under(Scheduler::Unfair), complete.clone(), complete.under(Scheduler::Unfair)]
        {
            let control = Control::default();
            let realm = Realm::new(&family, 1, &control).unwrap();
            let (mut prospects, holding) = (realm.prospects(&control), some_that_hold(&realm));
            let mut below = |most: usize| {
                seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (seed >> 40) as usize % most
            };
            for trial in 0..if holding.is_empty() { 0 } else { 900 } {
                let mut table = holding[below(holding.len())].clone();
                let values = realm.entries.values();
                (0..trial % 2).for_each(|_| table[below(realm.entries.len())] = below(values) as u8);
                (0..1 + trial % 3).for_each(|_| table[below(realm.entries.len())] = UNDECIDED);
                let mut holds = 0;
                let all = completions(&realm, &table);
                for table in &all {
                    match realm.outlook(&mut prospects, table).unwrap() {
                        Outlook::Certain => holds += 1,
                        Outlook::Hopeless => {}
                        Outlook::Open { .. } => panic!("everything is decided"),
                    }
                }
                match realm.outlook(&mut prospects, &table).unwrap() {
                    Outlook::Hopeless => {
                        hopeless += 1;
                        assert_eq!(holds, 0, "{table:?}");
                    }
                    Outlook::Certain => {
                        certain += 1;
                        assert_eq!(holds, all.len(), "{table:?}");
                    }
                    Outlook::Open { entry, .. } => assert_eq!(table[entry], UNDECIDED),
                }
            }
        }
        assert!(hopeless > 50 && certain > 20, "{hopeless} hopeless, {certain} certain");
    }
}
