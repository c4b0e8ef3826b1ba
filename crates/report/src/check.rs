//! The report of a check of all configurations: text, JSON and the counterexample.
//!
//! ```
//! use ringleader_algorithms::ring::burns_pachl::BurnsPachl;
//! use ringleader_check::{Monitor, Question, ring};
//! use ringleader_erased::{Entry, Parameters, RingInstance};
//! use ringleader_report::Subject;
//! use ringleader_report::check::{CheckReport, Hints, Looks};
//! use std::time::Duration;
//!
//! let parameters = Parameters::new(3);
//! let algorithm = RingInstance::new(BurnsPachl::build(&parameters).unwrap()).unwrap();
//! let question = Question::new(BurnsPachl::CARD.scheduler);
//! let found = ring(&algorithm, 3, &question, &Monitor::default()).unwrap();
//! let report = CheckReport {
//!     subject: Subject { card: &BurnsPachl::CARD, parameters: &parameters },
//!     graph: BurnsPachl::CARD.topology.describe().into(),
//!     looks: Looks::ring(&algorithm),
//!     question: &question,
//!     found: &found,
//!     beyond_claim: None,
//!     time: Duration::ZERO,
//!     peak_bytes: None,
//! };
//! assert_eq!(report.json()["verdict"], "holds");
//! let mut text = vec![];
//! report.text(&mut text, 80, Hints::default()).unwrap();
//! assert!(String::from_utf8(text).unwrap().contains("from every configuration"));
//! ```

mod graphs;
mod json;
mod looks;
mod numbers;
mod reach;
mod text;

pub use graphs::AllGraphs;
pub use looks::Looks;
pub use numbers::measured;

use crate::Subject;
use ringleader_check::{Coins, Question, Report};
use ringleader_model::Scheduler;
use ringleader_model::trace::{Assumptions, Trace};
use std::time::Duration;

/// A check and its result.
#[derive(Clone, Debug)]
pub struct CheckReport<'a> {
    /// The checked algorithm.
    pub subject: Subject<'a>,
    /// The graph, in words.
    pub graph: String,
    /// The appearance of its states.
    pub looks: Looks<'a>,
    /// The question: scheduler, fairness and detector.
    pub question: &'a Question,
    /// The findings.
    pub found: &'a Report,
    /// The reason why the algorithm's paper claims nothing about this size, if so.
    pub beyond_claim: Option<String>,
    /// The duration of the check.
    pub time: Duration,
    /// The peak memory, if known.
    pub peak_bytes: Option<u64>,
}

/// Hints where a reader finds more; none by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// A hint for the counterexample.
    pub run: &'a str,
    /// A hint for a fraction that is too long to print.
    pub fraction: &'a str,
}

impl CheckReport<'_> {
    /// The trace of the counterexample, if there is one.
    #[must_use]
    pub fn trace(&self) -> Option<Trace> {
        let run = self.found.counterexample.as_ref()?;
        let assumptions = Assumptions {
            graph: Some(self.graph.clone()),
            scheduler: Some(self.question.scheduler),
            fairness: self.fairness().map(String::from),
            oracle: self.oracle().map(String::from),
            coins: self.coins().map(|coins| <&str>::from(coins).into()),
        };
        let start = self.looks.document(self.subject, &run.start);
        Some(run.trace(start, assumptions, |states| self.looks.states(states)))
    }

    /// The kind of leader detector, if the algorithm asks one.
    fn oracle(&self) -> Option<&'static str> {
        self.subject.parameters.layers.oracle(self.subject.card).map(|_| self.question.detector.into())
    }

    /// The outcomes of the coins, if coins are tossed and a daemon chooses.
    fn coins(&self) -> Option<Coins> {
        let chance = matches!(self.question.scheduler, Scheduler::Random | Scheduler::GloballyFair);
        let coins = if self.found.almost_surely { Coins::Fair } else { Coins::Adversarial };
        (self.found.tosses && !chance).then_some(coins)
    }

    /// The level of an action, where it matters.
    fn fairness(&self) -> Option<&'static str> {
        (self.question.scheduler == Scheduler::LocallyFair).then(|| self.question.level.into())
    }
}
