//! The algorithms of the literature that are written as text.

use ringleader_language::{Protocol, Source};
use std::sync::LazyLock;

macro_rules! text {
    ($name:literal) => {
        ($name, include_str!(concat!("../protocols/", $name, ".ring")))
    };
}

const TEXTS: [(&str, &str); 11] = [
    text!("cai-izumi-wada"),
    text!("optimal-silent-ranking"),
    text!("loosely-stabilizing"),
    text!("israeli-jalfon"),
    text!("dijkstra-k-state"),
    text!("dijkstra-four-state"),
    text!("dijkstra-three-state"),
    text!("herman"),
    text!("huang"),
    text!("le-lann"),
    text!("hirschberg-sinclair"),
];

/// Read once in a process. That nothing is wrong with them is tested, so nothing is tried here.
static PROTOCOLS: LazyLock<Vec<Protocol>> =
    LazyLock::new(|| TEXTS.iter().filter_map(|(name, text)| Source::known(name, text).ok()).collect());

/// A text by its name.
pub(crate) fn protocol(name: &str) -> Option<&'static Protocol> {
    PROTOCOLS.iter().find(|protocol| protocol.card().name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_instance::Parameters;

    /// Tried as a file of somebody's own is, without an error and without a warning.
    #[test]
    fn every_text_is_right_and_has_a_card() {
        for (name, text) in TEXTS {
            let read = Source::parse(name, text).unwrap_or_else(|wrong| panic!("{wrong}"));
            assert!(read.warnings().is_empty(), "{}", read.warnings());
            let protocol = protocol(name).expect(name);
            let card = protocol.card();
            assert!(![card.summary, card.citation, card.claim, card.assumes].contains(&""), "{card:?}");
            assert!(card.citation.chars().any(|c| c.is_ascii_digit()), "{name} has a year: {}", card.citation);
            let parameters = Parameters::new(card.default_size);
            protocol.supports(&parameters).expect(name);
            protocol.instance(&parameters).expect(name);
        }
    }

    #[test]
    fn every_file_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/protocols");
        let files = std::fs::read_dir(folder).expect("the folder").count();
        assert_eq!(files, TEXTS.len());
    }
}
