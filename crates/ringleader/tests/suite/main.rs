//! The program, as a user calls it.
// Live processes with time limits have binaries of their own: they must not run beside heavy tests.

mod arguments;
mod claims;
mod commands;
mod daemons;
mod explore;
mod exported;
mod exports;
mod generate;
mod graphs;
mod merge;
mod program;
mod prove;
mod randomized;
mod reproduce;
mod search;
mod simulate;
mod starts;
mod texts;
mod trust;
