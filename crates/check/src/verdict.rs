//! A complete check: selects the engine for the scheduler.

mod against;
mod alternating;
mod claims;
mod horizon;
mod liveness;
pub(crate) mod merged;
pub(crate) mod multisets;
mod one_by_one;
mod reaching;
mod rounds;
mod service;
mod shared;
mod together;

pub(crate) use shared::{moves, transitions};

use crate::decision;
use crate::question::{Coins, Detector, Question};
use crate::schedule::Daemon;
use crate::survey::uniform::Uniform;
use crate::{Monitor, Report, Stop, Survey, Uncheckable};
use multisets::Inconclusive;
use ringleader_erased::{GraphInstance, PopulationInstance, RingInstance};
use ringleader_model::{Population as _, Scheduler, Shape};

/// Checks a population protocol on a graph.
pub fn population(
    algorithm: &PopulationInstance,
    graph: &ringleader_model::Graph,
    question: &Question,
    monitor: &Monitor,
) -> Result<Report, Stop> {
    refuse_without_arcs(question.scheduler)?;
    refuse_unchecked(question)?;
    Uncheckable::NoRounds.refuse_if(question.rounds)?;
    Uncheckable::NoMoves.refuse_if(question.moves)?;
    let partner = question.scheduler.picks_initiators();
    Uncheckable::FairPartner.refuse_if(partner && question.coins == Coins::Adversarial)?;
    let lies = question.detector == Detector::EventuallyCorrect;
    Uncheckable::UnfairDetector
        .refuse_if(lies && (partner || matches!(question.scheduler, Scheduler::Fair | Scheduler::Unfair)))?;
    Uncheckable::NoDetector { ring: false }.refuse_if(lies && !algorithm.hears())?;
    let mut inconclusive = None;
    if graph.shape() == Shape::Complete && multisets::applies(algorithm, question, graph.size()) {
        match multisets::check(algorithm, graph, question, monitor)? {
            Ok(report) => return Ok(report),
            Err(why) => inconclusive = Some(why),
        }
    }
    let (system, mut rules) = (Uniform::Population(algorithm, graph), None);
    if let Some(report) = merged::by_classes(&system, &mut rules, question, monitor)?.filter(merged::shows_enough) {
        return Ok(report);
    }
    match (system.survey(rules, question, monitor), inconclusive) {
        (Err(Stop::Refused(cause)), Some(Inconclusive::MayFail)) => Err(Uncheckable::Undecided(cause.into()).into()),
        // The verdict is known, although the check with agents, which would find a counterexample, is refused.
        (Err(Stop::Refused(cause)), Some(Inconclusive::Fails(report))) => {
            Ok(Report { unshown: Some(cause.to_string()), ..*report })
        }
        (survey, _) => check(&survey?, question, monitor),
    }
}

/// Checks a ring of processes.
pub fn ring(algorithm: &RingInstance, size: usize, question: &Question, monitor: &Monitor) -> Result<Report, Stop> {
    refuse_for_processes(question)?;
    let (system, mut rules) = (Uniform::Ring(algorithm, size), None);
    if let Some(report) = merged::by_classes(&system, &mut rules, question, monitor)?.filter(merged::shows_enough) {
        return Ok(report);
    }
    check(&system.survey(rules, question, monitor)?, question, monitor)
}

/// Checks the processes of a graph.
pub fn graph(algorithm: &GraphInstance, question: &Question, monitor: &Monitor) -> Result<Report, Stop> {
    refuse_for_processes(question)?;
    refuse_turns(question.scheduler)?;
    check(&Survey::graph(algorithm, question, monitor)?, question, monitor)
}

/// Refuses schedulers that are not a class of schedules, before any other work.
fn refuse_unchecked(question: &Question) -> Result<(), Stop> {
    match question.scheduler {
        Scheduler::RoundRobin | Scheduler::Timed => Err(Uncheckable::Unchecked(question.scheduler).into()),
        _ => Ok(()),
    }
}

/// Refuses questions that are not about processes.
fn refuse_for_processes(question: &Question) -> Result<(), Stop> {
    Uncheckable::NoDetector { ring: true }.refuse_if(question.detector == Detector::EventuallyCorrect)?;
    refuse_unchecked(question)?;
    refuse_partner(question.scheduler)
}

/// Refuses a scheduler of processes, which does not choose an arc.
pub(crate) fn refuse_without_arcs(scheduler: Scheduler) -> Result<(), Stop> {
    let processes = scheduler == Scheduler::Alternating || Daemon::of(scheduler).is_some();
    Uncheckable::OnlyForRings(scheduler).refuse_if(processes)
}

/// Refuses the alternating scheduler: only rings and lines have its turns.
pub(crate) fn refuse_turns(scheduler: Scheduler) -> Result<(), Stop> {
    let turns = scheduler == Scheduler::Alternating;
    Uncheckable::OnlyForChains(scheduler).refuse_if(turns)
}

/// Refuses a scheduler that needs two agents in each step.
pub(crate) fn refuse_partner(scheduler: Scheduler) -> Result<(), Stop> {
    Uncheckable::OnlyForPopulations(scheduler).refuse_if(scheduler.picks_initiators())
}

/// Checks a system that has been surveyed.
pub fn check(survey: &Survey, question: &Question, monitor: &Monitor) -> Result<Report, Stop> {
    monitor.find(format!("{} configurations", survey.configurations()));
    rounds::refuse(&survey.system, question)?;
    let starts = survey.starts.is_some();
    let lies = question.detector == Detector::EventuallyCorrect;
    Uncheckable::Unstarted.refuse_if(starts && lies)?;
    if question.horizon.is_some() {
        horizon::refuse(&survey.system, question)?;
    }
    if decision::applies(&survey.system, question) {
        against::refuse(&survey.system, question)?;
    } else if question.strategy {
        return Err(Uncheckable::NoStrategy(question.scheduler).into());
    } else if !question.starts.is_empty() && question.horizon.is_none() && !shared::is_chain(&survey.system, question) {
        return Err(Uncheckable::NoStarts(question.scheduler).into());
    }
    // Every scheduler is named: a new one is an error of the compiler here.
    match question.scheduler {
        Scheduler::Alternating => alternating::check(survey, question, monitor),
        Scheduler::RoundRobin | Scheduler::Timed => Err(Uncheckable::Unchecked(question.scheduler).into()),
        Scheduler::Random
        | Scheduler::GloballyFair
        | Scheduler::LocallyFair
        | Scheduler::Fair
        | Scheduler::Unfair
        | Scheduler::RandomPartner
        | Scheduler::FairRandomPartner => one_by_one::check(survey, question, None, monitor),
        Scheduler::Synchronous => together::check(survey, Daemon::Synchronous, question, monitor),
        Scheduler::Distributed => together::check(survey, Daemon::Distributed, question, monitor),
        Scheduler::LocallyCentral => together::check(survey, Daemon::LocallyCentral, question, monitor),
    }
}
