//! Text protocols, as a new user meets them: a file that works, an error, a counterexample, the repair, the plot.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// An empty folder for one test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("texts").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
    command.current_dir(folder).args(words);
    command
}

/// The exit code and the whole output.
pub(crate) fn say(folder: &Path, words: &[&str]) -> (i32, String) {
    let Output { status, stdout, stderr } = command(folder, words).output().expect("it starts");
    (status.code().unwrap_or(-1), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

#[track_caller]
pub(crate) fn says(folder: &Path, words: &[&str], code: i32, parts: &[&str]) {
    let (found, said) = say(folder, words);
    assert_eq!(found, code, "{words:?}: {said}");
    for part in parts {
        assert!(said.contains(part), "{words:?} does not say {part:?}: {said}");
    }
}

/// Of the second rule of a new population protocol.
const GUARD: &str = "not l.leader and not r.leader and not l.hears";

fn change(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).expect("the file");
    assert!(text.contains(from), "{text}");
    std::fs::write(file, text.replace(from, to)).expect("written");
}

#[test]
fn a_new_user_repairs_a_protocol() {
    let here = folder("student");
    says(&here, &["new", "duel"], 0, &["wrote duel.ring", "ringleader watch duel.ring"]);
    says(&here, &["new", "duel"], 2, &["cannot write duel.ring"]);
    let file = here.join("duel.ring");
    says(&here, &["check", "duel.ring", "--size", "3"], 0, &["holds", "exactly one leader"]);
    // A slip.
    change(&file, "r.leader := 0", "r.laeder := 0");
    says(
        &here,
        &["check", "duel.ring", "--size", "3"],
        2,
        &["no variable `laeder`", "did you mean `leader`?", "duel.ring:"],
    );
    // A wrong rule: whoever meets a follower takes itself for the leader, whatever it hears.
    change(&file, "r.laeder := 0", "r.leader := 0");
    change(&file, GUARD, "not l.leader and not r.leader");
    says(&here, &["check", "duel.ring", "--size", "3"], 1, &["fails", "for ever:"]);
    says(&here, &["watch", "duel.ring", "--once"], 1, &["duel: 2 agents", "fails", "for ever:"]);
    // The repair, and the plot.
    change(&file, "not l.leader and not r.leader", GUARD);
    says(&here, &["watch", "duel.ring", "--once"], 0, &["duel: 2 agents", "duel: 4 agents", "holds"]);
    says(&here, &["fmt", "--check", "duel.ring"], 0, &[]);
    let plot = ["simulate", "duel.ring", "--size", "4,8,..,32", "--runs", "20", "--seed", "1", "--plot", "growth.svg"];
    says(&here, &plot, 0, &["duel", "between neighbouring sizes", "AICc"]);
    assert!(std::fs::read_to_string(here.join("growth.svg")).expect("a picture").contains("<svg"));
    says(&here, &["list", "."], 0, &["duel", "complete graph"]);
}

#[test]
fn a_directory_is_listed_with_the_errors_in_it() {
    let here = folder("list");
    says(&here, &["list", "."], 2, &["has no file that ends in .ring"]);
    for (name, model) in [("one", "population"), ("two", "ring"), ("three", "message")] {
        says(&here, &["new", name, "--model", model], 0, &[]);
    }
    std::fs::write(here.join("four.ring"), "protocol four\nmodel torus\n").expect("written");
    says(&here, &["list", "."], 2, &["one", "two", "three", "four.ring:2:7", "`torus` is not one of"]);
    let output = command(&here, &["list", "two.ring", "--json"]).output().expect("it starts");
    let listed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(listed[0]["name"], "two");
}

#[test]
fn claims_on_the_command_line() {
    let here = folder("claims");
    let one = "one i : leader[i]";
    says(
        &here,
        &["check", "fischer-jiang-complete", "--size", "3", "--invariant", one, "--eventually", one],
        0,
        &["holds"],
    );
    says(
        &here,
        &["check", "yokota-ring", "--size", "3", "--invariant", one, "--save", "step.trace"],
        1,
        &["fails: a step leads out of `one i : leader[i]`", "start"],
    );
    says(&here, &["elect", "--replay", "step.trace"], 0, &[]);
    says(
        &here,
        &["check", "yokota-ring", "--size", "3", "--invariant", "laeder[0]"],
        2,
        &["--invariant:1:1", "did you mean"],
    );
    says(
        &here,
        &["check", "chang-roberts", "--size", "3", "--eventually", "some i : mode[i] = leader"],
        0,
        &["every execution reaches"],
    );
    says(&here, &["check", "chang-roberts", "--size", "3", "--invariant", "all i : mode[i] != leader"], 1, &["fails"]);
    let one_at_most = "(count i : leader[i]) <= 1";
    says(&here, &["check", "franklin", "--size", "2", "--invariant", one_at_most], 0, &["holds"]);
    says(&here, &["check", "franklin", "--size", "2", "--invariant", "all i : not leader[i]"], 1, &["fails"]);
    for (name, beyond) in [("fischer-jiang-complete", "leader[3]"), ("dijkstra-four-state", "token[3]")] {
        says(&here, &["check", name, "--size", "3", "--invariant", beyond], 2, &["there is no such agent"]);
    }
    says(
        &here,
        &["check", "dijkstra-four-state", "--size", "3", "--invariant", "all i : x[i] = x[i + 1]"],
        2,
        &["this index may lie outside 0..n - 1", "all i in 0..n - 2"],
    );
    let json =
        command(&here, &["check", "dijkstra-k-state", "--size", "3", "--invariant", "x[0] = 1", "--json"]).output();
    let report: Value = serde_json::from_slice(&json.expect("it starts").stdout).expect("JSON");
    assert_eq!((&report["verdict"], &report["claims"][0]["configurations"]), (&"fails".into(), &9.into()));
    // In a file, besides the goal.
    says(&here, &["new", "mine"], 0, &[]);
    let file = here.join("mine.ring");
    change(
        &file,
        "goal one leader",
        "goal one leader\ninvariant led = some i : leader[i]\neventually calm = all i : not leader[i]",
    );
    says(&here, &["check", "mine.ring", "--size", "3"], 1, &["holds: led", "FAILS: calm"]);
}

#[test]
fn holding_times_of_loose_stabilization_are_measured() {
    let here = folder("loose");
    says(&here, &["check", "loosely-stabilizing", "--size", "3", "--timer", "4"], 1, &["fails"]);
    let words =
        ["simulate", "loosely-stabilizing", "--size", "4,6", "--timer", "6", "--runs", "20", "--seed", "1", "--json"];
    let output = command(&here, &words).output().expect("it starts");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for size in report["sizes"].as_array().expect("sizes") {
        assert_eq!((&size["reached"], &size["lost"]), (&20.into(), &20.into()), "{size}");
        assert!(size["steps_held_per_loss"].as_f64().expect("a number") > 5.0, "{size}");
    }
    says(
        &here,
        &["simulate", "loosely-stabilizing", "--size", "8", "--corrupt", "1"],
        2,
        &["only loosely stabilizing"],
    );
}

#[test]
fn a_protocol_for_any_graph_runs_on_the_graph_of_a_file() {
    let here = folder("graph");
    let text = "protocol walk\nmodel population on graph\nstate token : bit\ngiven token = 1 when bottom and not (some i : token[i])\n\
                show token when token\ngoal one token\nsafe = one i : token[i]\nfirst:\n  1: l.token -> l.token := 0; r.token := 1\n";
    std::fs::write(here.join("walk.ring"), text).expect("written");
    std::fs::write(here.join("star.txt"), "0 1\n1 0\n0 2\n2 0\n0 3\n3 0\n").expect("written");
    says(&here, &["show", "walk.ring"], 0, &["any graph"]);
    says(&here, &["check", "walk.ring", "--size", "3"], 0, &["complete graph", "holds"]);
    says(
        &here,
        &["elect", "walk.ring", "--graph", "star.txt", "--seed", "1"],
        0,
        &["walk: 4 agents, the graph of the file"],
    );
    says(
        &here,
        &["simulate", "walk.ring", "--graph", "undirected-ring", "--size", "5", "--runs", "5", "--seed", "1"],
        0,
        &[],
    );
}

/// On the graph of a file there may be a run that the complete graph does not have; it is saved with its graph.
#[test]
fn a_protocol_for_any_graph_is_checked_on_the_graph_of_a_file() {
    let here = folder("graphs");
    // The initiator resigns: on a path whose arcs lead away from the ends, two leaders may never meet.
    let text = "protocol meet\nmodel population on graph\nstate leader : bit\nshow leader when leader\ngoal one leader\n\
                first:\n  1: l.leader and r.leader -> r.leader := 0\n  2: not l.leader and not r.leader -> l.leader := 1\n";
    std::fs::write(here.join("meet.ring"), text).expect("written");
    std::fs::write(here.join("path.txt"), "0 1\n2 1\n").expect("written");
    let path = ["check", "meet.ring", "--graph", "path.txt", "--save", "run.trace"];
    says(
        &here,
        &path,
        1,
        &["meet: 3 agents, graph with the arcs 0->1 2->1", "fails", "saved: `ringleader elect --replay"],
    );
    says(&here, &["elect", "--replay", "run.trace"], 0, &["meet: 3 agents"]);
    says(&here, &["check", "meet.ring", "--graph", "ring", "--size", "3"], 1, &["directed ring"]);
    says(&here, &["check", "meet.ring", "--graph", "path.txt", "--size", "4"], 2, &["the graph has 3 agents"]);
    says(
        &here,
        &["check", "yokota-ring", "--graph", "complete", "--size", "3"],
        2,
        &["is for a directed ring with its agents numbered in order, not for a"],
    );
    says(&here, &["check", "yokota-ring"], 2, &["--size"]);
    says(
        &here,
        &["check", "dijkstra-k-state", "--graph", "ring", "--size", "3"],
        2,
        &["its processes form a ring or a line"],
    );
}

/// Two neighbours of one colour: one changes it. This ends in a colouring with two colours, if the graph has one. Of the six connected
/// graphs of four agents, the path and the cycle have one with two agents of each colour, the star has another one, the rest has none.
#[test]
fn one_verdict_covers_every_graph_of_a_size() {
    let here = folder("all-graphs");
    let text = "protocol colours\nmodel population on graph\nstate x : bit\ngoal 2 * (count i : x[i]) = n \"as many ones as zeros\"\n\
                first:\n  1: l.x = r.x -> r.x := 1 - r.x\n";
    std::fs::write(here.join("colours.ring"), text).expect("written");
    let all = ["check", "colours.ring", "--size", "4", "--graph", "all"];
    says(&here, &all, 1, &["6 connected graphs of 4 agents, up to isomorphism: fails on 4 of them", "fewest edges"]);
    says(
        &here,
        &["check", "colours.ring", "--size", "4", "--graph", "trees"],
        1,
        &["2 trees of 4 agents", "fails on 1"],
    );
    says(&here, &["check", "colours.ring", "--size", "4", "--graph", "line"], 0, &["holds"]);
    says(&here, &["check", "colours.ring", "--size", "4", "--graph", "star"], 1, &["fails"]);
    says(&here, &["check", "colours.ring", "--size", "9", "--graph", "all"], 2, &["at most 8 agents"]);
    says(&here, &["check", "colours.ring", "--size", "4", "--graph", "stars"], 2, &["no such file", "random-tree"]);
    let copies = text
        .replace("colours", "copies")
        .replace("goal 2 * (count i : x[i]) = n \"as many ones as zeros\"", "goal agreement on x");
    let copies = copies.replace("l.x = r.x -> r.x := 1 - r.x", "l.x != r.x -> r.x := l.x");
    std::fs::write(here.join("copies.ring"), copies).expect("written");
    let all = ["check", "copies.ring", "--size", "4", "--graph", "all"];
    says(&here, &all, 0, &["6 connected graphs of 4 agents, up to isomorphism: holds on all of them", "takes longest"]);
    let json = [&all[..], &["--json"]].concat();
    says(
        &here,
        &json,
        0,
        &["\"graphs\":{\"count\":6,\"failing\":0,\"kind\":\"all\",\"told_apart_by\":[]}", "\"verdict\":\"holds\""],
    );
    let named = [&all[..], &["--eventually", "x[0] = 0"]].concat();
    says(&here, &named, 1, &["38 connected graphs of 4 agents with numbered vertices: fails on 38 of them"]);
    says(&here, &["check", "yokota-ring", "--size", "4", "--graph", "all"], 2, &["is for a directed ring"]);
    let star = ["elect", "copies.ring", "--size", "5", "--graph", "star", "--seed", "1"];
    says(&here, &star, 0, &["copies: 5 agents, star"]);
    let grids = ["simulate", "copies.ring", "--size", "4,6,9", "--graph", "grid", "--runs", "3", "--seed", "1"];
    says(&here, &grids, 0, &[]);
    let primes = ["simulate", "copies.ring", "--size", "4,7", "--graph", "grid", "--runs", "3", "--seed", "1"];
    says(&here, &primes, 2, &["7 agents form no grid"]);
}

/// The counterexample of a text protocol is replayed from the path that was typed; a check that holds removes the old trace.
#[test]
fn the_saved_run_of_a_text_is_replayed() {
    let here = folder("saved");
    says(&here, &["new", "duel"], 0, &[]);
    let file = here.join("duel.ring");
    change(&file, GUARD, "not l.leader and not r.leader");
    let check = ["check", "duel.ring", "--size", "3", "--save", "run.trace"];
    says(&here, &check, 1, &["saved: `ringleader elect --replay run.trace` plays it"]);
    says(&here, &["elect", "--replay", "run.trace"], 0, &["duel: 3 agents"]);
    says(&here, &["draw", "--replay", "run.trace", "--output", "run.svg"], 0, &["run.svg: duel, 3 agents"]);
    says(
        &here,
        &["watch", "duel.ring", "--once"],
        1,
        &["`ringleader check duel.ring --size 3 --save RUN` keeps this run"],
    );
    change(&file, "not l.leader and not r.leader", GUARD);
    says(&here, &check, 0, &["holds", "nothing is saved in run.trace; the older trace in it was removed"]);
    assert!(!here.join("run.trace").exists());
    // What is no trace stays.
    std::fs::write(here.join("run.trace"), "mine\n").expect("written");
    says(&here, &check, 0, &["nothing is saved in run.trace"]);
    assert_eq!(std::fs::read_to_string(here.join("run.trace")).expect("still there"), "mine\n");
    says(&here, &["list", "."], 0, &["`ringleader show FILE`"]);
    says(&here, &["show", "duel"], 2, &["did you mean the file duel.ring?"]);
}

/// Commands in hints can be copied, a stale page does not stay, and a trace whose text is elsewhere says so.
#[test]
fn hints_and_files_of_a_text_with_a_space_in_its_path() {
    let here = folder("spaced");
    std::fs::create_dir(here.join("my texts")).expect("a folder");
    says(&here, &["new", "duel"], 0, &[]);
    std::fs::rename(here.join("duel.ring"), here.join("my texts/duel.ring")).expect("moved");
    let file = here.join("my texts/duel.ring");
    change(&file, GUARD, "not l.leader and not r.leader");
    let check = ["check", "my texts/duel.ring", "--size", "3", "--save", "my run.trace", "--html", "run.html"];
    says(&here, &check, 1, &["`ringleader elect --replay 'my run.trace'` plays it"]);
    assert!(here.join("run.html").exists());
    says(&here, &["watch", "my texts/duel.ring", "--once"], 1, &["`ringleader check 'my texts/duel.ring' --size 3"]);
    says(&here, &["list", "my texts"], 0, &["duel"]);
    says(&here, &["check", "my texts", "--size", "3"], 2, &["`ringleader list 'my texts'` shows"]);
    let elsewhere = ["elect", "--replay", "../my run.trace"];
    says(&here.join("my texts"), &elsewhere, 2, &["../my run.trace:2: cannot read my texts/duel.ring"]);
    change(&file, "not l.leader and not r.leader", GUARD);
    says(&here, &check, 0, &["no page is written; the older page in the file was removed"]);
    assert!(!here.join("run.html").exists());
    std::fs::write(here.join("run.html"), "<p>mine</p>").expect("written");
    says(&here, &check, 0, &["no page is written"]);
    assert!(here.join("run.html").exists(), "a file that is no such page stays");
}

#[test]
fn texts_that_share_a_name_are_all_listed() {
    let here = folder("shared");
    says(&here, &["new", "duel"], 0, &[]);
    std::fs::copy(here.join("duel.ring"), here.join("copy.ring")).expect("copied");
    says(&here, &["list", "."], 0, &["(./copy.ring)", "(./duel.ring)"]);
    let output = command(&here, &["list", ".", "--json"]).output().expect("it starts");
    let listed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(listed.as_array().map(Vec::len), Some(2), "{listed}");
}

#[test]
fn runs_of_an_edited_text_are_not_mixed_in() {
    let here = folder("edited");
    says(&here, &["new", "duel"], 0, &[]);
    let runs = ["simulate", "duel.ring", "--size", "4,8", "--runs", "4", "--seed", "1"];
    let resumed = [&runs[..], &["--resume", "runs.csv"]].concat();
    let parts = ["1", "2"].map(|part| (format!("{part}/2"), format!("{part}.csv")));
    says(&here, &resumed, 0, &[]);
    for (shard, file) in &parts {
        says(&here, &[&runs[..], &["--shard", shard, "--csv", file]].concat(), 0, &[]);
    }
    says(&here, &["merge", "1.csv", "2.csv"], 0, &["duel"]);
    let fewer = ["simulate", "duel.ring", "--size", "4", "--runs", "4", "--seed", "1", "--resume", "runs.csv"];
    says(&here, &fewer, 2, &["runs.csv:", "a run with size 8", "--size with every value"]);
    change(&here.join("duel.ring"), "r.leader := 0", "l.leader := 0");
    for words in [&resumed[..], &["merge", "1.csv", "2.csv"]] {
        says(&here, words, 2, &["the text was edited since"]);
    }
}

/// A claim under another scheduler than that of the proof is named.
#[test]
fn a_proof_names_the_scheduler_that_it_does_not_follow() {
    let here = folder("scheduler");
    let text = "protocol fewer\nmodel ring\nscheduler unfair\nstate t : bit\nshow token when t\ngoal one token\n\
                first:\n  1: t and left.t -> t := 0\n";
    std::fs::write(here.join("fewer.ring"), text).expect("written");
    let (_, said) = say(&here, &["prove", "fewer.ring", "--budget", "5"]);
    assert!(said.contains("claims to stabilize under the unfair scheduler"), "{said}");
    let (_, said) = say(&here, &["prove", "fewer.ring", "--budget", "5", "--scheduler", "unfair"]);
    assert!(!said.contains("note:"), "{said}");
}

/// Starts by a condition, by counts and in the text: runs take as many steps as `check` expects, in the mean over the starts.
#[test]
fn runs_begin_where_checks_do() {
    let here = folder("starts");
    let text = "protocol spread\nmodel population on complete\nstate x : {A, B, C}\ngoal all i : x[i] = C \"all agents have heard\"\n\
                safe = all i : x[i] = C\nstart = (some i : x[i] = C) and (all i : x[i] != A)\n\
                first:\n  1: l.x = C and r.x = B -> r.x := C\n  2: l.x = C and r.x = A -> r.x := B\n";
    std::fs::write(here.join("spread.ring"), text).expect("written");
    let numbers = |words: &[&str]| -> Value {
        let output = command(&here, &[words, &["--json"]].concat()).output().expect("it starts");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{words:?}: {e}"))
    };
    let mut means = vec![];
    for start in [&[][..], &["--start", "A: 2, B: 1, C: 2"], &["--start", "one i : x[i] = C"]] {
        let known = numbers(&[&["check", "spread.ring", "--size", "5"], start].concat());
        let expected = known["expected_steps"]["to_own_safe"]["mean"]["low"].as_f64();
        let expected = expected.unwrap_or_else(|| panic!("{known:#}"));
        let runs = ["simulate", "spread.ring", "--size", "5", "--runs", "4000", "--seed", "3"];
        let seen = &numbers(&[&runs[..], start].concat())["sizes"][0];
        let (mean, ci) = (seen["mean_steps"].as_f64().expect("a mean"), seen["ci95"].clone());
        let half = (ci[1].as_f64().expect("an end") - ci[0].as_f64().expect("an end")) / 2.0;
        assert!((mean - expected).abs() < 2.2 * half, "{start:?}: {mean}, not {expected}");
        means.push(expected);
    }
    assert!(means[0] < means[1] && means[1] < means[2] && means[2] > 1.1 * means[0], "{means:?}");
    let elect = ["elect", "spread.ring", "--size", "5", "--seed", "1"];
    says(&here, &elect, 0, &["start (some i : x[i] = C) and (all i : x[i] != A)"]);
    says(&here, &[&elect[..], &["--start", "A: 4, C: 1"]].concat(), 0, &["start A: 4, C: 1"]);
    says(&here, &[&elect[..], &["--start", "A: 4"]].concat(), 2, &["--start counts 4 agents, not 5"]);
    let simulate = ["simulate", "spread.ring", "--size", "5", "--runs", "2", "--start"];
    says(
        &here,
        &[&simulate[..], &["clena"]].concat(),
        2,
        &["neither the name of a start (arbitrary, clean,", "--start"],
    );
    says(&here, &[&simulate[..], &["all i : x[i] = A and x[i] = B"]].concat(), 2, &["no start that meets"]);
    says(&here, &["simulate", "franklin", "--size", "3", "--start", "A: 3"], 2, &["it is not self-stabilizing"]);
    // Agents that are counted need no memory each; a condition is for those that are listed.
    let many = ["simulate", "spread.ring", "--size", "1000000000000", "--runs", "1", "--seed", "1"];
    says(&here, &many, 2, &["are counted, not listed"]);
    let few = ["--start", "B: 3, C: 999999999997"];
    says(&here, &[&many[..], &few].concat(), 0, &["start B: 3, C: 999999999997, count"]);
}

/// Without a safe set, a run counts until the goal first holds: here after 3 steps in the mean, computed by hand.
#[test]
fn without_a_safe_set_runs_end_at_the_goal() {
    let here = folder("flick");
    let text = "protocol flick\nmodel population on complete\nstate x : 0..2\nshow token when x = 1\ngoal x[0] = 1\n\
                first:\n  1: -> r.x := (r.x + 1) mod 3\n";
    std::fs::write(here.join("flick.ring"), text).expect("written");
    let words = ["simulate", "flick.ring", "--size", "3", "--runs", "2000", "--seed", "1"];
    says(&here, &words, 0, &["steps until the goal is first met", "names no safe set", "`safe = ..`"]);
    let output = command(&here, &[&words[..], &["--json"]].concat()).output().expect("it starts");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mean = report["sizes"][0]["mean_steps"].as_f64().expect("a mean");
    // 0, 3 or 6 steps in the mean, from three starts that are equally likely.
    assert!((mean - 3.0).abs() < 0.35, "{mean}");
}

/// The goal is a marked agent, and no agent is ever a leader.
#[test]
fn holding_times_of_other_goals_are_measured() {
    let here = folder("loose-goal");
    let text = "protocol calm\nmodel population on complete\nstate x : bit\nshow token when x\ngoal one i : x[i]\n\
                safe for long = one i : x[i]\nfirst:\n  1: l.x and r.x -> r.x := 0\n  \
                2: not l.x and not r.x -> l.x := coin\n";
    std::fs::write(here.join("calm.ring"), text).expect("written");
    let words = ["simulate", "calm.ring", "--size", "4", "--runs", "20", "--seed", "1", "--limit", "5000"];
    let output = command(&here, &words).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("steps held per loss") && !said.contains("never"), "{said}");
}

#[test]
fn holding_times_of_a_loosely_stabilizing_ring_are_measured() {
    let here = folder("loose-ring");
    // A token is lost now and then, and made anew by the bottom process.
    let text = "protocol fade\nmodel ring\nstate t : bit\nshow token when t\ngoal one token\n\
                safe for long = one i : t[i]\nfirst:\n  1: left.t and t -> t := 0\n  2: left.t != t -> t := coin\n  \
                3: bottom and not t -> t := coin\n";
    std::fs::write(here.join("fade.ring"), text).expect("written");
    let words = ["simulate", "fade.ring", "--size", "4", "--runs", "20", "--seed", "1", "--limit", "100000"];
    says(&here, &words, 0, &["safe for long, not for ever", "steps held per loss"]);
}

/// Checks, waits, and checks again when the file is saved.
#[test]
fn a_file_is_watched() {
    let here = folder("watch");
    says(&here, &["new", "duel"], 0, &[]);
    let words = ["watch", "duel.ring", "--size", "3"];
    let mut child = command(&here, &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines().map(|line| line.expect("text"));
    assert!(lines.any(|line| line.contains("holds: from every configuration")));
    assert!(lines.any(|line| line.starts_with("waiting until duel.ring")));
    change(&here.join("duel.ring"), GUARD, "not l.leader and not r.leader");
    assert!(lines.any(|line| line.starts_with("fails")));
    assert!(lines.any(|line| line.contains("for ever:")));
    assert!(lines.any(|line| line.starts_with("waiting until duel.ring")));
    child.kill().expect("it was there");
    child.wait().expect("it ended");
}

/// No step can change anything and the goal does not hold: every verb reports that immediately, on every kernel.
#[test]
fn a_run_without_further_changes_ends() {
    let folder = folder("ended");
    let ring = "protocol stops\nmodel ring\nstate x : 0..2\nshow token when x = 2\ngoal one token\n\
                safe = one i : x[i] = 2\nfirst:\n  1: x = 0 and left.x = 0 -> x := coin\n";
    std::fs::write(folder.join("stops.ring"), ring).unwrap();
    let ended = "of 3 runs hit the limit, or ended without the goal";
    says(
        &folder,
        &["simulate", "stops.ring", "--size", "5", "--start", "clean", "--runs", "3", "--seed", "1"],
        1,
        &[ended],
    );
    says(
        &folder,
        &["elect", "stops.ring", "--size", "5", "--start", "clean", "--seed", "1"],
        1,
        &["not reached: no step can change anything any more"],
    );
    let meet = "protocol meets\nmodel population on directed-ring\nstate leader, x : bit\nshow leader when leader\n\
                goal one leader\nsafe = one i : leader[i]\nfirst:\n  1: l.x and r.x -> r.x := 0\n  2: l.leader and r.leader -> r.x := coin\n";
    std::fs::write(folder.join("meets.ring"), meet).unwrap();
    for kernel in ["auto", "rule", "table", "skip"] {
        let words = [
            "simulate",
            "meets.ring",
            "--size",
            "6",
            "--start",
            "clean",
            "--runs",
            "3",
            "--seed",
            "1",
            "--kernel",
            kernel,
        ];
        says(&folder, &words, 1, &[&format!("3 {ended}")]);
    }
    says(
        &folder,
        &["elect", "meets.ring", "--size", "6", "--start", "clean", "--seed", "1"],
        1,
        &["no step can change anything any more"],
    );
    says(
        &folder,
        &["draw", "meets.ring", "--size", "6", "--start", "clean", "--seed", "1", "--output", "run.svg"],
        1,
        &["the goal was not reached"],
    );
}

/// There is no proof that the safe set of a text is closed.
#[test]
fn the_safe_set_of_a_text_is_not_called_closed() {
    let here = folder("unproved");
    says(&here, &["new", "duel"], 0, &["wrote duel.ring"]);
    change(&here.join("duel.ring"), GUARD, "not l.leader and not r.leader");
    says(&here, &["check", "duel.ring", "--size", "4"], 1, &["NOT CLOSED"]);
    let words = ["elect", "duel.ring", "--size", "4", "--seed", "1"];
    says(&here, &words, 0, &["in the safe set that its author names", "if that set is closed; `check` finds out"]);
    let words = ["simulate", "duel.ring", "--size", "4", "--runs", "3", "--seed", "1"];
    says(&here, &words, 0, &["assuming that it is closed", "`check` decides that"]);
}

/// The time to the really safe set is that to the product with the tokens, which is larger than the own safe set.
#[test]
fn alternating_schedules_have_two_times_to_equal_sets() {
    let here = folder("behind");
    let behind = "protocol behind\nmodel ring\nscheduler alternating\nstate x : bit\nshow token when enabled\n\
                  goal not (x[0] = 0 and x[1] = 1) \"not behind\"\nsafe = x[0] = 1\nfirst:\n  1: x = 0 -> x := 1\n";
    std::fs::write(here.join("behind.ring"), behind).expect("written");
    let times = ["to really safe: worst 2, mean 0.625000", "to own safe set: worst 2, mean 0.750000"];
    says(&here, &["check", "behind.ring", "--size", "2"], 0, &times);
}

/// The counterexample to a claimed closed set is a step out of it, and the step can be replayed.
#[test]
fn a_set_that_is_not_closed_has_a_counterexample() {
    let here = folder("left");
    says(&here, &["new", "duel"], 0, &["wrote duel.ring"]);
    change(&here.join("duel.ring"), "\nfirst:", "\nclosed A1 \"Lemma 1\" = (count i : leader[i]) in {0, 3}\nfirst:");
    for scheduler in ["random", "unfair", "locally-fair"] {
        let words = ["check", "duel.ring", "--size", "3", "--scheduler", scheduler, "--save", "left.trace"];
        says(&here, &words, 1, &["fails: a step leads out of A1", "NOT CLOSED, though Lemma 1", "rule 2", "saved:"]);
        says(&here, &["elect", "--replay", "left.trace"], 0, &["duel"]);
        let json = command(&here, &[&words[..6], &["--json"]].concat()).output().expect("it starts").stdout;
        let report: Value = serde_json::from_slice(&json).expect("an object");
        assert_eq!(report["counterexample"]["shows"], "a step leads out of A1", "{report}");
        assert_eq!(report["sets"][0]["counterexample"], report["counterexample"], "{report}");
        let steps = report["counterexample"]["prefix"].as_array().expect("a run");
        assert_eq!(steps.len(), 1, "{report}");
        // What is wrong with a set keeps no times back.
        let times = ["steps", "expected_steps"].map(|times| report[times]["to_really_safe"].is_object());
        assert_eq!(times, [scheduler == "unfair", scheduler == "random"], "{report}");
    }
}

#[test]
fn likely_typing_errors_get_useful_answers() {
    let folder = folder("mistakes");
    says(&folder, &["check", ".", "--size", "3"], 2, &["\".\" is a directory", "ringleader list ."]);
    says(&folder, &["check", "--help"], 0, &["distributed"]);
    let (_, said) = say(&folder, &["check", "yokota-ring", "--size", "3", "--invariant", "x[i] = 0"]);
    assert!(said.contains("a quantifier introduces an agent") && !said.contains("did you mean"), "{said}");
    says(
        &folder,
        &["check", "yokota-ring", "--size", "3", "--invariant", "some i : 4 / dist[i] = 1"],
        2,
        &["--invariant:1:10", "the divisor here can be 0"],
    );
}
