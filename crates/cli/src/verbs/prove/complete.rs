//! Proofs for complete graphs of every size.

use super::{Arguments, Fairness, claim, proof, rules, text, watched};
use crate::catalog;
use crate::settings::first_given;
use crate::terminal::exit::{Failure, bail};
use ringleader_erased::Card;
use ringleader_model::Scheduler;
use ringleader_prove::{Outcome, prove_complete};
use ringleader_report::Subject;
use ringleader_verify::{CompleteCertificate, Range};
use std::process::ExitCode;

pub(super) fn run(arguments: &Arguments, card: &Card, fairness: Fairness, lies: bool) -> Result<ExitCode, Failure> {
    let elsewhere = [
        ("--hints", arguments.hints.is_some()),
        ("--recurring", arguments.recurring),
        ("--multiple-of", arguments.multiple_of.is_some()),
        ("--not-multiple-of", arguments.not_multiple_of.is_some()),
        ("--oracle eventually-correct", lies),
        ("--coins", arguments.coins.is_some()),
        ("--scheduler fair", fairness == Fairness::WeaklyFair),
        ("--scheduler locally-fair", fairness == Fairness::LocallyFair),
        ("--scheduler distributed", fairness == Fairness::Distributed),
        ("--scheduler synchronous", fairness == Fairness::Synchronous),
        ("--scheduler random-partner", arguments.scheduler == Some(Scheduler::RandomPartner)),
    ];
    if let Some(flag) = first_given(&elsewhere) {
        bail!("{flag} is for proofs about rings, but {} is for complete graphs", card.name);
    }
    let from = arguments.from.unwrap_or_else(|| super::least(card, arguments));
    let rules = rules::complete(catalog(), card, &arguments.setup.at(from.min(super::LARGEST_FROM)))?;
    let outcome =
        watched(arguments.budget, |options| prove_complete(&arguments.subject(card), &rules, from, fairness, options))?;
    if let Outcome::Proved(certificate) = &outcome {
        let certificate = CompleteCertificate { text: text(card), ..certificate.as_ref().clone() };
        arguments.write(&certificate.to_json())?;
    }
    let json = proof::complete_json(Subject { card, parameters: &arguments.setup.at(from) }, &outcome);
    arguments.tell(card, &rules, &outcome, json, None, |out, certificate| {
        writeln!(out, "proved: {}", claim::complete(certificate))?;
        writeln!(out, "  promise       for ever, {}", claim::goal(&certificate.rules))?;
        for (i, part) in safe(certificate).iter().enumerate() {
            writeln!(out, "  {}  {part}", if i == 0 { "safe set    " } else { "          or" })?;
        }
        for (i, measure) in certificate.measures.iter().enumerate() {
            writeln!(out, "  {}  {measure}", if i == 0 { "measures    " } else { "            " })?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// The numbers of agents in each state, where they are restricted.
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
