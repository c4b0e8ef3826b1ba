//! Every robust algorithm settles where all links are timely, from arbitrary states and messages.

use ringleader_algorithms::robust::{s1, s2, s3, s4, s5};
use ringleader_algorithms::{Entry, Parameters};
use ringleader_model::{Timed, corrupt};
use ringleader_simulate::Generator;
use ringleader_simulate::plain::{SimulatedRun, TimedRun};

fn settles<A: Timed + Entry>(given: &[(&str, &str)]) {
    settles_up_to::<A>(9, given);
}

fn settles_up_to<A: Timed + Entry>(largest: usize, given: &[(&str, &str)]) {
    for (size, seed) in (2..=largest).flat_map(|size| (0..10).map(move |seed| (size, seed))) {
        let parameters = given.iter().fold(Parameters::new(size), |p, (name, value)| p.with(*name, *value));
        let algorithm = A::build(&parameters).unwrap();
        let mut coin = Generator::stream(seed, size as u64);
        let states = (0..size).map(|_| corrupt::arbitrary(&algorithm, &mut coin)).collect();
        let mut run = TimedRun::new(&algorithm, states, 2, coin);
        let reached = run.run_until_reached(1_000_000);
        assert!(reached.is_some(), "{} {given:?} size {size} seed {seed}: {:?}", A::CARD.name, run.followed());
    }
}

#[test]
fn s5_settles() {
    settles::<s5::RobustS5>(&[]);
    settles::<s5::RobustS5>(&[("pace", "fast")]);
}

#[test]
fn s4_settles() {
    settles::<s4::RobustS4>(&[]);
    settles::<s4::RobustS4>(&[("pace", "fast")]);
}

#[test]
fn s3_settles_in_both_forms() {
    settles_up_to::<s3::RobustS3>(4, &[]);
    settles_up_to::<s3::RobustS3>(7, &[("form", "aggregated")]);
}

#[test]
fn s2_settles() {
    settles::<s2::RobustS2>(&[]);
    settles::<s2::RobustS2>(&[("pace", "fast")]);
}

#[test]
fn s1_settles() {
    settles::<s1::RobustS1>(&[]);
}
