//! Dolev, Klawe and Rodeh: Franklin's rounds on a unidirectional ring, with unique identities.
//!
//! D. Dolev, M. Klawe, M. Rodeh: *An O(n log n) unidirectional distributed algorithm for extrema finding in a circle*,
//! Journal of Algorithms 3(3), 1982, Algorithm A. It ends when some process knows the largest identity, which need not be
//! its own. To make that an election, it sends the result on to the owner, who becomes leader.

use crate::message::{Identities, Mode};
use crate::{Card, Entry, Parameters, Refusal};
use ringleader_model::{
    Channels, Coin, Event, Marks, Network, Outbox, Process, RIGHT, Terminating, Variables, Visitor,
};

/// The algorithm for a ring with these identities.
#[derive(Clone, Debug)]
pub struct DolevKlaweRodeh {
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
    /// The identity on whose behalf it competes; 0 once passive.
    pub max: u32,
    /// The identity of the nearest active process to the left, once received; 0 for none yet.
    pub left: u32,
}

/// An identity that travels to the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// From an active process to the next active process.
    One(u32),
    /// From an active process to the second active process after it.
    Two(u32),
    /// The result, on its way to the owner of the identity.
    Elected(u32),
}

impl Default for Message {
    fn default() -> Self {
        Message::One(0)
    }
}

impl Variables for DolevKlaweRodeh {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        let n = self.identities.size().into();
        s.mode.variable(v);
        v.range("id", 0, n, &mut s.id);
        v.range("max", 0, n, &mut s.max);
        v.range("left", 0, n, &mut s.left);
    }
}

impl DolevKlaweRodeh {
    fn active(s: &mut State, message: Message, out: &mut impl Outbox<Message>) {
        match message {
            Message::One(id) if id != s.max => {
                s.left = id;
                out.send(RIGHT, Message::Two(id));
            }
            Message::One(id) => Self::elected(s, id, out),
            Message::Two(id) if s.left > id && s.left > s.max => {
                *s = State { max: s.left, left: 0, ..*s };
                out.round();
                out.send(RIGHT, Message::One(s.max));
            }
            Message::Two(_) => Self::give_up(s),
            Message::Elected(id) => Self::elected(s, id, out),
        }
    }

    fn elected(s: &mut State, id: u32, out: &mut impl Outbox<Message>) {
        Self::give_up(s);
        if id == s.id {
            s.mode = Mode::Leader;
        } else {
            out.send(RIGHT, Message::Elected(id));
        }
    }

    fn give_up(s: &mut State) {
        *s = State { mode: Mode::Passive, id: s.id, ..State::default() };
    }
}

impl Process for DolevKlaweRodeh {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        let (mut kind, mut id) = match *m {
            Message::One(id) => (0, id),
            Message::Two(id) => (1, id),
            Message::Elected(id) => (2usize, id),
        };
        v.kind(&["one", "two", "elected"], &mut kind);
        v.range("id", 1, self.identities.size().into(), &mut id);
        *m = [Message::One, Message::Two, Message::Elected][kind](id);
    }

    fn start(&self, me: usize) -> State {
        let id = self.identities.identity(me);
        State { id, max: id, ..State::default() }
    }

    fn ready(&self, s: &State, event: &Event<Message>) -> bool {
        match (s.mode, event) {
            (Mode::Start, Event::Step) | (Mode::Passive, Event::Message { .. }) => true,
            (Mode::Active, Event::Message { message: Message::One(_), .. }) => s.left == 0,
            (Mode::Active, Event::Message { message: Message::Two(_), .. }) => s.left != 0,
            (Mode::Active, Event::Message { message: Message::Elected(_), .. }) => true,
            _ => false,
        }
    }

    fn on(&self, _: usize, s: &mut State, e: Event<Message>, out: &mut impl Outbox<Message>, _: &mut impl Coin) {
        match (s.mode, e) {
            (Mode::Start, Event::Step) => {
                s.mode = Mode::Active;
                out.round();
                out.send(RIGHT, Message::One(s.max));
            }
            (Mode::Active, Event::Message { message, .. }) => Self::active(s, message, out),
            (Mode::Passive, Event::Message { message: Message::Elected(id), .. }) => Self::elected(s, id, out),
            (Mode::Passive, Event::Message { message, .. }) => out.send(RIGHT, message),
            _ => {}
        }
    }

    fn marks(&self, _: usize, s: &State) -> Marks {
        s.mode.marks()
    }
}

impl Terminating for DolevKlaweRodeh {
    fn network(&self) -> Network {
        Network::Ring(self.identities.size() as usize)
    }

    fn channels(&self) -> Channels {
        Channels::Fifo
    }
}

impl Entry for DolevKlaweRodeh {
    const CARD: Card = Card {
        name: "dolev-klawe-rodeh",
        source: include_str!("dolev_klawe_rodeh.rs"),
        summary: "Dolev-Klawe-Rodeh: unique identities, unidirectional FIFO rings, O(n log n) messages",
        citation: "D. Dolev, M. Klawe, M. Rodeh: An O(n log n) unidirectional distributed algorithm for extrema finding \
                   in a circle, Journal of Algorithms 3(3), 1982, Algorithm A",
        channels: Some("reliable, FIFO: a message that overtakes another is taken for one of its round"),
        states: "4(n + 1)² for each identity",
        rules: "\
Messages one(id), two(id), elected(id), to the right. A process competes on behalf of max, at first its own identity.
- Start of a round: send one(max).
- Active, one(i), i other than max: keep it as left, send two(i). i = max: it is the largest of all; send elected(max),
  or become leader if it is its own.
- Active, two(j): if left > j and left > max: max becomes left, and a new round starts; otherwise become passive.
- Passive: forward. elected(id) is forwarded until it reaches the process with that identity, which becomes leader.",
        ..super::WITH_IDENTITIES
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        Ok(DolevKlaweRodeh { identities: super::identities(p)? })
    }
}
