//! The levels of a search for measures: the chosen measures, and the steps that they leave open.

use crate::decide::descent::{FALLS, OPEN};
use crate::decide::space::Hypothesis;
use crate::decide::table::Dfa;
use crate::formulas::evaluate::Evaluator;
use crate::formulas::expr::Measure;
use crate::measures::open::{Open, remaining, steps};
use crate::measures::pool::Pool;
use crate::measures::trial::Trial;
use crate::rings::sample::Sample;
use ringleader_verify::State;

/// The state of a level: the measures, all steps of every size, and the open steps of the sample (as far as it was known) and of
/// whole rings.
#[derive(Clone)]
pub(crate) struct Level {
    pub(crate) measures: Vec<Measure>,
    pub(crate) steps: Dfa,
    pub(crate) open: Vec<Open>,
    pub(crate) known: usize,
    pub(crate) rings: Vec<Vec<Open>>,
}

/// The data of a search for measures. The sample grows by counterexamples.
pub(crate) struct Levels<'s, 'a> {
    pub(crate) claim: &'s Hypothesis<'s, 'a>,
    pub(crate) evaluator: &'s Evaluator<'a>,
    pub(crate) sample: Sample<'s>,
    pub(crate) pool: Pool,
    pub(crate) trials: &'s [Trial<'s>],
    /// Whether every step must lower a measure; otherwise some step of every configuration.
    pub(crate) every: bool,
    /// Weakly fair schedules with fair coins: the choices of the sample that a daemon can make for ever. All measures must stay equal there.
    pub(crate) forever: Option<Vec<bool>>,
}

impl Levels<'_, '_> {
    /// The open steps of the sample after one more measure.
    pub(crate) fn left(&self, measure: &Measure, open: &[Open]) -> Result<Vec<Open>, u32> {
        let value = |i: usize, t: u32| match measure {
            Measure::Unsafe => u16::from(!self.sample.is_safe(t)),
            Measure::Of(_, terms) => self.evaluator.values(&terms[i].1, &self.sample.words.all[t as usize]),
        };
        remaining(measure, self.every, open, value, self.claim.space.cancel)
    }

    /// The first level: steps into the safe set fall.
    pub(crate) fn start(&self) -> Option<Level> {
        let steps = self.claim.refine(&self.claim.open, &Measure::Unsafe, self.every)?;
        let rings =
            self.trials.iter().map(|t| t.left(&Measure::Unsafe, self.every, &t.all()).unwrap_or_default()).collect();
        let mut level = Level { measures: vec![Measure::Unsafe], steps, open: vec![], known: 0, rings };
        self.catch_up(&mut level);
        Some(level)
    }

    /// Adds the configurations that the sample has learned since. The measures of a level rise on no step.
    pub(crate) fn catch_up(&self, level: &mut Level) {
        let fresh = self.sample.sources.iter().enumerate().skip(level.known);
        let open =
            |(i, s): (usize, &(u32, Vec<u32>))| Open { word: s.0, source: i as u32, whole: true, steps: s.1.clone() };
        let mut left: Vec<Open> = fresh.map(open).collect();
        for m in &level.measures {
            left = self.left(m, &left).unwrap_or_default();
        }
        level.open.extend(left);
        level.known = self.sample.sources.len();
    }

    /// Adds a configuration to the sample. Returns whether it is new.
    pub(crate) fn learn(&mut self, word: &[State]) -> bool {
        let new = self.sample.add(word);
        self.pool.extend(self.evaluator, &self.sample.words.all, self.claim.space.cancel);
        if new && self.forever.is_some() {
            self.forever = Some(self.sample.forever(self.claim.space.cancel));
        }
        new
    }

    /// Whether a daemon can make the choice of an open source for ever.
    pub(crate) fn is_forever(&self, open: &Open) -> bool {
        self.forever.as_ref().is_some_and(|all| all[open.source as usize])
    }

    /// Whether some choice can be made for ever.
    pub(crate) fn some_forever(&self) -> bool {
        self.forever.as_ref().is_some_and(|all| all.contains(&true))
    }

    /// Whether a measure of a level changes by a choice that a daemon can make for ever.
    pub(crate) fn contradicted(&self, level: &Level) -> bool {
        let equal = level.open.iter().filter(|open| open.whole && self.is_forever(open)).count();
        self.forever.as_ref().is_some_and(|all| all.iter().filter(|forever| **forever).count() != equal)
    }

    /// Whether no step is open on any ring. Larger rings may have open steps that the sample lacks, so the sample grows until it has
    /// one. `None` if nothing can be learned: a configuration has no open step in the sample, but this is not proved.
    pub(crate) fn finished(&mut self, level: &mut Level) -> Option<bool> {
        self.catch_up(level);
        while level.open.is_empty() {
            let mut words: Vec<Vec<State>> = Vec::new();
            for (trial, open) in self.trials.iter().zip(&level.rings) {
                let sources: Vec<u32> = match self.every {
                    true => steps(open).into_iter().map(|(word, _)| word).collect(),
                    false => open.iter().map(|o| o.word).collect(),
                };
                words.extend(sources.iter().step_by(sources.len() / 20 + 1).map(|&w| trial.ring.word(w as usize)));
            }
            if words.is_empty() {
                words.extend(match self.every {
                    true => self.claim.step_of(&level.steps, OPEN).map(|step| step.0),
                    false => self.claim.uncovered(&level.steps, &[FALLS]),
                });
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
}
