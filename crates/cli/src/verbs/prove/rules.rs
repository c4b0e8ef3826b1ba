//! The rules of an algorithm of the catalogue, if a proof can be about it.

use crate::terminal::exit::Failure;
use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{Card, Kind, Parameters, Refusal, Topology};
use ringleader_prove::{Algorithm, NoRules};
use ringleader_verify::{Rules, Sizes};

/// The rules of an algorithm on rings or lines, if its local states and rules are the same at every one of the sizes.
pub(super) fn ring(catalog: &Catalog, card: &Card, parameters: &Parameters, sizes: &Sizes) -> Result<Rules, Failure> {
    if sizes.from < 3 {
        return Err(Failure::usage("proofs are about rings of at least 3: smaller ones are for `check`"));
    }
    if matches!(card.kind, Kind::Message | Kind::Robust) {
        return Err(Failure::usage(format!(
            "proofs are about population protocols and rings of processes that read their neighbours; {} passes messages",
            card.name
        )));
    }
    let topology = parameters.layers.topology(card);
    use Topology::{BidirectionalRing, DirectedRing, Line, UndirectedRing};
    if !matches!(topology, DirectedRing | UndirectedRing | BidirectionalRing | Line) {
        return Err(Failure::usage(format!(
            "proofs are about rings, lines and complete graphs; this is for: {}",
            topology.describe()
        )));
    }
    constant(catalog, card, parameters, sizes)
}

/// The rules of a population protocol on complete graphs.
pub(super) fn complete(catalog: &Catalog, card: &Card, parameters: &Parameters) -> Result<Rules, Failure> {
    if parameters.size < 2 {
        return Err(Failure::usage("it takes two agents to meet: proofs about complete graphs begin at 2"));
    }
    match parameters.layers.topology(card) {
        Topology::Complete => constant(catalog, card, parameters, &Sizes::from(parameters.size)),
        other => {
            Err(Failure::usage(format!("{} is about a {}, not about complete graphs", card.name, other.describe())))
        }
    }
}

/// Refuses an algorithm whose agents must be told the same for a proof to be about it.
pub(super) fn check_equal_answers(catalog: &Catalog, card: &Card, parameters: &Parameters) -> Result<(), Failure> {
    let refused = |why| Failure::usage(format!("{}: {why}", card.name));
    algorithm(catalog, card, parameters)?.check_equal_answers().map_err(refused)
}

/// A text that mentions n is refused, however alike its rules are at the sizes that are compared.
fn constant(catalog: &Catalog, card: &Card, parameters: &Parameters, sizes: &Sizes) -> Result<Rules, Failure> {
    let depends = |what: String| {
        let reason = "and a proof speaks of all sizes at once; `check` takes one size at a time";
        Failure::usage(format!("{}: {what}, {reason}", card.name))
    };
    if let Some(text) = catalog.protocol(card.name) {
        if let Some((line, said)) = text.mention_of_size(parameters) {
            return Err(depends(format!("its states, rules or marks speak of n (line {line}: {said})")));
        }
        if let Some((line, said)) = text.irregular_sizes() {
            return Err(depends(format!("it is not for every size (line {line}: {said})")));
        }
        // Remainders by numbers up to 64 are the same again after so many sizes.
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
