//! The messages of Algorithm 3.

use ringleader_model::{MessageKind, Visitor};
use std::fmt;

/// A message. The printed form sends ALIVE and ACCUSATION with counter and phase only. A field that a kind does not use is 0.
///
/// | kind | meaning | fields |
/// | --- | --- | --- |
/// | ALIVE | the sender leads | counter, phase, number of this ALIVE; flag: the sender is about to leave |
/// | ACCUSATION | the receiver was silent in this phase | phase |
/// | RESIGN | the sender does not lead | counter: its successor or the present leader, from 1; 0 for none; number: its patience, if it waits for that leader |
/// | CANDIDATE | the sender could lead | counter; number: its patience, if it hears no leader; flag: it has proved itself for long enough |
/// | ASK | does the receiver still lead? | number of the question; flag: the sender has stepped down for the receiver |
/// | ANSWER | the sender still leads | counter, phase, number of the question |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// The kind.
    pub kind: MessageKind,
    /// The sender's counter, or an identity.
    pub counter: u64,
    /// A phase: the sender's, or the accused one.
    pub phase: u64,
    /// The number of the ALIVE, which is never 0, or of the question; or a patience, in iterations.
    pub number: u32,
    /// The sender's weight.
    pub weight: u16,
    /// ALIVE: about to leave. CANDIDATE: ready. ASK: stepped down.
    pub flag: bool,
}

/// The kinds in the order of their numbers.
const KINDS: [MessageKind; 6] = [
    MessageKind::Alive,
    MessageKind::Accusation,
    MessageKind::Resign,
    MessageKind::Candidate,
    MessageKind::Ask,
    MessageKind::Answer,
];

impl Message {
    /// A message of this kind with no field set.
    pub fn new(kind: MessageKind) -> Message {
        Message { kind, counter: 0, phase: 0, number: 0, weight: 0, flag: false }
    }

    /// ALIVE of the printed form.
    pub fn alive(counter: u64, phase: u64) -> Message {
        Message { counter, phase, ..Message::new(MessageKind::Alive) }
    }

    /// ACCUSATION.
    pub fn accusation(phase: u64) -> Message {
        Message { phase, ..Message::new(MessageKind::Accusation) }
    }

    /// The number of its kind.
    pub(super) fn code(&self) -> usize {
        KINDS.iter().position(|&kind| kind == self.kind).unwrap_or(0)
    }

    /// Shows the fields of the printed form, or of the quick one.
    pub(super) fn variables(&mut self, quick: bool, v: &mut dyn Visitor) {
        let mut code = self.code();
        v.range("kind", 0, if quick { 5 } else { 1 }, &mut code);
        self.kind = KINDS[code];
        v.word("counter", &mut self.counter);
        v.word("phase", &mut self.phase);
        if quick {
            v.range("number", 0, u32::MAX.into(), &mut self.number);
            v.range("weight", 0, u16::MAX.into(), &mut self.weight);
            v.bit("flag", &mut self.flag);
        } else if self.kind == MessageKind::Accusation {
            self.counter = 0;
        }
    }
}

impl Default for Message {
    fn default() -> Message {
        Message::new(MessageKind::Alive)
    }
}

// By hand: the words after the kind depend on the kind.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Message { kind, counter, phase, number, .. } = self;
        let flag = |word| if self.flag { word } else { "" };
        match kind {
            MessageKind::Alive => write!(f, "{kind} {counter} {phase}{}", flag(" leaving")),
            MessageKind::Candidate => write!(f, "{kind} {counter}{}", flag(" ready")),
            MessageKind::Ask => write!(f, "{kind} {number}{}", flag(" stepped down")),
            MessageKind::Answer => write!(f, "{kind} {number} {counter} {phase}"),
            MessageKind::Resign => write!(f, "{kind} {counter}"),
            _ => write!(f, "{kind} {phase}"),
        }
    }
}
