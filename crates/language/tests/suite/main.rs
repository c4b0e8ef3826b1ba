//! Tests of protocols in text: accepted texts, errors, and meaning.

mod book;
mod counts;
mod depth;
mod format;
mod graphs;
mod mutants;
mod partners;
mod places;
mod ranges;
mod silent;
mod tosses;
mod twins;
mod verdicts;
mod wrong;
