//! The outcome of a search for a proof about every number of values.

use super::{EXPRESSION, claim, words};
use crate::Subject;
use ringleader_prove::{ValuesOutcome, ValuesRefutation};
use ringleader_verify::{Automaton, Scheduler};
use serde_json::{Value, json};

/// A set of configurations as a regular expression over the values of processes 1 to n-1.
#[must_use]
pub fn regular(set: &Automaton) -> Option<String> {
    let letters = ["root", "left", "other"].map(String::from);
    words::expression(set, &letters, EXPRESSION)
}

/// The outcome as one JSON object. `parameter` is the name of the number of values.
#[must_use]
pub fn outcome_json(subject: Subject<'_>, parameter: &str, scheduler: Scheduler, outcome: &ValuesOutcome) -> Value {
    let mut value = json!({ "version": 1, "algorithm": subject.card.name, "parameters": subject.given_json(), "scheduler": scheduler });
    value["values"] = parameter.into();
    value["goal"] = "exactly one token".into();
    let failure =
        |found: &ValuesRefutation| json!({ "size": found.size, "values": found.values, "start": found.start });
    match outcome {
        ValuesOutcome::Proved(proof) => {
            let certificate = &proof.certificate;
            value["outcome"] = "proved".into();
            value["claim"] = claim::values(certificate).into();
            value["from"] = certificate.from.into();
            value["fewer"] = certificate.fewer.into();
            value["measures"] = json!(certificate.measures);
            value["safe_words"] = json!(regular(&certificate.safe));
            value["fresh_words"] = json!(regular(&certificate.fresh));
            value["fails_below"] = json!(proof.below.as_ref().map(failure));
        }
        ValuesOutcome::Refuted(found) => {
            value["outcome"] = "refuted".into();
            value["failure"] = failure(found);
        }
        ValuesOutcome::NotProved(why) => {
            value["outcome"] = "not proved".into();
            value["reason"] = why.to_string().into();
        }
    }
    value
}
