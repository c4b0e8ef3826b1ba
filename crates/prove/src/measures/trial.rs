//! Whole rings on which a measure is tried before automata confirm it.

use crate::formulas::evaluate::{Evaluator, everyone, from_left, from_right, since, until};
use crate::formulas::expr::{Expr, Measure};
use crate::measures::order::{MODES, falling};
use crate::rings::Ring;
use ringleader_verify::Automaton;

/// A configuration that no measure so far solves, with the targets of the steps on which all measures are equal.
#[derive(Clone)]
pub(crate) struct Unsolved {
    pub(crate) word: u32,
    pub(crate) steps: Vec<u32>,
}

/// The unsolved configurations after one more measure, given by its values and the order.
pub(crate) fn remaining(order: usize, unsolved: &[Unsolved], value: impl Fn(u32) -> u16) -> Vec<Unsolved> {
    let bit = 1 << order;
    let mut rest = Vec::new();
    for u in unsolved {
        let before = value(u.word);
        let mut steps = Vec::new();
        let solved = u.steps.iter().any(|&t| {
            let (falls, equal) = falling(before, value(t));
            if equal & bit != 0 {
                steps.push(t);
            }
            falls & bit != 0
        });
        if !solved {
            rest.push(Unsolved { word: u.word, steps });
        }
    }
    rest
}

/// Whether every unsolved configuration has a path, on the remaining steps, to a solved one. `source` numbers
/// configurations.
pub(crate) fn hopeful(unsolved: &[Unsolved], sources: usize, source: impl Fn(u32) -> Option<usize>) -> bool {
    let mut stuck = vec![false; sources];
    let mut waiting: Vec<(usize, &Unsolved)> = unsolved.iter().filter_map(|u| Some((source(u.word)?, u))).collect();
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

    pub(crate) fn is_safe(&self, code: u32) -> bool {
        self.safe[code as usize]
    }

    pub(crate) fn all(&self) -> Vec<Unsolved> {
        let outside = (0..self.safe.len()).filter(|&c| !self.safe[c]);
        outside.map(|c| Unsolved { word: c as u32, steps: self.ring.graph.after(c).to_vec() }).collect()
    }

    /// A formula's values on every configuration.
    pub(crate) fn values(&self, e: &Expr) -> Vec<u16> {
        let n = self.ring.n;
        let all = everyone(n);
        let two = |a: &Expr, b: &Expr, f: &dyn Fn(u16, u16) -> u16| {
            let mut a = self.values(a);
            a.iter_mut().zip(self.values(b)).for_each(|(x, y)| *x = f(*x, y));
            a
        };
        match e {
            Expr::One => vec![all; self.safe.len()],
            Expr::Atom(a) => self.atoms[*a].clone(),
            Expr::Not(a) => two(a, &Expr::One, &|x, _| !x & all),
            Expr::Left(a) => two(a, &Expr::One, &|x, _| from_left(x, n)),
            Expr::Right(a) => two(a, &Expr::One, &|x, _| from_right(x, n)),
            Expr::And(a, b) => two(a, b, &|x, y| x & y),
            Expr::Or(a, b) => two(a, b, &|x, y| x | y),
            Expr::Since(a, b) => two(a, b, &|x, y| since(x, y, n)),
            Expr::Until(a, b) => two(a, b, &|x, y| until(x, y, n)),
        }
    }

    pub(crate) fn left(&self, m: &Measure, unsolved: &[Unsolved]) -> Vec<Unsolved> {
        match m {
            Measure::Unsafe => remaining(0, unsolved, |t| u16::from(!self.safe[t as usize])),
            Measure::Of(mode, terms) => {
                let order = MODES.iter().position(|m| m == mode).expect("one of them");
                let values = self.values(&terms[0].1);
                remaining(order, unsolved, |t| values[t as usize])
            }
        }
    }

    pub(crate) fn hopeful(&self, unsolved: &[Unsolved]) -> bool {
        let mut left = vec![false; self.safe.len()];
        unsolved.iter().for_each(|u| left[u.word as usize] = true);
        hopeful(unsolved, self.safe.len(), |t| left[t as usize].then_some(t as usize))
    }
}
