//! The formatter keeps the meaning of a text, and formatting twice changes nothing more.

use ringleader_language::{Source, format};
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directories = [root.join("../catalog/protocols"), root.join("tests/twins")];
    let all = directories.iter().flat_map(|directory| std::fs::read_dir(directory).unwrap());
    all.map(|entry| entry.unwrap().path()).collect()
}

/// Set `LAY_OUT=1` in the environment to format them.
#[test]
fn the_files_of_the_repository_are_formatted() {
    for path in files() {
        let mut text = std::fs::read_to_string(&path).unwrap();
        if std::env::var_os("LAY_OUT").is_some() {
            text = format("file", &text).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        assert_eq!(format("file", &text).unwrap(), text, "{}", path.display());
    }
}

/// Everything but spaces and the spelling of signs.
fn squeezed(text: &str) -> String {
    let plain = text.replace("&&", "and").replace("||", "or").replace("==", "=").replace('≠', "!=");
    plain.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn the_formatter_restores_changed_spaces() {
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut other = String::new();
        for line in text.lines() {
            // Spaces are doubled, but not in texts and comments.
            let code = line.split(['"', '#']).next().unwrap_or("");
            other += &code.replace(" and ", "  &&  ").replace(" = ", "  ==  ").replace("  ", "   ");
            other += &line[code.len()..];
            other += "\n\n";
        }
        let back = format("file", &other).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert_eq!(squeezed(&back), squeezed(&text), "{}", path.display());
        assert_eq!(format("file", &back).unwrap(), back, "{}", path.display());
        Source::parse("file", &back).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
}

#[test]
fn texts_with_syntax_errors_are_not_formatted() {
    assert!(format("file", "protocol x\nfirst:\n  1: ( -> x := 1\n").is_err());
}

/// A name may have numbers between its hyphens; spaces around a minus are kept.
#[test]
fn hyphens_in_names_stay() {
    for text in
        ["protocol ring-3-states-1\n", "protocol duel\nstate x : 0..n - 1\n", "protocol duel\nstate x : 0..9-3\n"]
    {
        assert_eq!(format("file", text).unwrap(), text);
    }
}

/// Some editors write a byte order mark.
#[test]
fn a_byte_order_mark_is_removed() {
    let text = "protocol duel\nstate x : bit\n";
    assert_eq!(format("file", &format!("\u{feff}{text}")).unwrap(), text);
    assert!(format("file", &text.replace("duel", "du\u{feff}el")).is_err());
}
