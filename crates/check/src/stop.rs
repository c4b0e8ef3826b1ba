//! The reasons why a check ends without a verdict.

use ringleader_erased::{LeavesDomain, NoTable, Unfit};
use ringleader_model::Scheduler;
use thiserror::Error;

/// The most steps within which a probability is computed. The curve has a point for each of them.
pub(crate) const MOST_STEPS_WITHIN: u64 = 10_000_000;

/// The reason why a check ended without a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Stop {
    /// The caller stopped the check.
    #[error("interrupted")]
    Interrupted,
    /// The check cannot be done as requested.
    #[error(transparent)]
    Refused(#[from] Uncheckable),
    /// A rule writes a value outside its variable's declared domain. A verdict about such an algorithm would be
    /// meaningless.
    #[error(transparent)]
    LeavesDomain(#[from] LeavesDomain),
    /// The algorithm contradicts its declaration, so engines would disagree about it.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A device failed.
    #[cfg(any(feature = "cuda", all(test, unix)))]
    #[error("the GPU failed: {0}")]
    Device(String),
}

impl From<NoTable> for Stop {
    fn from(problem: NoTable) -> Stop {
        match problem {
            NoTable::LeavesDomain(problem) => problem.into(),
            NoTable::Unfit(unfit) => unfit.into(),
            NoTable::TooRandom | NoTable::TooLarge(_) => Uncheckable::TooRandom.into(),
            NoTable::NotAdmitted { process, rules } => Uncheckable::WritesGiven { agents: vec![process], rules }.into(),
            NoTable::Stopped => Stop::Interrupted,
        }
    }
}

/// The reason why a check is impossible as requested. Its message says what is wrong and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Uncheckable {
    /// The scheduler is for rings of processes, and the algorithm is a population protocol.
    #[error(
        "the {0} scheduler is for rings of processes; a population protocol is checked under random, globally-fair, locally-fair, \
         fair, unfair, random-partner or fair-random-partner"
    )]
    OnlyForRings(Scheduler),
    /// The scheduler is for population protocols, and the algorithm is a system of processes.
    #[error("the {0} scheduler is for population protocols, in which two agents take part in each step")]
    OnlyForPopulations(Scheduler),
    /// Under a scheduler with fair coins, adversarial ones are asked for.
    #[error(
        "a fair coin chooses the partner under random-partner and fair-random-partner; if the daemon chooses it, the scheduler is unfair or fair"
    )]
    FairPartner,
    /// The scheduler would choose between rules after a coin has chosen the partner.
    #[error(
        "rules leave a choice to the scheduler, and the choice could depend on the coin that chooses the partner: random-partner and \
         fair-random-partner do not support this"
    )]
    ChoosesAfterPartner,
    /// The scheduler is for rings and lines of processes, and the algorithm is for any graph.
    #[error(
        "the {0} scheduler is for rings and lines of processes; the processes of a graph are checked under random, globally-fair, \
         locally-fair, fair, unfair, synchronous, distributed or locally-central"
    )]
    OnlyForChains(Scheduler),
    /// The checker does not support the scheduler.
    #[error(
        "the checker does not support the {0} scheduler; it supports random, globally-fair, locally-fair, fair, unfair, alternating, \
         synchronous, distributed, locally-central, random-partner and fair-random-partner"
    )]
    Unchecked(Scheduler),
    /// No graph of configurations expresses the scheduler.
    #[error(
        "no graph of configurations expresses the {0} scheduler: {reason}; there are random and synchronous (Markov chains), unfair, \
         distributed, locally-central, alternating and random-partner (decision processes)",
        reason = without_graph(*.0)
    )]
    NoGraph(Scheduler),
    /// An eventually correct detector needs a fair scheduler.
    #[error("an eventually correct detector is checked under random, globally-fair or locally-fair")]
    UnfairDetector,
    /// Rounds are counted for other schedulers.
    #[error(
        "rounds are counted for processes with fair coins or none, under random, unfair, fair, locally-fair, distributed, \
         locally-central or synchronous; populations have parallel time"
    )]
    NoRounds,
    /// Moves are counted for other schedulers.
    #[error(
        "moves are counted where several processes step at once: under distributed, locally-central or synchronous; elsewhere \
         one process steps at a time"
    )]
    NoMoves,
    /// Rounds or moves are asked for, but only claims are checked.
    #[error(
        "rounds and moves are counted until the goal is reached, and rounds between two visits of a recurring claim; only claims \
         are checked here: leave out the count, or the claims"
    )]
    RoundsOfClaims,
    /// The expected steps from a start are asked for, but there are none.
    #[error("a start has expected steps under random, or with fair coins: under {0} nothing is random here")]
    NoStarts(Scheduler),
    /// The strategy of the worst daemon is asked for, but there is none.
    #[error(
        "the strategy of the worst daemon is for fair coins against a daemon that chooses: under {0} this algorithm has none"
    )]
    NoStrategy(Scheduler),
    /// Probabilities within some steps are computed for other schedulers.
    #[error(
        "probabilities within some steps are computed under random, synchronous, unfair, distributed, locally-central, \
         alternating and random-partner, with a perfect detector and fair coins; fairness bounds no finite part of an execution"
    )]
    NoProbabilities,
    /// The time bound is too far away.
    #[error(
        "the curve has one probability for each number of steps up to the bound: at most {MOST_STEPS_WITHIN}, not {0}"
    )]
    TooLate(u64),
    /// No configuration is a start.
    #[error("no configuration meets the condition on the starts: {0}")]
    NoStart(String),
    /// The expected steps from a configuration are asked for, but no execution reaches it.
    #[error(
        "no execution from the starts ({starts}) reaches the configuration {configuration}: ask for one of the two"
    )]
    Unreached {
        /// The name of the configuration.
        configuration: String,
        /// The condition on the starts.
        starts: String,
    },
    /// Given starts are checked with another detector.
    #[error("given starts are checked with a detector that does not lie: its lies would be part of each start")]
    Unstarted,
    /// There are 2^32 configurations with pending processes or more.
    #[error("2^32 or more configurations with the processes that a round waits for; try a smaller size")]
    TooManyRounds,
    /// A lying detector was requested, but the algorithm asks no leader detector.
    #[error("{} asks no leader detector", if *ring { "a ring of processes" } else { "this algorithm" })]
    NoDetector {
        /// Whether the algorithm is a ring of processes; no process asks a detector.
        ring: bool,
    },
    /// The ring has fewer than two processes.
    #[error("a ring has at least 2 processes, not {0}")]
    TooFewProcesses(usize),
    /// There are 2^32 configurations or more.
    #[error(
        "{states} states for each of {agents} agents make about {} configurations; the checker numbers fewer than 2^32 = 4.3e9: \
         try a smaller size",
        power(*states, *agents)
    )]
    TooManyConfigurations {
        /// The number of local states.
        states: u64,
        /// The number of agents.
        agents: usize,
    },
    /// The processes of a graph, which differ in their numbers of states, have 2^32 configurations or more.
    #[error(
        "{} processes with {} to {} states make about {} configurations; the checker numbers fewer than 2^32 = 4.3e9: try a smaller size",
        states.len(),
        states.iter().min().unwrap_or(&0),
        states.iter().max().unwrap_or(&0),
        decimal(states.iter().map(|states| (*states as f64).log10()).sum())
    )]
    TooManyTogether {
        /// The number of local states of each process.
        states: Vec<u64>,
    },
    /// The expected steps from a configuration are asked for, but it is none of the algorithm's.
    #[error(
        "the configuration {0} has a state that no fault produces: its process has no such port, or another value is given"
    )]
    NoConfiguration(String),
    /// There are 2^32 multisets of local states or more.
    #[error("{states} states for each of {agents} agents make 2^32 or more multisets: try a smaller size")]
    TooManyMultisets {
        /// The number of local states.
        states: u64,
        /// The number of agents.
        agents: usize,
    },
    /// There are 2^32 configurations with tokens or more.
    #[error("2^32 or more configurations with tokens; try a smaller size")]
    TooManyTokens,
    /// There are 2^32 configurations with answers of the detector or more.
    #[error("too many configurations with inputs: 2^32 or more; try a smaller size")]
    TooManyAnswers,
    /// There are 2^32 steps of several processes at once or more.
    #[error(
        "{configurations} configurations have {steps} steps under this daemon; the checker keeps fewer than 2^32: try a smaller size"
    )]
    TooManySteps {
        /// The number of configurations.
        configurations: u64,
        /// The number of steps.
        steps: u64,
    },
    /// The coins of all processes together have 2^32 outcomes or more.
    #[error("the coins of all processes together have 2^32 or more outcomes; try a smaller size")]
    TooManyCoins,
    /// The daemon chooses between rules after a coin was tossed.
    #[error(
        "a rule lets the scheduler choose after it tossed a coin: the scheduler's choice can depend on the coin, so fair coins \
         are not supported"
    )]
    ChoosesLate,
    /// The detector lies, and coins are tossed.
    #[error("a detector that lies is checked with adversarial coins only, since its lies may depend on the coins")]
    LiesAboutCoins,
    /// The coins of a rule have too many outcomes.
    #[error(
        "the coins of the rules have too many outcomes: their common denominator must be less than 2^32, and at most two million \
         outcomes are listed; use smaller dice, or simulate"
    )]
    TooRandom,
    /// The proof names more closed sets than the checker supports.
    #[error("a proof may name 64 closed sets, not {0}")]
    TooManySets(usize),
    /// A step changes the given variables, or leaves their ranges, so its result is not a configuration.
    #[error(
        "{}, applied by {}, changes given variables to values that are not given, so a verdict would be meaningless; add a guard \
         that disables the rule there",
        fired(rules),
        listed("agent", agents.iter().copied())
    )]
    WritesGiven {
        /// The agents that take the step.
        agents: Vec<usize>,
        /// The rules of the step.
        rules: Vec<u8>,
    },
    /// The check needs the CPU.
    #[cfg(any(feature = "cuda", all(test, unix)))]
    #[error("a GPU checks population protocols on directed rings under random or globally-fair, and here {0}")]
    NotOnDevice(&'static str),
    /// The check may need more memory than the limit.
    #[error(
        "{} configurations may need {needed} GiB, and {allowed} GiB may be used: try a smaller size, or allow more",
        counted(*configurations),
        needed = gib(*needed, *allowed)[0],
        allowed = gib(*needed, *allowed)[1]
    )]
    Memory {
        /// The number of configurations; `None` if there are 2^64 or more.
        configurations: Option<u64>,
        /// The bytes that the check may need.
        needed: u64,
        /// The limit in bytes.
        allowed: u64,
    },
    /// Multisets cannot decide the question, and the check with agents, which could, is refused.
    #[error("multisets do not distinguish arcs and cannot decide this; the check with arcs is refused: {0}")]
    Undecided(Box<Uncheckable>),
}

impl Uncheckable {
    /// Refuses a check for this reason, if it is so.
    pub(crate) fn refuse_if(self, so: bool) -> Result<(), Stop> {
        if so { Err(self.into()) } else { Ok(()) }
    }

    /// The underlying reason, if this error wraps another.
    pub fn cause(&self) -> &Uncheckable {
        match self {
            Uncheckable::Undecided(cause) => cause.cause(),
            cause => cause,
        }
    }
}

/// Two numbers of bytes in GiB, with as many digits as it takes to tell them apart.
///
/// ```
/// assert_eq!(ringleader_check::gib((1 << 30) + (1 << 23), 1 << 30), ["1.01", "1.00"]);
/// ```
#[must_use]
pub fn gib(needed: u64, allowed: u64) -> [String; 2] {
    let shown =
        |digits: usize| [needed, allowed].map(|bytes| format!("{:.digits$}", bytes as f64 / f64::from(1 << 30)));
    (1..=12).map(shown).find(|[needed, allowed]| needed != allowed).unwrap_or_else(|| shown(1))
}

fn counted(configurations: Option<u64>) -> String {
    configurations.map_or_else(|| "2^64 or more".into(), |count| count.to_string())
}

fn without_graph(scheduler: Scheduler) -> &'static str {
    match scheduler {
        Scheduler::RoundRobin | Scheduler::Timed => "the next step depends on the past, not on the configuration alone",
        _ => "fairness is a condition on infinite executions, and a plain Markov decision process has none",
    }
}

fn listed(name: &str, numbers: impl Iterator<Item = usize>) -> String {
    numbers.map(|number| format!("{name} {number}")).collect::<Vec<_>>().join(" and ")
}

fn fired(rules: &[u8]) -> String {
    if rules.is_empty() { "a rule".into() } else { listed("rule", rules.iter().map(|&rule| rule.into())) }
}

/// An approximate power, of any size.
fn power(base: u64, exponent: usize) -> String {
    decimal(exponent as f64 * (base as f64).log10())
}

/// 10 to a power, of any size.
fn decimal(digits: f64) -> String {
    if digits < 300.0 { format!("{:.1e}", 10_f64.powf(digits)) } else { format!("10^{digits:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_speak_of_the_question_and_not_of_a_command_line() {
        let memory = Uncheckable::Memory { configurations: Some(8), needed: 3 << 30, allowed: 1 << 30 };
        assert_eq!(
            memory.to_string(),
            "8 configurations may need 3.0 GiB, and 1.0 GiB may be used: try a smaller size, or allow more"
        );
        let close = Uncheckable::Memory { configurations: Some(8), needed: (1 << 30) + (1 << 23), allowed: 1 << 30 };
        assert!(close.to_string().contains("may need 1.01 GiB, and 1.00 GiB may be used"), "{close}");
        assert_eq!(gib(1 << 30, 1 << 30), ["1.0", "1.0"]);
        assert_eq!(gib((1 << 30) + 1, 1 << 30), ["1.000000001", "1.000000000"]);
        let many = Uncheckable::TooManyConfigurations { states: 12_024, agents: 400 };
        assert!(many.to_string().contains("make about 10^1632 configurations"), "{many}");
        let nested = Uncheckable::Undecided(Box::new(memory.clone()));
        assert_eq!(nested.cause(), &memory);
        assert!(nested.to_string().ends_with(&memory.to_string()));
        for refusal in
            [nested, Uncheckable::NoDetector { ring: true }, Uncheckable::UnfairDetector, Uncheckable::TooManyAnswers]
        {
            assert!(!refusal.to_string().contains("--"), "{refusal}");
        }
    }
}
