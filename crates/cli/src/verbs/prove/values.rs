//! Proofs for every size and every number of values, of algorithms whose values grow with the ring.

use super::{Arguments, FAILS, LARGEST_FROM, claim, text, watched};
use crate::catalog;
use crate::settings::first_given;
use crate::terminal::exit::{Failure, bail};
use crate::terminal::program::program;
use crate::texts;
use ringleader_catalog::growing;
use ringleader_erased::Card;
use ringleader_model::{Scheduler, shell_word};
use ringleader_prove::{ValuesOutcome, ValuesRefutation, prove_values};
use ringleader_report::Subject;
use ringleader_report::proof::values::{outcome_json, regular};
use ringleader_verify::{Scheduler as Fairness, ValuesCertificate};
use std::io::Write;
use std::process::ExitCode;

/// The number of sizes at which the text's claim about fewer values than those of the proof is examined.
const LOOKED_AT: usize = 20;

/// `k` is the parameter that is the number of values.
pub(super) fn run(arguments: &Arguments, card: &Card, k: &str) -> Result<ExitCode, Failure> {
    let elsewhere = [
        ("--hints", arguments.hints.is_some()),
        ("--recurring", arguments.recurring),
        ("--multiple-of", arguments.multiple_of.is_some()),
        ("--not-multiple-of", arguments.not_multiple_of.is_some()),
        ("--coins", arguments.coins.is_some()),
    ];
    if let Some(flag) = first_given(&elsewhere) {
        bail!("{flag} is not for a proof for every {k}; --{k} asks for one number");
    }
    let scheduler = arguments.scheduler.unwrap_or(match card.scheduler {
        Scheduler::Distributed | Scheduler::Synchronous => Scheduler::Distributed,
        _ => Scheduler::Unfair,
    });
    let fairness = match scheduler {
        Scheduler::Unfair => Fairness::Unfair,
        Scheduler::Distributed => Fairness::Distributed,
        other => {
            bail!(
                "--scheduler {other}: a proof for every {k} is for unfair or distributed schedules. unfair includes all fair schedules of \
                 single steps, and distributed includes synchronous"
            );
        }
    };
    let from = arguments.from.unwrap_or_else(|| super::least(card, arguments));
    if !(2..=LARGEST_FROM).contains(&from) {
        bail!("--from {from}: the smallest size of a proof is 2 to {LARGEST_FROM}");
    }
    let rules = growing::rules(catalog(), card, &arguments.setup.at(from), from)?;
    let outcome =
        watched(arguments.budget, |options| prove_values(&arguments.subject(card), &rules, from, fairness, options))?;
    if let ValuesOutcome::Proved(proof) = &outcome {
        let certificate = ValuesCertificate { text: text(card), ..proof.certificate.clone() };
        arguments.write(&certificate.to_json())?;
    }
    let mut out = anstream::stdout().lock();
    if arguments.json {
        let subject = Subject { card, parameters: &arguments.setup.at(from) };
        writeln!(out, "{}", outcome_json(subject, k, fairness, &outcome))?;
    }
    let out: &mut dyn Write = if arguments.json { &mut std::io::sink() } else { &mut out };
    let shows = |found: &ValuesRefutation| {
        let (called, flags) = (shell_word(texts::reference(card.name)), arguments.setup.written());
        let ValuesRefutation { size, values, .. } = found;
        format!("`{} check {called} --size {size} --{k} {values} --scheduler {scheduler}{flags}`", program())
    };
    Ok(match &outcome {
        ValuesOutcome::Proved(proof) => {
            let certificate = &proof.certificate;
            writeln!(out, "proved: {}", claim::values(certificate))?;
            writeln!(out, "  promise       for ever, exactly one process has the token; K is {k}")?;
            let sets = [("safe set", &certificate.safe), ("fresh set", &certificate.fresh)];
            for (name, words) in sets.into_iter().filter_map(|(name, set)| Some((name, regular(set)?))) {
                writeln!(
                    out,
                    "  {name:<13} processes 1 to n-1 have the root's value, the left one's, or another: {words}"
                )?;
            }
            for (i, measure) in certificate.measures.iter().enumerate() {
                writeln!(out, "  {}  {measure}", if i == 0 { "measures    " } else { "            " })?;
            }
            writeln!(out, "                  while process 0 does not act")?;
            let claimed = |n: usize, values: usize| {
                let parameters = arguments.setup.at(n).with(k, values.to_string());
                catalog().supports(card.name, &parameters).is_ok()
            };
            let fails = proof.below.as_ref().is_some_and(|found| claimed(found.size, found.values));
            if let Some(found) = &proof.below {
                let ValuesRefutation { size, values, .. } = found;
                let claimed = if fails { ", which the text supports," } else { "" };
                writeln!(
                    out,
                    "  below         n = {size} with K = {values}{claimed} fails: {} shows it",
                    shows(found)
                )?;
            }
            let least = claim::least_values(certificate);
            let fewer = |n: usize| 2..n.saturating_sub(certificate.fewer);
            let left = (from..=from + LOOKED_AT).find_map(|n| Some((n, fewer(n).find(|&values| claimed(n, values))?)));
            if let Some((n, values)) = left {
                writeln!(
                    out,
                    "  not proved    K < {least}, although the text supports such K: n = {n} with K = {values}, for example"
                )?;
            }
            arguments.kept(out)?;
            match left {
                _ if fails => ExitCode::from(FAILS),
                Some(_) => ExitCode::from(2),
                None => ExitCode::SUCCESS,
            }
        }
        ValuesOutcome::Refuted(found) => {
            let ValuesRefutation { size, values, start } = found;
            writeln!(out, "refuted: with n = {size} and {k} = {values} the promise fails from {start:?}")?;
            writeln!(out, "{} shows an execution", shows(found))?;
            ExitCode::from(FAILS)
        }
        ValuesOutcome::NotProved(why) => {
            writeln!(out, "not proved, which does not mean that it fails: {why}")?;
            ExitCode::from(2)
        }
    })
}
