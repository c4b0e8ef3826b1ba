//! The algorithms against their papers, rule by rule and by exhaustion of what is small.

mod broken;
mod layers;
mod message;
mod population_rules;
mod ring_rules;
mod robust_rules;
mod robust_settles;
mod s2_exhaustive;
mod s2_quick;
mod s4_exhaustive;
