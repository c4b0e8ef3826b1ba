//! Nothing that the program prints may mislead: what was once said too much, or lost, as commands.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn ringleader(arguments: &str) -> Output {
    let arguments = arguments.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_ringleader")).args(arguments).output().expect("it starts")
}

fn told(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn json(arguments: &str) -> Value {
    let output = ringleader(arguments);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments}: {error}: {output:?}"))
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trust");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

/// Replays a text; the exit code, and all that was said.
fn replayed(name: &str, text: &str) -> (Option<i32>, String) {
    let path = scratch(name);
    std::fs::write(&path, text).expect("a file");
    let output = ringleader(&format!("elect --replay {}", path.display()));
    let (out, errors) = told(&output);
    (output.status.code(), out + &errors)
}

#[test]
fn replay_takes_no_illegal_run() {
    let path = scratch("legal.trace");
    let saved =
        ringleader(&format!("check fischer-jiang-ring --size 4 --scheduler locally-fair --save {}", path.display()));
    assert_eq!(saved.status.code(), Some(1), "{saved:?}");
    let text = std::fs::read_to_string(&path).expect("a trace");
    assert!(
        text.contains("graph directed ring\nscheduler locally-fair\nfairness transition\noracle perfect\n"),
        "{text}"
    );
    let (code, said) = replayed("again.trace", &text);
    assert!(code == Some(0) && said.contains("the schedule is locally-fair"), "{said}");
    for (arc, missing) in [("2 1", "from 2 to 1"), ("0 2", "from 0 to 2")] {
        let (code, said) = replayed("arc.trace", &text.replacen("step arc 0 1", &format!("step arc {arc}"), 1));
        assert!(code == Some(2) && said.contains(missing) && !said.contains("for ever"), "{said}");
    }
    let (code, said) = replayed("ring.trace", &text.replace("graph directed ring", "graph complete graph"));
    assert!(code == Some(2) && said.contains("directed ring"), "{said}");
    let (code, said) = replayed("fair.trace", &text.replace("locally-fair", "globally-fair"));
    assert!(code == Some(1) && !said.contains("repeats for ever"), "{said}");
    // A file that names no scheduler is played, and nothing is claimed of its schedule.
    let (code, said) = replayed("bare.trace", &text.replace("scheduler locally-fair\n", ""));
    assert!(code == Some(0) && said.contains("not verified: the file names no scheduler"), "{said}");
}

#[test]
fn replay_sees_that_a_schedule_does_not_alternate() {
    let path = scratch("alternating.trace");
    ringleader(&format!("check fich-johnen --size 4 --save {}", path.display()));
    let text = std::fs::read_to_string(&path).expect("a trace");
    let (code, said) = replayed("alternates.trace", &text);
    assert!(code == Some(0) && said.contains("the schedule is alternating"), "{said}");
    // Processes that stand apart may change places, neighbours may not, even where the states stay the same.
    let steps: Vec<&str> = text.lines().filter(|line| line.starts_with("step")).collect();
    let mut faults = 0;
    for pair in steps.windows(2) {
        let swapped = text.replacen(&format!("{}\n{}\n", pair[0], pair[1]), &format!("{}\n{}\n", pair[1], pair[0]), 1);
        let (code, said) = replayed("swapped.trace", &swapped);
        assert_eq!(code == Some(0), said.contains("repeats for ever"), "{said}");
        faults += usize::from(said.contains("the schedule does not alternate"));
    }
    assert!(faults > 0);
}
