//! Texts as algorithms of each model.

pub(crate) mod message;
pub(crate) mod population;
pub(crate) mod ring;
