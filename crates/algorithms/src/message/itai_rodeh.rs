//! Itai and Rodeh: Chang-Roberts with random identities, in numbered rounds.
//!
//! A. Itai, M. Rodeh: *Symmetry breaking in distributed networks*, Information and Computation 88(1), 1990, as restated by
//! W. Fokkink, J. Pang: *Variations on Itai-Rodeh leader election for anonymous rings and their analysis in PRISM*,
//! Journal of Universal Computer Science 12(8), 2006.

use crate::message::{IDS, Mode};
use crate::{Card, Entry, Parameter, ParameterKind, Parameters, Refusal};
use ringleader_model::{Coin, Event, Marks, Network, Outbox, Process, RIGHT, Terminating, Variables, Visitor};
use std::cmp::Ordering;

/// The algorithm for a ring of `size` processes that draw identities from `1..=ids`.
#[derive(Clone, Copy, Debug)]
pub struct ItaiRodeh {
    /// n, known to all processes.
    pub size: u32,
    /// k, the number of identities.
    pub ids: u32,
    /// The maximum number of rounds. A process that would start another round stops instead: it is [cut off].
    ///
    /// [cut off]: Terminating::cut_off
    pub rounds: Option<u64>,
}

/// The state of a process; only active ones use more than the mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// Its mode.
    pub mode: Mode,
    /// Its round, from 1.
    pub round: u64,
    /// Its identity in this round.
    pub id: u32,
}

/// An identity that travels to the right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// The sender's round.
    pub round: u64,
    /// The sender's identity.
    pub id: u32,
    /// The number of links that it has crossed, including this one.
    pub hop: u32,
    /// Whether no other process with the same round and identity has received it.
    pub unique: bool,
}

impl Variables for ItaiRodeh {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        s.mode.variable(v);
        v.word("round", &mut s.round);
        v.range("id", 0, self.ids.into(), &mut s.id);
    }
}

impl ItaiRodeh {
    fn new_round(&self, s: &mut State, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        *s = State { mode: Mode::Active, round: s.round + 1, id: 0 };
        if !self.cut_off(s) {
            s.id = 1 + coin.below(self.ids);
            out.round();
            out.send(RIGHT, Message { round: s.round, id: s.id, hop: 1, unique: true });
        }
    }

    fn active(&self, s: &mut State, m: Message, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        match (m.round, m.id).cmp(&(s.round, s.id)) {
            Ordering::Greater => {
                *s = State { mode: Mode::Passive, ..State::default() };
                out.send(RIGHT, Message { hop: m.hop + 1, ..m });
            }
            Ordering::Less => {}
            Ordering::Equal if m.hop != self.size => {
                out.send(RIGHT, Message { hop: m.hop + 1, unique: false, ..m });
            }
            Ordering::Equal if m.unique => *s = State { mode: Mode::Leader, ..State::default() },
            Ordering::Equal => self.new_round(s, out, coin),
        }
    }
}

impl Process for ItaiRodeh {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        v.range("id", 1, self.ids.into(), &mut m.id);
        v.word("round", &mut m.round);
        v.range("hop", 1, self.size.into(), &mut m.hop);
        v.symbol("unique", &["false", "true"], &mut m.unique);
    }

    fn start(&self, _: usize) -> State {
        State::default()
    }

    fn ready(&self, s: &State, event: &Event<Message>) -> bool {
        s.mode.takes(event) && !self.cut_off(s)
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

impl Terminating for ItaiRodeh {
    fn network(&self) -> Network {
        Network::Ring(self.size as usize)
    }

    fn cut_off(&self, s: &State) -> bool {
        self.rounds.is_some_and(|rounds| s.round > rounds)
    }
}

impl Entry for ItaiRodeh {
    const CARD: Card = Card {
        name: "itai-rodeh",
        source: include_str!("itai_rodeh.rs"),
        summary: "Itai-Rodeh: anonymous unidirectional rings, numbered rounds",
        citation: "A. Itai, M. Rodeh: Symmetry breaking in distributed networks, Information and Computation 88(1), 1990; \
                   as restated by W. Fokkink, J. Pang: Variations on Itai-Rodeh leader election for anonymous rings and \
                   their analysis in PRISM, Journal of Universal Computer Science 12(8), 2006",
        states: "unbounded: rounds are numbered",
        parameters: &[
            IDS,
            Parameter {
                name: "rounds",
                meaning: "follow runs to this many rounds; a process that would start one more stops, undecided",
                default: "unbounded",
                kind: ParameterKind::Bound,
            },
        ],
        rules: "\
Messages (id, round, hop, flag), to the right; an active process has an identity and a round number, at first 1.
- Start of a round: choose id uniformly from 1..k, send (id, round, 1, true).
- Passive: forward with hop + 1.
- Active, (round, id) as its own: hop = n and flag true: become leader. hop = n and flag false: start round + 1.
  Otherwise forward with hop + 1 and flag false.
- Active, (round, id) lexicographically larger than its own: become passive and forward with hop + 1.
- Active, (round, id) smaller: drop it.",
        ..super::ANONYMOUS
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let rounds = p.number("rounds")?;
        if rounds == Some(0) {
            return Err(Refusal::new("rounds must be at least 1: without a round nothing happens"));
        }
        Ok(ItaiRodeh { size: super::ring_size(p)?, ids: super::ids(p, 2)?, rounds })
    }
}
