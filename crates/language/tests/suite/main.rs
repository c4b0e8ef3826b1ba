//! Protocols as text: what is right, what is wrong, and what they mean.

mod book;
mod depth;
mod format;
mod mutants;
mod silent;
mod twins;
mod verdicts;
mod wrong;
