//! The results of ringleader's engines as text, JSON, traces, plots, pictures and animations.
//!
//! A report takes the plain results of an engine and writes them, or returns them as a value. It runs nothing, reads
//! nothing and knows no command line.
//!
//! | module | content |
//! | --- | --- |
//! | [`check`] | a check of all configurations |
//! | [`curve`] | the probability of a goal within t steps |
//! | [`messages`] | a check of an algorithm that passes messages |
//! | [`exploration`] | the reachable states, counted |
//! | [`export`] | state spaces for other tools |
//! | [`proof`] | a search for a proof |
//! | [`experiment`] | many runs, their statistics and their law of growth |
//! | [`campaign`] | many runs in a hostile network |
//! | `discovery` | a search for protocols (feature `search`) |
//! | [`spacetime`] | one run as a picture or an animation |
//! | [`chart`] | one run of message passing as a message-sequence chart |
//! | [`ring`], [`step`] | a ring, or one step of a run, on one line |
//! | [`plot`], [`canvas`] | the parts of pictures |
//! | [`bibtex`] | the citation of an algorithm |
//! | [`number`] | readable numbers |
//! | [`json`] | objects with fields that may be absent |
//!
//! ```
//! use ringleader_model::Marks;
//!
//! println!("{}", ringleader_report::ring::line(&[Marks::LEADER, Marks::NONE, Marks::NONE], None, 80));
//! ```

pub mod bibtex;
pub mod campaign;
pub mod canvas;
pub mod chart;
pub mod check;
pub mod curve;
#[cfg(feature = "search")]
pub mod discovery;
pub mod experiment;
pub mod exploration;
pub mod export;
pub mod json;
pub mod loose;
pub mod messages;
pub mod number;
pub mod plot;
pub mod proof;
pub mod ring;
pub mod spacetime;
pub mod step;
mod subject;

pub use subject::{OWN_STEPS, Subject};

/// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct FrontPage;
