//! What can be wrong with an algorithm that somebody wrote.

use ringleader_model::number::OutOfDomain;
use std::fmt;

/// Why a type is no algorithm that engines can work with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unfit {
    /// The states of an agent cannot be numbered with 64 bits.
    TooManyStates,
    /// A variable can have no value.
    NoValues(String),
    /// Two variables have this name.
    Doubled(String),
    /// Two words of this variable are the same, or one has spaces.
    Words(String),
    /// A variable does not hold all values that it is declared to take.
    Narrow,
    /// A variable's name cannot be written as in `name=value`.
    NotAWord(String),
    /// A step changes something that [`Variables::variables`](ringleader_model::Variables::variables) does not show.
    Hidden,
    /// A step depends on the right neighbour, and [`Ring::reads`](ringleader_model::Ring::reads) says that it does not.
    LooksRight,
    /// An interaction depends on what agents are told, and [`Population::hears`](ringleader_model::Population::hears) says that it does not.
    Listens,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unfit::TooManyStates => {
                "an agent has 2^64 states or more; a population protocol or a ring algorithm needs fewer"
            }
            Unfit::NoValues(name) => return write!(f, "the variable {name} is declared to take no value"),
            Unfit::Doubled(name) => return write!(f, "two variables are called {name}"),
            Unfit::Words(name) => {
                return write!(f, "the words of the variable {name} must be different ones, each without spaces");
            }
            Unfit::Narrow => {
                "states do not come back from their numbers: a variable is declared wider than what holds it, or shows what is not in \
                 the state"
            }
            Unfit::NotAWord(name) => {
                return write!(f, "a variable cannot be called {name:?}: files say name=value, with spaces between");
            }
            Unfit::Hidden => {
                "a step changes something of a state that no variable shows: its `variables` should show all that steps look at"
            }
            Unfit::LooksRight => {
                "what a process does depends on its right neighbour, though the algorithm says that it reads the left one only: \
                 its `reads` should say BothSides"
            }
            Unfit::Listens => {
                "what agents do depends on what they are told, though the protocol says that they ask no detector: its `hears` \
                 should say true"
            }
        })
    }
}

impl std::error::Error for Unfit {}

/// A rule writes a value that its variable is not declared to take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeavesDomain {
    /// The rules that fired, as the paper numbers them.
    pub rules: Vec<u8>,
    /// The states that it was applied to, as text.
    pub states: Vec<String>,
    /// What it wrote.
    pub written: OutOfDomain,
}

impl fmt::Display for LeavesDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<_> = self.rules.iter().map(ToString::to_string).collect();
        let who = match rules.len() {
            0 => "the rule".to_string(),
            1 => format!("rule {}", rules[0]),
            _ => format!("rules {}", rules.join(" ")),
        };
        write!(f, "{who}, applied to ({}), writes {}", self.states.join("), ("), self.written)
    }
}

impl std::error::Error for LeavesDomain {}
