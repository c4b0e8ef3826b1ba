//! The verification of a recorded run. A link or a file holds steps and assumptions, never words: the lab says about such a run only
//! what it has computed here, from the rules, without the checker's tables.

mod failure;
mod messages;

use crate::Refused;
use crate::runs::archive::Archive;
use crate::runs::claim::StatedClaim;
use crate::runs::look;
use crate::runs::setup::{Runnable, Subject};
use crate::runs::story::{Move, Range, Script, Story};
use ringleader_check::replay::{Played, Run, play};
use ringleader_erased::Number;
use ringleader_model::Scheduler;
use ringleader_model::text::Document;
use ringleader_model::trace::{Actor, Assumptions, Step, Trace};
use ringleader_simulate::{Oracle, StabilizingInstance};
use serde::Serialize;

/// The most states of agents in a run that is verified.
const MOST_STATES: usize = 1 << 21;
/// The most agents for which all configurations after a cycle are computed.
const MOST_AGENTS: usize = 64;
/// The same, where an oracle may give every agent another answer.
const MOST_LIED_TO: usize = 10;

/// The result of a verification.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Verified {
    /// Why this is no run under its assumptions, if it is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
    /// Whether the steps of the cycle lead back to its first configuration.
    pub closes: bool,
    /// The failure of the algorithm's promise that the run shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shows: Option<String>,
    /// The claim that the run is about, if it is not the promise of the algorithm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// The schedules that the algorithm's claim assumes, if the run is under a wider class, for which nothing is claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed: Option<&'static str>,
    /// The class of schedules to which the run belongs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under: Option<&'static str>,
    pub verified: Vec<String>,
    /// The claims that were not checked.
    pub open: Vec<String>,
}

impl Verified {
    fn wrong(why: impl ToString) -> Verified {
        Verified { wrong: Some(why.to_string()), ..Verified::default() }
    }
}

impl Story {
    /// Verifies the recorded steps; `None` if there are none, or if the viewer has changed the run.
    pub(crate) fn verified(&self, subject: &Subject, archive: &Archive) -> Result<Option<Verified>, Refused> {
        let Some(script) = self.script.as_ref().filter(|script| !script.steps.is_empty() && self.acts.is_empty())
        else {
            return Ok(None);
        };
        if script.cycle.is_some_and(|first| first >= script.steps.len()) {
            return Ok(Some(Verified::wrong("the cycle begins after the last step, so nothing repeats")));
        }
        if script.steps.len() * subject.parameters.size > MOST_STATES {
            let why = format!("{} steps of {} agents are too many", script.steps.len(), subject.parameters.size);
            return Ok(Some(Verified { open: vec![why], ..Verified::default() }));
        }
        Ok(Some(match &subject.runnable {
            Runnable::Message(algorithm) => messages::verify(script, algorithm, subject.channels),
            Runnable::Population(instance, graph) => {
                self.verify(subject, script, &Played::Population(instance, graph), instance, archive)?
            }
            Runnable::Ring(instance) => self.verify(subject, script, &Played::Ring(instance), instance, archive)?,
            Runnable::Graph(instance, _) => {
                self.verify(subject, script, &Played::Graph(instance), instance, archive)?
            }
        }))
    }

    fn verify(
        &self,
        subject: &Subject,
        script: &Script,
        played: &Played<'_>,
        algorithm: &dyn StabilizingInstance,
        archive: &Archive,
    ) -> Result<Verified, Refused> {
        let start = self.states_at(subject, 0, archive)?;
        let mut open = vec![];
        let trace = match trace(subject, script, algorithm, &start, &mut open) {
            Ok(trace) => trace,
            Err(refused) => return Ok(Verified::wrong(refused)),
        };
        let mut states = start;
        for (at, step) in trace.steps.iter().enumerate() {
            if let Err(wrong) = played.take(&mut states, step) {
                return Ok(Verified::wrong(format!("step {}: {}", at + 1, wrong.message)));
            }
        }
        let run = match play(played, &trace) {
            Ok(run) => run,
            Err(wrong) => return Ok(Verified::wrong(wrong.message)),
        };
        let closes = run.closes == Some(true);
        if let Some(broken) = &run.broken {
            return Ok(Verified { closes, ..Verified::wrong(broken) });
        }
        if let Some(step) = self.differs(subject, &run, archive)? {
            return Ok(Verified::wrong(format!("the oracle of this page gives other answers in step {step}")));
        }
        open.extend(run.open.iter().cloned());
        let every = "every step follows the rules".to_string();
        let verified = std::iter::once(every).chain(run.verified.iter().cloned()).collect();
        let under = trace.assumptions.scheduler.map(Scheduler::describe);
        // A run that may be outside of its class of schedules shows nothing.
        let shows = match &script.claim {
            _ if !open.is_empty() => None,
            Some(claim) => failure::of_claim(&claim.read(subject)?, &trace, &run),
            None => failure::shown(subject, played, algorithm, &trace, &run, &mut open),
        };
        // Outcomes that the scheduler chooses are outside of a claim that assumes fair coins.
        let around = script.cycle.map_or(&[][..], |first| &trace.steps[first..]);
        let conspiring = trace.assumptions.coins.as_deref() == Some("adversarial")
            && around.iter().any(|step| !step.coin.is_empty());
        let promised = look::checked_under(subject);
        let outside = trace.assumptions.scheduler.is_some_and(|scheduler| !allows(promised, scheduler));
        // A claim of the viewer is no claim of the algorithm.
        let foreign = script.claim.as_ref().filter(|claim| !claim.is_own(subject));
        let claimed = match subject.card.assumes {
            _ if foreign.is_some() => None,
            "" if outside => Some(promised.describe()),
            words if outside => Some(words),
            _ => conspiring.then_some("fair coins"),
        };
        let claim = foreign.map(StatedClaim::words);
        Ok(Verified { wrong: None, closes, shows, claim, claimed, under, verified, open })
    }

    /// The first step after which the page shows another configuration than the verified one.
    fn differs(&self, subject: &Subject, run: &Run, archive: &Archive) -> Result<Option<u64>, Refused> {
        let (mut from, last) = (0, run.configurations.len() as u64 - 1);
        while from <= last {
            let told = self.frames(subject, Range { from, to: last, every: 1 }, archive)?;
            let same = |(states, verified): (&Vec<u64>, &Vec<Number>)| {
                states.iter().zip(verified).all(|(state, verified)| *state == verified.0)
            };
            let shown = told.frames.iter().map(|frame| &frame.states);
            let pairs = shown.zip(&run.configurations[from as usize..]);
            if let Some(at) = pairs.map(same).position(|same| !same) {
                return Ok(Some(from + at as u64));
            }
            if told.stopped.is_some() {
                return Ok((from + told.frames.len() as u64 <= last).then_some(from + told.frames.len() as u64));
            }
            from += told.frames.len() as u64;
        }
        Ok(None)
    }
}

/// Whether a class of schedules contains every schedule of another one, with probability 1 for the random scheduler.
fn allows(class: Scheduler, other: Scheduler) -> bool {
    use Scheduler::{
        Alternating, Distributed, Fair, FairRandomPartner, GloballyFair, LocallyCentral, LocallyFair, Random,
        RandomPartner, RoundRobin, Synchronous, Timed, Unfair,
    };
    match class {
        Distributed => other != Timed,
        LocallyCentral => !matches!(other, Distributed | Synchronous | Timed),
        Unfair => !matches!(other, Distributed | LocallyCentral | Synchronous | Timed),
        Fair => {
            matches!(other, Fair | FairRandomPartner | LocallyFair | GloballyFair | Random | Alternating | RoundRobin)
        }
        LocallyFair => matches!(other, LocallyFair | GloballyFair | Random),
        GloballyFair | Random => matches!(other, GloballyFair | Random),
        RandomPartner => other.picks_initiators(),
        Alternating | FairRandomPartner | RoundRobin | Synchronous | Timed => class == other,
    }
}

/// The trace of a script: its steps, if all actors exist, and its assumptions.
fn trace(
    subject: &Subject,
    script: &Script,
    algorithm: &dyn StabilizingInstance,
    start: &[Number],
    open: &mut Vec<String>,
) -> Result<Trace, Refused> {
    let at_once = script.scheduler(subject)? == Scheduler::Synchronous;
    let step = |(at, step): (usize, &Move)| {
        let choice = step.choice().ok_or_else(|| Refused::new(format!("step {} has no actor", at + 1)))?;
        let mut processes = step.processes.clone();
        processes.extend(step.arc.iter().flat_map(|&(u, v)| [u, v]));
        if let Some(stray) = processes.iter().find(|agent| **agent >= start.len()) {
            let (at, last) = (at + 1, start.len() - 1);
            return Err(Refused::new(format!("step {at}: there is no agent {stray}: the agents are 0 to {last}")));
        }
        if !step.processes.is_sorted_by(|a, b| a < b) {
            return Err(Refused::new(format!("step {}: processes are listed once, in ascending order", at + 1)));
        }
        // Where all step at once, all of them may be listed.
        let actor = if at_once && processes.len() == start.len() { Actor::All } else { choice.actor };
        Ok(Step { line: 0, actor, inputs: step.inputs, coin: choice.coin })
    };
    let steps = script.steps.iter().enumerate().map(step).collect::<Result<Vec<_>, _>>()?;
    let told = |step: &Step| step.inputs.is_some();
    if subject.oracle != Oracle::Perfect && !steps.iter().all(told) {
        return Err(Refused::new("the steps do not say what the oracle answers, and the oracle here is not perfect"));
    }
    let assumptions = Assumptions {
        graph: None,
        scheduler: Some(script.scheduler(subject)?),
        fairness: script.fairness.clone(),
        oracle: script.oracle.clone(),
        coins: script.coins.clone(),
    };
    let lies = assumptions.oracle.as_deref().is_some_and(|oracle| oracle != "perfect");
    let examined = lies && start.len() > MOST_LIED_TO
        || matches!(assumptions.scheduler, Some(Scheduler::Random | Scheduler::GloballyFair));
    let most = if lies { MOST_LIED_TO } else { MOST_AGENTS };
    let assumptions = if examined && script.cycle.is_some() && start.len() > most {
        open.push(format!("the schedule, because there are more than {most} agents"));
        Assumptions { scheduler: None, ..assumptions }
    } else {
        assumptions
    };
    let start = Document::new(subject.card.name, algorithm, vec![], start);
    let trace = Trace { start, assumptions, steps, cycle: script.cycle, strategy: vec![] };
    match &script.strategy {
        None => Ok(trace),
        Some(strategy) => Trace::parse(&(trace.print() + strategy)).map_err(Refused::new),
    }
}

impl Script {
    /// The scheduler of the run: the one of the algorithm's claim, unless the script names another.
    fn scheduler(&self, subject: &Subject) -> Result<Scheduler, Refused> {
        match &self.scheduler {
            None => Ok(look::checked_under(subject)),
            Some(name) => name.parse().map_err(Refused::new),
        }
    }
}
