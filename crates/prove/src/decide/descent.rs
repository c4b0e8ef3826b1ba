//! Steps classified by the changes of the measures, for every size at once.

use super::space::{Hypothesis, Letter};
use super::table::{Dfa, Map};
use super::track::Track;
use crate::formulas::expr::{Measure, Mode};
use ringleader_verify::State;
use std::cell::{Cell, RefCell};

/// No measure so far rises, and none is known to fall.
pub(crate) const OPEN: u8 = 1;
/// The first measure that changes falls.
pub(crate) const FALLS: u8 = 2;
/// A measure may rise.
pub(crate) const LOST: u8 = 3;

const TOO_HIGH: i32 = i32::MAX;

/// A refinement with more states than this is given up.
const LIMIT: usize = 40_000;
/// A refinement with more runs than this is given up.
const WORK: usize = 20_000_000;

fn add(mode: Mode, weights: &[i32], bound: i32, sum: i32, before: u32, after: u32) -> i32 {
    let delta = |i: usize| (after >> i & 1) as i32 - (before >> i & 1) as i32;
    match mode {
        Mode::FromBottom if sum != 0 => sum,
        Mode::FromTop if delta(0) == 0 => sum,
        Mode::FromBottom | Mode::FromTop => delta(0),
        Mode::Count if sum == TOO_HIGH => sum,
        Mode::Count => {
            let sum = sum + weights.iter().enumerate().map(|(i, w)| w * delta(i)).sum::<i32>();
            if sum > bound { TOO_HIGH } else { sum.max(-bound) }
        }
    }
}

fn sorted(class: u8, change: i32) -> u8 {
    match (class, change) {
        (OPEN, c) if c < 0 => FALLS,
        (OPEN, c) if c > 0 => LOST,
        (class, _) => class,
    }
}

impl Hypothesis<'_, '_> {
    /// The steps after one more measure; `None` if the table grows too large, or if the search is cancelled. Without `keep_lost`, steps on which a
    /// measure may rise are dropped.
    pub(crate) fn refine(&self, steps: &Dfa, measure: &Measure, keep_lost: bool) -> Option<Dfa> {
        let keep = |class: u8| if class == LOST && !keep_lost { 0 } else { class };
        let Measure::Of(mode, terms) = measure else { return self.refine_unsafe(steps) };
        let weights: Vec<i32> = terms.iter().map(|t| t.0).collect();
        let bound = 4 * weights.iter().map(|w| w.abs()).max()?;
        let track = RefCell::new(Track::new(self.space.atoms, self.space.states, terms.iter().map(|t| &t.1))?);
        let cancel = self.space.cancel;
        let alive = steps.leads_to(|c| c == OPEN, cancel);
        type Runs = Vec<(u32, u32, i32)>;
        let work = Cell::new(0);
        let too_large = |states: usize| states > LIMIT || work.get() > WORK || cancel.asked();
        let step = |(at, runs): &(u32, Runs), letter: usize| {
            let at = steps.to(*at, letter)?;
            if !alive[at as usize] {
                return Some((at, Runs::new()));
            }
            let Letter { place, before, after, .. } = self.space.letters[letter];
            let mut track = track.borrow_mut();
            let mut next = Runs::new();
            let mut afters = Vec::new();
            for &(one, two, sum) in runs {
                afters.clear();
                afters.extend_from_slice(track.read(two, place, after));
                for &(one, old) in track.read(one, place, before) {
                    next.extend(
                        afters.iter().map(|&(two, new)| (one, two, add(*mode, &weights, bound, sum, old, new))),
                    );
                }
            }
            work.set(work.get() + next.len());
            next.sort_unstable();
            next.dedup();
            Some((at, next))
        };
        let class = |(at, runs): &(u32, Runs)| {
            let track = track.borrow();
            let class = steps.class[*at as usize];
            let change = runs.iter().find(|r| track.closes(r.0) && track.closes(r.1)).map_or(0, |r| r.2);
            keep(sorted(class, change))
        };
        Dfa::build(steps.letters, too_large, (0, vec![(0, 0, 0)]), step, class)?.quotient(cancel)
    }

    fn refine_unsafe(&self, steps: &Dfa) -> Option<Dfa> {
        let step = |&(at, safe): &(u32, Option<u32>), letter: usize| {
            let Letter { place, after, .. } = self.space.letters[letter];
            let single = self.space.single(place, after);
            Some((steps.to(at, letter)?, safe.and_then(|s| self.safe.to(s, single))))
        };
        let class = |&(at, safe): &(u32, Option<u32>)| {
            let gets_safe = safe.is_some_and(|s| self.safe.class[s as usize] == 1);
            sorted(steps.class[at as usize], -i32::from(gets_safe))
        };
        self.space.least(LIMIT, steps.letters, (0, Some(0)), step, class)
    }

    /// A shortest configuration outside the safe set without a step of these classes.
    pub(crate) fn uncovered(&self, steps: &Dfa, classes: &[u8]) -> Option<Vec<State>> {
        let cancel = self.space.cancel;
        let useful = steps.leads_to(|class| classes.contains(&class), cancel);
        let width = steps.len().div_ceil(64);
        // By state and letter, the states that follow, as a set.
        let mut next: Map<(u32, usize), Vec<u32>> = Map::default();
        for from in (0..steps.len() as u32).take_while(|_| !cancel.asked()) {
            for (letter, l) in self.space.letters.iter().enumerate() {
                if let Some(to) = steps.to(from, letter).filter(|to| useful[*to as usize]) {
                    next.entry((from, self.space.labelled(*l))).or_default().push(to);
                }
            }
        }
        let mut covering = vec![0u64; width];
        let covers = (0..steps.len()).filter(|&s| classes.contains(&steps.class[s]));
        covers.for_each(|s| covering[s / 64] |= 1 << (s % 64));
        // Words in the order of their length. Of the possible sets of runs behind a word, only the smallest matter.
        let mut start = vec![0u64; width];
        start[0] = 1;
        let mut nodes = vec![(0u32, start, usize::MAX, 0)];
        let mut smallest: Map<u32, Vec<usize>> = Map::default();
        let within = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a & !b == 0);
        let mut at = 0;
        while at < nodes.len() && !cancel.asked() {
            let (state, set) = (nodes[at].0, nodes[at].1.clone());
            if self.outside.class[state as usize] == 1 && set.iter().zip(&covering).all(|(a, b)| a & b == 0) {
                let mut word = Vec::new();
                while nodes[at].2 != usize::MAX {
                    word.push(nodes[at].3);
                    at = nodes[at].2;
                }
                word.reverse();
                return Some(self.single(&word));
            }
            for letter in 0..self.outside.letters {
                let Some(to) = self.outside.to(state, letter) else { continue };
                let mut runs = vec![0u64; width];
                for (i, word) in set.iter().enumerate() {
                    let mut rest = *word;
                    while rest != 0 {
                        let run = (i * 64) as u32 + rest.trailing_zeros();
                        rest &= rest - 1;
                        for &to in next.get(&(run, letter)).into_iter().flatten() {
                            runs[to as usize / 64] |= 1 << (to % 64);
                        }
                    }
                }
                let known = smallest.entry(to).or_default();
                if !known.iter().any(|&k| within(&nodes[k].1, &runs)) {
                    known.retain(|&k| !within(&runs, &nodes[k].1));
                    known.push(nodes.len());
                    nodes.push((to, runs, at, letter));
                }
            }
            at += 1;
        }
        None
    }

    /// A shortest step of a class.
    pub(crate) fn step_of(&self, steps: &Dfa, class: u8) -> Option<(Vec<State>, Vec<State>)> {
        steps.word(|c| c == class, self.space.cancel).map(|w| self.pair(&w))
    }
}
