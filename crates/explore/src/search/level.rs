//! A level of the search in the order of discovery, although its states are in many parts.
//!
//! Every part says how many states each letter has brought. What one letter has brought to all parts was found together; of
//! that, the first states of all parts come first, then the second ones, and so on. That is nearly the order in which they were
//! found, and the nearer, the more neighbours have in common, in the tables and among their successors.

use crate::store::{PARTS, Store};
use std::ops::Range;

/// How many states of every part are a strip.
const ROUNDS: u32 = 4;

/// The states of a level, as places in the parts.
pub(super) struct Level {
    /// By letter and part, where its states begin; one more for the end.
    begins: Vec<[u32; PARTS]>,
    strips: Vec<Strip>,
}

/// Some of the states that a letter has brought: from this one on in every part.
struct Strip {
    letter: u32,
    first: u32,
}

impl Level {
    /// How many states a strip has at most.
    pub(super) const STRIP: usize = ROUNDS as usize * PARTS;

    /// The present level of a set.
    pub(super) fn of(set: &impl Store) -> Level {
        let letters = set.brought(0).len();
        let (mut begins, mut strips) = (vec![[0; PARTS]], vec![]);
        for letter in 0..letters {
            let begin: [u32; PARTS] = begins[begins.len() - 1];
            let brought: [u32; PARTS] = std::array::from_fn(|part| set.brought(part)[letter]);
            let most = brought.iter().copied().max().unwrap_or(0);
            if most > 0 {
                let letter = begins.len() as u32 - 1;
                strips.extend((0..most).step_by(ROUNDS as usize).map(|first| Strip { letter, first }));
                begins.push(std::array::from_fn(|part| begin[part] + brought[part]));
            }
        }
        Level { begins, strips }
    }

    /// How many strips there are.
    pub(super) fn strips(&self) -> usize {
        self.strips.len()
    }

    /// Shows the states of some strips: part and place.
    #[inline]
    pub(super) fn show(&self, strips: Range<usize>, mut see: impl FnMut(usize, usize)) {
        for &Strip { letter, first } in &self.strips[strips] {
            let (begin, end) = (&self.begins[letter as usize], &self.begins[letter as usize + 1]);
            for round in first..first + ROUNDS {
                for part in (0..PARTS).filter(|&part| begin[part] + round < end[part]) {
                    see(part, (begin[part] + round) as usize);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crew::Crew;
    use crate::store::{Hash, Plain, owner};
    use crate::system::Layout;

    /// Two letters, one after the other: no state of the second comes before one of the first, and none is left out.
    #[test]
    fn every_state_is_shown_once_letter_after_letter() {
        let (layout, crew) = (Layout { size: 4, bits: 16 }, Crew::new(1));
        let mut set = Plain::new(layout, 5);
        let letter = |states: Range<u128>| {
            let mut mail = vec![vec![]; PARTS];
            states.for_each(|state| mail[owner(Hash::new(5).of(state), PARTS)].push(state));
            mail
        };
        set.insert(&[&letter(0..1000), &letter(7..8), &letter(990..1500)], &crew);
        set.advance(&crew);
        let (level, mut shown) = (Level::of(&set), vec![]);
        let halves = [0..level.strips() / 2, level.strips() / 2..level.strips()];
        halves
            .into_iter()
            .for_each(|strips| level.show(strips, |part, place| shown.push(set.waiting_state(part, place))));
        assert!(shown[..1000].iter().all(|&state| state < 1000));
        shown.sort_unstable();
        assert!(shown.into_iter().eq(0..1500));
    }
}
