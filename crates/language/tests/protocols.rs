//! The protocols that come as text only: each can be read without a warning, and what small sizes say of them.

use ringleader_language::{Protocol, Source};
use std::path::PathBuf;

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../protocols")
}

fn read(name: &str) -> Protocol {
    let path = directory().join(format!("{name}.ring"));
    let text = std::fs::read_to_string(&path).unwrap();
    let protocol = Source::parse(&path.display().to_string(), &text).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(protocol.warnings().is_empty(), "{}", protocol.warnings());
    protocol
}

#[test]
fn every_protocol_has_a_card_and_can_be_built_at_its_size() {
    let mut names = vec![];
    for entry in std::fs::read_dir(directory()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().to_string();
        let protocol = read(&name);
        let card = protocol.card();
        assert_eq!(card.name, name);
        assert!(![card.summary, card.citation, card.claim, card.assumes].contains(&""), "{card:?}");
        let parameters = ringleader_instance::Parameters::new(card.default_size);
        protocol.supports(&parameters).unwrap();
        protocol.instance(&parameters).unwrap();
        names.push(name);
    }
    assert_eq!(names.len(), 11, "{names:?}");
}
