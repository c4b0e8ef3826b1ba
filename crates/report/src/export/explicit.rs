//! The explicit formats of Storm and PRISM.

use super::{Exported, begins, choices, exact, totals};
use std::io::{Result, Write};

/// The model in Storm's explicit format. Every choice has its costs; a comment below each state shows it as text. Storm reads
/// fractions, with floating point as well as with exact arithmetic.
pub fn drn(system: &dyn Exported, out: &mut dyn Write) -> Result<()> {
    let (count, _) = totals(system);
    let kind = if system.is_chain() { "DTMC" } else { "MDP" };
    writeln!(out, "@type: {kind}\n@parameters\n\n@reward_models\n{}", system.costs().join(" "))?;
    writeln!(out, "@nr_states\n{}\n@nr_choices\n{count}\n@model", system.states())?;
    let list = |costs: &[f64]| {
        let costs: Vec<String> = costs.iter().map(|&cost| exact(cost)).collect();
        if costs.is_empty() { String::new() } else { format!(" [{}]", costs.join(", ")) }
    };
    let (begins, labels) = (begins(system), system.labels());
    for (state, begins) in begins.into_iter().enumerate() {
        write!(out, "state {state}{}", list(&vec![0.0; system.costs().len()]))?;
        write!(out, "{}", if begins { " init" } else { "" })?;
        for (label, name) in labels.iter().enumerate() {
            write!(out, "{}", if system.labelled(state, label) { format!(" {name}") } else { String::new() })?;
        }
        writeln!(out, "\n//[{}]", system.text(state).join("; "))?;
        for choice in choices(system, state) {
            writeln!(out, "\taction {}{}", choice.name, list(&choice.costs))?;
            choice.outcomes.iter().try_for_each(|&(target, p)| writeln!(out, "\t\t{target} : {}", exact(p)))?;
        }
    }
    Ok(())
}

/// The transitions in PRISM's explicit format.
pub fn tra(system: &dyn Exported, out: &mut dyn Write) -> Result<()> {
    let (count, outcomes) = totals(system);
    let chain = system.is_chain();
    let count = if chain { String::new() } else { format!("{count} ") };
    writeln!(out, "{} {count}{outcomes}", system.states())?;
    for state in 0..system.states() {
        for (number, choice) in choices(system, state).iter().enumerate() {
            let (number, name) = (format!("{number} "), format!(" {}", choice.name));
            let (number, name) = if chain { ("", "") } else { (&*number, &*name) };
            choice.outcomes.iter().try_for_each(|(to, p)| writeln!(out, "{state} {number}{to} {p}{name}"))?;
        }
    }
    Ok(())
}

/// The states for PRISM: the number of the state and all variables; a word is given by its index in its domain, from 0.
pub fn sta(system: &dyn Exported, out: &mut dyn Write) -> Result<()> {
    for state in 0..system.states() {
        let values = system.values(state);
        if state == 0 {
            let names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
            writeln!(out, "({})", ["s"].into_iter().chain(names).collect::<Vec<_>>().join(","))?;
        }
        write!(out, "{state}:({state}")?;
        values.iter().try_for_each(|(_, value)| write!(out, ",{value}"))?;
        writeln!(out, ")")?;
    }
    Ok(())
}

/// The initial states, the deadlocks and the named sets, in PRISM's explicit format.
pub fn lab(system: &dyn Exported, out: &mut dyn Write) -> Result<()> {
    let labels = system.labels();
    let names = ["init", "deadlock"].into_iter().chain(labels.iter().map(String::as_str)).enumerate();
    let head: Vec<String> = names.map(|(number, name)| format!("{number}=\"{name}\"")).collect();
    writeln!(out, "{}", head.join(" "))?;
    for (state, begins) in begins(system).into_iter().enumerate() {
        let own = [begins, system.choices(state).is_empty()];
        let own = own.into_iter().chain((0..labels.len()).map(|label| system.labelled(state, label)));
        let numbers: String = own.enumerate().filter(|(_, has)| *has).map(|(label, _)| format!(" {label}")).collect();
        if !numbers.is_empty() {
            writeln!(out, "{state}:{numbers}")?;
        }
    }
    Ok(())
}
