//! Population protocols.

pub mod fischer_jiang_complete;
pub mod fischer_jiang_ring;
pub mod yokota_ring;
