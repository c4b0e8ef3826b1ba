//! PRISM's language.

use super::{Exported, choices, exact};
use std::io::{Result, Write};

/// The model in PRISM's language: one variable, the number of the state. Probabilities and rewards are fractions.
pub fn prism(system: &dyn Exported, out: &mut dyn Write) -> Result<()> {
    let states = system.states();
    let starts = system.starts();
    let start = if let [start] = starts[..] { format!(" init {start}") } else { String::new() };
    writeln!(out, "{}\n", if system.is_chain() { "dtmc" } else { "mdp" })?;
    writeln!(out, "module election\n  s : [0..{}]{start};", states.max(2) - 1)?;
    let mut paid: Vec<String> = vec![String::new(); system.costs().len()];
    for state in 0..states {
        writeln!(out, "  // {state}: {}", system.text(state).join("; "))?;
        for (number, choice) in choices(system, state).iter().enumerate() {
            let updates: Vec<String> =
                choice.outcomes.iter().map(|&(target, p)| format!("{} : (s'={target})", exact(p))).collect();
            // A reward belongs to an action in a state, so choices of the same name get different action names.
            let name = format!("{}_{number}", choice.name);
            writeln!(out, "  [{name}] s={state} -> {};", updates.join(" + "))?;
            for (paid, cost) in paid.iter_mut().zip(&choice.costs).filter(|(_, cost)| **cost != 0.0) {
                paid.push_str(&format!("  [{name}] s={state} : {};\n", exact(*cost)));
            }
        }
    }
    writeln!(out, "endmodule")?;
    if starts.len() != 1 {
        let starts = starts.into_iter().map(|start| start as usize).collect::<Vec<_>>();
        writeln!(out, "\ninit {} endinit", among(&starts, states))?;
    }
    for (label, name) in system.labels().iter().enumerate() {
        let members: Vec<usize> = (0..states).filter(|&state| system.labelled(state, label)).collect();
        writeln!(out, "\nlabel \"{name}\" = {};", among(&members, states))?;
    }
    // A system in which nothing changes has no rewards, and the language has no empty list of them.
    let mut paid = system.costs().iter().zip(paid).filter(|(_, paid)| !paid.is_empty());
    paid.try_for_each(|(name, paid)| writeln!(out, "\nrewards \"{name}\"\n{paid}endrewards"))
}

/// The condition that the state is one of these.
fn among(some: &[usize], states: usize) -> String {
    match some.len() {
        0 => "false".into(),
        all if all == states => "true".into(),
        _ => some.iter().map(|state| format!("s={state}")).collect::<Vec<_>>().join(" | "),
    }
}
