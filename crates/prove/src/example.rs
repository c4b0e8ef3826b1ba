//! For each measure a step that it decides: the first measure that changes, and it falls.

use crate::evaluate::Evaluator;
use crate::existential::{MODES, falling};
use crate::expr::{Measure, Mode};
use crate::rings::Ring;
use ringleader_verify::{Automaton, State};
use std::cmp::Ordering;

/// A configuration and one that a step makes of it.
pub type Step = (Vec<State>, Vec<State>);

/// How a measure changes from one configuration to another.
fn change(m: &Measure, evaluator: &Evaluator, safe: &Automaton, w: &[State], v: &[State]) -> Ordering {
    let Measure::Of(mode, terms) = m else { return safe.accepts(w).cmp(&safe.accepts(v)) };
    if *mode == Mode::Count {
        let sum = |w: &[State]| -> i64 {
            terms.iter().map(|(k, e)| i64::from(*k) * i64::from(evaluator.values(e, w).count_ones())).sum()
        };
        return sum(v).cmp(&sum(w));
    }
    let order = MODES.iter().position(|m| m == mode).expect("one of them");
    let (falls, equal) = falling(evaluator.values(&terms[0].1, w), evaluator.values(&terms[0].1, v));
    match (falls >> order & 1, equal >> order & 1) {
        (1, _) => Ordering::Less,
        (_, 1) => Ordering::Equal,
        _ => Ordering::Greater,
    }
}

/// The first step of the smallest ring that each measure decides, if the rings have one.
pub(crate) fn examples(
    measures: &[Measure],
    evaluator: &Evaluator,
    safe: &Automaton,
    rings: &[Ring],
) -> Vec<Option<Step>> {
    let mut found = vec![None; measures.len()];
    for ring in rings {
        for code in 0..ring.graph.len() {
            let w = ring.word(code);
            if found.iter().all(Option::is_some) {
                return found;
            }
            if safe.accepts(&w) {
                continue;
            }
            for &to in ring.graph.after(code) {
                let v = ring.word(to as usize);
                let changes = measures.iter().map(|m| change(m, evaluator, safe, &w, &v));
                if let Some((i, Ordering::Less)) = changes.enumerate().find(|(_, c)| c.is_ne()) {
                    found[i].get_or_insert_with(|| (w.clone(), v.clone()));
                }
            }
        }
    }
    found
}
