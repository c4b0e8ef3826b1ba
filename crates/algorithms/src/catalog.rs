//! The one list of all algorithms.

mod wrap;

use crate::{Card, Parameters, Refusal, message, population, ring, robust};
use ringleader_model::{Population, Ring, Stabilizing, Terminating, Timed};

/// What every algorithm file offers the catalogue.
pub trait Entry: Sized {
    /// What there is to say of it.
    const CARD: Card;

    /// Builds it; fails only where the rules make no sense.
    fn build(parameters: &Parameters) -> Result<Self, Refusal>;

    /// Whether its paper claims it right at this size; the reason and the place in the paper if not.
    ///
    /// The checker builds unsupported sizes too: showing the failure is its job.
    fn supports(parameters: &Parameters) -> Result<(), Refusal>;

    /// Why there is nothing to build, for an algorithm that has a card only so that nobody searches in vain.
    const ABSENT: Option<&'static str> = None;
}

/// What is done with an algorithm once its type is known: one method per model.
pub trait Visitor {
    /// The result.
    type Output;
    /// For a population protocol.
    fn population<A: Population + Stabilizing + 'static>(self, algorithm: A) -> Self::Output;
    /// For a ring algorithm.
    fn ring<A: Ring + Stabilizing + 'static>(self, algorithm: A) -> Self::Output;
    /// For a terminating message-passing algorithm.
    fn message<A: Terminating + 'static>(self, algorithm: A) -> Self::Output;
    /// For a robust algorithm.
    fn robust<A: Timed + 'static>(self, algorithm: A) -> Self::Output;
}

macro_rules! catalog {
    ($($kind:ident $path:path),* $(,)?) => {
        /// The cards of all algorithms, in the order of the catalogue.
        pub const CARDS: &[&Card] = &[$(&<$path as Entry>::CARD),*];

        /// Why an algorithm that has a card cannot be run at all, if so.
        pub fn absent(name: &str) -> Option<&'static str> {
            $(if name == <$path as Entry>::CARD.name {
                return <$path as Entry>::ABSENT;
            })*
            None
        }

        /// Whether the algorithm's paper claims it right at this size, and its layers take it.
        pub fn supports(name: &str, parameters: &Parameters) -> Result<(), Refusal> {
            $(if name == <$path as Entry>::CARD.name {
                parameters.check_names(&<$path as Entry>::CARD)?;
                <$path as Entry>::supports(parameters)?;
                parameters.layers()?.supports(parameters)?;
                return wrap::$kind::<$path, wrap::Nobody>(parameters, wrap::Nobody);
            })*
            Err(unknown(name))
        }

        /// Builds the algorithm, wraps it in the layers it is asked for, and hands it to the visitor.
        ///
        /// Layers may change the graph it runs on: [`Layers::topology`](crate::Layers::topology) says which that is.
        pub fn visit<V: Visitor>(name: &str, parameters: &Parameters, visitor: V) -> Result<V::Output, Refusal> {
            $(if name == <$path as Entry>::CARD.name {
                parameters.check_names(&<$path as Entry>::CARD)?;
                return wrap::$kind::<$path, V>(parameters, visitor);
            })*
            Err(unknown(name))
        }
    };
}

catalog! {
    population population::fischer_jiang_complete::FischerJiangComplete,
    population population::fischer_jiang_ring::FischerJiangRing,
    population population::yokota_ring::YokotaRing,
    population population::angluin_ring::AngluinRing,
    absent population::chen_chen::ChenChen,
    population population::token_circulation::TokenCirculation,
    population population::ring_orientation::RingOrientation,
    ring ring::fich_johnen::FichJohnen,
    ring ring::fich_johnen_token::FichJohnenToken,
    ring ring::burns_pachl::BurnsPachl,
    ring ring::gouda_haddix::GoudaHaddix,
    message message::franklin::Franklin,
    message message::franklin_no_bit::FranklinNoBit,
    message message::dolev_klawe_rodeh_bits::DolevKlaweRodehBits,
    message message::itai_rodeh::ItaiRodeh,
    message message::fokkink_pang::FokkinkPang,
    message message::chang_roberts::ChangRoberts,
    message message::dolev_klawe_rodeh::DolevKlaweRodeh,
    message message::peterson::Peterson,
    message message::franklin_ids::FranklinIds,
    robust robust::s5::RobustS5,
    robust robust::s4::RobustS4,
    robust robust::s3::RobustS3,
    robust robust::s2::RobustS2,
    robust robust::s1::RobustS1,
}

/// The card of an algorithm.
pub fn card(name: &str) -> Result<&'static Card, Refusal> {
    CARDS.iter().find(|card| card.name == name).copied().ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> Refusal {
    let hint = nearest(name, CARDS.iter().map(|card| card.name));
    let hint = hint.map_or(String::new(), |near| format!("did you mean {near}? "));
    Refusal::new(format!("no algorithm is called {name:?}; {hint}`ringleader list` shows them all"))
}

/// The name that somebody who wrote `name` may have meant.
pub fn nearest(name: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let (distance, near) = names.map(|known| (distance(name, known), known)).min()?;
    (distance <= 2 + near.len() / 3).then_some(near)
}

/// How many characters must be changed, added or dropped to turn one word into another.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_default_sizes_supported() {
        for (i, card) in CARDS.iter().enumerate() {
            assert!(CARDS[..i].iter().all(|other| other.name != card.name), "{} twice", card.name);
            let supported = supports(card.name, &Parameters::new(card.default_size));
            assert_eq!(supported.is_ok(), absent(card.name).is_none(), "{}: {supported:?}", card.name);
        }
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        assert!(unknown("yokota").to_string().contains("yokota-ring"));
        assert!(unknown("fich-johnson").to_string().contains("fich-johnen"));
        assert!(!unknown("zzzzzzzzzzzzzzzzzzzzzzzzzzz").to_string().contains("did you mean"));
    }
}
