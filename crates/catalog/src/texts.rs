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
