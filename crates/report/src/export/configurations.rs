//! The configurations of a population protocol or of a ring of processes.

use super::{Exported, ExportedChoice, Labelled, merged, word};
use crate::check::Looks;
use ringleader_check::{Configurations, Transition};
use ringleader_model::trace::Actor;
use std::collections::BTreeSet;

/// A configuration graph: every configuration may be the start.
#[derive(Clone, Copy)]
pub struct ConfigurationGraph<'a> {
    /// The configurations.
    pub all: &'a Configurations,
    /// Their appearance.
    pub looks: Looks<'a>,
}

impl ConfigurationGraph<'_> {
    /// The name of a step; without a process where rotations are one state.
    fn name(&self, actor: &Actor) -> String {
        match actor {
            Actor::Process(_) | Actor::Processes(_) if self.all.up_to_rotation() => "step".into(),
            Actor::Arc(..) if self.all.up_to_rotation() => "meet".into(),
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

    fn start(&self) -> Option<u32> {
        None
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
        let choice = |Transition { actor, outcomes, .. }: Transition| ExportedChoice {
            name: actor.filter(|_| !self.is_chain()).map_or("step".into(), |actor| self.name(&actor)),
            outcomes: merged(outcomes.into_iter()),
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
