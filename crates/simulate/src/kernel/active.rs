//! The set of active arcs: put in, taken out and drawn from in constant time, and drawn far enough ahead that memory answers
//! in time.

use crate::Generator;

const ABSENT: u32 = u32::MAX;
/// How many draws are made ahead.
const AHEAD: usize = 8;

/// A set of arcs that can be drawn from.
///
/// In a large set every draw would wait for memory, several times. So random words are drawn ahead, and a word stands for a
/// position in a range somewhat larger than the set, which stays the same while the set grows and shrinks a little: what will
/// be needed can be fetched early. A position past the end is drawn again, so every member is equally likely.
#[derive(Debug)]
pub(crate) struct Active {
    members: Vec<u32>,
    /// Where an arc stands in `members`, or `ABSENT`.
    place: Vec<u32>,
    /// The range of positions: at least as large as the set.
    range: u64,
    words: [u64; AHEAD],
    next: usize,
}

impl Active {
    /// The empty set of at most `arcs` arcs.
    pub(crate) fn new(arcs: u64, coin: &mut Generator) -> Active {
        assert!(arcs < u64::from(ABSENT), "more arcs than can be listed");
        let words = std::array::from_fn(|_| coin.word());
        Active { members: vec![], place: vec![ABSENT; arcs as usize], range: 1, words, next: 0 }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn clear(&mut self) {
        self.members.clear();
        self.place.fill(ABSENT);
    }

    /// Puts an arc in or takes it out.
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

    /// A uniformly random member. `fetch` is told of an arc that may be drawn soon.
    #[inline]
    pub(crate) fn draw(&mut self, coin: &mut Generator, fetch: impl Fn(usize)) -> usize {
        let len = self.members.len() as u64;
        if self.range < len || self.range > 8 + len + len / 4 {
            self.range = 4 + len + len / 8;
        }
        loop {
            let slot = self.next;
            self.next = (slot + 1) % AHEAD;
            let position = self.position(self.words[slot]);
            self.words[slot] = coin.word();
            let _ = std::hint::black_box(self.members.get(self.position(self.words[slot])));
            if let Some(&soon) = self.members.get(self.position(self.words[(slot + AHEAD / 2) % AHEAD])) {
                std::hint::black_box(self.place[soon as usize]);
                fetch(soon as usize);
            }
            if let Some(&arc) = self.members.get(position) {
                return arc as usize;
            }
        }
    }

    #[inline]
    fn position(&self, word: u64) -> usize {
        // A bias below 2^-32: far less than any number of runs could show.
        ((u128::from(word) * u128::from(self.range)) >> 64) as usize
    }
}

impl Clone for Active {
    fn clone(&self) -> Self {
        Active { members: self.members.clone(), place: self.place.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        self.members.clone_from(&other.members);
        self.place.clone_from(&other.place);
        (self.range, self.words, self.next) = (other.range, other.words, other.next);
    }
}
