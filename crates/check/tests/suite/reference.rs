//! The numbers of the papers, and of independent programs, for every algorithm small enough.

use ringleader_algorithms::population::angluin_ring::AngluinRing;
use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_algorithms::population::layers::Distance;
use ringleader_algorithms::population::token_circulation::TokenCirculation;
use ringleader_algorithms::population::yokota_ring::YokotaRing;
use ringleader_algorithms::ring::alternator::Alternator;
use ringleader_algorithms::ring::burns_pachl::BurnsPachl;
use ringleader_algorithms::ring::fich_johnen::FichJohnen;
use ringleader_algorithms::ring::gouda_haddix::GoudaHaddix;
use ringleader_check::{Counterexample, Detector, Level, Monitor, Question, Report, Time, Value};
use ringleader_erased::{PopulationInstance, RingInstance};
use ringleader_model::trace::Actor;
use ringleader_model::{Graph, Population, Ring, Scheduler, Stabilizing, number};

fn ring<A: Ring + Stabilizing + 'static>(algorithm: A, n: usize, scheduler: Scheduler) -> Report {
    ringleader_check::ring(&RingInstance::new(algorithm).unwrap(), n, &Question::new(scheduler), &Monitor::new(2))
        .unwrap()
}

fn population<A: Population + Stabilizing + 'static>(algorithm: A, n: usize, question: &Question) -> Report {
    ringleader_check::population(&instance(algorithm), &Graph::directed_ring(n).unwrap(), question, &Monitor::new(2))
        .unwrap()
}

fn instance<A: Population + Stabilizing + 'static>(algorithm: A) -> PopulationInstance {
    PopulationInstance::new(algorithm).unwrap()
}

fn random<A: Population + Stabilizing + 'static>(algorithm: A, n: usize) -> Report {
    population(algorithm, n, &Question::new(Scheduler::Random))
}

fn expected(report: &Report) -> (&Time, &Time) {
    let times = report.expected_steps.as_ref().expect("expected steps");
    (times.to_really_safe.as_ref().unwrap(), times.to_own_safe.as_ref().unwrap())
}

fn steps_to_own(report: &Report) -> f64 {
    report.steps.as_ref().unwrap().to_own_safe.as_ref().unwrap().worst.bounds().low
}

/// Whether the value equals the reference, to its last digit, with a relative error of at most 10^-6.
fn is(value: &Value, reference: f64, digits: i32) -> bool {
    let (bounds, half) = (value.bounds(), 0.5 * 10_f64.powi(-digits) * 1.000_001);
    println!("{bounds:?} for {reference}");
    bounds.low <= reference + half && reference - half <= bounds.high && bounds.high - bounds.low <= 1e-6 * reference
}

#[test]
fn fischer_jiang_ring_under_the_random_scheduler() {
    let report = random(FischerJiangRing, 3);
    assert!(report.holds && report.really_safe == 126 && report.configurations == 512);
    let (really, _) = expected(&report);
    assert!(is(&really.worst, 19.0, 12) && is(&really.mean, 6.759504046, 9));
    let worst: Vec<_> = really.worst_start.iter().map(|&s| number::unrank(&FischerJiangRing, s.into())).collect();
    assert!(worst.iter().all(|s| s.leader && s.shield && !s.bullet), "-LS -LS -LS: {worst:?}");
}

/// Theorem 5 and the remark on n = 2, with detectors that tell the truth and that lie.
#[test]
fn fischer_jiang_ring_under_global_fairness() {
    let mut question = Question::new(Scheduler::GloballyFair);
    for n in 3..=5 {
        question.detector = Detector::Perfect;
        assert!(population(FischerJiangRing, n, &question).holds);
        question.detector = Detector::EventuallyCorrect;
        assert!(population(FischerJiangRing, n, &question).holds);
    }
    let two = population(FischerJiangRing, 2, &question);
    let run = two.counterexample.unwrap();
    assert!(!two.holds && run.recurring == Some(2), "{run:?}");
}

/// Theorem 4: even rings fail under local fairness; a coarser notion of action lets n = 3 fail too.
#[test]
fn fischer_jiang_ring_under_local_fairness() {
    let mut question = Question::new(Scheduler::LocallyFair);
    assert!(population(FischerJiangRing, 3, &question).holds);
    let four = population(FischerJiangRing, 4, &question);
    let run = four.counterexample.unwrap();
    assert!(!four.holds && run.shows.contains("the number of leaders") || run.shows.contains("2 leaders"), "{run:?}");
    assert!(all_with_two_leaders(&run), "{run:?}");
    for level in [Level::Rule, Level::Arc] {
        question.level = level;
        assert!(!population(FischerJiangRing, 3, &question).holds);
    }
}

fn all_with_two_leaders(run: &Counterexample) -> bool {
    let leaders = |c: &[u32]| c.iter().filter(|&&s| number::unrank(&FischerJiangRing, s.into()).leader).count();
    !run.cycle.is_empty() && run.cycle.iter().all(|step| leaders(&step.after) == 2)
}

/// Theorem 3.
#[test]
fn fischer_jiang_complete() {
    for n in 2..=6 {
        let graph = Graph::complete(n).unwrap();
        for scheduler in [Scheduler::Random, Scheduler::GloballyFair, Scheduler::LocallyFair] {
            let question = Question::new(scheduler);
            let report =
                ringleader_check::population(&instance(FischerJiangComplete), &graph, &question, &Monitor::new(2))
                    .unwrap();
            assert!(report.holds && report.really_safe == n as u64);
            if let Some(times) = report.expected_steps {
                // From all leaders: n(n-1)/k(k-1) steps to lose one of k, for k = n .. 2.
                assert!(is(&times.to_really_safe.unwrap().worst, (n as f64 - 1.0).powi(2), 12));
            }
        }
    }
}

/// Lemmas 2, 6 and 8, and the reference numbers for n = N = 3.
#[test]
fn yokota_ring() {
    let report = random(YokotaRing { bound: 3 }, 3);
    assert!(report.holds && report.configurations == 884_736 && report.really_safe == 74_208);
    let sets: Vec<_> = report.sets.iter().map(|s| (s.name.as_str(), s.configurations, s.closed)).collect();
    assert_eq!(sets, [("C_PB", 308_160, true), ("C_NI", 18_765, true), ("S_RL", 11_880, true)]);
    let (really, own) = expected(&report);
    assert!(is(&really.worst, 16.154851752, 9) && is(&really.mean, 6.919397076, 9));
    assert!(is(&own.worst, 16.154851752, 9) && is(&own.mean, 7.305890675, 9));
}

#[test]
fn angluin_ring() {
    let report = random(AngluinRing { modulus: 2 }, 3);
    assert!(report.holds && is(&expected(&report).0.worst, 27.0, 9));
    assert!(!random(AngluinRing { modulus: 3 }, 2).holds, "k = 3 fails at n = 2");
}

#[test]
fn token_circulation() {
    for (n, worst) in [(2, 2.0), (3, 7.0), (4, 40.0 / 3.0)] {
        let report = random(TokenCirculation, n);
        assert!(report.holds && report.configurations == 1 << (2 * n), "{n}");
        assert!(is(&expected(&report).0.worst, worst, 12));
    }
}

#[test]
fn the_distance_layer_under_algorithm_2() {
    for (bound, worst) in [(3, 28.310), (4, 31.310)] {
        let report = random(Distance { inner: FischerJiangRing, bound }, 3);
        assert!(report.holds && is(&expected(&report).0.worst, worst, 3));
    }
}

/// Theorem 2, the worst cases of the specification, and the cycle that composite sizes have.
#[test]
fn fich_johnen_under_all_alternating_schedules() {
    for (n, worst) in [(2, 7.0), (3, 26.0)] {
        let report = ring(FichJohnen { size: n }, n as usize, Scheduler::Alternating);
        assert!(report.holds && report.own_is_silent && steps_to_own(&report) == worst, "{n}");
    }
    let report = ring(FichJohnen { size: 4 }, 4, Scheduler::Alternating);
    let run = report.counterexample.unwrap();
    let (d2, d1) = (4 + 5, 1);
    assert!(!report.holds && run.cycle.iter().any(|step| step.after == [d2, d1, d2, d1]), "{run:?}");
    assert!(alternates(&run), "{run:?}");
}

/// Between two steps of a process each neighbour steps exactly once, around the cycle and on.
fn alternates(run: &Counterexample) -> bool {
    let n = run.start.len();
    let order = run.cycle.iter().chain(&run.cycle).map(|step| match step.actor {
        Actor::Process(p) => p,
        _ => usize::MAX,
    });
    let order: Vec<usize> = order.collect();
    (0..n).all(|p| {
        let neighbour = (p + 1) % n;
        let pair: Vec<_> = order.iter().filter(|&&q| q == p || q == neighbour).collect();
        pair.windows(2).all(|two| two[0] != two[1])
    })
}

/// Theorem 1: behind the alternator under the unfair daemon.
#[test]
fn fich_johnen_behind_the_alternator() {
    for (n, worst) in [(2, 7.0), (3, 15.0)] {
        let algorithm = Alternator::new(FichJohnen { size: n }, n as usize);
        let report = ring(algorithm, n as usize, Scheduler::Unfair);
        assert!(report.holds && steps_to_own(&report) == worst, "{n}");
    }
}

#[test]
fn token_rings_under_the_unfair_daemon() {
    let three = ring(BurnsPachl { size: 3 }, 3, Scheduler::Unfair);
    assert!(three.holds && three.configurations == 8);
    let five = ring(BurnsPachl { size: 5 }, 5, Scheduler::Unfair);
    assert!(five.holds && five.configurations == 248_832 && five.really_safe == 50);
    for n in 2..=6 {
        assert!(ring(GoudaHaddix, n, Scheduler::Unfair).holds, "{n}");
    }
}

#[test]
fn what_does_not_fit_is_refused_before_it_starts() {
    let question = Question::new(Scheduler::Random).within(1 << 20);
    let graph = Graph::directed_ring(4).unwrap();
    let refusal = ringleader_check::population(&instance(YokotaRing { bound: 4 }), &graph, &question, &Monitor::new(2))
        .unwrap_err();
    assert!(refusal.to_string().contains("GiB") && refusal.to_string().contains("207360000"), "{refusal}");
    let huge = ringleader_check::population(&instance(YokotaRing { bound: 400 }), &graph, &question, &Monitor::new(2))
        .unwrap_err();
    assert!(huge.to_string().contains("2^32"), "{huge}");
}

#[test]
fn a_stopped_check_says_so() {
    let monitor = Monitor::new(2);
    monitor.stop();
    let question = Question::new(Scheduler::Random);
    let graph = Graph::directed_ring(3).unwrap();
    let stopped = ringleader_check::population(&instance(FischerJiangRing), &graph, &question, &monitor);
    assert_eq!(stopped.unwrap_err(), ringleader_check::Stop::Interrupted);
}

/// A caller that waits for numbers gets the verdict long before.
#[test]
fn the_verdict_is_known_before_the_numbers() {
    let (algorithm, graph) = (instance(FischerJiangRing), Graph::directed_ring(3).unwrap());
    for (scheduler, numbers) in [(Scheduler::Random, true), (Scheduler::Unfair, false)] {
        let monitor = Monitor::new(1);
        let report = ringleader_check::population(&algorithm, &graph, &Question::new(scheduler), &monitor).unwrap();
        let early = monitor.decided();
        assert_eq!((early.is_some(), report.expected_steps.is_some()), (numbers, numbers), "{scheduler}");
        assert!(early.is_none_or(|early| early.holds && early.really_safe == 126 && early.expected_steps.is_none()));
        assert!(monitor.decided().is_none(), "it is told once");
    }
}
