//! No output may mislead: commands whose output once claimed too much, or lost a result.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

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

/// Replays a text: the exit code and the whole output.
fn replayed(name: &str, text: &str) -> (Option<i32>, String) {
    let path = scratch(name);
    std::fs::write(&path, text).expect("a file");
    let output = ringleader(&format!("elect --replay {}", path.display()));
    let (out, errors) = told(&output);
    (output.status.code(), out + &errors)
}

#[test]
fn replay_refuses_an_illegal_run() {
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
    assert!(code == Some(0) && said.contains("not verified: no scheduler is named"), "{said}");
}

#[test]
fn replay_detects_a_schedule_that_does_not_alternate() {
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

/// Where some runs were cut off, the others are no fair sample: no mean, no law, and a note in the plot.
/// Agents 0 and 3 never initiate, and both steps have another possible partner.
#[test]
fn replay_detects_partners_that_no_coin_chooses_for_ever() {
    let run = "ringleader trace 1\nalgorithm israeli-jalfon\nsize 4\nscheduler unfair\nagent 0: token=1\nagent 1: token=1\n\
               agent 2: token=0\nagent 3: token=0\ncycle\nstep arc 1 2\nstep arc 2 1\n";
    let (code, said) = replayed("chosen.trace", run);
    assert!(code == Some(0) && said.contains("the schedule is unfair") && !said.contains("partners"), "{said}");
    let (code, said) = replayed("drawn.trace", &run.replace("unfair", "random-partner"));
    assert!(code == Some(0) && said.contains("only if the coin always chooses these partners"), "{said}");
    let (code, said) = replayed("lazy.trace", &run.replace("unfair", "fair-random-partner"));
    assert!(code == Some(1) && said.contains("agent 0 initiates nothing on the cycle"), "{said}");
}

#[test]
fn runs_that_were_cut_off_give_no_mean() {
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
    assert!(std::fs::read_to_string(&plot).expect("a plot").contains("runs hit the limit"));
    let output = ringleader(command);
    let (text, _) = told(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("of 100 runs hit the limit") && !text.contains("exponent"), "{text}");
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
fn runs_that_did_not_settle_give_no_mean() {
    let report = json("simulate robust-s5 --size 5 --runs 40 --seed 1 --horizon 8 --json");
    assert!(report["unsettled"].as_u64().is_some_and(|count| (1..40).contains(&count)), "{report}");
    let times = &report["settling_deltas"];
    assert!(times["mean"].is_null() && times["max"].is_null() && times["mean_at_least"].is_f64(), "{report}");
    // The percentiles have the same names where every run settled.
    let report = json("simulate robust-s5 --size 5 --runs 40 --seed 1 --json");
    let times = ["median", "p90", "p99", "max"].map(|name| report["settling_deltas"][name].as_f64().expect(name));
    assert!(times.is_sorted(), "{report}");
}

/// An interrupted check prints an object that says so, and not nothing.
#[cfg(unix)]
#[test]
fn an_interrupted_check_says_so_in_json() {
    let interrupted = |words: &str, seconds: u64| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
        let child = command.args(words.split(' ')).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let child = child.expect("it starts");
        std::thread::sleep(std::time::Duration::from_secs(seconds));
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.is_ok_and(|status| status.success()));
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!(ended.status.code(), Some(130), "{words}");
        let told: Value = serde_json::from_slice(&ended.stdout).expect("one JSON object");
        assert_eq!((&told["verdict"], &told["holds"]), (&Value::from("interrupted"), &Value::Null), "{words}");
        told
    };
    interrupted("check fischer-jiang-ring --size 8 --no-symmetry --json", 3);
    interrupted("check franklin --size 5 --ids 5 --json", 3);
    // On a busy machine even the first graph takes longer.
    let known = |seconds| {
        let told = interrupted("check unison --graph all --size 6 --json", seconds);
        told["known"][0].as_str().is_some_and(|known| known.contains("it holds"))
    };
    assert!([3, 6, 12, 24].into_iter().any(known));
}

/// An exponent over all sizes is one number; the local exponents and the nearest laws are printed beside it.
#[test]
fn growth_is_reported_without_overclaiming() {
    let command = "simulate yokota-ring --size 16,32,..,128 --runs 200 --seed 1";
    let report = json(&format!("{command} --json"));
    let growth = &report["growth"];
    assert_eq!(growth["local_exponents"].as_array().map(Vec::len), Some(3), "{growth}");
    assert!(growth["change_per_doubling"]["ci95"].is_array() && growth["nearest"].is_string(), "{growth}");
    assert!(growth["laws"].as_array().is_some_and(|laws| laws.len() >= 5 && laws.iter().all(|l| l["aicc"].is_f64())));
    let (text, _) = told(&ringleader(command));
    for words in ["between neighbouring sizes", "AICc", "a fit says nothing about larger ones"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("grow as size to the power"), "{text}");
}

/// A search that never ends is given up long before the memory is full.
#[test]
fn an_endless_search_is_given_up_early() {
    for verb in ["check", "explore"] {
        let output = ringleader(&format!("{verb} fokkink-pang --size 3 --channels bag --memory 4"));
        let (_, errors) = told(&output);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains("perhaps infinitely many") && errors.contains("--channels fifo"), "{errors}");
        assert!(errors.contains("256 MiB"), "{errors}");
    }
}

/// Bounds are rounded outwards: the printed interval contains the computed one.
#[test]
fn printed_bounds_contain_the_computed_ones() {
    let command = "check yokota-ring --size 3 --bound 4";
    let report = json(&format!("{command} --json"));
    let worst = &report["expected_steps"]["to_really_safe"]["worst"];
    let (text, _) = told(&ringleader(command));
    let printed = text.split("worst in [").nth(1).and_then(|rest| rest.split(']').next()).expect("an interval");
    let (low, high) = printed.split_once(", ").expect("two ends");
    let number = |text: &str| text.parse::<f64>().expect("a number");
    assert!(
        number(low) <= worst["low"].as_f64().unwrap() && worst["high"].as_f64().unwrap() <= number(high),
        "{printed}"
    );
}

/// Without given identities, all their orders are checked: n to n(n + 1)/2 messages (Chang and Roberts).
#[test]
fn all_orders_of_identities_are_checked() {
    let report = json("check chang-roberts --size 5 --json");
    assert_eq!((&report["orders"]["taken"], &report["orders"]["all"]), (&24.into(), &24.into()), "{report}");
    assert_eq!((&report["verdict"], &report["orders"]["up_to"]), (&"holds".into(), &"rotation".into()));
    let names: Vec<_> = report["properties"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"only the largest identity leads in every reachable state"), "{names:?}");
    // Every order needs the same number of messages under every schedule: 9 ascending to the right, 15 descending.
    let messages = &report["expected_messages"];
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-6;
    assert!(near(&messages["min"]["low"], 9.0) && near(&messages["max"]["high"], 15.0), "{messages}");
    let extremes = &report["orders"]["uniform_messages"];
    assert_eq!(extremes["least"]["identities"], "1,2,3,4,5", "{extremes}");
    assert_eq!(extremes["greatest"]["identities"], "1,5,4,3,2", "{extremes}");
    let (text, _) = told(&ringleader("check chang-roberts --size 5"));
    assert!(text.contains("all 24 orders of the identities up to rotation"), "{text}");
    // One that is given is the only one, and what it is stands in the title.
    let (text, _) = told(&ringleader("check chang-roberts --size 5 --identities descending"));
    assert!(text.contains("identities descending") && !text.contains("orders of the identities"), "{text}");
    let (text, _) = told(&ringleader("explore chang-roberts --size 4"));
    assert!(text.contains("identities ascending"), "{text}");
}

/// Errors in the arguments are reported before the work.
#[test]
fn errors_are_found_before_the_work() {
    for (command, reason) in [
        ("check yokota-ring --size 3 --scheduler round-robin", "round-robin"),
        ("check franklin --size 4 --within 10 --against variant=z", "a or b"),
        ("check chang-roberts --size 5 --within 10", "one order of the identities"),
        ("simulate yokota-ring --size 8,16 --corrupt 12 --runs 5", "only 8 agents"),
    ] {
        let output = ringleader(command);
        let (out, errors) = told(&output);
        assert!(
            output.status.code() == Some(2) && errors.contains(reason) && out.is_empty(),
            "{command}: {out}{errors}"
        );
        assert!(!errors.contains("panicked"), "{errors}");
    }
}

/// A file that cannot be written does not suppress the computed result.
#[cfg(target_os = "linux")]
#[test]
fn results_are_printed_where_files_cannot_be_written() {
    let full = |name: &str| {
        let path = scratch(name);
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink("/dev/full", &path).expect("a link");
        path.display().to_string()
    };
    for (command, printed) in [
        (format!("check fich-johnen --size 4 --save {}", full("full.trace")), "fails: "),
        (format!("check franklin-no-bit --size 3 --ids 3 --save {}", full("full.trace")), "FAILS"),
        (format!("check franklin --size 3 --within 5 --csv {}", full("full.csv")), "within t steps"),
        (format!("check franklin --size 3 --within 5 --plot {}", full("full.svg")), "within t steps"),
        (format!("explore fokkink-pang --size 2 --export {}", full("full.aut")), "31"),
        (format!("simulate yokota-ring --size 8 --runs 5 --seed 1 --plot {}", full("full.svg")), "median"),
        // The second size has no such table: the first one is told, and then why there is no more.
        ("simulate yokota-ring --size 8,100000 --runs 5 --seed 1 --kernel table".into(), "median"),
    ] {
        let output = ringleader(&command);
        let (out, errors) = told(&output);
        assert_eq!(output.status.code(), Some(2), "{command}: {out}{errors}");
        assert!(out.contains(printed) && errors.starts_with("error: "), "{command}: {out}{errors}");
    }
    let output = ringleader(&format!("check fich-johnen --size 4 --json --save {}", full("full.trace")));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["verdict"], output.status.code()), (&"fails".into(), Some(2)));
}

/// The algorithm, the size and the parameters of a start file are binding.
#[test]
fn start_files_must_agree_with_the_arguments() {
    let (path, picture) = (scratch("start.txt"), scratch("start.png"));
    let agents =
        "agent 0: leader=1 bullet=0 shield=1 signal=0 dist=0\nagent 1: leader=0 bullet=2 shield=0 signal=0 dist=4\n";
    std::fs::write(
        &path,
        format!("ringleader configuration 1\nalgorithm yokota-ring\nsize 2\nparameter bound 4\n{agents}"),
    )
    .expect("a file");
    let (start, picture) = (path.display(), picture.display());
    for (command, reason) in [
        (format!("draw yokota-ring --size 5 --start {start} -o {picture}"), "two sizes"),
        (format!("draw angluin-ring --start {start} -o {picture}"), "not of angluin-ring"),
        (format!("simulate fischer-jiang-ring --start {start} --runs 2"), "not of fischer-jiang-ring"),
        (format!("simulate yokota-ring --start {start} --bound 9 --runs 2"), "bound 4, not with bound 9"),
        (format!("elect yokota-ring --start {start} --bound 9"), "bound 4, not with bound 9"),
        (format!("draw franklin --start all-leaders -o {picture}"), "starts clean"),
        (format!("draw yokota-ring --oracle perfect -o {picture}"), "needs no oracle"),
        (format!("draw token-circulation --start no-leader --size 4 -o {picture}"), "changes a variable that is given"),
    ] {
        let output = ringleader(&command);
        let (_, errors) = told(&output);
        assert_eq!(output.status.code(), Some(2), "{command}: {errors}");
        assert!(errors.contains(reason) && !errors.contains("panicked"), "{command}: {errors}");
    }
    for command in [
        format!("draw yokota-ring --start {start} --seed 1 -o {picture}"),
        format!("simulate yokota-ring --start {start} --runs 2 --seed 1"),
    ] {
        let output = ringleader(&command);
        assert_eq!(output.status.code(), Some(0), "{command}: {output:?}");
    }
}

#[test]
fn no_run_is_counted_twice() {
    let rows = scratch("twice.csv");
    for command in [
        format!("simulate yokota-ring --size 8,8 --runs 3 --resume {}", rows.display()),
        "simulate yokota-ring --size 8 --bound 8,16,8 --runs 3".into(),
        "simulate robust-s5 --size 3,3 --runs 3".into(),
    ] {
        let (_, errors) = told(&ringleader(&command));
        assert!(errors.contains("is given twice"), "{command}: {errors}");
    }
}

/// Each size of robust runs has its own random numbers: alone it gives the same runs, with any number of threads.
#[test]
fn sizes_of_robust_runs_are_independent() {
    let both = json("simulate robust-s2 --size 4,5 --runs 6 --seed 1 --threads 1 --json");
    let (four, five) = (&both["sizes"][0], &both["sizes"][1]);
    assert_ne!(four["seed"], five["seed"], "{both}");
    let alone = json(&format!("simulate robust-s2 --size 5 --runs 6 --seed {} --threads 2 --json", five["seed"]));
    assert_eq!(alone["digest"], five["digest"]);
}

/// Timings whose products overflow are refused, and a huge horizon does not wrap around to a small one.
#[test]
fn timings_do_not_overflow() {
    let (_, errors) =
        told(&ringleader("elect robust-s2 --size 3 --alpha 1 --beta 1099511627775 --delta 1099511627776"));
    assert!(errors.contains("too far from alpha"), "{errors}");
    let report = json("simulate robust-s2 --size 3 --runs 3 --seed 1 --horizon 18446744073709551615 --json");
    assert_eq!(report["unsettled"], 0, "{report}");
}

/// An algorithm without a safe set does not fail because a correct configuration is left again.
#[test]
fn an_algorithm_without_a_safe_set_does_not_fail_for_one() {
    let text = include_str!("../../../language/tests/twins/fischer-jiang-ring.ring");
    let (without, _) = text.split_once("safe = ").expect("it names one");
    let path = scratch("unsaid.ring");
    std::fs::write(&path, without).expect("a file");
    let (named, unnamed) =
        ("check fischer-jiang-ring --size 3 --json", format!("check {} --size 3 --json", path.display()));
    let (named, unnamed) = (json(named), json(&unnamed));
    assert_eq!(unnamed["verdict"], "holds", "{unnamed}");
    assert_eq!(unnamed["own_safe"], Value::Null);
    for same in ["really_safe", "transitions"] {
        assert_eq!(named[same], unnamed[same]);
    }
    assert_eq!(
        named["expected_steps"]["to_really_safe"]["worst"],
        unnamed["expected_steps"]["to_really_safe"]["worst"]
    );
}

#[test]
fn a_run_that_a_file_repeats_is_counted_once() {
    let path = scratch("twice.csv");
    let _ = std::fs::remove_file(&path);
    let resume = format!("simulate yokota-ring --size 8 --runs 5 --seed 1 --resume {}", path.display());
    assert_eq!(ringleader(&resume).status.code(), Some(0));
    let text = std::fs::read_to_string(&path).expect("rows");
    let last = text.lines().last().expect("a row");
    std::fs::write(&path, format!("{text}{last}\n")).expect("a file");
    let output = ringleader(&resume);
    assert!(output.status.code() == Some(2) && told(&output).1.contains("occurs twice"), "{output:?}");
}

#[test]
fn rows_and_plot_cannot_share_a_file() {
    let path = scratch("both.svg");
    let both = format!("simulate yokota-ring --size 8 --runs 3 --csv {0} --plot {0}", path.display());
    let output = ringleader(&both);
    assert!(output.status.code() == Some(2) && told(&output).1.contains("different files"), "{output:?}");
}

/// A script that reads only the first line must not take a failing check for one that holds.
#[test]
fn a_closed_pipe_is_no_success() {
    let mut check = Command::new(env!("CARGO_BIN_EXE_ringleader"))
        .args(["check", "fich-johnen", "--size", "4"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(check.stdout.take());
    assert_eq!(check.wait().expect("it ends").code(), Some(141));
}
