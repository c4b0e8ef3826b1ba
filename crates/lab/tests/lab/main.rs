//! The lab over its own wire, as a page speaks to it.

mod browser;
mod refusals;
mod stories;
