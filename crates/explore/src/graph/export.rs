//! Labelled transition systems in the formats of other tools: `.aut` (Aldebaran) for mCRL2, CADP and MERC, and `.dot` for
//! Graphviz. `ringleader-report` writes the formats with probabilities, which need data that a graph does not have.

use crate::{Action, DecisionGraph, Quotient};
use std::collections::BTreeSet;
use std::io::{Result, Write};

/// A labelled transition system.
pub trait Labelled {
    /// The number of states.
    fn states(&self) -> usize;

    /// The initial states, ascending.
    fn starts(&self) -> Vec<u32> {
        vec![0]
    }

    /// The distinct transitions of a state. An internal transition is called `tau`.
    fn transitions(&self, state: usize) -> Vec<(String, u32)>;
}

impl Labelled for DecisionGraph {
    fn states(&self) -> usize {
        self.len()
    }

    fn transitions(&self, state: usize) -> Vec<(String, u32)> {
        let distinct: BTreeSet<(Action, u32)> =
            self.edges(state).iter().map(|edge| (edge.action, edge.target)).collect();
        distinct.into_iter().map(|(action, target)| (action.to_string(), target)).collect()
    }
}

impl Labelled for Quotient {
    fn states(&self) -> usize {
        self.states
    }

    fn transitions(&self, state: usize) -> Vec<(String, u32)> {
        let from = self.transitions.partition_point(|t| (t.0 as usize) < state);
        let own = self.transitions[from..].iter().take_while(|t| t.0 as usize == state);
        own.map(|(_, action, to)| (action.to_string(), *to)).collect()
    }
}

/// The labelled transition system, in Aldebaran format. Internal steps are called `tau`, as in mCRL2. The format requires one
/// initial state. If there are several, a last state is added, from which `start` leads to them.
pub fn aut(system: &dyn Labelled, out: &mut dyn Write) -> Result<()> {
    let states = system.states();
    let count: usize = (0..states).map(|state| system.transitions(state).len()).sum();
    let starts = system.starts();
    match starts[..] {
        [start] => writeln!(out, "des ({start},{count},{states})")?,
        _ => writeln!(out, "des ({states},{},{})", count + starts.len(), states + 1)?,
    }
    for state in 0..states {
        for (action, target) in system.transitions(state) {
            writeln!(out, "({state},\"{action}\",{target})")?;
        }
    }
    if starts.len() == 1 {
        return Ok(());
    }
    starts.iter().try_for_each(|state| writeln!(out, "({states},\"start\",{state})"))
}

/// The labelled transition system, for Graphviz.
pub fn dot(system: &dyn Labelled, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "digraph {{")?;
    system.starts().iter().try_for_each(|start| writeln!(out, "  {start} [shape=doublecircle]"))?;
    for state in 0..system.states() {
        for (action, target) in system.transitions(state) {
            match action.as_str() {
                "tau" => writeln!(out, "  {state} -> {target}")?,
                _ => writeln!(out, "  {state} -> {target} [label=\"{action}\", color=red]")?,
            }
        }
    }
    writeln!(out, "}}")
}
