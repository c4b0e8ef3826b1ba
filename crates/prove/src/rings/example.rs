//! For each measure, a step that it decides: it is the first measure that changes, and it falls.

use crate::rings::Ring;
use ringleader_verify::{Certificate, State};

/// A configuration and a successor.
pub type Step = (Vec<State>, Vec<State>);

/// The most configurations examined per ring.
const MOST: usize = 2_000;

/// For each measure, a step of the smallest ring that it decides, if one is found.
pub(crate) fn examples(certificate: &Certificate, rings: &[Ring]) -> Vec<Option<Step>> {
    let mut found = vec![None; certificate.measures.len()];
    let readings = |w: &[State]| certificate.readings(w).unwrap_or_default();
    for ring in rings {
        for code in (0..ring.graph.len()).step_by(ring.graph.len() / MOST + 1) {
            let w = ring.word(code);
            if found.iter().all(Option::is_some) {
                return found;
            }
            if certificate.safe.accepts(&w) {
                continue;
            }
            let before = readings(&w);
            for &to in ring.graph.after(code) {
                let v = ring.word(to as usize);
                let after = readings(&v);
                if let Some(i) = (0..before.len()).find(|&i| before[i] != after[i]).filter(|&i| after[i] < before[i]) {
                    found[i].get_or_insert_with(|| (w.clone(), v));
                }
            }
        }
    }
    found
}
