//! What a protocol says of configurations, and how to judge many of them.

pub(crate) mod around;
pub(crate) mod cells;
pub(crate) mod glance;
pub(crate) mod kinds;
pub(crate) mod look;
pub(crate) mod named_places;
pub(crate) mod predicates;
pub(crate) mod uniform;
