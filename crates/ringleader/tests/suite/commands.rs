//! Snapshots of the output of commands. `TRYCMD=overwrite cargo test -p ringleader --test suite commands::` renews them.

#[test]
fn commands_print_their_snapshots() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}

#[test]
fn the_readme_shows_the_real_output() {
    trycmd::TestCases::new().case("../../README.md");
}

/// The README's table names every algorithm of the catalog.
#[test]
fn the_readme_lists_every_algorithm() {
    let readme = include_str!("../../../../README.md");
    for card in ringleader::Catalog::builtin().cards() {
        assert!(readme.contains(&format!("| `{}` |", card.name)), "README.md does not list {}", card.name);
    }
}

/// A program under another name uses that name in hints and help.
#[test]
fn a_renamed_program_uses_its_new_name() {
    let program = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("my-ring");
    // A second name of the file. A copy is open for writing for a moment, a process that another test starts then inherits it, and a
    // file that is open for writing cannot be executed.
    let _ = std::fs::remove_file(&program);
    std::fs::hard_link(env!("CARGO_BIN_EXE_ringleader"), &program).unwrap();
    let says = |arguments: &[&str]| {
        let output = std::process::Command::new(&program).args(arguments).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    assert!(says(&["list"]).contains("`my-ring show NAME`"));
    assert!(says(&["elect", "nobody"]).contains("`my-ring list` shows them all"));
    assert!(says(&["check", "fich-johnen", "--size", "4"]).contains("`my-ring elect --replay FILE`"));
    for verb in ["check", "elect", "prove", "simulate"] {
        let help = says(&[verb, "--help"]);
        assert!(help.contains(&format!("  my-ring {verb} ")) && !help.contains("  ringleader "), "{help}");
    }
}
