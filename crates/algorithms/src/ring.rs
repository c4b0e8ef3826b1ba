//! Unidirectional rings with composite atomicity.

pub mod alternator;
pub mod burns_pachl;
pub mod fich_johnen;
pub mod fich_johnen_token;
pub mod gouda_haddix;
pub mod stack;

use crate::{Card, Kind, Parameters, Refusal, Topology};

/// The card of an algorithm for rings of prime size, as far as several have it in common.
const ON_PRIME_RINGS: Card = Card {
    kind: Kind::Ring,
    topology: Topology::DirectedRing,
    sizes: "prime n",
    knowledge: "the size n",
    default_size: 13,
    ..Card::BLANK
};

/// The size of a ring. Refuses rings of fewer than `least` or more than 2^24 processes.
fn ring_size(least: usize, name: &str, p: &Parameters) -> Result<u32, Refusal> {
    if (least..=1 << 24).contains(&p.size) {
        return Ok(p.size as u32);
    }
    Err(Refusal::new(format!("{name} needs a ring of {least} to 2^24 processes, not {}", p.size)))
}

/// Refuses rings of composite size, on which equally spaced processes can stay symmetric for ever.
fn prime(name: &str, size: usize, place: &str) -> Result<(), Refusal> {
    match (2..).take_while(|f| f * f <= size).find(|f| size.is_multiple_of(*f)) {
        None => Ok(()),
        Some(factor) => Err(Refusal::new(format!(
            "{name} needs a prime ring size, and {size} = {factor} * {}: equally spaced processes can stay symmetric for \
             ever{place}",
            size / factor
        ))),
    }
}
