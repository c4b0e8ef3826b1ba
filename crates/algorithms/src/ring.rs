//! Unidirectional rings with composite atomicity.

pub mod alternator;
pub mod burns_pachl;
pub mod fich_johnen;
pub mod fich_johnen_token;
pub mod gouda_haddix;
pub mod stack;

use crate::Refusal;

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
