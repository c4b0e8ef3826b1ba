//! Why a check ends without a verdict.

use ringleader_erased::{LeavesDomain, NoTable, Unfit};
use ringleader_model::Scheduler;
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
    Refused(#[from] Uncheckable),
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
            NoTable::TooRandom | NoTable::TooLarge(_) => Uncheckable::TooRandom.into(),
        }
    }
}

/// Why something cannot be checked as asked; its text says what is wrong and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Uncheckable {
    /// The scheduler is one for rings of processes, and this is a population.
    #[error(
        "the {0} scheduler is for rings of processes; a population protocol is checked under random, globally-fair, locally-fair, \
         fair or unfair"
    )]
    OnlyForRings(Scheduler),
    /// The checker does not know the scheduler.
    #[error(
        "the checker does not take the {0} scheduler; it takes random, globally-fair, locally-fair, fair, unfair, alternating, \
         synchronous and distributed"
    )]
    Unchecked(Scheduler),
    /// A detector that is right only in the end needs a scheduler that is fair.
    #[error("an eventually correct detector is checked under random, globally-fair or locally-fair")]
    UnfairDetector,
    /// The algorithm asks no leader detector, and a lying one was asked for.
    #[error("{} asks no leader detector", if *ring { "a ring of processes" } else { "this algorithm" })]
    NoDetector {
        /// Whether it is a ring of processes, none of which asks one.
        ring: bool,
    },
    /// A ring of one process or none.
    #[error("a ring has at least 2 processes, not {0}")]
    TooFewProcesses(usize),
    /// There are 2^32 configurations or more.
    #[error(
        "{states} states for each of {agents} agents make about {} configurations; the checker numbers fewer than 2^32 = 4.3e9: \
         try a smaller size",
        power(*states, *agents)
    )]
    TooManyConfigurations {
        /// How many local states there are.
        states: u64,
        /// How many agents.
        agents: usize,
    },
    /// There are 2^32 multisets of local states or more, or 2^64 steps or more between the configurations they stand for.
    #[error(
        "{states} states for each of {agents} agents make 2^64 or more steps, or 2^32 or more multisets: try a smaller size"
    )]
    TooManyMultisets {
        /// How many local states there are.
        states: u64,
        /// How many agents.
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
        /// Between so many configurations.
        configurations: u64,
        /// How many steps.
        steps: u64,
    },
    /// The coins of all processes together have 2^32 outcomes or more.
    #[error("the coins of all processes together have 2^32 or more outcomes; try a smaller size")]
    TooManyCoins,
    /// The coins of a rule have too many outcomes.
    #[error(
        "the coins of the rules have too many outcomes: their common denominator must be less than 2^32, and at most two million \
         outcomes are listed; use smaller dice, or simulate"
    )]
    TooRandom,
    /// The proof names more closed sets than the checker keeps apart.
    #[error("a proof may name 64 closed sets, not {0}")]
    TooManySets(usize),
    /// A step leads to what is no configuration.
    #[error(
        "{}, applied by {}, changes what is given, which nothing may change: with such a rule no verdict means anything; a guard \
         keeps the rule away from there",
        fired(rules),
        listed("agent", agents.iter().copied())
    )]
    WritesGiven {
        /// Who takes it.
        agents: Vec<usize>,
        /// By which rules.
        rules: Vec<u8>,
    },
    /// It may need more memory than it may use.
    #[error(
        "{} configurations may need {:.1} GiB, and {:.1} GiB may be used: try a smaller size, or allow more",
        counted(*configurations),
        gib(*needed),
        gib(*allowed)
    )]
    Memory {
        /// How many configurations there are; unknown if there are 2^64 or more.
        configurations: Option<u64>,
        /// How many bytes it may need.
        needed: u64,
        /// How many bytes it may use.
        allowed: u64,
    },
    /// Multisets do not tell whether it holds, and a look at the agents, which would, is refused.
    #[error("on multisets, which forget the arcs, this cannot be decided, and with arcs {0}")]
    Undecided(Box<Uncheckable>),
    /// It fails, as multisets tell, but a look at the agents, for a run that shows it, is refused.
    #[error("it fails, but a run that shows it cannot be found at this size: {0}")]
    Unshown(Box<Uncheckable>),
}

impl Uncheckable {
    /// The reason behind it, where it is not the first one.
    pub fn cause(&self) -> &Uncheckable {
        match self {
            Uncheckable::Undecided(cause) | Uncheckable::Unshown(cause) => cause.cause(),
            cause => cause,
        }
    }
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

fn counted(configurations: Option<u64>) -> String {
    configurations.map_or_else(|| "2^64 or more".into(), |count| count.to_string())
}

fn listed(name: &str, numbers: impl Iterator<Item = usize>) -> String {
    numbers.map(|number| format!("{name} {number}")).collect::<Vec<_>>().join(" and ")
}

fn fired(rules: &[u8]) -> String {
    if rules.is_empty() { "a rule".into() } else { listed("rule", rules.iter().map(|&rule| rule.into())) }
}

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
        let memory = Uncheckable::Memory { configurations: Some(8), needed: 3 << 30, allowed: 1 << 30 };
        assert_eq!(
            memory.to_string(),
            "8 configurations may need 3.0 GiB, and 1.0 GiB may be used: try a smaller size, or allow more"
        );
        let many = Uncheckable::TooManyConfigurations { states: 12_024, agents: 400 };
        assert!(many.to_string().contains("make about 10^1632 configurations"), "{many}");
        let nested = Uncheckable::Unshown(Box::new(Uncheckable::Undecided(Box::new(memory.clone()))));
        assert_eq!(nested.cause(), &memory);
        assert!(nested.to_string().ends_with(&memory.to_string()));
        for refusal in
            [nested, Uncheckable::NoDetector { ring: true }, Uncheckable::UnfairDetector, Uncheckable::TooManyAnswers]
        {
            assert!(!refusal.to_string().contains("--"), "{refusal}");
        }
    }
}
