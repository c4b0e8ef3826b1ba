//! Fair coins against every daemon of a class: a decision process instead of a graph.

use super::claims::judge;
use super::horizon::by_choice;
use super::reaching::{Against, Goal, Inquiry};
use super::rounds;
use super::shared::{Executions, conclude};
use crate::decision::{Choices, EndComponent, Extreme, end_components};
use crate::question::{Detector, Question};
use crate::report::{Report, Times};
use crate::rules::System;
use crate::search::Fairness;
use crate::space::{Bits, Reversible};
use crate::witness::Scene;
use crate::{Monitor, Stop, Uncheckable};

/// Refuses what a decision process cannot express.
pub(super) fn refuse(system: &System, question: &Question) -> Result<(), Stop> {
    if question.scheduler.picks_initiators() && system.chooses() {
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
    let inquiry = Inquiry { scene, question, monitor };
    if question.only_claims {
        judge(scene, &executions, [safe, own], question, &mut report, monitor)?;
        monitor.decide(&report);
        inquiry.measure(&executions, &mut report)?;
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
    let against = Against { scene, choices, fairness, count: report.beginnings(), question, monitor };
    if !converges {
        let [least, greatest] = against.probabilities(safe)?;
        (report.least_probability, report.greatest_probability) = (Some(least), Some(greatest));
        let to_really_safe = against.best(&Goal { set: safe, reached: false })?;
        report.best_expected_steps = to_really_safe.map(|time| Times { to_really_safe: Some(time), to_own_safe: None });
        by_choice(scene, choices, (safe, converges), question, &mut report, monitor)?;
        inquiry.measure(&executions, &mut report)?;
        return Ok(report);
    }
    let to_own = (report.own_is_reached == Some(true)).then_some(own);
    let times = |extreme: Extreme, to_own: Option<&Bits>| -> Result<Times, Stop> {
        let time = |target: Option<&Bits>| target.map(|set| against.time(choices, extreme, set)).transpose();
        Ok(Times { to_really_safe: time(Some(safe))?, to_own_safe: time(to_own)? })
    };
    let best = times(Extreme::Best, to_own)?;
    let delay = |target: &Bits| {
        let waiting = against.waiting(target)?;
        waiting.first().map(|component| scene.delay(choices, component, monitor)).transpose()
    };
    report.delay = delay(safe)?;
    if report.delay.is_none() {
        report.own_delay = to_own.filter(|_| report.own_is_named).map(delay).transpose()?.flatten();
        let to_own = to_own.filter(|_| report.own_delay.is_none());
        report.expected_steps = Some(times(Extreme::Worst, to_own)?);
        report.worst_strategy = question.strategy.then(|| against.longest(safe)).transpose()?;
    }
    report.best_expected_steps = Some(best);
    rounds::count(scene, &executions, safe, question, &mut report, monitor)?;
    by_choice(scene, choices, (safe, converges), question, &mut report, monitor)?;
    inquiry.measure(&executions, &mut report)?;
    Ok(report)
}
