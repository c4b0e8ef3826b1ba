//! A run of a self-stabilizing algorithm, one scheduled step at a time. The model says what a step is.

use crate::plain::SimulatedRun;
use crate::plain::steered::{Checkpoint, ChosenStep, NotTaken, Steered, TakenStep};
use crate::stabilizing::StabilizingInstance;
use ringleader_erased::{LeavesDomain, Number};
use ringleader_model::trace::Actor;
use ringleader_model::{Marks, text};

/// The part of a run that depends on the model.
pub trait Steps {
    /// The algorithm.
    fn instance(&self) -> &dyn StabilizingInstance;

    /// The agents or processes that the scheduler chooses.
    fn scheduled(&self, at: &mut Checkpoint) -> Actor;

    /// Whether so many agents or processes have such an actor.
    fn has(&self, actor: &Actor, size: usize) -> bool;

    /// A step of an actor that there is: `after` gets the agents or processes with their states after it.
    fn act(
        &self,
        at: &mut Checkpoint,
        choice: ChosenStep,
        after: &mut Vec<(usize, Number)>,
    ) -> Result<TakenStep, NotTaken>;

    /// Whether no step changes anything, decided with at most this many questions; the detector tells the truth.
    fn still(&self, states: &[Number], questions: u64) -> bool;
}

/// A run of a self-stabilizing algorithm.
pub struct StabilizingRun<M> {
    model: M,
    at: Checkpoint,
    /// The states that the last step wrote.
    after: Vec<(usize, Number)>,
    /// The agents or processes whose states the last step changed.
    wrote: Vec<usize>,
    wrong: Option<LeavesDomain>,
}

impl<M: Steps> StabilizingRun<M> {
    pub(super) fn begin(model: M, at: Checkpoint) -> StabilizingRun<M> {
        let mut run = StabilizingRun { model, at, after: vec![], wrote: vec![], wrong: None };
        run.look();
        run
    }

    /// The configuration.
    pub fn configuration(&self) -> &[Number] {
        &self.at.states
    }

    fn look(&mut self) {
        let (instance, at) = (self.model.instance(), &mut self.at);
        at.safe_since = instance.safe(&at.states).then(|| at.safe_since.unwrap_or(at.steps));
        if let Some(detector) = &mut at.detector {
            detector.observe(at.steps, instance.has_leader(&at.states), &mut at.coin);
        }
    }

    /// The configuration after a fault.
    fn struck(&mut self) {
        self.model.instance().restore(&mut self.at.states);
        self.at.safe_since = None;
        self.look();
    }

    /// Whether the detector, if there is one, is correct from now on.
    fn is_told_truth(&self) -> bool {
        self.at.detector.as_ref().is_none_or(|detector| detector.truthful(self.at.steps))
    }

    fn take_step(&mut self, choice: ChosenStep) -> Result<TakenStep, NotTaken> {
        self.after.clear();
        let taken = self.model.act(&mut self.at, choice, &mut self.after);
        if let Err(NotTaken::LeavesDomain(wrong)) = &taken {
            self.wrong = Some(wrong.clone());
        }
        let taken = taken?;
        self.at.steps += 1;
        self.wrote.clear();
        for &(place, state) in &self.after {
            if std::mem::replace(&mut self.at.states[place], state) != state {
                self.wrote.push(place);
            }
        }
        if !self.wrote.is_empty() {
            self.look();
        }
        Ok(taken)
    }
}

impl<M: Steps> Steered for StabilizingRun<M> {
    fn advance(&mut self) -> Result<TakenStep, NotTaken> {
        let actor = self.model.scheduled(&mut self.at);
        self.take_step(ChosenStep::of(actor))
    }

    /// The turns of an alternating schedule are neither checked nor changed.
    fn take(&mut self, choice: &ChosenStep) -> Result<TakenStep, NotTaken> {
        let there = self.model.has(&choice.actor, self.size());
        if there { self.take_step(choice.clone()) } else { Err(NotTaken::NoSuchActor) }
    }

    fn put(&mut self, agent: usize, state: Number) {
        self.at.states[agent] = state;
        self.struck();
    }

    fn numbers(&self) -> &[Number] {
        &self.at.states
    }

    fn checkpoint(&self) -> Checkpoint {
        self.at.clone()
    }

    fn go_to(&mut self, checkpoint: &Checkpoint) {
        self.at.clone_from(checkpoint);
        self.wrote.clear();
        self.wrong = None;
    }
}

impl<M: Steps> SimulatedRun for StabilizingRun<M> {
    fn size(&self) -> usize {
        self.at.states.len()
    }

    fn steps(&self) -> u64 {
        self.at.steps
    }

    fn step(&mut self) -> bool {
        self.advance().is_ok()
    }

    fn marks(&self) -> Vec<Marks> {
        self.model.instance().show(&self.at.states)
    }

    /// Safe, and the oracle is correct from now on: a wrong answer could still undo it.
    fn reached(&self) -> Option<u64> {
        self.at.safe_since.filter(|_| self.is_told_truth())
    }

    fn corrupt(&mut self, agents: &[usize]) {
        for &agent in agents {
            self.at.states[agent] = self.model.instance().arbitrary(agent, &mut self.at.coin);
        }
        self.struck();
    }

    fn states(&self) -> Vec<String> {
        let states = self.at.states.iter().enumerate();
        states.map(|(agent, state)| text::print_state_at(self.model.instance(), agent, state)).collect()
    }

    fn wrote(&self) -> &[usize] {
        &self.wrote
    }

    fn wrong(&self) -> Option<&LeavesDomain> {
        self.wrong.as_ref()
    }

    /// Not before the oracle is correct: until then nothing counts as reached either.
    fn still(&self, questions: u64) -> bool {
        self.is_told_truth() && self.model.still(&self.at.states, questions)
    }
}
