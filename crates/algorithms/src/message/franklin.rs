//! Probabilistic Franklin: leader election on anonymous bidirectional rings, with one bit for the round.
//!
//! R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: *Leader election in anonymous rings: Franklin goes probabilistic*,
//! IFIP TCS 2008, sections 2 (Algorithm A) and 6 (Algorithm B).

use crate::message::IDS;
pub use crate::message::Mode;
use crate::message::franklin_tables::READINGS;
use crate::{Card, Entry, Parameter, ParameterKind, Parameters, Refusal, Topology};
use ringleader_model::{
    Coin, Event, Invariant, LEFT, Marks, Network, Outbox, Port, Process, RIGHT, Snapshot, Terminating, Variables,
    Visitor,
};

/// The algorithm for a ring of `size` processes that draw identities from `1..=ids`, with the round bit or without.
#[derive(Clone, Copy, Debug)]
pub struct Probabilistic<const BIT: bool> {
    /// n, known to all processes.
    pub size: u32,
    /// k, the number of identities.
    pub ids: u32,
    /// Algorithm B: a survivor keeps its identity unless a neighbour had the same.
    pub keeps_identity: bool,
}

/// The algorithm of the paper, with the round bit.
pub type Franklin = Probabilistic<true>;

/// The state of a process; only active ones use more than the mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// Its mode.
    pub mode: Mode,
    /// The round, modulo 2; false without the round bit.
    pub bit: bool,
    /// Its identity in this round.
    pub id: u32,
    /// The identities received in this round from [`LEFT`] and [`RIGHT`]; 0 for none yet.
    pub heard: [u32; 2],
}

/// An identity that travels around the ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// The sender's identity.
    pub id: u32,
    /// The number of links that it has crossed, including this one.
    pub hop: u32,
    /// The sender's round, modulo 2; false without the round bit.
    pub bit: bool,
}

impl<const BIT: bool> Variables for Probabilistic<BIT> {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        s.mode.variable(v);
        if BIT {
            v.bit("bit", &mut s.bit);
        }
        v.range("id", 0, self.ids.into(), &mut s.id);
        v.range("left", 0, self.ids.into(), &mut s.heard[LEFT]);
        v.range("right", 0, self.ids.into(), &mut s.heard[RIGHT]);
    }
}

impl<const BIT: bool> Probabilistic<BIT> {
    fn new_round(&self, s: &mut State, redraw: bool, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        if redraw {
            s.id = 1 + coin.below(self.ids);
        }
        s.heard = [0, 0];
        out.round();
        for port in [LEFT, RIGHT] {
            out.send(port, Message { id: s.id, hop: 1, bit: s.bit });
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
            s.bit ^= BIT;
            self.new_round(s, !self.keeps_identity || s.heard.contains(&s.id), out, coin);
        }
    }
}

impl<const BIT: bool> Process for Probabilistic<BIT> {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        v.range("id", 1, self.ids.into(), &mut m.id);
        v.range("hop", 1, self.size.into(), &mut m.hop);
        if BIT {
            v.symbol("bit", &["F", "T"], &mut m.bit);
        }
    }

    fn start(&self, _: usize) -> State {
        State { bit: BIT, ..State::default() }
    }

    /// A message of the other bit belongs to the next round, and a second one from the same side too.
    fn ready(&self, s: &State, event: &Event<Message>) -> bool {
        match (s.mode, event) {
            (Mode::Start, Event::Step) | (Mode::Passive, Event::Message { .. }) => true,
            (Mode::Active, Event::Message { from, message }) => message.bit == s.bit && s.heard[*from] == 0,
            _ => false,
        }
    }

    fn on(&self, _: usize, s: &mut State, e: Event<Message>, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        match (s.mode, e) {
            (Mode::Start, Event::Step) => {
                s.mode = Mode::Active;
                self.new_round(s, true, out, coin);
            }
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

impl<const BIT: bool> Terminating for Probabilistic<BIT> {
    fn network(&self) -> Network {
        Network::Ring(self.size as usize)
    }

    fn invariants(&self) -> Vec<Invariant<'_, Self>> {
        let lemma_1 = || Invariant::new("Lemma 1", |now| self.lemma_1(now)).alike();
        BIT.then(lemma_1).into_iter().collect()
    }
}

impl<const BIT: bool> Probabilistic<BIT> {
    /// Lemma 1: between two neighbouring active processes there are exactly two messages; in opposite directions, all four
    /// have the same bit; in the same direction, the messages have opposite bits and so have the processes.
    ///
    /// It speaks of the time between initialization and election. A message that an active process holds back until the
    /// other one is in still counts as under way.
    pub fn lemma_1(&self, now: &Snapshot<State, Message>) -> bool {
        if now.states.iter().any(|s| matches!(s.mode, Mode::Start | Mode::Leader)) {
            return true;
        }
        let n = now.states.len();
        let active: Vec<usize> = (0..n).filter(|&i| now.states[i].mode == Mode::Active).collect();
        active.iter().enumerate().all(|(index, &p)| {
            let distance = match (active[(index + 1) % active.len()] + n - p) % n {
                0 => n,
                d => d,
            };
            self.segment_in_order(now, p, distance)
        })
    }

    fn segment_in_order(&self, now: &Snapshot<State, Message>, p: usize, distance: usize) -> bool {
        let n = now.states.len();
        let (first, last) = (now.states[p], now.states[(p + distance) % n]);
        let held = |s: State, port: Port| (s.heard[port] != 0).then_some(s.bit);
        let bits = |port: Port, offset: usize| {
            (0..distance).flat_map(move |d| now.channel((p + d + offset) % n, port)).map(|m| m.bit)
        };
        let rightward: Vec<bool> = bits(LEFT, 1).chain(held(last, LEFT)).collect();
        let leftward: Vec<bool> = bits(RIGHT, 0).chain(held(first, RIGHT)).collect();
        match (rightward.as_slice(), leftward.as_slice()) {
            ([m], [m2]) => m == m2 && *m == first.bit && *m == last.bit,
            ([m, m2], []) | ([], [m, m2]) => m != m2 && first.bit != last.bit,
            _ => false,
        }
    }
}

impl Entry for Franklin {
    const CARD: Card = Card {
        name: "franklin",
        source: include_str!("franklin.rs"),
        summary: "probabilistic Franklin: anonymous bidirectional rings, one round bit",
        citation: "R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: Leader election in anonymous rings: Franklin goes \
                   probabilistic, IFIP TCS 2008, sections 2 (A) and 6 (B)",
        topology: Topology::BidirectionalRing,
        assumes: "any scheduler, starting clean (Theorems 1 and 2)",
        states: "2 + 2k(k + 1)² and start",
        parameters: &[
            IDS,
            Parameter {
                name: "variant",
                meaning: "a, or b: survivors keep their identity if it was unique",
                default: "a",
                kind: ParameterKind::Choice(&["a", "b"]),
            },
        ],
        rules: "\
Messages (id, hop, bit); an active process has an identity and a round bit.
- Start of a round: choose id uniformly from 1..k (variant b: only if a neighbour had the same), send (id, 1, bit) both ways.
- Passive: forward in the same direction with hop + 1.
- Active, message with its own bit: hop = n: become leader. Otherwise keep it until one from each direction is in; then
  passive if either id is larger than its own, else flip the bit and start a new round.
- Active, message with the other bit: it belongs to the next round; wait.",
        readings: READINGS,
        ..super::ANONYMOUS
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let keeps_identity = p.choice("variant", &["a", "b"])? == "b";
        Ok(Franklin { size: super::ring_size(p)?, ids: super::ids(p, 2)?, keeps_identity })
    }
}
