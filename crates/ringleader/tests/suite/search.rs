//! `ringleader search`, as a user calls it.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn ringleader(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ringleader")).args(arguments).output().expect("it starts")
}

fn search(arguments: &[&str]) -> (Option<i32>, Value) {
    let output = ringleader(&[&["search", "--json"], arguments].concat());
    let json = serde_json::from_slice(&output.stdout);
    (output.status.code(), json.unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr))))
}

/// Saved protocols are formatted, stay, and `check` confirms them.
#[test]
fn saved_protocols_are_confirmed() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("search");
    let _ = std::fs::remove_dir_all(&folder);
    for (at, family) in [
        &["--states", "3", "--on", "directed-ring", "--sizes", "3,4", "--top", "3"][..],
        &["--states", "2", "--on", "complete", "--sizes", "2,3,4", "--detector"],
        &["--states", "3", "--on", "directed-ring", "--sizes", "3", "--scheduler", "unfair", "--top", "2"],
    ]
    .into_iter()
    .enumerate()
    {
        let to = folder.join(at.to_string());
        let to = to.to_str().expect("a path");
        let (code, result) = search(&[family, &["--save", to]].concat());
        assert_eq!((code, &result["complete"]), (Some(0), &Value::Bool(true)));
        let again = ringleader(&[&["search"], family, &["--save", to]].concat());
        let said = String::from_utf8_lossy(&again.stderr).into_owned();
        assert!(again.status.code() == Some(2) && said.contains("exists already"), "{said}");
        let times_at = if family.contains(&"unfair") { "steps" } else { "expected_steps" };
        for found in result["found"].as_array().expect("a list") {
            let file = found["file"].as_str().expect("a path");
            assert!(ringleader(&["fmt", "--check", file]).status.success(), "{file} is not laid out");
            for time in found["times"].as_array().expect("a list") {
                let size = time["size"].to_string();
                let output = ringleader(&["check", file, "--size", &size, "--json"]);
                let check: Value = serde_json::from_slice(&output.stdout).expect("JSON");
                assert_eq!(check["verdict"], "holds", "{file}");
                let worst = &check[times_at]["to_really_safe"]["worst"];
                match times_at {
                    "steps" => assert_eq!(worst.to_string(), time["worst"]["exact"].as_str().expect("a number")),
                    _ => assert_eq!(worst["exact"], time["worst"]["exact"], "{file}"),
                }
            }
        }
    }
}

#[test]
fn exit_codes_distinguish_none_from_none_so_far() {
    let (code, none) = search(&["--states", "2", "--on", "directed-ring", "--sizes", "3"]);
    assert_eq!((code, &none["complete"], &none["protocols"]), (Some(1), &Value::Bool(true), &Value::from(0)));
    let hard = ["--states", "5", "--on", "complete", "--sizes", "6", "--budget", "0"];
    let (code, unknown) = search(&hard);
    assert_eq!((code, &unknown["complete"]), (Some(2), &Value::Bool(false)));
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_prints_its_results_as_incomplete() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ringleader"))
        .args(["search", "--states", "4", "--on", "directed-ring", "--sizes", "3,4", "--top", "1"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    std::thread::sleep(std::time::Duration::from_secs(4));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(kill.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let mut told = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().expect("piped"), &mut told).expect("text");
    assert!(told.contains("NOT complete, interrupted") && told.contains("  1. n = 3: "), "{told}");
}
