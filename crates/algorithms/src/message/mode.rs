//! What a process on a message-passing ring is doing.

use ringleader_model::{Event, Marks, Visitor, scalar_enum};

/// The same four for every algorithm of this kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// It has not begun yet; messages wait until it has.
    #[default]
    Start,
    /// It competes.
    Active,
    /// It relays.
    Passive,
    /// It is the leader, and takes no more messages.
    Leader,
}

impl Mode {
    /// Shows the mode to a visitor.
    pub fn variable(&mut self, v: &mut dyn Visitor) {
        v.symbol("mode", &["start", "active", "passive", "leader"], self);
    }

    /// Whether it begins by itself, or takes a message once it has begun and until it leads.
    pub fn takes<M>(self, event: &Event<M>) -> bool {
        match event {
            Event::Step => self == Mode::Start,
            Event::Message { .. } => matches!(self, Mode::Active | Mode::Passive),
            Event::Tick => false,
        }
    }

    /// What it shows.
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
