//! One module per verb. `left_out.rs` stands in for a verb whose feature is off, and names that feature.

pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod draw;
pub(crate) mod elect;
pub(crate) mod explore;
#[cfg_attr(not(feature = "lab"), path = "verbs/left_out.rs")]
pub(crate) mod lab;
pub(crate) mod list;
pub(crate) mod merge;
pub(crate) mod prove;
pub(crate) mod reproduce;
#[cfg_attr(not(feature = "search"), path = "verbs/left_out.rs")]
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod simulate;
pub(crate) mod text;
pub(crate) mod watch;
