//! Arguments are read by the argument parser alone, and files are data.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("arguments").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs ringleader in a folder: its exit code, and both of its outputs.
fn run(folder: &Path, words: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_ringleader")).current_dir(folder).args(words).output();
    let Output { status, stdout, stderr } = output.expect("ringleader starts");
    (status.code().unwrap_or(-1), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

#[track_caller]
fn expect(folder: &Path, words: &[&str], code: i32, part: &str) {
    let (found, said) = run(folder, words);
    assert_eq!(found, code, "{words:?}: {said}");
    assert!(said.contains(part), "{words:?} does not print {part:?}: {said}");
}

/// A protocol with a parameter, which fails at size 3 because two leaders never meet as an initiator and a responder.
const FADING: &str = "protocol fading\nmodel population on directed-ring\nparameter k = 2\nstate leader : bit\n\
                      state x : 0..k\nshow leader when leader\ngoal one leader\n\
                      first:\n  1: not l.leader and not r.leader -> l.leader := 1\n";

/// Two files of `simulate --shard`, and the text of the first.
fn shards(here: &Path) -> String {
    for shard in ["1/2", "2/2"] {
        let file = format!("{}.csv", &shard[..1]);
        let simulate = ["simulate", "yokota-ring", "--size", "4", "--runs", "4", "--seed", "1"];
        expect(here, &[&simulate[..], &["--shard", shard, "--csv", &file]].concat(), 0, "");
    }
    std::fs::read_to_string(here.join("1.csv")).expect("a file of runs")
}

/// A file of runs from somebody else must not make the receiver write files or run anything.
#[test]
fn merge_runs_and_writes_nothing_that_its_files_name() {
    let here = folder("doctored");
    let text = shards(&here);
    let doctor = |arguments: &str| {
        let lines = text.lines().enumerate();
        let line = |(at, line): (usize, &str)| if at == 1 { format!("# arguments {arguments}") } else { line.into() };
        let doctored: Vec<String> = lines.map(line).collect();
        std::fs::write(here.join("1.csv"), doctored.join("\n") + "\n").expect("written");
    };
    std::fs::write(here.join("precious.svg"), "precious").expect("written");
    let own = "\"simulate\",\"yokota-ring\",\"--size\",\"4\",\"--runs\",\"4\",\"--seed\",\"1\"";
    for more in [
        "\"--plot\",\"precious.svg\"",
        "\"--plot=precious.svg\"",
        "\"--csv\",\"precious.svg\"",
        "\"--resume\",\"precious.svg\"",
        "\"--resume=precious.svg\"",
    ] {
        doctor(&format!("[{own},{more}]"));
        let (code, said) = run(&here, &["merge", "1.csv", "2.csv"]);
        let kept = std::fs::read_to_string(here.join("precious.svg")).expect("still there");
        assert_eq!((kept.as_str(), code), ("precious", 2), "{more}: {said}");
    }
    // Runs of another kind, or no runs at all, are not run.
    doctor("[\"simulate\",\"robust-s5\",\"--size\",\"4\",\"--runs\",\"4\",\"--seed\",\"1\"]");
    expect(&here, &["merge", "1.csv", "2.csv"], 2, "robust-s5");
    doctor(&format!("[{},\"--runs\",\"18446744073709551615\"]", own.replace(",\"--runs\",\"4\"", "")));
    expect(&here, &["merge", "1.csv", "2.csv"], 2, "are missing");
    doctor("[\"simulate\",\"yokota-ring,angluin-ring\",\"--size\",\"5\",\"--runs\",\"4\",\"--seed\",\"1\"]");
    expect(&here, &["merge", "1.csv", "2.csv"], 2, "one algorithm");
    doctor("[\"reproduce\",\"--list\"]");
    expect(&here, &["merge", "1.csv", "2.csv"], 2, "was not written by");
    doctor("[\"simulate\",\"--help\"]");
    expect(&here, &["merge", "1.csv", "2.csv"], 2, "1.csv");
    doctor(&format!("[{own}]"));
    expect(&here, &["merge", "1.csv", "2.csv", "--plot", "own.svg"], 0, "yokota-ring");
    assert!(here.join("own.svg").exists(), "merge's own flag writes");
}

/// `--flag=FILE` and `--flag FILE` are the same, before and after other flags.
#[test]
fn a_flag_takes_its_file_in_both_forms() {
    let here = folder("forms");
    std::fs::write(here.join("fading.ring"), FADING).expect("written");
    expect(&here, &["check", "fading.ring", "--size", "3", "--save=run.trace"], 1, "fails");
    for verb in ["elect", "draw"] {
        expect(&here, &[verb, "--replay", "run.trace"], 0, "fading");
        expect(&here, &[verb, "--replay=run.trace"], 0, "fading");
    }
    expect(&here, &["elect", "--replay=run.trace", "--html=page.html"], 0, "fading");
    expect(&here, &["draw", "--html=page.html", "--replay=run.trace"], 0, "the run in run.trace");
    let start =
        "ringleader configuration 1\nalgorithm fading.ring\nsize 2\nagent 0: leader=0 x=0\nagent 1: leader=0 x=0\n";
    std::fs::write(here.join("start.txt"), start).expect("written");
    for start in [&["--start", "start.txt"][..], &["--start=start.txt"]] {
        expect(&here, &[&["elect", "--seed", "1", "--corrupt", "0"], start].concat(), 0, "fading");
    }
}

/// The parameters of a text are flags of every verb that takes the text, wherever they stand.
#[test]
fn the_parameters_of_a_text_are_flags() {
    let here = folder("parameters");
    std::fs::write(here.join("fading.ring"), FADING).expect("written");
    expect(&here, &["check", "--k", "1", "fading.ring", "--size", "3"], 1, "fails");
    expect(&here, &["check", "--k=1", "--size=3", "--", "fading.ring"], 1, "fails");
    expect(&here, &["check", "fading.ring", "--help"], 0, "fading");
    expect(&here, &["check", "fading.ring", "--size", "3", "--kk", "1"], 2, "unexpected argument '--kk'");
    expect(&here, &["check", "yokota-ring", "--size", "3", "--k", "7"], 2, "yokota-ring");
    expect(&here, &["simulate", "yokota-ring,fading.ring", "--size", "3", "--k=1", "--limit", "100"], 2, "k");
    // A flag of any verb is taken, not only one of the verb in use.
    std::fs::write(
        here.join("taken.ring"),
        FADING.replace("parameter k", "parameter corrupt").replace("0..k", "0..corrupt"),
    )
    .expect("written");
    expect(&here, &["check", "taken.ring", "--size", "3"], 2, "rename the parameter");
}

/// A protocol may have any path.
#[test]
fn the_path_of_a_protocol_has_spaces_and_commas() {
    let here = folder("paths");
    let name = "my first, and  best.ring";
    std::fs::write(here.join(name), FADING).expect("written");
    expect(&here, &["check", name, "--size", "3", "--save", "run.trace"], 1, "fails");
    expect(&here, &["elect", "--replay", "run.trace"], 0, "fading");
    expect(&here, &["draw", "--replay", "run.trace", "--output", "run.svg"], 0, "fading");
    expect(&here, &["simulate", name, "--size", "3", "--runs", "2", "--seed", "1", "--limit", "9"], 1, "fading");
}

/// An unreadable protocol gives an error that says so, wherever its path stands.
#[test]
fn a_missing_protocol_is_reported_as_unreadable() {
    let here = folder("missing");
    for words in [
        &["check", "missing.ring", "--size", "3"][..],
        &["check", "--size", "3", "--json", "missing.ring"],
        &["check", "--json", "missing.ring", "--size", "3"],
        &["simulate", "--json", "yokota-ring,missing.ring"],
        &["elect", "--json", "missing.ring"],
        &["show", "--json", "missing.ring"],
        &["explore", "--json", "missing.ring", "--size", "3"],
        &["draw", "--gif", "missing.ring"],
        &["prove", "--json", "missing.ring"],
    ] {
        expect(&here, words, 2, "cannot read missing.ring");
    }
    let trace = "ringleader trace 1\nalgorithm missing.ring\nsize 1\nagent 0: a=0\n";
    std::fs::write(here.join("run.trace"), trace).expect("written");
    expect(&here, &["elect", "--replay=run.trace"], 2, "cannot read missing.ring");
    // A file that is to be written is not read.
    expect(&here, &["check", "fich-johnen", "--size", "4", "--save", "new.ring"], 1, "fails");
}

/// The flag itself refuses a negative number, with its own reason.
#[test]
fn a_negative_number_is_no_flag() {
    expect(&folder("negative"), &["check", "herman", "--size", "-3"], 2, "invalid value '-3' for '--size <N>'");
}

#[test]
fn no_threads_are_refused() {
    let here = folder("threads");
    for line in [
        "check herman --size 3",
        "explore franklin --size 2",
        "simulate herman --size 3",
        "search --states 2 --on complete --sizes 3",
    ] {
        let words: Vec<_> = line.split(' ').chain(["--threads", "0"]).collect();
        expect(&here, &words, 2, "give a number of threads, 1 to 65535");
    }
}

/// The check refuses the size; a claim of the text does not.
#[test]
fn a_size_that_is_too_large_is_the_reason() {
    let here = folder("sizes");
    for name in ["herman", "dijkstra-k-state", "gouda-haddix", "israeli-jalfon", "token-circulation"] {
        let (found, said) = run(&here, &["check", name, "--size", "33"]);
        assert_eq!(found, 2, "{name}: {said}");
        assert!(said.contains("the checker numbers fewer than 2^32"), "{name}: {said}");
        assert!(!said.contains("note:"), "claims without a result need no note: {said}");
    }
    // Multisets of agents are few.
    let many = "protocol many\nmodel population on complete\nagents l, r\nstate leader : bit\ngoal (count i : leader[i]) <= 1 \"few\"\n\
                recurring quiet = (count i : leader[i]) <= 1\nfirst:\n  1: l.leader and r.leader -> r.leader := 0\n";
    std::fs::write(here.join("many.ring"), many).expect("written");
    let unasked = "(quiet) are not checked: `recurring` and `response` are checked for at most 32 agents";
    expect(&here, &["check", "many.ring", "--size", "33"], 0, unasked);
    let asked = ["check", "herman", "--size", "33", "--recurring", "token[i]"];
    expect(&here, &asked, 2, "a claim for every process is checked for at most 32");
}
