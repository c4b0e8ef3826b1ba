//! `ringleader simulate` and `ringleader draw`, as a user calls them.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn ringleader(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ringleader")).args(arguments).output().expect("it starts")
}

fn json(arguments: &[&str]) -> Value {
    let output = ringleader(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("simulate");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    let _ = std::fs::remove_file(&path);
    path
}

fn sorted(path: &PathBuf) -> Vec<String> {
    let mut lines: Vec<String> = std::fs::read_to_string(path).expect("rows").lines().map(str::to_string).collect();
    lines.sort();
    lines
}

const RUNS: [&str; 10] =
    ["simulate", "yokota-ring", "--size", "8,16,..,64", "--runs", "20", "--seed", "7", "--corrupt", "2"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    RUNS.iter().copied().chain(more.iter().copied()).collect()
}

#[test]
fn rows_do_not_depend_on_the_number_of_threads() {
    let (one, two) = (scratch("one.csv"), scratch("two.csv"));
    ringleader(&with(&["--threads", "1", "--csv", one.to_str().unwrap()]));
    ringleader(&with(&["--threads", "2", "--csv", two.to_str().unwrap()]));
    assert_eq!(sorted(&one), sorted(&two));
    assert_eq!(sorted(&one).len(), 2 + 80);
}

/// Runs that need more steps do not reach the goal, on every kernel; the others equal the runs without a limit.
#[test]
fn a_limit_ends_long_runs_only() {
    for kernel in ["rule", "table", "skip", "auto"] {
        let (all, some) = (scratch("all.csv"), scratch("limited.csv"));
        let runs =
            ["simulate", "yokota-ring", "--size", "4", "--runs", "200", "--seed", "1", "--kernel", kernel, "--csv"];
        ringleader(&[&runs[..], &[all.to_str().unwrap()]].concat());
        let limited = ringleader(&[&runs[..], &[some.to_str().unwrap(), "--limit", "20"]].concat());
        assert_eq!(limited.status.code(), Some(1), "{kernel}");
        let steps = |line: &String| line.split(',').nth(3).and_then(|steps| steps.parse::<u64>().ok());
        let rows = |path| sorted(path).into_iter().filter(|line| steps(line).is_some()).collect::<Vec<_>>();
        let (all, some) = (rows(&all), rows(&some));
        assert!(some.iter().all(|line| steps(line) <= Some(20)), "{kernel}");
        let reached: Vec<_> = some.iter().filter(|line| line.split(',').nth(2) == Some("1")).cloned().collect();
        let within: Vec<_> = all.into_iter().filter(|line| steps(line) <= Some(20)).collect();
        assert!((20..180).contains(&reached.len()), "{kernel}: {}", reached.len());
        assert_eq!(reached, within, "{kernel}");
    }
}

#[test]
fn a_resumed_file_provides_the_seed() {
    let file = scratch("seeded.csv");
    std::fs::write(&file, "").unwrap();
    let runs = [
        "simulate",
        "franklin",
        "--size",
        "4,8",
        "--ids",
        "3",
        "--runs",
        "5",
        "--json",
        "--resume",
        file.to_str().unwrap(),
    ];
    let (first, second) = (json(&runs), json(&runs));
    assert_eq!(first["seed"], second["seed"]);
    assert_eq!(first["sizes"][1]["mean_steps"], second["sizes"][1]["mean_steps"]);
    assert_eq!((&first["start"], &first["settings"]["ids"]), (&Value::from("clean"), &Value::from("3")));
    std::fs::write(&file, "no runs\n").unwrap();
    assert_eq!(ringleader(&runs).status.code(), Some(2));
}

/// A start file with other contents is another start, even under the same name.
#[test]
fn runs_from_another_start_are_not_mixed_in() {
    let (start, rows) = (scratch("start.txt"), scratch("started.csv"));
    let agents = |dist: u32| {
        format!(
            "agent 0: leader=1 bullet=0 shield=1 signal=0 dist=0\nagent 1: leader=0 bullet=2 shield=0 signal=0 dist={dist}\n"
        )
    };
    let head = "ringleader configuration 1\nalgorithm yokota-ring\nsize 2\nparameter bound 2\n";
    let runs = [
        "simulate",
        "yokota-ring",
        "--runs",
        "3",
        "--start",
        start.to_str().unwrap(),
        "--resume",
        rows.to_str().unwrap(),
    ];
    for (dist, code) in [(1, 0), (1, 0), (0, 2)] {
        std::fs::write(&start, format!("{head}{}", agents(dist))).unwrap();
        assert_eq!(ringleader(&runs).status.code(), Some(code), "dist {dist}");
    }
}

#[test]
fn a_file_cut_short_is_resumed_to_the_same_rows() {
    let (whole, cut) = (scratch("whole.csv"), scratch("cut.csv"));
    ringleader(&with(&["--csv", whole.to_str().unwrap()]));
    let text = std::fs::read_to_string(&whole).unwrap();
    std::fs::write(&cut, &text[..text.len() / 2]).unwrap();
    let resumed = ringleader(&with(&["--resume", cut.to_str().unwrap()]));
    assert!(resumed.status.success());
    assert_eq!(sorted(&whole), sorted(&cut));
    // Other settings are refused, and the file is left as it was.
    let other = ringleader(&["simulate", "yokota-ring", "--seed", "8", "--resume", cut.to_str().unwrap()]);
    assert_eq!(other.status.code(), Some(2));
    assert_eq!(sorted(&whole), sorted(&cut));
}

/// population.md: the exact means at n = 3 lie in the 99.9 % interval of many runs, on every kernel.
#[test]
fn simulated_means_agree_with_exact_expectations() {
    for (algorithm, expected) in [("fischer-jiang-ring", 6.759504046), ("yokota-ring", 7.305890675)] {
        for kernel in ["auto", "rule", "table", "skip"] {
            let report = json(&[
                "simulate", algorithm, "--size", "3", "--runs", "20000", "--seed", "3", "--kernel", kernel, "--json",
            ]);
            let row = &report["sizes"][0];
            let (mean, low) = (row["mean_steps"].as_f64().unwrap(), row["ci95"][0].as_f64().unwrap());
            assert!((mean - expected).abs() < 1.68 * (mean - low), "{algorithm} {kernel}: {row}");
        }
    }
}

#[test]
fn json_has_the_documented_fields() {
    let report = json(&["simulate", "yokota-ring", "--size", "8,16,32", "--runs", "30", "--seed", "1", "--json"]);
    assert_eq!(report["version"], 1);
    assert_eq!(report["seed"], 1);
    assert!(report["kernel"].is_string());
    for field in
        ["size", "runs", "mean_steps", "ci95", "median", "p90", "p99", "max", "cpu_seconds", "steps_per_second"]
    {
        assert!(!report["sizes"][2][field].is_null(), "{field}");
    }
    let (low, high) =
        (report["exponent"]["ci95"][0].as_f64().unwrap(), report["exponent"]["ci95"][1].as_f64().unwrap());
    let value = report["exponent"]["value"].as_f64().unwrap();
    assert!(low < value && value < high && (1.2..3.0).contains(&value), "{report}");
}

#[test]
fn every_kind_of_algorithm_runs() {
    for arguments in [
        &["simulate", "fich-johnen", "--size", "5,7,11", "--runs", "10", "--json"][..],
        &["simulate", "franklin", "--size", "4,8", "--runs", "10", "--json"],
        &["simulate", "fischer-jiang-complete", "--size", "1000", "--start", "all-leaders", "--runs", "3", "--json"],
        &["simulate", "fischer-jiang-ring", "--size", "8", "--runs", "5", "--oracle", "delayed:50", "--json"],
        &["simulate", "yokota-ring", "--size", "8", "--bound", "8,16,32", "--runs", "5", "--json"],
    ] {
        let report = json(arguments);
        assert!(
            report["sizes"].as_array().unwrap().iter().all(|row| row["mean_steps"].as_f64() > Some(0.0)),
            "{report}"
        );
    }
}

/// A sweep over a parameter has a linear fit; a sweep over faults has the recovery against their number.
#[test]
fn parameters_and_faults_can_be_the_axis() {
    let report = json(&[
        "simulate",
        "yokota-ring",
        "--size",
        "8",
        "--bound",
        "64,128,..,512",
        "--start",
        "clean",
        "--runs",
        "200",
        "--seed",
        "1",
        "--json",
    ]);
    assert_eq!(report["axis"], "bound");
    // From zero, nothing happens until somebody has counted to N.
    let slope = &report["linear"]["slope"];
    let value = |v: &Value| v.as_f64().unwrap();
    assert!(value(&slope["ci95"][0]) > 0.0 && value(&slope["value"]) < value(&slope["ci95"][1]), "{report}");
    assert!(report["linear"]["curvature"]["ci95"].is_array() && report["linear"]["straight"].is_boolean());
    let csv = scratch("faults.csv");
    let report = json(&[
        "simulate",
        "yokota-ring",
        "--size",
        "16",
        "--corrupt",
        "1,4,16",
        "--repeat",
        "5",
        "--at",
        "100",
        "--runs",
        "40",
        "--seed",
        "1",
        "--csv",
        csv.to_str().unwrap(),
        "--json",
    ]);
    let recovery: Vec<f64> =
        report["sizes"].as_array().unwrap().iter().map(|row| value(&row["recovery"]["mean"])).collect();
    assert!(recovery.is_sorted() && recovery[0] > 0.0, "{recovery:?}");
    assert!(report["exponent"].is_null() && report["recovery_exponent"].is_object());
    assert!(std::fs::read_to_string(csv).unwrap().contains("\nsize,corrupt,run,"));
}

/// Every run of an algorithm with identities draws their order; Chang and Roberts need n to n(n + 1)/2 messages.
#[test]
fn messages_and_rounds() {
    let report = json(&["simulate", "chang-roberts", "--size", "12", "--runs", "100", "--seed", "1", "--json"]);
    let row = &report["sizes"][0];
    assert!(row["messages"]["max"].as_f64() > row["messages"]["median"].as_f64(), "{row}");
    assert_eq!(row["rounds"]["max"], 1.0, "{row}");
    let report =
        json(&["simulate", "franklin", "--size", "8", "--ids", "2,8", "--runs", "100", "--seed", "1", "--json"]);
    let rounds = |index: usize| report["sizes"][index]["rounds"]["mean"].as_f64().unwrap();
    assert!(rounds(0) > rounds(1) && rounds(1) >= 1.0, "{report}");
}

/// Counting changes no run, does not depend on threads, survives a resumed file, and agrees with the exact expectation.
#[test]
fn rounds_and_moves_of_processes() {
    let (counted, again, plain) = (scratch("counted.csv"), scratch("counted-again.csv"), scratch("uncounted.csv"));
    let name = |path: &PathBuf| path.display().to_string();
    let run = |path: &PathBuf, more: &[&str]| {
        let common = ["simulate", "dijkstra-k-state", "--size", "4,6", "--runs", "40", "--seed", "3"];
        let found = ringleader(&[&common[..], &["--scheduler", "distributed", "--csv", &name(path)], more].concat());
        assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
        sorted(path).into_iter().filter(|row| row.starts_with(char::is_numeric)).collect::<Vec<_>>()
    };
    let rows = run(&counted, &["--count-rounds"]);
    assert_eq!(rows, run(&again, &["--count-rounds", "--threads", "1"]));
    let bare = run(&plain, &[]);
    let without = |row: &String| row.rsplitn(3, ',').last().map(str::to_string);
    assert_eq!(rows.iter().map(without).collect::<Vec<_>>(), bare.iter().map(without).collect::<Vec<_>>());
    assert!(bare.iter().all(|row| row.ends_with(",,")) && rows.iter().all(|row| !row.ends_with(',')));
    let exact = json(&["check", "gouda-haddix", "--size", "3", "--scheduler", "random", "--count-rounds", "--json"]);
    let mean = &exact["rounds"]["mean"];
    let mean = (mean["low"].as_f64().unwrap() + mean["high"].as_f64().unwrap()) / 2.0;
    let simulate =
        ["simulate", "gouda-haddix", "--size", "3", "--scheduler", "random", "--runs", "3000", "--seed", "1"];
    let found = json(&[&simulate[..], &["--count-rounds", "--json"]].concat());
    let rounds = &found["sizes"][0]["rounds"];
    let (low, high) = (rounds["ci95"][0].as_f64().unwrap(), rounds["ci95"][1].as_f64().unwrap());
    // Five standard errors instead of two.
    let (middle, half) = ((low + high) / 2.0, (high - low) / 2.0 * 2.5);
    assert!((middle - mean).abs() < half && half < mean / 4.0, "{rounds}, not {mean}");
    assert!(found["sizes"][0]["moves"]["mean"].as_f64() >= rounds["mean"].as_f64());
    for (algorithm, why) in [("fischer-jiang-ring", "parallel time"), ("franklin", "announce")] {
        let refused = ringleader(&["simulate", algorithm, "--size", "3", "--count-rounds"]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && said.contains(why), "{said}");
    }
}

#[test]
fn meaningless_arguments_are_refused() {
    let graph = scratch("ring.txt");
    std::fs::write(&graph, "0 1\n1 2\n2 0\n").unwrap();
    let graph = graph.to_str().unwrap();
    for arguments in [
        &["simulate", "yokota-ring", "--graph", graph, "--size", "3"][..],
        &["simulate", "yokota-ring", "--graph", "complete"],
        &["simulate", "yokota-ring", "--size", "100", "--kernel", "count"],
        &["simulate", "yokota-ring", "--size", "100000", "--kernel", "table"],
        &["simulate", "franklin", "--corrupt", "2"],
        &["simulate", "yokota-ring", "--size", "8", "--corrupt", "9"],
        &["simulate", "yokota-ring", "--size", "8,16", "--corrupt", "1,2"],
        &["simulate", "yokota-ring", "--size", "8", "--corrupt", "1", "--at", "5", "--within", "5"],
        &["simulate", "yokota-ring", "--plot", "growth.jpeg"],
        &["draw", "yokota-ring", "--output", "run.bmp"],
    ] {
        let output = ringleader(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "), "{arguments:?}");
    }
    assert!(ringleader(&["simulate", "yokota-ring", "--graph", graph, "--runs", "5"]).status.success());
}

#[test]
fn pictures_have_the_format_of_their_name() {
    for (name, magic) in [("run.png", &b"\x89PNG"[..]), ("run.svg", b"<svg"), ("run.gif", b"GIF8")] {
        let path = scratch(name);
        let output = ringleader(&[
            "draw",
            "yokota-ring",
            "--size",
            "12",
            "--seed",
            "1",
            "--rows",
            "30",
            "-o",
            path.to_str().unwrap(),
        ]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(std::fs::read(&path).unwrap().starts_with(magic), "{name}");
    }
    let plot = scratch("growth.svg");
    ringleader(&["simulate", "yokota-ring", "--size", "8,16,32", "--runs", "9", "--plot", plot.to_str().unwrap()]);
    assert!(std::fs::read_to_string(plot).unwrap().contains("one power of all sizes"));
}

#[test]
fn several_algorithms_are_measured_side_by_side() {
    let (rows, alone, plot) = (scratch("both.csv"), scratch("alone.csv"), scratch("both.svg"));
    let both = "yokota-ring,angluin-ring";
    let common = ["--size", "5,9", "--runs", "6", "--seed", "3"];
    let name = |path: &PathBuf| path.display().to_string();
    let run =
        |algorithm: &str, more: &[&str]| json(&[&["simulate", algorithm], &common[..], &["--json"], more].concat());
    let found = run(both, &["--csv", &name(&rows), "--plot", &name(&plot)]);
    // Each is as it would be alone.
    for (index, algorithm) in both.split(',').enumerate() {
        let single = run(algorithm, &["--csv", &name(&alone)]);
        assert_eq!(found["algorithms"][index]["algorithm"], algorithm);
        assert_eq!(found["algorithms"][index]["sizes"][1]["mean_steps"], single["sizes"][1]["mean_steps"]);
        let text = std::fs::read_to_string(&rows).expect("rows");
        let own = text.lines().filter_map(|line| line.strip_prefix(&format!("{algorithm},")));
        let mut own: Vec<String> = own.map(str::to_string).collect();
        own.sort();
        let alone: Vec<String> = sorted(&alone).into_iter().filter(|l| l.starts_with(char::is_numeric)).collect();
        assert_eq!((own.len(), own), (12, alone));
    }
    let text = std::fs::read_to_string(&rows).expect("rows");
    assert_eq!(
        text.lines().nth(1),
        Some("algorithm,size,run,reached,steps,last_output_change,recoveries,messages,rounds,moves")
    );
    let plot = std::fs::read_to_string(plot).expect("a plot");
    assert!(plot.contains(">yokota-ring</text>") && plot.contains(">angluin-ring</text>"));
    // Where runs are cut off, the picture says so.
    let cut = scratch("cut.svg");
    let limited = ["simulate", both, "--size", "5,31", "--runs", "6", "--limit", "300", "--plot", &name(&cut)];
    assert_eq!(ringleader(&limited).status.code(), Some(1));
    assert!(std::fs::read_to_string(cut).expect("a plot").contains("runs hit the limit"));
    for wrong in [
        &["simulate", "yokota-ring,nobody"][..],
        &["simulate", "yokota-ring,yokota-ring"],
        &["simulate", "yokota-ring,robust-s2"],
        &["simulate", both, "--resume", "some.csv"],
        // 6 is a multiple of angluin-ring's k = 2: found before anything runs.
        &["simulate", both, "--size", "5,6"],
    ] {
        let output = ringleader(wrong);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{wrong:?}");
    }
}

#[test]
fn a_saved_run_is_drawn_with_its_cycle() {
    let (trace, picture) = (scratch("cycle.trace"), scratch("cycle.svg"));
    let saved = trace.display().to_string();
    assert_eq!(ringleader(&["check", "fich-johnen", "--size", "4", "--save", &saved]).status.code(), Some(1));
    let drawn = ringleader(&["draw", "--replay", &saved]);
    assert_eq!(drawn.status.code(), Some(0), "{}", String::from_utf8_lossy(&drawn.stderr));
    let svg = std::fs::read_to_string(&picture).expect("beside the trace");
    assert!(svg.contains(">repeats for ever</text>") && svg.contains(">process</text>") && svg.contains("crispEdges"));
    let animation = scratch("cycle.gif");
    let gif = ringleader(&["draw", "--replay", &saved, "--output", &animation.display().to_string()]);
    assert!(gif.status.success() && std::fs::read(&animation).is_ok_and(|bytes| bytes.starts_with(b"GIF")));
    // A cycle that does not close repeats nothing.
    let text = std::fs::read_to_string(&trace).expect("a trace");
    let shorter = text.trim_end().rsplit_once('\n').expect("lines").0;
    std::fs::write(&trace, format!("{shorter}\n")).expect("it can be written");
    let drawn = ringleader(&["draw", "--replay", &saved]);
    assert_eq!(drawn.status.code(), Some(1));
    assert!(!std::fs::read_to_string(&picture).expect("a picture").contains("repeats for ever"));
    for wrong in [&["--size", "4"][..], &["--seed", "1"], &["--bound", "3"], &["--output", &saved]] {
        assert_eq!(ringleader(&[&["draw", "--replay", &saved], wrong].concat()).status.code(), Some(2), "{wrong:?}");
    }
    assert_eq!(ringleader(&["draw"]).status.code(), Some(2));
}

#[test]
fn a_saved_run_of_messages_is_drawn_as_a_chart() {
    let (trace, picture) = (scratch("flaw.trace"), scratch("chart.svg"));
    let (saved, written) = (trace.display().to_string(), picture.display().to_string());
    let flawed = ["check", "franklin-no-bit", "--size", "3", "--ids", "3", "--save", &saved];
    assert_eq!(ringleader(&flawed).status.code(), Some(1));
    assert!(ringleader(&["draw", "--replay", &saved, "--output", &written]).status.success());
    let svg = std::fs::read_to_string(&picture).expect("a picture");
    assert!(svg.contains(">process 2</text>") && svg.contains(">in the end</text>"));
    let refused = ringleader(&["draw", "--replay", &saved, "--gif"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn pictures_have_axes_legends_and_few_bytes() {
    let picture = scratch("large.svg");
    let path = picture.display().to_string();
    assert!(ringleader(&["draw", "yokota-ring", "--size", "64", "--seed", "1", "--output", &path]).status.success());
    let svg = std::fs::read_to_string(&picture).expect("a picture");
    assert!(svg.len() < 100_000, "{} bytes", svg.len());
    assert!(svg.contains(">agent</text>") && svg.contains(">signal</text>"));
    assert!(
        ringleader(&["draw", "ring-orientation", "--size", "8", "--seed", "1", "--output", &path]).status.success()
    );
    let svg = std::fs::read_to_string(&picture).expect("a picture");
    assert!(svg.contains(">the next one follows</text>") && svg.contains(">the one before follows</text>"));
}
