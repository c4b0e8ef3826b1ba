//! A small, independent checker of proofs that an algorithm stabilizes on *every* ring, not only on those that were tried.
//!
//! A [`Certificate`] holds the algorithm as a table of moves, a regular set of safe configurations, and measures. [`verify`]
//! decides with finite automata, for all sizes at once, that safe configurations keep the promise for ever, and that
//! outside of them the measures fall: on some step (enough under global fairness), on every step (under the unfair daemon), or on the steps
//! of agents that stay enabled until then (enough under weak fairness).
//! How it was found does not matter. docs/proving.md has the argument and the format.
//!
//! A ring whose top raises its bit, if it has not yet; all others have none:
//!
//! ```
//! use ringleader_verify::{Certificate, Claim, Rejection, verify};
//!
//! let mut certificate = Certificate::from_json(r#"{
//!     "version": 1,
//!     "subject": "raise",
//!     "rules": {
//!         "states": ["0", "1"],
//!         "variables": [{"name": "y", "size": 2, "values": [0, 1]}],
//!         "rules": ["raise"],
//!         "moves": [{"rule": 0, "place": "top", "own": [0, 1]}],
//!         "possible": {"bottom": [0], "middle": [0], "top": [0, 1]},
//!         "goal": {"exactly-one": {"of": ["y"], "stays": true}}
//!     },
//!     "sizes": {"from": 2, "modulus": 1, "residues": [0]},
//!     "scheduler": "unfair",
//!     "safe": {"start": 0, "accepting": [1], "next": [[0, 1], [null, null]]},
//!     "measures": ["C:!y"]
//! }"#).unwrap();
//! assert!(verify(&certificate).is_ok());
//!
//! certificate.measures = vec!["C:y".into()];
//! assert_eq!(verify(&certificate), Err(Rejection::Fails(Claim::EveryFalls, vec![0, 0], Some(vec![0, 1]))));
//! ```

mod automaton;
mod certificate;
mod check;
mod complete;
mod copies;
mod daemon;
mod failure;
mod fairness;
mod formula;
mod meaning;
mod measure;
mod reading;
mod recurring;
mod rejection;
mod ring;
mod rounds;
mod rules;
mod steps;
mod turns;
mod values;

pub use automaton::in_time;
pub use certificate::{
    Automaton, Certificate, Coins, CompleteCertificate, FailureCertificate, Graphs, Range, Recurring, Scheduler, Sizes,
    Turn,
};
pub use check::verify;
pub use complete::verify_complete;
pub use failure::verify_failure;
pub use formula::{Formula, Measure};
pub use reading::Value;
pub use rejection::{Claim, Malformed, Rejection};
pub use rules::{Cell, Goal, Mark, Move, Place, Possible, Rules, State, Toss, Variable, Window};
pub use values::{Takes, ValueMove, ValueRules, ValueWindow, ValuesCertificate, others_stop, verify_values};
