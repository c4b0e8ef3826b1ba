//! `--recurring`: the token comes to every agent again and again.

use super::{Arguments, Fairness, open, watched};
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED, bail, usage};
use ringleader_erased::Card;
use ringleader_prove::{Outcome, Recurrence, Remainder, recurring, token};
use ringleader_report::proof::{claim, words};
use ringleader_verify::Rules;
use std::io::Write;
use std::process::ExitCode;

/// Whether a variable has the name that formulas about a watched agent use.
pub(super) fn has_here(rules: &Rules) -> bool {
    rules.variables.iter().any(|variable| variable.name == "here")
}

/// The condition that recurs, if it is asked for.
pub(super) fn condition(arguments: &Arguments, card: &Card, rules: &Rules) -> Result<Option<String>, Failure> {
    let none = || {
        usage!(
            "--recurring is about a token that moves, or a rule that is enabled; the goal of {} is another: {}",
            card.name,
            claim::goal(rules)
        )
    };
    if arguments.recurring && has_here(rules) {
        bail!(
            "--recurring: a variable is called `here`, but in its measures `here` is the agent that waits: rename the variable"
        );
    }
    arguments.recurring.then(|| token(rules).ok_or_else(none)).transpose()
}

/// Searches for the proof, and adds it to the certificate.
pub(super) fn prove(budget: u64, outcome: &mut Outcome, condition: &str) -> Result<Option<Recurrence>, Failure> {
    let Outcome::Proved(proof) = outcome else { return Ok(None) };
    let found = watched(budget, |options| recurring(&proof.certificate, condition, options))?;
    if let Recurrence::Proved(certificate) = &found {
        proof.certificate = certificate.as_ref().clone();
    }
    Ok(Some(found))
}

/// Prints the result. The exit code is that of the whole command, if the rest is proved.
pub(super) fn tell(
    out: &mut dyn Write,
    rules: &Rules,
    fairness: Fairness,
    condition: &str,
    recurrence: &Recurrence,
) -> Result<ExitCode, Failure> {
    let recurs = claim::recurs(rules, condition);
    Ok(match recurrence {
        Recurrence::Proved(certificate) => {
            writeln!(out, "  recurring     once safe, {recurs}")?;
            let measures = certificate.recurring.iter().flat_map(|recurring| &recurring.measures);
            for (i, measure) in measures.enumerate() {
                writeln!(out, "  {}  {measure}", if i == 0 { "while `here` waits" } else { "                  " })?;
            }
            ExitCode::SUCCESS
        }
        Recurrence::Fails(starvation) => {
            let (agent, may) = (starvation.agent, if fairness == Fairness::Unfair { "may wait" } else { "waits" });
            let (n, start) = (starvation.size, words::word(&words::letters(rules), &starvation.start));
            writeln!(out, "  refuted       {recurs}: with n = {n}, agent {agent} {may} for ever from {start}")?;
            ExitCode::from(FAILS)
        }
        Recurrence::NotProved(left) => {
            let Remainder { solved, of, holds_up_to, cancelled, .. } = left;
            let sizes = holds_up_to.map_or("no size was checked".into(), |n| format!("it holds up to n = {n}"));
            writeln!(
                out,
                "  not proved    {recurs}; {sizes}, and {solved} of {of} configurations of a sample were solved"
            )?;
            if let Some(open) = open(rules, left) {
                writeln!(out, "                open, for example: {open}")?;
            }
            ExitCode::from(if *cancelled { INTERRUPTED } else { 2 })
        }
    })
}
