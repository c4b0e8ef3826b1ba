//! The lab over its own wire, as a page speaks to it.

mod browser;
mod knowing;
mod refusals;
mod stories;
