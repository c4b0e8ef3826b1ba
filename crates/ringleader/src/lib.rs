//! Leader election that heals itself, under one roof: the algorithms of the literature, each written once, to check, to
//! simulate and to run; and a place for one's own.
//!
//! | module | what for |
//! | --- | --- |
//! | [`model`] | what a state, a rule, a graph and a configuration are: the traits that an algorithm implements |
//! | [`erased`] | algorithms as values, and the card that says what one needs and promises |
//! | [`algorithms`] | those of the literature, one file each |
//! | [`catalog`] | all of them by name, and anybody's beside them |
//! | [`language`] | protocols as text |
//! | [`check`] | every configuration, every schedule: a verdict, exact numbers, a counterexample |
//! | [`explore`] | every reachable state of message passing |
//! | [`simulate`] | thousands of runs, fast; hostile networks |
//! | [`report`] | what they find, as text, JSON, traces, plots and pictures |
//! | [`fleet`] | a cluster of nodes in one process, over a network that can be broken |
//! | [`lab`] | a page to run, steer, break and check them in |
//! | [`prove`], [`verify`] | proofs for every ring size, and an independent checker of them |
//! | [`search`] | all protocols of a family that elect a leader, the fastest first |
//! | [`node`] | one leader among real machines, over UDP |
//!
//! Features, all on by default: `libraries` (all modules; without it [`model`], [`erased`], [`algorithms`] and [`node`] remain), `daemon` (the program
//! with the verb `node` alone), `cli` (every verb). With the feature `cli`, [`Cli`] is the whole command line over a catalog of one's own:
//!
//! ```no_run
//! # #[cfg(feature = "cli")] {
//! # use ringleader::algorithms::population::yokota_ring::YokotaRing as Mine;
//! ringleader::Cli::new().population::<Mine>().main();
//! # }
//! ```

pub use ringleader_algorithms as algorithms;
#[cfg(feature = "libraries")]
pub use ringleader_catalog as catalog;
#[cfg(feature = "libraries")]
pub use ringleader_check as check;
pub use ringleader_erased as erased;
#[cfg(feature = "libraries")]
pub use ringleader_explore as explore;
#[cfg(feature = "libraries")]
pub use ringleader_fleet as fleet;
#[cfg(feature = "libraries")]
pub use ringleader_lab as lab;
#[cfg(feature = "libraries")]
pub use ringleader_language as language;
pub use ringleader_model as model;
pub use ringleader_node as node;
#[cfg(feature = "libraries")]
pub use ringleader_prove as prove;
#[cfg(feature = "libraries")]
pub use ringleader_report as report;
#[cfg(feature = "search")]
pub use ringleader_search as search;
#[cfg(feature = "libraries")]
pub use ringleader_simulate as simulate;
#[cfg(feature = "libraries")]
pub use ringleader_verify as verify;

#[cfg(feature = "libraries")]
pub use ringleader_catalog::{Catalog, Instance};
#[cfg(feature = "cli")]
pub use ringleader_cli::Cli;
