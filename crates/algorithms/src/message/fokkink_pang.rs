//! Fokkink and Pang: Itai-Rodeh without round numbers, which FIFO channels make unnecessary.
//!
//! W. Fokkink, J. Pang: *Variations on Itai-Rodeh leader election for anonymous rings and their analysis in PRISM*,
//! Journal of Universal Computer Science 12(8), 2006, Algorithm A.

use crate::message::Mode;
use crate::{Card, Entry, Parameters, Refusal};
use ringleader_model::{
    Channels, Coin, Event, Marks, Network, Outbox, Process, RIGHT, Terminating, Variables, Visitor,
};
use std::cmp::Ordering;

/// The algorithm for a ring of `size` processes that draw identities from `1..=ids`.
#[derive(Clone, Copy, Debug)]
pub struct FokkinkPang {
    /// n, known to all processes.
    pub size: u32,
    /// k, the number of identities.
    pub ids: u32,
}

/// The state of a process; only active ones use more than the mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// Its mode.
    pub mode: Mode,
    /// Its identity in this round.
    pub id: u32,
}

/// An identity that travels to the right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// The sender's identity.
    pub id: u32,
    /// The number of links that it has crossed, including this one.
    pub hop: u32,
    /// Whether no other process with the same identity has received it.
    pub unique: bool,
}

impl Variables for FokkinkPang {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        s.mode.variable(v);
        v.range("id", 0, self.ids.into(), &mut s.id);
    }
}

impl FokkinkPang {
    fn new_round(&self, s: &mut State, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        *s = State { mode: Mode::Active, id: 1 + coin.below(self.ids) };
        out.round();
        out.send(RIGHT, Message { id: s.id, hop: 1, unique: true });
    }

    fn active(&self, s: &mut State, m: Message, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        if m.hop == self.size {
            if m.unique {
                *s = State { mode: Mode::Leader, ..State::default() };
            } else {
                self.new_round(s, out, coin);
            }
            return;
        }
        match m.id.cmp(&s.id) {
            Ordering::Greater => {
                *s = State { mode: Mode::Passive, ..State::default() };
                out.send(RIGHT, Message { hop: m.hop + 1, ..m });
            }
            Ordering::Less => {}
            Ordering::Equal => out.send(RIGHT, Message { hop: m.hop + 1, unique: false, ..m }),
        }
    }
}

impl Process for FokkinkPang {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        v.range("id", 1, self.ids.into(), &mut m.id);
        v.range("hop", 1, self.size.into(), &mut m.hop);
        v.symbol("unique", &["false", "true"], &mut m.unique);
    }

    fn start(&self, _: usize) -> State {
        State::default()
    }

    fn ready(&self, s: &State, event: &Event<Message>) -> bool {
        s.mode.takes(event)
    }

    fn on(&self, _: usize, s: &mut State, e: Event<Message>, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        match (s.mode, e) {
            (Mode::Start, Event::Step) => self.new_round(s, out, coin),
            (Mode::Passive, Event::Message { message: m, .. }) => out.send(RIGHT, Message { hop: m.hop + 1, ..m }),
            (Mode::Active, Event::Message { message, .. }) => self.active(s, message, out, coin),
            _ => {}
        }
    }

    fn marks(&self, _: usize, s: &State) -> Marks {
        s.mode.marks()
    }
}

impl Terminating for FokkinkPang {
    fn network(&self) -> Network {
        Network::Ring(self.size as usize)
    }

    fn channels(&self) -> Channels {
        Channels::Fifo
    }
}

impl Entry for FokkinkPang {
    const CARD: Card = Card {
        name: "fokkink-pang",
        source: include_str!("fokkink_pang.rs"),
        summary: "Fokkink-Pang: anonymous unidirectional FIFO rings, no rounds, finite-state",
        citation: "W. Fokkink, J. Pang: Variations on Itai-Rodeh leader election for anonymous rings and their analysis in \
                   PRISM, Journal of Universal Computer Science 12(8), 2006, Algorithm A",
        channels: Some("reliable, FIFO: only then a message that comes belongs to the present round"),
        states: "2 + k and start",
        rules: "\
Messages (id, hop, flag), to the right; an active process has an identity.
- Start of a round: choose id uniformly from 1..k, send (id, 1, true).
- Passive: forward with hop + 1.
- Active: hop = n and flag true: become leader. hop = n and flag false: start a new round.
- Active, hop < n: an id as its own: forward with hop + 1 and flag false. Larger: become passive and forward with hop + 1.
  Smaller: drop it.",
        ..super::ANONYMOUS
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        Ok(FokkinkPang { size: super::ring_size(p)?, ids: super::ids(p, 2)? })
    }
}
