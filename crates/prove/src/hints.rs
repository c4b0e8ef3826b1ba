//! A proof by the user: a safe set and measures, which are checked instead of searched for.

use crate::decide::table::Dfa;
use crate::decide::track::Track;
use crate::formulas::atoms::Atom;
use crate::formulas::expr::Expr;
use crate::watch::Cancel;
use ringleader_verify::{Automaton, Formula, Measure, Place, State};
use std::cell::RefCell;
use thiserror::Error;

/// A proof in outline.
///
/// Written as text, a line each: `safe FORMULA`, true at agent 0 of exactly the safe configurations (without it the safe set is
/// learned); `helpful FORMULA`, the helpful agents under weakly fair schedules, and the helpful arcs under locally fair ones; `let NAME = FORMULA`, an abbreviation for the lines that follow; anything else is a measure. `#` begins a comment.
///
/// ```
/// use ringleader_prove::Hints;
///
/// let hints = Hints::read("let quiet = (!B & !S)  # no bullet, no shield\nsafe (1 S (L & quiet))\nC:!quiet").unwrap();
/// assert_eq!(hints.safe.as_deref(), Some("(1 S (L & (!B & !S)))"));
/// assert_eq!(hints.measures, ["C:!(!B & !S)"]);
/// assert!(Hints::read("C:(x &").unwrap_err().to_string().contains("line 1"));
/// assert!(Hints::read("helpful L\nhelpful B").unwrap_err().to_string().contains("line 2"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// The safe set.
    pub safe: Option<String>,
    /// Weakly fair: the helpful agents. Locally fair: the helpful arcs.
    pub helpful: Option<String>,
    /// The measures, the most important first.
    pub measures: Vec<String>,
}

/// The reason why a text has no hints.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {why}")]
pub struct BadHints {
    /// The line, from 1.
    pub line: usize,
    why: String,
}

impl Hints {
    /// Parses the text.
    pub fn read(text: &str) -> Result<Hints, BadHints> {
        let mut hints = Hints::default();
        let mut abbreviations: Vec<(String, String)> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            let wrong = |why: String| BadHints { line: number, why };
            let formula = |text: &str| {
                let whole = replaced(text.trim(), &abbreviations);
                whole.parse::<Formula>().map_err(|why| wrong(format!("`{whole}`, {why}")))?;
                Ok(whole)
            };
            let once = |what: &str, slot: &mut Option<String>, formula| match slot.replace(formula) {
                None => Ok(()),
                Some(_) => Err(wrong(format!("there is a line `{what}` before this one"))),
            };
            if let Some(rest) = line.strip_prefix("let ") {
                let no_abbreviation = || wrong("an abbreviation is `let NAME = FORMULA`".into());
                let (name, meaning) = rest.split_once('=').ok_or_else(no_abbreviation)?;
                let meaning = formula(meaning)?;
                abbreviations.push((name.trim().to_owned(), meaning));
            } else if let Some(rest) = line.strip_prefix("safe ") {
                once("safe", &mut hints.safe, formula(rest)?)?;
            } else if let Some(rest) = line.strip_prefix("helpful ") {
                once("helpful", &mut hints.helpful, formula(rest)?)?;
            } else if !line.is_empty() {
                // The kind of measure before the colon may have the same name as an abbreviation.
                let (kind, rest) = line.split_at(line.find(':').map_or(0, |at| at + 1));
                let measure = format!("{kind}{}", replaced(rest, &abbreviations));
                measure.parse::<Measure>().map_err(|why| wrong(format!("`{measure}`, {why}")))?;
                hints.measures.push(measure);
            }
        }
        Ok(hints)
    }
}

/// A text with all abbreviations expanded.
fn replaced(text: &str, abbreviations: &[(String, String)]) -> String {
    let mut whole = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = if in_word(first) { rest.find(|c| !in_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (word, after) = rest.split_at(end);
        let known = abbreviations.iter().rev().find(|(name, _)| name == word);
        whole += known.map_or(word, |(_, meaning)| meaning);
        rest = after;
    }
    whole
}

/// Runs with the value of the formula at agent 0: first if the last agent read is in the middle, then if it is the top.
type Reading = (Vec<(u32, bool)>, Vec<(u32, bool)>);

/// The configurations with a formula that holds at agent 0; `None` if it has too many parts.
pub(crate) fn automaton(expr: &Expr, atoms: &[Atom], states: usize) -> Option<Automaton> {
    let track = RefCell::new(Track::new(atoms, states, [expr])?);
    let step = |from: &Option<Reading>, letter: usize| {
        let mut track = track.borrow_mut();
        let state = letter as State;
        let Some((runs, _)) = from else {
            let first = track.read(0, Place::Bottom, state).iter().map(|&(run, bits)| (run, bits & 1 == 1)).collect();
            return Some(Some((first, Vec::new())));
        };
        let mut read = |place: Place| {
            let mut next = Vec::new();
            for &(run, held) in runs {
                next.extend(track.read(run, place, state).iter().map(|&(run, _)| (run, held)));
            }
            next.sort_unstable();
            next.dedup();
            next
        };
        Some(Some((read(Place::Middle), read(Place::Top))))
    };
    let class = |at: &Option<Reading>| {
        let track = track.borrow();
        u8::from(at.as_ref().is_some_and(|(_, top)| top.iter().any(|&(run, held)| held && track.closes(run))))
    };
    let table = Dfa::build(states, |found| found > 20_000, None, step, class)?.quotient(Cancel::default())?;
    Some(table.automaton())
}
