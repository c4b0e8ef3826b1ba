//! The checker of certificates against brute force.

mod agreement;
mod brute;
mod certificates;
mod choices;
mod complete;
mod daemon;
mod dice;
mod failures;
mod fairness;
mod helpers;
#[allow(dead_code)]
mod quick;
mod recurring;
#[allow(dead_code)]
mod subjects;
mod traps;
mod turns;
mod values;
mod vectors;
