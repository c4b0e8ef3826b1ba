//! The lab: a page to run, steer, break and check ringleader's algorithms in, and the answers to its requests.
//!
//! The engines keep no state of a page: it sends the run that it shows (an algorithm, a seed, the acts of the viewer), and [`Engines::answer`] returns
//! the answer. This crate does no I/O, reads no clock and starts no thread: a [`Host`] does. So the server of a machine and the worker of a
//! browser give the same answers.
//!
//! The modules: `runs` (setups and frames), `questions` (checks, measurements, facts), `attended` (work that ends when nobody waits), `engines`
//! (requests and answers) and `page` (the files of the browser).

mod attended;
mod engines;
mod host;
pub mod page;
mod questions;
mod runs;

pub use attended::Attended;
pub use engines::{Engines, told};
pub use host::{Host, Opening, Work};
pub use runs::recorded::Recording;
pub use runs::setup::{AskedStart, Setup};

/// Why the lab does not do what a page asks for, in words for its reader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

impl Refused {
    /// A refusal with this reason.
    pub fn new(reason: impl std::fmt::Display) -> Refused {
        Refused(reason.to_string())
    }
}

impl From<ringleader_erased::Refusal> for Refused {
    fn from(refusal: ringleader_erased::Refusal) -> Refused {
        Refused::new(refusal)
    }
}

impl From<serde_json::Error> for Refused {
    fn from(error: serde_json::Error) -> Refused {
        Refused(format!("the request of the page cannot be read: {error}"))
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct FrontPage;
