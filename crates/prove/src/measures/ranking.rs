//! Weighted sums of counts that fall, for complete graphs: a move always changes a sum by the same amount.

use crate::watch::Watch;
use ringleader_verify::{Move, Rules, State};

/// A sum, and the weight of an agent in each state.
pub(crate) struct Candidate {
    text: String,
    weights: Vec<i64>,
}

impl Candidate {
    fn change(&self, m: &Move) -> i64 {
        let weight = |state: State| self.weights[usize::from(state)];
        m.cells().iter().map(|cell| weight(cell.after) - weight(cell.before)).sum()
    }
}

/// At most this many sums are tried.
const MOST: usize = 20_000;

/// Sums of up to two formulas about an agent's own state, small ones first.
pub(crate) fn candidates(rules: &Rules) -> Vec<Candidate> {
    let mut literals: Vec<(String, Vec<bool>)> = Vec::new();
    for v in &rules.variables {
        for k in 0..v.size {
            let name = match (v.size, k) {
                (2, 1) => v.name.clone(),
                (2, _) => format!("!{}", v.name),
                _ => format!("{}={k}", v.name),
            };
            literals.push((name, v.values.iter().map(|value| *value == k).collect()));
        }
    }
    literals.sort_by_key(|(name, _)| name.starts_with('!'));
    let mut formulas = literals.clone();
    for (i, (a, in_a)) in literals.iter().enumerate() {
        for (b, in_b) in &literals[i + 1..] {
            let both = in_a.iter().zip(in_b).map(|(a, b)| *a && *b).collect();
            formulas.push((format!("({a} & {b})"), both));
        }
    }
    let weighs = |holds: &[bool], by: i64| holds.iter().map(|h| if *h { by } else { 0 }).collect::<Vec<i64>>();
    let mut all: Vec<Candidate> = formulas
        .iter()
        .map(|(text, holds)| Candidate { text: format!("C:{text}"), weights: weighs(holds, 1) })
        .collect();
    for (j, (b, in_b)) in formulas.iter().enumerate() {
        for (a, in_a) in &formulas[..j] {
            for (text, k, l) in [
                (format!("C:{a} + {b}"), 1, 1),
                (format!("C:{a} - {b}"), 1, -1),
                (format!("C:{b} - {a}"), -1, 1),
                (format!("C:2*{a} + {b}"), 2, 1),
                (format!("C:{a} + 2*{b}"), 1, 2),
            ] {
                let weights = weighs(in_a, k).iter().zip(weighs(in_b, l)).map(|(x, y)| x + y).collect();
                all.push(Candidate { text, weights });
            }
        }
        if all.len() > MOST {
            break;
        }
    }
    all
}

/// Sums of which the first that changes falls: on every open move of each configuration, or on one of them.
pub(crate) fn rank(
    moves: &[Move],
    open: &[Vec<usize>],
    candidates: &[Candidate],
    every: bool,
    watch: &Watch,
) -> Option<Vec<String>> {
    let changes: Vec<Vec<i64>> = candidates.iter().map(|c| moves.iter().map(|m| c.change(m)).collect()).collect();
    let search = Ranker { candidates, changes, every, watch, of: open.len() };
    search.descend(open.to_vec(), 8)
}

struct Ranker<'s> {
    candidates: &'s [Candidate],
    changes: Vec<Vec<i64>>,
    every: bool,
    watch: &'s Watch<'s>,
    of: usize,
}

impl Ranker<'_> {
    /// The open moves of each configuration after one more sum; `None` if the sum is useless: it
    /// rises although every move must fall, or it leaves a configuration without moves.
    fn left(&self, changes: &[i64], open: &[Vec<usize>]) -> Option<Vec<Vec<usize>>> {
        let mut rest = Vec::new();
        for moves in open {
            let solved = !self.every && moves.iter().any(|&m| changes[m] < 0);
            if self.every && moves.iter().any(|&m| changes[m] > 0) {
                return None;
            }
            let equal: Vec<usize> = moves.iter().copied().filter(|&m| changes[m] == 0).collect();
            match (solved, equal.is_empty()) {
                (true, _) => {}
                (false, true) if self.every => {}
                (false, true) => return None,
                (false, false) => rest.push(equal),
            }
        }
        Some(rest)
    }

    fn descend(&self, mut open: Vec<Vec<usize>>, deeper: usize) -> Option<Vec<String>> {
        if self.every {
            open.retain(|moves| !moves.is_empty());
        }
        if open.is_empty() {
            return Some(Vec::new());
        }
        if deeper == 0 || self.watch.over() {
            return None;
        }
        let size = |open: &[Vec<usize>]| open.iter().map(Vec::len).sum::<usize>();
        let mut ways: Vec<(usize, usize, Vec<Vec<usize>>)> = Vec::new();
        for (i, changes) in self.changes.iter().enumerate().take_while(|_| !self.watch.cancelled()) {
            if let Some(rest) = self.left(changes, &open)
                && size(&rest) < size(&open)
            {
                ways.push((rest.len(), i, rest));
            }
        }
        ways.sort_by_key(|(left, i, _)| (*left, *i));
        let solved = self.of - open.len().min(self.of);
        self.watch.level(9 - deeper, solved, self.of, || None);
        // If every move must fall, a sum that never rises does no harm, so only the first is tried.
        for (_, i, rest) in ways.into_iter().take(if self.every { 1 } else { 3 }) {
            if let Some(mut found) = self.descend(rest, deeper - 1) {
                found.insert(0, self.candidates[i].text.clone());
                return Some(found);
            }
        }
        None
    }
}
