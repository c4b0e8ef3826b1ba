//! Every engine against a slow, obvious twin: explicit graphs in hash maps, on thousands of random rule tables and on the
//! algorithms themselves.

mod twin;

use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_algorithms::population::yokota_ring::YokotaRing;
use ringleader_algorithms::ring::burns_pachl::BurnsPachl;
use ringleader_algorithms::ring::fich_johnen::FichJohnen;
use ringleader_algorithms::ring::gouda_haddix::GoudaHaddix;
use ringleader_check::report::{Detector, Level};
use ringleader_check::{Options, Report, Survey, Watch, check};
use ringleader_model::{Graph, Scheduler};
use twin::{Dice, Twin};

const SINGLE: [Scheduler; 5] =
    [Scheduler::Random, Scheduler::GloballyFair, Scheduler::LocallyFair, Scheduler::Fair, Scheduler::Unfair];
const RINGS: [Scheduler; 2] = [Scheduler::Alternating, Scheduler::Synchronous];

/// Compares everything that both the checker and the twin know; whether the verdict was that it holds.
fn compare(survey: &Survey, options: &Options, what: &str) -> bool {
    let watch = Watch::new(2);
    let report = check::check(survey, options, &watch).unwrap_or_else(|e| panic!("{what}: {e}"));
    let twin = Twin::new(survey, options);
    assert_eq!(report.really_safe, twin.really_safe_configurations(), "{what}: really safe");
    let converges = twin.converges();
    let own_fine = report.own_is_closed && report.own_is_really_safe && report.sets.iter().all(|s| s.closed);
    assert_eq!(report.holds, converges && own_fine, "{what}: verdict, {report:?}");
    assert_eq!(report.own_is_closed, twin.own_is_closed(), "{what}: own set");
    compare_times(&report, &twin, converges, what);
    if let Some(run) = &report.counterexample {
        twin.accepts(run, converges).unwrap_or_else(|e| panic!("{what}: counterexample: {e}\n{run:#?}"));
    }
    report.holds
}

fn compare_times(report: &Report, twin: &Twin, converges: bool, what: &str) {
    if let Some(time) = report.steps.as_ref().and_then(|t| t.to_really_safe.as_ref()) {
        assert!(converges, "{what}");
        assert_eq!(time.worst.bounds().low, f64::from(twin.longest()), "{what}: longest run");
    }
    if let Some(time) = report.expected_steps.as_ref().and_then(|t| t.to_really_safe.as_ref()) {
        let (worst, mean) = twin.expected();
        for (bounds, value) in [(time.worst.bounds(), worst), (time.mean.bounds(), mean)] {
            let slack = 1e-9 * (1.0 + value);
            assert!(bounds.low <= value + slack && value <= bounds.high + slack, "{what}: {bounds:?} and {value}");
        }
    }
}

/// Random tables on rings and complete graphs, with and without inputs and coins. The seed of a failure is in its name.
#[test]
fn random_rule_tables() {
    let (mut holds, mut total) = (0, 0);
    for seed in 0..3000 {
        let mut dice = Dice::new(seed);
        let survey = twin::random_survey(&mut dice);
        let mut schedulers = SINGLE.to_vec();
        if survey.system.is_ring() {
            schedulers.push(RINGS[0]);
            if survey.system.deterministic() {
                schedulers.push(RINGS[1]);
            }
        }
        let mut options = Options::new(schedulers[dice.below(schedulers.len() as u32) as usize]);
        options.level = [Level::Transition, Level::Rule, Level::Arc][dice.below(3) as usize];
        let lies = survey.system.has_inputs() && !matches!(options.scheduler, Scheduler::Fair | Scheduler::Unfair);
        if lies && dice.below(2) == 0 {
            options.detector = Detector::EventuallyCorrect;
        }
        holds += u32::from(compare(&survey, &options, &format!("seed {seed}, {options:?}")));
        total += 1;
    }
    println!("{holds} of {total} random tables hold");
    assert!(holds > total / 50 && holds < total * 9 / 10, "{holds} of {total}: the tables say too little");
}

#[test]
fn small_algorithms() {
    let watch = Watch::new(2);
    let mut surveys = vec![];
    for n in 2..=4 {
        let ring = Graph::directed_ring(n).unwrap();
        surveys.push(("fischer-jiang-ring", Survey::population(&FischerJiangRing, &ring, &watch).unwrap()));
        let complete = Graph::complete(n).unwrap();
        surveys.push(("fischer-jiang-complete", Survey::population(&FischerJiangComplete, &complete, &watch).unwrap()));
        surveys.push(("gouda-haddix", Survey::ring(&GoudaHaddix, n, &watch).unwrap()));
    }
    let two = Graph::directed_ring(2).unwrap();
    surveys.push(("yokota-ring", Survey::population(&YokotaRing { bound: 2 }, &two, &watch).unwrap()));
    for n in 2..=3 {
        surveys.push(("fich-johnen", Survey::ring(&FichJohnen { size: n }, n as usize, &watch).unwrap()));
    }
    surveys.push(("burns-pachl", Survey::ring(&BurnsPachl { size: 3 }, 3, &watch).unwrap()));
    for (name, survey) in &surveys {
        let n = survey.system.space().agents();
        let ring: &[Scheduler] = if survey.system.is_ring() { &RINGS } else { &[] };
        // The twin compares everything with everything: larger spaces get only what it can do in one pass.
        let large = survey.system.space().size() > 600;
        let quadratic = |s: &Scheduler| matches!(s, Scheduler::Random | Scheduler::LocallyFair | Scheduler::Fair);
        for &scheduler in SINGLE.iter().chain(ring).filter(|s| !large || !quadratic(s)) {
            let mut options = Options::new(scheduler);
            let holds = compare(survey, &options, &format!("{name}, {n} agents, {scheduler}"));
            println!("{name} {n} {scheduler}: {holds}");
            let lies = survey.system.has_inputs() && survey.system.space().size() <= 64;
            if lies && !matches!(scheduler, Scheduler::Fair | Scheduler::Unfair) {
                options.detector = Detector::EventuallyCorrect;
                compare(survey, &options, &format!("{name}, {n} agents, {scheduler}, lies"));
            }
        }
    }
}
