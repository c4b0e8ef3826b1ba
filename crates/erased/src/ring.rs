//! A type-erased ring algorithm.

use crate::concrete::{After, Concrete, Configurations, instance, tried};
use crate::processes::Row;
use crate::sample::{self, Fate, declared, tuples};
use crate::{Judge, LeavesDomain, Number, Processes, Unfit};
use ringleader_model::number::{self, OutOfDomain};
use ringleader_model::{
    Chain, ClosedSet, Coin, Goal, Marks, Odometer, Place, Reader, Reads, Ring, Safety, Stabilizing, Variables, View,
    Visitor,
};
use std::sync::Arc;

/// An algorithm for a ring or a line of processes, as a value. Copies are cheap and share everything.
#[derive(Clone)]
pub struct RingInstance {
    shell: Arc<dyn RingShell>,
    states: u64,
    chain: Chain,
    reads: Reads,
    goal: Goal,
    safety: Safety,
}

trait RingShell: Configurations {
    fn act(&self, view: View<u64>, coin: &mut dyn Coin) -> Result<After<1>, OutOfDomain>;
    fn marks(&self, view: View<u64>) -> Marks;
    fn processes(&self, numbers: &[Number]) -> Box<dyn Processes>;
}

impl<R: Ring + Stabilizing + 'static> RingShell for Concrete<R> {
    fn act(&self, view: View<u64>, mut coin: &mut dyn Coin) -> Result<After<1>, OutOfDomain> {
        let states = view.map(|number| self.state(number));
        let after = self.algorithm.act(states, &mut coin);
        self.after((view.own, states.own), after)
    }

    fn marks(&self, view: View<u64>) -> Marks {
        self.algorithm.marks(view.map(|number| self.state(number)))
    }

    fn processes(&self, numbers: &[Number]) -> Box<dyn Processes> {
        Box::new(Row::new(self.algorithm.clone(), self.decoded.clone(), numbers))
    }
}

impl RingInstance {
    /// The number of an [arbitrary](ringleader_model::corrupt::arbitrary) state, drawn by the same coins.
    pub fn arbitrary_state(&self, coin: &mut dyn Coin) -> Number {
        Number(self.shell.arbitrary_number(coin))
    }

    /// Erases the type of an algorithm.
    pub fn new<R: Ring + Stabilizing + 'static>(algorithm: R) -> Result<RingInstance, Unfit> {
        declared(&algorithm)?;
        let states = number::states(&algorithm).ok_or(Unfit::TooManyStates)?;
        let (chain, reads) = (algorithm.chain(), algorithm.reads());
        let (goal, safety) = (algorithm.goal(), algorithm.safety());
        let instance =
            RingInstance { shell: Arc::new(Concrete::new(algorithm, states)), states, chain, reads, goal, safety };
        instance.as_declared(sample::TUPLES_ON_BUILD)?;
        Ok(instance)
    }

    fn as_declared(&self, most: u64) -> Result<(), Unfit> {
        self.round_trips(most)?;
        let coin = &mut Odometer::default();
        let mut fate = |view| Fate::of(coin, |coin| self.shell.act(view, coin));
        for at in Place::ALL {
            for [left, own, right] in tuples(self.states, most) {
                let view = View { at, left, own, right };
                let with_right = fate(view);
                if with_right.hides() {
                    return Err(Unfit::Hidden);
                }
                let without = View { right: own, ..view };
                let mut differs = || fate(without) != with_right || self.shell.marks(without) != self.shell.marks(view);
                if self.reads == Reads::Left && right != own && differs() {
                    return Err(Unfit::LooksRight);
                }
            }
        }
        Ok(())
    }

    /// Checks that the rule writes only declared values in a ring of `size` processes: on all views, or on a sample if
    /// there are many.
    pub fn check_domain(&self, size: usize) -> Result<(), LeavesDomain> {
        let triples: Vec<[u64; 3]> = match self.reads {
            Reads::Left => tuples(self.states, sample::TUPLES_ON_CHECK).map(|[left, own]| [left, own, own]).collect(),
            Reads::BothSides => tuples(self.states, sample::TUPLES_ON_CHECK).collect(),
        };
        // Three processes already have all the places of a larger ring or line.
        let (few, coin) = (size.min(3), &mut Odometer::default());
        for at in (0..few).map(|process| Place::of(process, few)) {
            for &states in &triples {
                sample::keeps(coin, |coin| self.try_act(self.view(at, states), coin))?;
            }
        }
        Ok(())
    }

    /// One step of a process with this view.
    pub fn try_act(&self, view: View<u64>, coin: &mut dyn Coin) -> Result<u64, LeavesDomain> {
        tried(coin, |coin| self.shell.act(view, coin), || self.texts(view)).map(|[own]| own)
    }

    pub(crate) fn step(&self, view: View<u64>, coin: &mut dyn Coin) -> Result<After<1>, OutOfDomain> {
        self.shell.act(view, coin)
    }

    /// The states that a process reads, as text.
    pub(crate) fn texts(&self, View { left, own, right, .. }: View<u64>) -> Vec<String> {
        let read = if self.reads == Reads::Left { &[left, own][..] } else { &[left, own, right] };
        read.iter().map(|&state| self.text(state)).collect()
    }

    /// Whether a process at a place reads a left and a right neighbour: the ends of a line have one neighbour.
    pub fn neighbours_read(&self, at: Place) -> [bool; 2] {
        let line = self.chain == Chain::Line;
        [!(line && at == Place::Bottom), self.reads == Reads::BothSides && !(line && at == Place::Top)]
    }

    /// A process's view of the states of its left neighbour, itself and its right neighbour. Its own state replaces the
    /// state of a neighbour that it does not read.
    pub fn view(&self, at: Place, [left, own, right]: [u64; 3]) -> View<u64> {
        let [reads_left, reads_right] = self.neighbours_read(at);
        View { at, left: if reads_left { left } else { own }, own, right: if reads_right { right } else { own } }
    }

    /// The marks of a process with this view.
    pub fn marks_of(&self, view: View<u64>) -> Marks {
        self.shell.marks(view)
    }

    /// Processes in these states, which run the algorithm's own rule.
    pub fn processes(&self, states: &[Number]) -> Box<dyn Processes> {
        self.shell.processes(states)
    }
}

instance!(RingInstance);

impl Ring for RingInstance {
    fn chain(&self) -> Chain {
        self.chain
    }

    fn reads(&self) -> Reads {
        self.reads
    }

    /// # Panics If the algorithm's rule writes a value outside its variable's declared domain; [`Self::try_act`]
    /// returns an error instead.
    fn act(&self, view: View<Number>, coin: &mut impl Coin) -> Number {
        match self.shell.act(view.map(|state| state.0), coin) {
            Ok(After { states: [own], .. }) => Number(own),
            Err(written) => panic!("a rule, applied to ({}), writes {written}", self.text(view.own.0)),
        }
    }

    fn marks(&self, view: View<Number>) -> Marks {
        self.shell.marks(view.map(|state| state.0))
    }
}
