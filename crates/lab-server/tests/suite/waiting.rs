//! Work ends when nobody waits; claims, expressions and files of the viewer.

use crate::browser::Browser;
use ringleader_catalog::Catalog;
use ringleader_lab_server::{Lab, Serving};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn opened(lab: Lab) -> (Serving, Browser) {
    let serving = lab.serve(0).unwrap();
    let browser = Browser::at(serving.address());
    (serving, browser)
}

fn open() -> (Serving, Browser) {
    opened(Lab::new(Catalog::builtin()))
}

#[test]
fn a_far_step_is_answered_in_parts_and_told_to_be_too_far() {
    let (_serving, browser) = open();
    let story = json!({"setup": {"algorithm": "yokota-ring", "size": 64, "seed": 1}});
    let ask = |from: u64| browser.ask("frames", &json!({"story": story, "from": from, "to": from, "every": 1}));
    let begun = Instant::now();
    let first = ask(900_000_000).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(12), "the answer took {:?}", begun.elapsed());
    assert_eq!(first["frames"], json!([]));
    let so_far = first["so_far"].as_u64().unwrap();
    let second = ask(900_000_000).unwrap()["so_far"].as_u64().unwrap();
    assert!(so_far > 0 && second > so_far, "{second} after {so_far}: it begins again");
    assert_eq!(ask(so_far).unwrap()["frames"][0]["step"], so_far);
    assert!(ask(1_000_000_000_000).unwrap_err().contains("to step 1000000000"));
    let long = browser.ask("record", &json!({"story": story, "step": 1_000_000_000_000u64}));
    assert!(long.unwrap_err().contains("at most 20000000 steps"));
}

#[test]
fn a_second_page_joins_the_cluster() {
    let (_serving, browser) = open();
    let plan = json!({"nodes": 3, "heartbeat": 30, "algorithm": "robust-s5", "seed": 1});
    assert_eq!(browser.ask("cluster", &plan).unwrap()["joined"], false);
    let other = json!({"nodes": 5, "heartbeat": 30, "algorithm": "robust-s5", "seed": 2});
    assert_eq!(browser.ask("cluster", &other).unwrap()["joined"], true);
    let told = browser.ask("cluster-look", &json!({"since": 0})).unwrap();
    assert_eq!((told["nodes"].as_array().unwrap().len(), &told["alone"]), (3, &json!(120)));
    browser.ask("cluster-end", &json!({})).unwrap();
    assert!(browser.ask("cluster-look", &json!({"since": 0})).is_err());
}

#[test]
fn claims_are_checked_and_their_counterexamples_verified() {
    let (_serving, browser) = open();
    let setup = json!({"algorithm": "fischer-jiang-ring", "size": 3, "seed": 1});
    let check = |claims: Value| {
        let begun = browser.ask("check", &json!({"setup": setup, "scheduler": "random", "claims": claims})).unwrap();
        browser.wait(&begun)["done"].clone()
    };
    let holds = check(json!([{"eventually": "one i : leader[i]"}]));
    assert_eq!((&holds["holds"], &holds["claims"][0][2]), (&json!(true), &json!(true)), "{holds}");
    let fails = check(json!([{"eventually": "some i : leader[i]"}, {"closed": "one i : leader[i]"}]));
    assert_eq!(
        (&fails["holds"], &fails["claims"][0][2], &fails["claims"][1][2]),
        (&json!(false), &json!(true), &json!(false))
    );
    let verified = browser.ask("verify", &json!({"story": fails["run"]["story"]})).unwrap()["verified"].clone();
    assert!(verified["shows"].as_str().unwrap().contains("leads out of the set `one i : leader[i]`"), "{verified}");
    let wrong = browser.ask("check", &json!({"setup": setup, "claims": [{"always": "one i : ledaer[i]"}]}));
    assert!(wrong.unwrap_err().contains("ledaer"));
    let much = browser.ask("check", &json!({"setup": setup, "memory": 1_000_000}));
    assert!(much.unwrap_err().contains("the lab may use 2.0 GiB"));
}

#[test]
fn expressions_are_evaluated_along_a_run() {
    let (_serving, browser) = open();
    let story = json!({"setup": {"algorithm": "fischer-jiang-ring", "size": 4, "seed": 2}});
    let asked = json!({"story": story, "from": 0, "to": 60, "watch": ["one i : leader[i]", "leader[0]"]});
    let told = browser.ask("frames", &asked).unwrap();
    let (frames, watched) = (told["frames"].as_array().unwrap(), told["watched"].as_array().unwrap());
    assert_eq!((frames.len(), watched.len()), (61, 61));
    for (frame, held) in frames.iter().zip(watched) {
        let leads = |agent: usize| frame["marks"][agent].as_u64().unwrap() & 1 == 1;
        assert_eq!(held, &json!([frame["leaders"] == 1, leads(0)]), "{frame}");
    }
    assert!(watched.iter().any(|held| held[0] == true) && watched.iter().any(|held| held[0] == false));
    let wrong = browser.ask("expression", &json!({"setup": story["setup"], "text": "one i :"}));
    assert!(wrong.is_err());
    let large = json!({"algorithm": "optimal-silent-ranking", "size": 3});
    let many = browser.ask("frames", &json!({"story": {"setup": large}, "from": 0, "to": 1, "watch": ["n > 0"]}));
    assert!(many.unwrap_err().contains("at most 65536 local states"));
}

#[test]
fn the_viewer_may_answer_for_the_oracle() {
    let (_serving, browser) = open();
    let setup = json!({"algorithm": "fischer-jiang-ring", "size": 3, "seed": 1, "start": vec!["bullet=0 leader=1 shield=1"; 3]});
    let choices =
        |told: Value| browser.ask("choices", &json!({"story": {"setup": setup}, "step": 0, "told": told})).unwrap();
    let (truth, lie) = (choices(Value::Null), choices(json!([false, false])));
    assert_eq!(lie["choices"][0]["step"]["inputs"], json!([false, false]));
    assert_ne!(truth["choices"][0]["changes"], lie["choices"][0]["changes"], "the oracle's answer changes nothing");
}

#[test]
fn a_file_is_read_again_and_saved_unless_it_has_changed() {
    let path = std::env::temp_dir().join(format!("ringleader-lab-{}.ring", std::process::id()));
    std::fs::write(&path, "protocol one\n").unwrap();
    let (_serving, browser) = opened(Lab::new(Catalog::builtin()).with_file(&path).unwrap());
    assert_eq!(browser.ask("cards", &json!({})).unwrap()["file"], true);
    std::fs::write(&path, "protocol two\n").unwrap();
    assert_eq!(browser.ask("file", &json!({})).unwrap()["text"], "protocol two\n");
    let save = |text: &str, before: &str| browser.ask("save", &json!({"text": text, "before": before}));
    assert!(save("protocol mine\n", "protocol one\n").unwrap_err().contains("has changed on disk"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "protocol two\n");
    assert!(save(" \n", "protocol two\n").unwrap_err().contains("the text is empty"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "protocol two\n");
    save("protocol mine\n", "protocol two\n").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "protocol mine\n");
    std::fs::remove_file(&path).unwrap();
    let (_serving, without) = open();
    assert!(without.ask("save", &json!({"text": "", "before": ""})).unwrap_err().contains("without a file"));
}

#[test]
fn a_chosen_token_gives_the_same_address_again() {
    let token = "lecture-of-november";
    let (serving, browser) = opened(Lab::new(Catalog::builtin()).with_token(token).unwrap());
    assert!(serving.address().ends_with(&format!("/{token}/")));
    assert!(browser.ask("cards", &json!({})).is_ok());
    for weak in ["short", "with spaces in it, and long enough", "../../../../../../etc"] {
        assert!(Lab::new(Catalog::builtin()).with_token(weak).is_err(), "{weak}");
    }
}
