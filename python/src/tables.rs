//! Algorithms whose rule, goal and safe set are tables that Python functions filled.

use crate::algorithm::Algorithm;
use crate::errors::{refused, value};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use ringleader::erased::{Card, Kind, PopulationInstance, Refusal, RingInstance, Topology};
use ringleader::model::{
    Coin, Domain, Found, Goal, Marks, Place, Population, Reader, Reads, Ring, Safety, Stabilizing, Told, Variables,
    View, Visitor, lock,
};
use ringleader::{Catalog, Instance};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The table of a rule, as the package sends it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    name: String,
    summary: String,
    /// Whether processes on a ring read their neighbours; else agents meet.
    ring: bool,
    /// The graph of a population protocol.
    graph: String,
    /// Whether a process also reads its right neighbour.
    both: bool,
    /// Whether agents ask the leader detector.
    hears: bool,
    scheduler: String,
    default_size: usize,
    /// The name of each state.
    words: Vec<String>,
    /// The marks: by state for a population, by view for a ring; 1 for a leader, 2 for a token.
    marks: PyBackedBytes,
    /// The first outcome of each cell, and the number of outcomes: 32-bit integers.
    starts: PyBackedBytes,
    /// The outcomes: two new states and a weight, 32-bit integers; for a ring the second is the new state of the process.
    outcomes: PyBackedBytes,
    /// `one-leader`, `one-token`, or the goal in words if a function decides it.
    goal: String,
    /// Whether functions decide the goal and the safe set.
    decided: (bool, bool),
}

/// Bits of the configurations of one size, in the order of their numbers.
struct Sets {
    goal: Option<Vec<u8>>,
    safe: Option<Vec<u8>>,
}

struct Tables {
    words: Vec<&'static str>,
    marks: Vec<Marks>,
    starts: Vec<u32>,
    outcomes: Vec<(u32, u32, u32)>,
    goal: Goal,
    hears: bool,
    both: bool,
    ring: bool,
    decided: (bool, bool),
    sets: Mutex<HashMap<usize, Arc<Sets>>>,
}

/// The sets of an algorithm that functions decide, to be filled before a verb needs them.
#[derive(Clone)]
pub(crate) struct Unfilled(Arc<Tables>);

impl Unfilled {
    /// Fills the sets of one size: a byte per configuration, 1 if it belongs to the set.
    pub(crate) fn put(&self, size: usize, goal: Option<Vec<u8>>, safe: Option<Vec<u8>>) -> PyResult<()> {
        let tables = &self.0;
        let all = (tables.words.len() as u64).checked_pow(size as u32);
        for (set, decided) in [(&goal, tables.decided.0), (&safe, tables.decided.1)] {
            if set.is_some() != decided || set.as_ref().is_some_and(|set| Some(set.len() as u64) != all) {
                return Err(value("a set has one byte for each configuration"));
            }
        }
        lock(&tables.sets).insert(size, Arc::new(Sets { goal, safe }));
        Ok(())
    }
}

/// The algorithm at one size.
struct Tabled {
    tables: Arc<Tables>,
    sets: Option<Arc<Sets>>,
}

impl Tables {
    fn states(&self) -> usize {
        self.words.len()
    }

    /// The outcome of a cell: its coin has as many sides as its weights sum to.
    fn outcome(&self, cell: usize, coin: &mut impl Coin) -> (u32, u32) {
        let outcomes = &self.outcomes[self.starts[cell] as usize..self.starts[cell + 1] as usize];
        if let [(left, right, _)] = outcomes {
            return (*left, *right);
        }
        let mut draw = coin.below(outcomes.iter().map(|outcome| outcome.2).sum());
        for &(left, right, weight) in outcomes {
            match draw.checked_sub(weight) {
                None => return (left, right),
                Some(rest) => draw = rest,
            }
        }
        unreachable!("a coin has as many sides as the weights sum to")
    }

    /// The number of a view: place, left neighbour, process, right neighbour.
    fn view(&self, view: View<u32>) -> usize {
        let q = self.states();
        let place = match view.at {
            Place::Bottom => 0,
            Place::Other => 1,
            Place::Top => 2,
        };
        let pair = (place * q + view.left as usize) * q + view.own as usize;
        if self.both { pair * q + view.right as usize } else { pair }
    }
}

impl Variables for Tabled {
    type State = u32;

    fn variables(&self, state: &mut u32, v: &mut dyn Visitor) {
        *state = v.field("state".into(), Domain::Symbols(&self.tables.words), (*state).into()) as u32;
    }
}

impl Population for Tabled {
    fn hears(&self) -> bool {
        self.tables.hears
    }

    fn interact(&self, u: u32, v: u32, told: Told, coin: &mut impl Coin) -> (u32, u32) {
        let q = self.tables.states();
        let context = if self.tables.hears { 2 * usize::from(told.initiator) + usize::from(told.responder) } else { 0 };
        self.tables.outcome((context * q + u as usize) * q + v as usize, coin)
    }

    fn marks(&self, state: &u32) -> Marks {
        self.tables.marks[*state as usize]
    }
}

impl Ring for Tabled {
    fn reads(&self) -> Reads {
        if self.tables.both { Reads::BothSides } else { Reads::Left }
    }

    fn act(&self, view: View<u32>, coin: &mut impl Coin) -> u32 {
        self.tables.outcome(self.tables.view(view), coin).1
    }

    fn marks(&self, view: View<u32>) -> Marks {
        self.tables.marks[self.tables.view(view)]
    }
}

impl Tabled {
    /// Whether a filled set contains a configuration.
    fn contains(&self, set: &[u8], configuration: &[u32]) -> bool {
        let q = self.tables.states();
        let number = configuration.iter().fold(0, |number, &state| number * q + state as usize);
        set.get(number).is_some_and(|&bit| bit != 0)
    }

    /// The number of agents with a mark.
    fn having(&self, configuration: &[u32], mark: Marks) -> usize {
        let marks = |i: usize| match self.tables.ring {
            true => Ring::marks(self, View::of(configuration, i, self.chain())),
            false => Population::marks(self, &configuration[i]),
        };
        (0..configuration.len()).filter(|&i| marks(i).contains(mark)).count()
    }
}

impl Stabilizing for Tabled {
    fn goal(&self) -> Goal {
        self.tables.goal
    }

    fn correct(&self, configuration: &[u32]) -> bool {
        match (self.sets.as_ref().and_then(|sets| sets.goal.as_ref()), self.tables.goal) {
            (Some(set), _) => self.contains(set, configuration),
            (None, Goal::OneToken) => self.having(configuration, Marks::TOKEN) == 1,
            (None, _) => self.having(configuration, Marks::LEADER) == 1,
        }
    }

    fn at_once(&self, configuration: &[u32]) -> Option<Found> {
        let correct = self.correct(configuration);
        let safe = self.sets.as_ref().and_then(|sets| sets.safe.as_ref());
        let safe = safe.map_or(correct, |set| self.contains(set, configuration));
        Some(Found { correct, safe, sets: 0 })
    }

    fn safety(&self) -> Safety {
        if self.tables.decided.1 { Safety::ForEver } else { Safety::Unknown }
    }

    fn safe(&self, configuration: &[u32]) -> bool {
        match self.sets.as_ref().and_then(|sets| sets.safe.as_ref()) {
            Some(set) => self.contains(set, configuration),
            None => self.correct(configuration),
        }
    }

    /// A goal by name reads one mark of a state. A token of a ring depends on the neighbours, and a function may read everything.
    fn visible(&self, state: &u32, to: Reader) -> Option<u64> {
        let (goal, safe) = self.tables.decided;
        let mark = match self.tables.goal {
            _ if goal || (safe && to == Reader::Proof) => return None,
            Goal::OneToken if self.tables.ring => return None,
            Goal::OneToken => Marks::TOKEN,
            _ => Marks::LEADER,
        };
        let marks = match self.tables.ring {
            true => Ring::marks(self, View { at: Place::Other, left: 0, own: *state, right: 0 }),
            false => Population::marks(self, state),
        };
        Some(marks.contains(mark).into())
    }

    /// A function of a configuration may name an agent by its place.
    fn names_places(&self) -> bool {
        self.tables.decided.0 || self.tables.decided.1
    }
}

/// The 32-bit integers in some bytes.
fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|four| u32::from_ne_bytes([four[0], four[1], four[2], four[3]])).collect()
}

/// Words that live as long as the program, as those of every card do.
fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

impl Asked {
    /// The algorithm, in a catalog.
    pub(crate) fn algorithm(self) -> PyResult<Algorithm> {
        let topology = match (self.ring, self.both, self.graph.as_str()) {
            (true, false, _) | (false, _, "ring") => Topology::DirectedRing,
            (true, true, _) => Topology::BidirectionalRing,
            (false, _, "undirected-ring") => Topology::UndirectedRing,
            (false, _, "complete") => Topology::Complete,
            (false, _, "any") => Topology::Any,
            (false, _, other) => {
                return Err(value(format!(
                    "no graph is called {other:?}: there are ring, undirected-ring, complete and any"
                )));
            }
        };
        let goal = match self.goal.as_str() {
            "one-leader" => Goal::OneLeader,
            "one-token" => Goal::OneToken,
            _ => Goal::Holds(kept(self.goal)),
        };
        let mark = |bits: u8| Marks::LEADER.when(bits & 1 != 0) | Marks::TOKEN.when(bits & 2 != 0);
        let states = self.words.len();
        let tables = Arc::new(Tables {
            words: self.words.into_iter().map(kept).collect(),
            marks: self.marks.iter().copied().map(mark).collect(),
            starts: numbers(&self.starts),
            outcomes: numbers(&self.outcomes).chunks_exact(3).map(|three| (three[0], three[1], three[2])).collect(),
            goal,
            hears: self.hears,
            both: self.both,
            ring: self.ring,
            decided: self.decided,
            sets: Mutex::default(),
        });
        let card = Card {
            name: kept(self.name),
            summary: kept(self.summary),
            kind: if self.ring { Kind::Ring } else { Kind::Population },
            topology,
            scheduler: crate::setup::scheduler(&self.scheduler)?,
            states: kept(states.to_string()),
            oracle: self.hears.then_some("a leader detector"),
            default_size: self.default_size,
            ..Card::BLANK
        };
        card.check().map_err(refused)?;
        let (name, shared, ring) = (card.name, tables.clone(), self.ring);
        let catalog = Catalog::builtin().built_by(card, move |parameters| {
            let sets = lock(&shared.sets).get(&parameters.size).cloned();
            if sets.is_none() && (shared.decided.0 || shared.decided.1) {
                return Err(Refusal::new(format!(
                    "the goal and the safe set are not known for size {}",
                    parameters.size
                )));
            }
            let tabled = Tabled { tables: shared.clone(), sets };
            let unfit = |unfit: ringleader::erased::Unfit| Refusal::new(unfit.to_string());
            match ring {
                true => RingInstance::new(tabled).map(Instance::Ring).map_err(unfit),
                false => PopulationInstance::new(tabled).map(Instance::Population).map_err(unfit),
            }
        });
        let card = catalog.card(name).map_err(refused)?;
        Ok(Algorithm { catalog, card, unfilled: Some(Unfilled(tables)) })
    }
}
