//! The question that a check answers.

use crate::Uncheckable;
use ringleader_model::{Promise, Scheduler};
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

/// The outcomes of the coins under a daemon that chooses freely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Coins {
    /// Fair and independent. The question is whether the promise holds with probability 1 against every daemon.
    #[default]
    Fair,
    /// Chosen by the daemon too: the promise must hold for every outcome.
    Adversarial,
}

/// A claimed set: whether it contains the configuration with these numbers of local states.
pub type Condition = Arc<dyn Fn(&[u32]) -> bool + Send + Sync>;

/// The bits of a configuration with these numbers of local states.
pub type Bitmap = Arc<dyn Fn(&[u32]) -> u32 + Send + Sync>;

/// A condition on each process: bit `i` tells whether it holds for process `i` in a configuration. If the condition names
/// no process, there is only bit 0.
#[derive(Clone)]
pub struct Each {
    /// The number of conditions: one for each process, or one.
    pub count: usize,
    /// The conditions that hold in a configuration.
    pub holds: Bitmap,
}

impl fmt::Debug for Each {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Each").field("count", &self.count).finish_non_exhaustive()
    }
}

/// The meaning of a claim.
#[derive(Clone)]
pub enum Claimed {
    /// No step leaves the set.
    Invariant(Condition),
    /// Every configuration of every execution is in the set.
    Always(Condition),
    /// Every execution reaches the set.
    Eventually(Condition),
    /// In every execution, each of the conditions holds infinitely often.
    Recurring(Each),
    /// In every execution, each condition of the first family is always followed by the same one of the second.
    Response(Each, Each),
}

impl Claimed {
    /// The kind of the claim.
    #[must_use]
    pub fn promise(&self) -> Promise {
        match self {
            Claimed::Invariant(_) => Promise::Invariant,
            Claimed::Always(_) => Promise::Always,
            Claimed::Eventually(_) => Promise::Eventually,
            Claimed::Recurring(_) => Promise::Recurring,
            Claimed::Response(..) => Promise::Response,
        }
    }

    /// The set of configurations that the claim is about; claims on single processes have none.
    pub(crate) fn set(&self) -> Option<&Condition> {
        match self {
            Claimed::Invariant(holds) | Claimed::Always(holds) | Claimed::Eventually(holds) => Some(holds),
            Claimed::Recurring(_) | Claimed::Response(..) => None,
        }
    }
}

/// A claim about an algorithm besides its promise.
#[derive(Clone)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// Its meaning.
    pub claimed: Claimed,
    /// Whether it may tell agents apart by their places. If not, one configuration stands for its rotations, and on a
    /// complete graph for its permutations.
    pub places: bool,
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim").field("name", &self.name).field("promise", &self.claimed.promise()).finish()
    }
}

/// The configurations in which executions start, where they do not start everywhere.
#[derive(Clone)]
pub struct Starting {
    /// The condition in words, for the report.
    pub name: String,
    /// Whether an execution may start in a configuration.
    pub holds: Condition,
    /// Whether the condition may tell agents apart by their places.
    pub places: bool,
}

impl fmt::Debug for Starting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Starting").field("name", &self.name).field("places", &self.places).finish_non_exhaustive()
    }
}

/// A configuration with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Its name, for the report.
    pub name: String,
    /// The numbers of its local states.
    pub states: Vec<u32>,
}

/// A bound on the time: the probability that the really safe set is reached within some steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Horizon {
    /// The probabilities within 0, 1, .. this many steps.
    pub steps: Option<u64>,
    /// The number of steps within which this probability is reached.
    pub quantile: Option<f64>,
}

/// The question that a check answers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Question {
    /// The class of schedules.
    pub scheduler: Scheduler,
    /// The answers of the leader detector.
    pub detector: Detector,
    /// The outcomes of the coins, under a daemon that chooses freely.
    pub coins: Coins,
    /// The actions that local fairness distinguishes.
    pub level: Level,
    /// Whether to check one representative of each rotation class, or of each orbit of a graph's automorphisms, where that decides the
    /// question.
    pub symmetry: bool,
    /// Whether to merge local states that nothing distinguishes, where the answer stays exact.
    pub merge: bool,
    /// The memory limit, in bytes.
    pub memory: u64,
    /// The claims besides the promise.
    pub claims: Vec<Claim>,
    /// Whether only the claims are checked, and not the promise.
    pub only_claims: bool,
    /// Whether only the goal is checked, and not the sets of the proof.
    pub only_goal: bool,
    /// The configurations in which executions start; all of them if absent. The report is then about executions from these
    /// starts and about the configurations that they reach.
    pub starting: Option<Starting>,
    /// Configurations whose expected steps are reported besides, by the numbers of their local states.
    pub starts: Vec<Start>,
    /// Whether to count the worst-case rounds, too: for processes, under a daemon or the random scheduler.
    pub rounds: bool,
    /// Whether to count the worst-case moves, too, where several processes step at once.
    pub moves: bool,
    /// Whether to show the choices of the worst daemon, too, where coins are fair and a daemon chooses.
    pub strategy: bool,
    /// Whether to compute the probability of the really safe set within some steps, too.
    pub horizon: Option<Horizon>,
    /// The relative width of expected values that are not exact; by default 1e-9, for large spaces 1e-6.
    pub width: Option<f64>,
    /// Whether every execution is known to reach the really safe set, so that no such failure has to be explained.
    pub(crate) converges: bool,
}

impl Question {
    /// All schedules of a class, a perfect detector, no memory limit.
    #[must_use]
    pub fn new(scheduler: Scheduler) -> Question {
        let (detector, level) = (Detector::Perfect, Level::Transition);
        Question {
            scheduler,
            detector,
            coins: Coins::Fair,
            level,
            symmetry: true,
            merge: true,
            memory: u64::MAX,
            claims: vec![],
            only_claims: false,
            only_goal: false,
            starting: None,
            starts: vec![],
            rounds: false,
            moves: false,
            strategy: false,
            horizon: None,
            width: None,
            converges: false,
        }
    }

    /// The same, but checks every configuration instead of one of each class.
    #[must_use]
    pub fn without_symmetry(self) -> Question {
        Question { symmetry: false, ..self }
    }

    /// The same, but the daemon also chooses the outcomes of the coins. Coins stay fair where no daemon chooses.
    #[must_use]
    pub fn with_adversarial_coins(self) -> Question {
        Question { coins: Coins::Adversarial, ..self }
    }

    /// The same, but distinguishes all local states.
    #[must_use]
    pub fn without_merging(self) -> Question {
        Question { merge: false, ..self }
    }

    /// The same, within `memory` bytes: a check that may need more is refused before it starts.
    #[must_use]
    pub fn within(self, memory: u64) -> Question {
        Question { memory, ..self }
    }

    /// Refuses configurations that executions from the starts do not reach.
    pub(crate) fn refuse_unreached(&self, reached: impl Fn(&[u32]) -> bool) -> Result<(), Uncheckable> {
        match self.starts.iter().find(|start| !reached(&start.states)) {
            None => Ok(()),
            Some(start) => {
                let starts = self.starting.as_ref().map_or_else(String::new, |starting| starting.name.clone());
                Err(Uncheckable::Unreached { configuration: start.name.clone(), starts })
            }
        }
    }

    /// Whether rotation classes, or orbits, decide the question. Fairness distinguishes single agents or arcs, and so does a lying
    /// detector. Where several processes step at once, all their steps are stored anyway. A claim or a start may name an
    /// agent by its place; a recurring claim is checked inside the safe set, on all its rotations.
    #[must_use]
    pub fn up_to_symmetry(&self) -> bool {
        use Scheduler::{Alternating, GloballyFair, Random, Unfair};
        let anonymous = matches!(self.scheduler, Random | GloballyFair | Unfair | Alternating);
        let blind = |claim: &Claim| match claim.claimed {
            Claimed::Recurring(_) => !self.only_claims,
            Claimed::Response(..) => false,
            _ => !claim.places,
        };
        let plain = self.claims.iter().all(blind) && self.starting.as_ref().is_none_or(|starting| !starting.places);
        self.symmetry && anonymous && !self.rounds && self.detector == Detector::Perfect && plain
    }
}
