//! Protocols in text, in the notation of the papers: parsed, checked, and compiled for the engines of ringleader.
//!
//! ```
//! use ringleader_erased::Parameters;
//! use ringleader_language::{Instance, Source};
//!
//! let protocol = Source::parse("duel.ring", "
//! protocol duel
//! model population on complete
//! state leader : bit
//! show leader when leader
//! goal one leader
//! first:
//!   1: l.leader and r.leader -> r.leader := 0
//! ").unwrap();
//! let Instance::Population(duel) = protocol.instance(&Parameters::new(3)).unwrap() else { unreachable!() };
//! assert_eq!(duel.states(), 2);
//! ```
//!
//! [`Source::parse`] reports all errors of a text, each with its place:
//!
//! ```
//! use ringleader_language::Source;
//!
//! let wrong = Source::parse("duel.ring", "
//! protocol duel
//! model population on complete
//! state leader : bit
//! show leader when ledaer
//! goal one leader
//! first:
//!   1: l.leader and r.leader -> r.leader := 2
//! ").unwrap_err();
//! assert!(wrong.to_string().contains("did you mean `leader`?"), "{wrong}");
//! ```
//!
//! The modules form a pipeline; each module uses only the modules before it: `syntax` (tokens, syntax tree), `meaning` (names and
//! types), `domains` (parameters have values; every value stays in its domain), `code` (operations and their interpreter), `build`,
//! `configurations` (predicates, evaluated fast), `models` (an algorithm for each model), `verify` (trial at small sizes), `protocol`. `terms` reads
//! expressions from other sources, such as the command line. `keep` holds the texts that outlive a protocol.

mod build;
mod card;
mod code;
mod configurations;
mod diagnostic;
mod domains;
mod keep;
mod meaning;
mod models;
mod near;
mod protocol;
mod syntax;
mod terms;
mod verify;

pub use configurations::regular::{LocalCondition, RegularCondition};
pub use diagnostic::{Diagnostic, Diagnostics, Severity, Span};
pub use domains::layout::State;
pub use protocol::{Protocol, Source};
pub use ringleader_erased::Instance;
pub use syntax::format::format;
pub use syntax::template::template;
pub use terms::{Expression, Terms};
