//! Searches families of population protocols for those that elect a leader from every configuration.
//!
//! A [`Family`] says how many states an agent has, who meets whom, for which sizes the promise is to hold, and under which
//! schedules. [`discover`] finds all its protocols that keep it, up to renaming of states, and the exact times of the fastest.
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
//! - `table`: a protocol is a table, decided entry by entry, and compared with itself under other names;
//! - `ground`: all configurations of a size up to symmetry, with where every step can lead;
//! - `outlook`: what a table that is decided in part can still become: nothing, something, or only what is wanted;
//! - `walk`: the tree of tables, depth first; `search`: many such walks in turns;
//! - `pace`, `best`: how long a table takes, and the fastest so far; `improve`: what is faster, near one that was found;
//! - `outcome`: the fastest confirmed by the checker, with exact times; `protocol`, `safe`, `text`: as algorithms and as texts.

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

/// The example of the front page is run, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct FrontPage;
