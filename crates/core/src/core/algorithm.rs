//! The shell around an algorithm: all that is compiled once for each. Its state and the messages that wait for the next iteration
//! are inside; outside, a message is bytes.

use super::Corruption;
use crate::coin::SplitMix;
use crate::fields;
use ringleader_model::{Event, Timed, Timing, corrupt, text};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A message to be sent.
pub(super) struct Message {
    pub(super) to: usize,
    /// The first word of its text.
    pub(super) kind: String,
    pub(super) bytes: Vec<u8>,
}

/// What a process shows of itself.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    pub(super) leader: usize,
    pub(super) epoch: u64,
    pub(super) stands: Option<bool>,
}

/// One process of some algorithm.
pub(super) trait Algorithm: Send {
    fn size(&self) -> usize;
    fn timing(&self) -> Timing;
    fn timeout(&self) -> u64;
    /// Begins anew.
    fn restart(&mut self);
    /// Keeps a message until the next iteration and gives its kind, if these bytes are one. `short`: fields at the end may be missing.
    fn take(&mut self, from: usize, bytes: &[u8], short: bool) -> Option<String>;
    /// The messages that wait, then the tick; before both a step of its own accord, if it is to.
    fn iterate(&mut self, steps: bool, coin: &mut SplitMix) -> Vec<Message>;
    /// A step of its own accord.
    fn step(&mut self, coin: &mut SplitMix) -> Vec<Message>;
    /// Takes an accusation of silence, where the algorithm knows any.
    fn accuse(&mut self, coin: &mut SplitMix);
    fn shown(&self) -> Shown;
    fn corrupt(&mut self, corruption: Corruption, coin: &mut SplitMix);
    fn text(&self) -> String;
}

/// A process with its buffer.
pub(super) struct Shell<A: Timed> {
    algorithm: Arc<A>,
    me: usize,
    state: A::State,
    /// The newest message of each sender and slot since the last iteration.
    inbox: BTreeMap<(usize, usize), A::Message>,
}

impl<A: Timed> Shell<A> {
    pub(super) fn new(algorithm: Arc<A>, me: usize) -> Shell<A> {
        Shell { state: algorithm.start(me), algorithm, me, inbox: BTreeMap::new() }
    }

    fn on(&mut self, events: impl IntoIterator<Item = Event<A::Message>>, coin: &mut SplitMix) -> Vec<Message> {
        let mut sent = vec![];
        for event in events {
            self.algorithm.on(self.me, &mut self.state, event, &mut sent, coin);
        }
        let message = |(to, message): (usize, A::Message)| {
            let mut bytes = vec![];
            fields::encode(&*self.algorithm, &message, &mut bytes);
            Message { to, kind: kind(&message), bytes }
        };
        sent.into_iter().map(message).collect()
    }
}

impl<A: Timed> Algorithm for Shell<A> {
    fn size(&self) -> usize {
        self.algorithm.size()
    }

    fn timing(&self) -> Timing {
        self.algorithm.timing()
    }

    fn timeout(&self) -> u64 {
        self.algorithm.timeout()
    }

    fn restart(&mut self) {
        self.state = self.algorithm.start(self.me);
    }

    fn take(&mut self, from: usize, bytes: &[u8], short: bool) -> Option<String> {
        let message = fields::decode(&*self.algorithm, bytes, short)?;
        let kind = kind(&message);
        self.inbox.insert((from, self.algorithm.slot(&message)), message);
        Some(kind)
    }

    fn iterate(&mut self, steps: bool, coin: &mut SplitMix) -> Vec<Message> {
        let inbox = std::mem::take(&mut self.inbox).into_iter();
        let messages = inbox.map(|((from, _), message)| Event::Message { from, message });
        self.on(steps.then_some(Event::Step).into_iter().chain(messages).chain([Event::Tick]), coin)
    }

    fn step(&mut self, coin: &mut SplitMix) -> Vec<Message> {
        self.on([Event::Step], coin)
    }

    fn accuse(&mut self, coin: &mut SplitMix) {
        let other = if self.me == 0 { self.algorithm.size() - 1 } else { 0 };
        if let Some(message) = self.algorithm.accusation(self.me, &self.state).filter(|_| other != self.me) {
            self.on([Event::Message { from: other, message }], coin);
        }
    }

    fn shown(&self) -> Shown {
        let (algorithm, me, state) = (&self.algorithm, self.me, &self.state);
        Shown {
            leader: algorithm.leader(me, state),
            epoch: algorithm.epoch(me, state),
            stands: algorithm.stands(me, state),
        }
    }

    fn corrupt(&mut self, corruption: Corruption, coin: &mut SplitMix) {
        let algorithm = &*self.algorithm;
        match corruption {
            Corruption::Random => {
                self.state = corrupt::arbitrary(algorithm, coin);
                for sender in (0..algorithm.size()).filter(|&q| q != self.me) {
                    let mut message = A::Message::default();
                    algorithm.message_variables(&mut message, &mut corrupt::Arbitrary(coin));
                    self.inbox.insert((sender, algorithm.slot(&message)), message);
                }
            }
            Corruption::Low => self.state = corrupt::extreme(algorithm, corrupt::Extreme::Low),
            Corruption::High => self.state = corrupt::extreme(algorithm, corrupt::Extreme::High),
        }
    }

    fn text(&self) -> String {
        text::print_state(&*self.algorithm, &self.state)
    }
}

/// A message's kind: the first word of its text.
fn kind(message: &impl ToString) -> String {
    let mut kind = message.to_string();
    kind.truncate(kind.find(char::is_whitespace).unwrap_or(kind.len()));
    kind
}
