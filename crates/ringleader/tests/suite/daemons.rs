//! Small texts with verdicts and numbers that were computed by hand or by a separate brute force.

use crate::program::{json, run};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The path of a text.
fn text(name: &str, source: &str) -> String {
    let path = scratch(&format!("{name}.ring"));
    std::fs::write(&path, source).expect("it can be written");
    path.display().to_string()
}

/// A component loses a choice because another one, which it leads to, was dropped. It is not connected any more.
#[test]
fn a_component_that_loses_a_choice_is_split_again() {
    let holds = text(
        "cut",
        "protocol cut\nmodel ring\nscheduler fair\nrequire n = 2 \"two processes\"\nstate v : bit\nstate u : 0..3\nstate t : bit\nfirst:
  1: bottom and left.u = 2 -> t := 1 - t
  2: bottom and left.u = v -> t := 1 - t
  3: bottom and left.u <= 1 -> v := 1 - v
  4: not bottom and u = 2 -> u := 3
  5: not bottom and u = left.v -> u := 2 - (1 + u) * coin
  6: not bottom and u <= 1 -> t := 1 - t
goal (u[1] = 3) \"done\"\n",
    );
    assert_eq!(json(&format!("check {holds} --size 2 --json"), 0)["verdict"], "holds");
    let fails = text(
        "probable",
        "protocol probable\nmodel ring\nscheduler fair\nrequire n = 2 \"two processes\"\nstate v : bit\nstate u : 0..5\nstate t : bit\nany:
  1: bottom and (left.u = 2 or left.u = 4) -> t := 1 - t
  2: bottom and left.u = v -> t := 1 - t
  3: bottom and left.u <= 1 and left.u != v -> v := 1 - v
  4: not bottom and u = 2 -> u := 3
  5: not bottom and u = left.v -> u := 5 - (4 + u) * coin
  6: not bottom and u <= 1 and u != left.v -> t := 1 - t
  7: not bottom and u <= 1 and u != left.v -> u := 4
  8: not bottom and u = 4 -> t := 1 - t
  9: not bottom and u = 5 -> u := 2
goal (u[1] = 3) \"done\"\n",
    );
    let mean = &json(&format!("check {fails} --size 2 --json"), 1)["least_probability"]["mean"];
    let ends = [&mean["low"], &mean["high"]].map(|end| end.as_f64().expect("a number"));
    assert!(ends[0] <= 7.0 / 12.0 && 7.0 / 12.0 <= ends[1] && ends[1] - ends[0] < 1e-6, "{mean}");
}

/// A coin that no rule reads changes no verdict. Two agents that meet without a change take part, so a daemon that is fair to
/// agents may let them meet for ever.
#[test]
fn an_interaction_without_a_change_is_a_step_of_a_fair_daemon() {
    for coin in ["", "; l.y := draw 0..1"] {
        let path = text(
            "idle",
            &format!(
                "protocol idle\nmodel population on complete\nsupports n >= 2 \"two agents\"\nstate x : bit\nstate y : bit\nfirst:
  1: l.x < r.x -> l.x := 1{coin}\ngoal (all i : x[i] = x[0]) \"equal\"\n"
            ),
        );
        let trace = scratch("idle.trace");
        for size in [2, 3] {
            let flags = format!("--size {size} --scheduler fair --save {}", trace.display());
            let found = json(&format!("check {path} {flags} --json"), 1);
            assert_eq!(found["verdict"], "fails", "{size} agents, {coin:?}");
            for seed in ["", "--seed 3"] {
                let seed = if coin.is_empty() { "" } else { seed };
                let (code, said) = run(&format!("elect --replay {} {seed}", trace.display()));
                assert_eq!(code, 0, "{size} agents, {coin:?}: {said}");
            }
        }
    }
}

/// An arc that is enabled again and again must take a step that can change something. A step of the same arc where it is not
/// enabled does not count, with or without coins.
#[test]
fn local_fairness_to_arcs_is_about_enabled_arcs() {
    for coin in ["", "; l.y := draw 0..1"] {
        let path = text(
            "arcs",
            &format!(
                "protocol arcs\nmodel population on complete\nsupports n >= 2 \"two agents\"\nstate f : bit\nstate x : bit\nstate d : bit\nstate y : bit\nfirst:
  1: l.f = 1 and r.f = 0 and l.d = 0 and r.d = 0 -> l.x := 1 - l.x
  2: l.f = 0 and r.f = 1 and r.x = 1 and l.d = 0 -> l.d := 1{coin}
goal (f[0] = f[1] or d[0] = 1 or d[1] = 1) \"done\"\n"
            ),
        );
        let flags = "--size 2 --scheduler locally-fair --fairness-level";
        assert_eq!(json(&format!("check {path} {flags} arc --json"), 0)["verdict"], "holds", "{coin:?}");
    }
}

/// A fair daemon may stay in the safe set, outside the own safe set, as long as it wants.
#[test]
fn a_delay_inside_the_safe_set_has_no_bound() {
    let path = text(
        "own",
        "protocol own\nmodel ring\nscheduler fair\nrequire n = 2 \"two processes\"\nstate c : bit\nstate b : bit\nstate x : bit\nfirst:
  1: x = 0 -> x := draw 0..1
  2: x = 1 and left.x = 1 and b = 0 -> b := 1
  3: x = 1 and left.x = 1 and b = 1 -> c := 1 - c
goal (all i : x[i] = 1) \"set\"\nsafe = all i : x[i] = 1 and b[i] = 1\n",
    );
    let found = json(&format!("check {path} --size 2 --json"), 0);
    assert!(found.get("delay").is_none() && found["own_delay"]["strategy"].is_array(), "{found}");
    let steps = &found["expected_steps"];
    assert!(steps["to_really_safe"]["worst"].is_object() && steps["to_own_safe"].is_null(), "{steps}");
    let (_, said) = run(&format!("check {path} --size 2"));
    assert!(said.contains("expected steps to own safe set against the worst daemon: unbounded"), "{said}");
}

/// A choice that may depend on a coin is no choice of a decision process, so there is no verdict and no export.
#[test]
fn a_choice_after_a_coin_is_refused() {
    let path = text(
        "late",
        "protocol late\nmodel ring\nscheduler unfair\nrequire n >= 2 \"two processes\"\nstate x : bit\nstate y : 0..2\nfirst:
  1: x = 0 -> x := coin\nany:\n  2: y = 0 -> y := 1\n  3: y <= 1 -> y := 2\ngoal (all i : x[i] = 1) \"set\"\n",
    );
    let (code, said) = run(&format!("check {path} --size 2"));
    assert!(code == 2 && said.contains("so fair coins are not supported; use --coins adversarial"), "{code}: {said}");
    for scheduler in ["unfair", "distributed", "synchronous", "alternating"] {
        let export = scratch("late.drn");
        let (code, said) =
            run(&format!("explore {path} --size 3 --scheduler {scheduler} --export {}", export.display()));
        assert!(code == 2 && said.contains("so fair coins are not supported"), "{scheduler}, {code}: {said}");
    }
    let (code, said) = run(&format!("explore {path} --size 2 --scheduler round-robin"));
    assert!(code == 2 && said.contains("depends on the past") && !said.contains("fairness"), "{code}: {said}");
}

/// A strategy is entered with the turns of the recorded steps, not only with their states.
#[test]
fn a_strategy_is_entered_with_its_turns() {
    let path = text(
        "turns",
        "protocol turns\nmodel ring\nscheduler alternating\nrequire n >= 3 \"three processes\"\nstate x : 0..2\nfirst:
  1: x = 0 -> x := 1\n  2: x >= 1 -> x := draw 1..2\ngoal true \"anything\"\n",
    );
    let trace = scratch("turns.trace");
    let claim = ["--response", "x[i] = 0 leads to (all j : x[j] = 0)"];
    let mut check = Command::new(env!("CARGO_BIN_EXE_ringleader"));
    let check = check.args(["check", &path, "--size", "3"]).args(claim).arg("--save").arg(&trace).output();
    assert_eq!(check.expect("it starts").status.code(), Some(1));
    for seed in ["", "--seed 1", "--seed 2", "--seed 3"] {
        let (code, said) = run(&format!("elect --replay {} {seed}", trace.display()));
        assert!(code == 0 && said.contains("the schedule is alternating"), "{seed}: {said}");
    }
}

/// A claim is about configurations, also where a node is a configuration with tokens.
#[test]
fn claims_count_configurations() {
    let found = json("check gouda-haddix --size 3 --scheduler alternating --json", 0);
    let claim = &found["claims"][0];
    assert_eq!((&claim["promise"], &found["configurations"]), (&"recurring".into(), &512.into()));
    // Every configuration that is safe for all turns is safe for some.
    let checked = claim["configurations"].as_u64().expect("a number");
    assert!(found["really_safe"].as_u64() <= Some(checked) && checked <= 512, "{claim}");
    // Of 27 configurations, those with a process at 0.
    let path = text(
        "zeros",
        "protocol zeros\nmodel ring\nscheduler alternating\nrequire n >= 3 \"three processes\"\nstate x : 0..2\nfirst:
  1: x < 2 -> x := x + 1\ngoal true \"anything\"\nresponse up = x[i] = 0 leads to x[i] = 2\nrecurring top = x[i] = 2\n",
    );
    for scheduler in ["alternating", "unfair"] {
        let found = json(&format!("check {path} --size 3 --scheduler {scheduler} --json"), 0);
        let counts: Vec<&Value> =
            found["claims"].as_array().expect("a list").iter().map(|claim| &claim["configurations"]).collect();
        assert_eq!(counts, [27, 19], "{scheduler}");
    }
    let check = ["check", &path, "--size", "3", "--recurring", "x[i] = 2", "--json"];
    let check = Command::new(env!("CARGO_BIN_EXE_ringleader")).args(check).output().expect("it starts");
    let found: Value = serde_json::from_slice(&check.stdout).expect("an object");
    assert_eq!(found["claims"][0]["configurations"], 27);
}

/// Rounds are counted if every execution converges, whatever becomes of the claims; or the question is refused.
#[test]
fn rounds_are_counted_or_refused() {
    let path = text(
        "rounds",
        "protocol rounds\nmodel ring\nscheduler unfair\nrequire n = 2 \"two processes\"\nstate x : bit\nstate b : bit\nfirst:
  1: x = 0 -> x := 1\n  2: x = 1 and left.x = 1 -> b := 1 - b\ngoal (all i : x[i] = 1) \"set\"\nrecurring up = b[i] = 1\n",
    );
    for scheduler in ["unfair", "fair", "distributed"] {
        let found = json(
            &format!("check {path} --size 2 --scheduler {scheduler} --count-rounds --json"),
            1 - i32::from(scheduler == "fair"),
        );
        assert_eq!(found["rounds"]["worst"], 1, "{scheduler}: {found}");
    }
    let flags = ["--count-rounds", "--invariant", "all i : x[i] = 1"];
    let refused =
        Command::new(env!("CARGO_BIN_EXE_ringleader")).args(["check", &path, "--size", "2"]).args(flags).output();
    let refused = refused.expect("it starts");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && said.contains("only claims are checked here"), "{said}");
    // A recurring claim has a service time in rounds.
    let found = json("check dijkstra-k-state --size 4 --recurring token[i] --count-rounds --json", 0);
    assert_eq!(found["claims"][0]["service"]["rounds"]["worst"], 4, "{found}");
    // The product with the processes that a round waits for is part of the estimate.
    for scheduler in ["unfair", "distributed"] {
        let check = format!("check dijkstra-k-state --size 6 --scheduler {scheduler} --memory 0.06");
        assert_eq!(run(&check).0, 0, "{scheduler}");
        let (code, said) = run(&format!("{check} --count-rounds"));
        assert!(code == 2 && said.contains("may need"), "{scheduler}, {code}: {said}");
    }
}

/// Moves differ from steps where several processes step at once; with coins, rounds and moves are expectations.
#[test]
fn moves_and_expected_rounds() {
    let found = json("check dijkstra-k-state --size 4 --scheduler distributed --count-moves --json", 0);
    let worst = |kind: &str| found[kind]["to_really_safe"]["worst"].clone();
    assert_eq!((worst("steps"), worst("moves")), (13.into(), 17.into()), "{found}");
    let (code, said) = run("check dijkstra-k-state --size 4 --scheduler unfair --count-moves");
    assert!(code == 2 && said.contains("one process steps at a time"), "{said}");

    let colouring = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/randomized/colouring.ring");
    let check = format!("check {colouring} --size 3 --scheduler distributed --count-rounds --count-moves");
    let found = json(&format!("{check} --json"), 0);
    let near = |value: &Value, known: f64| {
        let (low, high) = (value["low"].as_f64().unwrap(), value["high"].as_f64().unwrap());
        assert!(low <= known && known <= high && high - low < 1e-6, "{value}");
    };
    near(&found["rounds"]["worst"], 243.0 / 52.0);
    near(&found["expected_moves"]["to_really_safe"]["worst"], 11.25);
    assert_eq!(found["rounds"]["expected"], true);
    let (_, said) = run(&check);
    assert!(said.contains("expected rounds to really safe against the worst daemon: worst in [4.673"), "{said}");
    assert!(said.contains("expected moves to really safe against the worst daemon: worst in [11.249"), "{said}");
}

/// With free rules and coins, the synchronous daemon chooses, and the verdict says so.
#[test]
fn the_verdict_names_the_daemon() {
    let path = text(
        "free",
        "protocol free\nmodel ring\nrequire n >= 2 \"two processes\"\nstate x : bit\nany:
  1: x = 0 -> x := coin\n  2: x = 0 -> x := 1\ngoal (all i : x[i] = 1) \"set\"\n",
    );
    let (code, said) = run(&format!("check {path} --size 2 --scheduler synchronous"));
    assert!(code == 0 && said.contains("with probability 1 against every such daemon"), "{said}");
    assert!(said.contains("against the worst daemon"), "{said}");
    let path = text(
        "levels",
        "protocol levels\nmodel population on graph\nsupports n >= 2 \"two agents\"\nstate x : 0..3\nfirst:
  1: l.x > r.x -> l.x := r.x\ngoal (all i : all j : x[i] = x[j]) \"equal\"\n",
    );
    let (_, said) = run(&format!("check {path} --size 3 --graph all --scheduler globally-fair"));
    assert!(said.contains("No steps are counted under this scheduler."), "{said}");
    let (_, said) = run(&format!("check {path} --size 3 --graph all --scheduler random"));
    assert!(said.contains("The graph on which it takes longest:"), "{said}");
}

/// A replay says of a cycle whether the daemon chooses between rules or coins must fall in a certain way.
#[test]
fn a_replay_tells_choices_from_coins() {
    let rules = |draw: &str| {
        format!(
            "any:\n  1: x = 0 -> x := {draw}\n  2: x = 0 -> x := 2\n  3: x = 1 -> x := 0\ngoal (all i : x[i] = 2) \"done\"\n"
        )
    };
    let said = |name: &str, flags: &str, draw: &str| {
        let path = text(name, &format!("protocol {name}\nmodel ring\nstate x : 0..2\n{}", rules(draw)));
        let trace = scratch(&format!("{name}.trace"));
        let (code, told) = run(&format!("check {path} --size 2 --scheduler unfair {flags} --save {}", trace.display()));
        assert_eq!(code, 1, "{told}");
        let (code, said) = run(&format!("elect --replay {}", trace.display()));
        assert_eq!(code, 0, "{said}");
        said
    };
    let chosen = said("chosen", "", "1");
    assert!(chosen.contains("the daemon chooses between the enabled rules") && !chosen.contains("coin"), "{chosen}");
    let tossed = said("tossed", "--coins adversarial", "draw 0..1");
    assert!(tossed.contains("the daemon chooses the outcomes of the coins"), "{tossed}");
}

/// Where the verdict is "fails", a configuration of `--start` has its probability of convergence.
#[test]
fn a_start_has_a_probability_where_the_goal_fails() {
    // Both processes toss until one of the absorbing values is drawn: from 0 each has probability 1/2.
    let path = text(
        "torn",
        "protocol torn\nmodel ring\nscheduler random\nstate x : 0..2\nfirst:\n  1: x = 0 -> x := draw 0..2\n\
         goal (all i : x[i] = 1) \"ones\"\n",
    );
    let found = json(&format!("check {path} --size 2 --start clean --json"), 1);
    let likely = &found["least_probability"];
    let near = |value: &serde_json::Value, known: f64| {
        let ends = [&value["low"], &value["high"]].map(|end| end.as_f64().expect("a number"));
        assert!(ends[0] <= known && known <= ends[1] && ends[1] - ends[0] < 1e-6, "{value}, not {known}");
    };
    near(&likely["worst"], 0.0);
    near(&likely["from"][0], 0.25);
    // A quarter of nine configurations at (0, 0); a half at (0, 1) and (1, 0); all at (1, 1).
    near(&likely["mean"], (0.25 + 0.5 + 0.5 + 1.0) / 9.0);
    assert!(found.get("greatest_probability").is_none());
    let (_, said) = run(&format!("check {path} --size 2 --start clean"));
    assert!(
        said.contains("probability of convergence: worst 0, mean in [") && said.contains("from clean: in ["),
        "{said}"
    );
}

/// Rounds, moves and alternating schedules from given starts.
#[test]
fn starts_have_rounds_moves_and_turns() {
    let check = "check dijkstra-k-state --size 4";
    let all = json(&format!("{check} --scheduler distributed --count-rounds --count-moves --json"), 0);
    let some = json(&format!("{check} --scheduler distributed --count-rounds --count-moves --start x[0]=0 --json"), 0);
    let one = json(&format!("{check} --scheduler distributed --count-rounds --count-moves --start 0:4 --json"), 0);
    let rounds = |found: &serde_json::Value| found["rounds"]["worst"].as_u64().expect("a number");
    let moves = |found: &serde_json::Value| found["moves"]["to_really_safe"]["worst"].as_u64().expect("a number");
    assert!((rounds(&all), moves(&all)) == (5, 17) && (rounds(&one), moves(&one)) == (0, 0), "{all} {one}");
    assert!(rounds(&some) <= 5 && rounds(&some) > 0 && moves(&some) <= 17 && moves(&some) > 0, "{some}");
    let turned = json(&format!("{check} --scheduler alternating --start x[0]=0 --json"), 0);
    let every = json(&format!("{check} --scheduler alternating --json"), 0);
    let steps = |found: &serde_json::Value| found["steps"]["to_really_safe"]["worst"].as_u64().expect("a number");
    assert!(steps(&turned) <= steps(&every) && turned["from_starts"]["count"].as_u64() > Some(1), "{turned}");
}

/// No configuration is safe, so the claim about the safe set says nothing.
#[test]
fn a_claim_about_no_configuration_neither_holds_nor_fails() {
    let found = json("check herman --size 5 --scheduler unfair --json", 1);
    assert_eq!(found["claims"][0]["claim"], "service");
    assert!(found["claims"][0]["holds"].is_null(), "{found}");
}

/// Tokens may miss each other for any number of steps.
#[test]
fn no_number_of_steps_has_probability_1() {
    let (_, told) = run("check random-colouring --graph ring --size 3 --scheduler distributed --strategy");
    assert!(told.contains("expected steps to really safe: the worst daemon leads through"), "{told}");
    let (code, refused) = run("check herman --size 3 --strategy");
    assert!(code == 2 && refused.contains("is for fair coins against a daemon that chooses"), "{refused}");
    let (_, never) = run("check herman --size 4 --quantile 0.99");
    assert!(never.contains("never, since no configuration is really safe"), "{never}");
    let found = json("check herman --size 5 --quantile 1 --json", 0);
    assert!(found["within"]["quantile"]["worst"]["low"].is_null(), "{}", found["within"]["quantile"]);
}

#[test]
fn questions_without_an_answer_are_refused_with_the_reason() {
    for (arguments, why) in [
        ("check herman --size 5 --coins adversarial", "under synchronous no daemon chooses"),
        ("check herman --size 5 --within 99999999999", "at most 10000000, not 99999999999"),
    ] {
        let (code, said) = run(arguments);
        assert_eq!(code, 2, "{arguments}: {said}");
        assert!(said.contains(why), "{arguments}: {said}");
        assert!(!said.contains("holds"), "a refusal has no verdict: {said}");
    }
}
