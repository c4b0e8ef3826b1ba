//! The rules of an algorithm of the catalogue, if it is suitable for a proof.

use crate::terminal::exit::Failure;
use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{Card, Kind, Parameters, Refusal, Topology};
use ringleader_prove::{Algorithm, NoRules};
use ringleader_verify::{Rules, Sizes};

/// The rules of an algorithm on rings or lines, if its local states and rules are the same at all these sizes.
pub(super) fn ring(catalog: &Catalog, card: &Card, parameters: &Parameters, sizes: &Sizes) -> Result<Rules, Failure> {
    if sizes.from < 3 {
        return Err(Failure::usage("proofs are about rings of at least 3 agents; `check` checks smaller ones"));
    }
    if matches!(card.kind, Kind::Message | Kind::Robust) {
        return Err(Failure::usage(format!(
            "proofs are about population protocols and rings of processes that read their neighbours, but {} passes messages",
            card.name
        )));
    }
    let topology = parameters.layers.topology(card);
    use Topology::{BidirectionalRing, DirectedRing, Line, UndirectedRing};
    if !matches!(topology, DirectedRing | UndirectedRing | BidirectionalRing | Line) {
        return Err(Failure::usage(format!(
            "proofs are about rings, lines and complete graphs, but this algorithm is for: {}",
            topology.describe()
        )));
    }
    constant(catalog, card, parameters, sizes)
}

/// The rules of a population protocol on complete graphs.
pub(super) fn complete(catalog: &Catalog, card: &Card, parameters: &Parameters) -> Result<Rules, Failure> {
    if parameters.size < 2 {
        return Err(Failure::usage("proofs about complete graphs need at least 2 agents"));
    }
    match parameters.layers.topology(card) {
        Topology::Complete => constant(catalog, card, parameters, &Sizes::from(parameters.size)),
        other => Err(Failure::usage(format!("{} is for a {}, not for complete graphs", card.name, other.describe()))),
    }
}

/// Refuses an algorithm that a proof cannot cover if the two agents get different answers of the detector.
pub(super) fn check_equal_answers(catalog: &Catalog, card: &Card, parameters: &Parameters) -> Result<(), Failure> {
    let refused = |why| Failure::usage(format!("{}: {why}", card.name));
    algorithm(catalog, card, parameters)?.check_equal_answers().map_err(refused)
}

/// Refuses a text that mentions n, even if its rules are the same at the compared sizes.
fn constant(catalog: &Catalog, card: &Card, parameters: &Parameters, sizes: &Sizes) -> Result<Rules, Failure> {
    let depends = |what: String| {
        let reason = "but a proof is about all sizes at once; `check` checks one size at a time";
        Failure::usage(format!("{}: {what}, {reason}", card.name))
    };
    if let Some(text) = catalog.protocol(card.name) {
        if let Some((line, said)) = text.mention_of_size(parameters) {
            return Err(depends(format!("its states, rules or marks depend on n (line {line}: {said})")));
        }
        if let Some((line, said)) = text.irregular_sizes() {
            return Err(depends(format!("it does not support every size (line {line}: {said})")));
        }
        // Remainders modulo numbers up to 64 repeat after this many sizes.
        for size in (sizes.from..sizes.from + 64 * 64).filter(|n| sizes.contains(*n)) {
            text.allows(&parameters.resized(size))?;
        }
    }
    ringleader_prove::rules(sizes, |size| algorithm(catalog, card, &parameters.resized(size))).map_err(
        |why| match why {
            NoRules::Refused(refusal) => refusal.into(),
            NoRules::DependsOnSize(..) => depends(why.to_string()),
            why => Failure::usage(why),
        },
    )
}

fn algorithm(catalog: &Catalog, card: &Card, parameters: &Parameters) -> Result<Algorithm, Refusal> {
    match catalog.instance(card.name, parameters)? {
        Instance::Population(instance) => {
            let undirected = parameters.layers.topology(card) == Topology::UndirectedRing;
            Ok(Algorithm::Population { instance, undirected })
        }
        Instance::Ring(instance) => {
            let one_rule = catalog.protocol(card.name).is_some_and(|text| text.promises_one_rule());
            Ok(Algorithm::Ring { instance, one_rule })
        }
        _ => Err(Refusal::new("proofs are about population protocols and rings of processes")),
    }
}
