//! Probabilistic Franklin without the round bit: wrong unless channels keep the order.
//!
//! R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: *Leader election in anonymous rings: Franklin goes probabilistic*,
//! IFIP TCS 2008, section 3 (the flaw) and Proposition 1 (FIFO channels).

use crate::message::{IDS, Mode};
use crate::{Card, Entry, Kind, Parameter, Parameters, Refusal, Topology};
use ringleader_model::{
    Coin, Event, LEFT, Marks, Network, Outbox, Port, Process, RIGHT, Scheduler, Terminating, Variables, Visitor,
};

/// The algorithm for a ring of `size` processes that draw identities from `1..=ids`.
#[derive(Clone, Copy, Debug)]
pub struct FranklinNoBit {
    /// n, known to all.
    pub size: u32,
    /// k, how many identities there are.
    pub ids: u32,
}

/// The state of a process; only active ones use more than the mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// What it is doing.
    pub mode: Mode,
    /// Its identity in this round.
    pub id: u32,
    /// The identities received in this round from [`LEFT`] and [`RIGHT`]; 0 for none yet.
    pub heard: [u32; 2],
}

/// An identity on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// The sender's identity.
    pub id: u32,
    /// How many links it has crossed, this one included.
    pub hop: u32,
}

impl Variables for FranklinNoBit {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        s.mode.variable(v);
        v.range("id", 0, self.ids.into(), &mut s.id);
        v.range("left", 0, self.ids.into(), &mut s.heard[LEFT]);
        v.range("right", 0, self.ids.into(), &mut s.heard[RIGHT]);
    }
}

impl FranklinNoBit {
    fn new_round(&self, s: &mut State, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        *s = State { mode: Mode::Active, id: 1 + coin.below(self.ids), heard: [0, 0] };
        out.round();
        for port in [LEFT, RIGHT] {
            out.send(port, Message { id: s.id, hop: 1 });
        }
    }

    fn active(&self, s: &mut State, from: Port, m: Message, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        if m.hop == self.size {
            *s = State { mode: Mode::Leader, ..State::default() };
            return;
        }
        s.heard[from] = m.id;
        if s.heard.contains(&0) {
            return;
        }
        if s.heard.iter().any(|&id| id > s.id) {
            *s = State { mode: Mode::Passive, ..State::default() };
        } else {
            self.new_round(s, out, coin);
        }
    }
}

impl Process for FranklinNoBit {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        v.range("id", 1, self.ids.into(), &mut m.id);
        v.range("hop", 1, self.size.into(), &mut m.hop);
    }

    fn start(&self, _: usize) -> State {
        State::default()
    }

    fn ready(&self, s: &State, event: &Event<Message>) -> bool {
        match (s.mode, event) {
            (Mode::Start, Event::Step) | (Mode::Passive, Event::Message { .. }) => true,
            (Mode::Active, Event::Message { from, .. }) => s.heard[*from] == 0,
            _ => false,
        }
    }

    fn on(&self, _: usize, s: &mut State, e: Event<Message>, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        match (s.mode, e) {
            (Mode::Start, Event::Step) => self.new_round(s, out, coin),
            (Mode::Passive, Event::Message { from, message }) => {
                out.send(LEFT + RIGHT - from, Message { hop: message.hop + 1, ..message });
            }
            (Mode::Active, Event::Message { from, message }) => self.active(s, from, message, out, coin),
            _ => {}
        }
    }

    fn marks(&self, _: usize, s: &State) -> Marks {
        s.mode.marks()
    }
}

impl Terminating for FranklinNoBit {
    fn network(&self) -> Network {
        Network::Ring(self.size as usize)
    }
}

impl Entry for FranklinNoBit {
    const CARD: Card = Card {
        name: "franklin-no-bit",
        source: include_str!("franklin_no_bit.rs"),
        summary: "probabilistic Franklin without its round bit: all may give up",
        citation: "R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: Leader election in anonymous rings: Franklin goes \
                   probabilistic, IFIP TCS 2008, section 3 and Proposition 1",
        kind: Kind::Message,
        topology: Topology::BidirectionalRing,
        sizes: "n >= 2",
        knowledge: "the size n",
        scheduler: Scheduler::Random,
        assumes: "any scheduler, starting clean, FIFO channels (Proposition 1)",
        channels: Some("reliable; right with FIFO, wrong with bags"),
        states: "2 + k(k + 1)² and start",
        claim: "with FIFO channels: terminates with probability 1, and then exactly one process is leader; not \
                self-stabilizing",
        default_size: 3,
        parameters: &[Parameter { default: "3", ..IDS }],
        rules: "\
Messages (id, hop); an active process has an identity.
- Start of a round: choose id uniformly from 1..k, send (id, 1) both ways.
- Passive: forward in the same direction with hop + 1.
- Active: hop = n: become leader. Otherwise keep the message until one from each direction is in; then passive if either
  id is larger than its own, else start a new round.",
        flaw: Some(
            "with bag channels a message can be overtaken by one of the next round and then count in a round it does not \
             belong to, so that all processes may become passive (section 3, for n = 3, k = 3; n = 2, k = 3 and n = 3, \
             k = 2 are enough). With FIFO channels it is right (Proposition 1); franklin, with its bit, is right with bags",
        ),
        ..Card::BLANK
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        Ok(FranklinNoBit { size: super::ring_size(p)?, ids: super::ids(p, 3)? })
    }
}
