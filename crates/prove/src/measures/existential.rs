//! Measures such that every configuration has some step that lowers one: sufficient under global fairness.
//!
//! The search proceeds level by level. A measure solves the configurations with a step on which it falls and all
//! measures before it are equal. The other configurations keep the steps on which it is equal. A measure is useless if
//! it leaves a configuration without steps, or without a path to a solved one. It is chosen on a sample, tried on whole
//! rings, and confirmed on every size.

use crate::decide::descent::{FALLS, OPEN};
use crate::decide::space::Hypothesis;
use crate::decide::table::Dfa;
use crate::formulas::evaluate::Evaluator;
use crate::formulas::expr::Measure;
use crate::measures::order::{MODES, falling, measure};
use crate::measures::pool::Pool;
use crate::measures::trial::{Trial, Unsolved, remaining};
use crate::rings::sample::Sample;
use crate::watch::{Progress, Watch};
use ringleader_verify::State;

struct Scored {
    candidate: usize,
    order: usize,
    score: f64,
}

/// The state of a level: measures, all steps of every size, and the unsolved configurations of the sample (as far as it
/// was known) and of whole rings.
#[derive(Clone)]
struct Level {
    measures: Vec<Measure>,
    steps: Dfa,
    unsolved: Vec<Unsolved>,
    known: usize,
    rings: Vec<Vec<Unsolved>>,
}

pub(crate) struct Existential<'s, 'a> {
    pub(crate) claim: &'s Hypothesis<'s, 'a>,
    pub(crate) evaluator: &'s Evaluator<'a>,
    pub(crate) sample: Sample<'s>,
    pub(crate) pool: Pool,
    pub(crate) trials: &'s [Trial<'s>],
}

/// The reason why a measure is rejected.
enum Refused {
    /// This configuration loses all its steps.
    By(Vec<State>),
    Hopeless,
}

impl Existential<'_, '_> {
    /// The score of each candidate in each order, the best first.
    fn score(&self, unsolved: &[Unsolved], lambda: f64) -> Vec<Scored> {
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

    fn score_range(&self, range: std::ops::Range<usize>, unsolved: &[Unsolved], lambda: f64) -> Vec<Scored> {
        let mut values = Vec::new();
        let mut scored = Vec::new();
        for candidate in range {
            let c = &self.pool.candidates[candidate];
            self.pool.values(c, &mut values);
            let mut alive = 0b111_111u8;
            let (mut solved, mut lost) = ([0u32; 6], [0u32; 6]);
            for u in unsolved {
                let before = values[u.word as usize];
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

    /// Whether every unsolved configuration can still reach, on remaining steps, a solved or safe one.
    fn hopeful(&self, unsolved: &[Unsolved]) -> bool {
        let source = |word: u32| self.sample.source(word);
        crate::measures::trial::hopeful(unsolved, self.sample.sources.len(), source)
    }

    /// The configurations of the sample that a measure leaves unsolved.
    fn left(&self, m: &Measure, unsolved: &[Unsolved]) -> Vec<Unsolved> {
        match m {
            Measure::Unsafe => remaining(0, unsolved, |t| u16::from(!self.sample.is_safe(t))),
            Measure::Of(mode, terms) => {
                let order = MODES.iter().position(|m| m == mode).expect("one of them");
                remaining(order, unsolved, |t| self.evaluator.values(&terms[0].1, &self.sample.words[t as usize]))
            }
        }
    }

    fn start(&self) -> Option<Level> {
        let steps = self.claim.refine(&self.claim.open, &Measure::Unsafe, false)?;
        let rings = self.trials.iter().map(|t| t.left(&Measure::Unsafe, &t.all())).collect();
        let mut level = Level { measures: vec![Measure::Unsafe], steps, unsolved: Vec::new(), known: 0, rings };
        self.catch_up(&mut level);
        Some(level)
    }

    /// Adds the configurations that the sample has learned since.
    fn catch_up(&self, level: &mut Level) {
        let fresh = self.sample.sources[level.known..].iter();
        let mut left: Vec<Unsolved> = fresh.map(|s| Unsolved { word: s.0, steps: s.1.clone() }).collect();
        for m in &level.measures {
            left = self.left(m, &left);
        }
        level.unsolved.extend(left);
        level.known = self.sample.sources.len();
    }

    fn learn(&mut self, word: &[State]) -> bool {
        let new = self.sample.add(word);
        self.pool.extend(self.evaluator, &self.sample.words);
        new
    }

    /// Searches with one weight for lost steps.
    pub(crate) fn search(&mut self, lambda: f64, nodes: &mut usize, watch: &Watch) -> Option<Vec<Measure>> {
        let start = self.start()?;
        self.descend(start, lambda, nodes, watch)
    }

    /// Larger rings may contain unsolved configurations, so the sample grows until one is found. True if there are
    /// none.
    fn finished(&mut self, level: &mut Level) -> Option<bool> {
        self.catch_up(level);
        while level.unsolved.is_empty() {
            let mut words: Vec<Vec<State>> = Vec::new();
            for (trial, left) in self.trials.iter().zip(&level.rings) {
                let every = left.len() / 20 + 1;
                words.extend(left.iter().step_by(every).map(|u| trial.ring.word(u.word as usize)));
            }
            if words.is_empty() {
                words.extend(self.claim.uncovered(&level.steps, &[FALLS]));
            }
            if words.is_empty() {
                return Some(true);
            }
            // The configuration is known and solved in the sample, but not proved to be. Nothing can be learned from
            // it.
            if words.iter().filter(|w| self.learn(w)).count() == 0 {
                return None;
            }
            self.catch_up(level);
        }
        Some(false)
    }

    /// One more measure, or the reason for its rejection.
    fn extended(&self, level: &Level, m: &Measure) -> Result<Level, Refused> {
        let unsolved = self.left(m, &level.unsolved);
        if unsolved.iter().any(|u| u.steps.is_empty()) || !self.hopeful(&unsolved) {
            return Err(Refused::Hopeless);
        }
        let mut rings = Vec::new();
        for (trial, left) in self.trials.iter().zip(&level.rings) {
            let left = trial.left(m, left);
            if let Some(u) = left.iter().find(|u| u.steps.is_empty()) {
                return Err(Refused::By(trial.ring.word(u.word as usize)));
            }
            if !trial.hopeful(&left) {
                return Err(Refused::Hopeless);
            }
            rings.push(left);
        }
        let steps = self.claim.refine(&level.steps, m, false).ok_or(Refused::Hopeless)?;
        match self.claim.uncovered(&steps, &[OPEN, FALLS]) {
            Some(word) => Err(Refused::By(word)),
            None => {
                let measures = level.measures.iter().chain([m]).cloned().collect();
                Ok(Level { measures, steps, unsolved, known: level.known, rings })
            }
        }
    }

    fn descend(&mut self, mut level: Level, lambda: f64, nodes: &mut usize, watch: &Watch) -> Option<Vec<Measure>> {
        if self.finished(&mut level)? {
            return Some(level.measures);
        }
        if level.measures.len() > 14 || watch.over() || *nodes == 0 {
            return None;
        }
        *nodes -= 1;
        let scored = self.score(&level.unsolved, lambda);
        let of = self.sample.sources.len();
        watch.tell(Progress::Level { measures: level.measures.len(), solved: of - level.unsolved.len(), of });
        let mut branches = 0;
        for s in scored.iter().take(400) {
            if branches == 2 || watch.over() || *nodes == 0 {
                break;
            }
            let m = measure(&self.pool, s.candidate, s.order);
            self.catch_up(&mut level);
            match self.extended(&level, &m) {
                Err(Refused::Hopeless) => {}
                Err(Refused::By(word)) => _ = self.learn(&word),
                Ok(next) => {
                    branches += 1;
                    if let Some(found) = self.descend(next, lambda, nodes, watch) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }
}
