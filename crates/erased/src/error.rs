//! Errors in the definition of an algorithm.

use ringleader_model::number::OutOfDomain;
use thiserror::Error;

/// The reason why engines cannot work with an algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Unfit {
    /// The states of an agent cannot be numbered with 64 bits.
    #[error("an agent has 2^64 states or more; a population protocol or a ring algorithm needs fewer")]
    TooManyStates,
    /// A variable has no value.
    #[error("the variable {0} is declared without values")]
    NoValues(String),
    /// Two variables have this name.
    #[error("two variables have the name {0}")]
    Doubled(String),
    /// Two words of this variable are the same, or one has spaces.
    #[error("the words of the variable {0} must be distinct and without spaces")]
    Words(String),
    /// A variable cannot hold all values of its declared domain.
    #[error(
        "decoding and encoding a state changes its number: a variable is declared wider than its field, or shows a value that is \
         not in the state"
    )]
    Narrow,
    /// A variable's name cannot be written as in `name=value`.
    #[error("{0:?} is not a valid name of a variable: files contain name=value, separated by spaces")]
    NotAWord(String),
    /// A step changes something that [`Variables::variables`](ringleader_model::Variables::variables) does not show.
    #[error(
        "a step changes a part of the state that no variable shows: `variables` must show everything that steps read"
    )]
    Hidden,
    /// A step depends on the right neighbour, and [`Ring::reads`](ringleader_model::Ring::reads) says that it does not.
    #[error(
        "a process's step depends on its right neighbour, though the algorithm declares that it reads only the left one: its \
         `reads` should return BothSides"
    )]
    LooksRight,
    /// An interaction depends on the detector's answers, and [`Population::hears`](ringleader_model::Population::hears)
    /// says that it does not.
    #[error(
        "an interaction depends on the detector's answers, though the protocol declares that agents ask no detector: its `hears` \
         should return true"
    )]
    Listens,
}

/// A rule writes a value outside its variable's declared domain.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}, applied to ({}), writes {written}", named(rules), states.join("), ("))]
pub struct LeavesDomain {
    /// The rules that fired, numbered as in the paper.
    pub rules: Vec<u8>,
    /// The states to which the rule was applied, as text.
    pub states: Vec<String>,
    /// The value that the rule wrote.
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
