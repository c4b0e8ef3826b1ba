//! Whole rings on which a measure is tried before automata confirm it.

use crate::formulas::evaluate::{Evaluator, values};
use crate::formulas::expr::{Expr, Measure};
use crate::measures::open::{Open, remaining};
use crate::rings::Ring;
use ringleader_verify::Automaton;

/// Whether every unsolved configuration has a path, on the remaining steps, to a solved one. `source` numbers
/// configurations.
pub(crate) fn hopeful(unsolved: &[Open], sources: usize, source: impl Fn(u32) -> Option<usize>) -> bool {
    let mut stuck = vec![false; sources];
    let mut waiting: Vec<(usize, &Open)> = unsolved.iter().filter_map(|u| Some((source(u.word)?, u))).collect();
    waiting.iter().for_each(|(s, _)| stuck[*s] = true);
    loop {
        let before = waiting.len();
        waiting.retain(|(s, u)| {
            let free = u.steps.iter().any(|&t| source(t).is_none_or(|t| !stuck[t]));
            stuck[*s] = !free;
            !free
        });
        if waiting.is_empty() {
            return true;
        }
        if waiting.len() == before {
            return false;
        }
    }
}

/// A ring with the atoms' values.
pub(crate) struct Trial<'r> {
    pub(crate) ring: &'r Ring,
    safe: Vec<bool>,
    atoms: Vec<Vec<u16>>,
}

impl<'r> Trial<'r> {
    pub(crate) fn new(ring: &'r Ring, evaluator: &Evaluator, safe: &Automaton) -> Trial<'r> {
        let words: Vec<_> = (0..ring.safe.len()).map(|c| ring.word(c)).collect();
        let atoms = (0..evaluator.atoms.len()).map(|a| words.iter().map(|w| evaluator.atom(a, w)).collect()).collect();
        Trial { ring, safe: words.iter().map(|w| safe.accepts(w)).collect(), atoms }
    }

    pub(crate) fn all(&self) -> Vec<Open> {
        let outside = (0..self.safe.len()).filter(|&c| !self.safe[c]);
        outside.map(|c| Open { word: c as u32, steps: self.ring.graph.after(c).to_vec() }).collect()
    }

    /// A formula's values on every configuration.
    fn values(&self, e: &Expr) -> Vec<u16> {
        (0..self.safe.len()).map(|code| values(e, self.ring.n, &|atom| self.atoms[atom][code])).collect()
    }

    /// The open steps of the ring after one more measure.
    pub(crate) fn left(&self, m: &Measure, every: bool, open: &[Open]) -> Result<Vec<Open>, u32> {
        let rows: Vec<Vec<u16>> = match m {
            Measure::Unsafe => vec![self.safe.iter().map(|safe| u16::from(!safe)).collect()],
            Measure::Of(_, terms) => terms.iter().map(|t| self.values(&t.1)).collect(),
        };
        remaining(m, every, open, |i, t| rows[i][t as usize])
    }

    pub(crate) fn hopeful(&self, unsolved: &[Open]) -> bool {
        let mut left = vec![false; self.safe.len()];
        unsolved.iter().for_each(|u| left[u.word as usize] = true);
        hopeful(unsolved, self.safe.len(), |t| left[t as usize].then_some(t as usize))
    }
}
