//! Searches families of population protocols for those that elect a leader from every configuration.
//!
//! A [`Family`] gives the number of states of an agent, the communication graph, the sizes for which the promise must
//! hold, and the schedules. [`discover`] finds all protocols of the family that keep the promise, up to renaming of
//! states, and the exact times of the fastest.
//!
//! ```
//! use ringleader_search::{Family, Options, Topology, Control, discover};
//!
//! // Two states on complete graphs, with a perfect leader detector: among others, the protocol of Fischer and Jiang.
//! let family = Family::new(2, Topology::Complete, &[2, 3, 4]).with_detector();
//! let outcome = discover(&family, &Options::default(), &Control::default())?;
//! assert!(outcome.counts.complete);
//! assert_eq!(outcome.counts.protocols, 8);
//!
//! // Without a detector there is none on rings.
//! let family = Family::new(2, Topology::DirectedRing, &[3]);
//! let outcome = discover(&family, &Options::default(), &Control::default())?;
//! assert!(outcome.counts.complete && outcome.found.is_empty());
//! # Ok::<(), ringleader_search::Trouble>(())
//! ```
//!
//! # How it works
//!
//! - `table`: a protocol as a table, decided entry by entry, and its comparison with renamed tables;
//! - `ground`: all configurations of a size up to symmetry, with all possible targets of every step;
//! - `outlook`: whether none, some or all completions of a partial table keep the promise;
//! - `walk`: the tree of tables, depth first; `search`: many such walks in turns;
//! - `pace`, `best`: the time of a table, and the fastest so far; `improve`: local improvement of a table;
//! - `outcome`: the fastest, confirmed by the checker, with exact times; `protocol`, `safe`, `text`: results as
//!   algorithms and as texts.

mod best;
mod family;
mod ground;
mod improve;
mod outcome;
mod outlook;
mod pace;
mod protocol;
mod safe;
mod search;
mod table;
mod text;
mod walk;

pub use family::{BadFamily, Family, Topology};
pub use outcome::{Found, Outcome, Time, Trouble, discover};
pub use protocol::{Line, Protocol};
pub use search::{Control, Counts, Options};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct FrontPage;
