//! A ring algorithm whose type is forgotten.

use crate::forgotten::{Configurations, Forgotten, Listener, instance};
use crate::processes::Row;
use crate::sample::{self, Answers, declared, tuples};
use crate::{Judge, LeavesDomain, Number, Processes, Unfit};
use ringleader_model::number::{self, OutOfDomain};
use ringleader_model::{
    Chain, ClosedSet, Coin, Goal, Marks, Place, Reads, Ring, Safety, Stabilizing, Variables, View, Visitor,
};
use std::sync::Arc;

/// An algorithm for a ring or a line of processes, as a value. Copies are cheap and share everything.
#[derive(Clone)]
pub struct RingInstance {
    shell: Arc<dyn Shell>,
    states: u64,
    chain: Chain,
    reads: Reads,
    goal: Goal,
    safety: Safety,
}

trait Shell: Configurations {
    fn act(&self, view: View<u64>, coin: &mut dyn Coin) -> Result<u64, OutOfDomain>;
    fn hides(&self, view: View<u64>, coin: &mut dyn Coin) -> bool;
    fn marks(&self, view: View<u64>) -> Marks;
    fn processes(&self, numbers: &[Number]) -> Box<dyn Processes>;
}

impl<R: Ring + Stabilizing + 'static> Shell for Forgotten<R> {
    fn act(&self, view: View<u64>, mut coin: &mut dyn Coin) -> Result<u64, OutOfDomain> {
        let states = view.map(|number| self.state(number));
        let after = self.algorithm.act(states, &mut coin);
        self.number((view.own, states.own), after)
    }

    fn hides(&self, view: View<u64>, mut coin: &mut dyn Coin) -> bool {
        Forgotten::hides(self, self.algorithm.act(view.map(|number| self.state(number)), &mut coin))
    }

    fn marks(&self, view: View<u64>) -> Marks {
        self.algorithm.marks(view.map(|number| self.state(number)))
    }

    fn processes(&self, numbers: &[Number]) -> Box<dyn Processes> {
        Box::new(Row::new(self.algorithm.clone(), self.decoded.clone(), numbers))
    }
}

impl RingInstance {
    /// Forgets the type of an algorithm.
    pub fn new<R: Ring + Stabilizing + 'static>(algorithm: R) -> Result<RingInstance, Unfit> {
        declared(&algorithm)?;
        let states = number::states(&algorithm).ok_or(Unfit::TooManyStates)?;
        let (chain, reads) = (algorithm.chain(), algorithm.reads());
        let (goal, safety) = (algorithm.goal(), algorithm.safety());
        let instance =
            RingInstance { shell: Arc::new(Forgotten::new(algorithm, states)), states, chain, reads, goal, safety };
        match reads {
            _ if instance.hides() => Err(Unfit::Hidden),
            Reads::Left if instance.looks_right() => Err(Unfit::LooksRight),
            _ => Ok(instance),
        }
    }

    /// Whether what a process does or shows depends on its right neighbour, by a look at some of what it may see. Engines take the
    /// algorithm's word that it does not, so a wrong word would have them disagree.
    fn looks_right(&self) -> bool {
        let of = |view| (Answers::of(|coin| self.shell.act(view, coin)), self.shell.marks(view));
        self.glance().any(|view| of(view) != of(View { right: view.own, ..view }))
    }

    /// Whether steps change what no variable shows: engines that number states would forget it, those that run would not.
    fn hides(&self) -> bool {
        self.glance().any(|view| sample::COINS.map(|mut coin| self.shell.hides(view, &mut coin)).contains(&true))
    }

    /// Some of what a process may see.
    fn glance(&self) -> impl Iterator<Item = View<u64>> {
        let views =
            |at| tuples(self.states, sample::GLANCE).map(move |[left, own, right]| View { at, left, own, right });
        Place::ALL.into_iter().flat_map(views)
    }

    /// Looks whether the rule keeps to its domain among so many processes: at all that they may see, or at some, if that is much.
    pub fn keeps_domain(&self, size: usize) -> Result<(), LeavesDomain> {
        let line = self.chain == Chain::Line;
        let triples: Vec<[u64; 3]> = match self.reads {
            Reads::Left => tuples(self.states, sample::LOOK).map(|[left, own]| [left, own, own]).collect(),
            Reads::BothSides => tuples(self.states, sample::LOOK).collect(),
        };
        // Among more than three, no process stands elsewhere than one of three.
        let few = size.min(3);
        for at in (0..few).map(|process| Place::of(process, few)) {
            for &[left, own, right] in &triples {
                let left = if line && at == Place::Bottom { own } else { left };
                let right = if line && at == Place::Top { own } else { right };
                sample::keeps(|coin| self.try_act(View { at, left, own, right }, coin))?;
            }
        }
        Ok(())
    }

    /// One step of a process that sees states with these numbers.
    pub fn try_act(&self, view: View<u64>, coin: &mut dyn Coin) -> Result<u64, LeavesDomain> {
        let mut heard = Listener { coin, rules: vec![] };
        let after = self.shell.act(view, &mut heard);
        after.map_err(|written| {
            let seen = if self.reads == Reads::Left { 2 } else { 3 };
            let states = [view.left, view.own, view.right][..seen].iter().map(|&state| self.text(state)).collect();
            LeavesDomain { rules: heard.rules, states, written }
        })
    }

    /// What a process that sees states with these numbers shows of itself.
    pub fn marks_of(&self, view: View<u64>) -> Marks {
        self.shell.marks(view)
    }

    /// Processes in these states, to be run by the algorithm's own rule.
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

    /// # Panics
    /// If the algorithm's rule writes a value that its variable is not declared to take; [`Self::try_act`] does not.
    fn act(&self, view: View<Number>, coin: &mut impl Coin) -> Number {
        match self.shell.act(view.map(|state| state.0), coin) {
            Ok(after) => Number(after),
            Err(written) => panic!("a rule, applied to ({}), writes {written}", self.text(view.own.0)),
        }
    }

    fn marks(&self, view: View<Number>) -> Marks {
        self.shell.marks(view.map(|state| state.0))
    }
}
