//! Whether a cycle that repeats for ever is fair.

use super::strategy::arcs_from;
use super::{Broken, Findings, Lasso, Possible, acting, broken};
use crate::question::{Detector, Level};
use ringleader_erased::Number;
use ringleader_model::trace::{Actor, Step};
use ringleader_model::{Interner, Scheduler};
use std::collections::HashSet;

/// The most configurations examined to decide whether a random execution can leave a cycle's configurations.
const MOST: usize = 1 << 16;
/// The most agents for which all answers of a detector are tried.
const MOST_TOLD: usize = 16;

/// An obligation of fairness: an action that must be taken if it is possible infinitely often.
pub(super) type Owed = (Vec<Number>, (usize, usize), Option<(bool, bool)>, Vec<u32>);

impl Lasso<'_> {
    /// Checks the obligations of the cycle under a scheduler; false if that is too much work.
    pub(super) fn fairness(&self, scheduler: Scheduler, findings: &mut Findings) -> Result<bool, Broken> {
        if self.trace.cycle.is_none() {
            return Ok(true);
        }
        match scheduler {
            Scheduler::Fair => self.everyone().map(|()| true),
            Scheduler::FairRandomPartner => self.every_initiator().map(|()| true),
            Scheduler::LocallyFair => self.owed(Grain::Action(self.level), findings),
            Scheduler::GloballyFair | Scheduler::Random => match self.detector {
                Detector::Perfect => self.caught(findings),
                Detector::EventuallyCorrect => self.owed(Grain::Step, findings),
            },
            // They have conditions on single steps only.
            Scheduler::Unfair | Scheduler::Alternating | Scheduler::Synchronous | Scheduler::RandomPartner => Ok(true),
            Scheduler::Distributed | Scheduler::LocallyCentral => Ok(true),
            // `steps` has refused them.
            Scheduler::RoundRobin | Scheduler::Timed => Ok(false),
        }
    }

    fn every_initiator(&self) -> Result<(), Broken> {
        let initiates = |agent| self.lap().any(|(_, step, _)| matches!(step.actor, Actor::Arc(u, _) if u == agent));
        let mut able = (0..self.configurations[0].len()).filter(|&agent| !arcs_from(self.played, agent).is_empty());
        match able.find(|&agent| !initiates(agent)) {
            None => Ok(()),
            Some(agent) => broken(format!("agent {agent} initiates nothing on the cycle: the schedule is not fair")),
        }
    }

    /// Whether a coin chooses a partner on the cycle. An initiator with a single arc has no choice.
    pub(super) fn draws_partners(&self, scheduler: Scheduler) -> bool {
        let drawn = |step: &Step| matches!(step.actor, Actor::Arc(u, _) if arcs_from(self.played, u).len() > 1);
        scheduler.picks_initiators() && self.lap().any(|(_, step, _)| drawn(step))
    }

    fn everyone(&self) -> Result<(), Broken> {
        let size = self.configurations[0].len();
        let mut seen = vec![false; size];
        self.lap().for_each(|(_, step, _)| acting(&step.actor, size).into_iter().for_each(|p| seen[p] = true));
        match seen.iter().position(|seen| !seen) {
            None => Ok(()),
            Some(p) => {
                let member = self.played.member();
                broken(format!("{member} {p} takes no step on the cycle: the schedule is not fair"))
            }
        }
    }

    /// Every action that is possible on the cycle, under the answers that the detector may give there, is taken on it.
    fn owed(&self, grain: Grain, findings: &mut Findings) -> Result<bool, Broken> {
        let size = self.configurations[0].len();
        let lying = self.played.hears() && self.detector == Detector::EventuallyCorrect;
        if lying && size > MOST_TOLD {
            findings
                .open
                .push(format!("fairness was not checked: the oracle lies, and there are more than {MOST_TOLD} agents"));
            return Ok(false);
        }
        let mut met = HashSet::new();
        for (_, step, states) in self.lap() {
            if let Some(taken) = self.taken(step, states).filter(|taken| grain.binds(self, states, taken)) {
                met.extend(grain.owed(states, &taken));
            }
        }
        for (i, step, states) in self.lap() {
            let truth = self.played.led(states);
            let missing = |told: &dyn Fn(usize) -> bool| {
                let mut steps = self.played.steps(states, told).into_iter();
                let unmet = |step: &Possible| grain.owed(states, step).iter().any(|owed| !met.contains(owed));
                steps.find(|step| grain.binds(self, states, step) && unmet(step)).map(|step| step.actor)
            };
            let missed = if lying {
                let answers = (0..1_u32 << size).filter(|said| consistent(step, *said, truth));
                let mut missed = answers.map(|said| missing(&|agent| said >> agent & 1 == 1));
                // The detector may give these answers if every action that they enable is taken on the cycle.
                missed.try_fold(None, |first, next| next.map(|actor| first.or(Some(actor)))).flatten()
            } else {
                missing(&|_| truth)
            };
            if let Some(actor) = missed {
                return broken(format!(
                    "in the configuration before step {i} {} that the cycle never takes: the schedule is not {}",
                    possible(actor, grain),
                    if grain == Grain::Step { "globally fair" } else { "locally fair" }
                ));
            }
        }
        Ok(true)
    }

    /// The step that was taken, as a possible step.
    fn taken(&self, step: &Step, states: &[Number]) -> Option<Possible> {
        let (u, v) = match step.actor {
            Actor::Arc(u, v) => (u, v),
            Actor::Process(p) => (p, p),
            _ => (0, 0),
        };
        let truth = self.played.led(states);
        let (x, y) = step.inputs.unwrap_or((truth, truth));
        let mut steps = self.played.steps(states, |agent| if agent == u { x } else { y }).into_iter();
        steps.find(|possible| possible.actor == (u, v) && possible.coin == step.coin)
    }

    /// Whether some outcome of the coins changes something; the step itself may be another outcome.
    fn is_enabled(&self, states: &[Number], step: &Possible) -> bool {
        let told = |agent| step.inputs.is_some_and(|(x, y)| if agent == step.actor.0 { x } else { y });
        let moves =
            |other: Possible| (other.actor, &other.choices) == (step.actor, &step.choices) && other.after != states;
        step.after != states || !step.coin.is_empty() && self.played.steps(states, told).into_iter().any(moves)
    }

    /// Random and globally fair executions cannot leave the configurations of the cycle for good.
    fn caught(&self, findings: &mut Findings) -> Result<bool, Broken> {
        let Some((_, _, start)) = self.lap().next() else { return Ok(true) };
        let (mut all, mut before, mut at) = (Interner::default(), vec![vec![]], 0);
        all.number(start.clone());
        while let Some(states) = all.all().get(at).cloned() {
            if before.len() > MOST {
                findings.open.push(format!(
                    "more than {MOST} configurations can follow the cycle, so whether a step leaves them for good was not checked"
                ));
                return Ok(false);
            }
            for step in self.played.true_steps(&states) {
                let next = all.number(step.after) as usize;
                before.resize(all.all().len(), vec![]);
                before[next].push(at);
            }
            at += 1;
        }
        let (mut returns, mut open) = (vec![false; before.len()], vec![0]);
        returns[0] = true;
        while let Some(at) = open.pop() {
            for &from in &before[at] {
                if !std::mem::replace(&mut returns[from], true) {
                    open.push(from);
                }
            }
        }
        if returns.contains(&false) {
            return broken(
                "steps lead out of the cycle from which none leads back: a run of this scheduler takes them some day, \
                 and does not repeat",
            );
        }
        let count = before.len();
        findings.verified.push(format!("the {count} configurations that can follow the cycle are a closed set"));
        Ok(true)
    }
}

/// Whether these answers agree with the inputs of the step.
fn consistent(step: &Step, said: u32, truth: bool) -> bool {
    let Actor::Arc(u, v) = step.actor else { return true };
    let (x, y) = step.inputs.unwrap_or((truth, truth));
    (said >> u & 1 == 1) == x && (said >> v & 1 == 1) == y
}

fn possible((u, v): (usize, usize), grain: Grain) -> String {
    let what = if grain == Grain::Action(Level::Arc) { "a step" } else { "an action" };
    if u == v {
        format!("{what} of process {u} is possible")
    } else {
        format!("{what} on the arc {u} → {v} is possible")
    }
}

/// The actions that fairness distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    /// A step from a configuration.
    Step,
    /// An action of local fairness.
    Action(Level),
}

impl Grain {
    /// Whether a possible step meets or creates obligations. Arcs and rules must be enabled: a step that can change nothing
    /// is no step of theirs.
    fn binds(self, lasso: &Lasso<'_>, states: &[Number], step: &Possible) -> bool {
        matches!(self, Grain::Step | Grain::Action(Level::Transition)) || lasso.is_enabled(states, step)
    }

    /// The obligations that a possible step from these states creates.
    pub(super) fn owed(self, states: &[Number], step: &Possible) -> Vec<Owed> {
        let Possible { actor, seen, inputs, coin, .. } = step;
        match self {
            Grain::Step => vec![(states.to_vec(), *actor, *inputs, coin.clone())],
            Grain::Action(Level::Transition) => vec![(seen.clone(), *actor, *inputs, coin.clone())],
            Grain::Action(Level::Rule) => {
                step.rules.iter().map(|&rule| (vec![], *actor, None, vec![rule.into()])).collect()
            }
            Grain::Action(Level::Arc) => vec![(vec![], *actor, None, vec![])],
        }
    }
}
