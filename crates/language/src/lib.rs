//! Protocols as text: the notation of the papers, checked, and compiled for the engines of ringleader.
//!
//! ```
//! use ringleader_instance::Parameters;
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

mod analyse;
mod analyse_claims;
mod analyse_declared;
mod analyse_model;
mod analyse_rules;
mod around;
mod ast;
mod bounds;
mod branch;
mod build;
mod card;
mod cells;
mod code;
mod compile;
mod compile_quantifiers;
mod compile_rules;
mod diagnostic;
mod fold;
mod format;
mod glance;
mod infinite;
mod kinds;
mod large;
mod layout;
mod look;
mod machine;
mod message;
mod named_places;
mod near;
mod parse;
mod parse_expr;
mod parse_items;
mod parse_rules;
mod population;
mod predicates;
mod protocol;
mod residual;
mod resolve;
mod resolve_name;
mod ring;
mod scope;
mod seen;
mod specialise;
mod sweep;
mod template;
mod terms;
mod token;
mod typed;
mod uniform;
mod unread;
mod verify;

pub use diagnostic::{Diagnostic, Diagnostics, Severity, Span};
pub use format::format;
pub use layout::State;
pub use message::{Message, TextMessages};
pub use protocol::{Instance, Promise, Protocol, Source};
pub use template::template;
pub use terms::{Expression, Terms};
