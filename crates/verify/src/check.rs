//! The check itself, claim by claim.

use crate::automaton::{Dfa, TooLarge, shortest};
use crate::fault::{Fault, planted};
use crate::inclusion::{Projected, missing};
use crate::lasting::lasting;
use crate::meaning::Nodes;
use crate::measure::{FALLS, OPEN, Trouble, refine, refine_unsafe};
use crate::steps::{Alphabet, configurations, steps};
use crate::values::{START, Values};
use crate::{Automaton, Certificate, Flaw, Formula, Goal, Measure, Misread, Rules, Scheduler, Sizes, State};
use std::fmt;

/// Why a certificate is not accepted. Configurations are local states of agents 0 to n-1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// It is not of version 1.
    Version(u32),
    /// The rule table makes no sense.
    Rules(Flaw),
    /// The sizes make no sense, or are smaller than the widest move.
    Sizes(String),
    /// The safe set is no automaton over the local states.
    Safe(String),
    /// The goal or a measure (by index) cannot be read.
    Text(Option<usize>, Misread),
    /// The goal or a measure (by index) speaks of something that does not exist.
    Meaning(Option<usize>, String),
    /// A step leads to a state that is not possible there.
    Impossible(Vec<State>, Vec<State>),
    /// A safe configuration without what is promised.
    NotPromised(Vec<State>),
    /// A step that leaves the safe set.
    NotClosed(Vec<State>, Vec<State>),
    /// A step within the safe set that moves what must stay.
    Moves(Vec<State>, Vec<State>),
    /// What is wrong with the set in which leaders are to last, with a step of it, or a configuration twice.
    Lasting(&'static str, Vec<State>, Vec<State>),
    /// A configuration outside the safe set from which no step leads on.
    Stuck(Vec<State>),
    /// Globally fair: no step from here is shown to lower the measures.
    NoDescent(Vec<State>),
    /// Unfair: this step is not shown to lower the measures.
    Rises(Vec<State>, Vec<State>),
    /// The automata grow beyond what is sensible.
    TooLarge,
    /// The checker contradicts itself; please report it.
    Internal(&'static str),
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let of = |i: &Option<usize>| i.map_or("the goal".into(), |i| format!("measure {}", i + 1));
        match self {
            Rejection::Version(v) => write!(f, "version {v} of the format is not known; 1 is"),
            Rejection::Rules(flaw) => flaw.fmt(f),
            Rejection::Sizes(what) | Rejection::Safe(what) => f.write_str(what),
            Rejection::Text(i, e) => write!(f, "{} cannot be read: {e}", of(i)),
            Rejection::Meaning(i, e) => write!(f, "{}: {e}", of(i)),
            Rejection::Impossible(w, v) => {
                write!(f, "the step {w:?} -> {v:?} leads to a state that is not possible there")
            }
            Rejection::NotPromised(w) => write!(f, "the safe set holds {w:?}, which does not meet the goal"),
            Rejection::NotClosed(w, v) => write!(f, "the step {w:?} -> {v:?} leaves the safe set"),
            Rejection::Moves(w, v) => write!(f, "the step {w:?} -> {v:?} within the safe set moves what must stay"),
            Rejection::Lasting(what, w, v) if w == v => write!(f, "the set in which leaders last: {w:?} {what}"),
            Rejection::Lasting(what, w, v) => {
                write!(f, "the set in which leaders last: the step {w:?} -> {v:?} {what}")
            }
            Rejection::Stuck(w) => write!(f, "{w:?} is not safe, and no step leads on"),
            Rejection::NoDescent(w) => write!(f, "no step from {w:?} is shown to lower the measures"),
            Rejection::Rises(w, v) => write!(f, "the step {w:?} -> {v:?} is not shown to lower the measures"),
            Rejection::TooLarge => f.write_str("the automata of this certificate are too large to be followed"),
            Rejection::Internal(what) => write!(f, "the checker contradicts itself ({what}); please report this"),
        }
    }
}

impl std::error::Error for Rejection {}

impl From<TooLarge> for Rejection {
    fn from(_: TooLarge) -> Rejection {
        Rejection::TooLarge
    }
}

/// What was looked at in an accepted certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// States of the least automaton of the steps from outside the safe set.
    pub steps: usize,
    /// States of the same automaton after each measure.
    pub refined: Vec<usize>,
}

/// The checked data of one certificate.
pub(crate) struct Check<'a> {
    rules: &'a Rules,
    pub(crate) alphabet: Alphabet,
    /// The configurations that are spoken of.
    all: Dfa,
    /// The safe ones among them.
    pub(crate) safe: Dfa,
    pub(crate) steps: Dfa,
}

/// Checks a certificate: accepted means that the claim holds for every size it speaks of.
pub fn verify(certificate: &Certificate) -> Result<Verified, Rejection> {
    if certificate.version != 1 {
        return Err(Rejection::Version(certificate.version));
    }
    let rules = &certificate.rules;
    rules.validate().map_err(Rejection::Rules)?;
    sensible_sizes(&certificate.sizes, rules)?;
    sensible_safe(&certificate.safe, rules)?;
    let measures = certificate.measures.iter().enumerate();
    let measures: Vec<Measure> =
        measures.map(|(i, m)| m.parse().map_err(|e| Rejection::Text(Some(i), e))).collect::<Result<_, _>>()?;
    let check = Check::new(rules, &certificate.sizes, &certificate.safe)?;
    check.possible()?;
    check.goal()?;
    check.closed()?;
    lasting(certificate)?;
    check.descent(certificate.scheduler, &measures)
}

fn sensible_sizes(sizes: &Sizes, rules: &Rules) -> Result<(), Rejection> {
    let width = rules.width();
    if sizes.from < width || sizes.from > 64 {
        return Err(Rejection::Sizes(format!(
            "sizes from {} on cannot be spoken of: from {width}, where the widest move fits, to 64",
            sizes.from
        )));
    }
    let residues = !sizes.residues.is_empty() && sizes.residues.iter().all(|&r| r < sizes.modulus);
    if sizes.modulus == 0 || sizes.modulus > 64 || !residues {
        return Err(Rejection::Sizes("the modulus must be 1 to 64, and the residues below it, at least one".into()));
    }
    Ok(())
}

pub(crate) fn sensible_safe(safe: &Automaton, rules: &Rules) -> Result<(), Rejection> {
    let states = safe.next.len();
    let mut named = safe.accepting.iter().chain([&safe.start]).chain(safe.next.iter().flatten().flatten());
    if safe.next.iter().any(|row| row.len() != rules.states.len()) || named.any(|&s| s >= states) {
        return Err(Rejection::Safe(format!(
            "a set's automaton needs, for each of its states and each of {} local states, null or a number below {states}",
            rules.states.len()
        )));
    }
    Ok(())
}

impl<'a> Check<'a> {
    pub(crate) fn new(rules: &'a Rules, sizes: &Sizes, given: &Automaton) -> Result<Check<'a>, Rejection> {
        let alphabet = Alphabet::new(rules);
        let all = configurations(rules, sizes, &alphabet)?;
        let step = |&(at, safe): &(u32, usize), letter: usize| {
            Some((all.step(at, letter)?, given.next[safe][usize::from(alphabet.state(letter))]?))
        };
        let accepted =
            |&(at, safe): &(u32, usize)| u8::from(all.class[at as usize] == 1 && given.accepting.contains(&safe));
        let safe = Dfa::explore(alphabet.singles(), (0, given.start), step, accepted)?.minimized();
        let steps = steps(rules, &all, &alphabet)?;
        Ok(Check { rules, alphabet, all, safe, steps })
    }

    /// A word of pairs, if one was found, as the step that is wrong.
    pub(crate) fn none(
        &self,
        found: Option<Vec<usize>>,
        wrong: impl Fn(Vec<State>, Vec<State>) -> Rejection,
    ) -> Result<(), Rejection> {
        let Some(word) = found else { return Ok(()) };
        let (w, v) = word.iter().map(|&p| (self.alphabet.pairs[p].before, self.alphabet.pairs[p].after)).unzip();
        Err(wrong(w, v))
    }

    pub(crate) fn states(&self, word: &[usize]) -> Vec<State> {
        word.iter().map(|&l| self.alphabet.state(l)).collect()
    }

    /// A shortest step from a configuration of `from`, with something wrong about what it leads to.
    pub(crate) fn step_from(
        &self,
        from: &Dfa,
        to: &Dfa,
        wrong: impl Fn(bool) -> bool,
    ) -> Result<Option<Vec<usize>>, TooLarge> {
        shortest(
            self.alphabet.pairs.len(),
            vec![(0, 0, Some(0))],
            |&(at, before, after), letter| {
                let [one, two] = self.alphabet.both(letter);
                let next = || Some((self.steps.step(at, letter)?, from.step(before, one)?));
                let after = after.and_then(|s| to.step(s, two));
                next().map(|(at, before)| (at, before, after)).into_iter().collect()
            },
            |&(at, before, after)| {
                let step = self.steps.class[at as usize] == 1 && from.class[before as usize] == 1;
                step && wrong(after.is_some_and(|s| to.class[s as usize] == 1))
            },
        )
    }

    /// Configurations lead to configurations.
    fn possible(&self) -> Result<(), Rejection> {
        let found = self.step_from(&self.all, &self.all, |possible| !possible)?;
        self.none(found, Rejection::Impossible)
    }

    /// No step leaves the safe set.
    fn closed(&self) -> Result<(), Rejection> {
        let found = self.step_from(&self.safe, &self.safe, |safe| !safe && !planted(Fault::Closure))?;
        self.none(found, Rejection::NotClosed)
    }

    fn values(&self, formulas: &[&String]) -> Result<Values<'_>, Rejection> {
        let parsed = formulas.iter().map(|f| f.parse::<Formula>()).collect::<Result<Vec<_>, _>>();
        let nodes = Nodes::new(self.rules, &parsed.map_err(|e| Rejection::Text(None, e))?);
        Ok(Values::new(&self.alphabet, nodes.map_err(|e| Rejection::Meaning(None, e))?))
    }

    /// Every safe configuration is as promised, and what must stay stays.
    fn goal(&self) -> Result<(), Rejection> {
        match &self.rules.goal {
            Goal::ExactlyOne { of, stays } => {
                let of: Vec<&String> = of.iter().collect();
                self.count(&of, |count| count == 1 || planted(Fault::Promise) && count == 2)?;
                if *stays { self.stays(&of) } else { Ok(()) }
            }
            // Nowhere false.
            Goal::Everywhere { formula } => self.count(&[&format!("!{formula}")], |count| count == 0),
        }
    }

    /// In every safe configuration the number of agents at which the formulas hold, up to 2, is right.
    fn count(&self, formulas: &[&String], right: impl Fn(u32) -> bool) -> Result<(), Rejection> {
        let values = std::cell::RefCell::new(self.values(formulas)?);
        let wrong = shortest(
            self.alphabet.singles(),
            vec![(0, START, 0)],
            |&(at, run, count), letter| {
                let Some(at) = self.safe.step(at, letter) else { return Vec::new() };
                let read = values.borrow_mut().read(run, letter);
                read.iter().map(|&(run, bits)| (at, run, (count + bits.count_ones()).min(2))).collect()
            },
            |&(at, run, count)| self.safe.class[at as usize] == 1 && values.borrow().closes(run) && !right(count),
        )?;
        if values.borrow().overflowed {
            return Err(Rejection::TooLarge);
        }
        wrong.map_or(Ok(()), |word| Err(Rejection::NotPromised(self.states(&word))))
    }

    /// No step from a safe configuration changes a formula's value anywhere.
    fn stays(&self, formulas: &[&String]) -> Result<(), Rejection> {
        let values = std::cell::RefCell::new(self.values(formulas)?);
        let moved = shortest(
            self.alphabet.pairs.len(),
            vec![(0, 0, START, START, false)],
            |&(at, safe, one, two, changed), letter| {
                let letters = self.alphabet.both(letter);
                let next = || Some((self.steps.step(at, letter)?, self.safe.step(safe, letters[0])?));
                let Some((at, safe)) = next() else { return Vec::new() };
                let mut values = values.borrow_mut();
                let after = values.read(two, letters[1]);
                let before = values.read(one, letters[0]);
                let pairs = before.iter().flat_map(|b| after.iter().map(move |a| (b, a)));
                pairs.map(|(b, a)| (at, safe, b.0, a.0, changed || b.1 != a.1)).collect()
            },
            |&(at, safe, one, two, changed)| {
                let step = self.steps.class[at as usize] == 1 && self.safe.class[safe as usize] == 1;
                let closes = |run| values.borrow().closes(run);
                step && changed && closes(one) && closes(two) && !planted(Fault::Leader)
            },
        )?;
        if values.borrow().overflowed {
            return Err(Rejection::TooLarge);
        }
        self.none(moved, Rejection::Moves)
    }

    /// The configurations outside the safe set, and the steps from there, all open.
    fn outside(&self) -> Result<(Dfa, Dfa), TooLarge> {
        let next = |at: Option<u32>, letter| at.and_then(|s| self.safe.step(s, letter));
        let is_safe = |at: Option<u32>| at.is_some_and(|s| self.safe.class[s as usize] == 1);
        let words = Dfa::explore(
            self.alphabet.singles(),
            (0, Some(0)),
            |&(at, safe), letter| Some((self.all.step(at, letter)?, next(safe, letter))),
            |&(at, safe)| u8::from(self.all.class[at as usize] == 1 && !is_safe(safe)),
        )?;
        let steps = Dfa::explore(
            self.alphabet.pairs.len(),
            (0, Some(0)),
            |&(at, safe), letter| Some((self.steps.step(at, letter)?, next(safe, self.alphabet.both(letter)[0]))),
            |&(at, safe)| if self.steps.class[at as usize] == 1 && !is_safe(safe) { OPEN } else { 0 },
        )?;
        Ok((words.minimized(), steps.minimized()))
    }

    /// Outside the safe set the measures fall, on some step or on every one.
    fn descent(&self, scheduler: Scheduler, measures: &[Measure]) -> Result<Verified, Rejection> {
        let (outside, mut steps) = self.outside()?;
        let mut verified = Verified { steps: steps.len(), refined: Vec::new() };
        if scheduler == Scheduler::Unfair {
            let stuck = missing(&outside, &Projected::new(&self.alphabet, &steps, OPEN))?;
            stuck.map_or(Ok(()), |word| Err(Rejection::Stuck(self.states(&word))))?;
        }
        let every = scheduler == Scheduler::Unfair;
        for (i, measure) in measures.iter().enumerate() {
            steps = match measure {
                Measure::Unsafe => refine_unsafe(&self.alphabet, &steps, &self.safe)?,
                _ => refine(self.rules, &self.alphabet, &steps, measure, every).map_err(|trouble| match trouble {
                    Trouble::Meaning(what) => Rejection::Meaning(Some(i), what),
                    Trouble::TooLarge => Rejection::TooLarge,
                    Trouble::Ambiguous => Rejection::Internal("a configuration with no value or two"),
                })?,
            };
            verified.refined.push(steps.len());
        }
        match scheduler {
            Scheduler::GloballyFair => {
                let lacking = missing(&outside, &Projected::new(&self.alphabet, &steps, FALLS))?;
                lacking.map_or(Ok(verified), |word| Err(Rejection::NoDescent(self.states(&word))))
            }
            Scheduler::Unfair => {
                let next = |&at: &u32, letter: usize| steps.step(at, letter).into_iter().collect();
                let other = |&at: &u32| !matches!(steps.class[at as usize], 0 | FALLS);
                let rises = shortest(self.alphabet.pairs.len(), vec![0], next, other)?;
                self.none(rises, Rejection::Rises)?;
                Ok(verified)
            }
        }
    }
}
