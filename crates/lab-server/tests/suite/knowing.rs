//! What the lab says that it knows: the same as a check says, under the scheduler that runs.

use crate::browser::Browser;
use ringleader_catalog::Catalog;
use ringleader_lab_server::{Lab, Serving};
use serde_json::{Value, json};

fn open() -> (Serving, Browser) {
    let serving = Lab::new(Catalog::builtin()).serve(0).unwrap();
    let browser = Browser::at(serving.address());
    (serving, browser)
}

fn checked(browser: &Browser, setup: &Value, scheduler: &str) -> Value {
    let begun = browser.ask("check", &json!({"setup": setup, "scheduler": scheduler})).unwrap();
    browser.wait(&begun)["done"].clone()
}

fn figure(found: &Value, name: &str) -> Option<f64> {
    let figures = found["figures"].as_array().unwrap();
    figures.iter().find(|figure| figure[0] == name).map(|figure| figure[1].as_str().unwrap().parse().unwrap())
}

/// The graph of all configurations, once it is known.
fn graph(browser: &Browser, setup: &Value) -> Value {
    for _ in 0..1000 {
        let told = browser.ask("graph", &json!({"setup": setup})).unwrap();
        if told["state"] == "known" {
            return told;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("nothing becomes known")
}

#[test]
fn every_configuration_is_known_under_the_scheduler_that_runs() {
    let (_serving, browser) = open();
    let subjects = [
        ("herman", 5, "synchronous"),
        ("herman", 4, "synchronous"),
        ("fich-johnen", 2, "synchronous"),
        ("dijkstra-k-state", 3, "distributed"),
        ("dijkstra-k-state", 3, "random"),
    ];
    for (name, size, scheduler) in subjects {
        let setup = json!({"algorithm": name, "size": size, "seed": 1, "scheduler": scheduler});
        let (all, found) = (graph(&browser, &setup), checked(&browser, &setup, scheduler));
        let nodes = all["nodes"].as_array().unwrap();
        if all["rotations"] == false {
            let safe = nodes.iter().filter(|node| node[1] == true).count();
            assert_eq!(Some(safe as f64), figure(&found, "really safe"), "{name} {scheduler}");
        }
        let lost = nodes.iter().any(|node| node[4] == false);
        assert!(!(lost && found["holds"] == true), "{name} {scheduler}: it holds, but not everything can heal");
        let worst = nodes.iter().filter_map(|node| node[3].as_f64()).fold(0.0, f64::max);
        if let Some(expected) = figure(&found, "expected steps, worst start") {
            assert!((worst - expected).abs() < 0.01, "{name} {scheduler}: {worst} is not {expected}");
        }
    }
    let herman = json!({"algorithm": "herman", "size": 5, "seed": 1});
    let found = checked(&browser, &herman, "synchronous");
    assert_eq!((&found["holds"], &found["almost_surely"]), (&json!(true), &json!(true)));
    assert_eq!((figure(&found, "really safe"), figure(&found, "expected steps, worst start")), (Some(10.0), Some(3.2)));
    graph(&browser, &herman);
    let told = browser.ask("choices", &json!({"story": {"setup": herman}, "step": 40})).unwrap();
    assert_eq!(told["here"]["at_once"], "all");
}

#[test]
fn a_text_that_names_no_safe_set_is_not_said_to_have_one() {
    let (_serving, browser) = open();
    let text = "protocol duel\nmodel population on complete\nsize 4\nstate leader : bit\nshow leader when leader\n\
                goal one leader\nfirst:\n  1: l.leader and r.leader -> r.leader := 0\n";
    let found = checked(&browser, &json!({"text": text, "seed": 1}), "random");
    assert_eq!(figure(&found, "in the proof's safe set"), None);
    assert_eq!(figure(&found, "really safe"), Some(4.0));
    let named = text.replace("first:", "safe = one i : leader[i]\nfirst:");
    assert_eq!(
        figure(&checked(&browser, &json!({"text": named, "seed": 1}), "random"), "in the proof's safe set"),
        Some(4.0)
    );
}

#[test]
fn a_protocol_runs_on_the_graph_of_a_file_if_it_is_for_any() {
    let (_serving, browser) = open();
    let text = "protocol duel\nmodel population on graph\nsize 6\nstate leader : bit\nshow leader when leader\n\
                goal one leader\nfirst:\n  1: l.leader and r.leader -> r.leader := 0\n";
    let ask = |setup: Value| browser.ask("open", &json!({"setup": setup}));
    let star = ask(json!({"text": text, "graph": "0 1\n0 2\n0 3\n", "seed": 1})).unwrap();
    assert_eq!((&star["size"], star["graph"]["arcs"].as_array().unwrap().len()), (&json!(4), 3));
    assert_eq!(star["any_graph"], true);
    let own = ask(json!({"text": text, "seed": 1})).unwrap();
    assert_eq!((&own["size"], &own["graph"]["shape"]), (&json!(6), &json!("complete graph")));
    let ring = json!({"algorithm": "yokota-ring", "graph": "0 1\n0 2\n", "seed": 1});
    assert!(ask(ring).unwrap_err().contains("directed ring"));
    assert!(ask(json!({"text": text, "graph": "digraph {", "seed": 1})).unwrap_err().contains("the graph"));
}

#[test]
fn layers_go_over_texts_too() {
    let (_serving, browser) = open();
    let text = "protocol tokens\nmodel ring\nsize 3\nstate x : 0..2\nshow token when enabled\ngoal one token\n\
                first:\n  1: bottom and x = left.x -> x := (x + 1) mod 3\n  2: not bottom and x != left.x -> x := left.x\n";
    let states = |layers: Value| {
        let setup = json!({"text": text, "seed": 1, "parameters": layers});
        browser.ask("open", &json!({"setup": setup})).unwrap()["states"].as_u64().unwrap()
    };
    assert_eq!((states(json!({})), states(json!({"layers": "alternator"}))), (3, 6));
}

/// The table of the lab and the report of a check are made by different functions: they agree on graphs.
#[test]
fn processes_of_a_graph_have_places_ports_and_a_table() {
    let (_serving, browser) = open();
    let opened = |graph: &str| {
        let setup = json!({"algorithm": "hsu-huang", "graph": graph, "size": 6, "seed": 1});
        browser.ask("open", &json!({"setup": setup}))
    };
    let grid = opened("grid:2x3").unwrap();
    assert_eq!(grid["graph"]["neighbours"], json!([[1, 3], [0, 2, 4], [1, 5], [4, 0], [3, 5, 1], [4, 2]]));
    assert_eq!((&grid["graph"]["pointers"], &grid["graph"]["root"]), (&json!(["p"]), &json!(false)));
    assert_eq!(grid["graph"]["places"].as_array().unwrap().len(), 6);
    assert!(opened("complete").unwrap()["graph"]["places"].is_null());
    assert!(opened("hypercube").unwrap_err().contains("2, 4, 8"));
    assert!(opened("blob").unwrap_err().contains("the families are"));
    for (scheduler, worst, graph_of) in [("unfair", Some(9.0), "line"), ("synchronous", None, "undirected-ring")] {
        let mut setup = json!({"algorithm": "hsu-huang", "graph": graph_of, "size": 5, "seed": 1});
        if scheduler == "synchronous" {
            setup["scheduler"] = json!(scheduler);
        }
        let (all, found) = (graph(&browser, &setup), checked(&browser, &setup, scheduler));
        let nodes = all["nodes"].as_array().unwrap();
        let safe = nodes.iter().filter(|node| node[1] == true).count();
        assert_eq!(figure(&found, "really safe"), Some(safe as f64), "{scheduler}");
        let steps: Option<Vec<f64>> = nodes.iter().map(|node| node[2].as_f64()).collect();
        assert_eq!(steps.map(|all| all.into_iter().fold(0.0, f64::max)), worst, "{scheduler}");
        assert_eq!(figure(&found, "steps at worst"), worst, "{scheduler}");
        // The cycle of the synchronous daemon draws no coin: the draws are its choices between rules.
        if worst.is_none() {
            let told = browser.ask("verify", &json!({"story": found["run"]["story"]})).unwrap();
            assert_eq!(
                (&told["verified"]["shows"], &told["verified"]["open"]),
                (&json!("the goal is never met"), &json!([]))
            );
            assert_eq!(found["run"]["story"]["setup"]["graph"], "undirected-ring");
        }
    }
}

#[test]
fn rounds_probabilities_starts_and_numbers_are_asked_for() {
    let (_serving, browser) = open();
    let ask = |question: Value| {
        let begun = browser.ask("check", &question)?;
        Ok::<Value, String>(browser.wait(&begun)["done"].clone())
    };
    let dijkstra = json!({"algorithm": "dijkstra-k-state", "size": 4, "seed": 1});
    let found = ask(json!({"setup": dijkstra, "rounds": true})).unwrap();
    assert_eq!(
        (figure(&found, "rounds at worst"), figure(&found, "rounds, mean over all starts")),
        (Some(5.0), Some(2.06))
    );
    assert_eq!(
        found["claims"][0][3],
        "worst steps between two visits in the safe set: 4, for i = 0; worst rounds between two visits in the safe set: 4"
    );
    let herman = json!({"algorithm": "herman", "size": 5, "seed": 1});
    let found = ask(json!({"setup": herman, "within": 20, "quantile": 0.99})).unwrap();
    assert_eq!(figure(&found, "steps for probability 0.99, worst start"), Some(12.0));
    let points = found["curves"]["lines"][0]["points"].as_array().unwrap();
    assert_eq!((points.len(), &points[0]), (21, &json!([0.0])));
    assert!(found["curves"]["csv"].as_str().unwrap().starts_with("t,worst start,mean over all\n0,0,"));
    // Only a daemon that has a choice is the best or the worst.
    let rows = |scheduler: &str| {
        let found = ask(json!({"setup": dijkstra, "scheduler": scheduler, "within": 5})).unwrap();
        let rows = found["figures"].as_array().unwrap().iter().map(|row| row[0].as_str().unwrap().to_string());
        let name = "probability of being safe within 5 steps";
        rows.filter_map(|row| row.strip_prefix(name).map(str::to_string)).collect::<Vec<_>>()
    };
    assert_eq!(rows("synchronous"), [", worst start", ", mean over all starts"]);
    let daemons = ["worst daemon", "best daemon"];
    let of = |daemon: &str| [format!(", {daemon}, worst start"), format!(", {daemon}, mean over all starts")];
    assert_eq!(rows("unfair"), daemons.map(of).concat());
    let duel = json!({"algorithm": "fischer-jiang-complete", "size": 5, "seed": 1});
    for (start, count) in [("leader=1: 3, leader=0: 2", 10.0), ("some i : leader[i]", 31.0)] {
        let found = ask(json!({"setup": duel, "start": start})).unwrap();
        assert_eq!((figure(&found, "starts"), &found["starts"]), (Some(count), &json!(start)));
    }
    for (question, why) in [
        (json!({"setup": duel, "start": "leader=1: 3"}), "the start counts 3 agents, not 5"),
        (json!({"setup": duel, "start": "leader=7: 5"}), "no local state is `leader=7`"),
        (json!({"setup": duel, "quantile": 0}), "greater than 0"),
        (json!({"setup": duel, "within": 1_000_000}), "at most 100000 steps"),
        (json!({"setup": duel, "within": 5, "claims": [{"always": "n > 0"}]}), "leave the claims out"),
    ] {
        assert!(ask(question).unwrap_err().contains(why), "{why}");
    }
    // A run starts where it is asked to.
    let counted =
        json!({"algorithm": "fischer-jiang-complete", "size": 5, "seed": 1, "start": "leader=1: 3, leader=0: 2"});
    let frames =
        json!({"story": {"setup": counted}, "from": 0, "to": 0, "watch": ["count i : leader[i]", "n - 6", "1 = 1"]});
    let told = browser.ask("frames", &frames).unwrap();
    assert_eq!((&told["frames"][0]["leaders"], &told["watched"][0]), (&json!(3), &json!([3, -1, true])));
}

#[test]
fn too_many_configurations_for_the_panel_are_counted() {
    let (_serving, browser) = open();
    let question = json!({"story": {"setup": {"algorithm": "dijkstra-k-state", "size": 9, "seed": 1}}, "step": 0});
    let why = (0..500).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        browser.ask("choices", &question).unwrap()["here"]["why"].as_str().map(str::to_string)
    });
    assert_eq!(why.as_deref(), Some("387420489 configurations are too many for this panel (256 MiB)"));
}
