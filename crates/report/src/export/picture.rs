//! Graphviz.

use super::{Exported, begins};
use std::io::{Result, Write};

/// The model for Graphviz: states as text, steps with their process and probability. Initial states
/// have a double frame, unless all are initial; states of the last named set, the goal, are filled.
pub fn dot(system: &dyn Exported, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "digraph {{\n  node [shape=box]")?;
    let aim = system.labels().len().checked_sub(1);
    let all = system.starts().len() == system.states();
    for (state, begins) in begins(system).into_iter().enumerate() {
        let text = system.text(state).join("\\n").replace('"', "\\\"");
        let start = if begins && !all { ", peripheries=2" } else { "" };
        let there = aim.is_some_and(|aim| system.labelled(state, aim));
        let filled = if there { ", style=filled" } else { "" };
        writeln!(out, "  {state} [label=\"{state}\\n{text}\"{start}{filled}]")?;
        for choice in system.choices(state) {
            for (target, p) in &choice.outcomes {
                let name = if system.is_chain() { "" } else { choice.name.as_str() };
                let chance = if *p < 1.0 || system.is_chain() { format!("{p:.4}") } else { String::new() };
                let chance =
                    if chance.contains('.') { chance.trim_end_matches('0').trim_end_matches('.') } else { &chance };
                let both = [name, chance].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
                writeln!(out, "  {state} -> {target} [label=\"{both}\"]")?;
            }
        }
    }
    writeln!(out, "}}")
}
