//! What several verbs let one say, each read in one place: the algorithm and its parameters, where it starts, on which graph,
//! at which sizes, with how much memory.

mod algorithm;
mod company;
pub(crate) mod forecast;
pub(crate) mod graph;
mod limits;
pub(crate) mod memory;
mod parameters;
pub(crate) mod reading;
mod refusals;
mod seed;
pub(crate) mod sizes;
mod start;

pub(crate) use algorithm::{OracleKind, Setup};
pub(crate) use company::{Company, CompanyArguments};
pub(crate) use limits::Limits;
pub(crate) use parameters::{ParameterArguments, with_parameters};
pub(crate) use refusals::{refuse, refuse_absent, refuse_flawed};
pub(crate) use seed::fresh_seed;
pub(crate) use start::Start;
