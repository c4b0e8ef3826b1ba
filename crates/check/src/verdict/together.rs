//! Daemons under which several processes step at once.

use super::claims::judge;
use super::reaching::{Goal, Inquiry};
use super::shared::{Executions, begin, reach, reach_own, runs};
use super::{against, horizon, rounds};
use crate::decision::{self, Choices};
use crate::expectation::Successors;
use crate::memory;
use crate::report::Report;
use crate::schedule::{Daemon, Together};
use crate::search::really_safe;
use crate::space::{Markov as _, StateGraph};
use crate::witness::{Nodes, Scene};
use crate::{Monitor, Question, Stop, Survey};

/// Checks under such a daemon.
///
/// With coins the synchronous daemon makes a Markov chain: nothing is scheduled, and the set is reached with
/// probability 1 or not. If the scheduler chooses between rules or chooses the processes, every outcome of its choices is
/// possible; coins are fair, unless the question says otherwise.
pub(super) fn check(survey: &Survey, daemon: Daemon, question: &Question, monitor: &Monitor) -> Result<Report, Stop> {
    let graph = Together::or_at_once(&survey.system, daemon, question.memory, monitor)?;
    if question.rounds && !survey.system.tosses() {
        let rounds = memory::of_rounds(graph.size(), survey.system.space().agents() as u64, graph.steps_at_most());
        memory::admit(graph.bytes().saturating_add(rounds), question.memory, Some(graph.size()))?;
    }
    let reached = survey.restrict(&graph, question, monitor)?;
    let safe = really_safe(&graph, |node, turn| survey.label(node, turn), monitor)?;
    let scene =
        Scene::from_starts(survey, &graph, Nodes::Together(&graph), survey.starts.as_ref().zip(reached.as_ref()));
    let own = survey.own(&safe);
    let mut report = begin(&scene, &own, &safe, safe.count(), monitor)?;
    report.transitions = graph.transitions(survey);
    [&safe, &own].into_iter().for_each(|set| survey.dismiss(set, |c, visit| visit(c)));
    if decision::applies(&survey.system, question) {
        let left = question.memory.saturating_sub(graph.bytes());
        let choices = Choices::together(&survey.system, daemon, left, monitor)?;
        let mut report = against::check(&scene, &choices, None, [&safe, &own], question, report, monitor)?;
        rounds::expect_moves(&scene, &choices, [&safe, &own], question, &mut report, monitor)?;
        return Ok(report);
    }
    let successors = &StateGraph::at_once(&graph).map_or(Successors::Single, Successors::AtOnce);
    report.almost_surely = graph.is_markov();
    let executions = if graph.is_markov() { Executions::Chance { random: true } } else { Executions::Daemon };
    let inquiry = Inquiry { scene: &scene, question, monitor };
    if question.only_claims {
        judge(&scene, &executions, [&safe, &own], question, &mut report, monitor)?;
        monitor.decide(&report);
        match graph.is_markov() {
            true => inquiry.measure_chances(successors, &mut report)?,
            false => inquiry.measure(&executions, &mut report)?,
        }
        return Ok(report);
    }
    if !graph.is_markov() {
        if runs(&scene, [&safe, &own], &mut report, monitor)? {
            rounds::count(&scene, &executions, &safe, question, &mut report, monitor)?;
            rounds::count_moves(&scene, [&safe, &own], question, &mut report, monitor)?;
        }
        judge(&scene, &executions, [&safe, &own], question, &mut report, monitor)?;
        horizon::by_daemon(&scene, &safe, question, &mut report, monitor)?;
        inquiry.measure(&executions, &mut report)?;
        return Ok(report);
    }
    let converges = reach(&scene, &safe, &mut report, monitor)?;
    if converges {
        reach_own(&scene, &own, &mut report, monitor)?;
    }
    // Claims come first, so that the verdict is available before the numbers.
    judge(&scene, &executions, [&safe, &own], question, &mut report, monitor)?;
    let times = inquiry.times(successors, report.beginnings());
    if converges {
        times.fill_in([&safe, &own], None, &mut report)?;
        rounds::count(&scene, &executions, &safe, question, &mut report, monitor)?;
        if question.moves {
            let left = question.memory.saturating_sub(graph.bytes());
            let choices = Choices::together(&survey.system, daemon, left, monitor)?;
            rounds::expect_moves(&scene, &choices, [&safe, &own], question, &mut report, monitor)?;
        }
    } else {
        monitor.decide(&report);
        let goal = Goal { set: &safe, reached: false };
        report.least_probability = inquiry.by_chance(successors, &goal, report.beginnings())?.least_probability;
    }
    times.within(&safe, converges, &mut report)?;
    inquiry.measure_chances(successors, &mut report)?;
    Ok(report)
}
