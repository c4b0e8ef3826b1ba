//! Predicates on configurations, and fast ways to evaluate them on many configurations.

pub(crate) mod alone;
pub(crate) mod cells;
pub(crate) mod counted;
pub(crate) mod kinds;
pub(crate) mod knowledge;
pub(crate) mod lookup;
pub(crate) mod named_places;
pub(crate) mod predicates;
pub(crate) mod queries;
pub(crate) mod regular;
pub(crate) mod tables;
pub(crate) mod uniform;
pub(crate) mod values;
pub(crate) mod visible;
