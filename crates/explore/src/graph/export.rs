//! Graphs in the formats of other tools.
//!
//! - `.aut`, Aldebaran: labelled transition systems, for mCRL2, CADP and MERC;
//! - `.drn`, Storm's explicit format for Markov decision processes;
//! - `.tra`, `.sta`, `.lab`: PRISM's explicit format (`prism -importmodel`), readable by Storm too;
//! - `.prism`, a module in PRISM's language with one variable for the number of the state, for small models;
//! - `.dot`, for Graphviz.
//!
//! In the probabilistic formats the label `elected` marks the states with a leader, and a state without a choice loops on
//! itself, as these tools want every state to have one.

use crate::{Action, Edge, Graph, Quotient};
use std::collections::BTreeSet;
use std::io::{Result, Write};

/// The file names' endings.
pub const FORMATS: [&str; 5] = ["aut", "drn", "tra", "dot", "prism"];

/// The distinct transitions of a state.
fn transitions(graph: &Graph, state: usize) -> BTreeSet<(Action, u32)> {
    graph.edges(state).iter().map(|edge| (edge.action, edge.target)).collect()
}

/// The labelled transition system, in Aldebaran format. Internal steps are called `tau`, as mCRL2 does.
pub fn aut(graph: &Graph, out: &mut dyn Write) -> Result<()> {
    let count: usize = (0..graph.len()).map(|state| transitions(graph, state).len()).sum();
    writeln!(out, "des (0,{count},{})", graph.len())?;
    for state in 0..graph.len() {
        for (action, target) in transitions(graph, state) {
            writeln!(out, "({state},\"{action}\",{target})")?;
        }
    }
    Ok(())
}

/// A quotient, in Aldebaran format.
pub fn aut_quotient(quotient: &Quotient, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "des (0,{},{})", quotient.transitions.len(), quotient.states)?;
    quotient.transitions.iter().try_for_each(|(from, action, to)| writeln!(out, "({from},\"{action}\",{to})"))
}

/// The labelled transition system, for Graphviz.
pub fn dot(graph: &Graph, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "digraph {{\n  0 [shape=doublecircle]")?;
    for state in 0..graph.len() {
        if graph.leaders(state) > 0 {
            writeln!(out, "  {state} [style=filled]")?;
        }
        for (action, target) in transitions(graph, state) {
            dot_edge(state as u32, action, target, out)?;
        }
    }
    writeln!(out, "}}")
}

/// A quotient, for Graphviz.
pub fn dot_quotient(quotient: &Quotient, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "digraph {{\n  0 [shape=doublecircle]")?;
    quotient.transitions.iter().try_for_each(|&(from, action, to)| dot_edge(from, action, to, out))?;
    writeln!(out, "}}")
}

fn dot_edge(from: u32, action: Action, to: u32, out: &mut dyn Write) -> Result<()> {
    match action {
        Action::Internal => writeln!(out, "  {from} -> {to}"),
        _ => writeln!(out, "  {from} -> {to} [label=\"{action}\", color=red]"),
    }
}

/// Shows the distributions of a state, each with the probabilities of its distinct targets; a loop if there is none.
fn distributions(graph: &Graph, state: usize, mut show: impl FnMut(usize, &[(u32, f64)]) -> Result<()>) -> Result<()> {
    for (number, choice) in graph.choices(state).enumerate() {
        show(number, &merged(graph, choice))?;
    }
    if graph.choices(state).len() == 0 { show(0, &[(state as u32, 1.0)]) } else { Ok(()) }
}

/// Outcomes with the same target as one, by target.
fn merged(graph: &Graph, choice: &[Edge]) -> Vec<(u32, f64)> {
    let mut targets: Vec<(u32, f64)> = vec![];
    for edge in choice {
        match targets.iter_mut().find(|(target, _)| *target == edge.target) {
            Some((_, p)) => *p += graph.probability(edge),
            None => targets.push((edge.target, graph.probability(edge))),
        }
    }
    targets.sort_by_key(|&(target, _)| target);
    targets
}

/// How many choices and how many outcomes the probabilistic formats list.
fn totals(graph: &Graph) -> Result<(usize, usize)> {
    let (mut choices, mut outcomes) = (0, 0);
    for state in 0..graph.len() {
        distributions(graph, state, |_, targets| {
            choices += 1;
            outcomes += targets.len();
            Ok(())
        })?;
    }
    Ok((choices, outcomes))
}

/// The Markov decision process, in Storm's explicit format. Every step costs 1, so that rewards count steps.
pub fn drn(graph: &Graph, out: &mut dyn Write) -> Result<()> {
    let (choices, _) = totals(graph)?;
    writeln!(out, "@type: MDP\n@parameters\n\n@reward_models\nsteps\n@nr_states\n{}", graph.len())?;
    writeln!(out, "@nr_choices\n{choices}\n@model")?;
    for state in 0..graph.len() {
        let init = if state == 0 { " init" } else { "" };
        let elected = if graph.leaders(state) > 0 { " elected" } else { "" };
        let cost = if graph.choices(state).len() == 0 { 0 } else { 1 };
        writeln!(out, "state {state} [{cost}]{init}{elected}")?;
        distributions(graph, state, |number, targets| {
            writeln!(out, "\taction {number}")?;
            targets.iter().try_for_each(|(target, p)| writeln!(out, "\t\t{target} : {p}"))
        })?;
    }
    Ok(())
}

/// The transitions of the Markov decision process, in PRISM's explicit format.
pub fn tra(graph: &Graph, out: &mut dyn Write) -> Result<()> {
    let (choices, outcomes) = totals(graph)?;
    writeln!(out, "{} {choices} {outcomes}", graph.len())?;
    (0..graph.len()).try_for_each(|state| {
        distributions(graph, state, |number, targets| {
            targets.iter().try_for_each(|(target, p)| writeln!(out, "{state} {number} {target} {p}"))
        })
    })
}

/// The states for PRISM: one variable, the number of the state.
pub fn sta(graph: &Graph, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "(s)")?;
    (0..graph.len()).try_for_each(|state| writeln!(out, "{state}:({state})"))
}

/// Which states have a leader or no choice, in PRISM's explicit format.
pub fn lab(graph: &Graph, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "0=\"init\" 1=\"deadlock\" 2=\"elected\"")?;
    for state in 0..graph.len() {
        let labels = [state == 0, graph.choices(state).len() == 0, graph.leaders(state) > 0];
        let numbers: String = (0..3).filter(|&l| labels[l]).map(|l| format!(" {l}")).collect();
        if !numbers.is_empty() {
            writeln!(out, "{state}:{numbers}")?;
        }
    }
    Ok(())
}

/// The Markov decision process in PRISM's language.
pub fn prism(graph: &Graph, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "mdp\n\nmodule election\n  s : [0..{}] init 0;", graph.len().max(2) - 1)?;
    for state in 0..graph.len() {
        distributions(graph, state, |_, targets| {
            let updates: Vec<String> = targets.iter().map(|(target, p)| format!("{p} : (s'={target})")).collect();
            writeln!(out, "  [] s={state} -> {};", updates.join(" + "))
        })?;
    }
    let elected: Vec<String> =
        (0..graph.len()).filter(|&state| graph.leaders(state) > 0).map(|state| format!("s={state}")).collect();
    let elected = if elected.is_empty() { "false".to_string() } else { elected.join(" | ") };
    writeln!(out, "endmodule\n\nlabel \"elected\" = {elected};")?;
    writeln!(out, "\nrewards \"steps\"\n  true : 1;\nendrewards")
}
