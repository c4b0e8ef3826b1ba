//! The messages of the algorithm for S1.

use super::{Counters, RobustS1, State};
use crate::robust::{list, repeats};
use ringleader_model::Visitor;
use std::fmt;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// (ALIVE, round, accused): the sender's round, and the processes that it lately found silent.
    Alive(u64, Vec<bool>),
    /// The message of the first design.
    Counters(Counters),
}

impl Default for Message {
    fn default() -> Message {
        Message::Alive(0, vec![])
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Alive(round, accused) => {
                write!(f, "ALIVE {round}")?;
                (0..accused.len()).filter(|&q| accused[q]).try_for_each(|q| write!(f, " -{q}"))
            }
            Message::Counters(counters) => counters.fmt(f),
        }
    }
}

impl Message {
    /// Shows its fields, as an ALIVE with a round.
    pub(super) fn alive(&mut self, n: usize, v: &mut dyn Visitor) {
        let (mut round, mut accused) = match self {
            Message::Alive(round, accused) => (*round, std::mem::take(accused)),
            Message::Counters(_) => (0, vec![]),
        };
        v.word("round", &mut round);
        list(v, "accused", n, 1, &mut accused);
        *self = Message::Alive(round, accused);
    }

    /// Shows its fields, as counters.
    pub(super) fn counters(&mut self, n: usize, v: &mut dyn Visitor) {
        let mut c = if let Message::Counters(c) = self { std::mem::take(c) } else { Counters::default() };
        v.range("local", 0, n as u64 - 1, &mut c.local);
        c.counter.resize(n, 0);
        c.opinion.resize(n, n);
        for q in 0..n {
            v.word(("counter", q), &mut c.counter[q]);
            v.range(("opinion", q), 0, n as u64, &mut c.opinion[q]);
        }
        *self = Message::Counters(c);
    }
}

impl RobustS1 {
    /// The message of a process: its round, and the processes that it misses.
    pub(super) fn tell(&self, s: &mut State) -> Message {
        let accused = s.accuse.iter().map(|&times| times > 0).collect();
        s.accuse.iter_mut().for_each(|times| *times = (*times).min(repeats(self.timing)).saturating_sub(1));
        Message::Alive(s.round, accused)
    }
}
