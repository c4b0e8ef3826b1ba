//! Executions from given starts, compared with the slow twin on the configurations that they reach; multisets and rotations
//! compared with all configurations.

use crate::twin::{Dice, Node, Twin, random_surveys};
use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_check::parts::check;
use ringleader_check::population;
use ringleader_check::{
    Claim, Claimed, Condition, Horizon, Monitor, Question, Report, Starting, Stop, Uncheckable, Value,
};
use ringleader_erased::PopulationInstance;
use ringleader_model::{Graph, Scheduler};
use std::collections::HashMap;
use std::sync::Arc;

fn near(value: &Value, known: f64) -> bool {
    let bounds = value.bounds();
    bounds.low <= known + 1e-8 * (1.0 + known) && known <= bounds.high + 1e-8 * (1.0 + known)
}

/// Verdicts, counts, worst cases and means from random starts. A counterexample begins at a start.
#[test]
fn executions_from_given_starts() {
    use Scheduler::{Distributed, Random, Synchronous, Unfair};
    let (mut held, mut failed, mut better) = (0, 0, 0);
    for seed in 0..1500 {
        let mut dice = Dice::new(seed);
        let survey = random_surveys(&mut dice).plain;
        let ring = survey.system.is_ring;
        let scheduler = [Random, Unfair, Distributed, Synchronous][dice.below(if ring { 4 } else { 2 }) as usize];
        let size = survey.system.space.size() as u32;
        let rare = 1 + dice.below(size);
        let chosen: Vec<bool> = (0..size).map(|_| dice.below(rare) == 0).collect();
        if !chosen.contains(&true) {
            continue;
        }
        let space = survey.system.space.clone();
        let starts = |digits: &[u32]| chosen[space.encode(digits) as usize];
        let question = Question::new(scheduler).with_adversarial_coins();
        let what = format!("seed {seed}, {scheduler}");
        let everywhere = Twin::new(&survey, &question).converges();
        let twin = Twin::from(&survey, &question, &starts);
        let converges = twin.converges();
        let (reached, safe) = (twin.arrows.len() as u64, twin.really_safe_configurations());
        let markov = scheduler == Random || scheduler == Synchronous && survey.system.tosses();
        let values: Option<HashMap<Node, f64>> = match (converges, markov) {
            (false, _) => None,
            (true, true) => Some(twin.expectations()),
            (true, false) => twin.lengths().map(|all| all.into_iter().map(|(n, steps)| (n, steps.into())).collect()),
        };
        let begun: Vec<f64> = twin
            .arrows
            .keys()
            .filter(|node| starts(&node.0))
            .map(|node| values.as_ref().and_then(|values| values.get(node)).copied().unwrap_or(0.0))
            .collect();
        drop(twin);
        let survey = survey.starting(starts);
        let report = check(&survey, &question, &Monitor::new(1)).unwrap();
        assert_eq!((report.configurations, report.really_safe), (reached, safe), "{what}");
        assert_eq!(report.starts, Some(chosen.iter().filter(|start| **start).count() as u64), "{what}");
        let times = if markov { &report.expected_steps } else { &report.steps };
        let time = times.as_ref().and_then(|times| times.to_really_safe.as_ref());
        assert_eq!(time.is_some(), converges, "{what}: {report:?}");
        if let Some(time) = time {
            held += 1;
            better += u32::from(!everywhere);
            let worst = begun.iter().copied().fold(0.0, f64::max);
            let mean = begun.iter().sum::<f64>() / begun.len() as f64;
            assert!(near(&time.worst, worst) && near(&time.mean, mean), "{what}: {time:?}, not {worst} and {mean}");
            assert!(starts(&time.worst_start), "{what}: {time:?}");
        } else {
            failed += 1;
            let run = report.counterexample.as_ref().expect("it fails");
            assert!(starts(&run.start) && !run.cycle.is_empty(), "{what}: {run:?}");
            let question = Question::new(scheduler).with_adversarial_coins();
            Twin::new(&survey_again(seed), &question).accepts(run, false).unwrap_or_else(|e| panic!("{what}: {e}"));
        }
    }
    println!("{held} hold, {failed} fail, {better} hold from the starts and not from everywhere");
    assert!(held > 200 && failed > 200 && better > 50, "{held} {failed} {better}");
}

/// Executions from random starts reach a random set, or one of them avoids it from its start on.
#[test]
fn sets_that_executions_from_given_starts_reach() {
    use Scheduler::{Distributed, Fair, GloballyFair, LocallyCentral, LocallyFair, Random, Synchronous, Unfair};
    let daemons = [Random, Unfair, GloballyFair, Fair, LocallyFair, Distributed, Synchronous, LocallyCentral];
    let (mut held, mut failed) = ([0; 8], [0; 8]);
    for seed in 0..1600 {
        let mut dice = Dice::new(seed);
        let survey = random_surveys(&mut dice).plain;
        let at = dice.below(if survey.system.is_ring { 8 } else { 5 }) as usize;
        let size = survey.system.space.size() as u32;
        let [begun, wanted] = [2, 3].map(|rare| (0..size).map(|_| dice.below(rare) == 0).collect::<Vec<bool>>());
        if !begun.contains(&true) {
            continue;
        }
        let space = survey.system.space.clone();
        let starts = |digits: &[u32]| begun[space.encode(digits) as usize];
        let inside = space.clone();
        let reaches: Condition = Arc::new(move |digits| wanted[inside.encode(digits) as usize]);
        let mut question = Question::new(daemons[at]).with_adversarial_coins();
        let what = format!("seed {seed}, {}", daemons[at]);
        let holds = Twin::until(&survey, &question, &starts, &*reaches).converges();
        let claimed = Claimed::Eventually(reaches.clone());
        question.claims = vec![Claim { name: "set".into(), claimed, places: true }];
        let report = check(&survey.starting(starts), &question, &Monitor::new(1)).unwrap();
        let run = &report.claims[0].counterexample;
        assert_eq!(run.is_none(), holds, "{what}");
        if let Some(run) = run {
            let mut passed = run.prefix.iter().chain(&run.cycle).map(|step| &step.after);
            assert!(starts(&run.start) && !reaches(&run.start) && !passed.any(|c| reaches(c)), "{what}: {run:?}");
            let from = survey_again(seed);
            Twin::until(&from, &question, &starts, &*reaches)
                .accepts(run, false)
                .unwrap_or_else(|e| panic!("{what}: {e}"));
        }
        if holds { held[at] += 1 } else { failed[at] += 1 }
    }
    assert!(held.iter().chain(&failed).all(|&count| count > 5), "{held:?} {failed:?}");
}

/// The system of a seed, without restrictions.
fn survey_again(seed: u64) -> ringleader_check::parts::Survey {
    random_surveys(&mut Dice::new(seed)).plain
}

fn starting(holds: impl Fn(&[u32]) -> bool + Send + Sync + 'static, places: bool) -> Option<Starting> {
    Some(Starting { name: "these".into(), holds: Arc::new(holds), places })
}

/// The numbers of a report that no reduction may change.
fn same(a: &Report, b: &Report) {
    assert_eq!(
        (a.holds, a.configurations, a.starts, a.really_safe, a.own_safe, a.transitions),
        (b.holds, b.configurations, b.starts, b.really_safe, b.own_safe, b.transitions)
    );
    let claims = |report: &Report| report.claims.iter().map(|claim| claim.configurations).collect::<Vec<_>>();
    assert_eq!(claims(a), claims(b));
    for times in [|report: &Report| report.expected_steps.clone(), |report: &Report| report.steps.clone()] {
        let [a, b] = [a, b].map(|report| times(report).and_then(|times| times.to_really_safe));
        assert_eq!(a.is_some(), b.is_some());
        if let (Some(a), Some(b)) = (a, b) {
            assert!(near(&a.worst, b.worst.bounds().low) && near(&a.mean, b.mean.bounds().low), "{a:?} {b:?}");
        }
    }
    let worst = |report: &Report| report.reach.as_ref().map(|reach| reach.least.last().expect("a point").worst.low);
    assert!(worst(a).zip(worst(b)).is_none_or(|(a, b)| (a - b).abs() < 1e-9), "{:?} {:?}", worst(a), worst(b));
}

/// Claims and starts that name no place keep the symmetry, and the numbers.
#[test]
fn symmetry_changes_no_number() {
    let leads = |algorithm: &PopulationInstance| -> Vec<bool> {
        (0..algorithm.states()).map(|state| algorithm.marks_of(state).leader()).collect()
    };
    let complete = PopulationInstance::new(FischerJiangComplete).unwrap();
    let ring = PopulationInstance::new(FischerJiangRing).unwrap();
    for (algorithm, graph) in [(complete, Graph::complete(5).unwrap()), (ring, Graph::directed_ring(4).unwrap())] {
        let leader = leads(&algorithm);
        let leading = move |digits: &[u32]| digits.iter().filter(|digit| leader[**digit as usize]).count();
        let (few, some) = (leading.clone(), leading.clone());
        let invariant: Condition = Arc::new(move |digits| few(digits) <= 2);
        let eventually: Condition = Arc::new(move |digits| some(digits) > 0);
        for scheduler in [Scheduler::Random, Scheduler::GloballyFair] {
            let mut question = Question::new(scheduler);
            question.merge = false;
            let begin = leading.clone();
            question.starting = starting(move |digits| begin(digits) == 2, false);
            question.claims = vec![
                Claim { name: "few".into(), claimed: Claimed::Invariant(invariant.clone()), places: false },
                Claim { name: "some".into(), claimed: Claimed::Eventually(eventually.clone()), places: false },
            ];
            if scheduler == Scheduler::Random {
                question.horizon = Some(Horizon { steps: Some(20), quantile: None });
            }
            let reduced = population(&algorithm, &graph, &question, &Monitor::new(1)).unwrap();
            assert!(reduced.classes.is_some_and(|classes| classes.count < reduced.configurations), "{scheduler}");
            let all = population(&algorithm, &graph, &question.clone().without_symmetry(), &Monitor::new(1)).unwrap();
            assert!(all.classes.is_none());
            same(&reduced, &all);
            question.starting = None;
            let reduced = population(&algorithm, &graph, &question, &Monitor::new(1)).unwrap();
            assert!(reduced.classes.is_some(), "{scheduler}");
            same(&reduced, &population(&algorithm, &graph, &question.without_symmetry(), &Monitor::new(1)).unwrap());
        }
    }
}

#[test]
fn impossible_starts_are_refused() {
    let algorithm = PopulationInstance::new(FischerJiangRing).unwrap();
    let graph = Graph::directed_ring(3).unwrap();
    let mut question = Question::new(Scheduler::Random);
    question.starting = starting(|_| false, false);
    let refused = population(&algorithm, &graph, &question, &Monitor::new(1)).unwrap_err();
    assert_eq!(refused, Stop::Refused(Uncheckable::NoStart("these".into())));
}

/// The numbers of all starts are the greatest and the mean of those of each start by itself: steps, moves and rounds.
#[test]
fn single_starts_make_the_whole() {
    use Scheduler::{Alternating, Distributed, Fair, Random, Synchronous, Unfair};
    let (mut compared, mut tossed) = ([0; 6], 0);
    for seed in 0..1500 {
        let mut dice = Dice::new(seed);
        let survey = random_surveys(&mut dice).plain;
        let system = &survey.system;
        let size = system.space.size() as u32;
        if !system.is_ring || system.chooses() || size > 40 {
            continue;
        }
        let at = dice.below(6) as usize;
        let scheduler = [Alternating, Distributed, Fair, Random, Synchronous, Unfair][at];
        let mut question = Question::new(scheduler);
        question.rounds = scheduler != Alternating;
        question.moves = matches!(scheduler, Distributed | Synchronous);
        let numbers = |report: &Report| -> Vec<[f64; 2]> {
            let times = [&report.steps, &report.expected_steps, &report.moves, &report.expected_moves];
            let times = times.into_iter().flatten().filter_map(|times| times.to_really_safe.as_ref());
            let rounds = report.rounds.iter().filter_map(|rounds| rounds.worst.as_ref().zip(rounds.mean.as_ref()));
            let both = times.map(|time| (&time.worst, &time.mean)).chain(rounds);
            both.map(|(worst, mean)| [worst, mean].map(|value| value.bounds().high)).collect()
        };
        let all = check(&survey, &question, &Monitor::new(1)).unwrap();
        let known = numbers(&all);
        let really_safe = all.really_safe;
        let mut singles = vec![];
        for start in 0..size {
            let one = survey_again(seed);
            let space = one.system.space.clone();
            let report =
                check(&one.starting(|digits| space.encode(digits) == start), &question, &Monitor::new(1)).unwrap();
            assert!(report.starts == Some(1) && report.configurations >= 1, "seed {seed}");
            assert!(report.really_safe <= really_safe || scheduler == Alternating, "seed {seed}");
            singles.push(numbers(&report));
        }
        if known.is_empty() || singles.iter().any(|one| one.len() != known.len()) {
            assert!(!known.is_empty() || singles.iter().any(|one| one.len() <= known.len() + 1), "seed {seed}");
            continue;
        }
        for (i, [worst, mean]) in known.iter().enumerate() {
            let greatest = singles.iter().map(|one| one[i][0]).fold(0.0, f64::max);
            let sum: f64 = singles.iter().map(|one| one[i][1]).sum();
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + a.abs());
            let what = format!("seed {seed}, {scheduler}, number {i}");
            assert!(close(*worst, greatest), "{what}: {worst}, not {greatest}");
            assert!(close(*mean, sum / f64::from(size)), "{what}: {mean}, not {}", sum / f64::from(size));
        }
        compared[at] += 1;
        tossed += u32::from(system.tosses());
    }
    println!("{compared:?}, {tossed} with coins");
    assert!(compared.iter().all(|&count| count > 3) && tossed > 20, "{compared:?} {tossed}");
}
