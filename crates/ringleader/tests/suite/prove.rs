//! `ringleader prove` and `ringleader verify`, as a user calls them.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn ringleader(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ringleader")).args(arguments).output().expect("it starts")
}

fn scratch(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("prove");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name).to_str().expect("a path").to_string()
}

const THREE_STATES: &str = "dijkstra-three-state";

/// Its goal is an expression: exactly one rule is enabled.
#[test]
fn dijkstras_three_states_are_proved_and_the_size_below_is_checked() {
    let certificate = scratch("three.json");
    let output = ringleader(&["prove", THREE_STATES, "--scheduler", "unfair", "--json", "--certificate", &certificate]);
    let proved: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &proved["outcome"], &proved["from"]), (Some(0), &"proved".into(), &3.into()));
    assert_eq!(proved["below"], serde_json::json!([{ "size": 2, "holds": true }]));
    assert!(proved["safe_words"].as_str().is_some_and(|words| words.contains("0+ | 1+")), "{proved}");
    let examples = proved["examples"].as_array().expect("a list");
    assert_eq!(examples.len(), proved["measures"].as_array().expect("a list").len());
    assert!(examples.iter().any(|example| !example.is_null()));
    assert!(ringleader(&["verify", &certificate]).status.success());
}

/// Fair coins against daemons, for every size: proofs, which `verify` compares with the texts, and a refutation.
#[test]
fn fair_coins_against_daemons_are_proved() {
    let randomized = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/randomized");
    let [colouring, set, philosophers, tokens] = ["colouring", "independent-set", "lehmann-rabin", "israeli-jalfon"]
        .map(|name| format!("{randomized}/{name}.ring"));
    let hints = format!("{randomized}/../../hints/lehmann-rabin.txt");
    let odd = ["--not-multiple-of", "2"];
    for (algorithm, flags, claim) in [
        ("herman", &odd[..], "with probability 1 under the synchronous daemon, if coins are fair"),
        (&colouring, &["--scheduler", "unfair"], "with probability 1 against every central daemon"),
        (&set, &["--scheduler", "synchronous"], "with probability 1 under the synchronous daemon"),
        (THREE_STATES, &["--scheduler", "distributed"], "each step activates some enabled agents"),
        (
            &philosophers,
            &["--scheduler", "unfair", "--hints", &hints],
            "against every central daemon, if coins are fair",
        ),
        (&tokens, &["--scheduler", "random-partner"], "if fair coins choose the partners"),
        (
            &tokens,
            &["--scheduler", "random"],
            "under every globally fair schedule, and with probability 1 under the random",
        ),
    ] {
        let certificate = scratch("coins.json");
        let output = ringleader(&[&["prove", algorithm], flags, &["--certificate", &certificate]].concat());
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains(claim), "{algorithm}: {said}");
        // The words are those of the text.
        let start = "from every configuration with some i : token[i] = 1, ";
        assert_eq!(said.contains(start), algorithm == tokens, "{said}");
        let output = ringleader(&["verify", &certificate]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains(claim), "{algorithm}: {said}");
        assert_eq!(said.contains(start), algorithm == tokens, "{said}");
        // Other coins are other rules.
        let mut changed: Value = serde_json::from_slice(&std::fs::read(&certificate).expect("there")).expect("JSON");
        let Some(toss) = changed["rules"]["tosses"].get_mut(0) else { continue };
        toss["idle"] = (!toss["idle"].as_bool().expect("a Boolean")).into();
        std::fs::write(&certificate, changed.to_string()).expect("written");
        assert_eq!(ringleader(&["verify", &certificate]).status.code(), Some(1), "{algorithm}");
    }
    // If the daemon chooses the outcomes, too, it draws the colour of a neighbour for ever.
    let output = ringleader(&["prove", &colouring, "--scheduler", "unfair", "--coins", "adversarial", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &found["outcome"]), (Some(1), &"refuted".into()));
    assert_eq!((&found["coins"], &found["scheduler"]), (&"adversarial".into(), &"unfair".into()));
}

/// The token comes to every agent again and again: proved, and refuted where an agent only waits.
#[test]
fn a_token_that_comes_to_every_agent_is_proved() {
    let certificate = scratch("recurring.json");
    let four = ["prove", "dijkstra-four-state", "--scheduler", "unfair", "--recurring"];
    let output = ringleader(&[&four[..], &["--certificate", &certificate]].concat());
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("`hasToken` holds at every agent again and again") && said.contains("here"), "{said}");
    let output = ringleader(&["verify", &certificate]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("again and again"), "{said}");
    // Without its measures the claim is not shown.
    let mut changed: Value = serde_json::from_slice(&std::fs::read(&certificate).expect("it is there")).expect("JSON");
    changed["recurring"]["measures"] = serde_json::json!(["safe"]);
    std::fs::write(&certificate, changed.to_string()).expect("written");
    let output = ringleader(&["verify", &certificate]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("is not shown to bring agent"), "{said}");

    // The bottom keeps a token for ever.
    let path = scratch("keeps.ring");
    let keeps = "protocol keeps\nmodel ring\nscheduler unfair\nstate x : bit\nshow token when x\ngoal one token\n\n\
                 any:\n  1: bottom and x = 0 -> x := 1\n  2: not bottom and x = 1 -> x := 0\n";
    std::fs::write(&path, keeps).expect("written");
    let output = ringleader(&["prove", &path, "--scheduler", "unfair", "--recurring", "--json"]);
    let proved: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &proved["outcome"]), (Some(1), &"proved".into()), "{proved}");
    let recurring = &proved["recurring"];
    assert_eq!((&recurring["outcome"], &recurring["size"]), (&"refuted".into(), &3.into()), "{proved}");
    assert_eq!(
        (&recurring["start"], &recurring["agent"]),
        (&serde_json::json!(["x=1", "x=0", "x=0"]), &1.into()),
        "{proved}"
    );

    // A leader stays where it is.
    let output = ringleader(&["prove", "fischer-jiang-ring", "--recurring"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("--recurring is about a token that moves"), "{said}");
}

/// A colouring, under every schedule: its goal is a condition on neighbours.
#[test]
fn a_goal_on_neighbours_is_proved() {
    let (text, certificate) = (scratch("colour.ring"), scratch("colour.json"));
    let colours = "protocol colour\nmodel ring\nreads both\nstate c : 0..2\n\
                   any:\n  1: c = left.c or c = right.c -> c := least v in 0..2 : v != left.c and v != right.c\n\
                   goal all i : c[i] != c[i + 1] \"neighbours have different colours\"\n";
    std::fs::write(&text, colours).expect("written");
    let output = ringleader(&["prove", &text, "--scheduler", "unfair", "--certificate", &certificate]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("`local1` holds everywhere") && said.contains("local1        c[i] != c[i + 1]"), "{said}");
    assert!(ringleader(&["verify", &certificate]).status.success());
    // With two colours no ring of odd size has a colouring.
    std::fs::write(&text, colours.replace("0..2", "0..1").replace("v != left.c and v != right.c", "v != left.c"))
        .expect("written");
    let output = ringleader(&["prove", &text, "--scheduler", "unfair"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

/// A goal that says something else is not taken for this one.
#[test]
fn another_goal_is_refused() {
    let protocols = concat!(env!("CARGO_MANIFEST_DIR"), "/../catalog/protocols");
    let text = std::fs::read_to_string(format!("{protocols}/{THREE_STATES}.ring")).expect("the protocol");
    let text = text.replace(&format!("protocol {THREE_STATES}"), "protocol other-goal");
    let (before, after) = text.split_once("goal (count i : low[i])").expect("its goal");
    let other = scratch("other.ring");
    std::fs::write(&other, format!("{before}goal (count i : low[i] or x[i] = 2){after}")).expect("written");
    let output = ringleader(&["prove", &other, "--scheduler", "unfair"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("a proof cannot use this goal (line 31"), "{said}");
}

/// Its tables are the same at the sizes that were compared, and it is another protocol at a greater one.
#[test]
fn a_text_that_speaks_of_n_is_not_taken_for_all_sizes() {
    let line = |guard: &str, more: &str| {
        format!(
            "protocol odd\nmodel ring\nscheduler unfair\n{more}state x : bit\nshow leader when x\ngoal one leader\n\nlet usual = {guard}\n\n\
             first:\n  1: bottom and x = 0 and usual -> x := 1\n  2: not bottom and x = 1 -> x := 0\n"
        )
    };
    let counts = "parameter k : 2..64 = max(n, 30) \"values\"\n";
    for (name, text, speaks) in [
        ("seven", line("n != 7", ""), true),
        ("thousand", line("n < 1000", ""), true),
        ("by-default", line("k < 40", counts), true),
        ("constant", line("true", ""), false),
        ("unused", line("true", &counts.replace("64", "2^30")), false),
    ] {
        let path = scratch(&format!("{name}.ring"));
        std::fs::write(&path, text).expect("written");
        let output = ringleader(&["prove", &path]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(if speaks { 2 } else { 0 }), "{name}: {said}");
        assert_eq!(said.contains("depend on n (line"), speaks, "{name}: {said}");
    }
}

/// A text for some sizes only is not proved for all of them; remainders can be seen through.
#[test]
fn a_text_that_is_not_for_every_size_is_not_proved_for_every_size() {
    let text = |require: &str| {
        format!(
            "protocol sized\nmodel ring\nscheduler unfair\nrequire {require} \"so\"\nstate x : bit\nshow leader when x\ngoal one leader\n\n\
                 first:\n  1: bottom and x = 0 -> x := 1\n  2: not bottom and x = 1 -> x := 0\n"
        )
    };
    let path = scratch("sized.ring");
    for (require, code, says) in [
        ("n <= 1000", 2, "does not support every size (line 4: require n <= 1000"),
        ("n < 2^20 or n > 2^21", 2, "does not support every size (line 4"),
        ("n mod 61 != 60", 2, "sized needs n mod 61 != 60"),
        ("n >= 2", 0, ""),
    ] {
        std::fs::write(&path, text(require)).expect("written");
        let output = ringleader(&["prove", &path]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{require}: {said}");
        assert!(said.contains(says), "{require}: {said}");
    }
}

/// A text under the name of another algorithm proves nothing about that one.
#[test]
fn a_certificate_with_a_text_under_anothers_name_is_rejected() {
    let (toy, certificate) = (scratch("toy.ring"), scratch("toy.json"));
    let text = "protocol herman\nmodel ring\nscheduler unfair\nstate x : bit\nshow token when x\ngoal one token\n\n\
                first:\n  1: bottom and x = 0 -> x := 1\n  2: not bottom and x = 1 -> x := 0\n";
    std::fs::write(&toy, text.replace("protocol herman", "protocol toy")).expect("written");
    assert!(ringleader(&["prove", &toy, "--certificate", &certificate]).status.success());
    assert!(ringleader(&["verify", &certificate]).status.success());
    let mut forged: Value = serde_json::from_str(&std::fs::read_to_string(&certificate).expect("it")).expect("JSON");
    forged["subject"] = "herman".into();
    for (inside, says) in
        [(None, "it is about herman, but the text in it is called toy"), (Some(text), "differs from the herman")]
    {
        if let Some(text) = inside {
            forged["text"] = text.into();
        }
        std::fs::write(&certificate, forged.to_string()).expect("written");
        let output = ringleader(&["verify", &certificate]);
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.code() == Some(1) && said.contains(says), "{said}");
    }
}

/// What `verify` accepts it says in full: tampered sizes and schedules cannot hide behind the same words.
#[test]
fn verify_says_which_sizes_and_schedules() {
    let (certificate, fewer) = (scratch("token.json"), scratch("fewer.json"));
    assert!(ringleader(&["prove", "token-circulation", "--certificate", &certificate]).status.success());
    let text = std::fs::read_to_string(&certificate).expect("a certificate");
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    value["sizes"] = serde_json::json!({ "from": 3, "modulus": 64, "residues": [63] });
    std::fs::write(&fewer, value.to_string()).expect("written");
    for (file, sizes) in [(&certificate, "for every n >= 3, "), (&fewer, "that leaves 63 when divided by 64, ")] {
        let said = String::from_utf8_lossy(&ringleader(&["verify", file]).stdout).into_owned();
        assert!(said.contains(sizes) && said.contains("globally fair") && said.contains("`hasToken`"), "{said}");
    }
    let json: Value = serde_json::from_slice(&ringleader(&["verify", &fewer, "--json"]).stdout).expect("JSON");
    assert_eq!((&json["sizes"]["modulus"], &json["scheduler"]), (&64.into(), &"globally-fair".into()));
}

/// Sizes that no table is built for, and schedulers that no proof is about, are refused before anything is computed.
#[test]
fn what_cannot_be_proved_is_refused_at_once() {
    for (arguments, reason) in [
        (&["prove", "fischer-jiang-ring", "--from", "18446744073709551615"][..], "of a proof is 3 to 8"),
        (&["prove", "fischer-jiang-ring", "--from", "2"], "of a proof is 3 to 8"),
        (&["prove", "fischer-jiang-ring", "--multiple-of", "9"], "numbers from 2 to 8"),
        (&["prove", "herman", "--scheduler", "alternating"], "unfair (every central daemon), distributed"),
        (&["prove", "herman", "--scheduler", "central"], "unfair (every central daemon), distributed"),
        (&["prove", "herman", "--coins", "loaded"], "it must be fair or adversarial"),
        (&["prove", "herman", "--recurring"], "without fair coins"),
        (&["prove", "fischer-jiang-ring", "--coins", "adversarial"], "no daemon chooses"),
        (&["prove", "fischer-jiang-complete", "--scheduler", "distributed"], "is for proofs about rings"),
        (&["prove", "token-circulation", "--scheduler", "distributed"], "each agent must change only its own state"),
        (
            &["search", "--states", "2", "--on", "complete", "--sizes", "2,200", "--detector"],
            "sizes are 2 to 40, not 200",
        ),
    ] {
        let output = ringleader(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(reason), "{arguments:?}: {said}");
    }
}

/// A proof must not contradict `check`: neither about starts that steps leave, nor about coins of an adversary that change nothing.
#[test]
fn questions_that_check_reads_differently_are_refused() {
    let starts = "protocol bounded\nmodel ring\nscheduler unfair\nstate x : 0..2\nstart = all i : x[i] = 1\n\
                  goal (all i : x[i] = 0) \"all are 0\"\n\nfirst:\n  1: x = 1 -> x := coin\n";
    let idle = "protocol clamp\nmodel line\nreads both\nscheduler unfair\nstate x : bit\nlet differs = x != left.x\n\
                goal (all i : not differs[i]) \"all agree\"\n\nany:\n  1: differs -> x := min(1, draw 0..2)\n";
    for (name, text, options, reason) in [
        ("bounded.ring", starts, &["--scheduler", "unfair"][..], "leaves the configurations in which executions start"),
        ("clamp.ring", idle, &["--scheduler", "distributed", "--coins", "adversarial"], "leave an agent unchanged"),
        ("clamp.ring", idle, &["--scheduler", "synchronous", "--coins", "adversarial"], "no daemon chooses"),
    ] {
        let file = scratch(name);
        std::fs::write(&file, text).expect("a file");
        let output = ringleader(&[&["prove", &file], options].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(reason), "{name} {options:?}: {said}");
    }
    let proved = ringleader(&["prove", &scratch("clamp.ring"), "--scheduler", "distributed"]);
    assert_eq!(proved.status.code(), Some(0), "{}", String::from_utf8_lossy(&proved.stdout));
}

/// Of two leaders that meet one resigns; where there is none an oracle says so, if the text has one.
fn duel(name: &str, oracle: bool) -> String {
    let (line, rule) = match oracle {
        true => ("oracle leader-detector\n", "  2: not l.leader and not r.leader and not l.hears -> l.leader := 1\n"),
        false => ("", ""),
    };
    let text = format!(
        "protocol {name}\nmodel population on complete\n{line}supports n >= 2 \"it takes two\"\nstate leader : bit\nshow leader when \
         leader\ngoal one leader\n\nfirst:\n  1: l.leader and r.leader -> r.leader := 0\n{rule}"
    );
    let path = scratch(&format!("{name}.ring"));
    std::fs::write(&path, text).expect("written");
    path
}

#[test]
fn complete_graphs_of_every_size_are_proved_and_verified() {
    let (text, certificate) = (duel("duel", true), scratch("duel.json"));
    let output = ringleader(&["prove", &text, "--scheduler", "unfair", "--json", "--certificate", &certificate]);
    let proved: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &proved["outcome"], &proved["from"]), (Some(0), &"proved".into(), &2.into()));
    let said = |arguments: &[&str]| {
        let output = ringleader(arguments);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, accepted) = said(&["verify", &certificate, "--against", &text]);
    assert_eq!(code, Some(0), "{accepted}");
    for words in [
        "every complete graph of n >= 2 agents",
        "every schedule of meetings that change something",
        "`isLeader` holds at exactly one agent, always at the same agent",
        "those of the algorithm",
    ] {
        assert!(accepted.contains(words), "{words}: {accepted}");
    }
    // The text is in the file, and is what its rules are compared with.
    let (code, own) = said(&["verify", &certificate]);
    assert!(code == Some(0) && own.contains("those of the text in it, which is called duel"), "{own}");
    let mut value: Value =
        serde_json::from_str(&std::fs::read_to_string(&certificate).expect("a certificate")).expect("JSON");
    let text_in_it = value["text"].as_str().expect("a text").to_string();
    let changed = scratch("changed.json");
    value["text"] = text_in_it.replace("-> r.leader := 0", "-> l.leader := 0").into();
    std::fs::write(&changed, value.to_string()).expect("written");
    let (code, other) = said(&["verify", &changed]);
    assert!(code == Some(1) && other.contains("differ from those of the text in it"), "{other}");
    value["text"] = Value::Null;
    std::fs::write(&changed, value.to_string()).expect("written");
    let (code, unknown) = said(&["verify", &changed]);
    assert!(code == Some(0) && unknown.contains("NOT compared"), "{unknown}");
    let (code, other) = said(&["verify", &certificate, "--against", "fischer-jiang-ring"]);
    assert!(code == Some(1) && other.contains("not for complete graphs"), "{other}");
}

/// Tokens that walk either way and merge, on undirected rings: either neighbour may be met, and both are in the table.
#[test]
fn undirected_rings_are_proved_with_interactions_both_ways() {
    let (text, certificate) = (scratch("wander.ring"), scratch("wander.json"));
    let protocol = "protocol wander\nmodel population on undirected-ring\noracle leader-detector\nsupports n >= 3 \"a \
                    ring\"\nstate token : bit\nshow token when token\nshow leader when token\ngoal one token\n\nfirst:\n  1: l.token -> \
                    l.token := 0; r.token := 1\n  2: not l.token and not r.token and not l.hears -> l.token := 1\n";
    std::fs::write(&text, protocol).expect("written");
    let output = ringleader(&["prove", &text, "--json", "--certificate", &certificate]);
    let proved: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &proved["outcome"], &proved["from"]), (Some(0), &"proved".into(), &3.into()));
    assert!(ringleader(&["verify", &certificate, "--against", &text]).status.success());
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&certificate).expect("a file")).expect("JSON");
    let moves = written["rules"]["moves"].as_array().expect("a list");
    let met = |side: &str| moves.iter().filter(|one| one[side].is_array()).count();
    assert!(met("left") > 0 && met("left") == met("right"), "{moves:?}");
    // Here a token is only given to be somewhere, which no list of states says.
    let output = ringleader(&["prove", "israeli-jalfon"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("several agents together"), "{said}");
}

/// A file that is none says what a certificate is, and how to get one.
#[test]
fn a_file_that_is_no_certificate_is_refused_helpfully() {
    let file = scratch("README.md");
    std::fs::write(&file, "# no certificate").expect("a file");
    let output = ringleader(&["verify", &file]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("not a certificate") && said.contains("ringleader prove"), "{said}");
}

/// Whose rules a certificate is about includes its parameters, and what refutes it can be typed.
#[test]
fn parameters_are_told_kept_and_compared() {
    let certificate = scratch("four-values.json");
    let run = |arguments: &[&str]| {
        let output = ringleader(arguments);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, proved) = run(&["prove", "dijkstra-k-state", "--k", "4", "--certificate", &certificate]);
    assert!(code == Some(0) && proved.contains("dijkstra-k-state with k = 4 stabilizes"), "{proved}");
    let (code, same) = run(&["verify", &certificate, "--against", "dijkstra-k-state", "--k", "4"]);
    assert!(code == Some(0) && same.contains("those of the algorithm here"), "{same}");
    let (code, other) = run(&["verify", &certificate, "--against", "dijkstra-k-state", "--k", "3"]);
    assert!(code == Some(1) && other.contains("its rules differ from those"), "{other}");
    let (code, refuted) = run(&["prove", "dijkstra-k-state", "--k", "3", "--scheduler", "unfair"]);
    let (_, command) = refuted.split_once("`ringleader ").expect("a command");
    let words: Vec<&str> = command.split('`').next().unwrap_or_default().split(' ').collect();
    assert_eq!((code, run(&words).0), (Some(1), Some(1)), "{refuted}");
}

/// A failure at every size of a class is a statement with a certificate of its own kind.
#[test]
fn a_failure_for_every_size_has_a_certificate() {
    let certificate = scratch("fails.json");
    let walk = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/randomized/herman-walk.ring");
    let output =
        ringleader(&["prove", walk, "--scheduler", "unfair", "--not-multiple-of", "2", "--certificate", &certificate]);
    let said = String::from_utf8_lossy(&output.stdout);
    let claim = "herman-walk fails for every n >= 5 that is not a multiple of 2, under a central daemon that need not be fair, \
                 with any outcome of its coins";
    assert!(output.status.code() == Some(1) && said.contains(claim), "{said}");
    let output = ringleader(&["verify", &certificate]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains(claim) && said.contains("its rules are those"), "{said}");
    // With three agents tokens always meet, and there is no trap.
    let mut changed: Value = serde_json::from_slice(&std::fs::read(&certificate).expect("there")).expect("JSON");
    changed["sizes"]["from"] = 3.into();
    std::fs::write(&certificate, changed.to_string()).expect("written");
    assert_eq!(ringleader(&["verify", &certificate]).status.code(), Some(1));
    let output = ringleader(&["prove", "dijkstra-k-state", "--k", "3", "--scheduler", "unfair", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let sizes = serde_json::json!({ "from": 5, "modulus": 1, "residues": [0] });
    assert_eq!((output.status.code(), &found["family"]["sizes"]), (Some(1), &sizes), "{found}");
}

#[test]
fn every_number_of_values_is_proved_at_once() {
    let certificate = scratch("every-k.json");
    let run = |arguments: &[&str]| {
        let output = ringleader(arguments);
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        (output.status.code(), said)
    };
    let bounds = [
        ("unfair", "every n >= 2 and every number K >= n - 1", 0),
        // The text supports k >= n - 1, and n = 3 with k = 2 fails.
        ("distributed", "every n >= 2 and every number K >= n of", 1),
    ];
    for (scheduler, claim, exit) in bounds {
        let prove = ["prove", "dijkstra-k-state", "--scheduler", scheduler, "--certificate", &certificate];
        let (code, proved) = run(&prove);
        assert!(code == Some(exit) && proved.contains(claim), "{proved}");
        assert_eq!(proved.contains("which the text supports"), exit == 1, "{proved}");
        assert_eq!(proved.contains("not proved    K < n, although the text supports"), exit == 1, "{proved}");
        // The command that it prints shows a failure with one value fewer.
        let (_, command) = proved.split_once("fails: `ringleader ").expect("a command");
        let words: Vec<&str> = command.split('`').next().unwrap_or_default().split(' ').collect();
        assert_eq!(run(&words).0, Some(1), "{command}");
        let (code, verified) = run(&["verify", &certificate]);
        assert!(code == Some(0) && verified.contains("its rules are those of the algorithm here"), "{verified}");
    }
    let (_, json) = run(&["prove", "dijkstra-k-state", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["outcome"], &json["fewer"], &json["values"]), (&"proved".into(), &1.into(), &"k".into()));
    // More than the proof shows, and another algorithm.
    let written = std::fs::read_to_string(&certificate).expect("written");
    std::fs::write(&certificate, written.replace("\"fewer\":0", "\"fewer\":1")).expect("written");
    let (code, rejected) = run(&["verify", &certificate]);
    assert!(code == Some(1) && rejected.contains("different values of all agents but the root"), "{rejected}");
    std::fs::write(&certificate, written.replace("\"takes\":\"left\"", "\"takes\":\"right\"")).expect("written");
    let (code, rejected) = run(&["verify", &certificate]);
    assert!(code == Some(1) && rejected.contains("its rules differ"), "{rejected}");
    for (flags, said) in [
        (["--scheduler", "synchronous"], "distributed includes synchronous"),
        (["--multiple-of", "2"], "--multiple-of is not for a proof for every k"),
        (["--from", "1"], "2 to 64"),
    ] {
        let (code, refused) = run(&[&["prove", "dijkstra-k-state"], &flags[..]].concat());
        assert!(code == Some(2) && refused.contains(said), "{refused}");
    }
}

/// A budget of nothing ends the search; sizes at which the rules differ and bounds on the number of values are named.
#[test]
fn what_prevents_a_proof_for_every_number_of_values_is_named() {
    let run = |arguments: &[&str]| {
        let output = ringleader(&[&["prove"], arguments].concat());
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        (output.status.code(), said)
    };
    let (code, said) = run(&["dijkstra-k-state", "--budget", "0"]);
    assert!(code == Some(2) && said.contains("the budget is used up"), "{said}");
    let file = |name: &str, domain: &str, reads: &str| {
        let path = scratch(name);
        let text = format!(
            "protocol mine\nmodel ring\n{reads}scheduler unfair\nparameter k : {domain} = n \"values\"\nrequire n >= 2 \"a ring\"\n\
             state x : 0..k - 1\nshow token when enabled\nfirst:\n  1: bottom and x = left.x -> x := (x + 1) mod k\n  \
             2: not bottom and x != left.x -> x := left.x\ngoal one token\n"
        );
        std::fs::write(&path, text).expect("written");
        path
    };
    let (code, said) = run(&[&file("bounded.ring", "2..10", "")]);
    assert!(code == Some(2) && said.contains("does not allow n = 11, where k is n by default"), "{said}");
    let (code, said) = run(&[&file("both.ring", "2..2^30", "reads both\n")]);
    assert!(code == Some(2) && said.contains("`--from 3` asks for a proof from 3 on"), "{said}");
    let every = file("every.ring", "2..2^30", "");
    let (code, said) = run(&[&every]);
    assert!(code == Some(1) && said.contains("n = 4 with K = 2, which the text supports, fails"), "{said}");
}

/// Weakly fair schedules: what unfair ones prevent is proved, and `verify` compares the certificate with the text.
#[test]
fn weakly_fair_schedules_are_proved() {
    let fair = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/fair");
    let certificate = scratch("fair.json");
    let weak = "(weakly fair)";
    for (name, scheduler, helpful, schedules) in [
        ("broadcast", "fair", "(rule2 & !local1)", weak),
        ("lazy-colouring", "fair", "rule2", weak),
        ("coin-colouring", "fair", "rule2", weak),
        ("first-meeting", "locally-fair", "rule1", "under every locally fair one"),
    ] {
        let text = format!("{fair}/{name}.ring");
        let output = ringleader(&["prove", &text, "--scheduler", scheduler, "--json", "--certificate", &certificate]);
        let proved: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!((output.status.code(), &proved["outcome"]), (Some(0), &"proved".into()), "{proved}");
        assert_eq!((&proved["scheduler"], &proved["helpful"]), (&scheduler.into(), &helpful.into()));
        let output = ringleader(&["verify", &certificate]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains(schedules) && said.contains("its rules are those"), "{said}");
        let refuted = ringleader(&["prove", &text, "--scheduler", "unfair"]);
        assert_eq!(refuted.status.code(), Some(1), "{refuted:?}");
    }
    for (algorithm, scheduler, why) in [
        ("token-circulation", "fair", "interactions that change nothing"),
        ("herman", "locally-fair", "do not cover coins"),
        ("dijkstra-four-state", "locally-fair", "population protocols on directed rings"),
        ("fischer-jiang-complete", "fair", "--scheduler fair is for proofs about rings"),
    ] {
        let output = ringleader(&["prove", algorithm, "--scheduler", scheduler]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(why), "{said}");
    }
}

/// Locally fair schedules keep tokens apart on every ring that has room for that.
#[test]
fn a_failure_under_local_fairness_has_a_certificate() {
    let text = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/fair/slow-tokens.ring");
    let certificate = scratch("tokens.json");
    let locally = ["--scheduler", "locally-fair"];
    let output = ringleader(&["prove", text, locally[0], locally[1], "--json", "--certificate", &certificate]);
    let refuted: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &refuted["outcome"], &refuted["size"]), (Some(1), &"refuted".into(), &5.into()));
    let family = &refuted["family"];
    assert_eq!(family["sizes"], serde_json::json!({ "from": 5, "modulus": 1, "residues": [0] }));
    assert_eq!(family["turns"][0]["measures"], serde_json::json!(["C:rule1"]), "{family}");
    let output = ringleader(&["verify", &certificate]);
    let said = String::from_utf8_lossy(&output.stdout);
    let claim = "fails for every n >= 5, under a locally fair schedule";
    assert!(output.status.success() && said.contains(claim) && said.contains("its rules are those"), "{said}");
    let output = ringleader(&["prove", text, locally[0], locally[1]]);
    assert!(String::from_utf8_lossy(&output.stdout).contains(claim), "{output:?}");
    assert_eq!(ringleader(&["prove", text]).status.code(), Some(0));
}

/// What to type next is what was typed before: a path.
#[test]
fn a_refuted_text_is_called_by_its_path() {
    let text = duel("silent-duel", false);
    let output = ringleader(&["prove", &text]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(1) && said.contains(&format!("`ringleader check {text} --size")), "{said}");
}

#[test]
fn hints_that_cannot_be_read_say_where() {
    let path = scratch("bad-hints.txt");
    std::fs::write(&path, "let x = leader\n\nC:(x &").expect("written");
    let output = ringleader(&["prove", "fischer-jiang-ring", "--hints", &path]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("line 3"), "{said}");
    std::fs::write(&path, "C:leader").expect("written");
    let output = ringleader(&["prove", "fischer-jiang-ring", "--hints", &path]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.code() == Some(2) && said.contains("not proved by these hints: [0, 0, 0] has no step"),
        "{said}"
    );
}
