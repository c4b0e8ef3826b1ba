//! The algorithms of the literature that are written as text.

use ringleader_erased::Parameter;
use ringleader_language::{Protocol, Source};
use std::sync::OnceLock;

/// A text that is part of this crate. It is parsed at its first use, once in a process.
pub(crate) struct BuiltInText {
    pub(crate) name: &'static str,
    text: &'static str,
    protocol: OnceLock<Protocol>,
}

impl BuiltInText {
    pub(crate) fn protocol(&'static self) -> &'static Protocol {
        // A test reads every text with all checks, so none is tried here.
        self.protocol.get_or_init(|| Source::known(self.name, self.text).expect("every built-in text is valid"))
    }

    /// The parameters, without the rest of the text.
    pub(crate) fn parameters(&'static self) -> &'static [Parameter] {
        Source::parameters(self.text)
    }
}

macro_rules! text {
    ($name:literal) => {
        BuiltInText {
            name: $name,
            text: include_str!(concat!("../protocols/", $name, ".ring")),
            protocol: OnceLock::new(),
        }
    };
}

pub(crate) static TEXTS: [BuiltInText; 22] = [
    text!("cai-izumi-wada"),
    text!("optimal-silent-ranking"),
    text!("loosely-stabilizing"),
    text!("israeli-jalfon"),
    text!("dijkstra-k-state"),
    text!("dijkstra-four-state"),
    text!("dijkstra-three-state"),
    text!("herman"),
    text!("huang"),
    text!("independent-set"),
    text!("colouring"),
    text!("random-colouring"),
    text!("hsu-huang"),
    text!("huang-chen"),
    text!("unison"),
    text!("arora-gouda"),
    text!("best-offer"),
    text!("local-detection"),
    text!("tree-centre"),
    text!("tree-leader"),
    text!("le-lann"),
    text!("hirschberg-sinclair"),
];
