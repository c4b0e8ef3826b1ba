//! A type-erased algorithm for the processes of a graph.

use crate::concrete::{After, Concrete, Configurations, instance, tried};
use crate::sample::{self, Fate, declared, tuples};
use crate::vertices::Vertices;
use crate::{Judge, LeavesDomain, Number, Processes, Unfit};
use ringleader_model::graph::Neighbours;
use ringleader_model::number::{self, OutOfDomain};
use ringleader_model::text::print_state_at;
use ringleader_model::{
    ClosedSet, Coin, Domain, Goal, Knowledge, Marks, Name, Networked, Odometer, Reader, Safety, Stabilizing, Variables,
    Vicinity, Visitor,
};
use std::sync::Arc;

/// An algorithm for the processes of a given graph, as a value. Copies are cheap and share everything.
#[derive(Clone)]
pub struct GraphInstance {
    shell: Arc<dyn GraphShell>,
    neighbours: Arc<Neighbours>,
    states: u64,
    goal: Goal,
    safety: Safety,
    knowledge: Knowledge,
    pointers: Arc<[String]>,
}

trait GraphShell: Configurations {
    fn act(&self, seen: Seen<'_>, coin: &mut dyn Coin) -> Result<After<1>, OutOfDomain>;
    fn marks(&self, seen: Seen<'_>) -> Marks;
    fn admits(&self, process: usize, state: u64) -> Option<bool>;
    fn arbitrary(&self, process: usize, coin: &mut dyn Coin) -> u64;
    fn processes(&self, numbers: &[Number]) -> Box<dyn Processes>;
}

/// The states that a process reads, by number: its own comes first, then its neighbours', by port.
#[derive(Clone, Copy)]
struct Seen<'a> {
    process: usize,
    states: &'a [u64],
    back: &'a [u32],
}

impl<A: Networked + Stabilizing + 'static> Concrete<A> {
    fn seen<T>(&self, seen: Seen<'_>, read: impl FnOnce(Vicinity<'_, A::State>) -> T) -> T {
        let states: Vec<A::State> = seen.states.iter().map(|&number| self.state(number)).collect();
        read(Vicinity { process: seen.process, own: states[0], neighbours: &states[1..], back: seen.back })
    }
}

impl<A: Networked + Stabilizing + 'static> GraphShell for Concrete<A> {
    fn act(&self, seen: Seen<'_>, mut coin: &mut dyn Coin) -> Result<After<1>, OutOfDomain> {
        self.seen(seen, |view| self.after((seen.states[0], view.own), self.algorithm.act(view, &mut coin)))
    }

    fn marks(&self, seen: Seen<'_>) -> Marks {
        self.seen(seen, |view| self.algorithm.marks(view))
    }

    fn admits(&self, process: usize, state: u64) -> Option<bool> {
        self.algorithm.admits(process, &self.state(state))
    }

    fn arbitrary(&self, process: usize, mut coin: &mut dyn Coin) -> u64 {
        number::rank(&*self.algorithm, &self.algorithm.arbitrary(process, &mut coin))
    }

    fn processes(&self, numbers: &[Number]) -> Box<dyn Processes> {
        Box::new(Vertices::new(self.algorithm.clone(), self.decoded.clone(), numbers))
    }
}

impl GraphInstance {
    /// Erases the type of an algorithm.
    pub fn new<A: Networked + Stabilizing + 'static>(algorithm: A) -> Result<GraphInstance, Unfit> {
        declared(&algorithm)?;
        let states = number::states(&algorithm).ok_or(Unfit::TooManyStates)?;
        let (goal, safety, knowledge) = (algorithm.goal(), algorithm.safety(), algorithm.knowledge());
        let (neighbours, pointers) = (Arc::new(algorithm.neighbours().clone()), algorithm.pointers().into());
        let shell = Arc::new(Concrete::new(algorithm, states));
        let instance = GraphInstance { shell, neighbours, states, goal, safety, knowledge, pointers };
        instance.as_declared(sample::TUPLES_ON_BUILD)?;
        Ok(instance)
    }

    fn as_declared(&self, most: u64) -> Result<(), Unfit> {
        self.round_trips(most)?;
        let coin = &mut Odometer::default();
        let hides =
            |(process, states): (usize, Vec<u64>)| Fate::of(coin, |coin| self.step(process, &states, coin)).hides();
        if self.views(most).any(hides) { Err(Unfit::Hidden) } else { Ok(()) }
    }

    /// Some views of the first processes, in which all neighbours have the same state: about as many as asked for.
    fn views(&self, most: u64) -> impl Iterator<Item = (usize, Vec<u64>)> {
        (0..self.size().min(8)).flat_map(move |process| {
            let degree = self.neighbours.of(process).len();
            // A view of many neighbours takes long.
            tuples(self.states, (most / 8).div_ceil(1 + degree as u64 / 16)).map(move |[own, other]| {
                let mut states = vec![other; degree + 1];
                states[0] = own;
                (process, states)
            })
        })
    }

    /// Checks on a sample of views that the rule writes only declared values.
    pub fn check_domain(&self) -> Result<(), LeavesDomain> {
        let coin = &mut Odometer::default();
        self.views(sample::TUPLES_ON_CHECK)
            .try_for_each(|(process, states)| sample::keeps(coin, |coin| self.try_act(process, &states, coin)))
    }

    /// A judge like [`Self::judge`] for configurations of admitted states, all of which are possible.
    pub fn judge_possible(&self) -> Option<Box<dyn Judge + '_>> {
        self.shell.judge(self.size(), true)
    }

    /// The processes of a configuration, for many steps.
    pub fn processes(&self, configuration: &[Number]) -> Box<dyn Processes> {
        self.shell.processes(configuration)
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.neighbours.size()
    }

    /// The neighbours of every process.
    pub fn neighbours(&self) -> &Neighbours {
        &self.neighbours
    }

    fn seen<'a>(&'a self, process: usize, states: &'a [u64]) -> Seen<'a> {
        Seen { process, states, back: self.neighbours.back(process) }
    }

    /// The states that a process reads in a configuration: its own, then its neighbours', by port.
    pub fn read(&self, process: usize, configuration: &[Number]) -> Vec<u64> {
        let neighbours = self.neighbours.of(process).iter().map(|&neighbour| neighbour as usize);
        std::iter::once(process).chain(neighbours).map(|at| configuration[at].0).collect()
    }

    /// One step of a process that reads these states: its own, then its neighbours', by port.
    pub fn try_act(&self, process: usize, states: &[u64], coin: &mut dyn Coin) -> Result<u64, LeavesDomain> {
        let step = |coin: &mut dyn Coin| self.step(process, states, coin);
        tried(coin, step, || self.texts(process, states)).map(|[own]| own)
    }

    pub(crate) fn step(&self, process: usize, states: &[u64], coin: &mut dyn Coin) -> Result<After<1>, OutOfDomain> {
        self.shell.act(self.seen(process, states), coin)
    }

    /// The states that a process reads, as text.
    pub(crate) fn texts(&self, process: usize, states: &[u64]) -> Vec<String> {
        let neighbours = self.neighbours.of(process).iter().map(|&neighbour| neighbour as usize);
        let places = std::iter::once(process).chain(neighbours);
        places.zip(states).map(|(place, &state)| print_state_at(self, place, &Number(state))).collect()
    }

    /// The marks of a process that reads these states.
    pub fn marks_of(&self, process: usize, states: &[u64]) -> Marks {
        self.shell.marks(self.seen(process, states))
    }
}

instance!(GraphInstance
    /// Beyond the graph there are no neighbours to show: pointers are ports.
    fn variables_at(&self, process: usize, state: &mut Number, visitor: &mut dyn Visitor) {
        if process >= self.size() {
            return self.variables(state, visitor);
        }
        let neighbours = self.neighbours.of(process).iter().map(ToString::to_string);
        let words: Vec<String> = std::iter::once("none".to_string()).chain(neighbours).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut pointing = |name: Name<'_>, domain: Domain<'_>, value: u64| {
            // A layer passes the words of the algorithm inside on.
            let shown = name.index.is_some() || matches!(domain, Domain::Symbols(_));
            if shown || !self.pointers.iter().any(|pointer| pointer == name.base) {
                return visitor.field(name, domain, value);
            }
            // A pointer that always points at a neighbour begins at 1, and has no `none`.
            let low = domain.low();
            let words = &words[(low as usize).min(words.len())..];
            low + visitor.field(name, Domain::Symbols(words), value.saturating_sub(low))
        };
        state.0 = self.shell.variables(Some(process), state.0, &mut pointing);
    }
);

impl Networked for GraphInstance {
    fn neighbours(&self) -> &Neighbours {
        &self.neighbours
    }

    /// # Panics If the algorithm's rule writes a value outside its variable's declared domain; [`Self::try_act`]
    /// returns an error instead.
    fn act(&self, view: Vicinity<'_, Number>, coin: &mut impl Coin) -> Number {
        match self.shell.act(Seen { process: view.process, states: &numbers(view), back: view.back }, coin) {
            Ok(After { states: [own], .. }) => Number(own),
            Err(written) => panic!("a rule, applied to ({}), writes {written}", self.text(view.own.0)),
        }
    }

    fn knowledge(&self) -> Knowledge {
        self.knowledge
    }

    fn pointers(&self) -> Vec<String> {
        self.pointers.to_vec()
    }

    fn admits(&self, process: usize, state: &Number) -> Option<bool> {
        self.shell.admits(process, state.0)
    }

    fn arbitrary(&self, process: usize, coin: &mut impl Coin) -> Number {
        Number(self.shell.arbitrary(process, coin))
    }

    fn marks(&self, view: Vicinity<'_, Number>) -> Marks {
        self.shell.marks(Seen { process: view.process, states: &numbers(view), back: view.back })
    }
}

fn numbers(view: Vicinity<'_, Number>) -> Vec<u64> {
    std::iter::once(view.own).chain(view.neighbours.iter().copied()).map(|state| state.0).collect()
}
