//! What a bystander sees of a transition.

use ringleader_model::Marks;
use std::fmt;
use std::str::FromStr;

/// What a process does in a transition, as far as its marks tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Nothing that its marks show.
    Internal,
    /// It becomes the leader.
    Leader,
    /// It gives up.
    Passive,
}

impl Action {
    /// Everything that can be visible.
    pub const NAMED: [Action; 2] = [Action::Leader, Action::Passive];

    /// The action that turns one set of marks into another.
    pub fn of(before: Marks, after: Marks) -> Action {
        let gained = |mark: Marks| after.contains(mark) && !before.contains(mark);
        match () {
            () if gained(Marks::LEADER) => Action::Leader,
            () if gained(Marks::PASSIVE) => Action::Passive,
            () => Action::Internal,
        }
    }

    /// Its name, in exports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Action::Internal => "tau",
            Action::Leader => "leader",
            Action::Passive => "passive",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Which actions are visible; the others are τ.
///
/// ```
/// use ringleader_explore::{Action, Visible};
/// let visible: Visible = "leader,passive".parse().unwrap();
/// assert!(visible.shows(Action::Passive));
/// assert!(!Visible::default().shows(Action::Passive));
/// assert!("bystander".parse::<Visible>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visible(u8);

impl Default for Visible {
    fn default() -> Self {
        Visible(1 << Action::Leader as u8)
    }
}

impl Visible {
    /// Whether an action is visible.
    pub fn shows(self, action: Action) -> bool {
        self.0 >> action as u8 & 1 == 1
    }

    /// The action itself if it is visible, otherwise τ.
    pub fn filter(self, action: Action) -> Action {
        if self.shows(action) { action } else { Action::Internal }
    }
}

impl FromStr for Visible {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut visible = Visible(0);
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let action = Action::NAMED.into_iter().find(|action| action.name() == name).ok_or_else(|| {
                let names = Action::NAMED.map(Action::name).join(", ");
                format!("no action is called {name:?}; visible can be {names}")
            })?;
            visible.0 |= 1 << action as u8;
        }
        Ok(visible)
    }
}

impl fmt::Display for Visible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Action::NAMED.into_iter().filter(|&a| self.shows(a)).map(Action::name).collect();
        f.write_str(&names.join(","))
    }
}
