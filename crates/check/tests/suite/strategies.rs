//! The strategies of daemons in reports.

use crate::decisions::{Choice, Process, fraction};
use num_rational::BigRational;
use ringleader_check::parts::System;
use ringleader_check::{Report, Situation};
use ringleader_model::trace::Actor;
use std::collections::BTreeSet;

/// Each choice of a strategy leads to a configuration of the strategy, for every outcome of the coins, and never to the
/// target.
pub(crate) fn stays(report: &Report, process: &Process, system: &System, target: &[bool]) {
    let strategy = &report.counterexample.as_ref().expect("it fails").strategy;
    let inside: BTreeSet<usize> =
        strategy.iter().map(|situation| system.space.encode(&situation.states) as usize).collect();
    assert!(!inside.is_empty() && inside.iter().all(|&c| !target[c]), "{strategy:?}");
    for situation in strategy {
        let c = system.space.encode(&situation.states) as usize;
        assert_eq!(situation.choices.is_empty(), process.choices[c][0].agents.is_empty(), "{situation:?}");
        for choice in &situation.choices {
            // Several arcs may join two agents; one of them stays inside.
            let agents = agents(&choice.actor, situation);
            let mut same = process.choices[c].iter().filter(|other| other.agents == agents);
            assert!(same.any(|choice| choice.outcomes.iter().all(|(to, _)| inside.contains(to))), "{situation:?}");
        }
    }
}

/// The strategy of the worst daemon leads from the worst start to the target, for every outcome of the coins, and in that many expected
/// steps. `exact` has the most expected steps from each configuration.
pub(crate) fn attains(report: &Report, process: &Process, system: &System, target: &[bool], exact: &[BigRational]) {
    let shown = report.worst_strategy.as_ref().expect("it holds");
    let number = |states: &[u32]| system.space.encode(states) as usize;
    let open: Vec<usize> = shown.strategy.iter().map(|situation| number(&situation.states)).collect();
    assert_eq!(open.iter().collect::<BTreeSet<_>>().len(), open.len(), "{shown:?}");
    let policy = open.iter().zip(&shown.strategy).map(|(&c, situation)| {
        let [choice] = &situation.choices[..] else { panic!("one choice: {situation:?}") };
        let agents = agents(&choice.actor, situation);
        // Several arcs may join two agents; one of them leads to the target or to another configuration of the strategy.
        let inside = |to: usize| target[to] || open.contains(&to);
        let fits = |other: &usize| {
            let Choice { agents: others, outcomes, .. } = &process.choices[c][*other];
            *others == agents && outcomes.iter().all(|(to, _)| inside(*to))
        };
        let worth = |other: &usize| {
            process.choices[c][*other].outcomes.iter().map(|(to, p)| p * &exact[*to]).sum::<BigRational>()
        };
        let chosen = (0..process.choices[c].len()).filter(fits).max_by_key(worth);
        chosen.unwrap_or_else(|| panic!("no choice of the daemon leads on: {situation:?}"))
    });
    let policy: Vec<usize> = policy.collect();
    let zero = vec![fraction(0, 1); target.len()];
    let steps = process.solve(&open, &policy, &zero, &|_, _| fraction(1, 1));
    let most = exact.iter().max().expect("there are configurations");
    let near = most * (fraction(1, 1) - fraction(1, 1_000_000));
    let found = if target[number(&shown.start)] { fraction(0, 1) } else { steps[number(&shown.start)].clone() };
    assert!(found >= near && found <= *most, "{found} of {most}: {shown:?}");
}

fn agents(actor: &Actor, situation: &Situation) -> BTreeSet<usize> {
    match actor {
        Actor::Arc(u, v) => [*u, *v].into(),
        Actor::Process(p) => [*p].into(),
        Actor::Processes(all) => all.iter().copied().collect(),
        Actor::All => (0..situation.states.len()).collect(),
    }
}
