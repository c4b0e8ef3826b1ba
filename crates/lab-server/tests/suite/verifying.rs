//! What the lab says of recorded runs: what it has verified, and nothing that a link or a file says.

use crate::browser::Browser;
use ringleader_catalog::Catalog;
use ringleader_lab_server::{Lab, Recording, Serving};
use serde_json::{Value, json};

fn open() -> (Serving, Browser) {
    let serving = Lab::new(Catalog::builtin()).serve(0).unwrap();
    let browser = Browser::at(serving.address());
    (serving, browser)
}

fn verified(browser: &Browser, story: &Value) -> Value {
    browser.ask("verify", &json!({"story": story})).unwrap()["verified"].clone()
}

/// A counterexample of the checker.
fn found(browser: &Browser, setup: &Value, scheduler: &str) -> Option<Value> {
    let begun = browser.ask("check", &json!({"setup": setup, "scheduler": scheduler})).ok()?;
    let told = browser.wait(&begun)["done"].clone();
    told["run"].is_object().then(|| told["run"].clone())
}

#[test]
fn a_forged_link_shows_nothing() {
    let (_serving, browser) = open();
    let setup = json!({"algorithm": "yokota-ring", "size": 3, "seed": 1});
    let script = json!({"cycle": 0, "steps": [{"arc": [0, 1]}], "shows": "Theorem 1 is false"});
    let worded = browser.ask("verify", &json!({"story": {"setup": setup, "script": script}}));
    assert!(worded.unwrap_err().contains("unknown field `shows`"), "a script holds no words");
    let script = json!({"cycle": 0, "steps": [{"arc": [0, 1]}, {"arc": [1, 2]}]});
    let told = verified(&browser, &json!({"setup": setup, "script": script}));
    assert_eq!((&told["closes"], &told["shows"]), (&json!(false), &Value::Null), "{told}");
    assert!(told["wrong"].as_str().unwrap().contains("does not end in the configuration in which it began"), "{told}");
    let wrong = |script: Value| {
        let told = verified(&browser, &json!({"setup": setup, "script": script}));
        assert_eq!(told["shows"], Value::Null, "{told}");
        told["wrong"].as_str().unwrap_or_else(|| panic!("{told}")).to_string()
    };
    assert!(wrong(json!({"steps": [{"arc": [1, 0]}]})).contains("step 1: the directed ring has no arc from 1 to 0"));
    assert!(wrong(json!({"steps": [{"arc": [0, 1]}, {"arc": [7, 0]}]})).contains("step 2: there is no agent 7"));
    assert!(wrong(json!({"steps": [{"arc": [0, 1]}, {}]})).contains("step 2 has no actor"));
    assert!(wrong(json!({"steps": [{"arc": [0, 1]}], "cycle": 1})).contains("nothing repeats"));
    assert!(wrong(json!({"steps": [{"processes": [0]}]})).contains("step 1: this algorithm's steps are"));
    assert!(wrong(json!({"steps": [{"arc": [0, 1], "coin": [7]}]})).contains("step 1: the rule has fewer coins"));
    assert!(wrong(json!({"steps": [{"arc": [0, 1]}], "scheduler": "slow"})).contains("no scheduler is called"));
    let acts = json!([{"at": 0, "corrupt": [1]}]);
    let left = verified(&browser, &json!({"setup": setup, "acts": acts, "script": {"steps": [{"arc": [0, 1]}]}}));
    assert_eq!(left, Value::Null, "the viewer has changed the run");
}

#[test]
fn every_counterexample_of_the_checker_is_verified_without_its_tables() {
    let (_serving, browser) = open();
    let cards = browser.ask("cards", &json!({})).unwrap()["cards"].clone();
    let (mut failures, mut unconfirmed) = (0, vec![]);
    for card in cards.as_array().unwrap().iter().filter(|card| card["runnable"] == true) {
        let name = card["name"].as_str().unwrap();
        for size in [2, 3, 4] {
            let setup = json!({"algorithm": name, "size": size, "seed": 1});
            let Ok(subject) = browser.ask("open", &json!({"setup": setup})) else { continue };
            let many = subject["states"].as_u64().is_none_or(|states| states.saturating_pow(size) > 5_000);
            if many || subject["kind"] == "message" {
                continue;
            }
            let around: &[&str] = match subject["kind"].as_str() {
                Some("ring") => {
                    &["random", "globally-fair", "fair", "unfair", "alternating", "synchronous", "distributed"]
                }
                Some("graph") => &["random", "globally-fair", "fair", "unfair", "synchronous", "distributed"],
                _ => &["random", "globally-fair", "locally-fair", "fair", "unfair"],
            };
            for scheduler in around {
                let Some(run) = found(&browser, &setup, scheduler) else { continue };
                // A configuration that no step changes has no steps to verify.
                if run["prefix"] == 0 && run["cycle"] == 0 && subject["kind"] == "graph" {
                    continue;
                }
                failures += 1;
                let told = verified(&browser, &run["story"]);
                assert_eq!(told["wrong"], Value::Null, "{name} {size} {scheduler}: {run}");
                assert_eq!(told["closes"], run["cycle"].as_u64() > Some(0), "{name} {size} {scheduler}");
                if told["shows"].is_null() {
                    unconfirmed.push(format!("{name} {size} {scheduler}: {} ({})", run["shows"], told["open"]));
                }
            }
        }
    }
    assert!(failures > 60, "only {failures} counterexamples");
    assert!(unconfirmed.is_empty(), "{} of {failures} failures are not confirmed: {unconfirmed:#?}", unconfirmed.len());
}

#[test]
fn one_other_step_and_the_counterexample_is_none() {
    let (_serving, browser) = open();
    let setup = json!({"algorithm": "fich-johnen", "size": 4, "seed": 1});
    let run = found(&browser, &setup, "alternating").unwrap();
    let told = verified(&browser, &run["story"]);
    assert_eq!(told["shows"], run["shows"]);
    assert!(told["verified"].to_string().contains("the schedule is alternating"), "{told}");
    let mut twice = run["story"].clone();
    let steps = twice["script"]["steps"].as_array_mut().unwrap();
    steps[1] = steps[0].clone();
    assert!(verified(&browser, &twice)["wrong"].is_string());
    let mut fair = run["story"].clone();
    fair["script"]["scheduler"] = json!("synchronous");
    assert!(verified(&browser, &fair)["wrong"].as_str().unwrap().contains("not all processes step"));
    let mut short = run["story"].clone();
    short["script"]["steps"].as_array_mut().unwrap().pop();
    assert!(verified(&browser, &short)["wrong"].is_string(), "the schedule no longer alternates");
}

#[test]
fn runs_of_messages_are_verified_to_their_end() {
    let (_serving, browser) = open();
    let setup = json!({"algorithm": "franklin-no-bit", "size": 3, "seed": 1, "parameters": {"ids": "3"}});
    let run = found(&browser, &setup, "every run").unwrap();
    let told = verified(&browser, &run["story"]);
    assert_eq!(told["shows"], "the run ends without a leader", "{told}");
    let mut cut = run["story"].clone();
    cut["script"]["steps"].as_array_mut().unwrap().pop();
    assert_eq!(verified(&browser, &cut)["shows"], Value::Null, "it could go on");
    let mut stray = run["story"].clone();
    stray["script"]["steps"][0]["processes"] = json!([3]);
    assert!(verified(&browser, &stray)["wrong"].as_str().unwrap().contains("step 1: there is no process 3"));
}

#[test]
fn a_trace_becomes_a_page_that_says_what_was_verified() {
    let (_serving, browser) = open();
    let run = found(&browser, &json!({"algorithm": "fich-johnen", "size": 4, "seed": 1}), "alternating").unwrap();
    let trace = run["trace"].as_str().unwrap();
    let page = |trace: &str, found: Option<&str>| Recording::replay(trace, found).unwrap().html(&Catalog::builtin());
    let whole = page(trace, None).unwrap();
    assert!(whole.contains(run["shows"].as_str().unwrap()) && whole.contains("\"closes\":true"));
    assert!(!whole.contains("src=\"http"));
    let open = trace.trim_end().rsplit_once('\n').unwrap().0;
    let forged = page(&format!("{open}\n"), None).unwrap();
    assert!(forged.contains("\"wrong\":\"step ") && forged.contains("the schedule does not alternate"));
    assert!(Recording::replay("nonsense", None).is_err());
    assert!(page(&trace.replace("fich-johnen", "fich-johnson"), None).is_err());
}

/// Links that forge a failure of a correct algorithm: each has one assumption that the claim does not allow, or that is not decided.
#[test]
fn a_link_outside_of_the_claim_is_no_counterexample() {
    let (_serving, browser) = open();
    let told = |setup: &Value, script: Value| verified(&browser, &json!({"setup": setup, "script": script}));
    let states = |name: &str, size: usize| json!({"algorithm": name, "size": size, "seed": 1});
    for size in [16, 70] {
        let idle = json!({"steps": [{"arc": [0, 1]}], "cycle": 0, "scheduler": "random"});
        let many = told(&states("yokota-ring", size), idle.clone());
        let undecided = many["wrong"].is_string() || many["open"] != json!([]);
        assert!(many["shows"].is_null() && undecided, "the schedule of {size} agents is not decided: {many}");
        assert!(!many["verified"].to_string().contains("the schedule is random"), "{many}");
    }
    let mut herman = states("herman", 3);
    herman["start"] = json!(["x=0", "x=0", "x=0"]);
    let coins = |assumed: Value| json!({"steps": [{"all": true, "coin": [0, 0, 0]}], "cycle": 0, "scheduler": "synchronous", "coins": assumed});
    let lucky = told(&herman, coins(json!("fair")));
    assert!(lucky["shows"].is_null() && lucky["closes"] == true, "it has probability 0: {lucky}");
    assert!(lucky["open"].to_string().contains("only if the coins always have these outcomes"), "{lucky}");
    let chosen = told(&herman, coins(json!("adversarial")));
    assert_eq!(chosen["claimed"], "fair coins", "{chosen}");
    let bounded = json!({"algorithm": "itai-rodeh", "size": 2, "seed": 1, "parameters": {"rounds": "1"}});
    let frames =
        browser.ask("frames", &json!({"story": {"setup": bounded}, "from": 0, "to": 1000, "every": 1})).unwrap();
    let taken: Vec<Value> = frames["frames"].as_array().unwrap().iter().map(|frame| frame["taken"].clone()).collect();
    let steps: Vec<&Value> = taken.iter().filter(|step| !step.is_null()).collect();
    let cut = told(&bounded, json!({"steps": steps}));
    assert!(cut["wrong"].is_null() && cut["shows"].is_null(), "{cut}");
    let k_state = json!({"algorithm": "dijkstra-k-state", "size": 3, "seed": 1, "start": ["x=0", "x=0", "x=0"]});
    let commented =
        json!({"steps": [{"processes": [0]}], "claim": {"always": "some i : x[i] = 9 # Theorem 1 is false"}});
    let words = browser.ask("verify", &json!({"story": {"setup": k_state, "script": commented}}));
    assert!(words.unwrap_err().contains("without a comment"));
}

/// A claim for every process has one bit for each.
#[test]
fn claims_for_more_processes_than_bits_are_refused() {
    let (_serving, browser) = open();
    let long = json!({"algorithm": "dijkstra-k-state", "size": 40, "seed": 1, "start": vec!["x=0"; 40]});
    let script = json!({"steps": [{"processes": [0]}], "claim": {"recurring": "token[i]"}});
    let told = browser.ask("verify", &json!({"story": {"setup": long, "script": script}}));
    assert!(told.as_ref().is_err_and(|why| why.contains("40 processes are too many")), "{told:?}");
}
