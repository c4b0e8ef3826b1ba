//! `ringleader reproduce`, as a user calls it; `.ci/run` runs all of it.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

#[test]
fn items_are_run_compared_and_written() {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("reproduce");
    let _ = std::fs::remove_dir_all(&out);
    let output = Command::new(env!("CARGO_BIN_EXE_ringleader"))
        .args(["reproduce", "yokota-figure-3", "fich-johnen-theorem-1", "--out"])
        .arg(&out)
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| std::fs::read_to_string(out.join(name)).expect("it was written");
    let results: Value = serde_json::from_str(&read("results.json")).expect("JSON");
    let items = results["items"].as_array().expect("items");
    let verdicts: Vec<_> = items.iter().map(|item| item["verdict"].as_str().unwrap_or("none")).collect();
    assert_eq!(verdicts, ["reproduced", "reproduced with a difference that is explained"]);
    let worst =
        items[1]["rows"].as_array().expect("rows").iter().find(|row| row["what"].to_string().contains("actions"));
    assert_eq!(worst.expect("a row")["seen"], "15", "ring.md: worst-case steps at n = 3");
    let page = read("index.html");
    assert!(
        page.contains("ringleader check fich-johnen --size 3 --alternator --scheduler unfair"),
        "the exact command"
    );
    assert!(page.contains("pub struct YokotaRing"), "the algorithm's source");
    assert!(!out.join("figure-3.trace").exists(), "what was only in passing is gone");
}

/// The second shelf: numbers of other tools. Its texts are those of the documentation.
#[test]
fn numbers_of_other_tools_are_reproduced() {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("others");
    let _ = std::fs::remove_dir_all(&out);
    let output = Command::new(env!("CARGO_BIN_EXE_ringleader"))
        .args(["reproduce", "ewd-426", "israeli-jalfon-states", "five-state-token-ring", "--json", "--out"])
        .arg(&out)
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let results: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let seen = |item: usize, row: usize| &results["items"][item]["rows"][row]["seen"];
    assert_eq!((seen(0, 0), seen(0, 1), seen(1, 0)), (&"46,656".into(), &"248,832".into(), &"7".into()));
    for (folder, name) in [("published", "five-state-token-ring"), ("randomized", "beauquier-gradinariu-johnen")] {
        let root = format!("{}/../..", env!("CARGO_MANIFEST_DIR"));
        let read = |path: String| std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        let (documented, run) = (
            read(format!("{root}/docs/examples/{folder}/{name}.ring")),
            read(format!("{root}/crates/cli/src/verbs/reproduce/texts/{name}.ring")),
        );
        assert_eq!(documented, run, "{name}");
    }
}
