//! Steps common to all schedulers: closed sets, the number of steps, and whether and when a set is reached.

use crate::report::{Classes, Counterexample, Report, SetReport, Symmetry, Time, Times, Value};
use crate::search::{Longest, can_reach, leaves, longest};
use crate::space::{Bits, Edge, Markov as _, Reversible, StateGraph};
use crate::survey::NamedSet;
use crate::witness::{Nodes, Scene};
use crate::{Monitor, Stop, Survey};

/// Starts the report once the really safe set is known: its size, and whether the sets of the proof meet their claims.
pub(super) fn begin<G: StateGraph>(
    scene: &Scene<'_, G>,
    own: &Bits,
    safe: &Bits,
    really: u64,
    monitor: &Monitor,
) -> Result<Report, Stop> {
    let (survey, system) = (scene.survey, &scene.survey.system);
    monitor.find(format!("{really} really safe configurations"));
    monitor.enter("closure of the sets of the proof", None);
    let unsafe_own = own.iter().find(|&node| !safe.contains(node));
    let leaving = leaves(scene.graph, own, monitor)?;
    let mut silent = true;
    let mut hear = |c: u32| system.each_successor(c, &mut |e| silent &= !e.moves(c));
    match survey.names_safe {
        true => survey.own_safe.iter().for_each(&mut hear),
        false => own.iter().for_each(|node| hear(scene.base(node))),
    }
    let mut sets = vec![];
    for set in &survey.sets {
        sets.push(named(scene, set, monitor)?);
    }
    let own_is_wrong = unsafe_own.map(|node| scene.breach(node)).or_else(|| {
        let shows = "a step leaves the set that the algorithm's proof calls safe".to_string();
        leaving.map(|step| scene.run(shows, &vec![step], &vec![], None))
    });
    let counterexample = own_is_wrong.or_else(|| sets.iter().find_map(|set| set.counterexample.clone()));
    Ok(Report {
        agents: system.space().agents(),
        states: u64::from(system.space().radix()),
        configurations: survey.configurations(),
        classes: system.is_up_to_rotation().then(|| Classes { count: survey.nodes(), symmetry: Symmetry::Rotation }),
        transitions: transitions(survey, monitor, |node, edge| u64::from(edge.moves(node)))?,
        holds: counterexample.is_none(),
        tosses: system.tosses(),
        really_safe: really,
        own_is_named: survey.names_safe,
        own_safe: if survey.names_safe { survey.count(&survey.own_safe) } else { really },
        own_is_really_safe: unsafe_own.is_none(),
        own_is_closed: leaving.is_none(),
        own_is_silent: silent,
        sets,
        counterexample,
        ..Report::default()
    })
}

/// The report of a set of the proof, with a step out of it if there is one. Tokens do not matter: each process is the
/// first to step in some orientation.
fn named<G: StateGraph>(scene: &Scene<'_, G>, set: &NamedSet, monitor: &Monitor) -> Result<SetReport, Stop> {
    let (survey, system) = (scene.survey, &scene.survey.system);
    let shows = format!("a step leads out of {}", set.name);
    let counterexample = match scene.nodes {
        Nodes::Together(graph) => {
            leaves(graph, &set.members, monitor)?.map(|step| scene.run(shows, &vec![step], &vec![], None))
        }
        _ => {
            let plain = Scene { survey, graph: system, nodes: Nodes::Plain };
            leaves(system, &set.members, monitor)?.map(|step| plain.run(shows, &vec![step], &vec![], None))
        }
    };
    Ok(SetReport {
        name: set.name.clone(),
        claim: set.claim.clone(),
        configurations: survey.count(&set.members),
        closed: counterexample.is_none(),
        counterexample,
    })
}

/// The number of steps, each counted with its multiplicity.
pub(crate) fn transitions(
    survey: &Survey,
    monitor: &Monitor,
    counts: impl Fn(u32, Edge) -> u64 + Sync,
) -> Result<u64, Stop> {
    let system = &survey.system;
    let count = |count: &mut u64, range: std::ops::Range<u64>| {
        for node in range.map(|node| node as u32).filter(|&node| survey.possible(node)) {
            let mut moves = 0;
            system.successors(node, |e| moves += counts(node, e));
            *count += moves * system.members(node);
        }
    };
    Ok(monitor.blocks(system.size(), 1 << 14, count, || 0)?.into_iter().sum())
}

/// Records whether every execution converges. A failure to converge takes precedence over a wrong claim about a set.
pub(super) fn conclude(report: &mut Report, failure: Option<Counterexample>, monitor: &Monitor) -> bool {
    let converges = failure.is_none();
    if let Some(failure) = failure {
        monitor.find(format!("fails: {}", failure.shows));
        report.holds = false;
        report.counterexample = Some(failure);
    } else {
        monitor.find("every run reaches the really safe set".into());
    }
    converges
}

/// The longest executions outside the really safe set and outside the algorithm's own.
pub(super) fn runs<G: StateGraph>(
    scene: &Scene<'_, G>,
    targets: [&Bits; 2],
    report: &mut Report,
    monitor: &Monitor,
) -> Result<(), Stop> {
    let [really, own] = targets;
    let starts = report.product_states.unwrap_or(report.configurations) as f64;
    let time = |found: &Longest| match *found {
        Longest::Steps { worst, worst_start, sum } => Some(Time {
            worst: Value::Steps(f64::from(worst)),
            worst_start: scene.start(worst_start),
            worst_turns: scene.turns(worst_start),
            mean: Value::Steps(sum as f64 / starts),
        }),
        _ => None,
    };
    let members = |node: u32| scene.members(node);
    let found = longest(scene.graph, really, members, monitor)?;
    let converges = conclude(report, scene.avoiding(&found, really, monitor)?, monitor);
    let mut times = Times { to_really_safe: time(&found), to_own_safe: None };
    if converges && report.own_is_closed {
        times.to_own_safe = time(&longest(scene.graph, own, members, monitor)?);
        report.own_is_reached = Some(times.to_own_safe.is_some());
    }
    if converges {
        report.steps = Some(times);
    }
    Ok(())
}

/// Whether the really safe set is reachable from everywhere. If so, it is reached: an event that is possible infinitely
/// often happens.
pub(super) fn reach<G: Reversible>(
    scene: &Scene<'_, G>,
    safe: &Bits,
    report: &mut Report,
    monitor: &Monitor,
) -> Result<bool, Stop> {
    let failure = scene.trap(&can_reach(scene.graph, safe, monitor)?, monitor)?;
    Ok(conclude(report, failure, monitor))
}

/// Whether the algorithm's own safe set is always reached, if every execution converges. Not checked for a set that can
/// be left.
pub(super) fn reach_own<G: Reversible>(
    scene: &Scene<'_, G>,
    own: &Bits,
    report: &mut Report,
    monitor: &Monitor,
) -> Result<(), Stop> {
    if report.own_is_closed {
        report.own_is_reached = Some(can_reach(scene.graph, own, monitor)?.count() == scene.graph.size());
    }
    Ok(())
}
