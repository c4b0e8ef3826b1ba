//! `ringleader simulate --shard` and `ringleader merge`: several machines report the same as one.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn ringleader(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ringleader")).args(arguments).output().expect("it starts")
}

fn scratch(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("merge");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    let _ = std::fs::remove_file(&path);
    path.to_str().expect("text").into()
}

/// Runs a command in this many parts, and returns their files.
fn parts(name: &str, command: &[&str], of: usize) -> Vec<String> {
    let part = |number: usize| {
        let (file, shard) = (scratch(&format!("{name}-{number}.csv")), format!("{number}/{of}"));
        let output = ringleader(&[command, &["--shard", &shard, "--csv", &file, "--json"]].concat());
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
        file
    };
    (1..=of).map(part).collect()
}

fn merge(files: &[String], more: &[&str]) -> Output {
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    ringleader(&[&["merge"], &files[..], more].concat())
}

/// JSON without the time that the runs took, which differs each time.
fn timeless(output: &Output) -> Value {
    let mut value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for row in value["sizes"].as_array_mut().expect("rows") {
        let row = row.as_object_mut().expect("a row");
        row.remove("cpu_seconds");
        row.remove("steps_per_second");
    }
    value
}

const COMMANDS: [&str; 4] = [
    "simulate yokota-ring --size 8,16,32 --runs 10 --seed 7 --corrupt 2",
    "simulate franklin --size 4,8 --ids 3 --runs 7 --seed 1",
    "simulate yokota-ring --size 8 --bound 8,16,32 --start clean --runs 9 --seed 2",
    "simulate yokota-ring --size 8 --runs 12 --seed 3 --limit 60",
];

#[test]
fn merged_runs_give_the_output_of_one_machine() {
    for (number, command) in COMMANDS.into_iter().enumerate() {
        let command: Vec<&str> = command.split(' ').collect();
        let one = ringleader(&[&command[..], &["--json"]].concat());
        // A second call of --resume does no run, so its table has no times either.
        let file = scratch(&format!("{number}-one.csv"));
        let resumed = [&command[..], &["--resume", &file]].concat();
        ringleader(&resumed);
        let table = ringleader(&resumed);
        for of in [1, 3, 4] {
            let mut files = parts(&format!("{number}-{of}"), &command, of);
            files.reverse();
            let merged = merge(&files, &["--json"]);
            assert_eq!(timeless(&merged), timeless(&one), "{command:?} in {of}");
            assert_eq!(merged.status.code(), one.status.code());
            assert_eq!(merge(&files, &[]).stdout, table.stdout, "{command:?} in {of}");
        }
    }
}

#[test]
fn a_text_protocol_is_found_again() {
    let protocol = concat!(env!("CARGO_MANIFEST_DIR"), "/../catalog/protocols/dijkstra-k-state.ring");
    let command = ["simulate", protocol, "--size", "5", "--runs", "6", "--seed", "1"];
    let one = ringleader(&[&command[..], &["--json"]].concat());
    let merged = merge(&parts("text", &command, 2), &["--json"]);
    assert_eq!(timeless(&merged), timeless(&one));
}

#[test]
fn an_unfinished_part_is_refused_until_it_is_resumed() {
    let command: Vec<&str> = COMMANDS[0].split(' ').collect();
    let files = parts("cut", &command, 2);
    let whole = merge(&files, &[]);
    let text = std::fs::read_to_string(&files[1]).unwrap();
    std::fs::write(&files[1], &text[..text.len() * 2 / 3]).unwrap();
    let cut = merge(&files, &[]);
    assert_eq!(cut.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&cut.stderr).contains("are missing"));
    ringleader(&[&command[..], &["--shard", "2/2", "--resume", &files[1]]].concat());
    assert_eq!(std::fs::read_to_string(&files[1]).unwrap().lines().count(), text.lines().count());
    assert_eq!(merge(&files, &[]).stdout, whole.stdout);
}

#[test]
fn files_of_different_runs_are_refused() {
    let command: Vec<&str> = COMMANDS[0].split(' ').collect();
    let files = parts("other", &command, 2);
    let other_seed = parts("seed", &COMMANDS[0].replace("seed 7", "seed 8").split(' ').collect::<Vec<_>>(), 2);
    let plain = scratch("plain.csv");
    ringleader(&[&command[..], &["--csv", &plain]].concat());
    let refused = |files: &[&String], says: &str| {
        let output = merge(&files.iter().map(|&file| file.clone()).collect::<Vec<_>>(), &[]);
        let said = String::from_utf8_lossy(&output.stderr).to_string();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(says), "{said}");
    };
    refused(&[&files[0]], "are missing");
    refused(&[&files[0], &files[0], &files[1]], "twice");
    refused(&[&files[0], &other_seed[1]], "holds other runs");
    refused(&[&plain], "was not written by");
    refused(&[&scratch("nothing.csv")], "cannot read");
    for wrong in [&["--shard", "3/2", "--csv", &plain][..], &["--shard", "1/2"], &["--shard", "1/2", "--csv", "-"]] {
        assert_eq!(ringleader(&[&command[..], wrong].concat()).status.code(), Some(2), "{wrong:?}");
    }
}
