//! What a check of all configurations found: text, JSON, and the run that shows a failure.
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

mod json;
mod looks;
mod text;

pub use looks::Looks;

use crate::Subject;
use ringleader_check::{Question, Report};
use ringleader_model::Scheduler;
use ringleader_model::trace::{Assumptions, Trace};
use std::time::Duration;

/// A check and what came out.
#[derive(Clone, Debug)]
pub struct CheckReport<'a> {
    /// What was checked.
    pub subject: Subject<'a>,
    /// On which graph, in words.
    pub graph: String,
    /// How its states look.
    pub looks: Looks<'a>,
    /// Under which schedules.
    pub question: &'a Question,
    /// What was found.
    pub found: &'a Report,
    /// Why the algorithm's paper claims nothing of this size, if it does not.
    pub beyond_claim: Option<String>,
    /// How long it took.
    pub time: Duration,
    /// The most memory that was used, if it is known.
    pub peak_bytes: Option<u64>,
}

/// What a reader is told of the places where there is more; nothing unless said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// What one can do with a run that shows a failure.
    pub run: &'a str,
    /// Where a fraction is that is too long to print.
    pub fraction: &'a str,
}

impl CheckReport<'_> {
    /// The run that shows the failure, if there is one, to be played back.
    #[must_use]
    pub fn trace(&self) -> Option<Trace> {
        let run = self.found.counterexample.as_ref()?;
        let assumptions = Assumptions {
            graph: Some(self.graph.clone()),
            scheduler: Some(self.question.scheduler),
            fairness: self.fairness().map(String::from),
            oracle: self.oracle().map(String::from),
        };
        Some(run.trace(self.looks.document(self.subject, &run.start), assumptions))
    }

    /// What the leader detector may say, if one is asked.
    fn oracle(&self) -> Option<&'static str> {
        self.subject.parameters.layers.oracle(self.subject.card).map(|_| self.question.detector.into())
    }

    /// What counts as one action, where that matters.
    fn fairness(&self) -> Option<&'static str> {
        (self.question.scheduler == Scheduler::LocallyFair).then(|| self.question.level.into())
    }
}
