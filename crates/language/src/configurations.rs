//! Predicates on configurations, and fast ways to evaluate them on many configurations.

pub(crate) mod around;
pub(crate) mod cells;
pub(crate) mod glance;
pub(crate) mod kinds;
pub(crate) mod look;
pub(crate) mod named_places;
pub(crate) mod predicates;
pub(crate) mod uniform;
