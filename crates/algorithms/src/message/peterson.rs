//! Peterson: Franklin's rounds on a unidirectional ring, with unique identities.
//!
//! G. L. Peterson: *An O(n log n) unidirectional algorithm for the circular extrema problem*, ACM Transactions on
//! Programming Languages and Systems 4(4), 1982, the basic algorithm.

use crate::message::{Identities, Mode};
use crate::{Card, Entry, Parameters, Refusal};
use ringleader_model::{
    Channels, Coin, Event, Marks, Network, Outbox, Process, RIGHT, Terminating, Variables, Visitor,
};

/// The algorithm for a ring with these identities.
#[derive(Clone, Debug)]
pub struct Peterson {
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
    /// tid, its temporary identity; 0 once passive.
    pub tid: u32,
    /// ntid, the temporary identity of the nearest active process to the left; 0 for none yet.
    pub ntid: u32,
}

/// A temporary identity that travels to the right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message(pub u32);

impl Variables for Peterson {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        let n = self.identities.size().into();
        s.mode.variable(v);
        v.range("id", 0, n, &mut s.id);
        v.range("tid", 0, n, &mut s.tid);
        v.range("ntid", 0, n, &mut s.ntid);
    }
}

impl Peterson {
    fn active(s: &mut State, received: u32, out: &mut impl Outbox<Message>) {
        if s.ntid == 0 {
            s.ntid = received;
            out.send(RIGHT, Message(s.tid.max(s.ntid)));
        } else if s.ntid >= s.tid.max(received) {
            *s = State { tid: s.ntid, ntid: 0, ..*s };
            out.round();
            out.send(RIGHT, Message(s.tid));
        } else {
            *s = State { mode: Mode::Passive, id: s.id, ..State::default() };
        }
    }
}

impl Process for Peterson {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        v.range("id", 1, self.identities.size().into(), &mut m.0);
    }

    fn start(&self, me: usize) -> State {
        let id = self.identities.identity(me);
        State { id, tid: id, ..State::default() }
    }

    fn ready(&self, s: &State, event: &Event<Message>) -> bool {
        s.mode.takes(event)
    }

    fn on(&self, _: usize, s: &mut State, e: Event<Message>, out: &mut impl Outbox<Message>, _: &mut impl Coin) {
        match (s.mode, e) {
            (Mode::Start, Event::Step) => {
                s.mode = Mode::Active;
                out.round();
                out.send(RIGHT, Message(s.tid));
            }
            (Mode::Active | Mode::Passive, Event::Message { message: Message(id), .. }) if id == s.id => {
                *s = State { mode: Mode::Leader, id, ..State::default() };
            }
            (Mode::Active, Event::Message { message: Message(id), .. }) => Self::active(s, id, out),
            (Mode::Passive, Event::Message { message, .. }) => out.send(RIGHT, message),
            _ => {}
        }
    }

    fn marks(&self, _: usize, s: &State) -> Marks {
        s.mode.marks()
    }
}

impl Terminating for Peterson {
    fn network(&self) -> Network {
        Network::Ring(self.identities.size() as usize)
    }

    fn channels(&self) -> Channels {
        Channels::Fifo
    }
}

impl Entry for Peterson {
    const CARD: Card = Card {
        name: "peterson",
        source: include_str!("peterson.rs"),
        summary: "Peterson: unique identities, unidirectional FIFO rings, O(n log n) messages",
        citation: "G. L. Peterson: An O(n log n) unidirectional algorithm for the circular extrema problem, ACM \
                   Transactions on Programming Languages and Systems 4(4), 1982",
        channels: Some("reliable, FIFO: the first and the second message of a round are told apart by their order"),
        states: "4(n + 1)² for each identity",
        claim: "terminates with the process of the largest identity as the only leader, though one that lends it its \
                identity may still wait as active; not self-stabilizing",
        rules: "\
Messages (id), to the right. A process competes with a temporary identity tid, at first its own.
- Start of a round: send (tid).
- Active, first message ntid of a round: keep it, send the larger of tid and ntid.
- Active, second message nntid: if ntid is at least tid and nntid, tid becomes ntid and a new round starts; otherwise
  become passive.
- Passive: forward.
- Its own identity, at any time: become leader.",
        ..super::WITH_IDENTITIES
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        Ok(Peterson { identities: super::identities(p)? })
    }
}
