//! Arguments that several verbs share: the algorithm and its parameters, its start, its graph, its sizes, and the limits of
//! memory and threads.

mod algorithm;
mod company;
mod device;
pub(crate) mod election;
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
pub(crate) use device::DeviceArguments;
#[cfg(feature = "cuda")]
pub(crate) use device::needs_cpu;
#[cfg(feature = "lab")]
pub(crate) use limits::gib;
pub(crate) use limits::{Limits, Threads};
pub(crate) use parameters::{ParameterArguments, with_parameters};
pub(crate) use refusals::{first_given, refuse, refuse_absent, refuse_flawed};
pub(crate) use seed::fresh_seed;
pub(crate) use start::{Start, wrong_condition};
