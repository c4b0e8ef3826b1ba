//! The question that a check answers.

use ringleader_model::Scheduler;
use std::fmt;
use std::sync::Arc;
use strum::{EnumString, IntoStaticStr, VariantNames};

/// The answers of the leader detector, where the algorithm asks one; its name on the command line and in traces is in kebab case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Detector {
    /// The truth, at once, everywhere.
    #[default]
    Perfect,
    /// Anything; if from some point on there is always a leader or never one, eventually the truth.
    EventuallyCorrect,
}

/// What counts as one action under local fairness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Level {
    /// A transition of two states with its inputs, on an arc: the definition of Fischer and Jiang.
    #[default]
    Transition,
    /// A numbered rule on an arc.
    Rule,
    /// An arc.
    Arc,
}

/// What a claim about configurations says about executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// No step leads from a configuration where it holds to one where it does not.
    Invariant,
    /// Every execution reaches a configuration where it holds, from every configuration.
    Eventually,
}

/// Whether a configuration, given by the numbers of its local states, is as somebody claims.
pub type Condition = Arc<dyn Fn(&[u32]) -> bool + Send + Sync>;

/// Something claimed of an algorithm besides its promise.
#[derive(Clone)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// What it says about executions.
    pub promise: Promise,
    /// The configurations where it holds.
    pub holds: Condition,
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim").field("name", &self.name).field("promise", &self.promise).finish()
    }
}

/// The question that a check answers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Question {
    /// Which schedules.
    pub scheduler: Scheduler,
    /// The answers of the leader detector.
    pub detector: Detector,
    /// What counts as one action under local fairness.
    pub level: Level,
    /// Whether configurations that are rotations of each other are looked at once, where that decides the question.
    pub symmetry: bool,
    /// The memory limit, in bytes.
    pub memory: u64,
    /// The claims besides the promise.
    pub claims: Vec<Claim>,
    /// Whether only the claims are checked, and not the promise.
    pub only_claims: bool,
    /// The relative width of expected values that are not exact; by default 1e-9, for large spaces 1e-6.
    pub width: Option<f64>,
}

impl Question {
    /// All schedules of a class, a perfect detector, no limit to memory.
    #[must_use]
    pub fn new(scheduler: Scheduler) -> Question {
        let (detector, level) = (Detector::Perfect, Level::Transition);
        Question {
            scheduler,
            detector,
            level,
            symmetry: true,
            memory: u64::MAX,
            claims: vec![],
            only_claims: false,
            width: None,
        }
    }

    /// The same, looking at every configuration even where rotations of it would do.
    #[must_use]
    pub fn without_symmetry(self) -> Question {
        Question { symmetry: false, ..self }
    }

    /// The same, within so many bytes of memory: what may need more is refused before it starts.
    #[must_use]
    pub fn within(self, memory: u64) -> Question {
        Question { memory, ..self }
    }

    /// Whether rotations are looked at once. Fairness speaks of single agents or arcs, and a lying detector tells them
    /// apart; where several processes step at once, all their steps are kept anyway; a claim may name an agent by its place.
    #[must_use]
    pub fn up_to_rotation(&self) -> bool {
        use Scheduler::{Alternating, GloballyFair, Random, Unfair};
        let anonymous = matches!(self.scheduler, Random | GloballyFair | Unfair | Alternating);
        self.symmetry && anonymous && self.detector == Detector::Perfect && self.claims.is_empty()
    }
}
