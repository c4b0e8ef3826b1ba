//! The strategies of daemons in reports.

use crate::decisions::Process;
use ringleader_check::Report;
use ringleader_check::parts::System;
use ringleader_model::trace::Actor;
use std::collections::BTreeSet;

/// Each choice of a strategy leads to a configuration of the strategy, for every outcome of the coins, and never to the
/// target.
pub(crate) fn stays(report: &Report, process: &Process, system: &System, target: &[bool]) {
    let strategy = &report.counterexample.as_ref().expect("it fails").strategy;
    let inside: BTreeSet<usize> =
        strategy.iter().map(|situation| system.space().encode(&situation.states) as usize).collect();
    assert!(!inside.is_empty() && inside.iter().all(|&c| !target[c]), "{strategy:?}");
    for situation in strategy {
        let c = system.space().encode(&situation.states) as usize;
        assert_eq!(situation.choices.is_empty(), process.choices[c][0].agents.is_empty(), "{situation:?}");
        for choice in &situation.choices {
            let agents: BTreeSet<usize> = match &choice.actor {
                Actor::Arc(u, v) => [*u, *v].into(),
                Actor::Process(p) => [*p].into(),
                Actor::Processes(all) => all.iter().copied().collect(),
                Actor::All => (0..situation.states.len()).collect(),
            };
            // Several arcs may join two agents; one of them stays inside.
            let mut same = process.choices[c].iter().filter(|other| other.agents == agents);
            assert!(same.any(|choice| choice.outcomes.iter().all(|(to, _)| inside.contains(to))), "{situation:?}");
        }
    }
}
