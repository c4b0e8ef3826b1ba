//! A process of a ring that reads its neighbours by datagrams.

use super::book::word;
use crate::kind::NeighbourKind;
use ringleader_erased::{LeavesDomain, RingInstance};
use ringleader_model::{Coin, LEFT, Place, Port, RIGHT, Reads, Ring, View, Visitor};
use std::fmt;

/// One process.
///
/// While a request of its own is out it answers none, but says so. So whoever reads it reads what it is before or after a step, and
/// its step takes place, in effect, at the moment at which its neighbour answered: nobody saw it between then and
/// the arrival of the answer, and it has not changed since it asked. A request may be answered twice, or be answered and
/// refused: each answer was true while the request was out, and a refusal is about nothing that is remembered.
///
/// A process that reads both sides asks the left, then the right. Both were what they said at the moment at which the right one
/// answered: to change, the left one would have had to see this process, which was looking. No lock is held by anybody, so
/// nobody can die with one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reading {
    /// The state's number.
    pub state: u64,
    /// The number of the last request.
    pub number: u64,
    /// What has been seen since, if it is out.
    pub out: Option<Sight>,
}

/// How far a process is in looking at its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sight {
    /// It has asked the left one.
    Left,
    /// The left one was in this state; it has asked the right one.
    Right(u64),
}

/// What processes say to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Glance {
    /// What are you?
    Ask(u64),
    /// This: the request's number and the state.
    Shown(u64, u64),
    /// I am looking myself: the request's number.
    Busy(u64),
}

impl Glance {
    /// What it is for.
    pub fn kind(&self) -> NeighbourKind {
        match self {
            Glance::Ask(_) => NeighbourKind::Ask,
            Glance::Shown(..) => NeighbourKind::Shown,
            Glance::Busy(_) => NeighbourKind::Busy,
        }
    }

    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let (kind, words) = match *self {
            Glance::Ask(number) => (0, vec![number]),
            Glance::Shown(number, state) => (1, vec![number, state]),
            Glance::Busy(number) => (2, vec![number]),
        };
        words.into_iter().fold(vec![kind], |mut bytes, word| {
            bytes.extend_from_slice(&word.to_be_bytes());
            bytes
        })
    }

    /// From bytes that are the whole encoding of one.
    pub fn decode(bytes: &[u8]) -> Option<Glance> {
        let (&kind, rest) = bytes.split_first()?;
        let words: Vec<u64> =
            rest.chunks(8).map(|word| word.try_into().map(u64::from_be_bytes)).collect::<Result<_, _>>().ok()?;
        match (kind, &words[..]) {
            (0, &[number]) => Some(Glance::Ask(number)),
            (1, &[number, state]) => Some(Glance::Shown(number, state)),
            (2, &[number]) => Some(Glance::Busy(number)),
            _ => None,
        }
    }
}

impl fmt::Display for Glance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Glance::Ask(number) | Glance::Busy(number) => write!(f, "{} {number}", self.kind()),
            Glance::Shown(number, state) => write!(f, "shown {number} state {state}"),
        }
    }
}

impl Reading {
    /// A process that has not looked yet. Its numbers begin anywhere, so where no earlier life of it was.
    pub fn new(state: u64, coin: &mut dyn Coin) -> Reading {
        Reading { state, number: word(coin), out: None }
    }

    /// Begins to look, unless it looks already.
    pub fn look(&mut self) -> Option<(Port, Glance)> {
        if self.out.is_some() {
            return None;
        }
        self.ask(Sight::Left)
    }

    fn ask(&mut self, sight: Sight) -> Option<(Port, Glance)> {
        self.number = self.number.wrapping_add(1);
        self.out = Some(sight);
        self.repeat()
    }

    /// The request that is out, again.
    pub fn repeat(&self) -> Option<(Port, Glance)> {
        let port = if let Sight::Right(..) = self.out? { RIGHT } else { LEFT };
        Some((port, Glance::Ask(self.number)))
    }

    /// Looks no longer. Nothing has happened.
    pub fn withdraw(&mut self) {
        self.out = None;
    }

    /// Hears what a neighbour says. Gives what goes back or on, and what the process sees once it has seen all it reads: then
    /// it must [act](Self::act) or [withdraw](Self::withdraw) at once.
    pub fn hear(
        &mut self,
        port: Port,
        glance: Glance,
        algorithm: &RingInstance,
    ) -> (Option<(Port, Glance)>, Option<View<u64>>) {
        let awaited = self.repeat().is_some_and(|(asked, _)| asked == port);
        match glance {
            Glance::Ask(number) if self.out.is_some() => (Some((port, Glance::Busy(number))), None),
            Glance::Ask(number) => (Some((port, Glance::Shown(number, self.state))), None),
            Glance::Busy(number) if awaited && number == self.number => {
                self.withdraw();
                (None, None)
            }
            Glance::Shown(number, state) if awaited && number == self.number && state < algorithm.states() => {
                self.see(state, algorithm.reads() == Reads::BothSides)
            }
            _ => (None, None),
        }
    }

    fn see(&mut self, state: u64, both: bool) -> (Option<(Port, Glance)>, Option<View<u64>>) {
        let view = |left, right| View { at: Place::Other, left, own: self.state, right };
        match self.out {
            Some(Sight::Left) if both => (self.ask(Sight::Right(state)), None),
            Some(Sight::Right(left)) => (None, Some(view(left, state))),
            _ => (None, Some(view(state, self.state))),
        }
    }

    /// Takes the step of a process that sees this. Returns the state before.
    pub fn act(&mut self, view: View<u64>, algorithm: &RingInstance, coin: &mut dyn Coin) -> Result<u64, LeavesDomain> {
        self.withdraw();
        let after = algorithm.try_act(View { own: self.state, ..view }, coin)?;
        Ok(std::mem::replace(&mut self.state, after))
    }

    /// Shows everything that it remembers, so that a fault can be anything.
    pub fn variables(&mut self, algorithm: &RingInstance, visitor: &mut dyn Visitor) {
        let most = algorithm.states() - 1;
        visitor.range("state", 0, most, &mut self.state);
        visitor.word("number", &mut self.number);
        let (mut out, mut left) = match self.out {
            None => (0u8, 0),
            Some(Sight::Left) => (1, 0),
            Some(Sight::Right(left)) => (2, left),
        };
        visitor.range("out", 0, if algorithm.reads() == Reads::BothSides { 2 } else { 1 }, &mut out);
        visitor.range("left", 0, most, &mut left);
        self.out = match out {
            0 => None,
            1 => Some(Sight::Left),
            _ => Some(Sight::Right(left)),
        };
    }
}
