//! What the lab says of runs: the same as the engines say without it.

use crate::browser::Browser;
use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{Number, Parameters};
use ringleader_lab_server::{Lab, Serving};
use ringleader_model::{Graph, Scheduler, Terminating};
use ringleader_simulate::kernel::MessageSteps;
use ringleader_simulate::plain::{SimulatedRun, StabilizingRun};
use ringleader_simulate::{Generator, Oracle, Start};
use serde_json::{Value, json};

fn open() -> (Serving, Browser) {
    let serving = Lab::new(Catalog::builtin()).serve(0).unwrap();
    let browser = Browser::at(serving.address());
    (serving, browser)
}

fn frames(browser: &Browser, story: &Value, from: u64, to: u64, every: u64) -> Vec<Value> {
    let told = browser.ask("frames", &json!({"story": story, "from": from, "to": to, "every": every})).unwrap();
    told["frames"].as_array().unwrap().clone()
}

/// What matters of a moment.
fn seen(frame: &Value) -> (u64, &Value, &Value) {
    (frame["step"].as_u64().unwrap(), &frame["states"], &frame["taken"])
}

#[test]
fn a_run_is_that_of_the_plain_engine_forth_back_and_anywhere() {
    let (_serving, browser) = open();
    let story = json!({"setup": {"algorithm": "yokota-ring", "size": 8, "seed": 3}});
    let forth = frames(&browser, &story, 0, 3000, 1);
    assert_eq!(forth.len(), 3001);

    let Ok(Instance::Population(ring)) = Catalog::builtin().instance("yokota-ring", &Parameters::new(8)) else {
        panic!("it is a population protocol")
    };
    let graph = Graph::directed_ring(8).unwrap();
    let mut coin = Generator::new(3);
    let start = Start::Arbitrary.states(&ring, 8, &mut coin).unwrap();
    let mut plain = StabilizingRun::population(&ring, &graph, start, Scheduler::Random, Oracle::Perfect, coin);
    for frame in &forth {
        let states: Vec<Number> =
            serde_json::from_value::<Vec<u64>>(frame["states"].clone()).unwrap().into_iter().map(Number).collect();
        assert_eq!(states, plain.numbers(), "step {}", plain.steps());
        assert_eq!(frame["safe"], plain.reached().is_some());
        plain.step();
    }
    for step in [2999, 17, 1024, 1023, 1025, 0, 2048] {
        let there = frames(&browser, &story, step, step, 1);
        assert_eq!(seen(&there[0]), seen(&forth[step as usize]), "jump to {step}");
    }
    let seldom = frames(&browser, &story, 500, 2500, 500);
    assert_eq!(seldom.iter().map(|f| seen(f).0).collect::<Vec<_>>(), [500, 1000, 1500, 2000, 2500]);
    assert_eq!(seen(&seldom[2]), seen(&forth[1500]));
}

#[test]
fn the_viewer_chooses_arcs_and_breaks_agents_and_the_past_stays() {
    let (_serving, browser) = open();
    let setup = json!({"algorithm": "fischer-jiang-ring", "size": 5, "seed": 9});
    let alone = frames(&browser, &json!({"setup": setup}), 0, 40, 1);
    let acts = json!([
        {"at": 10, "arc": [2, 3]},
        {"at": 20, "agent": 1, "state": "bullet=1 leader=1 shield=0"},
        {"at": 20, "arc": [1, 2]},
        {"at": 30, "corrupt": [0, 4]},
    ]);
    let story = json!({"setup": setup, "acts": acts});
    let steered = frames(&browser, &story, 0, 40, 1);
    assert_eq!(alone[..=10], steered[..=10], "nothing changes before the viewer acts");
    assert_eq!(steered[11]["taken"]["arc"], json!([2, 3]));
    assert_eq!(steered[20]["edited"], json!([1]));
    assert_eq!(steered[21]["taken"]["arc"], json!([1, 2]));
    assert_eq!(steered[30]["edited"], json!([0, 4]));
    let told = browser.ask("frames", &json!({"story": story, "from": 20, "to": 20})).unwrap();
    let state = told["frames"][0]["states"][1].to_string();
    assert_eq!(told["texts"][&state], "bullet=1 leader=1 shield=0");
    for step in [5, 11, 20, 21, 29, 30, 31, 40] {
        assert_eq!(frames(&browser, &story, step, step, 1)[0], steered[step as usize], "jump to {step}");
    }
    let stray = json!({"setup": setup, "acts": [{"at": 1, "arc": [3, 2]}]});
    let told = browser.ask("frames", &json!({"story": stray, "from": 0, "to": 5})).unwrap();
    assert!(told["stopped"].as_str().unwrap().contains("no such arc"));
    let wrong = json!({"setup": setup, "acts": [{"at": 0, "agent": 1, "state": "bullet=7 leader=1 shield=0"}]});
    let told = browser.ask("frames", &json!({"story": wrong, "from": 0, "to": 5})).unwrap();
    assert!(told["stopped"].as_str().unwrap().contains("bullet must be"));
}

#[test]
fn choices_say_what_would_happen_and_what_it_would_mean() {
    let (_serving, browser) = open();
    let story = json!({"setup": {"algorithm": "fischer-jiang-ring", "size": 3, "seed": 1}});
    let ask = || browser.ask("choices", &json!({"story": story, "step": 0})).unwrap();
    let mut told = ask();
    for _ in 0..500 {
        if told["here"]["state"] == "known" {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        told = ask();
    }
    assert_eq!(told["here"]["state"], "known", "{told}");
    assert!(told["here"]["expected"].as_f64().unwrap() < 19.1, "the worst start of three takes 19 steps");
    let choices = told["choices"].as_array().unwrap();
    assert_eq!(choices.len(), 3);
    let chosen = choices.iter().find(|choice| choice["active"] == true).unwrap();
    let arc = &chosen["step"]["arc"];
    let after = json!({"setup": story["setup"], "acts": [{"at": 0, "arc": arc}]});
    let frame = &frames(&browser, &after, 1, 1, 1)[0];
    for change in chosen["changes"].as_array().unwrap() {
        assert_eq!(frame["states"][change[0].as_u64().unwrap() as usize], change[1]);
    }
    assert_eq!(frame["taken"]["rules"], chosen["rules"]);
    let graph = browser.ask("graph", &json!({"setup": story["setup"]})).unwrap();
    assert!(graph["nodes"].as_array().unwrap().len() < 512, "rotations are one node");
}

#[test]
fn a_counterexample_repeats_its_cycle() {
    let (_serving, browser) = open();
    let setup = json!({"algorithm": "fich-johnen", "size": 4, "seed": 1});
    let begun = browser.ask("check", &json!({"setup": setup, "scheduler": "alternating"})).unwrap();
    let told = browser.wait(&begun);
    let found = &told["done"];
    assert_eq!(found["holds"], false, "{told}");
    let (story, prefix, cycle) =
        (&found["run"]["story"], found["run"]["prefix"].as_u64().unwrap(), found["run"]["cycle"].as_u64().unwrap());
    assert!(cycle > 0);
    let run = frames(&browser, story, 0, prefix + 3 * cycle, 1);
    for lap in 1..=3 {
        assert_eq!(run[prefix as usize]["states"], run[(prefix + lap * cycle) as usize]["states"], "lap {lap}");
    }
    assert!(run[prefix as usize..].iter().all(|frame| frame["safe"] == false));
    let holds = browser.ask("check", &json!({"setup": {"algorithm": "fich-johnen", "size": 3, "seed": 1}})).unwrap();
    assert_eq!(browser.wait(&holds)["done"]["holds"], true);
}

#[test]
fn messages_arrive_as_in_the_simulator_unless_the_viewer_says_otherwise() {
    let (_serving, browser) = open();
    for name in ["itai-rodeh", "franklin", "chang-roberts", "peterson"] {
        let story = json!({"setup": {"algorithm": name, "size": 5, "seed": 4}});
        let opened = browser.ask("open", &json!({"setup": story["setup"]})).unwrap();
        assert_eq!(opened["kind"], "message");
        let told = browser.ask("frames", &json!({"story": story, "from": 0, "to": 5000, "every": 1})).unwrap();
        let run = told["frames"].as_array().unwrap();
        assert!(told["stopped"].as_str().unwrap().contains("one leader"), "{name}: {}", told["stopped"]);

        let parameters = Parameters::new(5);
        let identities = ringleader_erased::Identities::shuffled(5, &mut Generator::stream(4, 2)).to_string();
        let card = Catalog::builtin().card(name).unwrap();
        let named = card.parameters.iter().any(|p| p.name == "identities");
        let parameters = if named { parameters.with("identities", identities) } else { parameters };
        let Ok(Instance::Message(algorithm)) = Catalog::builtin().instance(name, &parameters) else { panic!("{name}") };
        let mut plain = MessageSteps::new(&algorithm, algorithm.channels(), Generator::new(4));
        for frame in run {
            let texts: Vec<_> = frame["states"]
                .as_array()
                .unwrap()
                .iter()
                .map(|state| told["texts"][state.to_string()].as_str().unwrap())
                .collect();
            assert_eq!(texts, plain.states(), "{name}, step {}", plain.steps());
            plain.step();
        }
    }
    let setup = json!({"algorithm": "chang-roberts", "size": 4, "seed": 1});
    let start = &frames(&browser, &json!({"setup": setup}), 2, 2, 1)[0];
    let Some(message) = start["traffic"]["waiting"].as_array().unwrap().iter().find(|m| m["ready"] == true) else {
        panic!("somebody has sent something: {start}")
    };
    let act = json!({"at": 2, "processes": [message["to"]], "message": [message["port"], message["index"]]});
    let chosen = &frames(&browser, &json!({"setup": setup, "acts": [act]}), 3, 3, 1)[0];
    assert_eq!(chosen["traffic"]["received"]["id"], message["id"]);
}

#[test]
fn a_text_is_marked_where_it_is_wrong_and_runs_when_it_is_right() {
    let (_serving, browser) = open();
    let right = "protocol duel\nmodel population on complete\nsize 4\nstate leader : bit\nshow leader when leader\n\
                 goal one leader\nfirst:\n  1: l.leader and r.leader -> r.leader := 0\n";
    let wrong = right.replace("when leader", "when ledaer");
    let marks = browser.ask("lint", &json!({"text": wrong})).unwrap();
    assert_eq!((&marks["fine"], &marks["marks"][0]["line"]), (&json!(false), &json!(5)));
    assert!(browser.ask("open", &json!({"setup": {"text": wrong, "seed": 1}})).is_err());
    let story = json!({"setup": {"text": right, "seed": 1, "start": "all-leaders"}});
    let run = frames(&browser, &story, 0, 400, 1);
    assert_eq!((&run[0]["leaders"], &run[400]["leaders"]), (&json!(4), &json!(1)));
}

#[test]
fn a_flaw_that_needs_messages_out_of_order_is_found_and_played_to_its_end() {
    let (_serving, browser) = open();
    let setup = json!({"algorithm": "franklin-no-bit", "size": 3, "seed": 1, "parameters": {"ids": "3"}});
    // As the page asks it, whatever it calls the schedules.
    let begun = browser.ask("check", &json!({"setup": setup, "scheduler": "every run"})).unwrap();
    let told = browser.wait(&begun);
    let found = &told["done"];
    assert_eq!(found["holds"], false, "{told}");
    let length = found["run"]["prefix"].as_u64().unwrap();
    let run = frames(&browser, &found["run"]["story"], 0, length, 1);
    let last = run.last().unwrap();
    assert_eq!(last["step"], length);
    assert_ne!(last["leaders"], 1);
    assert!(last["traffic"]["ready"].as_array().unwrap().is_empty());

    let sound = json!({"algorithm": "franklin", "size": 3, "seed": 1});
    let begun = browser.ask("check", &json!({"setup": sound})).unwrap();
    assert_eq!(browser.wait(&begun)["done"]["holds"], true);
    let endless = json!({"algorithm": "itai-rodeh", "size": 3, "seed": 1});
    assert!(browser.ask("check", &json!({"setup": endless})).unwrap_err().contains("give a value for rounds"));
}

/// The largest identity goes around, and its process leads.
const LARGEST: &str = "protocol largest\nmodel messages on unidirectional-ring\nchannels fifo\nidentities\nsize 3\n\
    state mode : {start, active, leader, former} = start\nstate id : 1..n = identity\nmessage m(id : 1..n)\n\
    show leader when mode = leader\n\
    on step when mode = start: mode := active; send right m(id)\n\
    on m when mode = active:\n  1: m.id > id -> send onward m(m.id)\n  2: m.id = id -> mode := leader\n  3: else -> skip\n";

#[test]
fn the_lab_asks_for_every_property_that_the_verb_asks_for() {
    let (_serving, browser) = open();
    let checked = |text: &str| {
        let begun = browser.ask("check", &json!({"setup": {"text": text, "size": 3, "seed": 1}})).unwrap();
        browser.wait(&begun)["done"].clone()
    };
    let found = checked(LARGEST);
    assert_eq!(found["holds"], true, "{found}");
    for claim in ["invariant idle = all i : mode[i] != leader", "eventually done = all i : mode[i] = leader"] {
        let found = checked(&format!("{LARGEST}{claim}\n"));
        assert_eq!(found["holds"], false, "{claim}: {found}");
    }
    let resigns = format!(
        "{LARGEST}on step when mode = leader: mode := former; send right m(id)\n\
        on m when mode = former:\n  1: else -> mode := leader\n"
    );
    let found = checked(&resigns);
    let shows = found["run"]["shows"].as_str().unwrap_or_default();
    assert!(found["holds"] == false && shows.contains("a leader stays leader for ever"), "{found}");

    let source = Catalog::builtin().card("dijkstra-k-state").unwrap().source;
    let claimed = |claim: &str| checked(&format!("{source}\n{claim}\n"))["holds"].clone();
    assert_eq!(claimed("eventually possible = true"), true);
    assert_eq!(claimed("eventually impossible = false"), false);
}

#[test]
fn a_cluster_is_begun_broken_and_looked_at() {
    let (_serving, browser) = open();
    assert!(browser.ask("cluster-look", &json!({"since": 0})).unwrap_err().contains("no cluster"));
    let plan = json!({"nodes": 3, "heartbeat": 30, "algorithm": "robust-s5", "seed": 1});
    browser.ask("cluster", &plan).unwrap();
    let agreed = |not: Option<u64>| {
        for _ in 0..2000 {
            let told = browser.ask("cluster-look", &json!({"since": 0})).unwrap();
            if let Some(leader) = told["agreed"].as_u64().filter(|leader| Some(*leader) != not) {
                return (leader, told);
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("nobody is agreed upon")
    };
    let (leader, told) = agreed(None);
    assert!(!told["datagrams"].as_array().unwrap().is_empty());
    browser.ask("cluster-act", &json!({"node": leader, "action": "kill"})).unwrap();
    let (second, told) = agreed(Some(leader));
    assert_eq!(told["nodes"][leader as usize]["down"], true);
    assert!(browser.ask("cluster-act", &json!({"node": leader, "action": "pause"})).unwrap_err().contains("down"));
    assert!(browser.ask("cluster-act", &json!({"node": 7, "action": "kill"})).is_err());
    assert!(browser.ask("cluster-act", &json!({"node": 0, "action": "love"})).is_err());
    // The link from the new leader to the one that is left.
    let third = 3 - leader - second;
    browser.ask("cluster-act", &json!({"node": third, "to": second, "action": "cut"})).unwrap();
    let look = || browser.ask("cluster-look", &json!({"since": 0})).unwrap();
    assert_eq!(look()["cut"], json!([[second.min(third), second.max(third)]]));
    let lost = |d: &Value| d[4] == true && [&d[2], &d[3]] == [&json!(second), &json!(third)];
    let lost = || look()["datagrams"].as_array().unwrap().iter().any(lost);
    let found = (0..500).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        lost()
    });
    assert!(found, "the leader is heard through a link that is cut");
    browser.ask("cluster-act", &json!({"node": second, "to": third, "action": "mend"})).unwrap();
    assert_eq!(look()["cut"], json!([]));
    assert!(browser.ask("cluster-act", &json!({"node": 0, "to": 0, "action": "cut"})).is_err());
    browser.ask("cluster-end", &json!({})).unwrap();
    assert_eq!(browser.ask("watch", &json!({})).unwrap()["hosts"], json!([]), "nobody was named on the command line");
}
