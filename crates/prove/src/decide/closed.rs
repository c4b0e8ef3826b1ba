//! The really safe set of every size, by automata: configurations that keep the promise, without those that a step leads out of, again
//! and again until no step leads out.

use super::space::{Letter, Words};
use super::table::{Dfa, Map};
use super::track::Track;
use crate::formulas::evaluate::Evaluator;
use crate::formulas::expr::Expr;
use ringleader_verify::{Automaton, Place, State};
use std::cell::RefCell;

/// After this many rounds the set is given up: a configuration may be the farther from a broken promise the larger the ring is.
const ROUNDS: usize = 12;
/// Automata with more states than this are given up.
const LIMIT: usize = 5_000;

impl Words<'_> {
    /// The largest closed set of configurations that keep the promise; `None` if it is not found, or if it is empty.
    pub(crate) fn really_safe(&self, evaluator: &Evaluator) -> Option<Automaton> {
        let Evaluator { goal, stays, everywhere, .. } = evaluator;
        let mut set = self.meeting(goal, *everywhere)?;
        for round in 0..ROUNDS {
            let watched = if *stays && round == 0 { goal.as_slice() } else { &[] };
            let leaving = self.leaving(&set, watched)?;
            if leaving.class.iter().all(|class| *class == 0) {
                return set.class.contains(&1).then(|| self.automaton(&set));
            }
            set = self.without(&set, &leaving)?;
        }
        None
    }

    fn place_and_state(&self, letter: usize) -> (Place, State) {
        (Place::ALL[letter / self.states], (letter % self.states) as State)
    }

    /// The configurations in which a single formula holds everywhere, or exactly one of several at exactly one agent.
    pub(super) fn meeting(&self, goal: &[Expr], everywhere: bool) -> Option<Dfa> {
        let track = RefCell::new(Track::new(self.atoms, self.states, goal)?);
        type Runs = Vec<(u32, u32)>;
        let step = |(at, runs): &(u32, Runs), letter: usize| {
            let (place, state) = self.place_and_state(letter);
            let (at, mut track) = (self.all.to(*at, letter)?, track.borrow_mut());
            let mut next = Runs::new();
            for &(run, count) in runs {
                let more = |bits: u32| if everywhere { 1 - bits } else { bits.count_ones() };
                next.extend(
                    track.read(run, place, state).iter().map(|&(run, bits)| (run, (count + more(bits)).min(2))),
                );
            }
            next.retain(|(_, count)| *count <= u32::from(!everywhere));
            next.sort_unstable();
            next.dedup();
            (!next.is_empty()).then_some((at, next))
        };
        let class = |(at, runs): &(u32, Runs)| {
            let (track, wanted) = (track.borrow(), u32::from(!everywhere));
            let kept = runs.iter().any(|&(run, count)| count == wanted && track.closes(run));
            u8::from(kept && self.all.class[*at as usize] == 1)
        };
        self.least(LIMIT, self.all.letters, (0, vec![(0, 0)]), step, class)
    }

    /// The steps from a set that leave it, or that change where one of these formulas holds.
    fn leaving(&self, set: &Dfa, watched: &[Expr]) -> Option<Dfa> {
        let track = RefCell::new(Track::new(self.atoms, self.states, watched)?);
        type At = (u32, u32, Option<u32>, Vec<(u32, u32, bool)>);
        let step = |(at, one, two, runs): &At, letter: usize| {
            let Letter { place, before, after, .. } = self.letters[letter];
            let at = self.steps.to(*at, letter)?;
            let one = set.to(*one, self.single(place, before))?;
            let two = two.and_then(|two| set.to(two, self.single(place, after)));
            let mut track = track.borrow_mut();
            let (mut next, mut afters) = (Vec::new(), Vec::new());
            for &(one, two, moved) in runs {
                afters.clear();
                afters.extend_from_slice(track.read(two, place, after));
                for &(one, old) in track.read(one, place, before) {
                    next.extend(afters.iter().map(|&(two, new)| (one, two, moved || old != new)));
                }
            }
            next.sort_unstable();
            next.dedup();
            Some((at, one, two, next))
        };
        let class = |(at, one, two, runs): &At| {
            let track = track.borrow();
            let stays = two.is_some_and(|two| set.class[two as usize] == 1);
            let moved = runs.iter().any(|&(one, two, moved)| moved && track.closes(one) && track.closes(two));
            let from = self.steps.class[*at as usize] == 1 && set.class[*one as usize] == 1;
            u8::from(from && (!stays || moved))
        };
        let start = (0, 0, Some(0), vec![(0, 0, false)]);
        self.least(LIMIT, self.letters.len(), start, step, class)
    }

    /// The configurations of a set without the first ones of these steps.
    fn without(&self, set: &Dfa, leaving: &Dfa) -> Option<Dfa> {
        let mut next: Map<(u32, usize), Vec<u32>> = Map::default();
        for from in 0..leaving.len() as u32 {
            for (letter, l) in self.letters.iter().enumerate() {
                if let Some(to) = leaving.to(from, letter) {
                    next.entry((from, self.single(l.place, l.before))).or_default().push(to);
                }
            }
        }
        let step = |(at, runs): &(u32, Vec<u32>), letter: usize| {
            let at = set.to(*at, letter)?;
            let mut to: Vec<u32> = runs.iter().filter_map(|run| next.get(&(*run, letter))).flatten().copied().collect();
            to.sort_unstable();
            to.dedup();
            Some((at, to))
        };
        let class = |(at, runs): &(u32, Vec<u32>)| {
            let leaves = runs.iter().any(|run| leaving.class[*run as usize] == 1);
            u8::from(set.class[*at as usize] == 1 && !leaves)
        };
        self.least(LIMIT, set.letters, (0, vec![0]), step, class)
    }

    /// The same set, read without places: the next agent may be the last one, or not.
    fn automaton(&self, set: &Dfa) -> Automaton {
        // After an agent: the state if it is not the last one, and whether the word is accepted if it is.
        let step = |&(at, _, begun): &(Option<u32>, bool, bool), state: usize| {
            let read = |place| at.and_then(|at| set.to(at, self.single(place, state as State)));
            let last = |to: u32| set.class[to as usize] == 1;
            Some(match begun {
                false => (read(Place::Bottom), false, true),
                true => (read(Place::Middle), read(Place::Top).is_some_and(last), true),
            })
        };
        let table = Dfa::build(self.states, |_| false, (Some(0), false, false), step, |at| u8::from(at.1))
            .expect("a set of any size is taken");
        table.clone().quotient(self.cancel).unwrap_or(table).automaton()
    }
}
