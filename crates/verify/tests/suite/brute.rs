//! The slow twin: everything by definition, one ring at a time.

use ringleader_verify::{
    Automaton, Certificate, Coins, Formula, Goal, Measure, Place, Possible, Rules, Scheduler, State,
};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// All configurations of a size.
pub(crate) fn configurations(rules: &Rules, n: usize) -> Vec<Vec<State>> {
    let mut words = vec![Vec::new()];
    for i in 0..n {
        let possible = rules.possible.at(Place::of(i, n));
        words = words.iter().flat_map(|w| possible.iter().map(move |&s| [&w[..], &[s]].concat())).collect();
    }
    words.retain(|w| given(rules, w));
    words
}

/// Whether a word meets the assumption about all agents together, if there is one.
pub(crate) fn given(rules: &Rules, w: &[State]) -> bool {
    let formula = rules.given.as_ref().map(|text| text.parse::<Formula>().unwrap());
    formula.is_none_or(|formula| (0..w.len()).all(|i| holds(rules, &formula, w, i)))
}

/// Whether a word is a configuration: every agent has a state that is possible where it is, and the assumption holds.
fn possible(rules: &Rules, w: &[State]) -> bool {
    given(rules, w) && w.iter().enumerate().all(|(i, s)| rules.possible.at(Place::of(i, w.len())).contains(s))
}

/// The rules when the detector may say anything.
fn deaf(rules: &Rules) -> Rules {
    let mut deaf = rules.clone();
    deaf.moves.iter_mut().for_each(|m| m.seen = None);
    deaf
}

/// What one move can make of a configuration.
pub(crate) fn steps(rules: &Rules, w: &[State]) -> Vec<Vec<State>> {
    let n = w.len();
    let seen = rules.detector.as_ref().map(|d| w.iter().any(|s| d.contains(s)));
    let mut next = Vec::new();
    for i in 0..n {
        for m in &rules.moves {
            let at = |k: usize| (i + n + k - m.centre()) % n;
            let fits = m.cells().iter().enumerate().all(|(k, c)| w[at(k)] == c.before);
            let placed = m.place.is_none_or(|p| p == Place::of(i, n));
            if fits && placed && m.seen.is_none_or(|s| seen == Some(s)) {
                let mut v = w.to_vec();
                m.cells().iter().enumerate().for_each(|(k, c)| v[at(k)] = c.after);
                next.push(v);
            }
        }
    }
    next.sort();
    next.dedup();
    next
}

/// A formula's value at agent `i`.
pub(crate) fn holds(rules: &Rules, f: &Formula, w: &[State], i: usize) -> bool {
    let n = w.len();
    let (left, right) = ((i + n - 1) % n, (i + 1) % n);
    let at = |f: &Formula, j: usize| holds(rules, f, w, j % n);
    let variable = |name: &str, j: usize| {
        rules.variables.iter().find(|v| v.name == name).map(|v| (v.values[usize::from(w[j])], v.size))
    };
    match f {
        Formula::Constant(c) => *c,
        Formula::Not(a) => !at(a, i),
        Formula::And(a, b) => at(a, i) && at(b, i),
        Formula::Or(a, b) => at(a, i) || at(b, i),
        Formula::Left(a) => at(a, left),
        Formula::Right(a) => at(a, right),
        Formula::Since(a, b) => (0..n).map(|d| i + n - d).find(|&j| at(b, j) || !at(a, j)).is_some_and(|j| at(b, j)),
        Formula::Until(a, b) => (0..n).map(|d| i + d).find(|&j| at(b, j) || !at(a, j)).is_some_and(|j| at(b, j)),
        Formula::Value(v, k) => variable(v, i).unwrap().0 == *k,
        Formula::Ahead(v, k) => {
            let ((own, size), (behind, _)) = (variable(v, i).unwrap(), variable(v, left).unwrap());
            (behind + k) % size == own
        }
        Formula::Name(name) if name == "root" => i == 0,
        Formula::Name(name) if name == "top" => i + 1 == n,
        Formula::Name(name) => {
            let place = Place::of(i, n);
            let is = |s: Option<State>, j: usize| s.is_none_or(|s| s == w[j]);
            let mark = rules.marks.iter().find(|m| m.name == *name);
            let rule = rules.rules.iter().position(|r| r == name);
            if let Some((value, _)) = variable(name, i) {
                value == 1
            } else if let Some(mark) = mark {
                mark.windows.iter().any(|v| {
                    v.place.is_none_or(|p| p == place) && is(v.left, left) && is(v.own, i) && is(v.right, right)
                })
            } else {
                rules.moves.iter().filter(|m| Some(m.rule) == rule).any(|m| {
                    let seen = |c: Option<ringleader_verify::Cell>, j| is(c.map(|c| c.before), j);
                    m.place.is_none_or(|p| p == place)
                        && seen(m.left, left)
                        && seen(Some(m.own), i)
                        && seen(m.right, right)
                })
            }
        }
    }
}

fn bits(rules: &Rules, f: &Formula, w: &[State]) -> Vec<bool> {
    (0..w.len()).map(|i| holds(rules, f, w, i)).collect()
}

/// How a measure of `v` compares with that of `w`.
pub(crate) fn compare(rules: &Rules, safe: &Automaton, m: &Measure, v: &[State], w: &[State]) -> Ordering {
    match m {
        Measure::Count(terms) => {
            let sum = |w: &[State]| -> i32 {
                terms.iter().map(|(k, f)| k * bits(rules, f, w).iter().filter(|b| **b).count() as i32).sum()
            };
            sum(v).cmp(&sum(w))
        }
        Measure::FromBottom(f) => bits(rules, f, v).cmp(&bits(rules, f, w)),
        Measure::FromTop(f) => {
            let down = |w: &[State]| bits(rules, f, w).into_iter().rev().collect::<Vec<_>>();
            down(v).cmp(&down(w))
        }
        Measure::Unsafe => safe.accepts(w).cmp(&safe.accepts(v)),
    }
}

/// Whether the measures fall from `w` to `v`.
pub(crate) fn falls(rules: &Rules, safe: &Automaton, measures: &[Measure], w: &[State], v: &[State]) -> bool {
    let first = measures.iter().map(|m| compare(rules, safe, m, v, w)).find(|o| o.is_ne());
    first == Some(Ordering::Less)
}

/// Who has what is promised: the agents at which each formula holds.
pub(crate) fn promised(rules: &Rules, w: &[State]) -> Option<Vec<(usize, usize)>> {
    match &rules.goal {
        Goal::ExactlyOne { of, stays } => {
            let of: Vec<Formula> = of.iter().map(|f| f.parse().unwrap()).collect();
            let all: Vec<_> = (0..of.len())
                .flat_map(|k| (0..w.len()).map(move |i| (k, i)))
                .filter(|&(k, i)| holds(rules, &of[k], w, i))
                .collect();
            (all.len() == 1).then(|| if *stays { all } else { Vec::new() })
        }
        Goal::Everywhere { formula } => {
            let f = formula.parse().unwrap();
            bits(rules, &f, w).iter().all(|b| *b).then(Vec::new)
        }
    }
}

/// The first thing that is wrong with a certificate at one size.
pub(crate) fn refute(c: &Certificate, n: usize) -> Option<String> {
    if c.coins == Coins::Fair || !matches!(c.scheduler, Scheduler::GloballyFair | Scheduler::Unfair) {
        return crate::choices::refute(c, n);
    }
    let rules = &c.rules;
    let measures: Vec<Measure> = c.measures.iter().map(|m| m.parse().unwrap()).collect();
    if let Some(wrong) = lapse(c, n).or_else(|| delay(c, n)) {
        return Some(wrong);
    }
    for w in configurations(rules, n) {
        let next = steps(rules, &w);
        if let Some(v) = next.iter().find(|v| !possible(rules, v)) {
            return Some(format!("{w:?} -> {v:?}, which is no configuration"));
        }
        if c.safe.accepts(&w) {
            let Some(who) = promised(rules, &w) else { return Some(format!("{w:?} is not as promised")) };
            if let Some(v) = next.iter().find(|v| !c.safe.accepts(v) || promised(rules, v).as_ref() != Some(&who)) {
                return Some(format!("{w:?} -> {v:?} is not safe"));
            }
            continue;
        }
        let falls = |v: &Vec<State>| falls(rules, &c.safe, &measures, &w, v);
        let fine = match c.scheduler {
            Scheduler::GloballyFair => next.iter().any(falls),
            _ => !next.is_empty() && next.iter().all(falls),
        };
        if !fine {
            return Some(format!("{w:?} does not descend"));
        }
    }
    None
}

/// What is wrong with the set in which leaders last, at one size.
fn lapse(c: &Certificate, n: usize) -> Option<String> {
    let (set, detector) = (c.lasting.as_ref()?, c.rules.detector.as_ref().expect("leaders are detected"));
    let deaf = deaf(&c.rules);
    let led = |w: &[State]| w.iter().any(|s| detector.contains(s));
    for w in configurations(&deaf, n) {
        if set.accepts(&w) && !led(&w) {
            return Some(format!("{w:?} has no leader"));
        }
        let lasts = |v: &Vec<State>| possible(&deaf, v) && (set.accepts(v) || !set.accepts(&w) && (led(&w) || !led(v)));
        if let Some(v) = steps(&deaf, &w).iter().find(|v| !lasts(v)) {
            return Some(format!("{w:?} -> {v:?} does not last"));
        }
    }
    None
}

/// What is wrong with the measures of what recurs, at one size. The watched agent is known by its place in the word, not by its state.
fn delay(c: &Certificate, n: usize) -> Option<String> {
    let recurring = c.recurring.as_ref()?;
    let condition: Formula = recurring.formula.parse().unwrap();
    for (w, agent) in configurations(&c.rules, n).into_iter().flat_map(|w| (0..n).map(move |i| (w.clone(), i))) {
        let waits = |w: &[State]| c.safe.accepts(w) && !holds(&c.rules, &condition, w, agent);
        if !waits(&w) {
            continue;
        }
        // At each agent a mark says whether it is the watched one: the words stay as they are.
        let falls = |v: &Vec<State>| {
            let compared = recurring.measures.iter().map(|text| match text.parse().unwrap() {
                Measure::Unsafe => waits(v).cmp(&waits(&w)),
                measure => compare(&c.rules, &c.safe, &at(&measure, agent, n), v, &w),
            });
            compared.into_iter().find(|order| order.is_ne()) == Some(Ordering::Less)
        };
        let next = steps(&c.rules, &w);
        let fine = match c.scheduler {
            Scheduler::GloballyFair => next.iter().any(falls),
            _ => !next.is_empty() && next.iter().all(falls),
        };
        if !fine {
            return Some(format!("{w:?} does not bring agent {agent} nearer"));
        }
    }
    None
}

/// A measure with `here` in the words of a ring of n: so far to the right of agent 0.
pub(crate) fn at(measure: &Measure, agent: usize, n: usize) -> Measure {
    let here = || (0..agent).fold(Formula::Name("root".into()), |f, _| Formula::Left(f.into()));
    fn replaced(f: &Formula, here: &dyn Fn() -> Formula) -> Formula {
        let of = |f: &Formula| Box::new(replaced(f, here));
        match f {
            Formula::Name(name) if name == "here" => here(),
            Formula::Value(name, k) if name == "here" => match k {
                0 => Formula::Not(here().into()),
                _ => here(),
            },
            Formula::Ahead(name, k) if name == "here" => {
                let left = Formula::Left(here().into());
                let differs = Formula::Or(
                    Formula::And(here().into(), Formula::Not(left.clone().into()).into()).into(),
                    Formula::And(Formula::Not(here().into()).into(), left.into()).into(),
                );
                if *k == 1 { differs } else { Formula::Not(differs.into()) }
            }
            Formula::Not(a) => Formula::Not(of(a)),
            Formula::Left(a) => Formula::Left(of(a)),
            Formula::Right(a) => Formula::Right(of(a)),
            Formula::And(a, b) => Formula::And(of(a), of(b)),
            Formula::Or(a, b) => Formula::Or(of(a), of(b)),
            Formula::Since(a, b) => Formula::Since(of(a), of(b)),
            Formula::Until(a, b) => Formula::Until(of(a), of(b)),
            other => other.clone(),
        }
    }
    assert!(agent < n);
    match measure {
        Measure::Count(terms) => Measure::Count(terms.iter().map(|(k, f)| (*k, replaced(f, &here))).collect()),
        Measure::FromBottom(f) => Measure::FromBottom(replaced(f, &here)),
        Measure::FromTop(f) => Measure::FromTop(replaced(f, &here)),
        Measure::Unsafe => Measure::Unsafe,
    }
}

/// Whether in every execution from the safe set the condition holds at every agent again and again, at one size: by what it means.
/// Unfair: no execution avoids it for ever, by ending or by going round. Globally fair: it can always be reached.
pub(crate) fn recurs(c: &Certificate, n: usize) -> bool {
    let Some(recurring) = &c.recurring else { return true };
    let condition: Formula = recurring.formula.parse().unwrap();
    (0..n).all(|agent| {
        let safe = configurations(&c.rules, n).into_iter().filter(|w| c.safe.accepts(w));
        let (mut served, mut waiting): (BTreeSet<_>, Vec<_>) = (BTreeSet::new(), Vec::new());
        for w in safe {
            if holds(&c.rules, &condition, &w, agent) {
                served.insert(w);
            } else {
                waiting.push(w);
            }
        }
        loop {
            let before = waiting.len();
            waiting.retain(|w| {
                let next = steps(&c.rules, w);
                let there = match c.scheduler {
                    Scheduler::GloballyFair => next.iter().any(|v| served.contains(v)),
                    _ => !next.is_empty() && next.iter().all(|v| served.contains(v)),
                };
                if there {
                    served.insert(w.clone());
                }
                !there
            });
            if waiting.len() == before {
                return waiting.is_empty();
            }
        }
    })
}

/// Whether what is claimed is true at one size, not by the argument but by what it means. Where lies are spoken of: after any number of
/// them a detector that tells the truth is enough, and leaders do not come and go for ever.
pub(crate) fn is_true(c: &Certificate, n: usize) -> bool {
    let everything = Rules { possible: Possible::all(c.rules.states.len()), ..c.rules.clone() };
    let heard = if c.lasting.is_some() { deaf(&c.rules) } else { c.rules.clone() };
    let reached = |from: Vec<Vec<State>>| {
        let (mut met, mut open) = (BTreeSet::from_iter(from.iter().cloned()), from);
        while let Some(w) = open.pop() {
            open.extend(steps(&heard, &w).into_iter().filter(|v| met.insert(v.clone())));
        }
        met
    };
    let all = reached(configurations(&c.rules, n));
    let led = |w: &[State]| c.rules.detector.iter().flatten().any(|s| w.contains(s));
    let comes_and_goes = |w: &Vec<State>| {
        let first = steps(&heard, w).into_iter().filter(|v| led(v)).collect();
        !led(w) && reached(first).contains(w)
    };
    let restless = c.lasting.is_some() && all.iter().any(comes_and_goes);
    !restless && failing(&everything, n, c.scheduler).iter().all(|w| !all.contains(w))
}

/// The largest set of configurations that are as promised and that no step leaves, of one size.
pub(crate) fn really_safe(rules: &Rules, n: usize) -> std::collections::HashSet<Vec<State>> {
    let words = configurations(rules, n);
    let mut safe: std::collections::HashSet<_> =
        words.iter().filter(|w| promised(rules, w).is_some()).cloned().collect();
    loop {
        let stays = |w: &Vec<State>| {
            let who = promised(rules, w);
            steps(rules, w).iter().all(|v| safe.contains(v) && promised(rules, v) == who)
        };
        let kept: std::collections::HashSet<_> = safe.iter().filter(|w| stays(w)).cloned().collect();
        if kept.len() == safe.len() {
            return safe;
        }
        safe = kept;
    }
}

/// The configurations of one size from which the really safe set cannot (unfair: need not) be reached.
pub(crate) fn failing(rules: &Rules, n: usize, scheduler: Scheduler) -> Vec<Vec<State>> {
    let mut good = really_safe(rules, n);
    let mut rest: Vec<_> = configurations(rules, n).into_iter().filter(|w| !good.contains(w)).collect();
    loop {
        let before = rest.len();
        rest.retain(|w| {
            let next = steps(rules, w);
            let there = match scheduler {
                Scheduler::GloballyFair => next.iter().any(|v| good.contains(v)),
                _ => !next.is_empty() && next.iter().all(|v| good.contains(v)),
            };
            if there {
                good.insert(w.clone());
            }
            !there
        });
        if rest.len() == before {
            return rest;
        }
    }
}
