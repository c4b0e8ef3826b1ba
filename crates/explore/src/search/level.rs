//! The states of a level, in the order of discovery, although they are in many parts.
//!
//! Every part stores the number of new states of each letter. The states of one letter to all parts were found together. Of those,
//! the first states of all parts come first, then the second ones, and so on. This is nearly the order of discovery. The closer the
//! order, the more table entries and successors consecutive states have in common.

use crate::store::{PARTS, Store};
use std::ops::Range;

/// The states of a level, as places in the parts.
pub(super) struct LevelOrder {
    /// The letters with new states, and an end.
    letters: Vec<Letter>,
}

/// The beginning of a letter's new states.
struct Letter {
    /// In the level.
    first: usize,
    /// In every part.
    places: [u32; PARTS],
}

impl LevelOrder {
    /// The present level of a set.
    pub(super) fn of(set: &impl Store) -> LevelOrder {
        let (mut letters, mut first, mut places) = (vec![], 0, [0; PARTS]);
        for letter in 0..set.brought(0).len() {
            let brought: [u32; PARTS] = std::array::from_fn(|part| set.brought(part)[letter]);
            let states = brought.iter().sum::<u32>() as usize;
            if states > 0 {
                letters.push(Letter { first, places });
                first += states;
                places = std::array::from_fn(|part| places[part] + brought[part]);
            }
        }
        letters.push(Letter { first, places });
        LevelOrder { letters }
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.letters[self.letters.len() - 1].first
    }

    /// Calls `see` with the part and the place of some states.
    #[inline]
    pub(super) fn show(&self, states: Range<usize>, mut see: impl FnMut(usize, usize)) {
        let first = self.letters.partition_point(|letter| letter.first <= states.start).saturating_sub(1);
        let mut number = self.letters[first].first;
        for (begin, end) in self.letters[first..].iter().zip(&self.letters[first + 1..]) {
            let most = (0..PARTS).map(|part| end.places[part] - begin.places[part]).max().unwrap_or(0);
            for round in 0..most {
                for part in (0..PARTS).filter(|&part| begin.places[part] + round < end.places[part]) {
                    if number == states.end {
                        return;
                    }
                    if number >= states.start {
                        see(part, (begin.places[part] + round) as usize);
                    }
                    number += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crew::Crew;
    use crate::store::{Hash, Mail, Plain, owner};
    use crate::system::Layout;

    /// No state of a letter comes before a state of an earlier letter, and no state is missing.
    #[test]
    fn every_state_is_visited_once_letter_by_letter() {
        let (layout, crew) = (Layout { size: 4, bits: 16 }, Crew::new(1));
        let mut set = Plain::new(layout, 5);
        let letter = |states: Range<u128>| {
            let mut mail = Mail::new();
            states.for_each(|state| mail.push(owner(Hash::new(5).of(state), PARTS), state));
            mail.seal();
            mail
        };
        set.insert(&[&letter(0..1000), &letter(7..8), &letter(990..1500)], &crew);
        set.advance(&crew);
        let (level, mut shown) = (LevelOrder::of(&set), vec![]);
        for first in (0..level.len()).step_by(70) {
            level.show(first..level.len().min(first + 70), |part, place| shown.push(set.waiting_state(part, place)));
        }
        level.show(1500..1500, |_, _| panic!("there are no more"));
        assert!(shown[..1000].iter().all(|&state| state < 1000));
        shown.sort_unstable();
        assert!(shown.into_iter().eq(0..1500));
    }
}
