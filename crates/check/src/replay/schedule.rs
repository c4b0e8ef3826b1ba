//! Whether the steps of an execution conform to a class of schedules.

use super::{Broken, Findings, Lasso, Played, acting, broken};
use crate::question::Detector;
use ringleader_erased::Number;
use ringleader_model::trace::{Actor, Script, Step};
use ringleader_model::{Chain, Ring as _, Scheduler};

impl Lasso<'_> {
    /// Checks every claim of the execution. The error is the first claim that is wrong.
    pub(super) fn judge(&self, findings: &mut Findings) -> Result<(), Broken> {
        if !self.played.possible(&self.configurations[0]) {
            return broken("no fault can produce the start configuration");
        }
        if self.trace.cycle.is_some() && self.configurations.last() != self.lap().next().map(|(.., c)| c) {
            return broken("the cycle does not end in the configuration in which it began, so it does not repeat");
        }
        self.detector(findings)?;
        let Some(scheduler) = self.trace.assumptions.scheduler else {
            findings.open.push("no scheduler is named, so the schedule was not checked".into());
            return Ok(());
        };
        if !self.trace.strategy.is_empty() {
            return self.strategy(scheduler, findings);
        }
        self.steps(scheduler)?;
        let chance = matches!(scheduler, Scheduler::Random | Scheduler::GloballyFair);
        let [tossed, chose] = self.drawn()?;
        if !chance && chose {
            findings.verified.push("the daemon chooses between the enabled rules".into());
        }
        if !chance && tossed {
            match self.trace.assumptions.coins.as_deref() {
                Some("adversarial") => findings.verified.push("the daemon chooses the outcomes of the coins".into()),
                _ => findings.open.push("the cycle repeats only if the coins always have these outcomes".into()),
            }
        }
        if self.draws_partners(scheduler) {
            findings.open.push("the cycle repeats only if the coin always chooses these partners".into());
        }
        if self.fairness(scheduler, findings)? {
            findings.verified.push(format!("the schedule is {scheduler}"));
        }
        Ok(())
    }

    /// Whether a coin is tossed on the cycle, and whether the daemon chooses between rules there.
    fn drawn(&self) -> Result<[bool; 2], Broken> {
        let (mut tossed, mut chose) = (false, false);
        for (_, step, before) in self.lap() {
            let (mut states, mut coin) = (before.clone(), Script::new(&step.coin));
            self.played.apply(&mut states, step, &mut coin).map_err(|error| Broken(error.to_string()))?;
            (tossed, chose) = (tossed | coin.tossed, chose | coin.chose);
        }
        Ok([tossed, chose])
    }

    /// Checks each step by itself and together with the steps before it.
    pub(super) fn steps(&self, scheduler: Scheduler) -> Result<(), Broken> {
        match scheduler {
            Scheduler::Alternating => return self.alternates(),
            Scheduler::RoundRobin | Scheduler::Timed => {
                return broken(format!("runs under the scheduler {scheduler} cannot be checked"));
            }
            _ => {}
        }
        for (i, step) in self.trace.steps.iter().enumerate() {
            let fault = match (scheduler, &step.actor) {
                (Scheduler::Synchronous, Actor::All) => None,
                (Scheduler::Synchronous, _) => {
                    Some("not all processes step; the synchronous scheduler lets all processes step".into())
                }
                (Scheduler::LocallyCentral, _) if self.neighbours(step) => Some(
                    "two neighbours step; the locally central scheduler lets no two neighbours step at once".into(),
                ),
                (Scheduler::Distributed | Scheduler::LocallyCentral, _) => self.idle(i, step),
                (_, Actor::All | Actor::Processes(_)) => {
                    Some(format!("the {scheduler} scheduler lets one process step at a time"))
                }
                (Scheduler::Unfair, _) => self.idle(i, step),
                (Scheduler::RandomPartner, Actor::Arc(initiator, _)) => self.needless(i, *initiator),
                (Scheduler::RandomPartner | Scheduler::FairRandomPartner, Actor::Process(_)) => {
                    Some(format!("the {scheduler} scheduler lets an agent initiate an interaction"))
                }
                (Scheduler::FairRandomPartner, _) => None,
                // Their conditions are on the whole cycle.
                (Scheduler::Random | Scheduler::GloballyFair | Scheduler::LocallyFair | Scheduler::Fair, _) => None,
                // Refused above.
                (Scheduler::Alternating | Scheduler::RoundRobin | Scheduler::Timed, _) => None,
            };
            if let Some(fault) = fault {
                return broken(format!("step {}{}: {fault}", i + 1, place(step)));
            }
        }
        Ok(())
    }

    /// Whether some outcome of a step changes an agent.
    fn enabled(&self, states: &[Number], agent: usize) -> bool {
        self.played.true_steps(states).iter().any(|step| step.after[agent] != states[agent])
    }

    /// Whether two neighbours step.
    pub(super) fn neighbours(&self, step: &Step) -> bool {
        let size = self.configurations[0].len();
        let acting = acting(&step.actor, size);
        let apart = |p: usize, q: usize| match self.played {
            Played::Population(..) => true,
            Played::Ring(algorithm) => algorithm.chain().neighbours(p, size).1 != q,
            Played::Graph(algorithm) => !algorithm.neighbours().of(p).contains(&(q as u32)),
        };
        acting.iter().any(|&p| acting.iter().any(|&q| p != q && !apart(p, q)))
    }

    /// Under schedulers that take only steps that change something: the actor of a step that changes nothing.
    fn idle(&self, at: usize, step: &Step) -> Option<String> {
        let (before, after) = (&self.configurations[at], &self.configurations[at + 1]);
        let pair = matches!(step.actor, Actor::Arc(..));
        let idle = acting(&step.actor, before.len()).into_iter().find(|&p| before[p] == after[p]);
        let idle = if pair { idle.filter(|_| before == after) } else { idle };
        let idle =
            idle.filter(|&p| self.trace.assumptions.coins.as_deref() != Some("fair") || !self.enabled(before, p))?;
        // Where no step changes anything, only idle steps can be shown.
        let stuck = self.played.true_steps(before).iter().all(|step| step.after == *before);
        let who = if pair { "the arc".to_string() } else { format!("process {idle}") };
        (!stuck)
            .then(|| format!("{who} changes nothing, and the scheduler skips it while other steps change something"))
    }

    /// Under a daemon that picks initiators: an initiator that changes nothing with any partner, while others would.
    fn needless(&self, at: usize, initiator: usize) -> Option<String> {
        let before = &self.configurations[at];
        let mut able = vec![false; before.len()];
        self.played.true_steps(before).iter().for_each(|step| able[step.actor.0] |= step.after != *before);
        (!able[initiator] && able.contains(&true)).then(|| {
            format!("agent {initiator} changes nothing with any partner, and the scheduler skips it while others would")
        })
    }

    /// Between two steps of a process each of its neighbours steps exactly once. The cycle is checked twice in a row.
    fn alternates(&self) -> Result<(), Broken> {
        let Played::Ring(algorithm) = self.played else {
            return broken("alternating schedules are for rings and lines of processes");
        };
        let size = self.configurations[0].len();
        let edges = if algorithm.chain() == Chain::Line { size - 1 } else { size };
        let mut last = vec![None; size];
        let again = self.lap().map(|(i, step, _)| (i, step));
        for (i, step) in self.trace.steps.iter().enumerate().map(|(i, step)| (i + 1, step)).chain(again) {
            let Actor::Process(p) = step.actor else {
                return broken(format!(
                    "step {i}{}: the alternating scheduler lets one process step at a time",
                    place(step)
                ));
            };
            for edge in [p.checked_sub(1).unwrap_or(size - 1), p].into_iter().filter(|&edge| edge < edges) {
                if last[edge] == Some(p) {
                    let neighbour = if edge == p { (p + 1) % size } else { edge };
                    return broken(format!(
                        "step {i}{}: process {p} steps again before its neighbour {neighbour} has: the schedule does not \
                         alternate",
                        place(step)
                    ));
                }
                last[edge] = Some(p);
            }
        }
        Ok(())
    }

    /// The inputs of the agents must be answers that the detector may give.
    fn detector(&self, findings: &mut Findings) -> Result<(), Broken> {
        if !self.played.hears() {
            return Ok(());
        }
        if self.detector == Detector::Perfect {
            for (i, (step, states)) in self.trace.steps.iter().zip(self.configurations).enumerate() {
                let truth = self.played.led(states);
                if step.inputs.is_some_and(|told| told != (truth, truth)) {
                    let said = if truth { "a leader" } else { "no leader" };
                    return broken(format!(
                        "step {}{}: there is {said}, and the oracle is perfect",
                        i + 1,
                        place(step)
                    ));
                }
            }
            findings.verified.push("the oracle tells the truth".into());
            return Ok(());
        }
        let led: Vec<bool> = self.lap().map(|(.., states)| self.played.led(states)).collect();
        let constant = led.first().copied().filter(|first| led.iter().all(|led| led == first));
        if let Some(truth) = constant {
            let lie = self.lap().find(|(_, step, _)| step.inputs.is_some_and(|told| told != (truth, truth)));
            if let Some((i, step, _)) = lie {
                return broken(format!(
                    "step {i}{}: on the cycle there is always {}, so an eventually correct oracle eventually says so",
                    place(step),
                    if truth { "a leader" } else { "no leader" }
                ));
            }
        }
        findings.verified.push("the oracle is eventually correct".into());
        Ok(())
    }
}

/// The position of a step, if it was read from a file.
pub(super) fn place(step: &Step) -> String {
    if step.line == 0 { String::new() } else { format!(" (line {})", step.line) }
}
