//! What ringleader's engines find, for people and for programs: text, JSON, traces, plots, pictures and animations.
//!
//! A report takes plain results, which an engine returned, and writes them or makes a value of them; it runs nothing, reads
//! nothing and knows no command line.
//!
//! | module | what it shows |
//! | --- | --- |
//! | [`check`] | a check of all configurations |
//! | [`messages`] | a check of an algorithm that passes messages |
//! | [`exploration`] | the reachable states, counted |
//! | [`export`] | state spaces for other tools |
//! | [`experiment`] | many runs, their statistics and their law of growth |
//! | [`campaign`] | many runs in a hostile network |
//! | [`spacetime`] | one run as a picture or an animation |
//! | [`chart`] | one run of message passing as a message-sequence chart |
//! | [`ring`], [`step`] | a ring, or one step of a run, on one line |
//! | [`plot`], [`canvas`] | what pictures are made of |
//! | [`number`] | numbers for people |
//!
//! ```
//! use ringleader_model::Marks;
//!
//! println!("{}", ringleader_report::ring::line(&[Marks::LEADER, Marks::NONE, Marks::NONE], None, 80));
//! ```

pub mod campaign;
pub mod canvas;
pub mod chart;
pub mod check;
pub mod experiment;
pub mod exploration;
pub mod export;
pub mod messages;
pub mod number;
pub mod plot;
pub mod ring;
pub mod spacetime;
pub mod step;
mod subject;

pub use subject::{OWN_STEPS, Subject};

/// The example of the front page is run, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct FrontPage;
