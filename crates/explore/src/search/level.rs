//! A level of the search in the order of discovery, although its states are in many parts.
//!
//! Every part says how many states each letter has brought. What one letter has brought to all parts was found together;
//! within it, equal shares of all parts are taken to have been found together.

use crate::store::{PARTS, Store};
use std::ops::Range;

/// About how many states of every part lie side by side.
const STRIP: usize = 4;

/// The states of a level, as places in the parts.
pub(super) struct Level {
    /// By letter and part, where its states begin; one more for the end.
    begins: Vec<[u32; PARTS]>,
    strips: Vec<Strip>,
}

/// A share of what a letter has brought.
struct Strip {
    letter: u32,
    share: u32,
    shares: u32,
}

impl Level {
    /// About how many states a strip has.
    pub(super) const STRIP: usize = STRIP * PARTS;

    /// The present level of a set.
    pub(super) fn of(set: &impl Store) -> Level {
        let letters = set.brought(0).len();
        let (mut begins, mut strips) = (vec![[0; PARTS]], vec![]);
        for letter in 0..letters {
            let begin: [u32; PARTS] = begins[begins.len() - 1];
            let end: [u32; PARTS] = std::array::from_fn(|part| begin[part] + set.brought(part)[letter]);
            let states: usize = begin.iter().zip(&end).map(|(begin, end)| (end - begin) as usize).sum();
            let shares = states.div_ceil(Self::STRIP) as u32;
            if shares > 0 {
                let letter = begins.len() as u32 - 1;
                strips.extend((0..shares).map(|share| Strip { letter, share, shares }));
                begins.push(end);
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
        for strip in &self.strips[strips] {
            for part in 0..PARTS {
                for place in self.stretch(part, strip) {
                    see(part, place);
                }
            }
        }
    }

    #[inline]
    fn stretch(&self, part: usize, strip: &Strip) -> Range<usize> {
        let (begin, end) = (self.begins[strip.letter as usize][part], self.begins[strip.letter as usize + 1][part]);
        let share = |share: u32| begin as usize + (end - begin) as usize * share as usize / strip.shares as usize;
        share(strip.share)..share(strip.share + 1)
    }
}
