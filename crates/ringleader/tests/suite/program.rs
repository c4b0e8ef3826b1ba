//! The program, run as a user would.

use serde_json::Value;
use std::process::Command;

/// The exit code and the output of a command.
pub(crate) fn run(arguments: &str) -> (i32, String) {
    run_words(&arguments.split_whitespace().collect::<Vec<_>>())
}

/// The same for arguments with spaces.
pub(crate) fn run_words(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_ringleader")).args(arguments).output();
    let output = output.expect("it starts");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// The object that a command with this exit code prints first.
#[track_caller]
pub(crate) fn json(arguments: &str, code: i32) -> Value {
    json_words(&arguments.split_whitespace().collect::<Vec<_>>(), code)
}

/// The same for arguments with spaces.
#[track_caller]
pub(crate) fn json_words(arguments: &[&str], code: i32) -> Value {
    let (found, said) = run_words(arguments);
    assert_eq!(found, code, "{arguments:?}: {said}");
    // Warnings about the text follow.
    let object = said.lines().next().unwrap_or_default();
    serde_json::from_str(object).unwrap_or_else(|error| panic!("{error}: {said}"))
}
