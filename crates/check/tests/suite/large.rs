//! The largest cases of docs/checking.md. Those that take minutes and gigabytes are run by hand, one at a time:
//! `cargo test --release -p ringleader-check --test suite large::NAME -- --ignored --nocapture`.

use ringleader_algorithms::population::yokota_ring::YokotaRing;
use ringleader_algorithms::ring::alternator::Alternator;
use ringleader_algorithms::ring::fich_johnen::FichJohnen;
use ringleader_check::{Monitor, Question, Report};
use ringleader_erased::{PopulationInstance, RingInstance};
use ringleader_model::{Graph, Scheduler};
use std::time::Instant;

fn shown(begun: Instant, monitor: &Monitor, report: &Report) {
    println!("{:.1} s; {:?}", begun.elapsed().as_secs_f64(), monitor.found());
    println!("{:?} {:?}", report.steps, report.expected_steps);
}

/// Every configuration of four agents; the bounds of the worst case are those of the same check without symmetry. The memory does not
/// suffice for a counterexample among the classes that the proof's sets distinguish: those of the goal have shown that there is none.
#[test]
fn yokota_ring_of_four() {
    let (begun, monitor) = (Instant::now(), Monitor::new(2));
    let question = Question::new(Scheduler::Random).within(32 << 20);
    let graph = Graph::directed_ring(4).unwrap();
    let report = ringleader_check::population(
        &PopulationInstance::new(YokotaRing { bound: 4 }).unwrap(),
        &graph,
        &question,
        &monitor,
    )
    .unwrap();
    shown(begun, &monitor, &report);
    assert!(report.holds && report.configurations == 207_360_000 && report.transitions == 794_016_000);
    assert_eq!((report.really_safe, report.own_safe), (4_552_320, 527_616));
    let worst = report.expected_steps.unwrap().to_really_safe.unwrap().worst.bounds();
    assert!(worst.low <= 37.262_007_1 && 37.261_998_0 <= worst.high && worst.high - worst.low <= 1e-6 * worst.low);
}

/// Every configuration of five agents. The sets of the proof take a gigabyte and twenty minutes more.
#[test]
#[ignore = "gigabytes, minutes"]
fn yokota_ring_of_five() {
    for only_goal in [true, false] {
        let (begun, monitor) = (Instant::now(), Monitor::new(2));
        let mut question = Question::new(Scheduler::Random).within(2 << 30);
        question.only_goal = only_goal;
        let (algorithm, graph) = (YokotaRing { bound: 5 }, Graph::directed_ring(5).unwrap());
        let algorithm = PopulationInstance::new(algorithm).unwrap();
        let report = ringleader_check::population(&algorithm, &graph, &question, &monitor).unwrap();
        shown(begun, &monitor, &report);
        assert!(report.holds && report.configurations == 61_917_364_224);
        assert_eq!((report.states, report.really_safe), (144, 331_672_320));
    }
}

#[test]
#[ignore = "gigabytes, minutes"]
fn fich_johnen_on_five_under_all_alternating_schedules() {
    let (begun, monitor) = (Instant::now(), Monitor::new(2));
    let algorithm = RingInstance::new(FichJohnen { size: 5 }).unwrap();
    let report = ringleader_check::ring(&algorithm, 5, &Question::new(Scheduler::Alternating), &monitor).unwrap();
    shown(begun, &monitor, &report);
    assert!(report.holds && report.own_is_silent && report.product_states == Some(9_765_625 * 30));
}

#[test]
#[ignore = "gigabytes, minutes"]
fn fich_johnen_on_five_behind_the_alternator() {
    let (begun, monitor) = (Instant::now(), Monitor::new(2));
    let algorithm = RingInstance::new(Alternator::new(FichJohnen { size: 5 }, 5)).unwrap();
    let report = ringleader_check::ring(&algorithm, 5, &Question::new(Scheduler::Unfair), &monitor).unwrap();
    shown(begun, &monitor, &report);
    assert!(report.holds && report.configurations == 312_500_000);
}
