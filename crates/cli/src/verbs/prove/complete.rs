//! Proofs for complete graphs of every size.

use super::{Arguments, Fairness, claim, rules, text, watched, write};
use crate::catalog;
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED};
use crate::terminal::program::program;
use ringleader_erased::Card;
use ringleader_prove::{CompleteOutcome, prove_complete};
use ringleader_verify::{CompleteCertificate, Range};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

pub(super) fn run(arguments: &Arguments, card: &Card, fairness: Fairness, lies: bool) -> Result<ExitCode, Failure> {
    for (flag, given) in [
        ("--hints", arguments.hints.is_some()),
        ("--multiple-of", arguments.multiple_of.is_some()),
        ("--not-multiple-of", arguments.not_multiple_of.is_some()),
        ("--oracle eventually-correct", lies),
    ] {
        if given {
            return Err(Failure::usage(format!(
                "{flag} is for proofs about rings, and {} is for complete graphs",
                card.name
            )));
        }
    }
    let from = arguments.from.unwrap_or_else(|| super::least(card, arguments));
    let rules = rules::complete(catalog(), card, &arguments.setup.at(from.min(super::LARGEST_FROM)))?;
    let outcome =
        watched(arguments.budget, |options| prove_complete(&arguments.subject(card), &rules, from, fairness, options))?;
    let mut out = anstream::stdout().lock();
    if let (CompleteOutcome::Proved(certificate), Some(path)) = (&outcome, &arguments.certificate) {
        let certificate = CompleteCertificate { text: text(card), ..certificate.as_ref().clone() };
        write(path, &certificate.to_json())?;
    }
    if arguments.json {
        writeln!(out, "{}", as_json(card, &outcome))?;
    } else {
        tell(&mut out, arguments, card, &outcome)?;
    }
    Ok(match outcome {
        CompleteOutcome::Proved(_) => ExitCode::SUCCESS,
        CompleteOutcome::Refuted(_) => ExitCode::from(FAILS),
        CompleteOutcome::NotProved(left) => ExitCode::from(if left.cancelled { INTERRUPTED } else { 2 }),
    })
}

fn tell(out: &mut impl Write, arguments: &Arguments, card: &Card, outcome: &CompleteOutcome) -> Result<(), Failure> {
    match outcome {
        CompleteOutcome::Proved(certificate) => {
            writeln!(out, "proved: {}", claim::complete(certificate))?;
            writeln!(out, "  promise       for ever, {}", claim::goal(&certificate.rules))?;
            for (i, part) in safe(certificate).iter().enumerate() {
                writeln!(out, "  {}  {part}", if i == 0 { "safe set    " } else { "          or" })?;
            }
            for (i, measure) in certificate.measures.iter().enumerate() {
                writeln!(out, "  {}  {measure}", if i == 0 { "measures    " } else { "            " })?;
            }
            match &arguments.certificate {
                Some(path) => {
                    writeln!(out, "the proof is in {0}: `{1} verify {0}` checks it", path.display(), program())?
                }
                None => writeln!(out, "--certificate FILE keeps the proof; `{} verify FILE` checks it", program())?,
            }
        }
        CompleteOutcome::Refuted(refutation) => {
            let n = refutation.size;
            writeln!(
                out,
                "refuted: with {n} agents the promise is not kept; {} shows a run",
                arguments.check(card, n)
            )?;
        }
        CompleteOutcome::NotProved(left) => writeln!(
            out,
            "not proved{}, which says nothing of whether it holds: up to {} agents it does",
            if left.cancelled { " so far; interrupted" } else { "" },
            left.holds_up_to
        )?,
    }
    Ok(())
}

/// How many agents have each state, where anything is said of that.
fn safe(certificate: &CompleteCertificate) -> Vec<String> {
    let range = |state: &String, range: &Range| match (range.least, range.most) {
        (0, None) => None,
        (least, Some(most)) if least == most => Some(format!("{least} with {state}")),
        (least, Some(most)) => Some(format!("{least} to {most} with {state}")),
        (least, None) => Some(format!("at least {least} with {state}")),
    };
    let names = &certificate.rules.states;
    let part =
        |ranges: &Vec<Range>| names.iter().zip(ranges).filter_map(|(s, r)| range(s, r)).collect::<Vec<_>>().join(", ");
    certificate.safe.iter().map(part).collect()
}

fn as_json(card: &Card, outcome: &CompleteOutcome) -> Value {
    let mut value = json!({ "version": 1, "algorithm": card.name, "graph": "complete" });
    match outcome {
        CompleteOutcome::Proved(certificate) => {
            value["outcome"] = "proved".into();
            value["claim"] = claim::complete(certificate).into();
            value["goal"] = claim::goal(&certificate.rules).into();
            value["scheduler"] = json!(certificate.scheduler);
            value["from"] = certificate.from.into();
            value["measures"] = json!(certificate.measures);
            value["safe"] = json!(certificate.safe);
        }
        CompleteOutcome::Refuted(refutation) => {
            value["outcome"] = "refuted".into();
            value["size"] = refutation.size.into();
        }
        CompleteOutcome::NotProved(left) => {
            value["outcome"] = "not proved".into();
            value["holds_up_to"] = left.holds_up_to.into();
        }
    }
    value
}
