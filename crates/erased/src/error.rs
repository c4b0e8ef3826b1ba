//! Errors in an algorithm that somebody wrote.

use ringleader_model::number::OutOfDomain;
use thiserror::Error;

/// Why engines cannot work with an algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Unfit {
    /// The states of an agent cannot be numbered with 64 bits.
    #[error("an agent has 2^64 states or more; a population protocol or a ring algorithm needs fewer")]
    TooManyStates,
    /// A variable can have no value.
    #[error("the variable {0} is declared to take no value")]
    NoValues(String),
    /// Two variables have this name.
    #[error("two variables are called {0}")]
    Doubled(String),
    /// Two words of this variable are the same, or one has spaces.
    #[error("the words of the variable {0} must be different ones, each without spaces")]
    Words(String),
    /// A variable does not hold all values that it is declared to take.
    #[error(
        "states do not come back from their numbers: a variable is declared wider than what holds it, or shows what is not in the \
         state"
    )]
    Narrow,
    /// A variable's name cannot be written as in `name=value`.
    #[error("a variable cannot be called {0:?}: files say name=value, with spaces between")]
    NotAWord(String),
    /// A step changes something that [`Variables::variables`](ringleader_model::Variables::variables) does not show.
    #[error(
        "a step changes a part of the state that no variable shows: `variables` must show everything that steps read"
    )]
    Hidden,
    /// A step depends on the right neighbour, and [`Ring::reads`](ringleader_model::Ring::reads) says that it does not.
    #[error(
        "a process's step depends on its right neighbour, though the algorithm declares that it reads the left one only: its \
         `reads` should say BothSides"
    )]
    LooksRight,
    /// An interaction depends on what agents are told, and [`Population::hears`](ringleader_model::Population::hears) says that it does not.
    #[error(
        "an interaction depends on what the agents are told, though the protocol declares that they ask no detector: its `hears` \
         should say true"
    )]
    Listens,
}

/// A rule writes a value that its variable is not declared to take.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}, applied to ({}), writes {written}", named(rules), states.join("), ("))]
pub struct LeavesDomain {
    /// The rules that fired, as the paper numbers them.
    pub rules: Vec<u8>,
    /// The states that it was applied to, as text.
    pub states: Vec<String>,
    /// The value that it wrote.
    pub written: OutOfDomain,
}

fn named(rules: &[u8]) -> String {
    let numbers: Vec<_> = rules.iter().map(ToString::to_string).collect();
    match &numbers[..] {
        [] => "the rule".into(),
        [one] => format!("rule {one}"),
        several => format!("rules {}", several.join(" ")),
    }
}
