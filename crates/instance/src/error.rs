//! What can be wrong with an algorithm that somebody wrote.

use ringleader_model::number::OutOfDomain;
use std::fmt;

/// The states of an algorithm cannot be numbered: there are 2^64 of them or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unnumbered;

impl fmt::Display for Unnumbered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an agent has 2^64 states or more; a population protocol or a ring algorithm needs fewer")
    }
}

impl std::error::Error for Unnumbered {}

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
