//! The process that a core runs, with messages as bytes. [`TimedProcess`] is the only part that is compiled for each robust algorithm; it
//! contains the state and the messages that wait for the next iteration.

use crate::fields;
use crate::kind::{NeighbourKind, PayloadKind};
use crate::wire::MAX_DATAGRAM;
use ringleader_model::{Coin, Event, MessageKind, Timed, Timing, Visitor, corrupt, text};
use std::sync::Arc;

/// A message to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The receiver.
    pub to: usize,
    /// Its kind.
    pub kind: PayloadKind,
    /// Its encoding.
    pub bytes: Vec<u8>,
}

impl Message {
    /// A message to a neighbour.
    pub(crate) fn between(to: usize, kind: NeighbourKind, bytes: Vec<u8>) -> Message {
        Message { to, kind: PayloadKind::Neighbour(kind), bytes }
    }
}

/// The observable state of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The leader that it names.
    pub leader: usize,
    /// The algorithm's number for this leadership.
    pub epoch: u64,
    /// Whether it stands by this leader, if the algorithm can tell.
    pub stands: Option<bool>,
    /// Whether it has stopped acting and holds its place until it is released.
    pub holds: bool,
    /// Whether it has asked its leader to hand over for longer than a handover takes.
    pub asks_in_vain: bool,
    /// Whether it holds the token; `None` if the algorithm has no token.
    pub token: Option<bool>,
    /// The errand that has to end before the token moves on.
    pub errand: Option<u64>,
    /// The iterations of the leader's silence after which the process gives it up, if the algorithm adapts them.
    pub patience: Option<u64>,
}

/// One process of an algorithm, as a [`Core`](crate::Core) runs it.
pub trait Algorithm: Send {
    /// The number of processes.
    fn size(&self) -> usize;
    /// The timing that it assumes.
    fn timing(&self) -> Timing;
    /// The iterations after which its last timer fires.
    fn timeout(&self) -> u64;
    /// Starts again; `behind`: it led before, and another process leads now, so it ranks behind that one.
    fn restart(&mut self, behind: bool);
    /// Takes a message, immediately or for the next iteration, and returns its kind; `None` if the bytes are not a message. Messages to be
    /// sent immediately are added to `out`.
    fn take(&mut self, from: usize, bytes: &[u8], coin: &mut dyn Coin, out: &mut Vec<Message>) -> Option<PayloadKind>;
    /// The kind of the message in these bytes, if it can be told without taking the message.
    fn kind(&self, _bytes: &[u8]) -> Option<MessageKind> {
        None
    }
    /// The length of its longest message, in bytes.
    fn longest(&self) -> usize {
        MAX_DATAGRAM
    }
    /// The errand with this number has ended.
    fn errand_done(&mut self, _errand: u64) {}
    /// One iteration: a spontaneous step if `steps`, the waiting messages, then the tick.
    fn iterate(&mut self, steps: bool, coin: &mut dyn Coin) -> Vec<Message>;
    /// A spontaneous step.
    fn step(&mut self, coin: &mut dyn Coin) -> Vec<Message>;
    /// Forgets the messages of these kinds that wait for the next iteration.
    fn forget(&mut self, _kinds: &[MessageKind]) {}
    /// Takes an accusation of silence, if the algorithm has accusations.
    fn accuse(&mut self, _coin: &mut dyn Coin) {}
    /// A leader that hears nobody hands over to one of these processes, if the algorithm has handovers.
    fn hand_over(&mut self, _heirs: &[usize]) -> Vec<Message> {
        vec![]
    }
    /// The loop stood still for the time of about this many iterations.
    fn stalled(&mut self, _iterations: u64) {}
    /// An unauthenticated message says that this peer is not there.
    fn doubt(&mut self, _peer: usize) -> Vec<Message> {
        vec![]
    }
    /// The iterations of a leader's silence after which every process gives it up, if the algorithm has such a bound.
    fn most_patience(&self) -> Option<u64> {
        None
    }
    /// Its observable state.
    fn shown(&self) -> Shown;
    /// Shows every variable to a visitor that may replace it.
    fn memory(&mut self, visitor: &mut dyn Visitor);
    /// Replaces the waiting messages by arbitrary ones.
    fn litter(&mut self, _coin: &mut dyn Coin) {}
    /// Its variables as text.
    fn text(&self) -> String;
    /// The same, for algorithms whose variables show more than the leader.
    fn variables(&self) -> Option<String> {
        None
    }
}

/// A process of a robust algorithm with its buffer.
pub(super) struct TimedProcess<A: Timed> {
    algorithm: Arc<A>,
    me: usize,
    state: A::State,
    /// The newest message of each sender and slot since the last iteration, in this order. (A `BTreeMap` of each algorithm's messages would be a
    /// seventh of the daemon's own code.)
    inbox: Vec<((usize, usize), A::Message)>,
}

impl<A: Timed> TimedProcess<A> {
    pub(super) fn new(algorithm: Arc<A>, me: usize) -> TimedProcess<A> {
        TimedProcess { state: algorithm.start(me), algorithm, me, inbox: vec![] }
    }

    /// Keeps a message for the next iteration, instead of the one before it in its slot.
    fn keep(&mut self, from: usize, message: A::Message) {
        let slot = (from, self.algorithm.slot(&message));
        match self.inbox.binary_search_by_key(&slot, |(slot, _)| *slot) {
            Ok(at) => self.inbox[at].1 = message,
            Err(at) => self.inbox.insert(at, (slot, message)),
        }
    }

    fn on(&mut self, events: impl IntoIterator<Item = Event<A::Message>>, mut coin: &mut dyn Coin) -> Vec<Message> {
        let mut sent = vec![];
        for event in events {
            self.algorithm.on(self.me, &mut self.state, event, &mut sent, &mut coin);
        }
        self.encode(sent)
    }

    fn encode(&self, sent: Vec<(usize, A::Message)>) -> Vec<Message> {
        let message = |(to, message): (usize, A::Message)| {
            let mut bytes = vec![];
            fields::encode(&*self.algorithm, &message, &mut bytes);
            Message { to, kind: PayloadKind::Timed(self.algorithm.kind(&message)), bytes }
        };
        sent.into_iter().map(message).collect()
    }
}

impl<A: Timed> Algorithm for TimedProcess<A> {
    fn size(&self) -> usize {
        self.algorithm.size()
    }

    fn timing(&self) -> Timing {
        self.algorithm.timing()
    }

    fn timeout(&self) -> u64 {
        self.algorithm.timeout()
    }

    fn restart(&mut self, behind: bool) {
        self.state = self.algorithm.again(self.me, &self.state, behind);
    }

    fn take(&mut self, from: usize, bytes: &[u8], _: &mut dyn Coin, _: &mut Vec<Message>) -> Option<PayloadKind> {
        let message = fields::decode(&*self.algorithm, bytes)?;
        let kind = self.algorithm.kind(&message);
        self.keep(from, message);
        Some(PayloadKind::Timed(kind))
    }

    fn kind(&self, bytes: &[u8]) -> Option<MessageKind> {
        fields::decode(&*self.algorithm, bytes).map(|message: A::Message| self.algorithm.kind(&message))
    }

    fn longest(&self) -> usize {
        // All messages of an algorithm have the same fields.
        let mut bytes = vec![];
        fields::encode(&*self.algorithm, &A::Message::default(), &mut bytes);
        bytes.len()
    }

    fn iterate(&mut self, steps: bool, coin: &mut dyn Coin) -> Vec<Message> {
        let inbox = std::mem::take(&mut self.inbox).into_iter();
        let messages = inbox.map(|((from, _), message)| Event::Message { from, message });
        self.on(steps.then_some(Event::Step).into_iter().chain(messages).chain([Event::Tick]), coin)
    }

    fn forget(&mut self, kinds: &[MessageKind]) {
        self.inbox.retain(|(_, message)| !kinds.contains(&self.algorithm.kind(message)));
    }

    fn step(&mut self, coin: &mut dyn Coin) -> Vec<Message> {
        self.on([Event::Step], coin)
    }

    fn accuse(&mut self, coin: &mut dyn Coin) {
        let other = if self.me == 0 { self.algorithm.size() - 1 } else { 0 };
        if let Some(message) = self.algorithm.accusation(self.me, &self.state).filter(|_| other != self.me) {
            self.on([Event::Message { from: other, message }], coin);
        }
    }

    fn hand_over(&mut self, heirs: &[usize]) -> Vec<Message> {
        let mut sent = vec![];
        self.algorithm.hand_over(self.me, &mut self.state, heirs, &mut sent);
        self.encode(sent)
    }

    fn stalled(&mut self, iterations: u64) {
        self.algorithm.stalled(self.me, &mut self.state, iterations);
    }

    fn most_patience(&self) -> Option<u64> {
        self.algorithm.most_patience()
    }

    fn doubt(&mut self, peer: usize) -> Vec<Message> {
        let mut sent = vec![];
        self.algorithm.doubt(self.me, &mut self.state, peer, &mut sent);
        self.encode(sent)
    }

    fn shown(&self) -> Shown {
        let (algorithm, me, state) = (&self.algorithm, self.me, &self.state);
        Shown {
            leader: algorithm.leader(me, state),
            epoch: algorithm.epoch(me, state),
            stands: algorithm.stands(me, state),
            holds: algorithm.holds_place(me, state),
            asks_in_vain: algorithm.asks_in_vain(me, state),
            patience: algorithm.patience(me, state),
            ..Shown::default()
        }
    }

    fn memory(&mut self, visitor: &mut dyn Visitor) {
        self.algorithm.variables(&mut self.state, visitor);
    }

    fn litter(&mut self, mut coin: &mut dyn Coin) {
        let me = self.me;
        for sender in (0..self.algorithm.size()).filter(|&q| q != me) {
            let mut message = A::Message::default();
            self.algorithm.message_variables(&mut message, &mut corrupt::Arbitrary(&mut coin));
            self.keep(sender, message);
        }
    }

    fn text(&self) -> String {
        text::print_state(&*self.algorithm, &self.state)
    }
}
