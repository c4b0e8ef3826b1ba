//! `ringleader elect`, as a script would use it.

use serde_json::Value;
use std::process::{Command, Output};

fn ringleader(arguments: &str) -> Output {
    let arguments = arguments.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_ringleader")).args(arguments).output().expect("the binary runs")
}

fn last_line(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().expect("a line")).expect("JSON")
}

/// Every algorithm that is not flawed, from the program's own list.
fn algorithms() -> Vec<String> {
    let list: Value = last_line(&ringleader("list --json"));
    let sound =
        list.as_array().expect("an array").iter().filter(|card| card["flawed"] == false && card["runs"] == true);
    // Some algorithms for graphs claim trees only.
    let named = |card: &Value| {
        let graph = if is_for_graphs(card) { " --graph line" } else { "" };
        format!("{}{graph}", card["name"].as_str().expect("a name"))
    };
    sound.map(named).collect()
}

/// Whether an algorithm is for the processes of any graph.
fn is_for_graphs(card: &Value) -> bool {
    ["any graph", "tree"].iter().any(|graph| card["graph"] == *graph)
        && card["model"].as_str().is_some_and(|model| model.contains("read their neighbours"))
}

#[test]
fn each_algorithm_reaches_its_goal() {
    for name in algorithms() {
        for seed in 0..10 {
            let output = ringleader(&format!("elect {name} --seed {seed} --json"));
            let result = last_line(&output);
            assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
            let (own, on_graph) = name.split_once(' ').map_or((&*name, false), |(own, _)| (own, true));
            assert_eq!((&result["algorithm"], &result["seed"]), (&Value::from(own), &Value::from(seed)));
            assert_eq!(result["reached"], true);
            // The goals of most algorithms for graphs are neither about a leader nor about a token.
            if on_graph {
                continue;
            }
            let one = if result["tokens"].is_array() { &result["tokens"] } else { &result["leaders"] };
            // The goals of these two are neither about a leader nor about a token.
            let expected = usize::from(!["ring-orientation", "dijkstra-three-state"].contains(&&*name));
            assert_eq!(one.as_array().map(Vec::len), Some(expected), "{name}, seed {seed}: {result}");
            let faults = usize::from(result["basis"] != "terminated");
            assert_eq!(result["recoveries"].as_array().map(Vec::len), Some(faults), "{name}: {result}");
        }
    }
}

#[test]
fn the_same_seed_prints_the_same_bytes() {
    for name in algorithms() {
        for flags in ["--seed 11", "--seed 11 --json", "--seed 11 --every 3 --faults 2"] {
            let once = ringleader(&format!("elect {name} {flags}"));
            let again = ringleader(&format!("elect {name} {flags}"));
            assert_eq!(once.stdout, again.stdout, "{name} {flags}");
        }
    }
}

/// The number of printed lines must not change the run.
#[test]
fn output_does_not_change_the_run() {
    for name in algorithms() {
        let rarely = last_line(&ringleader(&format!("elect {name} --seed 5 --json")));
        let often = last_line(&ringleader(&format!("elect {name} --seed 5 --json --every 1")));
        assert_eq!(rarely, often);
    }
}

/// Layers and combinators, each over more than one algorithm.
#[test]
fn layers_reach_the_goal() {
    for flags in [
        "fischer-jiang-ring --oracle distance --size 6",
        "fischer-jiang-ring --oracle timer --size 6",
        "fischer-jiang-complete --oracle timer --size 6",
        "fischer-jiang-ring --undirected --size 5",
        "fischer-jiang-ring --undirected --oracle distance --size 5",
        "yokota-ring --undirected --size 6",
        "angluin-ring --undirected --size 5",
        "fich-johnen --alternator --size 7",
        "burns-pachl --alternator --size 5",
    ] {
        for seed in 0..5 {
            let result = last_line(&ringleader(&format!("elect {flags} --seed {seed} --json")));
            assert_eq!(result["reached"], true, "{flags} --seed {seed}: {result}");
        }
    }
}

/// The states in the output of `--json` have the form of a configuration file.
#[test]
fn a_run_starts_from_a_printed_configuration() {
    let output = ringleader("elect fischer-jiang-ring --size 5 --seed 2 --json --corrupt 0");
    let first: Value =
        serde_json::from_str(String::from_utf8_lossy(&output.stdout).lines().next().expect("a line")).expect("JSON");
    let mut file = "ringleader configuration 1\nalgorithm fischer-jiang-ring\nsize 5\n".to_string();
    for (index, state) in first["states"].as_array().expect("states").iter().enumerate() {
        file += &format!("agent {index}: {}\n", state.as_str().expect("text"));
    }
    let path = std::env::temp_dir().join(format!("ringleader-{}.configuration", std::process::id()));
    std::fs::write(&path, file).expect("a temporary file");
    let again = ringleader(&format!("elect --start {} --seed 3 --json", path.display()));
    std::fs::remove_file(&path).expect("it is there");
    let sample: Value =
        serde_json::from_str(String::from_utf8_lossy(&again.stdout).lines().next().expect("a line")).expect("JSON");
    assert_eq!(sample["states"], first["states"]);
    assert_eq!(last_line(&again)["reached"], true);
}

/// Wrong input: exit code 2, a reason, nothing on standard output, and never a panic.
#[test]
fn wrong_usage_is_refused_with_a_reason() {
    let cases = [
        ("elect fich-johnen --size 9", "9 = 3 * 3"),
        ("elect fischer-jiang-ring --size 2", "n >= 3"),
        ("elect yokota-ring --size 5 --bound 4", "n <= N"),
        ("elect yokota-ring --size 1", "needs n >= 2"),
        ("elect yokota-ring --size 0", "at least 1"),
        ("elect yokota-ring --size 99999999", "16777216"),
        ("elect fischer-jiang-complete --size 100000", "at most 67108864 arcs"),
        ("elect robust-s5 --size 2000", "1000"),
        ("elect robust-s5 --delta 5", "delta must be more than beta"),
        ("elect franklin --ids 1", "2.."),
        ("elect franklin --variant c", "a or b"),
        ("elect franklin --start all-leaders", "not self-stabilizing"),
        ("elect franklin --corrupt 1", "not self-stabilizing"),
        ("elect yokota", "did you mean yokota-ring"),
        ("elect fich-johnen --ids 3", "no parameter"),
        ("elect yokota-ring --oracle perfect", "needs no oracle"),
        ("elect yokota-ring --scheduler unfair", "random, round-robin"),
        ("elect --corrupt 17", "only 16"),
        ("elect --start nowhere", "nor a file"),
        ("elect --start tests", "cannot read"),
        ("elect --graph nowhere", "there is no such file"),
        ("elect chen-chen", "not implemented: rules not available"),
        ("elect franklin-no-bit", "flawed"),
        ("elect dolev-klawe-rodeh-bits", "flawed"),
        ("elect fokkink-pang --channels bag", "in order"),
        ("elect angluin-ring --size 4", "multiple"),
        ("elect burns-pachl --size 9", "prime"),
        ("elect yokota-ring --alternator", "population protocol"),
        ("elect fich-johnen --undirected", "population protocols"),
        ("elect yokota-ring --oracle distance", "needs no oracle"),
        ("elect fischer-jiang-complete --oracle distance", "timer"),
        ("elect chang-roberts --size 3 --identities 1,1,2", "twice"),
        ("show nothing-at-all", "no algorithm"),
    ];
    for (arguments, reason) in cases {
        let output = ringleader(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {errors}");
        assert!(errors.contains(reason), "{arguments}: {errors}");
        assert!(output.stdout.is_empty() && !errors.contains("panicked"), "{arguments}: {output:?}");
    }
}

#[test]
fn giving_up_is_exit_code_1() {
    let output = ringleader("elect --size 64 --seed 1 --limit 100 --json");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(last_line(&output)["reached"], false);
}

#[test]
fn a_graph_file_must_be_the_graph_of_the_algorithm() {
    let path = std::env::temp_dir().join(format!("ringleader-{}.dot", std::process::id()));
    std::fs::write(&path, "digraph { 0 -> 1 -> 2 -> 3 -> 0 }").expect("a temporary file");
    let on_ring = ringleader(&format!("elect yokota-ring --graph {} --seed 1 --json", path.display()));
    let on_complete = ringleader(&format!("elect fischer-jiang-complete --graph {}", path.display()));
    let two_sizes = ringleader(&format!("elect yokota-ring --size 5 --graph {}", path.display()));
    std::fs::remove_file(&path).expect("it is there");
    assert_eq!(last_line(&on_ring)["size"], 4);
    assert_eq!(on_complete.status.code(), Some(2));
    assert_eq!(two_sizes.status.code(), Some(2));
}

#[test]
fn every_mark_that_is_drawn_is_in_the_legend() {
    for name in algorithms() {
        let output = ringleader(&format!("elect {name} --seed 1 --limit 20000"));
        let text = String::from_utf8(output.stdout).expect("text");
        let legend = text.lines().nth(2).expect("a legend");
        let rows = text.lines().filter(|line| line.trim_start().starts_with(char::is_numeric));
        let drawn: String = rows.filter_map(|line| line.trim_start().split_once("  ")?.1.split("   ").next()).collect();
        for glyph in "•◦?BLAp*)~<>".chars().filter(|glyph| drawn.contains(*glyph)) {
            assert!(legend.split("   ").any(|entry| entry.starts_with(glyph)), "{name}: {glyph} in {legend}");
        }
    }
}

#[test]
fn lines_without_news_are_left_out_and_one_step_is_singular() {
    for name in ["robust-s2", "gouda-haddix", "ring-orientation"] {
        let text = String::from_utf8(ringleader(&format!("elect {name} --seed 1")).stdout).expect("text");
        assert!(!text.contains(" 1 steps"), "{text}");
        let shown: Vec<&str> =
            text.lines().map(|line| line.trim_start().trim_start_matches(char::is_numeric)).collect();
        // The last line of a stretch is always there, and so is the first after a fault.
        let again =
            shown.windows(3).filter(|lines| !lines[0].is_empty() && lines[0] == lines[1] && lines[1] == lines[2]);
        assert_eq!(again.count(), 0, "{text}");
    }
    let text = String::from_utf8(ringleader("elect ring-orientation --seed 1").stdout).expect("text");
    assert!(text.contains('>') && text.contains("16 forward, 0 backward") || text.contains("0 forward, 16 backward"));
}
