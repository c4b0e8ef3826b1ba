//! Rules compiled into tables, and the systems of agents that they make.

mod multisets;
mod system;
mod table;

pub(crate) use multisets::{LED, Multisets};
pub(crate) use system::place;
pub use system::{Leaders, Site, System};
pub(crate) use table::seen;
pub use table::{Change, Table};
