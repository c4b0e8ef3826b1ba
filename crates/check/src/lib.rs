//! The checker: every configuration of a population protocol or a ring, every schedule of a class, exact numbers.

pub mod alternating;
pub mod bits;
pub mod check;
pub mod closed;
pub mod component;
pub mod counts;
pub mod exact;
pub mod expect;
pub mod failure;
pub mod fold;
pub mod graph;
pub mod lasso;
pub mod longest;
pub mod lying;
pub mod memory;
pub mod multiset;
pub mod recur;
pub mod report;
pub mod space;
pub mod survey;
pub mod sweep;
pub mod system;
pub mod table;
pub mod times;
pub mod together;
pub mod watch;

pub use bits::Bits;
pub use graph::{Edge, Graph, Reversible};
pub use report::{Options, Report};
pub use space::Space;
pub use survey::Survey;
pub use system::System;
pub use table::Table;
pub use watch::{Stop, Watch};
