//! The failure that the configurations of a run show.

use crate::runs::look;
use crate::runs::setup::Subject;
use ringleader_check::replay::{Played, Run, strategy_configurations};
use ringleader_check::{Claim, Claimed, Condition, Each, leaders_for_ever};
use ringleader_erased::Number;
use ringleader_model::trace::Trace;
use ringleader_model::{Goal, Safety, Scheduler};
use ringleader_simulate::StabilizingInstance;
use std::collections::HashSet;

/// The most configurations that are searched for a way to break the promise.
const MOST: usize = 20_000;

/// The failure of the promise in words, if the run shows one.
pub(super) fn shown(
    subject: &Subject,
    played: &Played<'_>,
    algorithm: &dyn StabilizingInstance,
    trace: &Trace,
    run: &Run,
    open: &mut Vec<String>,
) -> Option<String> {
    let truthful = trace.assumptions.oracle.as_deref().is_none_or(|oracle| oracle == "perfect");
    match trace.cycle {
        Some(first) => {
            let around = Around { subject, algorithm, cycle: &run.configurations[first + 1..] };
            around.failure(trace.assumptions.scheduler.filter(|_| truthful), open)
        }
        None if !trace.strategy.is_empty() => kept(played, algorithm, trace),
        // The safe set and the closed sets of a proof assume that the oracle tells the truth.
        None => truthful.then(|| in_order(algorithm, &run.configurations)).flatten(),
    }
}

/// Whether a configuration breaks the promise: its goal, or that these leaders stay.
fn breaks(algorithm: &dyn StabilizingInstance, states: &[Number], wanted: &[usize]) -> bool {
    !algorithm.correct(states) || algorithm.goal() == Goal::OneLeader && leaders(algorithm, states) != wanted
}

/// The failure of a strategy: it visits each of its configurations infinitely often, with probability 1.
fn kept(played: &Played<'_>, algorithm: &dyn StabilizingInstance, trace: &Trace) -> Option<String> {
    let all: Vec<Vec<Number>> = strategy_configurations(played, trace).ok()?;
    let wanted = leaders(algorithm, all.first()?);
    let count = all.len();
    all.iter()
        .any(|states| breaks(algorithm, states, &wanted))
        .then(|| format!("the daemon keeps the run in {count} configurations for ever, for every outcome of the coins"))
}

/// The failure of a claim.
pub(super) fn of_claim(claim: &Claim, trace: &Trace, run: &Run) -> Option<String> {
    let digits =
        |states: &Vec<Number>| states.iter().map(|state| state.0.try_into().ok()).collect::<Option<Vec<u32>>>();
    let all: Vec<Vec<u32>> = run.configurations.iter().map(digits).collect::<Option<_>>()?;
    let (name, ever_after) = (&claim.name, trace.cycle);
    let held = |holds: &Condition| all.iter().map(|digits| holds(digits)).collect::<Vec<bool>>();
    let bits = |each: &Each| all.iter().map(|digits| (each.holds)(digits)).collect::<Vec<u32>>();
    let about = |i: usize, count: usize| if count > 1 { format!(" for i = {i}") } else { String::new() };
    match &claim.claimed {
        Claimed::Invariant(holds) => {
            let step = held(holds).windows(2).position(|pair| pair[0] && !pair[1])?;
            Some(format!("step {} leads out of the set {name}", step + 1))
        }
        Claimed::Always(holds) => {
            let at = held(holds).iter().position(|held| !held)?;
            let place = if at == 0 { "in the start".to_string() } else { format!("after step {at}") };
            Some(format!("{name} is false {place}"))
        }
        Claimed::Eventually(holds) => (ever_after.is_some() && held(holds).iter().all(|held| !held))
            .then(|| format!("the run never reaches {name}")),
        Claimed::Recurring(each) => {
            let met = bits(each)[ever_after?..].iter().fold(0, |all, bits| all | bits);
            let missing = (0..each.count).find(|i| met >> i & 1 == 0)?;
            Some(format!("{name} never holds on the cycle{}", about(missing, each.count)))
        }
        Claimed::Response(first, then) => {
            let (count, cycle) = (first.count.max(then.count), ever_after?);
            let bit = |bits: u32, each: &Each, i: usize| bits >> (if each.count > 1 { i } else { 0 }) & 1 == 1;
            let (asked, met) = (bits(first), bits(then));
            let unmet = |i: usize| {
                let asks = |at: &usize| bit(asked[*at], first, i);
                // On the cycle, everything comes again.
                (0..all.len()).filter(asks).any(|at| met[at.min(cycle)..].iter().all(|&bits| !bit(bits, then, i)))
            };
            let missing = (0..count).find(|&i| unmet(i))?;
            Some(format!(
                "in {name} the first condition holds, and the second one never follows{}",
                about(missing, count)
            ))
        }
    }
}

/// The configurations of a cycle.
struct Around<'a> {
    subject: &'a Subject,
    algorithm: &'a dyn StabilizingInstance,
    cycle: &'a [Vec<Number>],
}

impl Around<'_> {
    fn failure(&self, scheduler: Option<Scheduler>, open: &mut Vec<String>) -> Option<String> {
        let correct = self.cycle.iter().filter(|states| self.algorithm.correct(states)).count();
        if self.algorithm.goal() != Goal::OneLeader {
            return match correct {
                0 => Some("the goal is never met".into()),
                all if all == self.cycle.len() => self.left(scheduler, "the goal is met on the cycle", open),
                _ => Some("the goal is met and lost infinitely often".into()),
            };
        }
        let leaders: Vec<_> = self.cycle.iter().map(|states| leaders(self.algorithm, states)).collect();
        leaders_for_ever(&leaders, Vec::len).or_else(|| self.left(scheduler, "one leader stays on the cycle", open))
    }

    /// Where the goal is met on the cycle, the run never becomes safe if other steps lead from it to a configuration that breaks the goal.
    fn left(&self, scheduler: Option<Scheduler>, met: &str, open: &mut Vec<String>) -> Option<String> {
        let wanted = leaders(self.algorithm, &self.cycle[0]);
        let mut all: Vec<Vec<Number>> = self.cycle.to_vec();
        let mut known: HashSet<Vec<Number>> = all.iter().cloned().collect();
        let mut at = 0;
        // Under these schedulers any single step is possible next.
        let free = scheduler.is_some_and(|scheduler| {
            !matches!(scheduler, Scheduler::Synchronous | Scheduler::Alternating | Scheduler::RoundRobin)
        });
        while at < all.len() && all.len() <= MOST && free {
            let mut next = vec![];
            look::outcomes(self.subject, &all[at], None, |_, _, changes| {
                let mut after = all[at].clone();
                changes.iter().for_each(|&(agent, state)| after[agent] = Number(state));
                next.push(after);
            });
            if next.iter().any(|states| breaks(self.algorithm, states, &wanted)) {
                return Some(format!("{met}, but steps that leave the cycle break the goal: it is never safe"));
            }
            all.extend(next.into_iter().filter(|states| known.insert(states.clone())));
            at += 1;
        }
        if at < all.len() {
            open.push(format!("whether steps that leave the cycle break the goal; {met}"));
        }
        None
    }
}

fn leaders(algorithm: &dyn StabilizingInstance, states: &[Number]) -> Vec<usize> {
    let marks = algorithm.show(states);
    (0..marks.len()).filter(|&agent| marks[agent].leader()).collect()
}

/// The first step of a finite run that breaks a claim of the algorithm's proof.
fn in_order(algorithm: &dyn StabilizingInstance, configurations: &[Vec<Number>]) -> Option<String> {
    let named = algorithm.safety() != Safety::Unknown;
    let safe = |states: &[Number]| named && algorithm.safe(states);
    if let Some(from) = configurations.iter().position(|states| safe(states)) {
        let then = leaders(algorithm, &configurations[from]);
        let broken = configurations[from..].iter().position(|states| breaks(algorithm, states, &then));
        match broken.map(|after| from + after) {
            Some(at) if at == from => {
                return Some(format!("{}, but it does not meet the promise", is_safe(from)));
            }
            Some(at) => return Some(format!("{}, but step {at} breaks the promise", is_safe(from))),
            None => {}
        }
    }
    let steps = || configurations.windows(2).enumerate();
    if let Some((at, _)) = steps().find(|(_, pair)| safe(&pair[0]) && !safe(&pair[1])) {
        return Some(format!("step {} leaves the safe set of the proof", at + 1));
    }
    let sets = algorithm.closed_sets();
    let left = |set: &ringleader_model::ClosedSet<'_, Number>| {
        let (at, _) = steps().find(|(_, pair)| (set.contains)(&pair[0]) && !(set.contains)(&pair[1]))?;
        Some(format!("step {} leaves {}, a set that the proof calls closed", at + 1, set.name))
    };
    sets.iter().find_map(left)
}

fn is_safe(step: usize) -> String {
    match step {
        0 => "the start is in the safe set of the proof".into(),
        step => format!("the configuration after step {step} is in the safe set of the proof"),
    }
}
