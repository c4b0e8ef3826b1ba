//! Whole rings on which a measure is tried before automata confirm it.

use crate::formulas::evaluate::{Evaluator, values};
use crate::formulas::expr::{Expr, Measure};
use crate::measures::open::{Open, remaining};
use crate::rings::Ring;
use crate::watch::Cancel;
use ringleader_verify::{Automaton, State};

/// Whether every unsolved configuration has a path, on the remaining steps, to a solved one. `source` numbers
/// configurations. A configuration with several choices of the daemon is solved if all of them are.
pub(crate) fn hopeful(
    unsolved: &[&Open],
    sources: usize,
    source: impl Fn(u32) -> Option<usize>,
    cancel: Cancel,
) -> bool {
    let mut stuck = vec![0u32; sources];
    let mut waiting: Vec<(usize, &Open)> =
        unsolved.iter().copied().filter_map(|u| Some((source(u.word)?, u))).collect();
    waiting.iter().for_each(|(s, _)| stuck[*s] += 1);
    loop {
        let before = waiting.len();
        waiting.retain(|(s, u)| {
            let free = u.steps.iter().any(|&t| source(t).is_none_or(|t| stuck[t] == 0));
            stuck[*s] -= u32::from(free);
            !free
        });
        if waiting.is_empty() {
            return true;
        }
        if waiting.len() == before || cancel.asked() {
            return false;
        }
    }
}

/// A ring with the atoms' values.
pub(crate) struct Trial<'r> {
    pub(crate) ring: &'r Ring,
    safe: Vec<bool>,
    atoms: Vec<Vec<u16>>,
    cancel: Cancel<'r>,
}

impl<'r> Trial<'r> {
    /// `None` if the search is cancelled.
    pub(crate) fn new(
        ring: &'r Ring,
        evaluator: &Evaluator,
        safe: &Automaton,
        cancel: Cancel<'r>,
    ) -> Option<Trial<'r>> {
        let words: Vec<_> = (0..ring.safe.len()).take_while(|_| !cancel.asked()).map(|c| ring.word(c)).collect();
        let value = |atom: usize, w: &Vec<State>| (!cancel.asked()).then(|| evaluator.atom(atom, w));
        let values = |atom: usize| words.iter().map(|w| value(atom, w)).collect::<Option<Vec<u16>>>();
        let atoms = (0..evaluator.atoms.len()).map(values).collect::<Option<_>>()?;
        let safe = words.iter().map(|w| safe.accepts(w)).collect();
        (!cancel.asked()).then_some(Trial { ring, safe, atoms, cancel })
    }

    pub(crate) fn all(&self) -> Vec<Open> {
        let outside = (0..self.safe.len()).filter(|&c| self.ring.given[c] && !self.safe[c]);
        let open = |word: u32, steps: &[u32]| Open { word, source: 0, whole: true, steps: steps.to_vec() };
        if let Some(choices) = &self.ring.choices {
            let outside = choices.iter().filter(|(word, _)| !self.safe[*word as usize]);
            return outside.map(|(word, steps)| open(*word, steps)).collect();
        }
        outside.map(|c| open(c as u32, self.ring.graph.after(c))).collect()
    }

    /// A formula's values on every configuration; zeros once the search is cancelled.
    fn values(&self, e: &Expr) -> Vec<u16> {
        let value = |code: usize| match self.cancel.asked() {
            true => 0,
            false => values(e, self.ring.n, &|atom| self.atoms[atom][code]),
        };
        (0..self.safe.len()).map(value).collect()
    }

    /// The open steps of the ring after one more measure.
    pub(crate) fn left(&self, m: &Measure, every: bool, open: &[Open]) -> Result<Vec<Open>, u32> {
        let rows: Vec<Vec<u16>> = match m {
            Measure::Unsafe => vec![self.safe.iter().map(|safe| u16::from(!safe)).collect()],
            Measure::Of(_, terms) => terms.iter().map(|t| self.values(&t.1)).collect(),
        };
        remaining(m, every, open, |i, t| rows[i][t as usize], self.cancel)
    }

    pub(crate) fn hopeful(&self, unsolved: &[Open]) -> bool {
        let mut left = vec![false; self.safe.len()];
        unsolved.iter().for_each(|u| left[u.word as usize] = true);
        hopeful(
            &unsolved.iter().collect::<Vec<_>>(),
            self.safe.len(),
            |t| left[t as usize].then_some(t as usize),
            self.cancel,
        )
    }
}
