//! Conditions that recur, conditions that follow others, and service times, compared with brute force on random systems:
//! all sets of nodes are listed, and waits are followed step by step.

use crate::decisions::{Process, contains, fraction};
use crate::twin::{Dice, random_surveys};
use num_rational::BigRational;
use ringleader_check::parts::{Bits, Daemon, Extreme, Fairness, StateGraph as _, Survey, System, check, really_safe};
use ringleader_check::{
    Claim, Claimed, Counterexample, Each, Level, Monitor, Promise, Question, Report, Service, Value,
};
use ringleader_model::Scheduler;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Random conditions: for each configuration, bit `i` tells whether the condition on process `i` holds.
pub(crate) struct Conditions {
    count: usize,
    bits: Vec<u32>,
}

impl Conditions {
    pub(crate) fn random(system: &System, count: usize, dice: &mut Dice) -> Conditions {
        let often = 2 + dice.below(4);
        let bit = |dice: &mut Dice| u32::from(dice.below(often) != 0);
        let bits = (0..system.space.size()).map(|_| (0..count).fold(0, |bits, i| bits | bit(dice) << i)).collect();
        Conditions { count, bits }
    }

    pub(crate) fn each(&self, system: &System) -> Each {
        let (space, bits) = (system.space.clone(), self.bits.clone());
        Each { count: self.count, holds: Arc::new(move |digits| bits[space.encode(digits) as usize]) }
    }

    fn holds(&self, c: usize, i: usize) -> bool {
        self.bits[c] >> (if self.count > 1 { i } else { 0 }) & 1 == 1
    }

    pub(crate) fn set(&self, i: usize) -> Vec<bool> {
        (0..self.bits.len()).map(|c| self.holds(c, i)).collect()
    }
}

/// A scheduler, with the twin of its executions.
pub(crate) struct Class {
    pub(crate) scheduler: Scheduler,
    pub(crate) process: Process,
    /// The obligations of the daemon; `None` inside for the unfair one. Absent if an event that is possible infinitely
    /// often happens.
    fairness: Option<Option<Fairness>>,
}

impl Class {
    pub(crate) fn all(system: &System) -> Vec<Class> {
        let class = |scheduler, process, fairness| Class { scheduler, process, fairness };
        let central = || Process::central(system);
        let mut all = vec![
            class(Scheduler::Unfair, central(), Some(None)),
            class(Scheduler::Fair, central(), Some(Some(Fairness::Agents))),
            class(Scheduler::LocallyFair, central(), Some(Some(Fairness::Actions(Level::Transition)))),
            class(Scheduler::Random, central(), None),
            class(Scheduler::GloballyFair, central(), None),
        ];
        if system.is_ring {
            let together = |daemon| Process::together(system, daemon);
            all.push(class(Scheduler::Distributed, together(Daemon::Distributed), Some(None)));
            all.push(class(Scheduler::LocallyCentral, together(Daemon::LocallyCentral), Some(None)));
            let fairness = if system.tosses() { None } else { Some(None) };
            all.push(class(Scheduler::Synchronous, together(Daemon::Synchronous), fairness));
        }
        all
    }

    /// The nodes that can be reached from some nodes without a node of `stop`.
    fn reached(&self, from: impl Iterator<Item = usize>, stop: &[bool]) -> Vec<bool> {
        let mut reached = vec![false; stop.len()];
        let mut open: Vec<usize> = from.filter(|&c| !stop[c]).collect();
        while let Some(c) = open.pop() {
            if std::mem::replace(&mut reached[c], true) {
                continue;
            }
            let targets = self.process.choices[c].iter().flat_map(|choice| &choice.outcomes).map(|(to, _)| *to);
            open.extend(targets.filter(|&to| !stop[to] && !reached[to]));
        }
        reached
    }

    /// Whether an execution of the class avoids a set for ever.
    fn avoids(&self, target: &[bool], agents: usize) -> bool {
        match self.fairness {
            Some(fairness) => self.process.can_stay(target, fairness, agents),
            None => {
                let none = vec![false; target.len()];
                let meets = |c: usize| self.reached([c].into_iter(), &none).iter().zip(target).any(|(r, t)| *r && *t);
                (0..target.len()).any(|c| !target[c] && !meets(c))
            }
        }
    }

    /// Everything but the nodes that wait for `then` after `first`.
    fn not_waiting(&self, first: &[bool], then: &[bool]) -> Vec<bool> {
        let asked = (0..first.len()).filter(|&c| first[c] && !then[c]);
        self.reached(asked, then).into_iter().map(|waits| !waits).collect()
    }

    /// The worst time from the first condition to the second one, by the longest walk or in exact fractions with coins;
    /// `Some(None)` if the daemon can wait as long as it wants. Absent if no daemon chooses, or if nothing waits.
    fn answer(&self, first: &[bool], then: &[bool], agents: usize) -> Option<Option<BigRational>> {
        self.fairness?;
        let target = self.not_waiting(first, then);
        let asked: Vec<usize> = (0..first.len()).filter(|&c| first[c] && !then[c]).collect();
        if self.process.can_stay(&target, None, agents) {
            return Some(None);
        }
        let times = self.process.expected(&target, Extreme::Worst);
        asked.into_iter().map(|c| times[c].clone()).max().map(Some)
    }

    /// The worst time between two visits inside a closed set: by the longest walk, or in exact fractions with coins.
    fn service(&self, safe: &[bool], visits: &[bool]) -> Option<BigRational> {
        let inside = |c: &usize| safe[*c] && visits[*c];
        let left =
            (0..safe.len()).filter(inside).flat_map(|c| &self.process.choices[c]).flat_map(|choice| &choice.outcomes);
        let waiting = self.reached(left.map(|(to, _)| *to), visits);
        let target: Vec<bool> = waiting.iter().map(|waits| !waits).collect();
        let times = self.process.expected(&target, Extreme::Worst);
        let choices = (0..safe.len()).filter(inside).flat_map(|c| &self.process.choices[c]);
        let time = |choice: &crate::decisions::Choice| {
            choice.outcomes.iter().map(|(to, p)| p * &times[*to]).sum::<BigRational>() + fraction(1, 1)
        };
        choices.map(time).max()
    }
}

/// The configurations of a failure: those before it repeats, and those that repeat.
fn shown(system: &System, run: &Counterexample) -> (Vec<usize>, Vec<usize>) {
    let number = |states: &Vec<u32>| system.space.encode(states) as usize;
    let once: Vec<usize> = std::iter::once(&run.start).chain(run.prefix.iter().map(|s| &s.after)).map(number).collect();
    let again: Vec<usize> = match run.strategy.is_empty() {
        true => run.cycle.iter().map(|step| number(&step.after)).collect(),
        false => run.strategy.iter().map(|situation| number(&situation.states)).collect(),
    };
    (once, again)
}

fn really_safe_set(survey: &Survey, scheduler: Scheduler) -> Option<Vec<bool>> {
    // Where one process steps at a time, the steps of the system are those of the scheduler.
    let single = !matches!(scheduler, Scheduler::Distributed | Scheduler::LocallyCentral | Scheduler::Synchronous);
    let set: Bits = really_safe(&survey.system, |node, turn| survey.label(node, turn), &Monitor::new(1)).ok()?;
    single.then(|| (0..survey.system.size() as u32).map(|c| set.contains(c)).collect())
}

#[derive(Debug, Default)]
struct Seen {
    kept: u32,
    broken: u32,
    answered: u32,
    unanswered: u32,
    led: u32,
    exact: u32,
    expected: u32,
    strategies: u32,
    delayed: u32,
    prompt: u32,
}

fn compare(survey: &Survey, class: &Class, conditions: &[Conditions; 3], seen: &mut Seen) {
    let (system, scheduler) = (&survey.system, class.scheduler);
    let [visits, first, then] = conditions;
    let agents = system.space.agents;
    let few = |target: &[bool]| target.iter().filter(|reached| !**reached).count() <= 12;
    let responses: Vec<Vec<bool>> = (0..agents).map(|i| class.not_waiting(&first.set(i), &then.set(i))).collect();
    if !(0..agents).all(|i| few(&visits.set(i)) && few(&responses[i])) {
        return;
    }
    let mut question = Question::new(scheduler).without_symmetry();
    question.only_claims = true;
    let claim = |name: &str, claimed| Claim { name: name.into(), claimed, places: true };
    question.claims = vec![
        claim("visits", Claimed::Recurring(visits.each(system))),
        claim("answer", Claimed::Response(first.each(system), then.each(system))),
    ];
    let report: Report = check(survey, &question, &Monitor::new(1)).unwrap();
    let [recurring, response] = &report.claims[..] else { panic!("{report:?}") };
    assert_eq!((recurring.promise, response.promise), (Promise::Recurring, Promise::Response));
    let missed: BTreeSet<usize> = (0..agents).filter(|&i| class.avoids(&visits.set(i), agents)).collect();
    assert_eq!(recurring.counterexample.is_none(), missed.is_empty(), "{scheduler}: {missed:?}, {recurring:?}");
    let late: BTreeSet<usize> = (0..agents).filter(|&i| class.avoids(&responses[i], agents)).collect();
    assert_eq!(response.counterexample.is_none(), late.is_empty(), "{scheduler}: {late:?}, {response:?}");
    if let Some(run) = &recurring.counterexample {
        let (_, again) = shown(system, run);
        let never = |&i: &usize| again.iter().all(|&c| !visits.holds(c, i));
        assert!(!again.is_empty() && missed.iter().any(never), "{scheduler}: {run:?}");
        seen.broken += 1;
        seen.strategies += u32::from(!run.strategy.is_empty());
    } else {
        seen.kept += 1;
    }
    if let Some(run) = &response.counterexample {
        let (once, again) = shown(system, run);
        let fails = |&i: &usize| first.holds(once[0], i) && once.iter().chain(&again).all(|&c| !then.holds(c, i));
        assert!(!again.is_empty() && late.iter().any(fails), "{scheduler}: {run:?}");
        seen.unanswered += 1;
        seen.led += u32::from(!again.contains(&once[0]));
    } else {
        seen.answered += 1;
        let times: Vec<_> = (0..agents).filter_map(|i| class.answer(&first.set(i), &then.set(i), agents)).collect();
        answers(class, &times, response.service.as_ref(), seen);
    }
    let Some(safe) = really_safe_set(survey, scheduler) else { return };
    if scheduler == Scheduler::Unfair && recurring.counterexample.is_none() {
        let worst = (0..agents).filter_map(|i| class.service(&safe, &visits.set(i))).max();
        let found = recurring.service.as_ref().map(|service| service.worst.as_ref().expect("it is bounded"));
        assert_eq!(worst.is_some(), found.is_some(), "{report:?}");
        let Some((worst, found)) = worst.zip(found) else { return };
        match found {
            Value::Steps(_) => seen.exact += 1,
            _ => seen.expected += 1,
        }
        let bounds = found.bounds();
        assert!(contains(bounds, &worst) && bounds.high - bounds.low < 1e-6, "{worst}: {report:?}");
    }
}

/// Compares the time of a response with those of all processes.
fn answers(class: &Class, times: &[Option<BigRational>], found: Option<&Service>, seen: &mut Seen) {
    let scheduler = class.scheduler;
    if class.fairness.is_none() {
        assert!(found.is_none() || scheduler == Scheduler::GloballyFair, "{scheduler}: {found:?}");
        return;
    }
    assert_eq!(times.is_empty(), found.is_none(), "{scheduler}: {times:?}, {found:?}");
    let Some(found) = found else { return };
    match (times.iter().cloned().collect::<Option<Vec<_>>>(), &found.worst) {
        (None, None) => {
            assert!(class.fairness != Some(None), "{scheduler}: {found:?}");
            let delay = found.delay.as_ref().expect("a run that waits");
            assert!(!delay.cycle.is_empty() || !delay.strategy.is_empty(), "{scheduler}: {found:?}");
            seen.delayed += 1;
        }
        (Some(times), Some(worst)) => {
            let (bounds, greatest) = (worst.bounds(), times.iter().max().expect("one of them"));
            assert!(
                contains(bounds, greatest) && bounds.high - bounds.low < 1e-6,
                "{scheduler}: {greatest}, {found:?}"
            );
            seen.prompt += 1;
        }
        (times, _) => panic!("{scheduler}: {times:?}, {found:?}"),
    }
}

#[test]
fn liveness_agrees_with_brute_force_on_random_systems() {
    let (mut dice, mut seen) = (Dice::new(2026), Seen::default());
    for _ in 0..1500 {
        let survey = random_surveys(&mut dice).plain;
        let system = &survey.system;
        if system.chooses() || system.has_inputs() {
            continue;
        }
        let agents = system.space.agents;
        let mut conditions = || Conditions::random(system, if dice.below(3) == 0 { 1 } else { agents }, &mut dice);
        let three = [conditions(), conditions(), conditions()];
        for class in Class::all(system) {
            compare(&survey, &class, &three, &mut seen);
        }
    }
    println!("{seen:?}");
    let Seen { kept, broken, answered, unanswered, led, exact, expected, strategies, delayed, prompt } = seen;
    let all = [kept, broken, answered, unanswered, led, exact, expected, strategies, delayed, prompt];
    assert!(all.into_iter().all(|count| count > 20), "{seen:?}");
}

/// Inside the safe set, a check up to rotation gives the same answers as one of all configurations.
#[test]
fn rotation_changes_no_answer() {
    let (mut dice, mut compared) = (Dice::new(7), 0);
    for _ in 0..400 {
        let surveys = random_surveys(&mut dice);
        if !surveys.folded.system.is_up_to_symmetry() || surveys.plain.system.has_inputs() {
            continue;
        }
        let system = &surveys.plain.system;
        let visits = Conditions::random(system, system.space.agents, &mut dice);
        let ring = system.is_ring && !system.tosses();
        for scheduler in [Scheduler::Random, Scheduler::Unfair, Scheduler::GloballyFair, Scheduler::Alternating] {
            if scheduler == Scheduler::Alternating && !ring || scheduler == Scheduler::Unfair && system.tosses() {
                continue;
            }
            let mut question = Question::new(scheduler);
            question.claims =
                vec![Claim { name: "visits".into(), claimed: Claimed::Recurring(visits.each(system)), places: true }];
            let [plain, folded] = [&surveys.plain, &surveys.folded].map(|survey| {
                let report = check(survey, &question, &Monitor::new(1)).unwrap();
                let claim = report.claims[0].clone();
                if let Some(run) = &claim.counterexample {
                    let (_, again) = shown(system, run);
                    let never = |i: usize| again.iter().all(|&c| !visits.holds(c, i));
                    assert!(!again.is_empty() && (0..system.space.agents).any(never), "{scheduler}: {run:?}");
                }
                let worst = claim.service.and_then(|service| service.worst).map(|worst| worst.bounds());
                (report.holds, claim.configurations, claim.counterexample.is_none(), worst)
            });
            let near = |(a, b): (ringleader_check::Bounds, ringleader_check::Bounds)| (a.high - b.high).abs() < 1e-6;
            assert_eq!((plain.0, plain.1, plain.2), (folded.0, folded.1, folded.2), "{scheduler}");
            assert_eq!(plain.3.is_some(), folded.3.is_some(), "{scheduler}");
            assert!(plain.3.zip(folded.3).is_none_or(near), "{scheduler}: {plain:?}, {folded:?}");
            compared += u32::from(plain.1 > 0);
        }
    }
    assert!(compared > 20, "{compared}");
}
