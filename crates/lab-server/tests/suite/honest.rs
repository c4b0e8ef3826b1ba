//! No answer of the lab is about another question than the one that was asked.

use crate::browser::Browser;
use ringleader_catalog::Catalog;
use ringleader_lab_server::{Lab, Serving};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn open() -> (Serving, Browser) {
    let serving = Lab::new(Catalog::builtin()).serve(0).unwrap();
    let browser = Browser::at(serving.address());
    (serving, browser)
}

fn checked(browser: &Browser, question: &Value) -> Value {
    let told = browser.wait(&browser.ask("check", question).unwrap());
    assert!(told["done"].is_object(), "{told}");
    told["done"].clone()
}

/// The states of every process in a range of steps, as the page writes them.
fn words(browser: &Browser, story: &Value, from: u64, to: u64) -> Vec<(u64, Vec<String>)> {
    let told = browser.ask("frames", &json!({"story": story, "from": from, "to": to, "every": 1})).unwrap();
    let text = |state: &Value| told["texts"][state.to_string()].as_str().unwrap().to_string();
    let frames = told["frames"].as_array().unwrap().iter();
    frames.map(|f| (f["step"].as_u64().unwrap(), f["states"].as_array().unwrap().iter().map(text).collect())).collect()
}

/// The numbers of states in an answer.
fn numbers(browser: &Browser, story: &Value, from: u64, to: u64) -> BTreeMap<String, String> {
    let told = browser.ask("frames", &json!({"story": story, "from": from, "to": to, "every": 1})).unwrap();
    let texts = told["texts"].as_object().unwrap();
    texts.iter().map(|(number, text)| (number.clone(), text.as_str().unwrap().to_string())).collect()
}

#[test]
fn the_frames_of_several_answers_fit_together() {
    let (_serving, browser) = open();
    let setup = json!({"algorithm": "franklin-no-bit", "size": 3, "seed": 1, "parameters": {"ids": "3"}});
    let run = checked(&browser, &json!({"setup": setup}))["run"].clone();
    for story in [&run["story"], &json!({"setup": setup})] {
        let whole = words(&browser, story, 0, 12);
        assert!(whole[0].1.iter().all(|state| state.contains("mode=start")), "{whole:?}");
        let first = numbers(&browser, story, 0, 12);
        for from in [1, 4, 9] {
            assert_eq!(words(&browser, story, from, 12)[..], whole[from as usize..]);
            for (number, text) in numbers(&browser, story, from, 12) {
                assert_eq!(first.get(&number), Some(&text), "from step {from} the number {number} means another state");
            }
        }
    }
}

/// It elects the first process that hears a larger identity: right in one order of three identities, wrong in the other.
const HEARS: &str = "protocol hears\nmodel messages on unidirectional-ring\nidentities\nsize 3\n\
    state mode : {start, active, leader} = start\nstate id : 1..n = identity\nmessage m(id : 1..n)\n\
    show leader when mode = leader\n\
    on step when mode = start: mode := active; send right m(id)\n\
    on m when mode = active:\n  1: m.id > id -> mode := leader\n  2: else -> skip\n";

#[test]
fn a_check_covers_every_order_of_the_identities() {
    let (_serving, browser) = open();
    for seed in 0..6 {
        let found = checked(&browser, &json!({"setup": {"text": HEARS, "seed": seed}}));
        assert_eq!(found["holds"], false, "seed {seed}: {found}");
        let (about, order) = (&found["identities"], &found["run"]["story"]["setup"]["parameters"]["identities"]);
        assert_eq!(about.as_str().unwrap(), format!("for the identities {}", order.as_str().unwrap()));
        // The counterexample is a run of its own order.
        let verified = browser.ask("verify", &json!({"story": found["run"]["story"]})).unwrap();
        assert_eq!(verified["verified"]["wrong"], Value::Null, "{verified}");
        assert!(verified["verified"]["shows"].as_str().unwrap().contains("2 leaders"), "{verified}");
    }
    let setup = json!({"algorithm": "chang-roberts", "size": 4, "seed": 1});
    let found = checked(&browser, &json!({"setup": setup}));
    assert_eq!((&found["holds"], &found["identities"]), (&json!(true), &json!("for every order of the identities")));
    assert!(found["report"].as_str().unwrap().contains("all 6 orders"), "{found}");
    let setup = json!({"algorithm": "chang-roberts", "size": 4, "parameters": {"identities": "1,3,2,4"}});
    let found = checked(&browser, &json!({"setup": setup}));
    assert_eq!(found["identities"], "for the identities 1,3,2,4");
}

#[test]
fn identities_that_the_seed_draws_are_not_called_ascending() {
    let (_serving, browser) = open();
    let opened = |setup: Value| browser.ask("open", &json!({"setup": setup})).unwrap()["parameters"][0].clone();
    let drawn = opened(json!({"algorithm": "chang-roberts", "size": 5, "seed": 1}));
    assert_eq!((&drawn["default"], &drawn["given"]), (&json!("drawn by the seed"), &Value::Null));
    assert_ne!(drawn["drawn"], "1,2,3,4,5");
    let given = opened(json!({"algorithm": "chang-roberts", "size": 5, "parameters": {"identities": "descending"}}));
    assert_eq!((&given["given"], &given["drawn"]), (&json!("descending"), &Value::Null));
}

#[test]
fn a_verdict_names_its_oracle() {
    let (_serving, browser) = open();
    let setup = |oracle: Option<&str>| {
        let setup = json!({"algorithm": "fischer-jiang-ring", "size": 3, "seed": 1});
        let Some(oracle) = oracle else { return setup };
        let mut lying = setup;
        lying["oracle"] = json!(oracle);
        lying
    };
    let truthful = |oracle| browser.ask("open", &json!({"setup": setup(oracle)})).unwrap()["truthful"].clone();
    assert_eq!(
        [truthful(None), truthful(Some("adversarial:100")), truthful(Some("delayed:5"))],
        [json!(true), json!(false), json!(false)]
    );
    let under = |lies| checked(&browser, &json!({"setup": setup(None), "scheduler": "globally-fair", "lies": lies}));
    assert_eq!(under(false)["oracle"], "perfect");
    assert_eq!(under(true)["oracle"], "eventually-correct");
    let without = checked(&browser, &json!({"setup": {"algorithm": "dijkstra-k-state", "size": 3}}));
    assert_eq!(without["oracle"], Value::Null);
}

#[test]
fn always_means_in_every_configuration() {
    let (_serving, browser) = open();
    let setup = json!({"algorithm": "dijkstra-k-state", "size": 4, "seed": 1});
    let check = |claim: Value| checked(&browser, &json!({"setup": setup, "claims": [claim]}));
    let few = "(count i : enabled[i]) <= 2";
    // Some configurations have three privileges, and no step makes their number larger.
    assert_eq!(check(json!({"closed": few}))["claims"], json!([["closed", format!("`{few}`"), true, null]]));
    let found = check(json!({"always": few}));
    assert_eq!(found["claims"], json!([["always", format!("`{few}`"), false, null]]), "{found}");
    assert_eq!((&found["run"]["prefix"], &found["run"]["cycle"]), (&json!(0), &json!(0)));
    let start = json!({"setup": found["run"]["story"]["setup"]});
    let told = browser.ask("frames", &json!({"story": start, "from": 0, "to": 0, "every": 1, "watch": [few]})).unwrap();
    assert_eq!(told["watched"], json!([[false]]), "the claim is true in its counterexample");
    assert_eq!(check(json!({"always": "false"}))["holds"], false);
    assert_eq!(check(json!({"always": "true"}))["holds"], true);
}

#[test]
fn claims_about_reached_sets_show_their_numbers() {
    let (_serving, browser) = open();
    let numbers = |algorithm: &str, size: u64, scheduler: &str, set: &str| {
        let setup = json!({"algorithm": algorithm, "size": size, "seed": 1});
        let found =
            checked(&browser, &json!({"setup": setup, "scheduler": scheduler, "claims": [{"eventually": set}]}));
        found["claims"][0][3].as_str().unwrap_or_else(|| panic!("{found}")).to_string()
    };
    let one = "one i : enabled[i]";
    assert_eq!(numbers("dijkstra-k-state", 4, "unfair", one), "steps: worst 13, mean 4.578125");
    assert_eq!(
        numbers("fischer-jiang-ring", 3, "random", "one i : leader[i]"),
        "expected steps: worst 19 exactly, mean 340199/57344 = 5.932599749"
    );
    let all = numbers("fischer-jiang-ring", 3, "random", "all i : leader[i]");
    assert!(all.starts_with("probability: worst 0, mean in [0."), "{all}");
    let [worst, best] = ["against the worst daemon: worst in [1.9", "with the best daemon: worst in [1.9"];
    let coins = numbers("herman", 3, "unfair", "one i : token[i]");
    assert!(coins.starts_with(&format!("expected steps {worst}")) && coins.contains(best), "{coins}");
    let fails = numbers("herman", 5, "unfair", "one i : token[i]");
    let [least, greatest] = ["; least probability: worst 0, mean in [0.312", "; greatest probability: worst in [0.99"];
    assert!(fails.contains(least) && fails.contains(greatest), "{fails}");
}

#[test]
fn a_run_under_a_schedule_without_a_claim_is_no_counterexample_to_the_claim() {
    let (_serving, browser) = open();
    let verified = |scheduler: &str| {
        let setup = json!({"algorithm": "fischer-jiang-ring", "size": 3, "seed": 1});
        let found = checked(&browser, &json!({"setup": setup, "scheduler": scheduler}));
        browser.ask("verify", &json!({"story": found["run"]["story"]})).unwrap()["verified"].clone()
    };
    let told = verified("unfair");
    assert!(told["shows"].is_string() && told["claimed"].as_str().unwrap().contains("globally fair"), "{told}");
    // A claim of the viewer is named, since it is not the algorithm's.
    let setup = json!({"algorithm": "dijkstra-k-state", "size": 3, "seed": 1});
    let found = checked(&browser, &json!({"setup": setup, "claims": [{"eventually": "false"}]}));
    let told = browser.ask("verify", &json!({"story": found["run"]["story"]})).unwrap()["verified"].clone();
    assert_eq!((&told["claim"], &told["claimed"]), (&json!("`eventually false`"), &Value::Null), "{told}");
    // The claim of this algorithm is about the very schedule.
    let setup = json!({"algorithm": "fich-johnen", "size": 4, "seed": 1});
    let found = checked(&browser, &json!({"setup": setup, "scheduler": "alternating"}));
    let told = browser.ask("verify", &json!({"story": found["run"]["story"]})).unwrap()["verified"].clone();
    assert_eq!((told["shows"].is_string(), &told["claimed"]), (true, &Value::Null), "{told}");
}

#[test]
fn a_goal_in_words_is_neither_leaders_nor_agreement() {
    let (_serving, browser) = open();
    let text = "protocol small\nmodel ring\nsize 4\nstate x : 0..3\ngoal x[0] >= 0 \"the first leader is small\"\n\
        first:\n  1: x > 0 -> x := x - 1\n";
    let opened = |setup: Value| browser.ask("open", &json!({"setup": setup})).unwrap()["about"].clone();
    assert_eq!(opened(json!({"text": text})), "condition");
    assert_eq!(opened(json!({"algorithm": "dijkstra-k-state", "size": 4})), "token");
    assert_eq!(opened(json!({"algorithm": "yokota-ring", "size": 4})), "leader");
}
