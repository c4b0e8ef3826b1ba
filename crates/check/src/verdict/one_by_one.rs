//! Schedulers under which one site steps at a time: the graph is the system itself.

use super::claims::seeks;
use super::merged::Known;
use super::reaching::Inquiry;
use super::shared::{Executions, begin, moves};
use crate::decision::{self, Choices};
use crate::expectation::Successors;
use crate::question::{Detector, Question};
use crate::report::Report;
use crate::rules::System;
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
    let begun = survey.restrict(system, question, monitor)?;
    let safe = really_safe(system, |node, turn| survey.label(node, turn), monitor)?;
    let scene = Scene::from_starts(survey, system, Nodes::Plain, begun.as_ref());
    let own = survey.own(&safe);
    let mut report = begin(&scene, &own, &safe, survey.count(&safe), monitor)?;
    report.transitions = moves(survey, monitor)?;
    [&safe, &own].into_iter().for_each(|set| survey.dismiss(set, |c, visit| visit(c)));
    let executions = match question.scheduler {
        Scheduler::Unfair => Executions::Daemon,
        Scheduler::Fair | Scheduler::LocallyFair => Executions::Fair(fairness(question)),
        scheduler => Executions::Chance { random: scheduler == Scheduler::Random },
    };
    let inquiry = Inquiry { scene: &scene, executions, question, monitor, count: report.beginnings() };
    if decision::applies(system, question) {
        let choices = match question.scheduler {
            scheduler if scheduler.picks_initiators() => Choices::by_initiator(system, question.memory, monitor)?,
            _ => Choices::one_at_a_time(system, system, question.memory, monitor)?,
        };
        let fair =
            matches!(question.scheduler, Scheduler::Fair | Scheduler::LocallyFair | Scheduler::FairRandomPartner);
        let fairness = fair.then(|| fairness(question));
        return inquiry.check_coins(&choices, fairness, [&safe, &own], report);
    }
    let random = question.scheduler == Scheduler::Random && question.detector == Detector::Perfect;
    if question.only_claims {
        report.almost_surely = question.scheduler == Scheduler::Random;
        inquiry.judge([&safe, &own], &mut report)?;
        monitor.decide(&report);
        if random && seeks(question) {
            let successors = &Successors::new(system, survey.spare, monitor)?;
            inquiry.measure_chances(successors, &mut report)?;
        } else {
            inquiry.measure(&mut report)?;
        }
        return Ok(report);
    }
    let converges = match executions {
        Executions::Fair(fairness) => {
            let failure = inquiry.recurring(&safe, fairness)?;
            inquiry.conclude(&mut report, failure) && inquiry.lie(fairness, &mut report)?
        }
        Executions::Chance { random } => {
            report.almost_surely = random;
            let converges = inquiry.reach(&safe, &mut report)? && inquiry.lie(Fairness::Steps, &mut report)?;
            if converges {
                inquiry.reach_own(&own, &mut report)?;
            }
            converges
        }
        _ => inquiry.runs([&safe, &own], &mut report)?,
    };
    // Claims come first, so that the verdict is available before the numbers.
    inquiry.judge([&safe, &own], &mut report)?;
    if converges {
        inquiry.count_rounds(&safe, &mut report)?;
    }
    if question.scheduler == Scheduler::Unfair {
        inquiry.within_by_daemon(&safe, &mut report)?;
    }
    if !random {
        inquiry.measure(&mut report)?;
        return Ok(report);
    }
    let successors = &Successors::new(system, survey.spare, monitor)?;
    let known = known.filter(|_| converges).map(|known| known.on(survey));
    inquiry.fill_in(successors, [&safe, &own], (converges, known), &mut report)?;
    Ok(report)
}

/// The obligations of a fair scheduler.
fn fairness(question: &Question) -> Fairness {
    if question.scheduler == Scheduler::LocallyFair { Fairness::Actions(question.level) } else { Fairness::Agents }
}

impl Inquiry<'_, System> {
    /// Checks executions in which a detector lies: leaders must not come and go for ever while the goal is missed
    /// infinitely often.
    fn lie(&self, fairness: Fairness, report: &mut Report) -> Result<bool, Stop> {
        let Inquiry { scene: Scene { survey, .. }, question, monitor, .. } = *self;
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
        Ok(self.conclude(report, Some(failure)))
    }
}
