//! Measures such that every step lowers one: necessary under the unfair daemon.
//!
//! A measure that never rises on an open step does no harm, so the search takes the first measure that falls on some.

use crate::decide::descent::{LOST, OPEN};
use crate::decide::space::Hypothesis;
use crate::decide::table::Dfa;
use crate::formulas::evaluate::Evaluator;
use crate::formulas::expr::{Expr, Measure, Mode};
use crate::measures::order::{MODES, falling, measure};
use crate::measures::pool::Pool;
use crate::measures::trial::Trial;
use crate::rings::sample::Sample;
use crate::watch::{Progress, Watch};
use ringleader_verify::State;

pub(crate) struct Universal<'s, 'a> {
    pub(crate) claim: &'s Hypothesis<'s, 'a>,
    pub(crate) evaluator: &'s Evaluator<'a>,
    pub(crate) sample: Sample<'s>,
    pub(crate) pool: Pool,
    pub(crate) trials: &'s [Trial<'s>],
}

/// Steps as pairs of words.
type Steps = Vec<(u32, u32)>;

struct Level {
    measures: Vec<Measure>,
    steps: Dfa,
    open: Steps,
    known: usize,
    rings: Vec<Steps>,
}

/// Keeps the steps on which a measure is equal; a step on which it rises is an error.
fn equal(open: &Steps, change: impl Fn(u32, u32) -> i64) -> Result<Steps, (u32, u32)> {
    let mut rest = Steps::new();
    for &(w, v) in open {
        match change(w, v) {
            0 => rest.push((w, v)),
            c if c > 0 => return Err((w, v)),
            _ => {}
        }
    }
    Ok(rest)
}

/// The sign of a measure's change, from values of its terms.
fn change(mode: Mode, terms: &[(i32, Expr)], value: impl Fn(usize, u32) -> u16, w: u32, v: u32) -> i64 {
    if mode == Mode::Count {
        let count = |i: usize, t: u32| i64::from(value(i, t).count_ones());
        return (0..terms.len()).map(|i| i64::from(terms[i].0) * (count(i, v) - count(i, w))).sum();
    }
    let order = MODES.iter().position(|m| *m == mode).expect("one of them");
    let (falls, equal) = falling(value(0, w), value(0, v));
    if equal >> order & 1 == 1 { 0 } else { 1 - 2 * i64::from(falls >> order & 1) }
}

impl Universal<'_, '_> {
    fn left(&self, m: &Measure, open: &Steps) -> Result<Steps, (u32, u32)> {
        match m {
            Measure::Unsafe => equal(open, |_, v| -i64::from(self.sample.is_safe(v))),
            Measure::Of(mode, terms) => {
                let value = |i: usize, t: u32| self.evaluator.values(&terms[i].1, &self.sample.words[t as usize]);
                equal(open, |w, v| change(*mode, terms, value, w, v))
            }
        }
    }

    fn left_on_ring(&self, trial: &Trial, m: &Measure, open: &Steps) -> Result<Steps, (u32, u32)> {
        match m {
            Measure::Unsafe => equal(open, |_, v| -i64::from(trial.is_safe(v))),
            Measure::Of(mode, terms) => {
                let rows: Vec<Vec<u16>> = terms.iter().map(|t| trial.values(&t.1)).collect();
                equal(open, |w, v| change(*mode, terms, |i, t| rows[i][t as usize], w, v))
            }
        }
    }

    fn catch_up(&self, level: &mut Level) {
        let fresh = self.sample.sources[level.known..].iter();
        let mut left: Steps = fresh.flat_map(|s| s.1.iter().map(|t| (s.0, *t))).collect();
        for m in &level.measures {
            // Known measures rise on no step.
            left = self.left(m, &left).unwrap_or_default();
        }
        level.open.extend(left);
        level.known = self.sample.sources.len();
    }

    fn learn(&mut self, word: &[State]) -> bool {
        let new = self.sample.add(word);
        self.pool.extend(self.evaluator, &self.sample.words);
        new
    }

    fn start(&self) -> Option<Level> {
        let steps = self.claim.refine(&self.claim.open, &Measure::Unsafe, true)?;
        let all = |t: &Trial| -> Steps { t.all().iter().flat_map(|u| u.steps.iter().map(|v| (u.word, *v))).collect() };
        let rings = self.trials.iter().map(|t| self.left_on_ring(t, &Measure::Unsafe, &all(t)).unwrap_or_default());
        let rings = rings.collect();
        let mut level = Level { measures: vec![Measure::Unsafe], steps, open: Steps::new(), known: 0, rings };
        self.catch_up(&mut level);
        Some(level)
    }

    /// True if no step is open on any ring.
    fn finished(&mut self, level: &mut Level) -> Option<bool> {
        self.catch_up(level);
        while level.open.is_empty() {
            let mut words: Vec<Vec<State>> = Vec::new();
            for (trial, open) in self.trials.iter().zip(&level.rings) {
                words.extend(open.iter().step_by(open.len() / 20 + 1).map(|s| trial.ring.word(s.0 as usize)));
            }
            if words.is_empty() {
                words.extend(self.claim.step_of(&level.steps, OPEN).map(|s| s.0));
            }
            if words.is_empty() {
                return Some(true);
            }
            if words.iter().filter(|w| self.learn(w)).count() == 0 {
                return None;
            }
            self.catch_up(level);
        }
        Some(false)
    }

    /// Candidates that rise on no open step of the sample and fall on some, the best first.
    fn score(&self, open: &Steps, size: usize, share: f64) -> Vec<(usize, usize)> {
        let mut values = Vec::new();
        let mut scored = Vec::new();
        for (i, c) in self.pool.candidates.iter().enumerate().filter(|c| c.1.size <= size) {
            self.pool.values(c, &mut values);
            let mut alive = 0b111_111u8;
            let mut falls = [0u32; 6];
            for &(w, v) in open {
                let (f, e) = falling(values[w as usize], values[v as usize]);
                alive &= f | e;
                if alive == 0 {
                    break;
                }
                for (k, n) in falls.iter_mut().enumerate() {
                    *n += u32::from(f >> k & 1);
                }
            }
            for order in (0..6).filter(|k| alive >> k & 1 == 1 && f64::from(falls[*k]) > share * open.len() as f64) {
                scored.push((f64::from(falls[order]) / (c.size as f64 + f64::from(order as u32 / 3)), i, order));
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.into_iter().map(|(_, i, order)| (i, order)).collect()
    }

    /// Takes a measure if it rises on no open step of any ring; otherwise adds the counterexample to the sample.
    fn take(&mut self, level: &mut Level, m: Measure) -> bool {
        let Ok(open) = self.left(&m, &level.open) else { return false };
        let mut rings = Vec::new();
        for (trial, open) in self.trials.iter().zip(&level.rings) {
            match self.left_on_ring(trial, &m, open) {
                Ok(rest) => rings.push(rest),
                Err((w, _)) => {
                    self.learn(&trial.ring.word(w as usize));
                    return false;
                }
            }
        }
        let Some(steps) = self.claim.refine(&level.steps, &m, true) else { return false };
        let lost = self.claim.step_of(&steps, LOST);
        if let Some((w, _)) = lost {
            self.learn(&w);
            return false;
        }
        level.measures.push(m);
        (level.steps, level.open, level.rings) = (steps, open, rings);
        true
    }

    /// Takes a formula of at most this size.
    fn take_single(&mut self, level: &mut Level, size: usize, share: f64, watch: &Watch) -> bool {
        let scored = self.score(&level.open, size, share);
        scored.into_iter().take(300).any(|(candidate, order)| {
            self.catch_up(level);
            !watch.over() && self.take(level, measure(&self.pool, candidate, order))
        })
    }

    /// Takes a sum of at most `most` formulas. The counterexample to a sum is added to the sample before the next is
    /// tried.
    fn take_sum(&mut self, level: &mut Level, most: usize, watch: &Watch) -> bool {
        for _ in 0..20 {
            self.catch_up(level);
            let Some(m) = crate::measures::sums::sum(&self.pool, &level.open, most, watch) else { return false };
            if self.take(level, m) {
                return true;
            }
        }
        false
    }

    /// Searches for measures. With more effort, also for measures that fall on few steps or have many terms.
    pub(crate) fn search(&mut self, hard: bool, watch: &Watch) -> Option<Vec<Measure>> {
        let mut level = self.start()?;
        loop {
            if self.finished(&mut level)? {
                return Some(level.measures);
            }
            let of = self.sample.sources.iter().map(|s| s.1.len()).sum();
            watch.tell(Progress::Level { measures: level.measures.len(), solved: of - level.open.len(), of });
            let taken = self.take_single(&mut level, 3, 0.1, watch)
                || [60, 120].iter().any(|&most| self.take_sum(&mut level, most, watch))
                || self.take_single(&mut level, usize::MAX, 0.1, watch)
                || self.take_single(&mut level, usize::MAX, 0.01, watch)
                || hard && [180, 240, 360, 480].iter().any(|&most| self.take_sum(&mut level, most, watch))
                || hard && self.take_single(&mut level, usize::MAX, 0.0, watch)
                || hard && self.take_sum(&mut level, 1500, watch);
            if !taken {
                return None;
            }
        }
    }
}
