//! The mode of a process on a message-passing ring.

use ringleader_model::{Event, Marks, Visitor, scalar_enum};

/// The modes that all message-passing elections of this crate have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// It has not started; messages wait in their channels.
    #[default]
    Start,
    /// It is a candidate.
    Active,
    /// It forwards messages.
    Passive,
    /// It is the leader, and receives no more messages.
    Leader,
}

impl Mode {
    /// Shows the mode to a visitor.
    pub fn variable(&mut self, v: &mut dyn Visitor) {
        v.symbol("mode", &["start", "active", "passive", "leader"], self);
    }

    /// Whether it accepts an event: it starts by itself, then receives messages until it is the leader.
    pub fn takes<M>(self, event: &Event<M>) -> bool {
        match event {
            Event::Step => self == Mode::Start,
            Event::Message { .. } => matches!(self, Mode::Active | Mode::Passive),
            Event::Tick => false,
        }
    }

    /// The mark that it shows.
    pub fn marks(self) -> Marks {
        match self {
            Mode::Start => Marks::NONE,
            Mode::Active => Marks::ACTIVE,
            Mode::Passive => Marks::PASSIVE,
            Mode::Leader => Marks::LEADER,
        }
    }
}

scalar_enum!(Mode: Start, Active, Passive, Leader);
