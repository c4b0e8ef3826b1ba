//! The search for protocols against plain enumeration, and against what is known.

mod every_table;
mod facts;
mod support;
mod texts;
mod twin;
