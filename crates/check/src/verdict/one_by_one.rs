//! Schedulers under which one site steps at a time: the graph is the system itself.

use super::claims::{cut_off, judge, kept_away};
use super::shared::{begin, conclude, reach, reach_own, runs};
use crate::expectation::{self, Successors};
use crate::question::{Detector, Level, Question};
use crate::report::{Counterexample, Report};
use crate::rules::System;
use crate::schedule::Misled;
use crate::search::{Fairness, Recurrence, really_safe};
use crate::space::{Bits, INCORRECT, StateGraph as _};
use crate::witness::{Nodes, Scene};
use crate::{Monitor, Stop, Survey, Uncheckable};
use ringleader_model::Scheduler;
use std::collections::BTreeMap;

/// Checks under such a scheduler.
pub(super) fn check(survey: &Survey, question: &Question, monitor: &Monitor) -> Result<Report, Stop> {
    let system = &survey.system;
    let safe = really_safe(system, |node, turn| survey.label(node, turn), monitor)?;
    let scene = Scene { survey, graph: system, nodes: Nodes::Plain };
    let own = survey.own(&safe);
    let mut report = begin(&scene, &own, &safe, survey.count(&safe), monitor)?;
    [&safe, &own].into_iter().for_each(|set| survey.dismiss(set, |c, visit| visit(c)));
    let mut never = |set: &Bits| match question.scheduler {
        Scheduler::Unfair => kept_away(&scene, set, monitor),
        Scheduler::Fair | Scheduler::LocallyFair => recurring(&scene, set, fairness(question), monitor),
        _ => cut_off(&scene, set, monitor),
    };
    if question.only_claims {
        report.almost_surely = question.scheduler == Scheduler::Random;
        judge(&scene, question, &mut report, monitor, &mut never)?;
        return Ok(report);
    }
    let mut numbers = false;
    match question.scheduler {
        Scheduler::Unfair => runs(&scene, [&safe, &own], &mut report, monitor)?,
        Scheduler::Fair | Scheduler::LocallyFair => {
            let fairness = fairness(question);
            let failure = recurring(&scene, &safe, fairness, monitor)?;
            if conclude(&mut report, failure, monitor) {
                lie(survey, question, fairness, &mut report, monitor)?;
            }
        }
        _ => {
            report.almost_surely = question.scheduler == Scheduler::Random;
            let converges = reach(&scene, &safe, &mut report, monitor)?
                && lie(survey, question, Fairness::Steps, &mut report, monitor)?;
            if converges {
                reach_own(&scene, &own, &mut report, monitor)?;
            }
            numbers = converges && question.scheduler == Scheduler::Random && question.detector == Detector::Perfect;
        }
    }
    // Claims come first, so that the verdict is available before the numbers.
    judge(&scene, question, &mut report, monitor, &mut never)?;
    if numbers {
        let steps = Successors::new(system, monitor)?;
        let start = |node: u32| scene.start(node);
        expectation::expected(system, &steps, [&safe, &own], start, question, &mut report, monitor)?;
    }
    Ok(report)
}

/// The obligations of a fair scheduler.
fn fairness(question: &Question) -> Fairness {
    match (question.scheduler, question.level) {
        (Scheduler::Fair, _) => Fairness::Agents,
        (_, Level::Transition) => Fairness::Transitions,
        (_, Level::Rule) => Fairness::Rules,
        (_, Level::Arc) => Fairness::Arcs,
    }
}

/// Searches for a recurring set outside the safe one. It first searches where the output is wrong and constant, because
/// such a counterexample is easy to follow.
fn recurring(
    scene: &Scene<'_, System>,
    safe: &Bits,
    fairness: Fairness,
    monitor: &Monitor,
) -> Result<Option<Counterexample>, Stop> {
    let (survey, system) = (scene.survey, scene.graph);
    monitor.enter("recurring sets", Some(system.size()));
    let mut search = Recurrence::new(system, system, fairness);
    let Some(mut set) = search.smallest(safe.missing().collect(), monitor, |_| true)? else { return Ok(None) };
    let mut wrong = BTreeMap::<u32, Vec<u32>>::new();
    for c in safe.missing().filter(|&c| survey.label(c, 0) == INCORRECT) {
        wrong.entry(system.leaders(c)).or_default().push(c);
    }
    for nodes in wrong.into_values() {
        if let Some(clear) = search.smallest(nodes, monitor, |_| true)? {
            set = clear;
            break;
        }
    }
    let set = search.shrink(set, monitor, |_| true)?;
    scene.covering(&set, |node, edge, visit| search.obligations(node, edge, visit)).map(Some)
}

/// Checks executions in which a detector lies: leaders must not come and go for ever while the goal is missed
/// infinitely often.
fn lie(
    survey: &Survey,
    question: &Question,
    fairness: Fairness,
    report: &mut Report,
    monitor: &Monitor,
) -> Result<bool, Stop> {
    if question.detector == Detector::Perfect {
        return Ok(true);
    }
    let graph = Misled::new(&survey.system).ok_or(Uncheckable::TooManyAnswers)?;
    report.product_states = Some(graph.size());
    monitor.enter("recurring sets under a lying detector", Some(graph.size()));
    let mut search = Recurrence::new(&graph, &survey.system, fairness);
    let missed = |node: u32| survey.label(graph.node(node).0, 0) == INCORRECT;
    let fails = |set: &[u32]| graph.mixed(set) && set.iter().any(|&node| missed(node));
    let possible = |node: &u32| survey.possible(graph.node(*node).0);
    let nodes = (0..graph.size() as u32).filter(possible).collect();
    let Some(set) = search.smallest(nodes, monitor, fails)? else { return Ok(true) };
    let set = search.shrink(set, monitor, fails)?;
    let scene = Scene { survey, graph: &graph, nodes: Nodes::Told(&graph) };
    let failure = scene.covering(&set, |node, edge, visit| search.obligations(node, edge, visit))?;
    Ok(conclude(report, Some(failure), monitor))
}
