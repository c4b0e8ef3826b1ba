//! Population protocols.

pub mod angluin_ring;
pub mod chen_chen;
pub mod fischer_jiang_complete;
pub mod fischer_jiang_ring;
pub mod layers;
pub mod ring_orientation;
pub mod token_circulation;
pub mod yokota_ring;

use crate::{Card, Kind, Parameters, Refusal, Topology};

const YOKOTA_TABLE_1: &str = "D. Yokota, Y. Sudo, T. Masuzawa, IEICE Trans. Fundamentals E104-A(12), 2021, Table 1";

/// The card of a protocol for directed rings, as far as several have it in common.
const ON_DIRECTED_RINGS: Card =
    Card { kind: Kind::Population, topology: Topology::DirectedRing, default_size: 16, ..Card::BLANK };

/// Refuses fewer agents than a protocol needs.
fn at_least(least: usize, card: &Card, p: &Parameters, why: &str) -> Result<(), Refusal> {
    if p.size >= least {
        return Ok(());
    }
    Err(Refusal::new(format!("{} needs n >= {least}, not {}: {why}", card.name, p.size)))
}
