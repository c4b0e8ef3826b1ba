//! Franklin's own algorithm: unique identities on a bidirectional ring.
//!
//! R. Franklin: *On an improved algorithm for decentralized extrema finding in circular configurations of processors*,
//! Communications of the ACM 25(5), 1982.
//!
//! The order in the channels does not matter. The largest identity never meets a larger one, and its owner forwards no other
//! identity, so only its owner can become leader. An active process sends as many messages in each direction as it
//! receives, in any order, so no process waits forever. Of two neighbouring active processes, one becomes passive as soon as
//! it receives the message of the other.

use crate::message::{Identities, Mode};
use crate::{Card, Entry, Parameters, Refusal, Topology};
use ringleader_model::{
    Coin, Event, Invariant, LEFT, Marks, Network, Outbox, Process, RIGHT, Terminating, Variables, Visitor,
};

/// The algorithm for a ring with these identities.
#[derive(Clone, Debug)]
pub struct FranklinIds {
    /// The identities of the processes.
    pub identities: Identities,
}

/// The state of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// Its mode.
    pub mode: Mode,
    /// Its identity, which never changes.
    pub id: u32,
    /// The identities received in this round from [`LEFT`] and [`RIGHT`]; 0 for none yet.
    pub heard: [u32; 2],
}

/// An identity that travels around the ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message(pub u32);

impl Variables for FranklinIds {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        let n = self.identities.size().into();
        s.mode.variable(v);
        v.range("id", 0, n, &mut s.id);
        v.range("left", 0, n, &mut s.heard[LEFT]);
        v.range("right", 0, n, &mut s.heard[RIGHT]);
    }
}

impl FranklinIds {
    fn new_round(s: &mut State, out: &mut impl Outbox<Message>) {
        *s = State { mode: Mode::Active, id: s.id, heard: [0, 0] };
        out.round();
        for port in [LEFT, RIGHT] {
            out.send(port, Message(s.id));
        }
    }
}

impl Process for FranklinIds {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        v.range("id", 1, self.identities.size().into(), &mut m.0);
    }

    fn start(&self, me: usize) -> State {
        State { id: self.identities.identity(me), ..State::default() }
    }

    /// A second message from the same side belongs to the next round.
    fn ready(&self, s: &State, event: &Event<Message>) -> bool {
        match (s.mode, event) {
            (Mode::Start, Event::Step) | (Mode::Passive, Event::Message { .. }) => true,
            (Mode::Active, Event::Message { from, .. }) => s.heard[*from] == 0,
            _ => false,
        }
    }

    fn on(&self, _: usize, s: &mut State, e: Event<Message>, out: &mut impl Outbox<Message>, _: &mut impl Coin) {
        match (s.mode, e) {
            (Mode::Start, Event::Step) => Self::new_round(s, out),
            (Mode::Passive, Event::Message { from, message }) => out.send(LEFT + RIGHT - from, message),
            (Mode::Active, Event::Message { message: Message(id), .. }) if id == s.id => {
                *s = State { mode: Mode::Leader, id, ..State::default() };
            }
            (Mode::Active, Event::Message { from, message: Message(id) }) => {
                s.heard[from] = id;
                if s.heard.contains(&0) {
                    return;
                }
                if s.heard.iter().any(|&heard| heard > s.id) {
                    *s = State { mode: Mode::Passive, id: s.id, ..State::default() };
                } else {
                    Self::new_round(s, out);
                }
            }
            _ => {}
        }
    }

    fn marks(&self, _: usize, s: &State) -> Marks {
        s.mode.marks()
    }
}

impl Terminating for FranklinIds {
    fn network(&self) -> Network {
        Network::Ring(self.identities.size() as usize)
    }

    fn invariants(&self) -> Vec<Invariant<'_, Self>> {
        vec![super::only_the_largest_leads(&self.identities, |state: &State| state.mode)]
    }
}

impl Entry for FranklinIds {
    const CARD: Card = Card {
        name: "franklin-ids",
        source: include_str!("franklin_ids.rs"),
        summary: "Franklin's own: unique identities, bidirectional rings, O(n log n) messages",
        citation: "R. Franklin: On an improved algorithm for decentralized extrema finding in circular configurations of \
                   processors, Communications of the ACM 25(5), 1982",
        topology: Topology::BidirectionalRing,
        states: "4(n + 1)² for each identity",
        rules: "\
Messages (id), both ways.
- Start of a round: send (own id) both ways.
- Passive: forward in the same direction.
- Active: its own id: become leader. Otherwise keep what is received until one from each direction is in; then become
  passive if either is larger than its own, else start a new round.",
        ..super::WITH_IDENTITIES
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        Ok(FranklinIds { identities: super::identities(p)? })
    }
}
