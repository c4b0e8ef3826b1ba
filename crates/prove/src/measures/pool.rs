//! The candidate formulas, small ones first, no two with the same values on the sample.

use crate::decide::table::{Map, Quick};
use crate::formulas::evaluate::{Evaluator, everyone};
use crate::formulas::expr::Expr;
use crate::watch::Cancel;
use ringleader_verify::State;
use std::hash::Hasher;
use std::sync::Arc;

/// A formula with its own row of values, or the conjunction of two such formulas.
pub(crate) struct Candidate {
    pub(crate) expr: Expr,
    pub(crate) size: usize,
    /// Whether the formula has no operators along the ring, or is about agent 0 or n-1 only.
    pub(crate) simple: bool,
    row: u32,
    negated: bool,
    with: Option<u32>,
}

/// Formulas with their values.
pub(crate) struct Pool {
    /// For each word, the values of a formula that holds everywhere.
    everyone: Vec<u16>,
    exprs: Vec<Expr>,
    rows: Vec<Vec<u16>>,
    pub(crate) candidates: Vec<Candidate>,
}

struct Builder<'p> {
    pool: Pool,
    seen_rows: Map<u64, ()>,
    seen: Map<u64, ()>,
    words: &'p [Vec<State>],
    most: usize,
    cancel: Cancel<'p>,
    buffer: Vec<u16>,
}

/// Hashes of values and of their negation, four values at a time.
fn hashes(values: &[u16], all: &[u16]) -> [u64; 2] {
    let mut hashers = [Quick::default(); 2];
    let word = |four: &[u16]| four.iter().fold(0u64, |w, v| w << 16 | u64::from(*v));
    for (values, all) in values.chunks(4).zip(all.chunks(4)) {
        let (values, all) = (word(values), word(all));
        hashers[0].write_u64(values);
        hashers[1].write_u64(values ^ all);
    }
    hashers.map(|h| h.finish())
}

impl Builder<'_> {
    /// A new row for an expression with new values; returns its number.
    fn row(&mut self, expr: Expr, values: Vec<u16>) -> Option<u32> {
        if self.seen_rows.insert(hashes(&values, &self.pool.everyone)[0], ()).is_some() {
            return None;
        }
        self.pool.exprs.push(expr);
        self.pool.rows.push(values);
        Some(self.pool.rows.len() as u32 - 1)
    }

    /// Whether no more formulas are wanted: there are enough, or the search is cancelled.
    fn full(&self) -> bool {
        self.pool.candidates.len() >= self.most || self.cancel.asked()
    }

    /// Adds a row or a conjunction, unless the pool has it or its negation, or it is constant.
    fn offer(&mut self, row: u32, negated: bool, with: Option<u32>, simple: bool) {
        if self.full() {
            return;
        }
        let mut values = std::mem::take(&mut self.buffer);
        self.pool.values_of(row, negated, with, &mut values);
        let both = hashes(&values, &self.pool.everyone);
        let key = both[0].min(both[1]);
        self.buffer = values;
        if self.seen.insert(key, ()).is_none() {
            let of = |r: u32| self.pool.exprs[r as usize].clone();
            let base = if negated { of(row).not() } else { of(row) };
            let expr = with.map_or(base.clone(), |w| of(w).and(base));
            self.pool.candidates.push(Candidate { size: expr.size(), expr, simple, row, negated, with });
        }
    }

    fn combined(&self, a: u32, b: u32, f: impl Fn(u16, u16, usize) -> u16) -> Vec<u16> {
        let (a, b) = (&self.pool.rows[a as usize], &self.pool.rows[b as usize]);
        a.iter().zip(b).zip(self.words).map(|((a, b), w)| f(*a, *b, w.len())).collect()
    }
}

impl Pool {
    fn values_of(&self, row: u32, negated: bool, with: Option<u32>, into: &mut Vec<u16>) {
        into.clear();
        let row = &self.rows[row as usize];
        if negated {
            into.extend(row.iter().zip(&self.everyone).map(|(v, all)| v ^ all));
        } else {
            into.extend_from_slice(row);
        }
        if let Some(with) = with {
            into.iter_mut().zip(&self.rows[with as usize]).for_each(|(v, w)| *v &= w);
        }
    }

    /// The values of a candidate on every word of the sample.
    pub(crate) fn values(&self, candidate: &Candidate, into: &mut Vec<u16>) {
        self.values_of(candidate.row, candidate.negated, candidate.with, into);
    }

    /// Appends the values on later words; zeros once the search is cancelled.
    pub(crate) fn extend(&mut self, evaluator: &Evaluator, words: &[Vec<State>], cancel: Cancel) {
        let fresh = &words[self.everyone.len()..];
        self.everyone.extend(fresh.iter().map(|w| everyone(w.len())));
        for (expr, row) in self.exprs.iter().zip(&mut self.rows) {
            for w in &words[row.len()..] {
                row.push(if cancel.asked() { 0 } else { evaluator.values(expr, w) });
            }
        }
    }

    /// Formulas over the fresh atoms among those given, at most `most`.
    pub(crate) fn new(
        evaluator: &Evaluator,
        atoms: &[usize],
        words: &[Vec<State>],
        most: usize,
        cancel: Cancel,
    ) -> Pool {
        let everyone = words.iter().map(|w| everyone(w.len())).collect();
        let pool = Pool { everyone, exprs: Vec::new(), rows: Vec::new(), candidates: Vec::new() };
        let (seen_rows, seen, buffer) = (Map::default(), Map::default(), Vec::new());
        let mut b = Builder { pool, seen_rows, seen, words, most, cancel, buffer };
        let evaluate = |e: &Expr| words.iter().map(|w| evaluator.values(e, w)).collect::<Vec<_>>();
        let mut literals = Vec::new();
        for &a in atoms.iter().take_while(|_| !cancel.asked()) {
            for e in [Expr::Atom(a), Expr::Atom(a).not()] {
                literals.extend(b.row(e.clone(), evaluate(&e)));
            }
        }
        let one = b.row(Expr::One, evaluate(&Expr::One));
        for &l in &literals {
            b.offer(l, false, None, true);
        }
        let mut pairs = Vec::new();
        for (i, &x) in literals.iter().enumerate() {
            for &y in literals[i + 1..].iter().take_while(|_| !cancel.asked()) {
                let (ex, ey) = (b.pool.exprs[x as usize].clone(), b.pool.exprs[y as usize].clone());
                let and = b.combined(x, y, |x, y, _| x & y);
                pairs.extend(b.row(ex.clone().and(ey.clone()), and));
                let or = b.combined(x, y, |x, y, _| x | y);
                pairs.extend(b.row(Expr::Or(Arc::new(ex), Arc::new(ey)), or));
            }
        }
        for &p in &pairs {
            b.offer(p, false, None, true);
        }
        let lefts: Vec<u32> = literals.iter().copied().chain(one).collect();
        // Values at agent 0 or n-1 alone describe the whole ring.
        let is_end =
            |e: &Expr| matches!(e, Expr::Atom(a) if ["root", "top"].contains(&evaluator.atoms[*a].name.as_str()));
        let ends: Vec<u32> = literals.iter().copied().filter(|l| is_end(&b.pool.exprs[*l as usize])).collect();
        let steps = b.neighbours(&literals);
        b.offer_all(&steps, &ends, true);
        b.offer_all(&steps, &literals, false);
        let small = b.temporal(&lefts, &literals);
        b.offer_all(&small, &ends, true);
        b.offer_all(&small, &literals, false);
        let beside = b.neighbours(&small);
        b.offer_all(&beside, &ends, true);
        if !b.full() {
            let mut middle = b.temporal(&lefts, &pairs);
            middle.extend(b.temporal(&pairs, &literals));
            b.offer_all(&middle, &ends, true);
            b.offer_all(&middle, &literals, false);
        }
        if !b.full() {
            let large = b.temporal(&pairs, &pairs);
            b.offer_all(&large, &[], false);
        }
        b.pool
    }
}

impl Builder<'_> {
    fn neighbours(&mut self, of: &[u32]) -> Vec<u32> {
        use crate::formulas::evaluate::{from_left, from_right};
        let (cancel, mut rows) = (self.cancel, Vec::new());
        for &a in of.iter().take_while(|_| !cancel.asked()) {
            let e = Arc::new(self.pool.exprs[a as usize].clone());
            let left = self.combined(a, a, |x, _, n| from_left(x, n));
            rows.extend(self.row(Expr::Left(e.clone()), left));
            let right = self.combined(a, a, |x, _, n| from_right(x, n));
            rows.extend(self.row(Expr::Right(e), right));
        }
        rows
    }

    fn temporal(&mut self, firsts: &[u32], seconds: &[u32]) -> Vec<u32> {
        use crate::formulas::evaluate::{since, until};
        let mut rows = Vec::new();
        for &x in firsts {
            for &y in seconds {
                if self.full() || self.pool.rows.len() > self.most / 2 {
                    return rows;
                }
                let e = |r: u32| Arc::new(self.pool.exprs[r as usize].clone());
                let (ex, ey) = (e(x), e(y));
                let left = self.combined(x, y, since);
                rows.extend(self.row(Expr::Since(ex.clone(), ey.clone()), left));
                let right = self.combined(x, y, until);
                rows.extend(self.row(Expr::Until(ex, ey), right));
            }
        }
        rows
    }

    fn offer_all(&mut self, rows: &[u32], literals: &[u32], ends: bool) {
        for &r in rows {
            self.offer(r, false, None, false);
        }
        for &r in rows {
            for &l in literals {
                self.offer(r, false, Some(l), ends);
                self.offer(r, true, Some(l), ends);
            }
        }
    }
}
