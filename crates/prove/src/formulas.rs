//! What can be said of an agent and its neighbours, and what it comes to.

pub(crate) mod atoms;
pub(crate) mod evaluate;
pub(crate) mod expr;
