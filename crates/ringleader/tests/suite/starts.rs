//! `check --start`: conditions, counts, files and `clean`, right and wrong.

use crate::texts::{folder, says};
use std::path::Path;

const DUEL: &str = "protocol duel\nmodel population on complete\nstate leader : bit\nshow leader when leader\ngoal one leader\n\
                    first:\n  1: l.leader and r.leader -> r.leader := 0\n";

fn write(here: &Path, name: &str, text: &str) {
    std::fs::write(here.join(name), text).expect("written");
}

/// The words of a command line; those in quotes are one argument.
#[track_caller]
fn asks(here: &Path, line: &str, code: i32, parts: &[&str]) {
    let quoted = line.split('"').enumerate();
    let words: Vec<&str> = quoted
        .flat_map(|(at, part)| if at % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
        .collect();
    says(here, &words, code, parts);
}

/// A configuration that no execution from the starts reaches has no expected steps and no probabilities.
#[test]
fn a_configuration_that_is_not_reached_is_refused() {
    let here = folder("unreached");
    write(&here, "duel.ring", DUEL);
    let refused = ["no execution from the starts", "reaches the configuration clean"];
    for question in ["--within 2", "", "--no-symmetry"] {
        asks(&here, &format!("check duel.ring --size 3 --start \"leader=1: 3\" --start clean {question}"), 2, &refused);
    }
    let ring = "protocol halt\nmodel ring\nstate x : bit\ngoal all i : x[i] = 0\nfirst:\n  1: x = 1 -> x := coin\n";
    write(&here, "halt.ring", ring);
    for scheduler in ["random", "unfair", "distributed", "synchronous"] {
        let reached = format!("check halt.ring --size 3 --scheduler {scheduler} --start \"x=1: 3\" --start clean");
        asks(&here, &reached, 0, &["from clean: "]);
        let condition = format!("check halt.ring --size 3 --scheduler {scheduler} --start \"x=0: 3\" --start one.conf");
        let one = "ringleader configuration 1\nalgorithm halt\nsize 3\nagent 0: x=1\nagent 1: x=0\nagent 2: x=0\n";
        write(&here, "one.conf", one);
        asks(&here, &condition, 2, &["no execution from the starts (x=0: 3) reaches the configuration one.conf"]);
    }
}

#[test]
fn wrong_starts_are_refused_in_words() {
    let here = folder("starts");
    write(&here, "duel.ring", DUEL);
    asks(&here, "check duel.ring --size 3 --start missing.conf", 2, &["--start missing.conf: there is no such file"]);
    asks(
        &here,
        "check duel.ring --size 3 --start \"leader=0: 18446744073709551615, leader=1: 4\"",
        2,
        &["--start counts", "agents, not 3"],
    );
    asks(&here, "check duel.ring --size 3 --start \"2: 3\"", 2, &["no local state is `2`; the states are `leader=0`"]);
    asks(
        &here,
        "check duel.ring --size 3 --start \"1: 3\"",
        0,
        &["reached from 1 start: 1: 3", "from the 1 given start,"],
    );
    let large = DUEL.replace("state leader : bit", "state leader : bit\nstate a : 0..2^30\nstate b : 0..2^20");
    write(&here, "large.ring", &large);
    asks(&here, "check large.ring --size 3 --start \"leader=0 a=0 b=0: 3\"", 2, &["error"]);
    asks(
        &here,
        "check large.ring --size 3 --start \"leader=0 a=0: 3\"",
        2,
        &["are too many: give the file of a configuration"],
    );
    // A comparison that no value of a variable meets.
    for (start, part) in
        [("leader[0] = 2", "0..1"), ("(some i : leader[i] > 1) and leader[0]", "0..1"), ("x[1] = 7", "`x` is in 0..2")]
    {
        let algorithm = if start.starts_with('x') { "dijkstra-k-state" } else { "duel.ring" };
        for verb in ["check", "simulate", "elect"] {
            let part = ["no value of", part];
            asks(&here, &format!("{verb} {algorithm} --size 3 --start \"{start}\""), 2, &part);
        }
    }
    asks(&here, "check duel.ring --size 3 --start \"leader[0] = 2 or leader[0] = 1\"", 0, &["holds"]);
    // A file names agents by their numbers, and `clean` does not.
    let anywhere = DUEL.replace("complete", "graph").replace("duel", "anywhere");
    write(&here, "anywhere.ring", &anywhere);
    let file = |states: [u8; 3]| {
        let agents = states.iter().enumerate().map(|(i, state)| format!("agent {i}: leader={state}\n"));
        format!("ringleader configuration 1\nalgorithm anywhere\nsize 3\n{}", agents.collect::<String>())
    };
    write(&here, "first.conf", &file([1, 0, 0]));
    write(&here, "same.conf", &file([1, 1, 1]));
    let all = "check anywhere.ring --size 3 --graph all --scheduler random --within 3 --start";
    asks(&here, &format!("{all} first.conf"), 1, &["4 connected graphs of 3 agents", "from first.conf"]);
    asks(&here, &format!("{all} same.conf"), 1, &["2 connected graphs of 3 agents", "from same.conf"]);
}

/// `clean` has the given values.
#[test]
fn a_clean_start_has_the_given_values() {
    let here = folder("clean");
    asks(&here, "check huang-chen --graph line --size 3 --scheduler random --start clean", 0, &["from clean: "]);
}

/// The probability is a half from the first step on.
#[test]
fn a_quantile_that_is_reached_up_to_rounding() {
    let here = folder("half");
    let half = "protocol half\nmodel ring\nscheduler unfair\nstate x : {draw_, won, lost}\nfirst:\n\
                \x20 1: x = draw_ -> x := if coin = 1 then won else lost\ngoal x[0] = won \"process 0 won\"\n";
    write(&here, "half.ring", half);
    let asked =
        "check half.ring --size 2 --scheduler synchronous --start \"all i : x[i] = draw_\" --within 3 --quantile 0.5";
    let parts = [
        "mean over the starts",
        "within 1 step up to rounding: the probability then equals 0.5 up to rounding, from every start",
    ];
    asks(&here, asked, 1, &parts);
    asks(&here, &format!("{asked} --csv half.csv"), 1, &[]);
    let rows = std::fs::read_to_string(here.join("half.csv")).expect("written");
    assert!(rows.starts_with("t,worst start,mean over the starts\n"), "{rows}");
}

/// The probabilities of a protocol that fails and has too many configurations for a counterexample.
#[test]
fn probabilities_where_no_counterexample_is_computed() {
    let here = folder("many");
    write(&here, "duel.ring", DUEL);
    let asked = "check duel.ring --size 40 --within 5 --csv many.csv";
    asks(&here, asked, 1, &["no counterexample can be computed", "within t steps"]);
    let rows = std::fs::read_to_string(here.join("many.csv")).expect("written");
    // Without a leader there never is one: the worst start reaches nothing.
    assert!(rows.starts_with("t,worst start,mean over all\n0,0,") && rows.lines().count() == 7, "{rows}");
}
