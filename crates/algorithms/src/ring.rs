//! Unidirectional rings with composite atomicity.

pub mod fich_johnen;
