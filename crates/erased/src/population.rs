//! A type-erased population protocol.

use crate::agents::Cells;
use crate::concrete::{After, Concrete, Configurations, instance, tried};
use crate::memory::Memory;
use crate::sample::{self, Fate, declared, tuples};
use crate::{Agents, Judge, LeavesDomain, Number, Unfit};
use ringleader_model::number::{self, OutOfDomain};
use ringleader_model::{
    ClosedSet, Coin, Goal, Marks, Odometer, Population, Reader, Safety, Stabilizing, Told, Variables, Visitor,
};
use std::sync::Arc;

/// A population protocol as a value. Copies are cheap and share everything.
#[derive(Clone)]
pub struct PopulationInstance {
    shell: Arc<dyn PopulationShell>,
    states: u64,
    hears: bool,
    goal: Goal,
    safety: Safety,
    memory: Arc<Memory>,
}

trait PopulationShell: Configurations {
    fn interact(&self, states: [u64; 2], told: Told, coin: &mut dyn Coin) -> Result<After<2>, OutOfDomain>;
    fn marks(&self, state: u64) -> Marks;
    fn drawn(&self, agents: &[Number]) -> Vec<Marks>;
    fn agents(&self, numbers: &[Number]) -> Box<dyn Agents>;
}

impl<P: Population + Stabilizing + 'static> PopulationShell for Concrete<P> {
    fn interact(&self, [u, v]: [u64; 2], told: Told, mut coin: &mut dyn Coin) -> Result<After<2>, OutOfDomain> {
        let before = (self.state(u), self.state(v));
        let after = self.algorithm.interact(before.0, before.1, told, &mut coin);
        let (a, b) = (self.after((u, before.0), after.0)?, self.after((v, before.1), after.1)?);
        Ok(After { states: [a.states[0], b.states[0]], hides: a.hides || b.hides })
    }

    fn marks(&self, state: u64) -> Marks {
        self.algorithm.marks(&self.state(state))
    }

    fn drawn(&self, agents: &[Number]) -> Vec<Marks> {
        let agents: Vec<P::State> = agents.iter().map(|state| self.state(state.0)).collect();
        self.algorithm.drawn(&agents)
    }

    fn agents(&self, numbers: &[Number]) -> Box<dyn Agents> {
        Box::new(Cells::new(self.algorithm.clone(), self.decoded.clone(), numbers))
    }
}

impl PopulationInstance {
    /// The number of an [arbitrary](ringleader_model::corrupt::arbitrary) state, drawn by the same coins.
    pub fn arbitrary_state(&self, coin: &mut dyn Coin) -> Number {
        Number(self.shell.arbitrary_number(coin))
    }

    /// Erases the type of a protocol.
    pub fn new<P: Population + Stabilizing + 'static>(protocol: P) -> Result<PopulationInstance, Unfit> {
        declared(&protocol)?;
        let states = number::states(&protocol).ok_or(Unfit::TooManyStates)?;
        let (hears, goal, safety) = (protocol.hears(), protocol.goal(), protocol.safety());
        let (shell, memory) = (Arc::new(Concrete::new(protocol, states)), Arc::default());
        let instance = PopulationInstance { shell, states, hears, goal, safety, memory };
        instance.as_declared(sample::TUPLES_ON_BUILD)?;
        Ok(instance)
    }

    fn as_declared(&self, most: u64) -> Result<(), Unfit> {
        self.round_trips(most)?;
        let coin = &mut Odometer::default();
        for pair in tuples(self.states, most) {
            let mut fate = |told| Fate::of(coin, |coin| self.shell.interact(pair, told, coin));
            let [first, others @ ..] = Told::ALL;
            let first = fate(first);
            if first.hides() || self.hears && others.iter().any(|told| fate(*told).hides()) {
                return Err(Unfit::Hidden);
            }
            if !self.hears && others.iter().any(|told| fate(*told) != first) {
                return Err(Unfit::Listens);
            }
        }
        Ok(())
    }

    /// Checks that the rule writes only declared values: on all pairs of states, or on a sample if there are many.
    pub fn check_domain(&self) -> Result<(), LeavesDomain> {
        let coin = &mut Odometer::default();
        for told in self.tellings() {
            for [u, v] in tuples(self.states, sample::TUPLES_ON_CHECK) {
                sample::keeps(coin, |coin| self.try_interact(u, v, *told, coin))?;
            }
        }
        Ok(())
    }

    /// All answers of the detector to two agents: a single one, if they do not ask.
    pub fn tellings(&self) -> &'static [Told] {
        if self.hears { &Told::ALL } else { &Told::ALL[..1] }
    }

    /// One interaction of agents in states with these numbers.
    pub fn try_interact(
        &self,
        initiator: u64,
        responder: u64,
        told: Told,
        coin: &mut dyn Coin,
    ) -> Result<(u64, u64), LeavesDomain> {
        let pair = [initiator, responder];
        tried(coin, |coin| self.shell.interact(pair, told, coin), || self.texts(&pair)).map(Into::into)
    }

    pub(crate) fn step(&self, states: [u64; 2], told: Told, coin: &mut dyn Coin) -> Result<After<2>, OutOfDomain> {
        self.shell.interact(states, told, coin)
    }

    pub(crate) fn texts(&self, states: &[u64]) -> Vec<String> {
        states.iter().map(|&state| self.text(state)).collect()
    }

    /// The marks of an agent in the state with this number.
    pub fn marks_of(&self, state: u64) -> Marks {
        self.memory.marks(self.states, state, |state| self.shell.marks(state))
    }

    /// Agents in these states, which run the protocol's own rule.
    pub fn agents(&self, states: &[Number]) -> Box<dyn Agents> {
        self.shell.agents(states)
    }
}

instance!(PopulationInstance);

impl Population for PopulationInstance {
    fn hears(&self) -> bool {
        self.hears
    }

    /// # Panics If the protocol's rule writes a value outside its variable's declared domain; [`Self::try_interact`]
    /// returns an error instead.
    #[inline]
    fn interact(&self, u: Number, v: Number, told: Told, coin: &mut impl Coin) -> (Number, Number) {
        let ask = |coin: &mut dyn Coin| self.shell.interact([u.0, v.0], told, coin).map(|after| after.states);
        let after = if coin.listens() {
            ask(coin)
        } else {
            let heard = if self.hears { told } else { Told::both(false) };
            self.memory.interaction(self.states, [u.0, v.0], heard, coin, ask)
        };
        match after {
            Ok([a, b]) => (Number(a), Number(b)),
            Err(written) => panic!("a rule, applied to ({}), ({}), writes {written}", self.text(u.0), self.text(v.0)),
        }
    }

    #[inline]
    fn marks(&self, state: &Number) -> Marks {
        self.marks_of(state.0)
    }

    fn drawn(&self, agents: &[Number]) -> Vec<Marks> {
        self.shell.drawn(agents)
    }
}
