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
use crate::survey::subject::Subject;
use crate::{Monitor, Report, Stop, Survey, Uncheckable};
use multisets::Inconclusive;
use ringleader_erased::{GraphInstance, PopulationInstance, RingInstance};
use ringleader_model::{Graph, Population as _, Scheduler, Shape};

/// Checks a population protocol on a graph.
pub fn population(
    algorithm: &PopulationInstance,
    graph: &Graph,
    question: &Question,
    monitor: &Monitor,
) -> Result<Report, Stop> {
    Subject::Population(algorithm, graph).check(question, monitor)
}

/// Checks a ring of processes.
pub fn ring(algorithm: &RingInstance, size: usize, question: &Question, monitor: &Monitor) -> Result<Report, Stop> {
    Subject::Ring(algorithm, size).check(question, monitor)
}

/// Checks the processes of a graph.
pub fn graph(algorithm: &GraphInstance, question: &Question, monitor: &Monitor) -> Result<Report, Stop> {
    Subject::Graph(algorithm).check(question, monitor)
}

impl Subject<'_> {
    /// Checks the algorithm.
    pub fn check(&self, question: &Question, monitor: &Monitor) -> Result<Report, Stop> {
        self.refuse_question(question)?;
        let (mut rules, mut inconclusive) = (None, None);
        if let Subject::Population(algorithm, graph) = self
            && graph.shape() == Shape::Complete
            && multisets::applies(algorithm, question, graph.size())
        {
            match multisets::check(algorithm, graph, question, monitor)? {
                Ok(report) => return Ok(report),
                Err(why) => inconclusive = Some(why),
            }
        }
        if let Some(report) = merged::by_classes(self, &mut rules, question, monitor)?.filter(merged::shows_enough) {
            return Ok(report);
        }
        match (self.survey(rules, question, monitor), inconclusive) {
            (Err(Stop::Refused(cause)), Some(Inconclusive::MayFail)) => {
                Err(Uncheckable::Undecided(cause.into()).into())
            }
            // The verdict is known, although the check with agents, which would find a counterexample, is refused.
            (Err(Stop::Refused(cause)), Some(Inconclusive::Fails(report))) => {
                Ok(Report { unshown: Some(cause.to_string()), ..*report })
            }
            (survey, _) => check(&survey?, question, monitor),
        }
    }

    /// Refuses what nobody can ask about such an algorithm, before any other work.
    fn refuse_question(&self, question: &Question) -> Result<(), Stop> {
        let Question { scheduler, rounds, moves, .. } = *question;
        let lies = question.detector == Detector::EventuallyCorrect;
        let processes = !matches!(self, Subject::Population(..));
        Uncheckable::NoDetector { ring: true }.refuse_if(processes && lies)?;
        self.refuse(scheduler)?;
        if matches!(scheduler, Scheduler::RoundRobin | Scheduler::Timed) {
            return Err(Uncheckable::Unchecked(scheduler).into());
        }
        let Subject::Population(algorithm, _) = self else { return Ok(()) };
        Uncheckable::NoRounds.refuse_if(rounds)?;
        Uncheckable::NoMoves.refuse_if(moves)?;
        let partner = scheduler.picks_initiators();
        Uncheckable::FairPartner.refuse_if(partner && question.coins == Coins::Adversarial)?;
        let unfair = partner || matches!(scheduler, Scheduler::Fair | Scheduler::Unfair);
        Uncheckable::UnfairDetector.refuse_if(lies && unfair)?;
        Uncheckable::NoDetector { ring: false }.refuse_if(lies && !algorithm.hears())
    }

    /// Refuses a scheduler of other systems: of processes, of two agents in each step, or of rings and lines, which alone have turns.
    pub(crate) fn refuse(&self, scheduler: Scheduler) -> Result<(), Stop> {
        let turns = scheduler == Scheduler::Alternating;
        if let Subject::Population(..) = self {
            return Uncheckable::OnlyForRings(scheduler).refuse_if(turns || Daemon::of(scheduler).is_some());
        }
        Uncheckable::OnlyForPopulations(scheduler).refuse_if(scheduler.picks_initiators())?;
        Uncheckable::OnlyForChains(scheduler).refuse_if(turns && matches!(self, Subject::Graph(_)))
    }
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
