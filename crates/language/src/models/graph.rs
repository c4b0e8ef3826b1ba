//! Protocols in text for the processes of a graph.

use crate::build::{Built, Problem};
use crate::code::Code;
use crate::code::machine::{Host, run, with_registers};
use crate::configurations::cells::value;
use crate::configurations::knowledge;
use crate::configurations::predicates::Predicates;
use crate::domains::layout::State;
use crate::meaning::typed::{Domain, Link};
use crate::models::population::{marks, stabilizing};
use ringleader_erased::Refusal;
use ringleader_model::graph::Neighbours;
use ringleader_model::{
    ClosedSet, Coin, Goal, Knowledge, Marks, Networked, NoCoin, Safety, Stabilizing, Variables, Vicinity, Visitor,
};
use std::sync::Arc;

/// The rules and marks of the processes that have the same degree.
struct Compiled {
    rules: Code,
    marks: Vec<(Marks, Code)>,
}

/// An algorithm for the processes of a graph, compiled.
pub(crate) struct TextGraph {
    predicates: Predicates,
    graph: Arc<Neighbours>,
    /// By degree; none for a degree that no process has.
    compiled: Vec<Option<Compiled>>,
    knowledge: Knowledge,
    pointers: Vec<String>,
    /// The part of a process in the safe set, if the set has parts.
    part: Option<Code>,
}

impl TextGraph {
    pub(crate) fn new(built: &Built<'_>) -> Result<TextGraph, Problem> {
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
        let pointers = built.unit.variables.iter().filter(|variable| matches!(variable.domain, Domain::Port { .. }));
        let pointers = pointers.map(|variable| variable.name.clone()).collect();
        let safe = built.unit.safe.as_ref().map(|(_, safe)| safe).or(built.unit.correct.as_ref());
        let part = safe.and_then(|safe| knowledge::part(safe, &built.constants));
        let part = part.map(|part| built.expression(0, 1, part)).transpose()?;
        Ok(TextGraph { predicates: Predicates::new(built)?, graph, compiled, knowledge, pointers, part })
    }

    /// The code of a process, if it has the degree of its view.
    fn of(&self, view: Vicinity<'_, State>) -> Option<&Compiled> {
        self.compiled.get(view.neighbours.len())?.as_ref()
    }

    /// Runs code and returns its value and the new state of the process.
    fn run(&self, code: &Code, view: Vicinity<'_, State>, coin: &mut impl Coin) -> (i64, State) {
        let own = [view.own.0, 0, 0, 0];
        let mut seeing = Seeing { coin, code, view, graph: &self.graph };
        with_registers!(code, registers => {
            code.load(own, &mut registers);
            registers.set(code.given, view.process as i64);
            let done = run(code, &self.predicates.layout.fields, &mut registers, &mut seeing);
            debug_assert!(done.is_ok(), "a built rule writes only values of its domains");
            (done.unwrap_or(0), State(code.store(own, &registers)[0]))
        })
    }
}

/// The host of the rules of a process: position 0 is its own state, position `k` that of the neighbour behind port `k`.
struct Seeing<'a, C> {
    coin: &'a mut C,
    code: &'a Code,
    view: Vicinity<'a, State>,
    graph: &'a Neighbours,
}

impl<C: Coin> Host for Seeing<'_, C> {
    fn below(&mut self, n: u32) -> u32 {
        self.coin.below(n)
    }

    fn choose(&mut self, n: u32) -> u32 {
        self.coin.choose(n)
    }

    fn drew(&mut self, value: i64) {
        self.coin.drew(value.unsigned_abs());
    }

    fn fired(&mut self, rule: u8) {
        if let Some((Some(number), _)) = self.code.rules.get(rule as usize) {
            self.coin.fired(*number);
        }
    }

    fn cell(&self, index: i64) -> u64 {
        let port = usize::try_from(index - 1).ok();
        port.and_then(|port| self.view.neighbours.get(port)).unwrap_or(&self.view.own).0
    }

    fn place(&self, place: u8) -> u64 {
        self.cell(place.into())
    }

    fn link(&self, what: Link, process: i64, port: i64) -> i64 {
        what.of(self.graph, process, port)
    }
}

impl Networked for TextGraph {
    fn neighbours(&self) -> &Neighbours {
        &self.graph
    }

    fn knowledge(&self) -> Knowledge {
        self.knowledge
    }

    fn admits(&self, process: usize, state: &State) -> Option<bool> {
        self.predicates.admits(process, *state)
    }

    fn arbitrary(&self, process: usize, coin: &mut impl Coin) -> State {
        self.predicates.arbitrary(process, coin)
    }

    fn meets(&self, configuration: &[State], process: usize) -> Option<bool> {
        let part = self.part.as_ref()?;
        Some(value(part, &self.predicates.layout, Some(&self.graph), configuration, process as i64) != Some(0))
    }

    fn pointers(&self) -> Vec<String> {
        self.pointers.clone()
    }

    fn act(&self, view: Vicinity<'_, State>, coin: &mut impl Coin) -> State {
        self.of(view).map_or(view.own, |compiled| self.run(&compiled.rules, view, coin).1)
    }

    fn marks(&self, view: Vicinity<'_, State>) -> Marks {
        self.of(view).map_or(Marks::NONE, |compiled| marks(&compiled.marks, |code| self.run(code, view, &mut NoCoin).0))
    }
}

stabilizing!(TextGraph);
