//! The question that a check answers.

use ringleader_model::Scheduler;
use std::fmt;
use std::sync::Arc;
use strum::{EnumString, IntoStaticStr, VariantNames};

/// The answers of the leader detector, for algorithms that ask one. Command line and traces name it in kebab case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Detector {
    /// The truth, immediately and everywhere.
    #[default]
    Perfect,
    /// Any answers; but if from some point on there is always a leader, or never one, eventually the truth.
    EventuallyCorrect,
}

/// The actions that local fairness distinguishes.
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

/// The meaning of a claim about configurations for executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Promise {
    /// No step leads from a configuration in the claimed set to one outside it.
    Invariant,
    /// Every execution, from every configuration, reaches the claimed set.
    Eventually,
}

/// A claimed set: whether it contains the configuration with these numbers of local states.
pub type Condition = Arc<dyn Fn(&[u32]) -> bool + Send + Sync>;

/// A claim about an algorithm besides its promise.
#[derive(Clone)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// The meaning of the claim for executions.
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
    /// The class of schedules.
    pub scheduler: Scheduler,
    /// The answers of the leader detector.
    pub detector: Detector,
    /// The actions that local fairness distinguishes.
    pub level: Level,
    /// Whether to check one representative of each rotation class, where that decides the question.
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
    /// All schedules of a class, a perfect detector, no memory limit.
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

    /// The same, but checks every configuration instead of one of each rotation class.
    #[must_use]
    pub fn without_symmetry(self) -> Question {
        Question { symmetry: false, ..self }
    }

    /// The same, within `memory` bytes: a check that may need more is refused before it starts.
    #[must_use]
    pub fn within(self, memory: u64) -> Question {
        Question { memory, ..self }
    }

    /// Whether rotation classes decide the question. Fairness distinguishes single agents or arcs, and so does a lying
    /// detector. Where several processes step at once, all their steps are stored anyway. A claim may name an agent by
    /// its place.
    #[must_use]
    pub fn up_to_rotation(&self) -> bool {
        use Scheduler::{Alternating, GloballyFair, Random, Unfair};
        let anonymous = matches!(self.scheduler, Random | GloballyFair | Unfair | Alternating);
        self.symmetry && anonymous && self.detector == Detector::Perfect && self.claims.is_empty()
    }
}
