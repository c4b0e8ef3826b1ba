//! The numbers of `eventually` claims, compared with policy iteration in exact fractions on random systems: probabilities
//! and expected steps against the worst daemon, with the best one, and in Markov chains.

use crate::decisions::{Choice, Process, contains, fraction, site_outcomes};
use crate::twin::{Dice, random_surveys};
use num_rational::BigRational;
use ringleader_check::parts::{Daemon, Fairness, Survey, System, check};
use ringleader_check::{Claim, Claimed, Condition, Likely, Monitor, Question, Reaching, Time};
use ringleader_model::Scheduler;
use std::sync::Arc;

/// The random scheduler as a process with one choice: every site has the same share.
fn at_random(system: &System) -> Process {
    let sites = system.sites.len();
    let share = BigRational::new(1.into(), sites.into());
    let choice = |c: u32| {
        let all = (0..sites).flat_map(|site| site_outcomes(system, c, site));
        let outcomes = all.map(|(to, p, _)| (system.space.encode(&to) as usize, p * &share)).collect();
        vec![Choice::new([0].into(), outcomes)]
    };
    let size = system.space.size() as u32;
    Process { choices: (0..size).map(choice).collect(), idle: vec![vec![]; size as usize] }
}

fn process(system: &System, scheduler: Scheduler) -> Process {
    match Daemon::of(scheduler) {
        Some(daemon) => Process::together(system, daemon),
        None if scheduler == Scheduler::Random => at_random(system),
        None => Process::central(system),
    }
}

/// The least expected steps; `None` where no daemon reaches the target with probability 1.
fn best(process: &Process, target: &[bool]) -> Vec<Option<BigRational>> {
    let one = fraction(1, 1);
    let sure: Vec<bool> =
        process.greatest_probability(target, &vec![false; target.len()]).iter().map(|p| *p == one).collect();
    let mut helpful = process.clone();
    for (c, choices) in helpful.choices.iter_mut().enumerate().filter(|(c, _)| sure[*c] && !target[*c]) {
        choices.retain(|choice| choice.outcomes.iter().all(|(to, _)| sure[*to]));
        assert!(!choices.is_empty(), "{c}");
    }
    // The first policy comes nearer to the target, with some outcome.
    let (mut led, mut policy) = (target.to_vec(), vec![0; target.len()]);
    let leads = |led: &[bool], c: usize| {
        helpful.choices[c].iter().position(|choice| choice.outcomes.iter().any(|(to, _)| led[*to]))
    };
    while let Some((c, choice)) =
        (0..led.len()).filter(|&c| sure[c] && !led[c]).find_map(|c| Some((c, leads(&led, c)?)))
    {
        (led[c], policy[c]) = (true, choice);
    }
    let open: Vec<usize> = (0..target.len()).filter(|&c| sure[c] && !target[c]).collect();
    let first = open.iter().map(|&c| policy[c]).collect();
    let zero = vec![fraction(0, 1); target.len()];
    let values = helpful.optimum(&open, &zero, &|_, _| fraction(1, 1), true, first);
    values.into_iter().zip(sure).map(|(value, sure)| sure.then_some(value)).collect()
}

fn worst_and_mean(values: &[BigRational], starts: &[bool], least: bool) -> [BigRational; 2] {
    let begun: Vec<&BigRational> = values.iter().zip(starts).filter(|(_, begun)| **begun).map(|(v, _)| v).collect();
    let worst = if least { begun.iter().min() } else { begun.iter().max() };
    let mean = begun.iter().copied().sum::<BigRational>() / BigRational::from_integer(begun.len().into());
    [(*worst.expect("a start")).clone(), mean]
}

fn likely(found: &Likely, exact: &[BigRational], starts: &[bool], what: &str) {
    let [worst, mean] = worst_and_mean(exact, starts, true);
    assert!(contains(found.worst, &worst) && contains(found.mean, &mean), "{what}: {found:?}, not {worst} and {mean}");
    assert!(found.mean.high - found.mean.low < 1e-6, "{what}: {found:?}");
}

fn timed(found: &Time, exact: &[BigRational], starts: &[bool], what: &str) {
    let [worst, mean] = worst_and_mean(exact, starts, false);
    let [found_worst, found_mean] = [found.worst.bounds(), found.mean.bounds()];
    assert!(contains(found_worst, &worst) && contains(found_mean, &mean), "{what}: {found:?}, not {worst} and {mean}");
}

#[derive(Debug, Default)]
struct Seen {
    chains: u32,
    unlikely_chains: u32,
    reached: u32,
    delayed: u32,
    unlikely: u32,
    best_of_unlikely: u32,
}

/// Compares one claim under one scheduler.
fn compare(survey: &Survey, scheduler: Scheduler, [begun, target]: [&[bool]; 2], what: &str, seen: &mut Seen) {
    let (system, space) = (&survey.system, survey.system.space.clone());
    let process = process(system, scheduler);
    let fairness = (scheduler == Scheduler::Fair).then_some(Fairness::Agents);
    let agents = system.space.agents;
    let chain = process.choices.iter().all(|choices| choices.len() == 1);
    let wanted = target.to_vec();
    let reaches: Condition = Arc::new(move |digits| wanted[space.encode(digits) as usize]);
    let mut question = Question::new(scheduler);
    question.claims = vec![Claim { name: "set".into(), claimed: Claimed::Eventually(reaches), places: true }];
    question.only_claims = true;
    let report = check(survey, &question, &Monitor::new(1)).unwrap();
    let claim = &report.claims[0];
    let found = claim.reaching.clone().unwrap_or_default();
    let nothing = vec![false; target.len()];
    let kept = process.greatest_probability(&process.staying(target, fairness, agents), target);
    let least: Vec<BigRational> = kept.iter().map(|kept| fraction(1, 1) - kept).collect();
    let surely = least.iter().zip(begun).all(|(least, begun)| !begun || *least == fraction(1, 1));
    assert_eq!((claim.holds, claim.counterexample.is_none()), (surely, surely), "{what}: {claim:?}");
    let quickest = best(&process, target);
    let helped: Option<Vec<BigRational>> =
        quickest.iter().zip(begun).map(|(best, begun)| best.clone().or((!begun).then(|| fraction(0, 1)))).collect();
    let Reaching { expected_steps, best_expected_steps, delay, least_probability, greatest_probability, .. } = &found;
    if chain && matches!(scheduler, Scheduler::Random | Scheduler::Synchronous) {
        assert!(best_expected_steps.is_none() && greatest_probability.is_none() && delay.is_none(), "{what}");
        match (expected_steps, least_probability) {
            (Some(time), None) if surely => timed(time, &helped.expect("it is reached"), begun, what),
            (None, Some(found)) if !surely => likely(found, &least, begun, what),
            other => panic!("{what}: {other:?}"),
        }
        *if surely { &mut seen.chains } else { &mut seen.unlikely_chains } += 1;
        return;
    }
    assert_eq!(best_expected_steps.is_some(), helped.is_some(), "{what}: {found:?}");
    if let (Some(time), Some(exact)) = (best_expected_steps, &helped) {
        timed(time, exact, begun, what);
        seen.best_of_unlikely += u32::from(!surely);
    }
    if !surely {
        likely(least_probability.as_ref().expect("it fails"), &least, begun, what);
        let most = process.greatest_probability(target, &nothing);
        likely(greatest_probability.as_ref().expect("a daemon chooses"), &most, begun, what);
        assert!(expected_steps.is_none() && delay.is_none(), "{what}");
        seen.unlikely += 1;
        return;
    }
    assert!(least_probability.is_none() && greatest_probability.is_none(), "{what}");
    if begun.iter().all(|begun| *begun) {
        let unbounded = process.can_stay(target, None, agents);
        assert_eq!((delay.is_some(), expected_steps.is_none()), (unbounded, unbounded), "{what}: {found:?}");
        seen.delayed += u32::from(unbounded);
        if let Some(time) = expected_steps {
            let exact = process.expected(target, ringleader_check::parts::Extreme::Worst);
            timed(time, &exact, begun, what);
            seen.reached += 1;
        }
    }
}

#[test]
fn numbers_of_claims_agree_with_exact_fractions() {
    use Scheduler::{Distributed, Fair, LocallyCentral, Random, Synchronous, Unfair};
    let mut seen = Seen::default();
    for seed in 0..2500 {
        let mut dice = Dice::new(seed);
        let survey = random_surveys(&mut dice).plain;
        let system = &survey.system;
        let size = system.space.size() as usize;
        let many = size.saturating_sub(8) as u32;
        let target: Vec<bool> = (0..size).map(|_| dice.below(many + 8) < many.max(3)).collect();
        let few = target.iter().filter(|reached| !**reached).count() <= 10;
        if system.chooses() || system.has_inputs() || !system.tosses() || !few || !target.contains(&true) {
            continue;
        }
        let begun: Vec<bool> = (0..size).map(|_| dice.below(3) == 0).collect();
        let starts = dice.below(2) == 0 && begun.contains(&true);
        let schedulers: &[Scheduler] = match system.is_ring {
            true => &[Random, Unfair, Fair, Synchronous, Distributed, LocallyCentral],
            false => &[Random, Unfair, Fair],
        };
        for &scheduler in schedulers {
            let what = format!("seed {seed}, {scheduler}, starts {starts}");
            let survey = random_surveys(&mut Dice::new(seed)).plain;
            let space = survey.system.space.clone();
            if starts {
                let chosen = begun.clone();
                let survey = survey.starting(|digits| chosen[space.encode(digits) as usize]);
                compare(&survey, scheduler, [&begun, &target], &what, &mut seen);
            } else {
                compare(&survey, scheduler, [&vec![true; size], &target], &what, &mut seen);
            }
        }
    }
    println!("{seen:?}");
    let Seen { chains, unlikely_chains, reached, delayed, unlikely, best_of_unlikely } = seen;
    let all = [chains, unlikely_chains, reached, unlikely, best_of_unlikely];
    assert!(delayed > 0 && all.into_iter().all(|count| count > 20), "{seen:?}");
}
