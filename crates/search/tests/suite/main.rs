//! The search for protocols against plain enumeration, and against known results.

mod every_table;
mod facts;
mod support;
mod texts;
mod twin;
