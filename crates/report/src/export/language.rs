//! PRISM's language.

use super::{Exported, choices};
use std::io::{Result, Write};

/// The model in PRISM's language: one variable, the number of the state.
pub fn prism(system: &dyn Exported, out: &mut dyn Write) -> Result<()> {
    let states = system.states();
    let start = system.start().map_or(String::new(), |start| format!(" init {start}"));
    writeln!(out, "{}\n", if system.is_chain() { "dtmc" } else { "mdp" })?;
    writeln!(out, "module election\n  s : [0..{}]{start};", states.max(2) - 1)?;
    let mut paid: Vec<String> = vec![String::new(); system.costs().len()];
    for state in 0..states {
        writeln!(out, "  // {state}: {}", system.text(state).join("; "))?;
        for (number, choice) in choices(system, state).iter().enumerate() {
            let updates: Vec<String> =
                choice.outcomes.iter().map(|(target, p)| format!("{p} : (s'={target})")).collect();
            // A reward belongs to an action in a state, so choices of the same name get different action names.
            let name = format!("{}_{number}", choice.name);
            writeln!(out, "  [{name}] s={state} -> {};", updates.join(" + "))?;
            for (paid, cost) in paid.iter_mut().zip(&choice.costs).filter(|(_, cost)| **cost != 0.0) {
                paid.push_str(&format!("  [{name}] s={state} : {cost};\n"));
            }
        }
    }
    writeln!(out, "endmodule")?;
    if system.start().is_none() {
        // A range has at least two numbers, so a single state needs this bound.
        writeln!(out, "\ninit s<={} endinit", states.max(1) - 1)?;
    }
    for (label, name) in system.labels().iter().enumerate() {
        let members: Vec<String> =
            (0..states).filter(|&state| system.labelled(state, label)).map(|state| format!("s={state}")).collect();
        let members = if members.is_empty() { "false".to_string() } else { members.join(" | ") };
        writeln!(out, "\nlabel \"{name}\" = {members};")?;
    }
    system.costs().iter().zip(paid).try_for_each(|(name, paid)| writeln!(out, "\nrewards \"{name}\"\n{paid}endrewards"))
}
