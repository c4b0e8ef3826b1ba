//! The set of active arcs, with insertion, removal and draws in constant time. Draws are made in batches, so that memory
//! accesses overlap.

use crate::Generator;

const ABSENT: u32 = u32::MAX;
/// The number of draws made ahead.
pub(crate) const AHEAD: usize = 64;
/// From this size on, the members and the states of their agents exceed the nearest cache.
const LARGE: u64 = 1024;

/// A set of arcs that can be drawn from.
///
/// In a large set every draw would wait for memory, several times. So random words are drawn ahead. A word selects a
/// position in a range somewhat larger than the set, which stays the same while the set grows and shrinks a little: the data of most
/// positions can be fetched early. A position past the end is drawn again, so every member is equally likely.
#[derive(Debug)]
pub(crate) struct Active {
    members: Vec<u32>,
    /// The index of an arc in `members`, or `ABSENT`.
    place: Vec<u32>,
    /// The range of positions: at least as large as the set.
    range: u64,
    words: Vec<u64>,
}

impl Active {
    /// The empty set of at most `arcs` arcs.
    pub(crate) fn new(arcs: u64) -> Active {
        assert!(arcs < u64::from(ABSENT), "more arcs than can be listed");
        Active { members: vec![], place: vec![ABSENT; arcs as usize], range: 1, words: vec![] }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn clear(&mut self) {
        self.members.clear();
        self.place.fill(ABSENT);
    }

    /// Inserts or removes an arc.
    #[inline]
    pub(crate) fn set(&mut self, arc: usize, active: bool) {
        let at = self.place[arc];
        if active == (at != ABSENT) {
            return;
        }
        if active {
            self.place[arc] = self.members.len() as u32;
            self.members.push(arc as u32);
        } else {
            self.members.swap_remove(at as usize);
            if let Some(&moved) = self.members.get(at as usize) {
                self.place[moved as usize] = at;
            }
            self.place[arc] = ABSENT;
        }
    }

    /// A uniformly random member. `fetch` gets arcs that may be drawn soon, at most [`AHEAD`].
    #[inline]
    pub(crate) fn draw(&mut self, coin: &mut Generator, fetch: impl Fn(&[u32])) -> usize {
        let len = self.members.len() as u64;
        if len < LARGE {
            self.range = len;
        } else if self.range < len || self.range > len + len / 4 {
            self.range = len + len / 8;
        }
        debug_assert!((1..=self.range).contains(&len), "some members could not be drawn");
        loop {
            let Some(word) = self.words.pop() else {
                self.refill(coin, &fetch);
                continue;
            };
            if let Some(&arc) = self.members.get(self.position(word)) {
                return arc as usize;
            }
        }
    }

    /// Draws words and touches the arcs they select if the set stays the same: independent loads, which overlap.
    #[inline(never)]
    fn refill(&mut self, coin: &mut Generator, fetch: impl Fn(&[u32])) {
        let words: [u64; AHEAD] = std::array::from_fn(|_| coin.word());
        self.words.extend(words);
        if self.members.len() < LARGE as usize {
            return;
        }
        let (mut soon, mut count) = ([0; AHEAD], 0);
        for arc in words.map(|word| self.members.get(self.position(word)).copied()).into_iter().flatten() {
            std::hint::black_box(self.place[arc as usize]);
            (soon[count], count) = (arc, count + 1);
        }
        fetch(&soon[..count]);
    }

    #[inline]
    fn position(&self, word: u64) -> usize {
        // The bias is below 2^-32, too small for any number of runs to show.
        ((u128::from(word) * u128::from(self.range)) >> 64) as usize
    }
}

impl Clone for Active {
    fn clone(&self) -> Self {
        let Active { members, place, range, words } = self;
        Active { members: members.clone(), place: place.clone(), range: *range, words: words.clone() }
    }

    /// Reuses the memory.
    fn clone_from(&mut self, other: &Self) {
        self.members.clone_from(&other.members);
        self.place.clone_from(&other.place);
        self.range = other.range;
        self.words.clone_from(&other.words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::Coin;

    /// The set changes between draws; each tenth of the list, and its last few members, are drawn as often as expected.
    #[test]
    fn every_member_is_equally_likely() {
        for size in [2, 3, 10, LARGE as usize / 2, LARGE as usize, 3000] {
            let mut coin = Generator::new(11);
            let mut active = Active::new(2 * size as u64);
            (0..2 * size).for_each(|arc| active.set(arc, true));
            let (mut drawn, mut expected) = ([0.0; 11], [0.0; 11]);
            for draw in 0..100 * size + 100_000 {
                // Half of the members are removed one by one, and inserted again.
                active.set(2 * (draw % size), draw / size % 2 == 1);
                let len = active.len();
                let parts: [_; 11] =
                    std::array::from_fn(
                        |i| if i < 10 { i * len / 10..(i + 1) * len / 10 } else { len - len.min(5)..len },
                    );
                let place = active.draw(&mut coin, |_| ());
                let place = active.place[place] as usize;
                for (i, part) in parts.into_iter().enumerate() {
                    drawn[i] += f64::from(part.contains(&place));
                    expected[i] += part.len() as f64 / len as f64;
                }
            }
            for (i, (drawn, expected)) in drawn.into_iter().zip(expected).enumerate() {
                let off = (drawn - expected) / f64::max(expected, 1.0).sqrt();
                assert!(off.abs() < 5.0, "about {size} arcs, part {i}: {drawn} draws, not {expected}");
            }
        }
    }

    #[test]
    fn insertions_and_removals_agree_with_a_set() {
        let mut coin = Generator::new(12);
        for arcs in [1, 2, 5, 40, 4000] {
            let (mut active, mut twin) = (Active::new(arcs), std::collections::BTreeSet::new());
            for _ in 0..50 * arcs {
                let (arc, put) = (coin.between(0, arcs - 1) as usize, coin.below(3) > 0);
                active.set(arc, put);
                if put {
                    twin.insert(arc)
                } else {
                    twin.remove(&arc)
                };
                assert_eq!(active.len(), twin.len());
                assert!(twin.is_empty() || twin.contains(&active.draw(&mut coin, |_| ())));
            }
            let places = (0..arcs as usize).filter(|&arc| active.place[arc] != ABSENT);
            assert!(places.eq(twin.iter().copied()));
        }
    }
}
