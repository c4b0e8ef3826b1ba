//! Rules compiled into tables, and the systems of agents that they make.

mod multisets;
mod system;
mod table;

pub(crate) use multisets::{LED, Multisets};
pub(crate) use system::place;
pub use system::{Marked, Site, System};
pub use table::{Change, Table};
pub(crate) use table::{common, seen};
