//! The explorer against the papers, and its variants against each other.

mod flaws;
mod places;
mod probabilities;
mod quotients;
mod sets;
mod spread;
mod tables;
