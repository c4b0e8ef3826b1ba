//! The certificate: what is claimed, and all that is needed to check it.

use crate::Rules;
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

/// Which runs are spoken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// What can happen again and again happens again and again; the random scheduler, with probability 1.
    GloballyFair,
    /// Any schedule of steps that change something.
    Unfair,
    /// Any such schedule in which no agent that is enabled from some point on never acts after it.
    WeaklyFair,
    /// Any such schedule of interactions, each of an agent with its right neighbour, in which no arc on which something can change from
    /// some point on is never used after it. Schedules that are fair to the transitions of each arc are among them.
    LocallyFair,
    /// Any schedule of steps in which some agents act at once, each of which can change something.
    Distributed,
    /// All agents that can change something act at once.
    Synchronous,
}

/// Who chooses the outcomes of coins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coins {
    /// The daemon.
    #[default]
    Adversarial,
    /// Nobody: the claim is that the promise is kept with probability 1, against every daemon.
    Fair,
}

impl Coins {
    fn are_adversarial(&self) -> bool {
        *self == Coins::Adversarial
    }
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

/// A condition that holds at every agent again and again, once the configuration is safe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recurring {
    /// The condition: a formula about the algorithm.
    pub formula: String,
    /// Measures that fall while one agent, any, waits for it. In them `here` is true at that agent, and `safe` is 1 while it waits.
    pub measures: Vec<String>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The algorithm.
    pub rules: Rules,
    /// The claim is about these rings,
    pub sizes: Sizes,
    /// under this scheduler,
    pub scheduler: Scheduler,
    /// with these coins.
    #[serde(default, skip_serializing_if = "Coins::are_adversarial")]
    pub coins: Coins,
    /// The safe set.
    pub safe: Automaton,
    /// If the claim is made for detectors that may lie for a while: configurations with a leader that no step leaves,
    /// whatever the detector says, and into which every step leads that makes the first leader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lasting: Option<Automaton>,
    /// The measures, the most important first, in the notation of [`Measure`](crate::Measure).
    pub measures: Vec<String>,
    /// Weakly fair: a formula that holds at agents whose steps lower the measures. They stay enabled until the measures fall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub helpful: Option<String>,
    /// If more is claimed of the safe set: a condition that holds at every agent again and again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurring: Option<Recurring>,
}

/// A proof that an algorithm fails on every ring of some sizes: a set of configurations that the daemon need not leave,
/// with a broken promise again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureCertificate {
    /// The format's version: 1.
    pub version: u32,
    /// What the algorithm is called; the check does not use it.
    pub subject: String,
    /// The text protocol that the rules were taken from, if it was one; the check does not use it, but whoever has it can compare.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The algorithm.
    pub rules: Rules,
    /// It fails on these rings,
    pub sizes: Sizes,
    /// under this scheduler,
    pub scheduler: Scheduler,
    /// with these coins.
    #[serde(default, skip_serializing_if = "Coins::are_adversarial")]
    pub coins: Coins,
    /// Configurations of each of these sizes, which the daemon need not leave.
    pub trap: Automaton,
    /// Weakly fair: measures that can fall, within the trap, until one agent, any, acts or is disabled. In them `here` is true at that
    /// agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<String>,
    /// Locally fair: moves for which one must wait until they can be made without leaving the trap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Turn>,
}

/// How a locally fair execution goes on in a trap until a move can be made on a watched arc without leaving the trap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The number of the move.
    #[serde(rename = "move")]
    pub of: usize,
    /// The execution goes on among configurations in which the move is possible on the watched arc, or this formula holds at its
    /// initiator: `0` is only the former, `1` the whole trap.
    pub within: String,
    /// Measures that can fall until then. In them `here` is true at that initiator.
    pub measures: Vec<String>,
}

/// Which graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Graphs {
    /// Complete ones.
    Complete,
}

/// Numbers of agents: at least, and at most if there is an upper bound. As JSON `[1, 1]` or `[0, null]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(usize, Option<usize>)", into = "(usize, Option<usize>)")]
pub struct Range {
    /// The least number.
    pub least: usize,
    /// The largest.
    pub most: Option<usize>,
}

impl From<(usize, Option<usize>)> for Range {
    fn from((least, most): (usize, Option<usize>)) -> Range {
        Range { least, most }
    }
}

impl From<Range> for (usize, Option<usize>) {
    fn from(range: Range) -> (usize, Option<usize>) {
        (range.least, range.most)
    }
}

/// A proof that a population protocol stabilizes on every complete graph from some size on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompleteCertificate {
    /// The format's version: 1.
    pub version: u32,
    /// Tells it from certificates about rings.
    pub graph: Graphs,
    /// What the algorithm is called; the check does not use it.
    pub subject: String,
    /// The text protocol that the rules were taken from, if it was one; the check does not use it, but whoever has it can compare.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The algorithm. Every move is a meeting: `own` the initiator, `right` the responder, any two agents.
    pub rules: Rules,
    /// The claim is about this many agents, and all larger numbers,
    pub from: usize,
    /// under this scheduler.
    pub scheduler: Scheduler,
    /// A configuration is safe if in one of these lists every state's count lies in its range.
    pub safe: Vec<Vec<Range>>,
    /// The measures, the most important first: `safe`, or `C:` of formulas about the agent's own state.
    pub measures: Vec<String>,
}
