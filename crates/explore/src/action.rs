//! The part of a transition that an observer sees.

use ringleader_model::Marks;
use std::fmt;
use std::str::FromStr;
use strum::{Display, EnumString, IntoStaticStr};
use thiserror::Error;

/// The action of a process in a transition, as far as its marks show it. Exports and the command line use these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Action {
    /// The marks do not change.
    #[strum(to_string = "tau")]
    Internal,
    /// The process becomes leader.
    Leader,
    /// The process becomes passive.
    Passive,
}

impl Action {
    /// The actions that can be visible.
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
}

/// The visible actions. All others count as τ.
///
/// ```
/// use ringleader_explore::{Action, Visible};
/// let visible: Visible = "leader,passive".parse().unwrap();
/// assert!(visible.shows(Action::Passive));
/// assert!(!Visible::default().shows(Action::Passive));
/// assert!("bystander".parse::<Visible>().is_err() && "tau".parse::<Visible>().is_err());
/// assert_eq!(Action::Internal.to_string(), "tau");
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

    fn names(self) -> Vec<&'static str> {
        Action::NAMED.into_iter().filter(|&action| self.shows(action)).map(<&str>::from).collect()
    }
}

/// By hand: a list with commas is no single name.
impl FromStr for Visible {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.into_iter().try_fold(Visible(0), |visible, name| {
            let action = name.parse().ok().filter(|action| Action::NAMED.contains(action));
            let action = action.ok_or_else(|| UnknownName::new("visible action", name, "leader and passive"))?;
            Ok(Visible(visible.0 | 1 << action as u8))
        })
    }
}

impl fmt::Display for Visible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().join(","))
    }
}

/// A name that is not one of the known ones.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no {what} is called {name:?}: there are {known}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    known: &'static str,
}

impl UnknownName {
    pub(crate) fn new(what: &'static str, name: &str, known: &'static str) -> UnknownName {
        UnknownName { what, name: name.into(), known }
    }
}
