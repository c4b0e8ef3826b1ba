//! The examples of docs/language.md.

use ringleader_language::{Source, format};

/// The fenced blocks of the document, each with the tag of its fence.
fn blocks() -> Vec<(String, String)> {
    let path = format!("{}/../../docs/language.md", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut parts = text.split("```");
    let mut found = vec![];
    while let (Some(_), Some(block)) = (parts.next(), parts.next()) {
        let (tag, body) = block.split_once('\n').unwrap();
        found.push((tag.to_string(), body.to_string()));
    }
    found
}

#[test]
fn the_protocols_of_the_manual_are_valid_and_formatted() {
    let protocols: Vec<_> = blocks().into_iter().filter(|(tag, _)| tag == "ring").collect();
    assert!(protocols.len() >= 5);
    for (_, text) in protocols {
        let protocol = Source::parse("book.ring", &text).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert!(protocol.warnings().is_empty(), "{}", protocol.warnings());
        assert_eq!(format("book.ring", &text).unwrap(), text);
    }
}

#[test]
fn the_errors_of_the_manual_are_the_reported_errors() {
    let blocks = blocks();
    let wrong: Vec<_> = (0..blocks.len()).filter(|at| blocks[*at].0 == "ring-wrong").collect();
    assert!(wrong.len() >= 2);
    for at in wrong {
        let said = Source::parse("slip.ring", &blocks[at].1).unwrap_err();
        assert_eq!(format!("{said}\n"), blocks[at + 1].1, "{said}");
    }
}
