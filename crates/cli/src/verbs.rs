//! One room per verb.

pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod draw;
pub(crate) mod elect;
pub(crate) mod explore;
pub(crate) mod lab;
pub(crate) mod list;
pub(crate) mod merge;
pub(crate) mod prove;
pub(crate) mod reproduce;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod simulate;
pub(crate) mod text;
pub(crate) mod watch;
