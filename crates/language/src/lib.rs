//! Protocols as text: the notation of the papers, checked, and compiled for the engines of ringleader.
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
//! What is wrong with a text is said with its place, and everything at once:
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
//! The way of a text through the rooms, each knowing only those before it: `syntax` (letters, words, a file as it was written), `meaning` (names and
//! types), `domains` (parameters have values; every value stays where it belongs), `code` (small operations, and what runs them), `build`,
//! `configurations` (what is said of them, judged quickly), `models` (an algorithm of each), `verify` (tried at small sizes), `protocol`. `terms` are
//! expressions from elsewhere, such as a command line.

mod build;
mod card;
mod code;
mod configurations;
mod diagnostic;
mod domains;
mod meaning;
mod models;
mod near;
mod protocol;
mod syntax;
mod terms;
mod verify;

pub use diagnostic::{Diagnostic, Diagnostics, Severity, Span};
pub use domains::layout::State;
pub use meaning::typed::Promise;
pub use models::Instance;
pub use models::message::{Message, TextMessages};
pub use protocol::{Protocol, Source};
pub use syntax::format::format;
pub use syntax::template::template;
pub use terms::{Expression, Terms};
