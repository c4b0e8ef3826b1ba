//! Proofs, failures and flaws in words.

use super::{claim, proof, words};
use crate::catalog;
use crate::terminal::exit::Failure;
use ringleader_catalog::proofs::Below;
use ringleader_erased::Card;
use ringleader_language::{LocalCondition, RegularCondition};
use ringleader_prove::{Proof, Remainder, Unsafe};
use ringleader_report::number::joined;
use ringleader_verify::{Cell, FailureCertificate, Move, Rules, Scheduler as Fairness, State, Turn};
use std::io::Write;

/// The flaw of the best candidate for a safe set, in words.
pub(super) fn flaw(flaw: &Unsafe, letters: &[String]) -> String {
    let word = |c: &[State]| words::word(letters, c);
    match flaw {
        Unsafe::Promise(c) => {
            format!("the set learned from small sizes contains {}, which does not meet the promise", word(c))
        }
        Unsafe::Leaves(before, after) => {
            format!("a step leaves the set learned from small sizes: {} becomes {}", word(before), word(after))
        }
        Unsafe::Moves(before, after) => {
            format!(
                "a step within the set learned from small sizes changes a value that must stay: {} becomes {}",
                word(before),
                word(after)
            )
        }
        Unsafe::TooLarge => "the set learned from small sizes is too large".into(),
    }
}

/// A configuration or step that the search left open, in words.
pub(super) fn open(rules: &Rules, left: &Remainder) -> Option<String> {
    let open = left.open.as_ref()?;
    let letters = words::letters(rules);
    let word = |c: &[State]| words::word(&letters, c);
    let waits = open.waits.map_or(String::new(), |agent| format!(" while agent {agent} waits"));
    let before = word(&open.before);
    Some(match &open.after {
        Some(after) => format!("no measure was found that falls as  {before}  becomes  {}{waits}", word(after)),
        None => format!("no measure was found that falls on a step from  {before}{waits}"),
    })
}

/// Prints a failure at every size of a class.
pub(super) fn fails(
    out: &mut dyn Write,
    card: &Card,
    family: &FailureCertificate,
    goal: Option<&RegularCondition>,
) -> std::io::Result<()> {
    writeln!(out, "proved: {}", claim::failure(family))?;
    if let Some(names) = words::legend(&family.rules) {
        writeln!(out, "  states        are written {names}")?;
    }
    let states = family.trap.next.len();
    writeln!(out, "  trap          an automaton of {states} states; an execution can stay there")?;
    if !family.measures.is_empty() {
        let measures = family.measures.join(", ");
        writeln!(out, "  measures      can fall in the trap until the agent `here` acts or is disabled: {measures}")?;
    }
    let letters = words::letters(&family.rules);
    for Turn { of, within, measures } in &family.turns {
        let Move { own, right, .. } = family.rules.moves[*of];
        let pair = |state: fn(Cell) -> State| words::word(&letters, &[own, right.unwrap_or(own)].map(state));
        let (before, after) = (pair(|cell| cell.before), pair(|cell| cell.after));
        let place = match &**within {
            "0" => String::new(),
            within => format!(", within `{within}`"),
        };
        let measures = measures.join(", ");
        writeln!(
            out,
            "  turn          {before} becomes {after} at the agent `here`{place}: these can fall until this move stays in the trap: {measures}"
        )?;
    }
    promise(out, "again and again it does not hold that ", &family.rules, goal)?;
    conditions(out, goal, None)?;
    if let Some(words) = words::regular(&family.trap, &family.rules, proof::EXPRESSION) {
        writeln!(out, "                {} 0 to n-1: {words}", card.kind.members())?;
    }
    Ok(())
}

/// Prints a proof. Returns whether all smaller sizes hold too.
pub(super) fn proved(
    out: &mut dyn Write,
    card: &Card,
    proof: &Proof,
    fairness: Fairness,
    goal: Option<&RegularCondition>,
    start: Option<&RegularCondition>,
    below: &[Below],
) -> Result<bool, Failure> {
    let certificate = &proof.certificate;
    writeln!(out, "proved: {}", claim::ring(certificate, start.map(|start| start.text.as_str())))?;
    for smaller in below {
        writeln!(out, "  n = {:<9} {}, by a check of every configuration", smaller.size, smaller.verdict())?;
    }
    if let Some(names) = words::legend(&certificate.rules) {
        writeln!(out, "  states        are written {names}")?;
    }
    promise(out, "for ever, ", &certificate.rules, goal)?;
    if let Some(start) = start {
        writeln!(out, "  start         {}", start.text)?;
    }
    conditions(out, goal, start)?;
    let besides = catalog().protocol(card.name).into_iter().flat_map(|text| text.promises());
    let besides: Vec<_> = besides.map(|(_, name, _)| name).collect();
    if !besides.is_empty() {
        writeln!(out, "  not proved    the other claims of the text: {}; `check` checks them", besides.join(", "))?;
    }
    let exact = match &proof.exact_at[..] {
        [] => "the really safe set may be larger".into(),
        sizes => format!("exactly the really safe set for n = {}", joined(sizes, ", ")),
    };
    writeln!(out, "  safe set      an automaton of {} states; {exact}", certificate.safe.next.len())?;
    if let Some(words) = words::regular(&certificate.safe, &certificate.rules, proof::EXPRESSION) {
        writeln!(out, "                {} 0 to n-1: {words}", card.kind.members())?;
    }
    if let Some(lasting) = &certificate.lasting {
        let states = lasting.next.len();
        writeln!(out, "  leaders last  in an automaton of {states} states, for all answers of the detector")?;
    }
    if let Some(helpful) = &certificate.helpful {
        let [stay, steps] = match fairness {
            Fairness::LocallyFair => ["the arcs to the right of these agents stay", "interactions on them"],
            _ => ["these agents stay", "their steps"],
        };
        writeln!(
            out,
            "  helpful       {helpful}: until the measures fall, {stay} enabled, and {steps} lower the measures"
        )?;
    }
    let letters = words::letters(&certificate.rules);
    let word = |c: &[State]| words::word(&letters, c);
    for (i, measure) in certificate.measures.iter().enumerate() {
        writeln!(out, "  {}  {measure}", if i == 0 { "measures    " } else { "            " })?;
        if let Some(Some((before, after))) = proof.examples.get(i) {
            writeln!(out, "                  falls as  {}  becomes  {}", word(before), word(after))?;
        }
    }
    Ok(below.iter().all(|smaller| smaller.holds))
}

/// Prints the promise, with the words of a text before its formula.
fn promise(out: &mut dyn Write, when: &str, rules: &Rules, goal: Option<&RegularCondition>) -> std::io::Result<()> {
    let formula = claim::goal(rules);
    match goal {
        None => writeln!(out, "  promise       {when}{formula}"),
        Some(goal) => writeln!(out, "  promise       {when}{}\n  as a formula  {formula}", goal.text),
    }
}

/// Prints the conditions to which the formulas of the goal and the starts give names.
fn conditions(
    out: &mut dyn Write,
    goal: Option<&RegularCondition>,
    start: Option<&RegularCondition>,
) -> std::io::Result<()> {
    for LocalCondition { name, text, .. } in goal.into_iter().chain(start).flat_map(|condition| &condition.names) {
        writeln!(out, "  {name:<13} {text}")?;
    }
    Ok(())
}
