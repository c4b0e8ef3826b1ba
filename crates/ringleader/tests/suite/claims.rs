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

/// A certificate of an earlier proof is not left where one of this search is looked for. Other files stay.
#[test]
fn an_older_certificate_does_not_outlive_a_search_without_a_proof() {
    let bit = |guard: &str| {
        format!(
            "protocol bit\nmodel ring\nscheduler unfair\nstate x : bit\nany:\n  1: {guard} -> x := 1 - x\n\
             goal (all i : x[i] = 1) \"ones\"\n"
        )
    };
    let (good, bad) = (text("bit.ring", &bit("x = 0")), text("bad.ring", &bit("x = x")));
    let refused = text("refused.ring", &bit("x = 0 and n > 2"));
    let file = scratch("bit.json");
    for worse in [&bad, &refused] {
        assert_eq!(ringleader(&["prove", &good, "--certificate", &file]).0, Some(0));
        let (code, _, said) = ringleader(&["prove", worse, "--budget", "0", "--certificate", &file]);
        assert!(code != Some(0) && said.contains("the older certificate in it was removed"), "{said}");
        assert!(!std::fs::exists(&file).unwrap());
    }
    let other = text("other.txt", "notes");
    assert_ne!(ringleader(&["prove", &bad, "--budget", "0", "--certificate", &other]).0, Some(0));
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "notes");
}

/// `serde` reads the fields of an object from a list, too.
#[test]
fn lists_are_not_taken_for_objects() {
    let file = scratch("meeting.json");
    let meeting = docs("fair/first-meeting.ring");
    ringleader(&["prove", &meeting, "--scheduler", "locally-fair", "--certificate", &file]);
    let whole: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let verify = |changed: &Value| ringleader(&["verify", &text("changed.json", &changed.to_string()), "--json"]);
    let changed = |at: &str, value: Value| {
        let mut changed = whole.clone();
        *changed.pointer_mut(at).expect("there") = value;
        changed
    };
    let sizes = changed("/sizes", json!([3, 1, [0]]));
    let goal = changed("/rules/goal/everywhere", json!([whole["rules"]["goal"]["everywhere"]["formula"]]));
    for lists in [sizes, goal, json!([1, "subject"])] {
        let (code, _, said) = verify(&lists);
        assert!(code == Some(2) && said.contains("a list stands where an object"), "{said}");
    }
    // The residue is wrong, not the modulus, and nothing is compared.
    let (code, said, _) = verify(&changed("/sizes/residues", json!([1])));
    let said: Value = serde_json::from_str(&said).unwrap();
    let why = said["reason"].as_str().unwrap();
    assert!(code == Some(1) && why.starts_with("the modulus must be 1 to 64, and the residues below it"), "{why}");
    assert!(said["same_rules"].is_null());
    // Without a text and a known name nothing is compared either.
    let mut alone = changed("/subject", json!("nobody"));
    alone.as_object_mut().unwrap().remove("text");
    for (certificate, same) in [(&alone, Value::Null), (&whole, true.into())] {
        let (code, said, _) = verify(certificate);
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!((code, &said["same_rules"]), (Some(0), &same));
    }
}

/// Two colours of a ring: agents that equal their left neighbours move on.
#[test]
fn a_failure_for_a_class_defines_its_names() {
    let colours = "protocol colours\nmodel ring\nscheduler fair\nstate c : bit\nany:\n  1: c = left.c -> c := 1 - c\n\
                   goal (all i : c[i] != c[i - 1]) \"neighbours differ\"\n";
    let colours = text("colours.ring", colours);
    let (_, said, _) = ringleader(&["prove", &colours, "--scheduler", "fair"]);
    let promise = "promise       again and again it does not hold that (all i : c[i] != c[i - 1])\n";
    assert!(said.contains(promise) && said.contains("  local1        c[i] != c[i - 1]\n"), "{said}");
    let (_, found) = json(&["prove", &colours, "--scheduler", "fair"]);
    assert_eq!(found["conditions"], json!({ "local1": "c[i] != c[i - 1]" }));
    assert_eq!((&found["coins"], &found["size_is_claimed"]), (&Value::Null, &true.into()));
    assert!(found["family"]["measures"].as_array().is_some_and(|measures| !measures.is_empty()), "{found}");
    // Measures of a trap use the name `here`.
    let here = std::fs::read_to_string(&colours).unwrap().replace('c', "here").replace("protohereol", "protocol");
    let here = here.replace("herelours", "colours").replace("shereheduler", "scheduler");
    let (_, said, _) = ringleader(&["prove", &text("here.ring", &here), "--scheduler", "fair"]);
    assert!(said.contains("no class of sizes at which it fails is searched for"), "{said}");
    // An unclaimed size.
    let (_, found) = json(&["prove", "herman"]);
    assert_eq!(
        (&found["size"], &found["size_is_claimed"], &found["coins"]),
        (&4.into(), &false.into(), &"fair".into())
    );
}

#[test]
fn names_that_formulas_use_are_refused_with_their_line() {
    for (name, taken) in
        [("rule1", "a rule"), ("local1", "a condition or a mark"), ("X", "the condition of a neighbour")]
    {
        let copy = format!(
            "protocol copy\nmodel ring\nscheduler fair\n# the state\nstate {name} : bit\nany:\n  \
             1: not bottom and {name} != left.{name} -> {name} := left.{name}\ngoal (all i : {name}[i] = {name}[i - 1]) \"same\"\n"
        );
        let (code, _, said) = ringleader(&["prove", &text("names.ring", &copy)]);
        let words =
            format!("a variable is called `{name}` (line 5), but in the formulas of a proof `{name}` is {taken}");
        assert!(code == Some(2) && said.contains(&words), "{said}");
    }
}

#[test]
fn starts_that_no_configuration_meets_have_no_verdict() {
    let zero = "protocol zero\nmodel line\nscheduler fair\nstate x : bit\nstart = (some i : x[i] = 1) and (all i : x[i] = 0)\n\
                first:\n  1: not bottom and left.x = 1 and x = 0 -> x := 1\ngoal (all i : x[i] = 1) \"all one\"\n";
    let (code, _, said) = ringleader(&["prove", &text("zero.ring", zero), "--scheduler", "fair"]);
    assert!(code == Some(2) && said.contains("no configuration meets the condition on the starts"), "{said}");
}

#[test]
fn hints_and_coins_are_for_one_reading() {
    let broadcast = docs("fair/broadcast.ring");
    let twice = text("twice.txt", "helpful rule2\nhelpful rule1\nsafe\n");
    let (code, _, said) = ringleader(&["prove", &broadcast, "--scheduler", "fair", "--hints", &twice]);
    assert!(code == Some(2) && said.contains("line 2: there is a line `helpful` before this one"), "{said}");
    for (path, scheduler) in [("fair/broadcast.ring", "fair"), ("fair/first-meeting.ring", "locally-fair")] {
        let (code, _, said) = ringleader(&["prove", &docs(path), "--scheduler", scheduler, "--coins", "adversarial"]);
        assert!(code == Some(2) && said.contains("do not cover adversarial coins"), "{said}");
    }
    let (_, said, _) = ringleader(&["prove", &docs("fair/first-meeting.ring"), "--scheduler", "locally-fair"]);
    assert!(said.contains("the arcs to the right of these agents stay enabled"), "{said}");
}

/// Words that no step leaves: as locally fair traps they need no turns. Every configuration of equal agents is one.
#[test]
fn deadlocks_are_a_failure_under_local_fairness() {
    let stuck = "protocol stuck\nmodel population on directed-ring\nagents u, v\nstate x : 0..2\nshow leader when x = 2\n\
                 goal one leader\nany:\n  1: u.x = 0 and v.x = 1 -> v.x := 2\n  2: u.x = 1 and v.x = 2 -> v.x := 0\n  \
                 3: u.x = 2 and v.x = 0 -> u.x := 1; v.x := 1\n  4: u.x = 2 and v.x = 1 -> u.x := 1; v.x := 2\n";
    let (stuck, certificate) = (text("stuck.ring", stuck), scratch("stuck.json"));
    let (_, found) = json(&["prove", &stuck, "--scheduler", "locally-fair", "--certificate", &certificate]);
    assert_eq!(found["family"]["sizes"], json!({ "from": 3, "modulus": 1, "residues": [0] }), "{found}");
    assert_eq!(found["family"]["turns"], json!([]));
    let (code, said, _) = ringleader(&["verify", &certificate]);
    assert!(code == Some(0) && said.contains("fails for every n >= 3, under a locally fair schedule"), "{said}");
}
