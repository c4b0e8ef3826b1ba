//! The explorer against the papers, and against itself in its other ways.

mod flaws;
mod places;
mod probabilities;
mod quotients;
mod sets;
mod spread;
mod tables;
