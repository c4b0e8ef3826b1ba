//! A process that reads its neighbours by datagrams, in one step.

use super::Packet;
use super::book::word;
use crate::kind::NeighbourKind;
use ringleader_model::{Coin, Port, Visitor};

/// One process, and its read of all neighbours.
///
/// It asks all neighbours at once. While one of its questions is unanswered, it answers no question: it replies that it is busy. So a
/// neighbour reads its state before or after a step, never in between. A question may be answered twice, or be answered and refused:
/// each answer was true while the question was open, and a refusal leaves nothing in memory.
///
/// Its step takes effect when the last neighbour answered. All answers are true at that moment: to change, a neighbour that has answered
/// would have had to read this process, which was busy. And its own state has not changed since it asked. So the steps of all processes
/// have a total order, in which each of them reads the present states. No process holds a lock, so a crash leaves no lock behind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Polling {
    /// The number of the process's state.
    pub state: u64,
    /// The number of the last questions.
    pub number: u64,
    /// The answers of an unfinished read, by port; at least one is missing.
    pub out: Option<Vec<Option<u64>>>,
    /// The number of neighbours that it reads, through the first ports.
    ports: usize,
    /// The number of states of a process.
    states: u64,
}

/// A packet to a neighbour.
type Sent = (Port, Packet<u64>);

impl Polling {
    /// A process that has not asked yet and reads through this many ports. Its numbers start at random, so an earlier incarnation of it had
    /// others.
    pub fn new(state: u64, ports: usize, states: u64, coin: &mut dyn Coin) -> Polling {
        Polling { state, number: word(coin), out: None, ports, states }
    }

    /// Starts to read the neighbours, unless it does already.
    pub fn look(&mut self) -> Vec<Sent> {
        if self.out.is_some() {
            return vec![];
        }
        self.number = self.number.wrapping_add(1);
        self.out = Some(vec![None; self.ports]);
        self.repeat()
    }

    /// The unanswered questions, again.
    pub fn repeat(&self) -> Vec<Sent> {
        let answers = self.out.iter().flatten().enumerate();
        let question = |port| (port, Packet::bare(NeighbourKind::Ask, self.number, 0));
        answers.filter(|(_, answer)| answer.is_none()).map(|(port, _)| question(port)).collect()
    }

    /// Stops reading, without a step.
    pub fn withdraw(&mut self) {
        self.out = None;
    }

    /// Receives a packet. Returns the reply, and the states of all neighbours, by port, once all have answered: then the process must
    /// [step](Self::step) or not immediately.
    pub fn receive(&mut self, port: Port, packet: Packet<u64>) -> (Option<Sent>, Option<Vec<u64>>) {
        let Packet { kind, number, body, .. } = packet;
        let unanswered = self.out.as_ref().is_some_and(|answers| answers.get(port) == Some(&None));
        let awaited = unanswered && number == self.number;
        match (kind, body) {
            (NeighbourKind::Ask, _) if self.out.is_some() => {
                (Some((port, Packet::bare(NeighbourKind::Busy, number, 0))), None)
            }
            (NeighbourKind::Ask, _) => (Some((port, Packet::new(NeighbourKind::Shown, number, 0, self.state))), None),
            (NeighbourKind::Busy, _) if awaited => {
                self.withdraw();
                (None, None)
            }
            (NeighbourKind::Shown, Some(state)) if awaited && state < self.states => (None, self.see(port, state)),
            _ => (None, None),
        }
    }

    /// Keeps an answer. Returns the states of all neighbours if it was the last one: then the read has ended.
    fn see(&mut self, port: Port, state: u64) -> Option<Vec<u64>> {
        let answers = self.out.as_mut()?;
        answers[port] = Some(state);
        let seen = answers.iter().copied().collect::<Option<_>>()?;
        self.withdraw();
        Some(seen)
    }

    /// Takes a step into this state. Returns the state before.
    pub fn step(&mut self, after: u64) -> u64 {
        std::mem::replace(&mut self.state, after)
    }

    /// Shows every variable, so that a fault can set any of them.
    pub fn variables(&mut self, visitor: &mut dyn Visitor) {
        let most = self.states - 1;
        visitor.range("state", 0, most, &mut self.state);
        visitor.word("number", &mut self.number);
        let mut reads = self.out.is_some();
        visitor.bit("reads", &mut reads);
        let mut answers = self.out.take().unwrap_or(vec![None; self.ports]);
        for (port, answer) in answers.iter_mut().enumerate() {
            let (mut answered, mut state) = (answer.is_some(), answer.unwrap_or_default());
            visitor.bit(("answered", port), &mut answered);
            visitor.range(("answer", port), 0, most, &mut state);
            *answer = answered.then_some(state);
        }
        // A read with all answers has ended.
        self.out = Some(answers).filter(|answers| reads && answers.contains(&None));
    }
}
