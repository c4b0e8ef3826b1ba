//! Helpful agents under weakly fair schedules: on their steps the measures fall, and they stay enabled until then.

use crate::formulas::evaluate::everyone;
use crate::formulas::expr::Expr;
use crate::measures::level::{Level, Levels};
use crate::search::Prover;
use ringleader_verify::{Automaton, Certificate, Rejection, State, verify};
use std::collections::HashSet;
use std::sync::Arc;

/// The greatest number of candidates that the checker rejects for one list of measures, with a counterexample or without.
const MOST_REJECTED: usize = 40;

/// A configuration outside the safe set.
struct Place {
    word: usize,
    /// The agents that are enabled, and on none of whose steps all measures are equal.
    able: u16,
    /// The configurations after steps on which all measures are equal.
    open: Vec<usize>,
}

impl Prover<'_> {
    /// A formula that makes a proof of the measures of a level. `None` if nothing can be said: the search is over.
    pub(crate) fn helpful(&self, safe: &Automaton, levels: &mut Levels, level: &mut Level) -> Option<Option<Expr>> {
        let mut rejected = HashSet::new();
        for _ in 0..MOST_REJECTED {
            levels.catch_up(level);
            if levels.contradicted(level) || levels.forever.is_some() && level.open.iter().any(|open| !open.whole) {
                return Some(None);
            }
            let places = self.places(levels, level);
            if !possible(&places, levels.sample.words.all.len()) {
                return Some(None);
            }
            let Some(expr) = self.candidate(levels, &places, &rejected) else { return Some(None) };
            if self.watch.over() {
                return None;
            }
            let certificate = self.certificate(safe.clone(), self.texts(&level.measures));
            let helpful = Some(expr.text(&self.names()));
            match verify(&Certificate { helpful, ..certificate }) {
                Ok(()) => return Some(Some(expr)),
                Err(Rejection::Fails(_, word, _)) if levels.learn(&word) => {}
                Err(_) => _ = rejected.insert(expr),
            }
        }
        Some(None)
    }

    fn places(&self, levels: &Levels, level: &Level) -> Vec<Place> {
        if levels.forever.is_some() {
            return chosen(levels, level);
        }
        let sample = &levels.sample;
        let mut places = Vec::new();
        let mut buffer = Vec::new();
        let open: std::collections::HashMap<u32, &Vec<u32>> = level.open.iter().map(|o| (o.word, &o.steps)).collect();
        for (word, _) in &sample.sources {
            let w: &[State] = &sample.words.all[*word as usize];
            let still = open.get(word);
            let (mut enabled, mut equal) = (0u16, 0u16);
            self.moves.each(w, &mut buffer, |agent, _, v| {
                enabled |= 1 << agent;
                let number = sample.words.find(v);
                let stays = still.zip(number).is_some_and(|(steps, v)| steps.contains(&v));
                equal |= u16::from(stays) << agent;
            });
            let open = still.into_iter().flat_map(|steps| steps.iter().map(|to| *to as usize)).collect();
            places.push(Place { word: *word as usize, able: enabled & !equal, open });
        }
        places
    }

    /// A formula that is right on the sample: of small ones first, alone or restricted to agents that can apply a rule; then those
    /// agents of such a set at which a formula holds, if there are any, and otherwise all of them.
    fn candidate(&self, levels: &Levels, places: &[Place], rejected: &HashSet<Expr>) -> Option<Expr> {
        let (evaluator, words) = (levels.evaluator, &levels.sample.words.all);
        let rule = |name: &String| evaluator.atoms.iter().position(|a| a.name == *name).map(Expr::Atom);
        let rules: Vec<Expr> = self.rules.rules.iter().filter_map(rule).collect();
        let or = |a: Expr, b: Expr| Expr::Or(Arc::new(a), Arc::new(b));
        let any = rules.iter().cloned().reduce(or);
        let several = if rules.len() > 1 { rules } else { vec![] };
        let mut bases: Vec<(Expr, Vec<u16>)> = any
            .into_iter()
            .chain(several)
            .map(|expr| {
                let values = words.iter().map(|w| evaluator.values(&expr, w)).collect();
                (expr, values)
            })
            .collect();
        let fine = |expr: &Expr| !rejected.contains(expr);
        if let Some((expr, _)) = bases.iter().find(|(expr, values)| right(places, |w| values[w]) && fine(expr)) {
            return Some(expr.clone());
        }
        bases.insert(0, (Expr::One, words.iter().map(|w| everyone(w.len())).collect()));
        let mut values = Vec::new();
        for candidate in &levels.pool.candidates {
            if self.watch.over() {
                return None;
            }
            levels.pool.values(candidate, &mut values);
            for negated in [false, true] {
                let own = |w: usize| if negated { everyone(words[w].len()) & !values[w] } else { values[w] };
                let expr = || if negated { candidate.expr.clone().not() } else { candidate.expr.clone() };
                for (base, all) in &bases {
                    let both = |w: usize| all[w] & own(w);
                    let restricted = || if *base == Expr::One { expr() } else { base.clone().and(expr()) };
                    if right(places, both) && fine(&restricted()) {
                        return Some(restricted());
                    }
                    let preferred = |w: usize| if both(w) == 0 { all[w] } else { both(w) };
                    let some = || Expr::Since(Arc::new(Expr::One), Arc::new(restricted()));
                    let preferring = || base.clone().and(or(expr(), some().not()));
                    if *base != Expr::One && right(places, preferred) && fine(&preferring()) {
                        return Some(preferring());
                    }
                }
            }
        }
        None
    }
}

/// The configurations outside the safe set, if coins are fair: steps are those of choices that are open.
fn chosen(levels: &Levels, level: &Level) -> Vec<Place> {
    let sample = &levels.sample;
    let (mut places, mut waiting): (Vec<Place>, Vec<u16>) = (Vec::new(), Vec::new());
    let mut open = level.open.iter().peekable();
    for (i, (word, _)) in sample.sources.iter().enumerate() {
        let word = *word as usize;
        if places.last().is_none_or(|place| place.word != word) {
            places.push(Place { word, able: 0, open: Vec::new() });
            waiting.push(0);
        }
        let (Some(place), Some(waits)) = (places.last_mut(), waiting.last_mut()) else { continue };
        place.able |= 1 << sample.actors[i];
        if let Some(open) = open.next_if(|open| open.source as usize == i) {
            *waits |= 1u16 << sample.actors[i];
            place.open.extend(open.steps.iter().map(|to| *to as usize));
        }
    }
    places.iter_mut().zip(waiting).for_each(|(place, waits)| place.able &= !waits);
    places
}

/// Whether a set of agents is helpful on the sample.
fn right(places: &[Place], helpful: impl Fn(usize) -> u16) -> bool {
    places.iter().all(|place| {
        let own = helpful(place.word);
        own != 0 && own & !place.able == 0 && place.open.iter().all(|&to| own & !helpful(to) == 0)
    })
}

/// Whether some set of agents may be: the largest sets that stay helpful are not empty.
fn possible(places: &[Place], words: usize) -> bool {
    let mut most = vec![u16::MAX; words];
    loop {
        let mut changed = false;
        for place in places {
            let stays = place.open.iter().fold(place.able, |all, &to| all & most[to]);
            changed |= std::mem::replace(&mut most[place.word], stays) != stays;
        }
        if !changed {
            return places.iter().all(|place| most[place.word] != 0);
        }
    }
}
