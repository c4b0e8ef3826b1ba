//! `--hosts`: a search by several processes on loopback, as a user starts them.

use serde_json::Value;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn scratch(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hosts");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    let _ = std::fs::remove_file(&path);
    path.to_str().expect("text").into()
}

/// A list of this many processes, at free ports.
fn list(name: &str, processes: usize) -> String {
    let ports: Vec<TcpListener> =
        (0..processes).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
    let lines: Vec<String> = ports.iter().map(|port| port.local_addr().expect("an address").to_string()).collect();
    let path = scratch(name);
    std::fs::write(&path, lines.join("\n")).expect("a file");
    path
}

fn start(arguments: &str, hosts: &str, process: usize) -> Child {
    Command::new(env!("CARGO_BIN_EXE_ringleader"))
        .args(arguments.split(' '))
        .args(["--hosts", hosts, "--process", &process.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

fn alone(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ringleader")).args(arguments.split(' ')).output().expect("it starts")
}

/// The output of process 0, once all processes have ended with the same exit code.
fn together(arguments: &str, hosts: &str, processes: usize) -> Output {
    let all: Vec<Child> = (0..processes).map(|process| start(arguments, hosts, process)).collect();
    let mut outputs = all.into_iter().map(|child| child.wait_with_output().expect("it ends"));
    let first = outputs.next().expect("process 0");
    for (output, process) in outputs.zip(1..) {
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), first.status.code(), "process {process}: {said}");
        assert!(output.stdout.is_empty());
    }
    first
}

fn counts(output: &Output) -> Value {
    let mut value: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&output.stderr)));
    let object = value.as_object_mut().expect("an object");
    for of_the_run in ["seconds", "peak_bytes", "stored_bytes", "bytes_per_state", "hosts"] {
        object.remove(of_the_run);
    }
    value
}

#[test]
fn any_number_of_processes_counts_the_same_states() {
    for arguments in [
        "explore franklin --size 4 --reduce rotation --threads 1 --json",
        "explore franklin --size 4 --set compact --threads 2 --hash-seed 3 --json",
        "explore franklin --size 4 --reduce rotation,confluence --json",
        "explore fokkink-pang --size 3 --ids 3 --json",
    ] {
        let one = counts(&alone(arguments));
        for processes in [1, 2, 4] {
            let output = together(arguments, &list(&format!("count-{processes}"), processes), processes);
            assert_eq!(counts(&output), one, "{arguments} by {processes}");
            let hosts: Value = serde_json::from_slice::<Value>(&output.stdout).expect("JSON")["hosts"].clone();
            let stored =
                hosts["stored"].as_array().map_or(vec![], |stored| stored.iter().filter_map(Value::as_u64).collect());
            assert_eq!(stored.len(), if processes == 1 { 0 } else { processes });
            assert!(processes == 1 || stored.iter().sum::<u64>() == one["stored"].as_u64().unwrap_or_default());
            assert!(processes == 1 || hosts["sent_bytes"].as_u64() > Some(0));
        }
    }
}

#[test]
fn properties_and_the_counterexample_are_the_same() {
    for (algorithm, code) in [("franklin-no-bit --size 3 --ids 3", 1), ("franklin --size 3 --ids 2", 0)] {
        let run = |processes: usize| {
            let trace = scratch(&format!("{processes}.trace"));
            let arguments = format!("check {algorithm} --json --save {trace}");
            let output = match processes {
                0 => alone(&arguments),
                _ => together(&arguments, &list(&format!("check-{processes}"), processes), processes),
            };
            assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
            let mut value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            // What is asked of whole runs needs the graph on one machine.
            let properties = value["properties"].as_array_mut().expect("a list");
            let whole_runs = ["a leader can be elected from every reachable state", "a leader stays leader for ever"];
            properties.retain(|property| whole_runs.iter().all(|name| property["name"] != *name));
            let kept =
                ["verdict", "properties", "states", "stored", "undecided", "trace"].map(|name| value[name].clone());
            (kept, std::fs::read_to_string(trace).ok())
        };
        let one = run(0);
        assert_eq!(one.1.is_some(), code == 1);
        for processes in [1, 2, 3] {
            assert_eq!(run(processes), one, "{algorithm} by {processes}");
        }
    }
}

#[test]
fn a_killed_process_ends_all_others() {
    let hosts = list("killed", 3);
    // Some minutes of work.
    let arguments = "explore franklin --size 6 --reduce rotation --threads 1 --json";
    let mut all: Vec<Child> = (0..3).map(|process| start(arguments, &hosts, process)).collect();
    std::thread::sleep(Duration::from_secs(6));
    let mut victim = all.remove(1);
    victim.kill().expect("it runs");
    let killed = Instant::now();
    victim.wait().expect("it ends");
    for child in all {
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("error: process 1 (127.0.0.1:") && said.contains("was lost at depth "), "{said}");
        assert!(said.contains("states and expanded") && !said.contains("panicked"), "{said}");
        assert!(output.stdout.is_empty());
    }
    assert!(killed.elapsed() < Duration::from_secs(10), "{:?}", killed.elapsed());
}

#[test]
fn a_missing_process_is_named() {
    let hosts = list("absent", 3);
    let arguments = "explore franklin --size 3 --patience 2";
    let all: Vec<Child> = [0, 2].map(|process| start(arguments, &hosts, process)).into();
    for child in all {
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("no connection in time with process 1 (127.0.0.1:"), "{said}");
    }
}

#[test]
fn strangers_are_disconnected_and_other_tasks_are_refused() {
    let hosts = list("stranger", 2);
    let address =
        std::fs::read_to_string(&hosts).expect("the list").lines().next().map(str::to_string).expect("a line");
    let first = start("explore franklin --size 3", &hosts, 0);
    let mut caller = None;
    while caller.is_none() {
        caller = TcpStream::connect(&address).ok();
    }
    caller.map(|mut stream| stream.write_all(b"GET / HTTP/1.1\r\nHost: somebody who is mistaken, at length\r\n\r\n"));
    let second = start("explore franklin --size 3", &hosts, 1);
    assert!(second.wait_with_output().expect("it ends").status.success());
    assert!(first.wait_with_output().expect("it ends").status.success());

    let first = start("explore franklin --size 3", &hosts, 0);
    let second = start("explore franklin --size 4", &hosts, 1).wait_with_output().expect("it ends");
    let first = first.wait_with_output().expect("it ends");
    for output in [first, second] {
        assert_eq!(output.status.code(), Some(3));
        assert!(String::from_utf8_lossy(&output.stderr).contains("does other work"));
    }
}

#[test]
fn wrong_lists_and_flags_are_refused() {
    let hosts = list("bad", 2);
    let wrong = scratch("wrong");
    std::fs::write(&wrong, "127.0.0.1\n").expect("a file");
    for (arguments, says) in [
        (format!("explore franklin --size 3 --hosts {hosts} --process 2"), "numbered from 0"),
        (format!("explore franklin --size 3 --hosts {wrong} --process 0"), "line 1"),
        (format!("explore franklin --size 3 --hosts {hosts}.absent --process 0"), "cannot read"),
        (format!("explore franklin --size 3 --hosts {hosts} --process 0 --verify"), "--verify needs all states"),
        (format!("explore franklin --size 3 --hosts {hosts} --process 0 --minimize strong"), "--minimize needs"),
        (format!("explore franklin --size 3 --hosts {hosts}"), "--process"),
        (format!("check franklin --size 3 --hosts {hosts} --process 0 --within 5"), "--within needs"),
        (format!("check yokota-ring --size 3 --hosts {hosts} --process 0"), "--hosts"),
    ] {
        let output = alone(&arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        assert!(said.contains(says), "{arguments}: {said}");
    }
}
