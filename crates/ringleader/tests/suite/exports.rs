//! Exports mean the same as `check`: its scheduler, its starts, its claims.

use crate::exported::{State, drn, extremes, lab, prism, text};
use crate::program::{json, json_words, run, run_words};
use serde_json::Value;
use std::path::PathBuf;

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The path of a text.
fn written(name: &str, source: &str) -> String {
    let path = scratch(&format!("{name}.ring"));
    std::fs::write(&path, source).expect("it can be written");
    path.display().to_string()
}

/// The path of an example.
fn example(name: &str) -> String {
    format!("{}/../../docs/examples/{name}.ring", env!("CARGO_MANIFEST_DIR"))
}

#[track_caller]
fn contains(value: &Value, known: f64) {
    let ends = [&value["low"], &value["high"]].map(|end| end.as_f64().expect("an interval"));
    assert!(ends[0] <= known + 1e-9 && known - 1e-9 <= ends[1] && ends[1] - ends[0] < 1e-6, "{value}, not {known}");
}

/// Explores with an export to Storm.
fn exported(arguments: &[&str], file: &str) -> (Value, Vec<State>) {
    let path = scratch(file);
    let name = path.display().to_string();
    let explored = json_words(&[&["explore"], arguments, &["--json", "--export", &name]].concat(), 0);
    (explored, drn(&path))
}

/// Without --scheduler, a text is explored under the scheduler under which it is checked.
#[test]
fn the_own_scheduler_is_explored() {
    let torn = |scheduler: &str| {
        let rules =
            "state x : {A, B}\nfirst:\n  1: l.x = A and r.x = B -> r.x := A\ngoal (all i : x[i] = x[0]) \"equal\"\n";
        written(
            &format!("own-{scheduler}"),
            &format!(
                "protocol own-{scheduler}\nmodel population on complete\nscheduler {scheduler}\nsupports n >= 2 \"two\"\n{rules}"
            ),
        )
    };
    let (colouring, partner) = (example("randomized/colouring"), torn("random-partner"));
    for (path, scheduler) in [(&colouring, "distributed"), (&partner, "random-partner")] {
        let found = json(&format!("check {path} --size 3 --json"), 0);
        let (explored, states) = exported(&[path, "--size", "3"], &format!("own-{scheduler}.drn"));
        assert_eq!((&explored["scheduler"], &found["scheduler"]), (&scheduler.into(), &scheduler.into()));
        contains(&found["expected_steps"]["to_really_safe"]["worst"], extremes(&states, "really_safe")[1]);
        let (_, said) = run(&format!("explore {path} --size 3"));
        assert!(said.contains(&format!("{scheduler} scheduler")) && !said.contains("note:"), "{said}");
    }
    // No decision process expresses a fair daemon.
    let fair = torn("fair");
    let (code, said) = run(&format!("explore {fair} --size 3"));
    assert!(code == 0 && said.contains("unfair scheduler") && said.contains("is fair, which no graph"), "{said}");
    let (code, said) = run(&format!("explore {fair} --size 3 --scheduler unfair"));
    assert!(code == 0 && !said.contains("note:"), "{said}");
    // With an alternator, every daemon is checked.
    let (checked, explored) = ("check fich-johnen --size 3 --alternator", "explore fich-johnen --size 3 --alternator");
    let [checked, explored] = [checked, explored].map(|command| json(&format!("{command} --json"), 0));
    assert_eq!(checked["scheduler"], explored["scheduler"]);
}

/// The initial states are the starts, and the states those that executions reach from them.
#[test]
fn starts_are_the_initial_states() {
    let majority = example("starts/exact-majority");
    let formats = ["starts.tra", "starts.prism", "starts.aut"].map(scratch);
    let flags: String = formats.iter().map(|path| format!(" --export {}", path.display())).collect();
    for (start, count) in [("", 32), ("--start A:3,B:2", 10), ("--start arbitrary", 1024), ("--start clean", 1)] {
        let command = format!("explore {majority} --size 5 --scheduler random {start} --json{flags}");
        let explored = json(&format!("{command} --export {}", scratch("starts.drn").display()), 0);
        let states = drn(&scratch("starts.drn"));
        let begins: Vec<usize> = (0..states.len()).filter(|&state| states[state].is("init")).collect();
        assert_eq!((begins.len(), &explored["stored"]), (count, &states.len().into()), "{start}");
        assert_eq!(explored["starts"].as_u64(), Some(count as u64).filter(|count| *count < 1024), "{start}");
        let lines = prism(&formats[1]);
        assert_eq!(lines.len(), states.len());
        let explicit = lab(&formats[0].with_extension("lab"), states.len());
        for ((drn, prism), lab) in states.iter().zip(&lines).zip(&explicit) {
            assert_eq!(drn.labels, prism.labels, "{start}");
            assert_eq!(drn.labels, lab.iter().filter(|label| *label != "deadlock").cloned().collect(), "{start}");
        }
        let aut = text(&formats[2]);
        let from = aut.matches("\"start\"").count();
        assert_eq!(from, if count == 1 { 0 } else { count }, "{start}");
        if count == 1 {
            assert!(aut.starts_with(&format!("des ({},", begins[0])), "{aut}");
        }
        if start != "--start clean" {
            let check = format!("check {majority} --size 5 --scheduler random --no-symmetry {start} --json");
            let found = json(&check, i32::from(count == 1024));
            for name in ["configurations", "transitions", "really_safe"] {
                assert_eq!(explored[name], found[name], "{start}: {name}");
            }
            if count < 1024 {
                contains(&found["expected_steps"]["to_really_safe"]["worst"], extremes(&states, "really_safe")[1]);
            }
        }
    }
}

/// Several processes at once, and turns, from given starts.
#[test]
fn starts_of_daemons() {
    for scheduler in ["unfair", "distributed", "synchronous", "locally-central", "alternating"] {
        for start in ["x[0] = 0", "x[0] = 1 and x[1] = 2"] {
            let flags = ["dijkstra-k-state", "--size", "3", "--scheduler", scheduler, "--start", start];
            let found = json_words(&[&["check"], &flags[..], &["--no-symmetry", "--json"]].concat(), 0);
            let (explored, states) = exported(&flags, "daemon-starts.drn");
            for name in ["scheduler", "configurations", "transitions", "really_safe"] {
                assert_eq!(explored[name], found[name], "{scheduler}, {start}: {name}");
            }
            assert_eq!(explored["starts"], found["from_starts"]["count"], "{scheduler}, {start}");
            let [_, greatest] = extremes(&states, "really_safe");
            assert_eq!(found["steps"]["to_really_safe"]["worst"].as_f64(), Some(greatest), "{scheduler}, {start}");
        }
    }
    for (start, error) in [
        ("x[0] = 0 and x[0] = 1", "no configuration meets"),
        ("all-leaders", "explore takes clean"),
        ("nonsense", "nonsense"),
    ] {
        let (code, said) = run_words(&["explore", "dijkstra-k-state", "--size", "3", "--start", start]);
        assert!(code == 2 && said.contains(error), "{start}: {said}");
    }
    let (code, said) = run("explore franklin --size 2 --start clean");
    assert!(code == 2 && said.contains("--start"), "{said}");
}

/// The sets of claims and proofs are labels, with the numbers of `check`.
#[test]
fn claims_are_labels() {
    let rules = "state x : 0..2\nfirst:\n  1: x = left.x or x = right.x -> x := draw 0..2\n";
    let goal = "goal (all i : x[i] != x[i - 1]) \"different\"\n";
    let claims = "eventually two = some i : x[i] != x[i - 1]\ninvariant three = all i : x[i] != x[i - 1]\nclosed some_two = some i : x[i] != x[i - 1]\n";
    let recurring = "recurring zero = x[i] = 0\n";
    let head = "model ring\nreads both\nscheduler distributed\nrequire n >= 3 \"three\"\n";
    let path = written("claimed", &format!("protocol claimed\n{head}{rules}{goal}{claims}{recurring}"));
    let (_, states) = exported(&[&path, "--size", "3"], "claimed.drn");
    let count = |label: &str| states.iter().filter(|state| state.is(label)).count();
    // Three configurations of 27 have one colour, and six have three.
    assert_eq!([count("eventually_two"), count("invariant_three"), count("closed_some_two")], [24, 6, 24]);
    assert!(states.iter().all(|state| state.labels.iter().all(|label| !label.contains("zero"))));
    let found = json(&format!("check {path} --size 3 --json"), 1);
    let claim = found["claims"].as_array().expect("claims").iter().find(|claim| claim["claim"] == "two");
    let claim = claim.expect("the claim was checked");
    let [least, greatest] = extremes(&states, "eventually_two");
    contains(&claim["expected_steps"]["worst"], greatest);
    contains(&claim["best_expected_steps"]["worst"], least);
    // The claims of algorithms that pass messages.
    let rules = "identities\nstate mode : {start, sent, leader} = start\nshow leader when mode = leader\non step when mode = start:\n  1: identity = 1 -> mode := leader\n  2: else -> mode := sent\n";
    let path = written(
        "sent",
        &format!(
            "protocol sent\nmodel messages on unidirectional-ring\n{rules}eventually moved = some i : mode[i] != start\n"
        ),
    );
    let (_, states) = exported(&[&path, "--size", "2"], "sent.drn");
    let moved: Vec<bool> = states.iter().map(|state| state.is("eventually_moved")).collect();
    assert!(!moved[0] && moved[1..].iter().all(|moved| *moved) && moved.len() == 4, "{moved:?}");
}

/// Probabilities are fractions, and every file that was written is named.
#[test]
fn thirds_are_exact_and_files_are_named() {
    let colouring = example("randomized/colouring");
    let [drn_path, tra, prism_path] = ["thirds.drn", "thirds.tra", "thirds.prism"].map(scratch);
    let exports = [&drn_path, &tra, &prism_path].map(|path| format!(" --export {}", path.display())).concat();
    let (code, said) = run(&format!("explore {colouring} --size 3{exports}"));
    assert_eq!(code, 0, "{said}");
    let files = [&drn_path, &tra, &tra.with_extension("sta"), &tra.with_extension("lab"), &prism_path];
    let lines: Vec<String> = files.iter().map(|file| format!("wrote {}", file.display())).collect();
    let told: Vec<&str> = said.lines().filter(|line| line.starts_with("wrote ")).collect();
    assert_eq!(told, lines);
    let (states, same) = (drn(&drn_path), prism(&prism_path));
    let choices = |state: &State| state.choices.iter().map(|(_, choice)| choice.clone()).collect::<Vec<_>>();
    let odds = |states: &[State]| states.iter().map(choices).collect::<Vec<_>>();
    assert_eq!(odds(&states), odds(&same));
    assert!(states[0].choices.iter().any(|(name, choice)| name == "p0_step" && choice[0] == (0, [1, 3])));
    assert!(states[0].choices.iter().any(|(name, choice)| name == "p0_p1_step" && choice[0] == (0, [1, 9])));
    // In a module, every choice of a state has an action of its own.
    let name = |state: usize, choice: usize| format!("{}_{choice}", states[state].choices[choice].0);
    assert!((0..states.len()).all(|s| (0..same[s].choices.len()).all(|c| same[s].choices[c].0 == name(s, c))));
    assert!(states.iter().any(|state| state.choices.iter().any(|(name, _)| name == "stays")));
    assert!(!text(&tra).contains('/'));
}

/// PRISM's language has no empty list of rewards.
#[test]
fn a_system_in_which_nothing_changes_has_no_rewards() {
    let still = "protocol still\nmodel ring\nscheduler unfair\nstate x : bit\ngoal (all i : x[i] = x[0]) \"equal\"\n\
                 first:\n  1: x = 0 and left.x = 0 -> x := 0\n";
    let (text, path) = (written("still", still), scratch("still.prism"));
    let name = path.display().to_string();
    json_words(&["explore", &text, "--size", "2", "--json", "--export", &name], 0);
    let exported = std::fs::read_to_string(&path).expect("an export");
    assert!(exported.contains("endmodule") && !exported.contains("rewards"), "{exported}");
}

/// A configuration that is its own rotation: Storm's least probability is 1, and its mean 81/112.
#[test]
fn rotations_do_not_change_the_verdict_of_alternating_schedules() {
    let text = written(
        "alternating",
        "protocol alternating\nmodel ring\nscheduler alternating\nstate x : bit\n\
         goal (some i : x[i] = x[i + 1]) \"two neighbours are equal\"\n\
         first:\n  1: x = 1 -> x := 0\n  2: x = 0 and left.x = 1 -> x := 1\n",
    );
    for more in [&[][..], &["--no-symmetry"]] {
        let told = json_words(&[&["check", &text, "--size", "4", "--json"], more].concat(), 0);
        let mean = told["steps"]["to_really_safe"]["mean"].as_f64().expect("a mean");
        assert!((mean - 81.0 / 112.0).abs() < 1e-9, "{told}");
    }
}
