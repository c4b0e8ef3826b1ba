//! The lab over its own wire, as a page speaks to it.

mod browser;
mod honest;
mod knowing;
mod refusals;
mod stories;
mod verifying;
mod waiting;
