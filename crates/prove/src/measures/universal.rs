//! Measures such that every step lowers one: necessary under the unfair daemon.
//!
//! A measure that never rises on an open step does no harm, so the search takes the first measure that falls on some.

use crate::Unsolved;
use crate::decide::descent::LOST;
use crate::formulas::expr::Measure;
use crate::measures::level::{Level, Levels};
use crate::measures::open::steps;
use crate::measures::order::{falling, measure};
use crate::measures::sums::sum;
use crate::watch::Watch;

impl<'s, 'a> Levels<'s, 'a> {
    /// Candidates that rise on no open step of the sample and fall on some, the best first.
    fn never_rising(&self, open: &[(u32, u32)], size: usize, share: f64) -> Vec<(usize, usize)> {
        let mut values = Vec::new();
        let mut scored = Vec::new();
        for (i, c) in self.pool.candidates.iter().enumerate().filter(|c| c.1.size <= size) {
            if self.claim.space.cancel.asked() {
                break;
            }
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
            match trial.left(&m, true, open) {
                Ok(rest) => rings.push(rest),
                Err(w) => {
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
        let scored = self.never_rising(&steps(&level.open), size, share);
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
            let Some(m) = sum(&self.pool, &steps(&level.open), most, watch) else { return false };
            if self.take(level, m) {
                return true;
            }
        }
        false
    }

    /// Searches for measures until the level is `finished`, which may add to the sample. With more effort, also for measures that fall on
    /// few steps or have many terms.
    pub(crate) fn search_universal(
        &mut self,
        hard: bool,
        watch: &Watch,
        mut finished: impl FnMut(&mut Levels<'s, 'a>, &mut Level) -> Option<bool>,
    ) -> Option<Vec<Measure>> {
        let mut level = self.start()?;
        loop {
            if finished(self, &mut level)? {
                return Some(level.measures);
            }
            let of = self.sample.sources.iter().map(|s| s.1.len()).sum();
            let open = steps(&level.open);
            watch.level(level.measures.len(), of - open.len(), of, || {
                let word = |number: u32| self.sample.words.all[number as usize].clone();
                let shortest = open.iter().map(|&(w, v)| (word(w), word(v))).min_by_key(|(w, _)| w.len());
                shortest.map(|(before, after)| Unsolved { before, after: Some(after), waits: None })
            });
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
