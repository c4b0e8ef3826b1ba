//! The words and the JSON of `prove` and `verify` say what is proved, and no more.

use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

/// The exit code, and what is printed on either stream.
fn ringleader(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_ringleader")).args(arguments).output().expect("it starts");
    let [out, err] = [output.stdout, output.stderr].map(|said| String::from_utf8(said).expect("text"));
    (output.status.code(), out, err)
}

fn json(arguments: &[&str]) -> (Option<i32>, Value) {
    let (code, out, err) = ringleader(&[arguments, &["--json"]].concat());
    (code, serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}")))
}

fn scratch(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("claims");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name).to_str().expect("a path").to_string()
}

fn text(name: &str, text: &str) -> String {
    let path = scratch(name);
    std::fs::write(&path, text).expect("written");
    path
}

fn docs(name: &str) -> String {
    format!("{}/../../docs/examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

const HEAD: &str = "model population on directed-ring\nscheduler locally-fair\nagents u, v\nstate x, head : bit\n\
                    given head = 0\ngiven head = 1 when bottom\n";

/// With two agents one arc is always enabled, by two transitions in turn.
#[test]
fn a_small_size_holds_under_the_schedules_that_are_named() {
    let two = format!(
        "protocol two\n{HEAD}first:\n  1: u.head = 1 and u.x = 0 and v.x = 1 -> v.x := 0\n  \
         2: u.head = 1 and u.x = 1 and v.x = 0 -> v.x := 1\n  3: u.head = 0 and u.x = 0 and v.x = 1 -> v.x := 0\n  \
         4: u.head = 0 and u.x = 1 and v.x = 1 -> u.x := 0\ngoal (all i : x[i] = x[i - 1]) \"all the same\"\n"
    );
    let two = text("two.ring", &two);
    let prove = ["prove", &two, "--scheduler", "locally-fair"];
    let (code, said, _) = ringleader(&prove);
    assert_eq!(code, Some(0), "{said}");
    let words =
        "holds under schedules that are fair to the transitions of each arc, and not under all that are fair to arcs";
    assert!(said.contains(words), "{said}");
    assert_eq!(json(&prove).1["below"], json!([{ "size": 2, "holds": true, "fairness_level": "transition" }]));
    let (code, ..) =
        ringleader(&["check", &two, "--size", "2", "--scheduler", "locally-fair", "--fairness-level", "arc"]);
    assert_eq!(code, Some(1));
    // Here both hold.
    let meeting = docs("fair/first-meeting.ring");
    let (_, said, _) = ringleader(&["prove", &meeting, "--scheduler", "locally-fair"]);
    assert!(said.contains("holds too, under every schedule that is fair to arcs"), "{said}");
}

/// With three agents the arc of agent 0 can be enabled by other transitions for ever. So no measures are looked for.
#[test]
fn what_fair_arcs_do_not_decide_has_no_proof() {
    let arcs = format!(
        "protocol arcs\n{HEAD}first:\n  1: u.head = 0 and u.x = 0 and v.x = 0 -> u.x, v.x := 1, 0\n  \
         2: u.head = 0 and u.x = 0 and v.x = 1 -> u.x, v.x := 0, 0\n  3: u.head = 0 and u.x = 1 and v.x = 0 -> u.x, v.x := 1, 1\n\
         goal (all i : (x[i - 1] = 0 and x[i] = 0 or x[i - 1] = 1 and x[i] = 1)) \"g\"\n"
    );
    let arcs = text("arcs.ring", &arcs);
    let prove = ["prove", &arcs, "--scheduler", "locally-fair"];
    let (code, said, _) = ringleader(&prove);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("there is no proof of this kind. With 3 agents some schedule fails"), "{said}");
    assert!(
        said.contains("with up to 8 agents it holds under every schedule that is fair to the transitions"),
        "{said}"
    );
    let (_, found) = json(&prove);
    assert_eq!((&found["outcome"], &found["holds_up_to"]), (&"not proved".into(), &8.into()));
    assert_eq!(found["arcs_fail"]["size"], json!(3));
    assert_eq!(found["arcs_fail"]["comes_back_to"].as_array().map(Vec::len), Some(3));
}

#[test]
fn the_note_on_another_scheduler_is_true() {
    let (_, _, note) = ringleader(&["prove", &docs("fair/first-meeting.ring")]);
    assert!(note.contains("--scheduler locally-fair asks for the claim itself"), "{note}");
}
