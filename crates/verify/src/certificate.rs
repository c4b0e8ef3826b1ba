//! The certificate: what is claimed, and all that is needed to check it.

use crate::{Rules, State};
use serde::{Deserialize, Serialize};

/// Which rings are spoken of: n at least `from`, with a remainder in `residues` when divided by `modulus`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// The smallest size.
    pub from: usize,
    /// 1 for all sizes.
    pub modulus: usize,
    /// Which remainders.
    pub residues: Vec<usize>,
}

impl Sizes {
    /// Every size from here on.
    pub fn from(from: usize) -> Sizes {
        Sizes { from, modulus: 1, residues: vec![0] }
    }

    /// Whether a size is spoken of.
    pub fn contains(&self, n: usize) -> bool {
        n >= self.from && self.residues.contains(&(n % self.modulus))
    }
}

/// Which runs are spoken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// What can happen again and again happens again and again; the random scheduler, with probability 1.
    GloballyFair,
    /// Any schedule of steps that change something.
    Unfair,
}

/// A set of configurations as a deterministic automaton that reads the local states of agents 0 to n-1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Automaton {
    /// Where it starts.
    pub start: usize,
    /// Where it accepts.
    pub accepting: Vec<usize>,
    /// For each state of the automaton, for each local state: where it goes; `null` if nothing is accepted from there.
    pub next: Vec<Vec<Option<usize>>>,
}

impl Automaton {
    /// Whether a configuration belongs to the set.
    pub fn accepts(&self, word: &[State]) -> bool {
        let end = word.iter().try_fold(self.start, |at, &s| self.next[at][usize::from(s)]);
        end.is_some_and(|at| self.accepting.contains(&at))
    }
}

/// A proof that an algorithm stabilizes on every ring of some sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The format's version: 1.
    pub version: u32,
    /// What the algorithm is called; the check does not use it.
    pub subject: String,
    /// The text protocol that the rules were taken from, if it was one; the check does not use it, but whoever has it can compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The algorithm.
    pub rules: Rules,
    /// The claim is about these rings,
    pub sizes: Sizes,
    /// under this scheduler.
    pub scheduler: Scheduler,
    /// The safe set.
    pub safe: Automaton,
    /// If the claim is made for detectors that may lie for a while: configurations with a leader that no step leaves,
    /// whatever the detector says, and into which every step leads that makes the first leader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasting: Option<Automaton>,
    /// The measures, the most important first, in the notation of [`Measure`](crate::Measure).
    pub measures: Vec<String>,
}

impl Certificate {
    /// Reads JSON.
    pub fn from_json(text: &str) -> Result<Certificate, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Writes JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data can be written")
    }
}
