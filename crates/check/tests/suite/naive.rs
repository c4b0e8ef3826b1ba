//! Every engine against a slow, simple reference: explicit graphs in hash maps, on thousands of random rule tables and
//! on the algorithms themselves.

use crate::twin::{self, Dice, Surveys, Twin};
use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_algorithms::population::token_circulation::TokenCirculation;
use ringleader_algorithms::population::yokota_ring::YokotaRing;
use ringleader_algorithms::ring::burns_pachl::BurnsPachl;
use ringleader_algorithms::ring::fich_johnen::FichJohnen;
use ringleader_algorithms::ring::gouda_haddix::GoudaHaddix;
use ringleader_check::parts::{self, NamedSet, Survey};
use ringleader_check::{Detector, Level, Monitor, Question, Report, Stop, Subject};
use ringleader_erased::{PopulationInstance, RingInstance};
use ringleader_model::{Graph, Scheduler};

const SINGLE: [Scheduler; 5] =
    [Scheduler::Random, Scheduler::GloballyFair, Scheduler::LocallyFair, Scheduler::Fair, Scheduler::Unfair];
const RINGS: [Scheduler; 4] =
    [Scheduler::Alternating, Scheduler::Synchronous, Scheduler::Distributed, Scheduler::LocallyCentral];

/// Compares everything that both the checker and the twin know; whether the verdict was that it holds.
///
/// The twin always gets the plain survey; the checker also one up to rotation, where the question allows it.
fn compare(surveys: &Surveys, question: &Question, what: &str) -> bool {
    let twin = Twin::new(&surveys.plain, question);
    let holds = compare_one(&surveys.plain, &twin, question, what);
    if question.up_to_symmetry() {
        assert_eq!(holds, compare_one(&surveys.folded, &twin, question, &format!("{what}, folded")));
    }
    holds
}

fn compare_one(survey: &Survey, twin: &Twin, question: &Question, what: &str) -> bool {
    let monitor = Monitor::new(2);
    let report = parts::check(survey, question, &monitor).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(report.transitions, twin.transitions(), "{what}: transitions");
    assert_eq!(report.own_safe, twin.own_safe(), "{what}: own safe");
    assert_eq!(report.really_safe, twin.really_safe_configurations(), "{what}: really safe");
    let converges = twin.converges();
    let own_fine = report.own_is_closed && report.own_is_really_safe && report.sets.iter().all(|s| s.closed);
    assert_eq!(report.holds, converges && own_fine, "{what}: verdict, {report:?}");
    assert_eq!(report.own_is_closed, twin.is_closed(&twin.survey.own_safe), "{what}: own set");
    compare_sets(&report, twin, what);
    compare_times(&report, twin, question, converges, what);
    assert_eq!(report.holds, report.counterexample.is_none(), "{what}: what fails is shown");
    if let Some(run) = &report.counterexample {
        twin.accepts(run, converges).unwrap_or_else(|e| panic!("{what}: counterexample: {e}\n{run:#?}"));
    }
    report.holds
}

/// For a set that is not closed, the report shows a step out of it.
fn compare_sets(report: &Report, twin: &Twin, what: &str) {
    assert_eq!(report.sets.len(), twin.survey.sets.len(), "{what}");
    for (found, NamedSet { name, members, .. }) in report.sets.iter().zip(&twin.survey.sets) {
        assert_eq!(found.configurations, members.count(), "{what}: {name}");
        assert_eq!(found.closed, twin.is_closed(members), "{what}: {name}");
        assert_eq!(found.closed, found.counterexample.is_none(), "{what}: {name}");
        let Some(run) = &found.counterexample else { continue };
        twin.accepts(run, true).unwrap_or_else(|e| panic!("{what}: out of {name}: {e}\n{run:#?}"));
        let ([step], []) = (&run.prefix[..], &run.cycle[..]) else { panic!("{what}: one step, not {run:#?}") };
        let ends = [&run.start, &step.after].map(|digits| twin.contains(members, digits));
        assert_eq!(ends, [true, false], "{what}: {name}");
    }
}

fn compare_times(report: &Report, twin: &Twin, question: &Question, converges: bool, what: &str) {
    // A wrong claim about a set does not suppress the times.
    let told = report.steps.is_some() || report.expected_steps.is_some();
    let timed = match question.scheduler {
        Scheduler::Random => question.detector == Detector::Perfect,
        Scheduler::GloballyFair | Scheduler::LocallyFair | Scheduler::Fair => false,
        _ => true,
    };
    assert_eq!(told, timed && converges, "{what}: whether times are told");
    if let Some(time) = report.steps.as_ref().and_then(|t| t.to_really_safe.as_ref()) {
        assert!(converges, "{what}");
        let (worst, mean) = twin.longest();
        assert_eq!(time.worst.bounds().low, f64::from(worst), "{what}: longest run");
        assert!((time.mean.bounds().low - mean).abs() < 1e-9, "{what}: mean of the longest runs");
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
    let (mut holds, mut total, mut folded, mut left) = (0, 0, 0, 0);
    for seed in 0..3000 {
        let mut dice = Dice::new(seed);
        let surveys = twin::random_surveys(&mut dice);
        let survey = &surveys.plain;
        let mut schedulers = SINGLE.to_vec();
        if survey.system.is_ring {
            schedulers.extend(RINGS);
        }
        let mut question =
            Question::new(schedulers[dice.below(schedulers.len() as u32) as usize]).with_adversarial_coins();
        question.level = [Level::Transition, Level::Rule, Level::Arc][dice.below(3) as usize];
        let lies = survey.system.has_inputs() && !matches!(question.scheduler, Scheduler::Fair | Scheduler::Unfair);
        if lies && dice.below(2) == 0 {
            question.detector = Detector::EventuallyCorrect;
        }
        holds += u32::from(compare(&surveys, &question, &format!("seed {seed}, {question:?}")));
        total += 1;
        left += survey.sets.iter().filter(|set| !Twin::new(survey, &question).is_closed(&set.members)).count();
        folded += u32::from(question.up_to_symmetry() && surveys.folded.system.is_up_to_symmetry());
    }
    println!("{holds} of {total} random tables hold; {folded} were checked up to rotation too");
    assert!(left > 100, "only {left} sets of a proof can be left");
    assert!(folded > total / 5, "{folded} of {total}");
    assert!(holds > total / 50 && holds < total * 9 / 10, "{holds} of {total}: the tables say too little");
}

#[test]
fn small_algorithms() {
    let monitor = Monitor::new(2);
    let mut cases: Vec<(&str, Surveys)> = vec![];
    let mut add = |name, survey: &dyn Fn(&Question) -> Result<Survey, Stop>| {
        let folded = Question::new(Scheduler::Random);
        let plain = folded.clone().without_symmetry();
        cases.push((name, Surveys { plain: survey(&plain).unwrap(), folded: survey(&folded).unwrap() }));
    };
    for n in 2..=4 {
        let (ring, complete) = (Graph::directed_ring(n).unwrap(), Graph::complete(n).unwrap());
        add("fischer-jiang-ring", &|question| {
            Survey::of(
                &Subject::Population(&PopulationInstance::new(FischerJiangRing).unwrap(), &ring),
                question,
                &monitor,
            )
        });
        add("fischer-jiang-complete", &|question| {
            Survey::of(
                &Subject::Population(&PopulationInstance::new(FischerJiangComplete).unwrap(), &complete),
                question,
                &monitor,
            )
        });
        add("token-circulation", &|question| {
            Survey::of(
                &Subject::Population(&PopulationInstance::new(TokenCirculation).unwrap(), &ring),
                question,
                &monitor,
            )
        });
        add("gouda-haddix", &|question| {
            Survey::of(&Subject::Ring(&RingInstance::new(GoudaHaddix).unwrap(), n), question, &monitor)
        });
    }
    let two = Graph::directed_ring(2).unwrap();
    add("yokota-ring", &|question| {
        Survey::of(
            &Subject::Population(&PopulationInstance::new(YokotaRing { bound: 2 }).unwrap(), &two),
            question,
            &monitor,
        )
    });
    for n in 2..=3 {
        add("fich-johnen", &|question| {
            Survey::of(
                &Subject::Ring(&RingInstance::new(FichJohnen { size: n }).unwrap(), n as usize),
                question,
                &monitor,
            )
        });
    }
    add("burns-pachl", &|question| {
        Survey::of(&Subject::Ring(&RingInstance::new(BurnsPachl { size: 3 }).unwrap(), 3), question, &monitor)
    });
    for (name, surveys) in &cases {
        let survey = &surveys.plain;
        let n = survey.system.space.agents;
        let ring: &[Scheduler] = if survey.system.is_ring { &RINGS } else { &[] };
        // The reference compares all pairs; larger spaces get only the questions that it answers in one pass.
        let large = survey.system.space.size() > 600;
        use Scheduler::{Distributed, Fair, LocallyCentral, LocallyFair, Random};
        let slow = |s: &Scheduler| matches!(s, Random | LocallyFair | Fair | Distributed | LocallyCentral);
        for &scheduler in SINGLE.iter().chain(ring).filter(|s| !large || !slow(s)) {
            let mut question = Question::new(scheduler);
            let holds = compare(surveys, &question, &format!("{name}, {n} agents, {scheduler}"));
            println!("{name} {n} {scheduler}: {holds}");
            let lies = survey.system.has_inputs() && survey.system.space.size() <= 64;
            if lies && !matches!(scheduler, Scheduler::Fair | Scheduler::Unfair) {
                question.detector = Detector::EventuallyCorrect;
                compare(surveys, &question, &format!("{name}, {n} agents, {scheduler}, lies"));
            }
        }
    }
}
