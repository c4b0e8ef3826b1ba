//! The rules of an algorithm for proofs about every number of values, if the values of its processes grow with the ring.

use crate::Catalog;
use crate::proofs::algorithm;
use ringleader_erased::{Card, Layers, Parameters, Refusal};
use ringleader_prove::value_rules;
use ringleader_verify::{Place, ValueMove, ValueRules};

/// The parameter that is the number of values, if it grows with n and has no value here.
pub fn parameter<'c>(catalog: &'c Catalog, card: &Card, parameters: &Parameters) -> Option<&'c str> {
    let text = catalog.protocol(card.name).filter(|_| parameters.layers == Layers::default())?;
    let grows = |k: &&str| parameters.word(k).is_none() && text.mention_of_size(parameters).is_some();
    text.number_of_values().filter(grows)
}

/// The rules for every size from one on and every number of values from 2 on, if processes compare their value with neighbours for equality,
/// copy a neighbour's value, or take the next value.
pub fn rules(catalog: &Catalog, card: &Card, parameters: &Parameters, from: usize) -> Result<ValueRules, Refusal> {
    let refused = |why: String| Refusal::new(format!("{}: {why}", card.name));
    let (text, k) = catalog
        .protocol(card.name)
        .zip(parameter(catalog, card, parameters))
        .ok_or_else(|| refused("its values do not grow with the ring".into()))?;
    let with = |k: &str, values: usize| parameters.clone().with(k, values.to_string());
    if let Some((line, said)) = text.other_use_of_values() {
        return Err(refused(format!(
            "a proof for every {k} is about processes that compare their value with a neighbour for equality, copy a neighbour, or take \
             (x + 1) mod {k}; line {line} does something else: {said}. `--{k}` asks for a proof for one number of values"
        )));
    }
    if let Some((line, said)) = text.mention_of_size(&with(k, 2)) {
        return Err(refused(format!(
            "a proof is about all sizes at once, and line {line} mentions n, besides the default of {k}: {said}"
        )));
    }
    if let Some((line, said)) = text.irregular_sizes() {
        return Err(refused(format!("it does not support every size (line {line}: {said})")));
    }
    if let Some(start) = text.start() {
        return Err(refused(format!("its executions start where {start}, but a proof is about all configurations")));
    }
    // Remainders modulo numbers up to 64 repeat after this many sizes.
    for size in from..from + 64 * 64 {
        text.allows(&parameters.resized(size)).map_err(|refusal| {
            refused(format!(
                "a proof is about every size and every {k}, but the text does not allow n = {size}, where {k} is n by default: {refusal}. A bound \
                 on {k} must not be below n"
            ))
        })?;
    }
    let at = |size: usize, values: usize| algorithm(catalog, card, &with(k, values).resized(size));
    let found = value_rules(from, at).map_err(|why| refused(why.to_string()))?;
    let both = |m: &ValueMove| m.sees.place != Place::Bottom && m.sees.left.is_some() && m.sees.right.is_some();
    if from < 3 && found.moves.iter().any(both) {
        return Err(refused(
            "its processes read both neighbours, which are the same process if there are 2; `--from 3` asks for a proof from 3 on".into(),
        ));
    }
    Ok(found)
}
