//! What a self-stabilizing algorithm promises, and the sets of configurations its proof speaks of.

use crate::Variables;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The specification that holds for ever once a safe configuration is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Exactly one leader, always the same.
    OneLeader,
    /// Exactly one token, which may move.
    OneToken,
    /// All agree, on something that does not change.
    Agreement,
    /// Something else, in words: a property that holds for ever.
    Holds(&'static str),
}

impl Goal {
    /// The promise in words.
    pub fn describe(self) -> &'static str {
        match self {
            Goal::OneLeader => "exactly one leader, for ever the same",
            Goal::OneToken => "exactly one token, for ever",
            Goal::Agreement => "all agree, for ever",
            Goal::Holds(words) => words,
        }
    }
}

/// The meaning of a claim about configurations for executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Promise {
    /// No step leads from the claimed set out of it. For processes with a clean start: every reachable state is in the set.
    Invariant,
    /// Every configuration that an execution reaches is in the claimed set, the first one included.
    Always,
    /// Every execution reaches the claimed set.
    Eventually,
    /// In every execution, for every process, the claimed condition on it holds infinitely often.
    Recurring,
    /// In every execution, for every process, a first condition is always followed by a second one.
    Response,
}

/// A property of something, as a value.
pub type Property<'a, T> = Box<dyn Fn(&T) -> bool + Send + Sync + 'a>;

/// A named set of configurations that a proof claims cannot be left.
pub struct ClosedSet<'a, S> {
    /// Its name in the paper.
    pub name: Cow<'a, str>,
    /// Where the paper claims that it is closed.
    pub claim: Cow<'a, str>,
    /// Whether a configuration, in ring order, belongs to it.
    pub contains: Property<'a, [S]>,
}

impl<'a, S> ClosedSet<'a, S> {
    /// A set with its name and the place where it is claimed closed.
    pub fn new(
        name: impl Into<Cow<'a, str>>,
        claim: impl Into<Cow<'a, str>>,
        contains: impl Fn(&[S]) -> bool + Send + Sync + 'a,
    ) -> Self {
        ClosedSet { name: name.into(), claim: claim.into(), contains: Box::new(contains) }
    }
}

impl<S> fmt::Debug for ClosedSet<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.claim)
    }
}

/// How far one may trust that a configuration which an algorithm calls [safe](Stabilizing::safe) stays so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Safety {
    /// A proof says that the set cannot be left.
    #[default]
    ForEver,
    /// It is left, but only after long, as in loose stabilization.
    ForLong,
    /// Nobody has said which configurations are safe: [`safe`](Stabilizing::safe) is [`correct`](Stabilizing::correct).
    Unknown,
}

/// What an algorithm says of a configuration, all at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// As [`Stabilizing::correct`] says.
    pub correct: bool,
    /// As [`Stabilizing::safe`] says.
    pub safe: bool,
    /// Which of the first 64 [`Stabilizing::closed_sets`] it is in: bit i for the i-th.
    pub sets: u64,
}

/// A condition on the number of agents in each state. The second argument is a number of agents: the function returns whether
/// the condition may hold after at most that many agents have changed their states. For 0 the answer is exact.
pub type CountCondition = Arc<dyn Fn(&[u64], u64) -> bool + Send + Sync>;

/// The predicates that [`Stabilizing::visible`] speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The goal only.
    Goal,
    /// The goal and the sets of the proof.
    Proof,
}

/// An algorithm that is right from some point on, whatever it starts from.
pub trait Stabilizing: Variables {
    /// What it promises.
    fn goal(&self) -> Goal;

    /// Whether the configuration, in ring order, meets the specification now; it may still lose that.
    fn correct(&self, configuration: &[Self::State]) -> bool;

    /// How far [`safe`](Self::safe) can be trusted. Whoever writes that says so here.
    fn safety(&self) -> Safety {
        Safety::Unknown
    }

    /// Whether the configuration is in the safe set of the algorithm's proof: correct, and for ever.
    ///
    /// With an oracle, for ever means while the oracle tells the truth.
    fn safe(&self, configuration: &[Self::State]) -> bool {
        self.correct(configuration)
    }

    /// Puts back what no fault can change, such as who the leader is in an algorithm that is given one.
    ///
    /// A configuration that this changes is none of the algorithm's: engines call it on every configuration they make up,
    /// and skip the others when they count through all of them.
    fn restore(&self, _configuration: &mut [Self::State]) {}

    /// Whether [`restore`](Self::restore) changes no configuration: engines do not call it then, which saves time with millions of agents.
    fn restores_nothing(&self) -> bool {
        false
    }

    /// Whether its sets may name an agent by its place: then no rotation or permutation of a configuration stands for it. Where this says
    /// no, engines believe it, after a look at some configurations.
    fn names_places(&self) -> bool {
        false
    }

    /// The same set as [`safe`](Self::safe), decided in time linear in the size: what simulations of large rings ask.
    ///
    /// Override it where the plain predicate, which reads like the proof, takes longer.
    fn safe_fast(&self, configuration: &[Self::State]) -> bool {
        self.safe(configuration)
    }

    /// The closed sets of the proof that are larger than the safe set, from the largest on.
    fn closed_sets(&self) -> Vec<ClosedSet<'_, Self::State>> {
        vec![]
    }

    /// The part of a local state that the predicates read, as a number. States with equal numbers are interchangeable:
    /// one in place of the other, anywhere in any configuration, changes no answer of [`correct`](Self::correct) and
    /// [`restore`](Self::restore), and for [`Reader::Proof`] none of [`safe`](Self::safe) and
    /// [`closed_sets`](Self::closed_sets) either.
    ///
    /// A checker may then merge states that no rule distinguishes. `None`: it merges none.
    fn visible(&self, _state: &Self::State, _to: Reader) -> Option<u64> {
        None
    }

    /// The same set as [`safe`](Self::safe) as a condition on the number of agents in each of these states, which are all
    /// states. `None`: it is not known to depend on these numbers only.
    fn safe_by_counts(&self, _states: &[Self::State]) -> Option<CountCondition> {
        None
    }

    /// All of this at once, where that is quicker than one after the other: what a checker asks of every configuration.
    fn at_once(&self, _configuration: &[Self::State]) -> Option<Found> {
        None
    }
}
