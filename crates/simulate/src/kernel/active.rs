//! The set of active arcs: put in, taken out and drawn from in constant time.

use crate::Generator;
use ringleader_model::Coin;

const ABSENT: u32 = u32::MAX;

/// A set of arcs that can be drawn from.
#[derive(Debug)]
pub(crate) struct Active {
    members: Vec<u32>,
    /// Where an arc stands in `members`, or `ABSENT`.
    place: Vec<u32>,
}

impl Active {
    /// The empty set of at most `arcs` arcs.
    pub(crate) fn new(arcs: u64) -> Active {
        assert!(arcs < u64::from(ABSENT), "more arcs than can be listed");
        Active { members: vec![], place: vec![ABSENT; arcs as usize] }
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

    /// A uniformly random member.
    #[inline]
    pub(crate) fn draw(&self, coin: &mut Generator) -> usize {
        self.members[coin.below(self.members.len() as u32) as usize] as usize
    }
}

impl Clone for Active {
    fn clone(&self) -> Self {
        Active { members: self.members.clone(), place: self.place.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.members.clone_from(&other.members);
        self.place.clone_from(&other.place);
    }
}
