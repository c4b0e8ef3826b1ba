//! Measures such that every configuration has some step that lowers one: sufficient under global fairness.
//!
//! The search proceeds level by level. A measure solves the configurations with a step on which it falls and all
//! measures before it are equal. The other configurations keep the steps on which it is equal. A measure is useless if
//! it leaves a configuration without steps, or without a path to a solved one. It is chosen on a sample, tried on whole
//! rings, and confirmed on every size.
//!
//! Under weakly fair schedules with fair coins, a choice of the daemon may also leave all measures equal, with every outcome. It must, if
//! a daemon can make the choice for ever.

use crate::Unsolved;
use crate::decide::descent::{FALLS, OPEN};
use crate::formulas::expr::Measure;
use crate::measures::level::{Level, Levels};
use crate::measures::open::Open;
use crate::measures::order::{falling, measure};
use crate::measures::trial::hopeful;
use crate::watch::Watch;
use ringleader_verify::State;

struct Scored {
    candidate: usize,
    order: usize,
    score: f64,
}

/// A search for such measures.
pub(crate) struct Existential<'f, 's, 'a> {
    pub(crate) levels: Levels<'s, 'a>,
    /// The weight of lost steps.
    pub(crate) lambda: f64,
    /// The number of levels that may still be extended.
    pub(crate) nodes: usize,
    pub(crate) watch: &'f Watch<'f>,
    pub(crate) finished: &'f mut Finished<'f, 's, 'a>,
}

/// Whether a level has all measures of a proof; `None` if nothing can be said.
pub(crate) type Finished<'f, 's, 'a> = dyn FnMut(&mut Levels<'s, 'a>, &mut Level) -> Option<bool> + 'f;

/// The reason why a measure is rejected.
enum Refused {
    /// This configuration loses all its steps.
    By(Vec<State>),
    Hopeless,
}

impl Levels<'_, '_> {
    /// The score of each candidate in each order, the best first.
    fn score(&self, unsolved: &[Open], lambda: f64) -> Vec<Scored> {
        let count = self.pool.candidates.len();
        let half = count / 2;
        let mut scored = std::thread::scope(|scope| {
            let other = scope.spawn(|| self.score_range(half..count, unsolved, lambda));
            let mut own = self.score_range(0..half, unsolved, lambda);
            own.extend(other.join().expect("scoring does not panic"));
            own
        });
        scored.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then(a.candidate.cmp(&b.candidate)).then(a.order.cmp(&b.order))
        });
        scored
    }

    fn score_range(&self, range: std::ops::Range<usize>, unsolved: &[Open], lambda: f64) -> Vec<Scored> {
        let mut values = Vec::new();
        let mut scored = Vec::new();
        for candidate in range.take_while(|_| !self.claim.space.cancel.asked()) {
            let c = &self.pool.candidates[candidate];
            self.pool.values(c, &mut values);
            let mut alive = 0b111_111u8;
            let (mut solved, mut lost) = ([0u32; 6], [0u32; 6]);
            for u in unsolved {
                let before = values[u.word as usize];
                if self.is_forever(u) {
                    alive &= u.steps.iter().fold(0b111_111, |all, t| all & falling(before, values[*t as usize]).1);
                    continue;
                }
                let (mut falls, mut equal) = (0, 0);
                let mut rising = [0u32; 6];
                for &t in &u.steps {
                    let (f, e) = falling(before, values[t as usize]);
                    falls |= f;
                    equal |= e;
                    for (k, r) in rising.iter_mut().enumerate() {
                        *r += u32::from((f | e) >> k & 1 == 0);
                    }
                }
                alive &= falls | equal;
                if alive == 0 {
                    break;
                }
                for k in 0..6 {
                    solved[k] += u32::from(falls >> k & 1);
                    lost[k] += rising[k] * u32::from(falls >> k & 1 == 0);
                }
            }
            for order in (0..6).filter(|k| alive >> k & 1 == 1 && solved[*k] > 0) {
                let size = c.size + usize::from(order >= 3);
                let score = f64::from(solved[order]) / (size as f64 * (lambda + f64::from(lost[order])));
                scored.push(Scored { candidate, order, score });
            }
        }
        scored
    }
}

impl Existential<'_, '_, '_> {
    /// Whether every unsolved configuration can still reach, on remaining steps, a solved or safe one.
    fn hopeful(&self, unsolved: &[Open]) -> bool {
        let source = |word: u32| self.levels.sample.source(word);
        let unsolved: Vec<&Open> = unsolved.iter().filter(|open| !self.levels.is_forever(open)).collect();
        hopeful(&unsolved, self.levels.sample.sources.len(), source, self.levels.claim.space.cancel)
    }

    /// Searches with this weight of lost steps and this number of levels.
    pub(crate) fn search(&mut self, lambda: f64, nodes: usize) -> Option<Vec<Measure>> {
        (self.lambda, self.nodes) = (lambda, nodes);
        let start = self.levels.start()?;
        self.descend(start)
    }

    /// One more measure, or the reason for its rejection.
    fn extended(&self, level: &Level, m: &Measure) -> Result<Level, Refused> {
        let unsolved = self.levels.left(m, &level.open).unwrap_or_default();
        if unsolved.iter().any(|u| u.steps.is_empty()) || !self.hopeful(&unsolved) {
            return Err(Refused::Hopeless);
        }
        let mut rings = Vec::new();
        for (trial, left) in self.levels.trials.iter().zip(&level.rings) {
            let left = trial.left(m, false, left).unwrap_or_default();
            if let Some(u) = left.iter().find(|u| u.steps.is_empty()) {
                return Err(Refused::By(trial.ring.word(u.word as usize)));
            }
            // A choice that can be made for ever leads to no solved one.
            if !self.levels.some_forever() && !trial.hopeful(&left) {
                return Err(Refused::Hopeless);
            }
            rings.push(left);
        }
        let steps = self.levels.claim.refine(&level.steps, m, false).ok_or(Refused::Hopeless)?;
        match self.levels.claim.uncovered(&steps, &[OPEN, FALLS]) {
            Some(word) => Err(Refused::By(word)),
            None => {
                let measures = level.measures.iter().chain([m]).cloned().collect();
                Ok(Level { measures, steps, open: unsolved, known: level.known, rings })
            }
        }
    }

    fn descend(&mut self, mut level: Level) -> Option<Vec<Measure>> {
        if (self.finished)(&mut self.levels, &mut level)? {
            return Some(level.measures);
        }
        if level.measures.len() > 14 || self.watch.over() || self.nodes == 0 {
            return None;
        }
        self.nodes -= 1;
        let scored = self.levels.score(&level.open, self.lambda);
        let of = self.levels.sample.sources.len();
        self.watch.level(level.measures.len(), of - level.open.len(), of, || {
            let words = level.open.iter().map(|open| &self.levels.sample.words.all[open.word as usize]);
            let shortest = words.min_by_key(|word| word.len());
            shortest.map(|word| Unsolved { before: word.clone(), after: None, waits: None })
        });
        let mut branches = 0;
        for s in scored.iter().take(400) {
            if branches == 2 || self.watch.over() || self.nodes == 0 {
                break;
            }
            let m = measure(&self.levels.pool, s.candidate, s.order);
            self.levels.catch_up(&mut level);
            if self.levels.contradicted(&level) {
                return None;
            }
            match self.extended(&level, &m) {
                Err(Refused::Hopeless) => {}
                Err(Refused::By(word)) => _ = self.levels.learn(&word),
                Ok(next) => {
                    branches += 1;
                    if let Some(found) = self.descend(next) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }
}
