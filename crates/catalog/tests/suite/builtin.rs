//! The list of the built-in algorithms.

use ringleader_catalog::Catalog;
use ringleader_erased::Parameters;
use ringleader_language::Source;

#[test]
fn default_sizes_are_supported_and_readings_can_be_built() {
    let catalog = Catalog::builtin();
    for card in catalog.cards() {
        let usual = Parameters::new(card.default_size);
        let supported = catalog.supports(card.name, &usual);
        assert_eq!(supported.is_ok(), catalog.why_absent(card.name).is_none(), "{}: {supported:?}", card.name);
        for reading in card.readings {
            assert!(catalog.read(card.name, &usual, reading.name).is_ok(), "{} in {}", card.name, reading.name);
        }
        if let Ok(instance) = catalog.instance(card.name, &usual) {
            assert_eq!(instance.kind(), card.kind, "{}", card.name);
        }
    }
}

#[test]
fn unknown_names_suggest_the_nearest() {
    let refusal = |name: &str| Catalog::builtin().card(name).unwrap_err().to_string();
    assert!(refusal("yokota").contains("yokota-ring"));
    assert!(refusal("fich-johnson").contains("fich-johnen"));
    assert!(!refusal("zzzzzzzzzzzzzzzzzzzzzzzzzzz").contains("did you mean"));
}

/// Tried as a file of somebody's own is, without an error and without a warning.
#[test]
fn every_text_is_in_the_list_is_right_and_has_a_card() {
    let (catalog, mut files) = (Catalog::builtin(), 0);
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/protocols")).expect("the folder") {
        let path = file.expect("a file").path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let text = std::fs::read_to_string(&path).expect(name);
        let read = Source::parse(name, &text).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert!(read.warnings().is_empty(), "{}", read.warnings());
        let protocol = catalog.protocol(name).expect(name);
        let card = protocol.card();
        assert!(![card.summary, card.citation, card.claim, card.assumes].contains(&""), "{card:?}");
        assert!(card.citation.chars().any(|c| c.is_ascii_digit()), "{name} has a year: {}", card.citation);
        let parameters = Parameters::new(card.default_size);
        protocol.supports(&parameters).expect(name);
        protocol.instance(&parameters).expect(name);
        files += 1;
    }
    let texts = catalog.cards().filter(|card| catalog.protocol(card.name).is_some()).count();
    assert_eq!(files, texts, "as many files as texts in the list");
}

/// The names and parameters that are known without parsing a text are those of the cards, and all cards are valid.
#[test]
fn names_and_parameters_are_those_of_the_cards() {
    let catalog = Catalog::builtin();
    assert!(catalog.names().eq(catalog.cards().map(|card| card.name)));
    let of_cards = catalog.cards().flat_map(|card| card.parameters.iter().map(|parameter| (card.name, parameter)));
    assert_eq!(catalog.parameters().collect::<Vec<_>>(), of_cards.collect::<Vec<_>>());
    catalog.cards().for_each(|card| card.check().unwrap());
}
