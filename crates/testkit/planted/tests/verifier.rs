//! Each bug planted in the verifier makes it accept a false certificate, or refuse a true one.
#![allow(dead_code, unused_imports, missing_docs, unreachable_pub)]

// The test's certificates are written against the crate's public interface.
extern crate self as ringleader_verify;

include!(concat!(env!("OUT_DIR"), "/verify/lib.rs"));

#[path = "../../../verify/tests/suite/certificates.rs"]
mod certificates;
#[path = "../../../verify/tests/suite/values.rs"]
mod growing;
#[path = "../../../verify/tests/suite/helpers.rs"]
mod helpers;
#[path = "../../../verify/tests/suite/subjects.rs"]
mod subjects;
#[path = "common/switch.rs"]
mod switch;
#[path = "../../../verify/tests/suite/traps.rs"]
mod traps;

use switch::{planted, with};

/// The bug that the certificates about rings cannot show.
const ON_COMPLETE_GRAPHS: &str = "cutoff";

#[test]
fn each_planted_bug_is_caught() {
    assert_eq!(BUGS.len(), 70);
    let (suite, traps, helpers) = (certificates::suite(), traps::traps(), helpers::helpers());
    // One mistake is enough, so the search ends at the first.
    let wrong = || {
        suite.iter().any(|(certificate, _, holds)| verify(certificate).is_ok() != *holds)
            || traps::misjudged(&traps) + helpers::misjudged(&helpers) > 0
    };
    assert!(!wrong());
    for &(bug, description) in BUGS.iter().filter(|(bug, _)| *bug != ON_COMPLETE_GRAPHS && !bug.starts_with(GROWING)) {
        assert!(with(bug, wrong), "not caught: {description}");
    }
}

/// How the names of the bugs begin that only certificates about every number of values show.
const GROWING: &str = "values-";

#[test]
fn each_planted_bug_with_growing_values_is_caught() {
    let suite = growing::suite();
    assert_eq!(growing::mistake(&suite), None);
    for &(bug, description) in BUGS.iter().filter(|(bug, _)| bug.starts_with(GROWING)) {
        let found = with(bug, || growing::mistake(&suite));
        println!("{bug}: {found:?}");
        assert!(found.is_some(), "not caught: {description}");
    }
}

#[test]
fn a_cutoff_that_is_too_low_is_caught() {
    assert!(verify_complete(&certificates::crowd(7)).is_err());
    assert!(with(ON_COMPLETE_GRAPHS, || verify_complete(&certificates::crowd(7))).is_ok());
}
