//! With the feature `serde`, a report can be written in any format.

use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_check::{Monitor, Question, population};
use ringleader_erased::PopulationInstance;
use ringleader_model::{Graph, Scheduler};
use serde_json::Value;

fn report(size: usize, scheduler: Scheduler) -> Value {
    let algorithm = PopulationInstance::new(FischerJiangRing).expect("it is sound");
    let ring = Graph::directed_ring(size).expect("a ring");
    let report = population(&algorithm, &ring, &Question::new(scheduler), &Monitor::default()).expect("it fits");
    serde_json::to_value(&report).expect("it can be written")
}

#[test]
fn exact_fractions_keep_all_their_digits() {
    let report = report(3, Scheduler::Random);
    assert_eq!(report["holds"], true);
    assert_eq!(report["expected_steps"]["to_really_safe"]["worst"]["Exact"], serde_json::json!(["19", "1"]));
}

#[test]
fn steps_of_a_counterexample_are_named_as_in_traces() {
    let report = report(4, Scheduler::LocallyFair);
    let actor = report["counterexample"]["cycle"][0]["actor"].as_str().expect("a cycle of steps");
    assert!(actor.starts_with("arc "), "{actor}");
}
