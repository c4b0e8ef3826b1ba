//! Randomized algorithms with known results: fair coins against every daemon, and exports that mean the same.

use crate::exported::{drn, extremes};
use crate::program::{json, json_words, run, run_words};
use serde_json::Value;
use std::path::PathBuf;

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The path of an example.
fn example(name: &str) -> String {
    format!("{}/../../docs/examples/randomized/{name}.ring", env!("CARGO_MANIFEST_DIR"))
}

#[track_caller]
fn contains(value: &Value, known: f64) {
    let ends = [&value["low"], &value["high"]].map(|end| end.as_f64().expect("an interval"));
    assert!(ends[0] <= known + 1e-9 && known - 1e-9 <= ends[1] && ends[1] - ends[0] < 1e-6, "{value}, not {known}");
}

/// Two neighbours in conflict draw again. The daemon chooses who draws, but not the colours.
#[test]
fn a_ring_is_coloured_under_every_daemon() {
    let colouring = example("colouring");
    for scheduler in ["unfair", "distributed", "locally-central", "synchronous", "fair"] {
        for size in [3, 4] {
            let found = json(&format!("check {colouring} --size {size} --scheduler {scheduler} --json"), 0);
            assert_eq!((&found["verdict"], &found["coins"]), (&"holds".into(), &"fair".into()), "{scheduler}");
        }
    }
    let found = json(&format!("check {colouring} --size 3 --json"), 0);
    contains(&found["expected_steps"]["to_really_safe"]["worst"], 6.75);
    // If the daemon chooses the colours too, it keeps the conflict for ever.
    let worst = json(&format!("check {colouring} --size 3 --coins adversarial --json"), 1);
    assert_eq!(worst["coins"], "adversarial");
    assert!(!worst["counterexample"]["cycle"].as_array().expect("a cycle").is_empty());
}

#[test]
fn an_independent_set_is_found_under_every_daemon() {
    for scheduler in ["unfair", "distributed", "locally-central", "synchronous"] {
        let found = json(&format!("check {} --size 4 --scheduler {scheduler} --json", example("independent-set")), 0);
        assert_eq!(found["verdict"], "holds", "{scheduler}");
    }
}

/// Odd rings under the unfair central daemon.
#[test]
fn deterministic_tokens_pace_the_probabilistic_ones() {
    for (size, known) in [(3, 2.0), (5, 143.0 / 12.0)] {
        let found = json(&format!("check {} --size {size} --json", example("beauquier-gradinariu-johnen")), 0);
        contains(&found["expected_steps"]["to_really_safe"]["worst"], known);
    }
}

/// Herman's tokens need a synchronous daemon: a process that steps alone creates tokens. The strategy is saved and replayed with other coins.
#[test]
fn herman_needs_the_synchronous_daemon() {
    json("check herman --size 5 --json", 0);
    for scheduler in ["unfair", "fair", "distributed", "locally-central", "alternating"] {
        let path = scratch(&format!("herman-{scheduler}.trace"));
        let flags = format!("--scheduler {scheduler} --save {}", path.display());
        let found = json(&format!("check herman --size 5 {flags} --json"), 1);
        let strategy = found["counterexample"]["strategy"].as_array().expect("a strategy");
        assert!(
            !strategy.is_empty() && strategy.iter().all(|at| !at["choices"].as_array().expect("a list").is_empty())
        );
        assert!(found["least_probability"]["mean"]["high"].as_f64() < Some(1.0));
        for seed in ["", "--seed 1", "--seed 2"] {
            let (code, said) = run(&format!("elect --replay {} {seed}", path.display()));
            assert_eq!(code, 0, "{scheduler}: {said}");
            assert!(said.contains("the strategy stays in its"), "{said}");
        }
        // A choice that can leave the strategy is found.
        let trace = std::fs::read_to_string(&path).expect("it was written");
        let cut = trace.rfind("\nat ").expect("a configuration");
        std::fs::write(&path, &trace[..=cut]).expect("it can be written");
        let (code, said) = run(&format!("elect --replay {}", path.display()));
        assert_eq!(code, 1, "{scheduler}: {said}");
    }
    let (code, said) = run("check herman --size 5 --coins loaded");
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("it must be fair or adversarial"), "{said}");
}

/// Rmin and Rmax of an export are the numbers of `check`, under every daemon that a decision process expresses.
#[test]
fn exported_decision_processes_mean_the_same() {
    let models = [("colouring", 3), ("independent-set", 4), ("beauquier-gradinariu-johnen", 3)];
    for (name, size) in models {
        for scheduler in ["unfair", "distributed", "locally-central", "synchronous"] {
            if name.starts_with('b') && scheduler != "unfair" {
                continue;
            }
            let path = scratch("daemon.drn");
            let flags = format!("{} --size {size} --scheduler {scheduler} --json", example(name));
            let found = json(&format!("check {flags}"), 0);
            let explored = json(&format!("explore {flags} --export {}", path.display()), 0);
            for count in ["configurations", "transitions", "really_safe", "scheduler"] {
                assert_eq!(found[count], explored[count], "{name} {scheduler}: {count}");
            }
            let [least, greatest] = extremes(&drn(&path), "really_safe");
            contains(&found["expected_steps"]["to_really_safe"]["worst"], greatest);
            if scheduler != "synchronous" {
                contains(&found["best_expected_steps"]["to_really_safe"]["worst"], least);
            }
        }
    }
}

/// Without coins the greatest expected steps are the longest execution. Processes that are not enabled have no choice, so nothing loops.
#[test]
fn exported_daemons_without_coins_take_as_long_as_the_longest_execution() {
    for (name, size, scheduler) in [
        ("dijkstra-k-state", 3, "unfair"),
        ("dijkstra-k-state", 3, "distributed"),
        ("dijkstra-k-state", 3, "locally-central"),
        ("dijkstra-three-state", 3, "unfair"),
        ("fich-johnen", 3, "alternating"),
    ] {
        let path = scratch("longest.drn");
        let flags = format!("{name} --size {size} --scheduler {scheduler} --json");
        let found = json(&format!("check {flags}"), 0);
        json(&format!("explore {flags} --export {}", path.display()), 0);
        let [_, greatest] = extremes(&drn(&path), "really_safe");
        assert_eq!(found["steps"]["to_really_safe"]["worst"].as_f64(), Some(greatest), "{name} {scheduler}");
    }
}

/// One's own claims have the numbers of the goal.
#[test]
fn claims_have_probabilities_and_expected_steps() {
    let colouring = example("colouring");
    let asked = |claim: &'static str| {
        ["check", &colouring, "--size", "3", "--scheduler", "distributed", "--eventually", claim, "--json"]
            .map(String::from)
    };
    let found = json_words(&asked("x[0] = 2").each_ref().map(String::as_str), 1);
    let claim = &found["claims"][0];
    assert_eq!((&claim["holds"], &claim["expected_steps"]), (&false.into(), &Value::Null));
    // A proper colouring without colour 2 at process 0 never changes.
    for name in ["least_probability", "greatest_probability"] {
        contains(&claim[name]["worst"], 0.0);
        assert!(claim[name]["mean"]["low"].as_f64() > Some(0.3), "{claim}");
    }
    // From (0, 0, 0) one process draws another colour with probability 2/3, and all three with probability 24/27.
    let different = "some i : x[i] != x[i - 1]";
    let found = json_words(&asked(different).each_ref().map(String::as_str), 0);
    let claim = &found["claims"][0];
    contains(&claim["expected_steps"]["worst"], 1.5);
    contains(&claim["best_expected_steps"]["worst"], 9.0 / 8.0);
    let (code, said) = run_words(&["check", &colouring, "--size", "3", "--eventually", different]);
    assert_eq!(code, 0, "{said}");
    for daemon in ["against the worst daemon", "with the best daemon"] {
        assert!(said.contains(&format!("expected steps to `{different}` {daemon}: worst in [")), "{said}");
    }
}

/// A majority wins with a probability that depends on its start. There are more than 2^64 configurations of 41 agents; they
/// are checked as multisets.
#[test]
fn majorities_of_many_agents() {
    let majority = format!("{}/../../docs/examples/starts/approximate-majority.ring", env!("CARGO_MANIFEST_DIR"));
    let asked = |size: &str, start: &str| {
        let wins = "all i : x[i] = A";
        json_words(&["check", &majority, "--size", size, "--start", start, "--eventually", wins, "--json"], 1)
    };
    let (small, large) = (asked("4", "A: 3, B: 1"), asked("41", "A: 25, B: 16"));
    contains(&small["claims"][0]["least_probability"]["worst"], 0.875);
    assert_eq!((&large["configurations"], &large["classes"]), (&Value::Null, &(43 * 42 / 2 - 1).into()));
    assert!(large["unshown"].is_string(), "{large}");
    let likely = large["claims"][0]["least_probability"]["worst"]["low"].as_f64().expect("a number");
    assert!(likely > 0.9 && likely < 0.99, "{large}");
    let goal = json_words(&["check", &majority, "--size", "41", "--start", "A: 25, B: 16", "--json"], 0);
    assert!(goal["expected_steps"]["to_really_safe"]["worst"]["low"].as_f64() > Some(100.0), "{goal}");
}
