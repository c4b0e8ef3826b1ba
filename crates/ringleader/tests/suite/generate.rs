//! Manual pages and completions describe every verb and flag of this program.

use crate::program::run;
use std::path::PathBuf;
use std::process::Command;

/// The verbs in the help of the program.
fn verbs() -> Vec<String> {
    let help = run("--help").1;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let verbs = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    verbs.filter_map(|line| line.split_whitespace().next()).filter(|verb| *verb != "help").map(String::from).collect()
}

/// The long flags at the beginnings of the lines of a verb's help.
fn flags(verb: &str) -> Vec<String> {
    let help = run(&format!("{verb} --help")).1;
    let flag = |line: &str| {
        let line = line.trim_start();
        let long = line.strip_prefix("--").or_else(|| line.split_once(", --").map(|(_, long)| long))?;
        Some(long.split([' ', '[', '=']).next()?.trim_end_matches("...").to_string())
    };
    let options = help.lines().skip_while(|line| !line.ends_with("ptions:"));
    options
        .take_while(|line| *line != "Examples:")
        .filter(|line| line.trim_start().starts_with('-'))
        .filter_map(flag)
        .collect()
}

#[test]
fn every_verb_has_a_page_with_every_flag() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("man");
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(run(&format!("generate man {}", folder.display())), (0, String::new()));
    let verbs = verbs();
    assert!(verbs.len() > 15 && verbs.contains(&"node".into()), "{verbs:?}");
    let mut counted = 0;
    for verb in verbs {
        let page = std::fs::read_to_string(folder.join(format!("ringleader-{verb}.1"))).expect("a page of the verb");
        for flag in flags(&verb) {
            let escaped = format!("\\-\\-{}", flag.replace('-', "\\-"));
            assert!(page.contains(&escaped), "the page of {verb} has no --{flag}");
            counted += 1;
        }
    }
    assert!(counted > 200, "{counted} flags were found in the help");
    let main = std::fs::read_to_string(folder.join("ringleader.1")).unwrap();
    assert!(main.contains(&format!("\"ringleader {}\"", env!("CARGO_PKG_VERSION"))), "{main}");
}

/// A parameter of an algorithm is a flag, too.
#[test]
fn pages_have_the_parameters_of_algorithms() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("man-parameters");
    assert_eq!(run(&format!("generate man {}", folder.display())).0, 0);
    assert!(std::fs::read_to_string(folder.join("ringleader-check.1")).unwrap().contains("\\-\\-as\\-printed"));
}

#[test]
fn a_folder_that_cannot_be_made_is_refused() {
    let (code, said) = run(&format!("generate man {}/Cargo.toml", env!("CARGO_MANIFEST_DIR")));
    assert!(code == 2 && said.contains("cannot write to") && said.contains("Cargo.toml"), "{code}: {said}");
}

/// bash completes a verb and a flag.
#[test]
#[cfg(unix)]
fn bash_completes_verbs_and_flags() {
    let script = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("completions.bash");
    let (code, text) = run("generate completions bash");
    assert_eq!(code, 0);
    std::fs::write(&script, text).unwrap();
    let completed = |words: &str, last: &str| {
        let line = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _ringleader ringleader '{last}' ''; echo ${{COMPREPLY[@]}}",
            script.display()
        );
        let output = Command::new("bash").args(["--norc", "-c", &line]).output().expect("bash starts");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_string()
    };
    assert_eq!(completed("ringleader repr", "repr"), "reproduce");
    assert_eq!(completed("ringleader node --await", "--await"), "--await-stopped");
}

#[test]
fn each_shell_has_completions() {
    for (shell, word) in [("bash", "--await-stopped"), ("zsh", "--await-stopped"), ("fish", "await-stopped")] {
        let (code, text) = run(&format!("generate completions {shell}"));
        assert!(code == 0 && text.contains(word) && text.contains("reproduce"), "{shell}");
    }
    let (code, said) = run("generate completions csh");
    assert!(code == 2 && said.contains("bash, elvish, fish, powershell, zsh"), "{said}");
}
