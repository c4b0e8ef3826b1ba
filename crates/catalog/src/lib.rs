//! The catalog: algorithms by name, as instances that every engine takes.
//!
//! [`Catalog::builtin`] has the algorithms of the literature; anybody adds their own, of any type that has a
//! [`Card`](ringleader_erased::Card) and can be built, and from then on it is as good as a built-in one. Layers go over what
//! they suit, whoever wrote it.
//!
//! ```
//! use ringleader_catalog::{Catalog, Instance};
//! use ringleader_erased::Parameters;
//!
//! let catalog = Catalog::builtin();
//! let Instance::Population(ring) = catalog.instance("yokota-ring", &Parameters::new(8))? else { unreachable!() };
//! assert_eq!(ring.states(), 24 * 9);
//! assert!(catalog.supports("fich-johnen", &Parameters::new(4)).is_err(), "4 is not prime");
//! # Ok::<(), ringleader_erased::Refusal>(())
//! ```

mod begin;
mod builtin;
mod catalog;
mod claims;
pub mod growing;
mod layered;
mod member;
mod near;
mod placed;
pub mod proofs;
mod starts;
mod texts;

pub use begin::{BeginError, Beginning};
pub use catalog::Catalog;
pub use claims::{ClaimError, MOST_IN_EACH, Quantity, WrittenClaim};
pub use near::nearest;
pub use placed::{Placed, stabilizing};
pub use starts::{CountError, counted, with_counts};

use ringleader_simulate::TimedAlgorithm;
use std::sync::Arc;

/// An algorithm of any model, ready for its engines.
pub type Instance = ringleader_erased::Instance<Arc<dyn TimedAlgorithm>>;
