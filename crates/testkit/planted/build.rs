//! Copies the sources of a crate, plants the bugs of its patches in the copy, and writes the list of bugs.
//!
//! The verifier and the lease are trusted: they contain no switch for a bug. Each patch adds one to the copy, so that all bugs
//! of a crate take one build. A patch that no longer applies makes the copy fail to compile, with the name of the patch.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let crates = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../..");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    plant(&crates.join("verify"), &out.join("verify"), &[]);
    plant(&crates.join("node-core"), &out.join("node-core"), &["common", "world"]);
}

/// Makes the copy: all of `src`, and some files of `tests/suite` as modules of a module `suite`.
fn plant(from: &Path, to: &Path, suite: &[&str]) {
    let _ = fs::remove_dir_all(to);
    copy(&from.join("src"), to);
    let mut root = read(&to.join("lib.rs"));
    // The root is included in another file, where documentation of the file and its attributes cannot stand.
    root =
        root.lines().filter(|line| !line.starts_with("//!") && !line.starts_with("#![")).collect::<Vec<_>>().join("\n");
    root += "\nmod suite {\n";
    for name in suite {
        root += &format!("pub(crate) mod {name};\n");
        copy(&from.join(format!("tests/suite/{name}.rs")), &to.join(format!("suite/{name}.rs")));
    }
    root += "}\n";
    let mut bugs = String::new();
    let mut patches: Vec<PathBuf> = entries(&from.join("tests/planted"));
    patches.sort();
    for path in patches {
        println!("cargo::rerun-if-changed={}", path.display());
        let (name, patch) = (path.file_stem().expect("a file").to_string_lossy(), read(&path));
        bugs += &format!("({name:?}, {:?}), ", patch.lines().next().unwrap_or_default());
        if let Err(why) = apply(&patch, to) {
            root += &format!("\ncompile_error!({:?});", format!("{}: {why}", path.display()));
        }
    }
    root += &format!(
        "\n/// The planted bugs: name and description.\npub(crate) const BUGS: &[(&str, &str)] = &[{bugs}];\n"
    );
    write(&to.join("lib.rs"), &root);
}

/// Copies a file, or a folder. The tests of the original do not run again in the copy.
fn copy(from: &Path, to: &Path) {
    println!("cargo::rerun-if-changed={}", from.display());
    if from.is_dir() {
        entries(from).iter().for_each(|path| copy(path, &to.join(path.file_name().expect("an entry"))));
    } else {
        write(to, &read(from).replace("#[test]", "#[allow(dead_code)]"));
    }
}

/// Applies a unified diff to the files below a folder. The text of each hunk must occur exactly once, on any line.
fn apply(patch: &str, folder: &Path) -> Result<(), String> {
    let (mut file, mut hunks) = (None, Vec::<(PathBuf, String, String)>::new());
    for line in patch.lines() {
        if let Some(name) = line.strip_prefix("+++ b/src/") {
            file = Some(folder.join(name));
        } else if line.starts_with("@@") {
            hunks.push((file.clone().ok_or("a hunk before the name of a file")?, String::new(), String::new()));
        } else if let Some((_, before, after)) = hunks.last_mut() {
            let (sign, text) = line.split_at_checked(1).unwrap_or((" ", ""));
            let [in_before, in_after] = match sign {
                " " => [true, true],
                "-" => [true, false],
                "+" => [false, true],
                _ => return Err(format!("not a line of a hunk: {line}")),
            };
            for (block, _) in [(before, in_before), (after, in_after)].into_iter().filter(|(_, takes)| *takes) {
                *block += &format!("{text}\n");
            }
        }
    }
    if hunks.is_empty() {
        return Err("no hunk".into());
    }
    for (file, before, after) in hunks {
        let text = read(&file);
        match text.matches(&before).count() {
            1 => write(&file, &text.replace(&before, &after)),
            count => {
                return Err(format!("the patch does not apply: its text occurs {count} times in {}", file.display()));
            }
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    found.map(|entry| entry.expect("an entry").path()).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file in a folder"))
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    fs::write(path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}
