//! The configurations of a population protocol or of a ring of processes.

use super::{Exported, ExportedChoice, Labelled, merged, word};
use crate::check::Looks;
use ringleader_check::{Arrow, Configurations};
use std::collections::BTreeSet;

/// A configuration graph: every configuration may be the start, and a scheduler lets one arc or process step at a time.
#[derive(Clone, Copy)]
pub struct ConfigurationGraph<'a> {
    /// The configurations.
    pub all: &'a Configurations,
    /// Their appearance.
    pub looks: Looks<'a>,
    /// Whether the next arc or process is chosen uniformly at random; otherwise the scheduler decides.
    pub random: bool,
}

impl ConfigurationGraph<'_> {
    /// The name of a step; without a process where rotations are one state.
    fn name(&self, arrow: &Arrow) -> String {
        match (self.all.is_ring(), self.all.up_to_rotation()) {
            (true, true) => "step".into(),
            (true, false) => format!("p{}_step", arrow.right),
            (false, true) => "meet".into(),
            (false, false) => format!("p{}_meets_p{}", arrow.left, arrow.right),
        }
    }
}

impl Labelled for ConfigurationGraph<'_> {
    fn states(&self) -> usize {
        self.all.len()
    }

    fn start(&self) -> Option<u32> {
        None
    }

    /// Steps that change nothing are left out.
    fn transitions(&self, state: usize) -> Vec<(String, u32)> {
        let steps = self.all.steps(state).into_iter().filter(|arrow| !arrow.idle);
        let distinct: BTreeSet<_> = steps.map(|arrow| (self.name(&arrow), arrow.target)).collect();
        distinct.into_iter().collect()
    }
}

impl Exported for ConfigurationGraph<'_> {
    fn is_chain(&self) -> bool {
        self.random
    }

    fn labels(&self) -> &'static [&'static str] {
        &["correct", "own_safe", "really_safe"]
    }

    fn labelled(&self, state: usize, label: usize) -> bool {
        match label {
            0 => self.all.correct(state),
            1 => self.all.own_safe(state),
            _ => self.all.really_safe(state),
        }
    }

    fn costs(&self) -> &'static [&'static str] {
        &["steps"]
    }

    fn choices(&self, state: usize) -> Vec<ExportedChoice> {
        let steps = self.all.steps(state);
        let choice = |arrows: &[Arrow], share: f64| ExportedChoice {
            name: if self.random { "step".into() } else { self.name(&arrows[0]) },
            outcomes: merged(arrows.iter().map(|arrow| (arrow.target, arrow.probability * share))),
            costs: vec![1.0],
        };
        if self.random {
            return vec![choice(&steps, 1.0 / self.all.sites() as f64)];
        }
        steps.chunk_by(|a, b| a.site == b.site).map(|arrows| choice(arrows, 1.0)).collect()
    }

    fn values(&self, state: usize) -> Vec<(String, u64)> {
        let agents = self.looks.values(&self.all.states(state)).into_iter().enumerate();
        let named =
            agents.flat_map(|(agent, values)| values.into_iter().map(move |(name, value)| (agent, name, value)));
        named.map(|(agent, name, value)| (format!("p{agent}_{}", word(&name)), value)).collect()
    }

    fn text(&self, state: usize) -> Vec<String> {
        let states = self.looks.states(&self.all.states(state)).into_iter().enumerate();
        states.map(|(agent, own)| format!("p{agent}: {own}")).collect()
    }
}
