//! Population protocols.

pub mod angluin_ring;
pub mod chen_chen;
pub mod fischer_jiang_complete;
pub mod fischer_jiang_ring;
pub mod layers;
pub mod ring_orientation;
pub mod token_circulation;
pub mod yokota_ring;

const YOKOTA_TABLE_1: &str = "D. Yokota, Y. Sudo, T. Masuzawa, IEICE Trans. Fundamentals E104-A(12), 2021, Table 1";
