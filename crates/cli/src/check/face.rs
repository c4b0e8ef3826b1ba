//! How the numbered states of a report look: text, marks and traces.

use super::Check;
use ringleader_catalogue::Instance;
use ringleader_check::report::{Counterexample, Step};
use ringleader_instance::Number;
use ringleader_model::text::Document;
use ringleader_model::trace::{self, Trace};
use ringleader_model::{Goal, Marks, Population, Ring, Stabilizing, Variables, View};

/// What an algorithm's configurations look like, by the numbers of their local states.
pub(super) struct Face {
    instance: Instance,
    pub(super) goal: Goal,
    /// The algorithm's name for its own safe set.
    pub(super) safe_set: String,
    /// What agents are called.
    pub(super) agent: &'static str,
}

fn numbers(configuration: &[u32]) -> Vec<Number> {
    configuration.iter().map(|&state| Number(state.into())).collect()
}

impl Face {
    pub(super) fn new(instance: Instance) -> Face {
        let (goal, safe_set, agent) = match &instance {
            Instance::Population(algorithm) => (algorithm.goal(), algorithm.safe_set(), "agent"),
            Instance::Ring(algorithm) => (algorithm.goal(), algorithm.safe_set(), "process"),
            Instance::Message(_) | Instance::Robust(_) => (Goal::OneLeader, String::new(), "process"),
        };
        Face { instance, goal, safe_set, agent }
    }

    /// The algorithm.
    pub(super) fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The local states as text.
    pub(super) fn states(&self, c: &[u32]) -> Vec<String> {
        let text = |&state: &u32| match &self.instance {
            Instance::Population(algorithm) => algorithm.text(state.into()),
            Instance::Ring(algorithm) => algorithm.text(state.into()),
            Instance::Message(_) | Instance::Robust(_) => String::new(),
        };
        c.iter().map(text).collect()
    }

    /// What each agent shows of itself.
    pub(super) fn marks(&self, c: &[u32]) -> Vec<Marks> {
        let c = numbers(c);
        let marks = |i: usize| match &self.instance {
            Instance::Population(algorithm) => algorithm.marks(&c[i]),
            Instance::Ring(algorithm) => algorithm.marks(View::of(&c, i, algorithm.chain())),
            Instance::Message(_) | Instance::Robust(_) => Marks::NONE,
        };
        (0..c.len()).map(marks).collect()
    }

    /// A counterexample in the form that `elect --replay` plays.
    pub(super) fn trace(&self, check: &Check<'_>, run: &Counterexample) -> Trace {
        fn document<A: Variables<State = Number>>(algorithm: &A, check: &Check<'_>, start: &[u32]) -> Document {
            Document::new(check.card.name, algorithm, check.parameters.given(), &numbers(start))
        }
        let start = match &self.instance {
            Instance::Population(algorithm) => document(algorithm, check, &run.start),
            Instance::Ring(algorithm) => document(algorithm, check, &run.start),
            Instance::Message(_) | Instance::Robust(_) => unreachable!("only configurations are checked here"),
        };
        let step = |step: &Step| trace::Step {
            line: 0,
            actor: step.actor.clone(),
            inputs: step.inputs,
            coin: step.coin.clone(),
        };
        let steps = run.prefix.iter().chain(&run.cycle).map(step).collect();
        Trace { start, steps, cycle: (!run.cycle.is_empty()).then_some(run.prefix.len()) }
    }
}
