//! Layers go over whom they suit, and nobody else.

use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{DetectorLayer, Kind, Layers, Parameters, Topology};

/// The names of an instance's variables.
fn names(instance: &Instance) -> Vec<String> {
    let state = match instance {
        Instance::Population(algorithm) => algorithm.text(0),
        Instance::Ring(algorithm) => algorithm.text(0),
        Instance::Graph(algorithm) => algorithm.text(0),
        Instance::Message(_) | Instance::Robust(_) => return vec![],
    };
    state.split(' ').map(|pair| pair.split('=').next().unwrap().to_string()).collect()
}

const ALL_LAYERS: [&str; 8] = [
    "",
    "undirected",
    "distance",
    "timer",
    "alternator",
    "undirected,distance",
    "undirected,timer",
    "undirected,alternator",
];

/// Every algorithm with all layers: what suits it adds its own variables, all of different names; the rest is refused.
#[test]
fn layers_suit_whom_they_should() {
    let catalog = Catalog::builtin();
    for card in catalog.cards().filter(|card| catalog.why_absent(card.name).is_none()) {
        let ring = card.kind == Kind::Ring;
        let directed = card.kind == Kind::Population && card.topology == Topology::DirectedRing;
        for word in ALL_LAYERS {
            let layers: Layers = word.parse().unwrap();
            let parameters = Parameters::new(card.default_size).layered(layers);
            let visited = catalog.instance(card.name, &parameters).map(|instance| names(&instance));
            let suits = (!layers.undirected || directed)
                && (!layers.alternator || ring && card.name != "fich-johnen-token")
                && match layers.detector {
                    None => true,
                    Some(DetectorLayer::Timer) => card.oracle.is_some(),
                    Some(DetectorLayer::Distance) => card.oracle.is_some() && directed,
                };
            assert_eq!(visited.is_ok(), suits, "{} {word:?}: {visited:?}", card.name);
            let Ok(names) = visited else { continue };
            for (layer, variable) in
                [("undirected", "suc"), ("distance", "dist"), ("timer", "countdown"), ("alternator", "turn")]
            {
                assert!(!word.contains(layer) || names.iter().any(|name| name == variable), "{} {word:?}", card.name);
            }
            let mut distinct = names.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), names.len(), "{} {word:?}: {names:?}", card.name);
        }
    }
}

#[test]
fn layers_are_words() {
    for word in ALL_LAYERS {
        assert_eq!(word.parse::<Layers>().unwrap().to_string(), word);
    }
    for wrong in ["sideways", "distance,timer", "undirected distance"] {
        assert!(wrong.parse::<Layers>().is_err(), "{wrong}");
    }
}

/// Parameters of layers that are not there are refused, and what a layer says no to is refused with the reason.
#[test]
fn refusals_say_why() {
    let refusal =
        |name: &str, parameters: Parameters| Catalog::builtin().supports(name, &parameters).unwrap_err().to_string();
    assert!(refusal("fischer-jiang-ring", Parameters::new(5).with("bound", "9")).contains("no parameter \"bound\""));
    let timer = Parameters::new(5).with("timer", "1").layered("timer".parse().unwrap());
    assert!(refusal("fischer-jiang-ring", timer).contains("timer must be in 2..2^30"));
    let short = Parameters::new(5).with("bound", "4").layered("distance".parse().unwrap());
    assert!(refusal("fischer-jiang-ring", short).contains("n = 5 and N = 4"));
    let two = Parameters::new(2).layered("undirected".parse().unwrap());
    assert!(refusal("token-circulation", two).contains("at least 3 agents"));
    assert!(
        refusal("yokota-ring", Parameters::new(5).layered("alternator".parse().unwrap()))
            .contains("population protocol")
    );
    assert!(refusal("angluin-ring", Parameters::new(6)).contains("multiple of k"));
    assert!(refusal("chen-chen", Parameters::new(6)).contains("rules not available"));
}
