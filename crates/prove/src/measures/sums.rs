//! Sums of counts that never rise: weights by linear programming, formulas by column generation.

use crate::decide::table::Map;
use crate::formulas::expr::{Expr, Measure, Mode};
use crate::measures::pool::Pool;
use crate::measures::simplex::maximize;
use crate::watch::Watch;

/// The number of steps in the first program; other steps are added when they are violated.
const FIRST_STEPS: usize = 150;
/// The largest weight before rounding.
const HEAVIEST: f64 = 200.0;

/// A formula of the sum, with the sign of its weight.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Column {
    candidate: usize,
    sign: i32,
}

struct Program<'p> {
    pool: &'p Pool,
    open: &'p [(u32, u32)],
    /// The open steps that are constraints so far.
    rows: Vec<usize>,
    columns: Vec<Column>,
    /// The change of each column on each open step.
    changes: Vec<Vec<i8>>,
}

impl Program<'_> {
    /// Adds the simple formulas, one per distinct change.
    fn begin(&mut self, most: usize, watch: &Watch) {
        let mut values = Vec::new();
        let mut seen: Map<Vec<i8>, ()> = Map::default();
        seen.insert(vec![0; self.open.len()], ());
        let mut simple: Vec<usize> =
            (0..self.pool.candidates.len()).filter(|&c| self.pool.candidates[c].simple).collect();
        simple.sort_by_key(|&c| self.pool.candidates[c].size);
        for candidate in simple {
            if self.columns.len() >= most || watch.cancelled() {
                break;
            }
            let changes = self.changes_of(candidate, 0..self.open.len(), &mut values);
            let opposite: Vec<i8> = changes.iter().map(|c| -c).collect();
            if seen.contains_key(&changes) || seen.contains_key(&opposite) {
                continue;
            }
            seen.insert(changes.clone(), ());
            for (sign, changes) in [(1, changes), (-1, opposite)] {
                self.columns.push(Column { candidate, sign });
                self.changes.push(changes);
            }
        }
    }

    fn changes_of(&self, candidate: usize, steps: impl Iterator<Item = usize>, values: &mut Vec<u16>) -> Vec<i8> {
        self.pool.values(&self.pool.candidates[candidate], values);
        let count = |t: u32| values[t as usize].count_ones() as i8;
        steps.map(|i| count(self.open[i].1) - count(self.open[i].0)).collect()
    }

    /// Weights that maximize the falls on the rows, each up to 1.
    fn solve(&self, watch: &Watch) -> Option<Vec<f64>> {
        let (rows, columns) = (self.rows.len(), self.columns.len());
        let mut a = Vec::new();
        let mut b = Vec::new();
        for (k, &row) in self.rows.iter().enumerate() {
            let mut line: Vec<f64> = self.changes.iter().map(|c| f64::from(c[row])).collect();
            line.resize(columns + rows, 0.0);
            line[columns + k] = 1.0;
            a.push(line);
            // A small perturbation, different for each row, so that the method does not stall.
            b.push(1e-6 * (1.0 + (row * 7919 % 1009) as f64 / 1009.0));
        }
        for k in 0..rows {
            let mut line = vec![0.0; columns + rows];
            line[columns + k] = 1.0;
            a.push(line);
            b.push(1.0);
        }
        let mut line = vec![1.0; columns];
        line.resize(columns + rows, 0.0);
        a.push(line);
        b.push(HEAVIEST);
        let price = |c: &Column| -1e-2 * self.pool.candidates[c.candidate].size as f64;
        let c: Vec<f64> = self.columns.iter().map(price).chain((0..rows).map(|_| 1.0)).collect();
        let x = maximize(&a, &b, &c, || watch.over())?;
        Some(x[..columns].to_vec())
    }

    /// Adds open steps on which the weights rise, one per distinct change. Returns their number.
    fn cut(&mut self, weights: &[f64]) -> usize {
        let used: Vec<usize> = (0..weights.len()).filter(|&k| weights[k] > 0.0).collect();
        let rise = |i: usize| -> f64 { used.iter().map(|&k| f64::from(self.changes[k][i]) * weights[k]).sum() };
        let mut worst: Vec<(f64, usize)> = (0..self.open.len()).map(|i| (rise(i), i)).filter(|r| r.0 > 1e-4).collect();
        worst.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut seen: Map<Vec<i8>, ()> = Map::default();
        worst.retain(|r| seen.insert(used.iter().map(|&k| self.changes[k][r.1]).collect(), ()).is_none());
        let fresh: Vec<usize> = worst.iter().step_by(worst.len() / 40 + 1).map(|r| r.1).collect();
        self.rows.extend(&fresh);
        fresh.len()
    }

    /// Integer weights close to these that rise on no open step and fall on some.
    fn whole(&self, weights: &[f64], watch: &Watch) -> Option<Vec<i32>> {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest < 1e-3 {
            return None;
        }
        (1..=60).find_map(|scale| {
            let whole: Vec<i32> = weights.iter().map(|w| (w / largest * f64::from(scale)).round() as i32).collect();
            let mut falls = false;
            let fine = (0..self.open.len()).all(|i| {
                let change: i32 = self.changes.iter().zip(&whole).map(|(c, w)| i32::from(c[i]) * w).sum();
                falls |= change < 0;
                change <= 0 && !watch.cancelled()
            });
            (fine && falls).then_some(whole)
        })
    }

    /// The same with fewer formulas: formulas are removed one by one as long as the sum falls on some step.
    fn thinned(&mut self, weights: Vec<f64>, watch: &Watch) -> Option<Measure> {
        let mut best = (self.columns.clone(), self.changes.clone(), self.whole(&weights, watch)?);
        let mut keep: Vec<usize> = (0..weights.len()).filter(|&k| best.2[k] != 0).collect();
        keep.sort_by_key(|&k| self.pool.candidates[self.columns[k].candidate].size);
        let (columns, changes) = (self.columns.clone(), self.changes.clone());
        let mut at = keep.len();
        while at > 0 {
            at -= 1;
            let fewer: Vec<usize> = keep.iter().copied().filter(|&k| k != keep[at]).collect();
            self.columns = fewer.iter().map(|&k| columns[k]).collect();
            self.changes = fewer.iter().map(|&k| changes[k].clone()).collect();
            let mut found = None;
            for _ in 0..20 {
                let weights = self.solve(watch)?;
                if self.cut(&weights) == 0 {
                    found = self.whole(&weights, watch);
                    break;
                }
            }
            if let Some(whole) = found {
                best = (self.columns.clone(), self.changes.clone(), whole);
                keep = fewer;
            }
        }
        (self.columns, self.changes) = (best.0, best.1);
        Some(self.measure(&best.2))
    }

    fn measure(&self, weights: &[i32]) -> Measure {
        let terms = self.columns.iter().zip(weights).filter(|(_, w)| **w != 0);
        let term =
            |(c, w): (&Column, &i32)| -> (i32, Expr) { (c.sign * w, self.pool.candidates[c.candidate].expr.clone()) };
        Measure::Of(Mode::Count, terms.map(term).collect())
    }
}

/// A sum of at most `most` of the simplest formulas that rises on no open step and falls on some.
///
/// Few formulas are tried first: sums of many formulas overfit the sample.
pub(crate) fn sum(pool: &Pool, open: &[(u32, u32)], most: usize, watch: &Watch) -> Option<Measure> {
    let every = open.len() / FIRST_STEPS + 1;
    let rows: Vec<usize> = (0..open.len()).step_by(every).collect();
    let mut program = Program { pool, open, rows, columns: Vec::new(), changes: Vec::new() };
    program.begin(most, watch);
    for _ in 0..60 {
        let weights = program.solve(watch)?;
        let cuts = program.cut(&weights);
        if cuts == 0 {
            return program.thinned(weights, watch);
        }
    }
    None
}
