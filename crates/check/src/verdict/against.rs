//! Fair coins against every daemon of a class: a decision process instead of a graph.

use super::claims::judge;
use super::horizon::by_choice;
use super::rounds;
use super::shared::{Executions, conclude};
use crate::decision::{Choices, EndComponent, Extreme, end_components, greatest_probability};
use crate::expectation::{Effort, NARROW, Successors, bounded_from};
use crate::question::{Detector, Question};
use crate::report::{Bounds, Report, Time, Times, Value};
use crate::rules::System;
use crate::search::Fairness;
use crate::space::{Bits, Markov as _, Reversible, StateGraph};
use crate::witness::Scene;
use crate::{Monitor, Stop, Survey, Uncheckable};
use ringleader_model::Scheduler;

/// Refuses what a decision process cannot express.
pub(super) fn refuse(system: &System, question: &Question) -> Result<(), Stop> {
    if question.scheduler == Scheduler::RandomPartner && system.chooses() {
        return Err(Uncheckable::ChoosesAfterPartner.into());
    }
    Choices::refuse(system)?;
    if question.detector == Detector::EventuallyCorrect {
        return Err(Uncheckable::LiesAboutCoins.into());
    }
    Ok(())
}

/// Completes a report: the verdict, the claims, and the numbers.
pub(super) fn check<G: Reversible>(
    scene: &Scene<'_, G>,
    choices: &Choices,
    fairness: Option<Fairness>,
    [safe, own]: [&Bits; 2],
    question: &Question,
    mut report: Report,
    monitor: &Monitor,
) -> Result<Report, Stop> {
    let system = &scene.survey.system;
    let staying = |set: &Bits| end_components(choices, system, set, fairness, monitor);
    (report.almost_surely, report.against_daemon) = (true, true);
    let show = |found: &[EndComponent]| {
        found.first().map(|component| scene.strategy(choices, component, fairness, monitor)).transpose()
    };
    let executions = Executions::Coins(choices, fairness);
    if question.only_claims {
        judge(scene, &executions, [safe, own], question, &mut report, monitor)?;
        return Ok(report);
    }
    let found = staying(safe)?;
    let converges = conclude(&mut report, show(&found)?, monitor);
    if converges && report.own_is_closed {
        report.own_is_reached = Some(staying(own)?.is_empty());
    }
    // Claims come first, so that the verdict is available before the numbers.
    judge(scene, &executions, [safe, own], question, &mut report, monitor)?;
    monitor.decide(&report);
    if !converges {
        let (worst, mean) = probability(scene.survey, choices, &found, safe, &report, question, monitor)?;
        (report.least_from_start, report.least_probability) = (worst, Some(mean));
        by_choice(scene, choices, (safe, converges), question, &mut report, monitor)?;
        return Ok(report);
    }
    let starts = report.beginnings();
    let to_own = (report.own_is_reached == Some(true)).then_some(own);
    let times = |extreme: Extreme, to_own: Option<&Bits>| -> Result<Times, Stop> {
        let [to_really_safe, to_own_safe] = [Some(safe), to_own].map(|target| {
            target.map(|target| time(scene, choices, extreme, target, starts, question, monitor)).transpose()
        });
        Ok(Times { to_really_safe: to_really_safe?, to_own_safe: to_own_safe? })
    };
    let best = times(Extreme::Best, to_own)?;
    // Fairness binds no finite part of a run, so a fair daemon can delay as long as an unfair one.
    let delay = |target: &Bits| {
        let waiting = if fairness.is_some() { end_components(choices, system, target, None, monitor)? } else { vec![] };
        waiting.first().map(|component| scene.delay(choices, component, monitor)).transpose()
    };
    report.delay = delay(safe)?;
    if report.delay.is_none() {
        report.own_delay = to_own.filter(|_| report.own_is_named).map(delay).transpose()?.flatten();
        let to_own = to_own.filter(|_| report.own_delay.is_none());
        report.expected_steps = Some(times(Extreme::Worst, to_own)?);
    }
    report.best_expected_steps = Some(best);
    rounds::count(scene, &executions, safe, question, &mut report, monitor)?;
    by_choice(scene, choices, (safe, converges), question, &mut report, monitor)?;
    Ok(report)
}

/// The least probability of convergence: from the worst of the given starts, if there are any, and the mean over all starts.
fn probability(
    survey: &Survey,
    choices: &Choices,
    found: &[EndComponent],
    safe: &Bits,
    report: &Report,
    question: &Question,
    monitor: &Monitor,
) -> Result<(Option<Bounds>, Bounds), Stop> {
    let (sought, both) = (Bits::new(choices.size()), safe.clone());
    for &node in found.iter().flat_map(|component| &component.nodes) {
        sought.insert(node);
        both.insert(node);
    }
    let inner = end_components(choices, &survey.system, &both, None, monitor)?;
    let count = report.beginnings();
    let width = question.width.unwrap_or(NARROW);
    let kept = greatest_probability(choices, &sought, safe, &inner, count, width, monitor)?;
    let left = |kept: Bounds| Bounds { low: (1.0 - kept.high).max(0.0), high: (1.0 - kept.low).min(1.0) };
    let Some(starts) = &survey.starts else { return Ok((None, left(kept.mean))) };
    let at = || starts.iter().map(|node| (kept.at(node), choices.members(node) as f64 / count as f64));
    let most = |of: fn(Bounds) -> f64| at().map(|(kept, _)| of(kept)).fold(0.0, f64::max);
    let rounding = starts.count() as f64 * f64::EPSILON;
    let mean = |of: fn(Bounds) -> f64| at().map(|(kept, share)| of(kept) * share).sum::<f64>();
    let worst = Bounds { low: most(|kept| kept.low), high: most(|kept| kept.high) };
    let mean = Bounds { low: mean(|kept| kept.low) - rounding, high: mean(|kept| kept.high) + rounding };
    Ok((Some(left(worst)), left(mean)))
}

/// The expected steps to a set that every daemon reaches.
fn time<G: StateGraph>(
    scene: &Scene<'_, G>,
    choices: &Choices,
    extreme: Extreme,
    target: &Bits,
    starts: u64,
    question: &Question,
    monitor: &Monitor,
) -> Result<Time, Stop> {
    let steps = Successors::Chosen(choices, extreme);
    let effort = Effort::new(question.width.unwrap_or(NARROW));
    let among = scene.survey.starts.as_ref();
    let found = bounded_from(choices, &steps, (target, among), starts, effort, None, monitor)?;
    // The turns of a start are not given: the worst ones count against the worst daemon, and the best ones with the best.
    let of: fn(f64, f64) -> f64 = if extreme == Extreme::Worst { f64::max } else { f64::min };
    let from = |states: &[u32]| {
        let bounds = scene.nodes_of(states).into_iter().map(|node| found.at(node));
        bounds.reduce(|a, b| Bounds { low: of(a.low, b.low), high: of(a.high, b.high) }).expect("a start has a node")
    };
    Ok(Time {
        worst: Value::Between(found.worst),
        worst_start: scene.start(found.worst_start),
        worst_turns: scene.turns(found.worst_start),
        mean: Value::Between(found.mean),
        from: question.starts.iter().map(|start| Value::Between(from(&start.states))).collect(),
    })
}
