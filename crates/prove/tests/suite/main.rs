//! Proofs that the search finds, claims that it must not prove, and brute force on both.

mod assumptions;
#[path = "../../../verify/tests/suite/brute.rs"]
#[allow(dead_code)]
mod brute;
#[path = "../../../verify/tests/suite/choices.rs"]
#[allow(dead_code)]
mod choices;
mod daemons;
#[path = "../../../verify/tests/suite/dice.rs"]
#[allow(dead_code)]
mod dice;
mod drawn;
mod ends;
mod families;
mod instances;
mod mutants;
mod proofs;
#[path = "../../../verify/tests/suite/quick.rs"]
mod quick;
mod random;
mod recurring;
#[path = "../../../verify/tests/suite/subjects.rs"]
#[allow(dead_code)]
mod subjects;
mod tables;
mod values;
