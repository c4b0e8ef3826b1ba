//! What the processes of Algorithm 3 say.

use ringleader_model::{MessageKind, Visitor};
use std::fmt;

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// "I am alive, and I lead": the sender's counter and phase.
    Alive(u64, u64),
    /// "You were silent in your phase."
    Accusation(u64),
    /// Anything that the quick form says.
    Said(Said),
}

/// What a process of the quick form may say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// "I lead": counter, phase, and how many of these I have sent. With the flag: "and I am about to leave".
    #[default]
    Alive,
    /// "You were silent in your phase."
    Accusation,
    /// "I do not lead, or no longer; do not accuse me." The counter names the heir, or who does lead, from 1; 0 for none.
    Resign,
    /// "I could lead": my counter. With the flag: "and have proved it for long enough".
    Candidate,
    /// "Do you still lead?" The number comes back. With the flag: "I do no longer, since you do".
    Ask,
    /// "I do": counter and phase, and the number of the question.
    Answer,
}

impl Kind {
    const ALL: [Kind; 6] = [Kind::Alive, Kind::Accusation, Kind::Resign, Kind::Candidate, Kind::Ask, Kind::Answer];
}

/// A message of the quick form. What a kind does not speak of is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Said {
    /// What is meant.
    pub kind: Kind,
    /// The sender's counter.
    pub counter: u64,
    /// A phase: the sender's, or the one accused.
    pub phase: u64,
    /// Which ALIVE, or which question. No ALIVE is number 0, except those of a program that does not count them.
    pub number: u32,
    /// The sender's weight.
    pub weight: u16,
    /// ALIVE: about to leave. CANDIDATE: ready. ASK: stepped down.
    pub flag: bool,
}

impl Said {
    pub(super) fn variables(&mut self, v: &mut dyn Visitor) {
        let mut kind = self.kind as usize;
        v.range("kind", 0, Kind::ALL.len() as u64 - 1, &mut kind);
        self.kind = Kind::ALL[kind];
        v.word("counter", &mut self.counter);
        v.word("phase", &mut self.phase);
        let (mut number, mut weight) = (u64::from(self.number), u64::from(self.weight));
        v.range("number", 0, u64::from(u32::MAX), &mut number);
        v.range("weight", 0, u64::from(u16::MAX), &mut weight);
        (self.number, self.weight) = (number as u32, weight as u16);
        v.bit("flag", &mut self.flag);
    }
}

impl Message {
    pub(super) fn kind(&self) -> MessageKind {
        match self {
            Message::Alive(..) => MessageKind::Alive,
            Message::Accusation(_) => MessageKind::Accusation,
            Message::Said(said) => match said.kind {
                Kind::Alive => MessageKind::Alive,
                Kind::Accusation => MessageKind::Accusation,
                Kind::Resign => MessageKind::Resign,
                Kind::Candidate => MessageKind::Candidate,
                Kind::Ask => MessageKind::Ask,
                Kind::Answer => MessageKind::Answer,
            },
        }
    }

    pub(super) fn printed_variables(&mut self, v: &mut dyn Visitor) {
        let (mut kind, mut counter, mut phase) = match *self {
            Message::Alive(counter, phase) => (0, counter, phase),
            Message::Accusation(phase) => (1, 0, phase),
            Message::Said(_) => (0, 0, 0),
        };
        v.range("kind", 0, 1, &mut kind);
        v.word("counter", &mut counter);
        v.word("phase", &mut phase);
        *self = if kind == 0u64 { Message::Alive(counter, phase) } else { Message::Accusation(phase) };
    }

    pub(super) fn quick_variables(&mut self, v: &mut dyn Visitor) {
        let mut said = if let Message::Said(said) = *self { said } else { Said::default() };
        said.variables(v);
        *self = Message::Said(said);
    }
}

impl Default for Message {
    fn default() -> Message {
        Message::Alive(0, 0)
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Alive(counter, phase) => write!(f, "ALIVE {counter} {phase}"),
            Message::Accusation(phase) => write!(f, "ACCUSATION {phase}"),
            Message::Said(said) => said.fmt(f),
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Said { counter, phase, number, .. } = self;
        let flag = |word| if self.flag { word } else { "" };
        match self.kind {
            Kind::Alive => write!(f, "ALIVE {counter} {phase}{}", flag(" leaving")),
            Kind::Accusation => write!(f, "ACCUSATION {phase}"),
            Kind::Resign => write!(f, "RESIGN {counter}"),
            Kind::Candidate => write!(f, "CANDIDATE {counter}{}", flag(" ready")),
            Kind::Ask => write!(f, "ASK {number}{}", flag(" stepped down")),
            Kind::Answer => write!(f, "ANSWER {number} {counter} {phase}"),
        }
    }
}
