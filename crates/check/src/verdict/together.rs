//! Daemons under which several processes step at once.

use super::reaching::Inquiry;
use super::shared::{Executions, begin};
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
        let rounds = memory::of_rounds(graph.size(), survey.system.space.agents as u64, graph.steps_at_most());
        memory::admit(graph.bytes().saturating_add(rounds), question.memory, Some(graph.size()))?;
    }
    let begun = survey.restrict(&graph, question, monitor)?;
    let safe = really_safe(&graph, |node, turn| survey.label(node, turn), monitor)?;
    let scene = Scene::from_starts(survey, &graph, Nodes::Together(&graph), begun.as_ref());
    let own = survey.own(&safe);
    let mut report = begin(&scene, &own, &safe, safe.count(), monitor)?;
    report.transitions = graph.transitions(survey);
    [&safe, &own].into_iter().for_each(|set| survey.dismiss(set, |c, visit| visit(c)));
    let executions = if graph.is_markov() { Executions::Chance { random: true } } else { Executions::Daemon };
    let inquiry = Inquiry { scene: &scene, executions, question, monitor, count: report.beginnings() };
    let choices = || {
        let left = question.memory.saturating_sub(graph.bytes());
        Choices::together(&survey.system, daemon, left, monitor)
    };
    if decision::applies(&survey.system, question) {
        let choices = choices()?;
        let mut report = inquiry.check_coins(&choices, None, [&safe, &own], report)?;
        inquiry.expect_moves(&choices, [&safe, &own], &mut report)?;
        return Ok(report);
    }
    let successors = &StateGraph::at_once(&graph).map_or(Successors::Single, Successors::AtOnce);
    report.almost_surely = graph.is_markov();
    if question.only_claims {
        inquiry.judge([&safe, &own], &mut report)?;
        monitor.decide(&report);
        match graph.is_markov() {
            true => inquiry.measure_chances(successors, &mut report)?,
            false => inquiry.measure(&mut report)?,
        }
        return Ok(report);
    }
    if !graph.is_markov() {
        if inquiry.runs([&safe, &own], &mut report)? {
            inquiry.count_rounds(&safe, &mut report)?;
            inquiry.count_moves([&safe, &own], &mut report)?;
        }
        inquiry.judge([&safe, &own], &mut report)?;
        inquiry.within_by_daemon(&safe, &mut report)?;
        inquiry.measure(&mut report)?;
        return Ok(report);
    }
    let converges = inquiry.reach(&safe, &mut report)?;
    if converges {
        inquiry.reach_own(&own, &mut report)?;
    }
    // Claims come first, so that the verdict is available before the numbers.
    inquiry.judge([&safe, &own], &mut report)?;
    inquiry.fill_in(successors, [&safe, &own], (converges, None), &mut report)?;
    if converges {
        inquiry.count_rounds(&safe, &mut report)?;
        if question.moves {
            inquiry.expect_moves(&choices()?, [&safe, &own], &mut report)?;
        }
    }
    Ok(report)
}
