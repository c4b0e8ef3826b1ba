//! The outcome of a search for a proof: the claim in words, the safe set as a regular expression, and JSON.

pub mod claim;
pub mod values;
pub mod words;

use crate::Subject;
use crate::json::OptionalFields as _;
use ringleader_prove::{Outcome, Proof, Recurrence, Remainder};
use ringleader_verify::{Coins, CompleteCertificate, FailureCertificate, Rules, Scheduler, State};
use serde_json::{Value, json};

/// The longest regular expression that is printed.
pub const EXPRESSION: usize = 400;

/// The checker's verdict on a size below those of a proof; under local fairness with the schedules that it is about.
pub type Smaller = (usize, bool, Option<&'static str>);

/// The outcome for rings or lines as one JSON object. `below` has the sizes below those of the proof.
#[must_use]
pub fn ring_json(
    subject: Subject<'_>,
    rules: &Rules,
    (fairness, coins): (Scheduler, Coins),
    outcome: &Outcome,
    below: &[Smaller],
) -> Value {
    let mut value = common(subject, outcome);
    value["parameters"] = subject.given_json().into();
    value["scheduler"] = json!(fairness);
    // Under global fairness all outcomes of coins are alike.
    let matter = fairness != Scheduler::GloballyFair && !rules.tosses.is_empty();
    value["coins"] = json!(matter.then_some(coins));
    value["goal"] = claim::goal(rules).into();
    match outcome {
        Outcome::Proved(proof) => details(&mut value, proof, below),
        Outcome::Refuted(refutation) => {
            value["start"] = names(rules, &refutation.start);
            value["family"] = refutation.family.as_deref().map_or(Value::Null, family_json);
            value["family_cut_short"] = refutation.cut_short.into();
        }
        Outcome::ArcsFail(failure) => {
            value["arcs_fail"] = json!({ "size": failure.size, "comes_back_to": names(rules, &failure.comes_back_to) });
        }
        Outcome::NotProved(left) => {
            value["solved"] = json!([left.solved, left.of]);
            value["open"] = open_json(rules, left);
        }
        _ => {}
    }
    value
}

/// A failure at every size of a class.
fn family_json(family: &FailureCertificate) -> Value {
    json!({
        "claim": claim::failure(family),
        "sizes": family.sizes,
        "trap_states": family.trap.next.len(),
        "measures": family.measures,
        "turns": family.turns,
        "trap_words": words::regular(&family.trap, &family.rules, EXPRESSION),
    })
}

/// The outcome for a recurring condition as one JSON object.
#[must_use]
pub fn recurrence_json(rules: &Rules, condition: &str, outcome: &Recurrence) -> Value {
    let mut value = json!({ "condition": condition });
    match outcome {
        Recurrence::Proved(certificate) => {
            value["outcome"] = "proved".into();
            value["measures"] = json!(certificate.recurring.as_ref().map(|recurring| &recurring.measures));
        }
        Recurrence::Fails(starvation) => {
            value["outcome"] = "refuted".into();
            value["size"] = starvation.size.into();
            value["start"] = names(rules, &starvation.start);
            value["agent"] = starvation.agent.into();
        }
        Recurrence::NotProved(left) => {
            value["outcome"] = "not proved".into();
            value["holds_up_to"] = left.holds_up_to.into();
            value["solved"] = json!([left.solved, left.of]);
            value["open"] = open_json(rules, left);
        }
    }
    value
}

/// A configuration or step that the search left open; null if there is none.
fn open_json(rules: &Rules, left: &Remainder) -> Value {
    let Some(open) = &left.open else { return Value::Null };
    let after = open.after.as_deref().map(|after| names(rules, after));
    json!({ "before": names(rules, &open.before), "after": after, "waits": open.waits })
}

/// The states of a configuration by their names.
fn names(rules: &Rules, states: &[State]) -> Value {
    states.iter().map(|&state| &*rules.states[usize::from(state)]).collect()
}

/// The outcome for complete graphs as one JSON object.
#[must_use]
pub fn complete_json(subject: Subject<'_>, outcome: &Outcome<CompleteCertificate>) -> Value {
    let mut value = common(subject, outcome);
    value["graph"] = "complete".into();
    if let Outcome::Proved(certificate) = outcome {
        value["claim"] = claim::complete(certificate).into();
        value["goal"] = claim::goal(&certificate.rules).into();
        value["scheduler"] = json!(certificate.scheduler);
        value["from"] = certificate.from.into();
        value["measures"] = json!(certificate.measures);
        value["safe"] = json!(certificate.safe);
    }
    value
}

/// The outcome, without the data of a proof.
fn common<P>(subject: Subject<'_>, outcome: &Outcome<P>) -> Value {
    let mut value = json!({ "version": 1, "algorithm": subject.card.name });
    value["outcome"] = match outcome {
        Outcome::Proved(_) => "proved",
        Outcome::Refuted(_) => "refuted",
        Outcome::SafeSetNotFound(_) => "safe set not found",
        Outcome::NothingLasts(_) => "no set found in which leaders last",
        Outcome::HintsRejected(_) => "hints rejected",
        Outcome::NotProved(_) | Outcome::ArcsFail(_) => "not proved",
    }
    .into();
    match outcome {
        Outcome::Refuted(refutation) => value["size"] = refutation.size.into(),
        Outcome::HintsRejected(why) => value["reason"] = why.to_string().into(),
        Outcome::NotProved(left) => value["holds_up_to"] = left.holds_up_to.into(),
        Outcome::ArcsFail(failure) => value["holds_up_to"] = failure.holds_up_to.into(),
        _ => {}
    }
    value
}

/// Adds the data of a proof about rings.
fn details(value: &mut Value, proof: &Proof, below: &[Smaller]) {
    let certificate = &proof.certificate;
    value["claim"] = claim::ring(certificate, None).into();
    value["from"] = certificate.sizes.from.into();
    value["sizes"] = json!(certificate.sizes);
    value["measures"] = json!(certificate.measures);
    value["helpful"] = json!(certificate.helpful);
    value["safe_states"] = certificate.safe.next.len().into();
    value["lies"] = certificate.lasting.is_some().into();
    value["exact_at"] = json!(proof.exact_at);
    value["safe_words"] = json!(words::regular(&certificate.safe, &certificate.rules, EXPRESSION));
    value["examples"] = json!(proof.examples);
    let smaller =
        |(size, holds, level): &Smaller| json!({ "size": size, "holds": holds }).with("fairness_level", *level);
    value["below"] = below.iter().map(smaller).collect();
}
