//! In which order identities stand around a ring: all of them up to rotation, as far as there is time.

use ringleader_report::messages::{Findings, Orders};

/// Orders are taken until so many states have been stored; then those that were taken are told.
const ENOUGH: u64 = 6_000_000;

/// The orders of `1..=size` around a ring, one of each class of rotations: ascending, descending, then the others.
pub(super) fn orders(size: usize) -> impl Iterator<Item = Vec<usize>> {
    let first: Vec<usize> = (1..=size).collect();
    let descending: Vec<usize> = std::iter::once(1).chain((2..=size).rev()).collect();
    let others = std::iter::successors(following(&first), |order| following(order));
    let second = (size > 2).then(|| descending.clone());
    std::iter::once(first).chain(second).chain(others.filter(move |order| *order != descending))
}

/// The next order of all but the first, in the order of a dictionary.
fn following(order: &[usize]) -> Option<Vec<usize>> {
    let mut next = order.to_vec();
    let rises = (1..next.len().saturating_sub(1)).rev().find(|&i| next[i] < next[i + 1])?;
    let larger = (rises + 1..next.len()).rev().find(|&i| next[i] > next[rises])?;
    next.swap(rises, larger);
    next[rises + 1..].reverse();
    Some(next)
}

/// How many there are.
fn count(size: usize) -> Option<u64> {
    (1..size as u64).try_fold(1_u64, u64::checked_mul)
}

/// As the parameter is written.
pub(super) fn written(order: &[usize]) -> String {
    order.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// What was found of the orders taken so far.
pub(super) struct Gathered {
    all: Option<u64>,
    found: Option<Findings>,
}

impl Gathered {
    pub(super) fn new(size: usize) -> Gathered {
        Gathered { all: count(size), found: None }
    }

    /// Whether there is time for another one as large as the last.
    pub(super) fn goes_on(&self, last: u64) -> bool {
        self.found.as_ref().is_none_or(|found| found.stored + last <= ENOUGH)
    }

    /// Takes what was found of one more order.
    pub(super) fn add(&mut self, order: String, next: Findings) {
        let single = Orders::of(order, self.all, &next);
        let merged = match self.found.take() {
            None => Findings { orders: Some(single), ..next },
            Some(before) => before.with(next, single),
        };
        self.found = Some(merged);
    }

    pub(super) fn finish(self) -> Option<Findings> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every order is a rotation of exactly one of those taken.
    #[test]
    fn every_order_up_to_rotation_is_taken_once() {
        for size in 2..=6 {
            let taken: Vec<_> = orders(size).collect();
            assert_eq!(Some(taken.len() as u64), count(size), "{size}");
            let turned = |order: &Vec<usize>| {
                let mut order = order.clone();
                (0..size)
                    .map(move |_| {
                        order.rotate_left(1);
                        order.clone()
                    })
                    .collect::<Vec<_>>()
            };
            let all: BTreeSet<_> = taken.iter().flat_map(turned).collect();
            assert_eq!(all.len(), (1..=size).product::<usize>());
            assert_eq!(taken[0], (1..=size).collect::<Vec<_>>());
        }
        assert_eq!(written(&orders(4).nth(1).unwrap_or_default()), "1,4,3,2");
    }
}
