//! Tests of protocols in text: accepted texts, errors, and meaning.

mod book;
mod depth;
mod format;
mod graphs;
mod mutants;
mod ranges;
mod silent;
mod tosses;
mod twins;
mod verdicts;
mod wrong;
