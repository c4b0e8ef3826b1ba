//! The first design for S1: every process spreads counters of silences to all others, and its favourite has the least counter. The leader is the
//! favourite's favourite. A corrupted counter delays recovery in proportion to its value.

use super::{Message, RobustS1, State};
use crate::robust::others;
use ringleader_model::Timed;
use std::fmt;

/// (ALIVE, Counter, Local, opinions): the sender's counters, its favourite, and the favourites of others that it heard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Counters {
    /// The sender's counters.
    pub counter: Vec<u64>,
    /// The sender's favourite.
    pub local: usize,
    /// The favourites of the processes that the sender heard since it last sent; n for the others.
    pub opinion: Vec<usize>,
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ALIVE {:?} {} {:?}", self.counter, self.local, self.opinion)
    }
}

impl RobustS1 {
    pub(super) fn merge(&self, p: usize, s: &mut State, q: usize, m: &Counters) {
        s.counter.iter_mut().zip(&m.counter).for_each(|(own, heard)| *own = (*own).max(*heard));
        s.opinion[q] = m.local;
        s.fresh[q] = true;
        for x in others(self.size, p).filter(|&x| x != q && m.opinion[x] < self.size) {
            s.opinion[x] = m.opinion[x];
        }
    }

    pub(super) fn count(&self, p: usize, s: &mut State) {
        for q in others(self.size, p) {
            if s.receive_timer[q] <= self.timeout() {
                continue;
            }
            s.counter[q] = s.counter[q].saturating_add(1);
            s.receive_timer[q] = 0;
        }
        s.local = (0..self.size).min_by_key(|&q| (s.counter[q], q)).unwrap_or(p);
        s.opinion[p] = s.local;
        s.leader = s.opinion[s.local];
    }

    pub(super) fn report(&self, s: &mut State) -> Message {
        let opinion = (0..self.size).map(|x| if s.fresh[x] { s.opinion[x] } else { self.size }).collect();
        s.fresh.fill(false);
        Message::Counters(Counters { counter: s.counter.clone(), local: s.local, opinion })
    }
}
