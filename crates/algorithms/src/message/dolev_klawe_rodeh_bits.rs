//! Probabilistic Dolev-Klawe-Rodeh with a round bit. It is wrong: the bit does not keep the messages in order.
//!
//! R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: *Leader election in anonymous rings: Franklin goes probabilistic*,
//! IFIP TCS 2008, section 8.

use crate::message::{IDS, Mode};
use crate::{Card, Entry, Parameter, Parameters, Refusal};
use ringleader_model::{
    Coin, Event, Marks, Network, Outbox, Process, RIGHT, Terminating, Variables, Visitor, scalar_enum,
};

/// The algorithm for a ring of `size` processes that draw identities from `1..=ids`.
#[derive(Clone, Copy, Debug)]
pub struct DolevKlaweRodehBits {
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
    /// The round, modulo 2.
    pub bit: bool,
    /// Its identity in this round.
    pub id: u32,
    /// The identity of the nearest active process to the left in this round; 0 for none yet.
    pub first: u32,
}

/// Whether a message is on the way to the next active process or to the one after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leg {
    #[default]
    /// From its sender to the next active process.
    One,
    /// From there to the active process after it.
    Two,
}

scalar_enum!(Leg: One, Two);

/// An identity that travels to the right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// The leg of its way.
    pub leg: Leg,
    /// The identity of its first sender.
    pub id: u32,
    /// The number of links that it has crossed, including this one.
    pub hop: u32,
    /// The round of its first sender, modulo 2.
    pub bit: bool,
}

impl Variables for DolevKlaweRodehBits {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        s.mode.variable(v);
        v.bit("bit", &mut s.bit);
        v.range("id", 0, self.ids.into(), &mut s.id);
        v.range("first", 0, self.ids.into(), &mut s.first);
    }
}

impl DolevKlaweRodehBits {
    fn new_round(&self, s: &mut State, bit: bool, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        *s = State { mode: Mode::Active, bit, id: 1 + coin.below(self.ids), first: 0 };
        out.round();
        out.send(RIGHT, Message { leg: Leg::One, id: s.id, hop: 1, bit });
    }

    fn active(&self, s: &mut State, m: Message, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        match m.leg {
            Leg::One if m.hop == self.size => *s = State { mode: Mode::Leader, ..State::default() },
            Leg::One => {
                s.first = m.id;
                out.send(RIGHT, Message { leg: Leg::Two, hop: m.hop + 1, ..m });
            }
            Leg::Two if s.first >= s.id && s.first >= m.id => self.new_round(s, !s.bit, out, coin),
            Leg::Two => *s = State { mode: Mode::Passive, ..State::default() },
        }
    }
}

impl Process for DolevKlaweRodehBits {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        v.kind(&["one", "two"], &mut m.leg);
        v.range("id", 1, self.ids.into(), &mut m.id);
        v.range("hop", 1, self.size.into(), &mut m.hop);
        v.symbol("bit", &["F", "T"], &mut m.bit);
    }

    fn start(&self, _: usize) -> State {
        State { bit: true, ..State::default() }
    }

    fn ready(&self, s: &State, event: &Event<Message>) -> bool {
        match (s.mode, event) {
            (Mode::Start, Event::Step) | (Mode::Passive, Event::Message { .. }) => true,
            (Mode::Active, Event::Message { message: m, .. }) => {
                m.bit == s.bit && (m.leg == Leg::One) == (s.first == 0)
            }
            _ => false,
        }
    }

    fn on(&self, _: usize, s: &mut State, e: Event<Message>, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        match (s.mode, e) {
            (Mode::Start, Event::Step) => self.new_round(s, s.bit, out, coin),
            (Mode::Passive, Event::Message { message: m, .. }) => out.send(RIGHT, Message { hop: m.hop + 1, ..m }),
            (Mode::Active, Event::Message { message, .. }) => self.active(s, message, out, coin),
            _ => {}
        }
    }

    fn marks(&self, _: usize, s: &State) -> Marks {
        s.mode.marks()
    }
}

impl Terminating for DolevKlaweRodehBits {
    fn network(&self) -> Network {
        Network::Ring(self.size as usize)
    }
}

impl Entry for DolevKlaweRodehBits {
    const CARD: Card = Card {
        name: "dolev-klawe-rodeh-bits",
        source: include_str!("dolev_klawe_rodeh_bits.rs"),
        summary: "probabilistic Dolev-Klawe-Rodeh with a round bit: may end without a leader",
        citation: "R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: Leader election in anonymous rings: Franklin goes \
                   probabilistic, IFIP TCS 2008, section 8",
        assumes: "nothing is claimed: the paper gives it as a counterexample",
        channels: Some("reliable; bags"),
        states: "2 + 2k(k + 1) and start",
        claim: "none; not self-stabilizing",
        default_size: 5,
        parameters: &[Parameter { default: "3", ..IDS }],
        rules: "\
Messages one(id, hop, bit) and two(id, hop, bit), to the right; an active process has an identity and a round bit.
- Start of a round: choose id uniformly from 1..k, send one(id, 1, bit).
- Passive: forward with hop + 1.
- Active, one(v1, hop, bit) with its own bit: hop = n: become leader. Otherwise keep v1 and send two(v1, hop + 1, bit).
- Active, two(v2, hop, bit) with its own bit, after a one: if v1 is at least its own id and v2, flip the bit and start a new
  round; otherwise become passive.
- Active, other messages: wait.",
        flaw: Some(
            "with bag channels the bit does not keep a message two(..) from being overtaken by that of two rounds later: \
             a run may end without a leader (section 8). None does for n <= 4 with k <= 3, nor for n = 5, k = 2; for \
             n = 5, k = 3 one does",
        ),
        ..super::ANONYMOUS
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        Ok(DolevKlaweRodehBits { size: super::ring_size(p)?, ids: super::ids(p, 3)? })
    }
}
