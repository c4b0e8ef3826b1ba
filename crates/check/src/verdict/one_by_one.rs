//! Schedulers under which one site steps at a time: the graph is the system itself.

use super::claims::{judge, seeks};
use super::merged::Known;
use super::reaching::{Goal, Inquiry};
use super::shared::{Executions, begin, conclude, moves, reach, reach_own, recurring, runs};
use super::{against, horizon, rounds};
use crate::decision::{self, Choices};
use crate::expectation::Successors;
use crate::question::{Detector, Question};
use crate::report::Report;
use crate::schedule::Misled;
use crate::search::{Fairness, Recurrence, really_safe};
use crate::space::{INCORRECT, StateGraph as _};
use crate::witness::{Nodes, Scene};
use crate::{Monitor, Stop, Survey, Uncheckable};
use ringleader_model::Scheduler;

/// Checks under such a scheduler. The expected steps to the really safe set may be known.
pub(super) fn check(
    survey: &Survey,
    question: &Question,
    known: Option<Known>,
    monitor: &Monitor,
) -> Result<Report, Stop> {
    let system = &survey.system;
    let reached = survey.restrict(system, question, monitor)?;
    let safe = really_safe(system, |node, turn| survey.label(node, turn), monitor)?;
    let scene = Scene::from_starts(survey, system, Nodes::Plain, survey.starts.as_ref().zip(reached.as_ref()));
    let own = survey.own(&safe);
    let mut report = begin(&scene, &own, &safe, survey.count(&safe), monitor)?;
    report.transitions = moves(survey, monitor)?;
    [&safe, &own].into_iter().for_each(|set| survey.dismiss(set, |c, visit| visit(c)));
    if decision::applies(system, question) {
        let choices = match question.scheduler {
            scheduler if scheduler.picks_initiators() => Choices::by_initiator(system, question.memory, monitor)?,
            _ => Choices::one_at_a_time(system, system, question.memory, monitor)?,
        };
        let fair =
            matches!(question.scheduler, Scheduler::Fair | Scheduler::LocallyFair | Scheduler::FairRandomPartner);
        let fairness = fair.then(|| fairness(question));
        return against::check(&scene, &choices, fairness, [&safe, &own], question, report, monitor);
    }
    let executions = match question.scheduler {
        Scheduler::Unfair => Executions::Daemon,
        Scheduler::Fair | Scheduler::LocallyFair => Executions::Fair(fairness(question)),
        scheduler => Executions::Chance { random: scheduler == Scheduler::Random },
    };
    let inquiry = Inquiry { scene: &scene, question, monitor };
    let random = question.scheduler == Scheduler::Random && question.detector == Detector::Perfect;
    if question.only_claims {
        report.almost_surely = question.scheduler == Scheduler::Random;
        judge(&scene, &executions, [&safe, &own], question, &mut report, monitor)?;
        monitor.decide(&report);
        if random && seeks(question) {
            let successors = &Successors::within(system, survey.spare, monitor)?;
            inquiry.measure_chances(successors, &mut report)?;
        } else {
            inquiry.measure(&executions, &mut report)?;
        }
        return Ok(report);
    }
    let converges = match question.scheduler {
        Scheduler::Unfair => runs(&scene, [&safe, &own], &mut report, monitor)?,
        Scheduler::Fair | Scheduler::LocallyFair => {
            let fairness = fairness(question);
            let failure = recurring(&scene, &safe, fairness, monitor)?;
            conclude(&mut report, failure, monitor) && lie(survey, question, fairness, &mut report, monitor)?
        }
        _ => {
            report.almost_surely = question.scheduler == Scheduler::Random;
            let converges = reach(&scene, &safe, &mut report, monitor)?
                && lie(survey, question, Fairness::Steps, &mut report, monitor)?;
            if converges {
                reach_own(&scene, &own, &mut report, monitor)?;
            }
            converges
        }
    };
    // Claims come first, so that the verdict is available before the numbers.
    judge(&scene, &executions, [&safe, &own], question, &mut report, monitor)?;
    if converges {
        rounds::count(&scene, &executions, &safe, question, &mut report, monitor)?;
    }
    if question.scheduler == Scheduler::Unfair {
        horizon::by_daemon(&scene, &safe, question, &mut report, monitor)?;
    }
    if !random {
        inquiry.measure(&executions, &mut report)?;
        return Ok(report);
    }
    let successors = &Successors::within(system, survey.spare, monitor)?;
    let times = inquiry.times(successors, report.beginnings());
    if converges {
        times.fill_in([&safe, &own], known.map(|known| known.on(survey)), &mut report)?;
    } else {
        // A check with classes that fails may be repeated, so its report is not the last one.
        if survey.merged().is_none() {
            monitor.decide(&report);
        }
        let goal = Goal { set: &safe, reached: false };
        report.least_probability = inquiry.by_chance(successors, &goal, report.beginnings())?.least_probability;
    }
    times.within(&safe, converges, &mut report)?;
    inquiry.measure_chances(successors, &mut report)?;
    Ok(report)
}

/// The obligations of a fair scheduler.
fn fairness(question: &Question) -> Fairness {
    if question.scheduler == Scheduler::LocallyFair { question.level.into() } else { Fairness::Agents }
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
    let scene = Scene::new(survey, &graph, Nodes::Told(&graph));
    let failure = scene.covering(&set, |node, edge, visit| search.obligations(node, edge, visit))?;
    Ok(conclude(report, Some(failure), monitor))
}
