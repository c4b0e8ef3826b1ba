//! Protocols in text for the processes of a graph.

use crate::build::{Built, Problem};
use crate::code::Code;
use crate::code::machine::Nobody;
use crate::configurations::cells::value;
use crate::configurations::knowledge;
use crate::configurations::predicates::Stabilized;
use crate::domains::layout::State;
use crate::meaning::typed::Domain;
use crate::models::host::{Doing, marks};
use ringleader_erased::Refusal;
use ringleader_model::graph::Neighbours;
use ringleader_model::{Coin, Knowledge, Marks, Networked, NoCoin, Vicinity};
use std::sync::Arc;

/// The rules and marks of the processes that have the same degree.
struct Compiled {
    rules: Code,
    marks: Vec<(Marks, Code)>,
}

/// The rules and the marks of the processes of a graph.
pub(crate) struct Linked {
    graph: Arc<Neighbours>,
    /// By degree; none for a degree that no process has.
    compiled: Vec<Option<Compiled>>,
    knowledge: Knowledge,
    pointers: Vec<String>,
    /// The part of a process in the safe set, if the set has parts.
    part: Option<Code>,
}

impl Stabilized<Linked> {
    pub(crate) fn new(built: &Built<'_>) -> Result<Self, Problem> {
        let graph = built.constants.graph.clone().ok_or_else(|| Refusal::new("the graph is missing"))?;
        let mut with_degree = vec![vec![]; graph.most() + 1];
        (0..graph.size()).for_each(|process| with_degree[graph.of(process).len()].push(process));
        let compiled = with_degree.iter().enumerate().map(|(degree, processes)| {
            if processes.is_empty() {
                return Ok(None);
            }
            let (built, groups) = built.at_degree(degree as i64);
            Ok(Some(Compiled { rules: built.rules_of(&groups, processes)?, marks: built.marks(1)? }))
        });
        let compiled = compiled.collect::<Result<_, Problem>>()?;
        let knowledge = knowledge::of_protocol(built.unit);
        let pointers =
            built.unit.variables.iter().filter(|variable| matches!(variable.domain, Domain::Neighbour { .. }));
        let pointers = pointers.map(|variable| variable.name.clone()).collect();
        let safe = built.unit.safe.as_ref().map(|(_, safe)| safe).or(built.unit.correct.as_ref());
        let part = safe.and_then(|safe| knowledge::part(safe, &built.constants));
        let part = part.map(|part| built.expression(0, 1, part)).transpose()?;
        Stabilized::with(built, Linked { graph, compiled, knowledge, pointers, part })
    }

    /// The code of a process, if it has the degree of its view.
    fn of(&self, view: Vicinity<'_, State>) -> Option<&Compiled> {
        self.model.compiled.get(view.neighbours.len())?.as_ref()
    }

    /// Runs code, and returns its value and the new state of the process.
    fn run(&self, code: &Code, view: Vicinity<'_, State>, coin: &mut impl Coin) -> (i64, State) {
        let around = Some((view, &*self.model.graph));
        let mut doing = Doing { coin, out: &mut Nobody, code, messages: &[], around };
        let (value, after) = code.apply(&self.layout.fields, [view.own.0, 0, 0, 0], [view.process as i64], &mut doing);
        debug_assert!(value.is_ok(), "a built rule writes only values of its domains");
        (value.unwrap_or(0), State(after[0]))
    }
}

impl Networked for Stabilized<Linked> {
    fn neighbours(&self) -> &Neighbours {
        &self.model.graph
    }

    fn knowledge(&self) -> Knowledge {
        self.model.knowledge
    }

    fn admits(&self, process: usize, state: &State) -> Option<bool> {
        self.alone_admits(process, *state)
    }

    fn arbitrary(&self, process: usize, coin: &mut impl Coin) -> State {
        self.drawn(process, coin)
    }

    fn meets(&self, configuration: &[State], process: usize) -> Option<bool> {
        let part = self.model.part.as_ref()?;
        Some(value(part, &self.layout, Some(&self.model.graph), configuration, process as i64) != Some(0))
    }

    fn pointers(&self) -> Vec<String> {
        self.model.pointers.clone()
    }

    fn act(&self, view: Vicinity<'_, State>, coin: &mut impl Coin) -> State {
        self.of(view).map_or(view.own, |compiled| self.run(&compiled.rules, view, coin).1)
    }

    fn marks(&self, view: Vicinity<'_, State>) -> Marks {
        self.of(view).map_or(Marks::NONE, |compiled| marks(&compiled.marks, |code| self.run(code, view, &mut NoCoin).0))
    }
}
