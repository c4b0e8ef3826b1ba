//! Formulas about an agent and its neighbours, and their values.

pub(crate) mod atoms;
pub(crate) mod evaluate;
pub(crate) mod expr;
