//! Why a check ends without a verdict.

use ringleader_erased::{LeavesDomain, NoTable, Unfit};
use ringleader_model::Scheduler;
use std::fmt;
use thiserror::Error;

/// Why a check did not end with a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Stop {
    /// The caller stopped it.
    #[error("interrupted")]
    Interrupted,
    /// It cannot be done as asked.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A rule writes a value that its variable is not declared to take: no verdict about such an algorithm means anything.
    #[error(transparent)]
    LeavesDomain(#[from] LeavesDomain),
    /// The algorithm is not as it declares: engines would disagree about it.
    #[error(transparent)]
    Unfit(#[from] Unfit),
}

impl From<NoTable> for Stop {
    fn from(problem: NoTable) -> Stop {
        match problem {
            NoTable::LeavesDomain(problem) => problem.into(),
            NoTable::Unfit(unfit) => unfit.into(),
            NoTable::TooRandom | NoTable::TooLarge(_) => Refusal::TooRandom.into(),
        }
    }
}

/// Why something cannot be checked as asked; its text says what was wrong and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The scheduler is one for rings of processes, and this is a population.
    OnlyForRings(Scheduler),
    /// The checker does not know the scheduler.
    Unchecked(Scheduler),
    /// A detector that is right only in the end needs a scheduler that is fair.
    UnfairDetector,
    /// The algorithm asks no leader detector, and a lying one was asked for.
    NoDetector {
        /// Whether it is a ring of processes, none of which asks one.
        ring: bool,
    },
    /// A ring of one process or none.
    TooFewProcesses(usize),
    /// There are 2^32 configurations or more.
    TooManyConfigurations {
        /// How many local states there are.
        states: u64,
        /// How many agents.
        agents: usize,
    },
    /// There are 2^32 multisets of local states or more, or 2^64 steps or more between the configurations they stand for.
    TooManyMultisets {
        /// How many local states there are.
        states: u64,
        /// How many agents.
        agents: usize,
    },
    /// There are 2^32 configurations with tokens or more.
    TooManyTokens,
    /// There are 2^32 configurations with answers of the detector or more.
    TooManyAnswers,
    /// There are 2^32 steps of several processes at once or more.
    TooManySteps {
        /// Between so many configurations.
        configurations: u64,
        /// How many steps.
        steps: u64,
    },
    /// The coins of all processes together have 2^32 outcomes or more.
    TooManyCoins,
    /// The coins of a rule have too many outcomes.
    TooRandom,
    /// The proof names more closed sets than the checker keeps apart.
    TooManySets(usize),
    /// A step leads to what is no configuration.
    WritesGiven {
        /// Who takes it.
        agents: Vec<usize>,
        /// By which rules.
        rules: Vec<u8>,
    },
    /// It may need more memory than it may use.
    Memory {
        /// How many configurations there are; unknown if there are 2^64 or more.
        configurations: Option<u64>,
        /// How many bytes it may need.
        needed: u64,
        /// How many bytes it may use.
        allowed: u64,
    },
    /// Multisets do not tell whether it holds, and a look at the agents, which would, is refused.
    Undecided(Box<Refusal>),
    /// It fails, as multisets tell, but a look at the agents, for a run that shows it, is refused.
    Unshown(Box<Refusal>),
}

impl Refusal {
    /// The reason behind it, where it is not the first one.
    pub fn cause(&self) -> &Refusal {
        match self {
            Refusal::Undecided(cause) | Refusal::Unshown(cause) => cause.cause(),
            cause => cause,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::OnlyForRings(scheduler) => write!(
                f,
                "the {scheduler} scheduler is for rings of processes; a population protocol is checked under random, \
                 globally-fair, locally-fair, fair or unfair"
            ),
            Refusal::Unchecked(scheduler) => write!(
                f,
                "the checker does not take the {scheduler} scheduler; it takes random, globally-fair, locally-fair, fair, \
                 unfair, alternating, synchronous and distributed"
            ),
            Refusal::UnfairDetector => {
                f.write_str("an eventually correct detector is checked under random, globally-fair or locally-fair")
            }
            Refusal::NoDetector { ring: true } => f.write_str("a ring of processes asks no leader detector"),
            Refusal::NoDetector { ring: false } => f.write_str("this algorithm asks no leader detector"),
            Refusal::TooFewProcesses(size) => write!(f, "a ring has at least 2 processes, not {size}"),
            Refusal::TooManyConfigurations { states, agents } => write!(
                f,
                "{states} states for each of {agents} agents make about {} configurations; the checker numbers fewer \
                 than 2^32 = 4.3e9: try a smaller size",
                power(*states, *agents)
            ),
            Refusal::TooManyMultisets { states, agents } => write!(
                f,
                "{states} states for each of {agents} agents make 2^64 or more steps, or 2^32 or more multisets: try a \
                 smaller size"
            ),
            Refusal::TooManyTokens => f.write_str("2^32 or more configurations with tokens; try a smaller size"),
            Refusal::TooManyAnswers => {
                f.write_str("too many configurations with inputs: 2^32 or more; try a smaller size")
            }
            Refusal::TooManySteps { configurations, steps } => write!(
                f,
                "{configurations} configurations have {steps} steps under this daemon; the checker keeps fewer than 2^32: \
                 try a smaller size"
            ),
            Refusal::TooManyCoins => {
                f.write_str("the coins of all processes together have 2^32 or more outcomes; try a smaller size")
            }
            Refusal::TooRandom => f.write_str(
                "the coins of the rules have too many outcomes: their common denominator must be less than 2^32, and two million \
                 of them are listed; take smaller dice, or simulate",
            ),
            Refusal::TooManySets(sets) => write!(f, "a proof may name 64 closed sets, not {sets}"),
            Refusal::WritesGiven { agents, rules } => {
                let list = |numbers: Vec<String>| numbers.join(" and ");
                let who = list(agents.iter().map(|agent| format!("agent {agent}")).collect());
                let by = match &rules[..] {
                    [] => "a rule".to_string(),
                    rules => list(rules.iter().map(|rule| format!("rule {rule}")).collect()),
                };
                write!(
                    f,
                    "{by}, applied by {who}, changes what is given, which nothing may change: with such a rule no verdict means \
                     anything; a guard keeps the rule away from there"
                )
            }
            Refusal::Memory { configurations, needed, allowed } => {
                let gib = |bytes: &u64| *bytes as f64 / f64::from(1 << 30);
                let count = configurations.map_or_else(|| "2^64 or more".into(), |count| count.to_string());
                write!(
                    f,
                    "{count} configurations may need {:.1} GiB, and {:.1} GiB may be used: try a smaller size, or allow more",
                    gib(needed),
                    gib(allowed)
                )
            }
            Refusal::Undecided(cause) => {
                write!(f, "on multisets, which forget the arcs, this cannot be decided, and with arcs {cause}")
            }
            Refusal::Unshown(cause) => {
                write!(f, "it fails, but a run that shows it cannot be found at this size: {cause}")
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// A number to the power of another, roughly, however large.
fn power(base: u64, exponent: usize) -> String {
    let digits = exponent as f64 * (base as f64).log10();
    if digits < 300.0 { format!("{:.1e}", (base as f64).powi(exponent as i32)) } else { format!("10^{digits:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_speak_of_the_question_and_not_of_a_command_line() {
        let memory = Refusal::Memory { configurations: Some(8), needed: 3 << 30, allowed: 1 << 30 };
        assert_eq!(
            memory.to_string(),
            "8 configurations may need 3.0 GiB, and 1.0 GiB may be used: try a smaller size, or allow more"
        );
        let many = Refusal::TooManyConfigurations { states: 12_024, agents: 400 };
        assert!(many.to_string().contains("make about 10^1632 configurations"), "{many}");
        let nested = Refusal::Unshown(Box::new(Refusal::Undecided(Box::new(memory.clone()))));
        assert_eq!(nested.cause(), &memory);
        assert!(nested.to_string().ends_with(&memory.to_string()));
        for refusal in [nested, Refusal::NoDetector { ring: true }, Refusal::UnfairDetector, Refusal::TooManyAnswers] {
            assert!(!refusal.to_string().contains("--"), "{refusal}");
        }
    }
}
