//! A process of a ring that reads its neighbours by datagrams.

use super::Packet;
use super::book::word;
use crate::kind::NeighbourKind;
use ringleader_erased::{LeavesDomain, RingInstance};
use ringleader_model::{Coin, LEFT, Place, Port, RIGHT, Reads, Ring, View, Visitor};

/// One process.
///
/// While its own question is unanswered, it answers no question: it replies that it is busy. So a neighbour reads its state before
/// or after a step, never in between. Its step takes effect when the neighbour answered: between then and the arrival of the
/// answer nobody read this process, and its own state has not changed since it asked. A question may be answered twice, or be
/// answered and refused: each answer was true while the question was open, and a refusal leaves nothing in memory.
///
/// A process that reads both sides asks the left neighbour, then the right. Both answers are true at the moment at which the right
/// neighbour answered: to change, the left one would have had to read this process, which was busy. No process holds a lock, so
/// a crash leaves no lock behind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Polling {
    /// The number of the process's state.
    pub state: u64,
    /// The number of the last question.
    pub number: u64,
    /// The progress of an unfinished read.
    pub out: Option<Asked>,
}

/// The progress of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Asked {
    /// The left neighbour was asked.
    Left,
    /// The left neighbour answered with this state; the right one was asked.
    Right(u64),
}

/// A packet to a neighbour, and the view once it is complete.
type Seen = (Option<(Port, Packet<u64>)>, Option<View<u64>>);

impl Polling {
    /// A process that has not asked yet. Its numbers start at random, so an earlier incarnation of it had others.
    pub fn new(state: u64, coin: &mut dyn Coin) -> Polling {
        Polling { state, number: word(coin), out: None }
    }

    /// Starts to read the neighbours, unless it does already.
    pub fn look(&mut self) -> Option<(Port, Packet<u64>)> {
        if self.out.is_some() {
            return None;
        }
        self.ask(Asked::Left)
    }

    fn ask(&mut self, asked: Asked) -> Option<(Port, Packet<u64>)> {
        self.number = self.number.wrapping_add(1);
        self.out = Some(asked);
        self.repeat()
    }

    /// The unanswered question, again.
    pub fn repeat(&self) -> Option<(Port, Packet<u64>)> {
        let port = if let Asked::Right(..) = self.out? { RIGHT } else { LEFT };
        Some((port, Packet::bare(NeighbourKind::Ask, self.number, 0)))
    }

    /// Stops reading, without a step.
    pub fn withdraw(&mut self) {
        self.out = None;
    }

    /// Receives a packet. Returns the reply or the next question, and the view once every neighbour that the algorithm reads has
    /// answered: then the process must [act](Self::act) or [withdraw](Self::withdraw) immediately.
    pub fn receive(&mut self, port: Port, packet: Packet<u64>, algorithm: &RingInstance) -> Seen {
        let Packet { kind, number, body, .. } = packet;
        let awaited = self.repeat().is_some_and(|(asked, _)| asked == port) && number == self.number;
        match (kind, body) {
            (NeighbourKind::Ask, _) if self.out.is_some() => {
                (Some((port, Packet::bare(NeighbourKind::Busy, number, 0))), None)
            }
            (NeighbourKind::Ask, _) => (Some((port, Packet::new(NeighbourKind::Shown, number, 0, self.state))), None),
            (NeighbourKind::Busy, _) if awaited => {
                self.withdraw();
                (None, None)
            }
            (NeighbourKind::Shown, Some(state)) if awaited && state < algorithm.states() => {
                self.see(state, algorithm.reads() == Reads::BothSides)
            }
            _ => (None, None),
        }
    }

    fn see(&mut self, state: u64, both: bool) -> Seen {
        let view = |left, right| View { at: Place::Other, left, own: self.state, right };
        match self.out {
            Some(Asked::Left) if both => (self.ask(Asked::Right(state)), None),
            Some(Asked::Right(left)) => (None, Some(view(left, state))),
            _ => (None, Some(view(state, self.state))),
        }
    }

    /// Takes the step of a process with this view. Returns the state before.
    pub fn act(&mut self, view: View<u64>, algorithm: &RingInstance, coin: &mut dyn Coin) -> Result<u64, LeavesDomain> {
        self.withdraw();
        let after = algorithm.try_act(View { own: self.state, ..view }, coin)?;
        Ok(std::mem::replace(&mut self.state, after))
    }

    /// Shows every variable, so that a fault can set any of them.
    pub fn variables(&mut self, algorithm: &RingInstance, visitor: &mut dyn Visitor) {
        let most = algorithm.states() - 1;
        visitor.range("state", 0, most, &mut self.state);
        visitor.word("number", &mut self.number);
        let (mut out, mut left) = match self.out {
            None => (0u8, 0),
            Some(Asked::Left) => (1, 0),
            Some(Asked::Right(left)) => (2, left),
        };
        visitor.range("out", 0, if algorithm.reads() == Reads::BothSides { 2 } else { 1 }, &mut out);
        visitor.range("left", 0, most, &mut left);
        self.out = match out {
            0 => None,
            1 => Some(Asked::Left),
            _ => Some(Asked::Right(left)),
        };
    }
}
