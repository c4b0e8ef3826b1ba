//! Findings about every order of the identities around a ring, up to rotation.

use super::{Findings, Orders};
use crate::number::joined;

/// Orders are checked until this many states have been stored.
const ENOUGH: u64 = 6_000_000;

/// The orders of `1..=size` around a ring, one of each class of rotations: ascending, descending, then the others.
fn orders(size: usize) -> impl Iterator<Item = Vec<usize>> {
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

/// The findings about all orders, or as many as the limit allows, until those about one `suffice`, and the error that ended the work
/// early; `find` examines an order.
pub fn over_orders<E>(
    size: usize,
    suffice: impl Fn(&Findings) -> bool,
    mut find: impl FnMut(&str) -> Result<Findings, E>,
) -> (Option<Findings>, Result<(), E>) {
    let (all, mut gathered): (_, Option<Findings>) = (count(size), None);
    for order in orders(size) {
        let order = joined(&order, ",");
        let next = match find(&order) {
            Ok(next) => next,
            Err(error) => return (gathered, Err(error)),
        };
        let (last, ends) = (next.stored, suffice(&next));
        let single = Orders::of(order, all, &next);
        let merged = match gathered {
            None => Findings { orders: Some(single), ..next },
            Some(before) => before.with(next, single),
        };
        // The limit has to allow another order as large as the last.
        let full = merged.stored + last > ENOUGH;
        gathered = Some(merged);
        if ends || full {
            break;
        }
    }
    (gathered, Ok(()))
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
        assert_eq!(joined(&orders(4).nth(1).unwrap_or_default(), ","), "1,4,3,2");
    }
}
