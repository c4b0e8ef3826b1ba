//! A depth-first walk through the tree of tables that can be suspended and resumed.

use crate::family::Family;
use crate::ground::Ground;
use crate::outlook::{Outlook, Prospect};
use crate::pace;
use crate::search::Control;
use crate::table::{Entries, Renaming, UNDECIDED};
use ringleader_model::Scheduler;
use std::cmp::Ordering;

/// The common data of all tables with a given number of leader states.
pub(crate) struct Realm {
    pub(crate) entries: Entries,
    grounds: Vec<Ground>,
    renamings: Vec<Renaming>,
    /// Whether the promise must hold under every schedule.
    pub(crate) unfair: bool,
    /// The number of sets of this many leader states.
    pub(crate) leader_sets: u64,
}

impl Realm {
    /// `None` if the search is stopped.
    pub(crate) fn new(family: &Family, leaders: usize, control: &Control) -> Option<Realm> {
        let entries = Entries::new(family, leaders);
        let ground = |&agents: &usize| Ground::new(family, &entries, agents, control);
        let grounds = family.sizes.iter().map(ground).collect::<Option<_>>()?;
        let renamings = entries.renamings();
        let unfair = family.scheduler == Scheduler::Unfair;
        let choose = |sets: u64, i: usize| sets * (family.states - i) as u64 / (i as u64 + 1);
        Some(Realm { entries, grounds, renamings, unfair, leader_sets: (0..leaders).fold(1, choose) })
    }

    pub(crate) fn prospects<'a>(&'a self, control: &'a Control) -> Vec<Prospect<'a>> {
        self.grounds.iter().map(|ground| Prospect::new(ground, control)).collect()
    }

    /// The verdict about the completions of a table, over all sizes; `None` if the search is stopped.
    pub(crate) fn outlook(&self, prospects: &mut [Prospect<'_>], table: &[u8]) -> Option<Outlook> {
        let mut all = Outlook::Certain;
        for prospect in prospects {
            let here = if self.unfair { prospect.unfair(table) } else { prospect.fair(table) };
            if prospect.stopped() {
                return None;
            }
            all = match (all, here) {
                (_, Outlook::Hopeless) => return Some(Outlook::Hopeless),
                (Outlook::Open { among, .. }, Outlook::Open { among: fewer, .. }) if fewer >= among => all,
                (_, Outlook::Open { .. }) => here,
                (_, Outlook::Certain) => all,
            };
        }
        Some(all)
    }

    /// Whether all completions of a partial table take longer than allowed.
    fn too_slow(&self, prospects: &mut [Prospect<'_>], table: &[u8], outlook: Outlook, limits: Limits) -> bool {
        let (Some(steps), Some(largest)) = (limits.steps, prospects.last_mut()) else { return false };
        // With few decided entries the bound is weak and expensive.
        let undecided = table.iter().filter(|&&value| value == UNDECIDED).count();
        if outlook == Outlook::Hopeless || undecided == 0 || undecided > table.len() / 2 {
            return false;
        }
        if self.unfair { pace::longest(largest, table) > steps } else { pace::expected_exceeds(largest, table, steps) }
    }

    /// The number of renamings that preserve the table, including the identity; `None` if some renamed table comes
    /// first.
    fn names(&self, table: &[u8]) -> Option<u64> {
        let mut same = 1;
        for renaming in &self.renamings {
            match renaming.order(table) {
                Ordering::Greater => return None,
                Ordering::Equal => same += 1,
                Ordering::Less => {}
            }
        }
        Some(same)
    }

    /// The first of all renamings of a table, and the number of distinct ones.
    pub(crate) fn first_of_its_names(&self, table: &[u8]) -> (Vec<u8>, u64) {
        let renamed = self.renamings.iter().map(|renaming| renaming.apply(table));
        let first = renamed.min().filter(|other| other.as_slice() < table).unwrap_or_else(|| table.to_vec());
        let same = self.renamings.iter().filter(|renaming| renaming.order(&first).is_eq()).count() as u64 + 1;
        (first, self.group() / same)
    }

    /// The number of renamings.
    pub(crate) fn group(&self) -> u64 {
        self.renamings.len() as u64 + 1
    }
}

/// A branching: the entry, and the untried values.
#[derive(Clone, Debug)]
struct Fork {
    entry: usize,
    left: u64,
    /// The seed of the order of values.
    order: u64,
    /// The fraction of the whole tree below each value.
    share: f64,
    /// Whether all tables below keep the promise.
    certain: bool,
}

impl Fork {
    /// Takes one of the remaining values in pseudo-random order, so that a search that ends early has sampled all kinds
    /// of tables.
    fn next(&mut self) -> u8 {
        self.order = self.order.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let nth = (self.order >> 33) % u64::from(self.left.count_ones());
        let bits = (0..nth).fold(self.left, |bits, _| bits & (bits - 1));
        self.left &= !lowest(bits);
        bits.trailing_zeros() as u8
    }
}

/// One part of the tree, and the position of its walk.
#[derive(Clone, Debug)]
pub(crate) struct Traversal {
    table: Vec<u8>,
    forks: Vec<Fork>,
}

/// A table that keeps the promise, the first of its renamings.
pub(crate) struct Leaf<'a> {
    pub(crate) table: &'a [u8],
    /// The number of tables that are equal up to renaming, with the same leader states.
    pub(crate) variants: u64,
}

/// The limits of a stretch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The number of tables to examine.
    pub(crate) looks: u64,
    /// Tables that take more steps at the largest size are skipped.
    pub(crate) steps: Option<f64>,
}

/// The result of one stretch of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Stretch {
    /// The number of examined tables, partial or complete.
    pub(crate) looked_at: u64,
    /// The fraction of the whole tree that is finished.
    pub(crate) share: f64,
}

impl Traversal {
    /// A walk through all tables of a realm, which is the fraction `share` of the whole tree. The walk is empty if the
    /// realm is hopeless.
    pub(crate) fn new(realm: &Realm, share: f64, control: &Control) -> Traversal {
        let mut walk = Traversal { table: vec![UNDECIDED; realm.entries.len()], forks: vec![] };
        // A stopped search still has all tables before it.
        let entry = Outlook::Open { entry: 0, among: 1 };
        let outlook = realm.outlook(&mut realm.prospects(control), &walk.table).unwrap_or(entry);
        walk.fork(realm, outlook, share);
        walk
    }

    pub(crate) fn is_done(&self) -> bool {
        self.forks.is_empty()
    }

    /// Continues until all tables have been examined, or as many as the limit allows, or the search is stopped.
    pub(crate) fn go(
        &mut self,
        realm: &Realm,
        prospects: &mut [Prospect<'_>],
        limits: Limits,
        control: &Control,
        found: &mut impl FnMut(Leaf<'_>),
    ) -> Stretch {
        let mut stretch = Stretch::default();
        while let Some(fork) = self.forks.last_mut() {
            if stretch.looked_at >= limits.looks || control.stopped() {
                break;
            }
            if fork.left == 0 {
                self.table[fork.entry] = UNDECIDED;
                self.forks.pop();
                continue;
            }
            let (value, share, certain) = (fork.next(), fork.share, fork.certain);
            self.table[fork.entry] = value;
            stretch.looked_at += 1;
            let Some(same) = realm.names(&self.table) else {
                stretch.share += share;
                continue;
            };
            let outlook = match certain {
                true => Some(Outlook::Certain),
                false => realm.outlook(prospects, &self.table),
            };
            let Some(outlook) = outlook else { break };
            let outlook =
                if realm.too_slow(prospects, &self.table, outlook, limits) { Outlook::Hopeless } else { outlook };
            if !self.fork(realm, outlook, share) {
                if outlook == Outlook::Certain {
                    found(Leaf { table: &self.table, variants: realm.group() / same });
                }
                stretch.share += share;
            }
        }
        stretch
    }

    /// Branches on the next entry; `false` if there is none, or if the table is hopeless.
    fn fork(&mut self, realm: &Realm, outlook: Outlook, share: f64) -> bool {
        let entry = match outlook {
            Outlook::Hopeless => None,
            Outlook::Open { entry, .. } => Some(entry),
            Outlook::Certain => self.table.iter().position(|&value| value == UNDECIDED),
        };
        let Some(entry) = entry else { return false };
        let left = realm.entries.domain(entry);
        let share = share / f64::from(left.count_ones());
        let order = self.forks.last().map_or(1, |fork| fork.order ^ fork.left);
        self.forks.push(Fork { entry, left, order, share, certain: outlook == Outlook::Certain });
        true
    }

    /// Splits off half of the remaining values of the fork nearest to the root that has at least two.
    pub(crate) fn split(&mut self) -> Option<Traversal> {
        let depth = self.forks.iter().position(|fork| fork.left.count_ones() > 1)?;
        let fork = &mut self.forks[depth];
        let half = fork.left.count_ones() / 2;
        let kept = (0..half).fold(0, |kept, _| kept | lowest(fork.left & !kept));
        let given = Fork { left: fork.left & !kept, ..fork.clone() };
        fork.left = kept;
        let mut table = self.table.clone();
        self.forks[depth..].iter().for_each(|later| table[later.entry] = UNDECIDED);
        // Another walk has the forks above, so nothing is left of them here.
        let above = self.forks[..depth].iter().map(|fork| Fork { left: 0, ..fork.clone() });
        Some(Traversal { table, forks: above.chain([given]).collect() })
    }
}

fn lowest(bits: u64) -> u64 {
    bits & bits.wrapping_neg()
}
