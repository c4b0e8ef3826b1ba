//! The configurations of a population protocol or of a ring of processes.

use super::{Exported, ExportedChoice, Labelled, labels_of, word};
use crate::check::Looks;
use ringleader_check::{Configurations, Transition};
use ringleader_model::trace::Actor;
use std::collections::BTreeSet;

/// A configuration graph: every configuration may be the start, unless starts are given.
#[derive(Clone, Copy)]
pub struct ConfigurationGraph<'a> {
    /// The configurations.
    pub all: &'a Configurations,
    /// Their appearance.
    pub looks: Looks<'a>,
}

impl ConfigurationGraph<'_> {
    /// The name of a step; without a process where a state has several configurations.
    fn name(&self, actor: &Actor) -> String {
        match actor {
            Actor::Process(_) | Actor::Processes(_) if self.all.symmetry().is_some() => "step".into(),
            Actor::Arc(..) if self.all.symmetry().is_some() => "meet".into(),
            Actor::Arc(u, v) => format!("p{u}_meets_p{v}"),
            Actor::Process(p) => format!("p{p}_step"),
            Actor::Processes(several) => several.iter().map(|p| format!("p{p}_")).collect::<String>() + "step",
            Actor::All => "all_step".into(),
        }
    }
}

impl Labelled for ConfigurationGraph<'_> {
    fn states(&self) -> usize {
        self.all.len()
    }

    fn starts(&self) -> Vec<u32> {
        (0..self.all.len()).filter(|&state| self.all.begins(state)).map(|state| state as u32).collect()
    }

    /// Steps that change nothing are left out.
    fn transitions(&self, state: usize) -> Vec<(String, u32)> {
        let steps = self.all.steps(state).into_iter();
        let distinct: BTreeSet<_> = steps.map(|(actor, target)| (self.name(&actor), target)).collect();
        distinct.into_iter().collect()
    }
}

impl Exported for ConfigurationGraph<'_> {
    fn is_chain(&self) -> bool {
        self.all.is_chain()
    }

    fn labels(&self) -> Vec<String> {
        let own = ["correct", "own_safe", "really_safe"].map(String::from);
        labels_of(self.all.named_sets()).into_iter().chain(own).collect()
    }

    fn labelled(&self, state: usize, label: usize) -> bool {
        match label.checked_sub(self.all.named_sets().count()) {
            None => self.all.in_set(state, label),
            Some(0) => self.all.correct(state),
            Some(1) => self.all.own_safe(state),
            Some(_) => self.all.really_safe(state),
        }
    }

    fn costs(&self) -> &'static [&'static str] {
        &["steps"]
    }

    fn choices(&self, state: usize) -> Vec<ExportedChoice> {
        let choice = |Transition { actor, outcomes, .. }: Transition| ExportedChoice {
            name: actor.filter(|_| !self.is_chain()).map_or("step".into(), |actor| self.name(&actor)),
            outcomes,
            costs: vec![1.0],
        };
        self.all.choices(state).into_iter().map(choice).collect()
    }

    fn values(&self, state: usize) -> Vec<(String, u64)> {
        let agents = self.looks.values(&self.all.states(state)).into_iter().enumerate();
        let named =
            agents.flat_map(|(agent, values)| values.into_iter().map(move |(name, value)| (agent, name, value)));
        let turns = self.all.turns(state).into_iter().flat_map(|turns| {
            let agents = 0..self.all.states(state).len();
            agents.map(move |agent| (format!("p{agent}_turn"), u64::from(turns.contains(&agent))))
        });
        named.map(|(agent, name, value)| (format!("p{agent}_{}", word(&name)), value)).chain(turns).collect()
    }

    fn text(&self, state: usize) -> Vec<String> {
        let states = self.looks.states(&self.all.states(state)).into_iter().enumerate();
        let turns = self.all.turns(state).unwrap_or_default();
        let turn = |agent| if turns.contains(&agent) { " turn" } else { "" };
        states.map(|(agent, own)| format!("p{agent}: {own}{}", turn(agent))).collect()
    }
}
