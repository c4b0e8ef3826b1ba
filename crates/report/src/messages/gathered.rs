//! Findings about every order of the identities around a ring, up to rotation.

use super::{Findings, Orders};

/// Orders are checked until this many states have been stored.
const ENOUGH: u64 = 6_000_000;

/// The orders of `1..=size` around a ring, one of each class of rotations: ascending, descending, then the others.
pub fn orders(size: usize) -> impl Iterator<Item = Vec<usize>> {
    let first: Vec<usize> = (1..=size).collect();
    let descending: Vec<usize> = std::iter::once(1).chain((2..=size).rev()).collect();
    let others = std::iter::successors(following(&first), |order| following(order));
    let second = (size > 2).then(|| descending.clone());
    std::iter::once(first).chain(second).chain(others.filter(move |order| *order != descending))
}

/// The next permutation of all but the first, in lexicographic order.
fn following(order: &[usize]) -> Option<Vec<usize>> {
    let mut next = order.to_vec();
    let rises = (1..next.len().saturating_sub(1)).rev().find(|&i| next[i] < next[i + 1])?;
    let larger = (rises + 1..next.len()).rev().find(|&i| next[i] > next[rises])?;
    next.swap(rises, larger);
    next[rises + 1..].reverse();
    Some(next)
}

/// The number of orders.
fn count(size: usize) -> Option<u64> {
    (1..size as u64).try_fold(1_u64, u64::checked_mul)
}

/// An order in the notation of the parameter.
pub fn written(order: &[usize]) -> String {
    order.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// The findings about the orders so far.
#[derive(Debug)]
pub struct Gathered {
    all: Option<u64>,
    found: Option<Findings>,
}

impl Gathered {
    /// No findings yet, about rings of this size.
    pub fn new(size: usize) -> Gathered {
        Gathered { all: count(size), found: None }
    }

    /// Whether the limit allows another order as large as the last.
    pub fn goes_on(&self, last: u64) -> bool {
        self.found.as_ref().is_none_or(|found| found.stored + last <= ENOUGH)
    }

    /// Adds the findings about one more order.
    pub fn add(&mut self, order: String, next: Findings) {
        let single = Orders::of(order, self.all, &next);
        let merged = match self.found.take() {
            None => Findings { orders: Some(single), ..next },
            Some(before) => before.with(next, single),
        };
        self.found = Some(merged);
    }

    /// The findings about all orders so far.
    pub fn finish(self) -> Option<Findings> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every order is a rotation of exactly one of the listed orders.
    #[test]
    fn every_order_up_to_rotation_occurs_once() {
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
