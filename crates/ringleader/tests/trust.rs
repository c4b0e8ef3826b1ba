//! Nothing that the program prints may mislead: what was once said too much, or lost, as commands.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn ringleader(arguments: &str) -> Output {
    let arguments = arguments.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_ringleader")).args(arguments).output().expect("it starts")
}

fn told(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn json(arguments: &str) -> Value {
    let output = ringleader(arguments);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments}: {error}: {output:?}"))
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trust");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

/// Replays a text; the exit code, and all that was said.
fn replayed(name: &str, text: &str) -> (Option<i32>, String) {
    let path = scratch(name);
    std::fs::write(&path, text).expect("a file");
    let output = ringleader(&format!("elect --replay {}", path.display()));
    let (out, errors) = told(&output);
    (output.status.code(), out + &errors)
}

#[test]
fn replay_takes_no_illegal_run() {
    let path = scratch("legal.trace");
    let saved =
        ringleader(&format!("check fischer-jiang-ring --size 4 --scheduler locally-fair --save {}", path.display()));
    assert_eq!(saved.status.code(), Some(1), "{saved:?}");
    let text = std::fs::read_to_string(&path).expect("a trace");
    assert!(
        text.contains("graph directed ring\nscheduler locally-fair\nfairness transition\noracle perfect\n"),
        "{text}"
    );
    let (code, said) = replayed("again.trace", &text);
    assert!(code == Some(0) && said.contains("the schedule is locally-fair"), "{said}");
    for (arc, missing) in [("2 1", "from 2 to 1"), ("0 2", "from 0 to 2")] {
        let (code, said) = replayed("arc.trace", &text.replacen("step arc 0 1", &format!("step arc {arc}"), 1));
        assert!(code == Some(2) && said.contains(missing) && !said.contains("for ever"), "{said}");
    }
    let (code, said) = replayed("ring.trace", &text.replace("graph directed ring", "graph complete graph"));
    assert!(code == Some(2) && said.contains("directed ring"), "{said}");
    let (code, said) = replayed("fair.trace", &text.replace("locally-fair", "globally-fair"));
    assert!(code == Some(1) && !said.contains("repeats for ever"), "{said}");
    // A file that names no scheduler is played, and nothing is claimed of its schedule.
    let (code, said) = replayed("bare.trace", &text.replace("scheduler locally-fair\n", ""));
    assert!(code == Some(0) && said.contains("not verified: the file names no scheduler"), "{said}");
}

#[test]
fn replay_sees_that_a_schedule_does_not_alternate() {
    let path = scratch("alternating.trace");
    ringleader(&format!("check fich-johnen --size 4 --save {}", path.display()));
    let text = std::fs::read_to_string(&path).expect("a trace");
    let (code, said) = replayed("alternates.trace", &text);
    assert!(code == Some(0) && said.contains("the schedule is alternating"), "{said}");
    // Processes that stand apart may change places, neighbours may not, even where the states stay the same.
    let steps: Vec<&str> = text.lines().filter(|line| line.starts_with("step")).collect();
    let mut faults = 0;
    for pair in steps.windows(2) {
        let swapped = text.replacen(&format!("{}\n{}\n", pair[0], pair[1]), &format!("{}\n{}\n", pair[1], pair[0]), 1);
        let (code, said) = replayed("swapped.trace", &swapped);
        assert_eq!(code == Some(0), said.contains("repeats for ever"), "{said}");
        faults += usize::from(said.contains("the schedule does not alternate"));
    }
    assert!(faults > 0);
}

/// Where runs were given up, the others are no sample: no mean, no law, and the plot says so.
#[test]
fn runs_that_were_cut_off_leave_no_mean() {
    let plot = scratch("cut.svg");
    let command = "simulate yokota-ring --size 32,64 --limit 10000 --runs 100 --seed 1";
    let report = json(&format!("{command} --json --plot {}", plot.display()));
    let (whole, cut) = (&report["sizes"][0], &report["sizes"][1]);
    assert!(whole["not_reached"] == 0 && whole["mean_steps"].is_f64(), "{whole}");
    assert!(cut["not_reached"].as_u64() > Some(90) && cut["cut_off"] == cut["not_reached"], "{cut}");
    // The true mean is 18,590.
    assert!(cut["mean_steps_at_least"].as_f64().is_some_and(|low| (9_000.0..=10_000.0).contains(&low)), "{cut}");
    for unknown in ["mean_steps", "ci95", "median", "p90", "max", "ratio_to_law"] {
        assert!(cut[unknown].is_null(), "{unknown}: {cut}");
    }
    assert!(report["exponent"].is_null() && report["growth"].is_null(), "{report}");
    assert!(std::fs::read_to_string(&plot).expect("a plot").contains("runs were cut off"));
    let output = ringleader(command);
    let (text, _) = told(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("of 100 runs cut off") && !text.contains("exponent"), "{text}");
    // A recovery that was given up is none of those that healed, and the election before it stays what it was.
    let faults = "simulate yokota-ring --size 16 --corrupt 16 --repeat 3 --runs 60 --seed 1 --json";
    let (all, some) = (json(faults), json(&format!("{faults} --limit 1200")));
    let (all, some) = (&all["sizes"][0], &some["sizes"][0]);
    assert!(all["recovery"]["mean"].is_f64() && some["recovery"]["mean"].is_null(), "{some}");
    let bound = some["recovery"]["mean_at_least"].as_f64().expect("a bound");
    assert!(bound < all["recovery"]["mean"].as_f64().expect("a mean"), "{some}");
}

/// Robust runs that did not settle within the horizon, likewise.
#[test]
fn runs_that_did_not_settle_leave_no_mean() {
    let report = json("simulate robust-s5 --size 5 --runs 40 --seed 1 --horizon 8 --json");
    assert!(report["unsettled"].as_u64().is_some_and(|count| (1..40).contains(&count)), "{report}");
    let times = &report["settling_deltas"];
    assert!(times["mean"].is_null() && times["max"].is_null() && times["mean_at_least"].is_f64(), "{report}");
}

/// An exponent over all sizes is one number; what is seen from size to size, and which laws are near, is said beside it.
#[test]
fn growth_is_told_without_claiming_more() {
    let command = "simulate yokota-ring --size 16,32,..,128 --runs 200 --seed 1";
    let report = json(&format!("{command} --json"));
    let growth = &report["growth"];
    assert_eq!(growth["local_exponents"].as_array().map(Vec::len), Some(3), "{growth}");
    assert!(growth["change_per_doubling"]["ci95"].is_array() && growth["nearest"].is_string(), "{growth}");
    assert!(growth["laws"].as_array().is_some_and(|laws| laws.len() >= 5 && laws.iter().all(|l| l["aicc"].is_f64())));
    let (text, _) = told(&ringleader(command));
    for words in ["between neighbouring sizes", "AICc", "beyond them no fit can say"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("grow as size to the power"), "{text}");
}
