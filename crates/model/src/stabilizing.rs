//! What a self-stabilizing algorithm promises, and the sets of configurations its proof speaks of.

use crate::Variables;

/// The specification that holds for ever once a safe configuration is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Exactly one leader, always the same.
    OneLeader,
    /// Exactly one token, which may move.
    OneToken,
    /// All agree, on something that does not change.
    Agreement,
}

impl Goal {
    /// The promise in words.
    pub fn describe(self) -> &'static str {
        match self {
            Goal::OneLeader => "exactly one leader, for ever the same",
            Goal::OneToken => "exactly one token, for ever",
            Goal::Agreement => "all agree, for ever",
        }
    }
}

/// A named set of configurations that a proof claims cannot be left.
pub struct ClosedSet<A: Variables + ?Sized> {
    /// Its name in the paper.
    pub name: &'static str,
    /// Where the paper claims that it is closed.
    pub claim: &'static str,
    /// Whether a configuration, in ring order, belongs to it.
    pub contains: fn(&A, &[A::State]) -> bool,
}

/// An algorithm that is right from some point on, whatever it starts from.
pub trait Stabilizing: Variables {
    /// What it promises.
    const GOAL: Goal;

    /// Whether the configuration, in ring order, meets the specification now; it may still lose that.
    fn correct(&self, configuration: &[Self::State]) -> bool;

    /// Whether the configuration is in the safe set of the algorithm's proof: correct, and for ever.
    ///
    /// With an oracle, for ever means while the oracle tells the truth.
    fn safe(&self, configuration: &[Self::State]) -> bool;

    /// Puts back what no fault can change, such as who the leader is in an algorithm that is given one.
    ///
    /// A configuration that this changes is none of the algorithm's: engines call it on every configuration they make up,
    /// and skip the others when they count through all of them.
    fn restore(&self, configuration: &mut [Self::State]) {
        let _ = configuration;
    }

    /// The same set as [`safe`](Self::safe), decided in time linear in the size: what simulations of large rings ask.
    ///
    /// Override it where the plain predicate, which reads like the proof, takes longer.
    fn safe_fast(&self, configuration: &[Self::State]) -> bool {
        self.safe(configuration)
    }

    /// The closed sets of the proof, from the largest to the safe set; none where what is called safe only holds for long.
    fn closed_sets() -> Vec<ClosedSet<Self>> {
        vec![ClosedSet { name: "safe", claim: "the safe set", contains: |a, c| a.safe(c) }]
    }
}
