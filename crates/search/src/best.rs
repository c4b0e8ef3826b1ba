//! The fastest tables so far.

use crate::outlook::Prospect;
use crate::pace;
use crate::walk::Leaf;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// A table and its times, the largest size first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pace {
    worst: Vec<f64>,
    pub(crate) realm: usize,
    pub(crate) table: Vec<u8>,
    /// The number of tables that are equal up to renaming, with the same leader states.
    pub(crate) variants: u64,
}

impl Eq for Pace {}

impl Ord for Pace {
    /// The fastest first; equal times by table, so that the number of threads does not change the result.
    fn cmp(&self, other: &Pace) -> Ordering {
        let times = self.worst.iter().zip(&other.worst).map(|(a, b)| a.total_cmp(b));
        let tables = (self.realm, &self.table).cmp(&(other.realm, &other.table));
        times.fold(Ordering::Equal, Ordering::then).then(tables)
    }
}

impl PartialOrd for Pace {
    fn partial_cmp(&self, other: &Pace) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Pace {
    /// The worst time at the largest size.
    pub(crate) fn at_largest_size(&self) -> f64 {
        self.worst[0]
    }

    /// The times of a table; `None` if the largest size alone shows that it is not faster than the slowest kept table, or if the
    /// search is stopped.
    pub(crate) fn of(
        realm: usize,
        leaf: &Leaf<'_>,
        unfair: bool,
        prospects: &mut [Prospect<'_>],
        slowest: Option<&Pace>,
    ) -> Option<Pace> {
        let mut worst = vec![];
        for prospect in prospects.iter_mut().rev() {
            let time = match unfair {
                true => Some(pace::longest(prospect, leaf.table)).filter(|_| !prospect.stopped()),
                false => pace::expected(prospect, leaf.table),
            };
            worst.push(rounded(time?));
            if slowest.is_some_and(|slowest| worst[0] > slowest.worst[0]) {
                return None;
            }
        }
        Some(Pace { worst, realm, table: leaf.table.to_vec(), variants: leaf.variants })
    }
}

/// Rounded to ten digits, so that equal times are equal regardless of the order of summation.
fn rounded(time: f64) -> f64 {
    format!("{time:.9e}").parse().unwrap_or(time)
}

/// The fastest of all added tables.
pub(crate) struct Best {
    most: usize,
    set: BTreeSet<Pace>,
}

impl Best {
    pub(crate) fn new(most: usize) -> Best {
        Best { most, set: BTreeSet::new() }
    }

    /// The slowest kept table, if the list is full.
    pub(crate) fn slowest(&self) -> Option<Pace> {
        self.set.last().filter(|_| self.set.len() >= self.most).cloned()
    }

    pub(crate) fn add(&mut self, pace: Pace) {
        self.set.insert(pace);
        if self.set.len() > self.most {
            self.set.pop_last();
        }
    }

    pub(crate) fn sorted(self) -> Vec<Pace> {
        self.set.into_iter().collect()
    }
}
