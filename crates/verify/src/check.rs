//! The check itself, claim by claim.

use crate::automaton::{Dfa, START};
use crate::daemon::choices;
use crate::fairness::fairness;
use crate::meaning::{goal, measures, ring};
use crate::measure::{FALLS, LOST, OPEN, Order, judged, refined};
use crate::recurring::recurring;
use crate::rejection::{Malformed, ensure};
use crate::ring::Ring;
use crate::steps::Alphabet;
use crate::{Automaton, Certificate, Claim, Formula, Measure, Move, Rejection, Rules, Scheduler, Sizes, State};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// Checks a certificate: accepted means that the claim holds for every size it speaks of.
pub fn verify(certificate: &Certificate) -> Result<(), Rejection> {
    let Certificate { version, rules, sizes, .. } = certificate;
    ensure(*version == 1, || format!("version {version} of the format is not known; 1 is"))?;
    rules.validate()?;
    sizes.validate(rules)?;
    let measures = measures(&certificate.measures)?;
    let check = Check::new(rules, sizes, false)?;
    let safe = check.set(&certificate.safe)?;
    check.promise(&safe)?;
    if certificate.scheduler != Scheduler::Distributed && certificate.scheduler != Scheduler::Synchronous {
        check.closed(&safe)?;
    }
    lasting(certificate)?;
    if matches!(certificate.scheduler, Scheduler::WeaklyFair | Scheduler::LocallyFair) {
        return fairness(certificate, &check, &safe, &measures);
    }
    ensure(certificate.helpful.is_none(), || "helpful agents are for weakly fair schedules".into())?;
    match choices(rules, certificate.scheduler, certificate.coins)? {
        None => check.descent(certificate.scheduler, &safe, &measures)?,
        Some(choices) => {
            let plain = certificate.lasting.is_none() && certificate.recurring.is_none();
            ensure(plain, || {
                "fair coins and agents that act at once: without a recurring condition, and without a set in which leaders last".into()
            })?;
            check.progress(&safe)?;
            choices.check(certificate, &measures)?;
        }
    }
    recurring(certificate)
}

impl Sizes {
    /// Whether a certificate can speak of these sizes.
    pub fn validate(&self, rules: &Rules) -> Result<(), Malformed> {
        let (from, width) = (self.from, rules.width());
        let fits = (width..=64).contains(&from);
        ensure(fits, || {
            format!("sizes from {from} on cannot be spoken of: from {width}, where the widest move fits, to 64")
        })?;
        let below = self.residues.last().is_some_and(|&greatest| greatest < self.modulus);
        let sensible = below && self.residues.is_sorted_by(|a, b| a < b) && self.modulus <= 64;
        ensure(sensible, || {
            "the modulus must be 1 to 64, and the residues below it, at least one, each greater than the one before"
                .into()
        })
    }
}

/// Classes of steps from a trap.
pub(crate) const STAYS: u8 = 1;
pub(crate) const LINGERS: u8 = 2;
pub(crate) const ESCAPES: u8 = 3;

/// More sets of runs than this are not followed.
const MOST: usize = 1 << 23;

/// Configurations and steps of the rings that are spoken of.
pub(crate) struct Check<'a> {
    pub(crate) alphabet: Alphabet<'a>,
    pub(crate) all: Dfa,
    pub(crate) steps: Dfa,
}

impl<'a> Check<'a> {
    /// All of them, if steps lead to possible states, and from configurations to configurations.
    pub(crate) fn new(rules: &'a Rules, sizes: &Sizes, complete: bool) -> Result<Check<'a>, Rejection> {
        if rules.given.is_some() {
            Check::new(&Rules { given: None, ..rules.clone() }, sizes, complete)?;
        }
        let mut check = Check::configurations(Alphabet::new(rules, complete), sizes)?;
        check.steps = check.alphabet.steps(&check.all)?;
        check.step(Claim::Possible, &check.leaving(&check.steps, &check.all)?, &[1])?;
        Ok(check)
    }

    /// The configurations without steps: words of possible states that meet the assumption, if there is one.
    pub(crate) fn configurations(alphabet: Alphabet<'a>, sizes: &Sizes) -> Result<Check<'a>, Rejection> {
        let steps = Dfa::new(alphabet.pairs.len(), (), |_, _| None, |_| 0)?;
        let mut check = Check { all: alphabet.configurations(sizes)?, alphabet, steps };
        if let Some(text) = &check.alphabet.rules.given {
            let unread = |e: Malformed| Malformed(format!("the assumption cannot be read: {e}"));
            let broken = Formula::Not(Box::new(text.parse().map_err(unread)?));
            check.all = check.holding(&check.all, "the assumption", &broken, |total| total == 0)?;
            let some = check.all.word(&[1]).is_some();
            ensure(some, || "no configuration meets the assumption: of none everything can be said".into())?;
        }
        Ok(check)
    }

    /// The configurations of a set.
    pub(crate) fn set(&self, given: &Automaton) -> Result<Dfa, Rejection> {
        let (local, states) = (self.alphabet.rules.states.len(), given.next.len());
        let mut named = given.accepting.iter().chain([&given.start]).chain(given.next.iter().flatten().flatten());
        let sensible = given.next.iter().all(|row| row.len() == local) && named.all(|&s| s < states);
        ensure(sensible, || {
            format!(
                "a set's automaton needs, for each of its states and each of {local} local states, null or a number below {states}"
            )
        })?;
        let step = |&at: &usize, letter| given.next[at][usize::from(self.alphabet.state(letter))];
        let accepts = |at: &usize| u8::from(given.accepting.contains(at));
        let given = Dfa::new(self.alphabet.singles(), given.start, step, accepts)?;
        self.all.split(&given, |letter| letter, |_, inside| u8::from(inside))
    }

    /// The steps from within a set, or from outside.
    pub(crate) fn from(&self, set: &Dfa, within: bool) -> Result<Dfa, Rejection> {
        self.steps.split(set, |pair| self.alphabet.pairs[pair][0], |_, inside| u8::from(inside == within))
    }

    /// Those of some steps that do not lead into a set.
    pub(crate) fn leaving(&self, steps: &Dfa, set: &Dfa) -> Result<Dfa, Rejection> {
        steps.split(set, |pair| self.alphabet.pairs[pair][1], |_, inside| u8::from(!inside))
    }

    fn states(&self, word: impl Iterator<Item = usize>) -> Vec<State> {
        word.map(|letter| self.alphabet.state(letter)).collect()
    }

    /// A claim that a step of some classes shows to be wrong.
    pub(crate) fn step(&self, claim: Claim, steps: &Dfa, wrong: &[u8]) -> Result<(), Rejection> {
        let Some(word) = steps.word(wrong) else { return Ok(()) };
        let states = |i: usize| self.states(word.iter().map(|&pair| self.alphabet.pairs[pair][i]));
        Err(Rejection::Fails(claim, states(0), Some(states(1))))
    }

    /// A claim that a configuration shows to be wrong.
    pub(crate) fn configuration(&self, claim: Claim, words: &Dfa) -> Result<(), Rejection> {
        let Some(word) = words.word(&[1]) else { return Ok(()) };
        Err(Rejection::Fails(claim, self.states(word.into_iter()), None))
    }

    pub(crate) fn ring(&self, of: &str, formulas: &[&Formula]) -> Result<Ring, Malformed> {
        ring(&self.alphabet, formulas).map_err(|e| Malformed(format!("{of}: {e}")))
    }

    /// The configurations of a set in which a formula holds at a wanted number of agents. A number above 2 counts as 2.
    pub(crate) fn holding(
        &self,
        set: &Dfa,
        of: &str,
        formula: &Formula,
        wanted: impl Fn(i32) -> bool,
    ) -> Result<Dfa, Rejection> {
        let ring = self.ring(of, &[formula])?;
        refined(set, |letter| [letter, letter], &ring, &Order::Total, |_, total| u8::from(wanted(total)))
    }

    /// The configurations of a set that keep the promise, or those that do not.
    pub(crate) fn promised(&self, set: &Dfa, kept: bool) -> Result<Dfa, Rejection> {
        let (formulas, wanted, _) = goal(self.alphabet.rules)?;
        let formulas: Vec<&Formula> = formulas.iter().collect();
        let class = |_, total| u8::from((total == wanted) == kept);
        let ring = self.ring("the goal", &formulas)?;
        refined(set, |letter| [letter, letter], &ring, &Order::Total, class)
    }

    /// Safe configurations are as promised.
    pub(crate) fn promise(&self, safe: &Dfa) -> Result<(), Rejection> {
        self.configuration(Claim::Promise, &self.promised(safe, false)?)
    }

    /// The steps from a trap. Some keep the execution there: [`STAYS`], if it does not go from one configuration that is as promised to
    /// another, and [`LINGERS`] if it does. Others lead out of the trap: [`ESCAPES`].
    pub(crate) fn steps_of_trap(&self, trap: &Dfa, broken: &Dfa) -> Result<Dfa, Rejection> {
        let [before, after] = [0, 1].map(|i| move |pair: usize| self.alphabet.pairs[pair][i]);
        let steps = self.from(trap, true)?.split(broken, before, |_, broken| if broken { STAYS } else { LINGERS })?;
        let steps = steps.split(broken, after, |class, broken| if broken { STAYS } else { class })?;
        steps.split(trap, after, |class, inside| if inside { class } else { ESCAPES })
    }

    /// From every configuration of a trap some `kept` choice goes on, or it is not as promised and nothing is enabled.
    pub(crate) fn caught(
        &self,
        [trap, broken]: [&Dfa; 2],
        kept: &Dfa,
        shows: impl Fn(usize) -> usize,
    ) -> Result<(), Rejection> {
        let ends = broken.unshown(&self.steps, |pair| self.alphabet.pairs[pair][0])?;
        let stuck = trap.unshown(kept, shows)?.split(&ends, |letter| letter, |_, ends| u8::from(!ends))?;
        self.configuration(Claim::Caught, &stuck)
    }

    /// They lead to safe ones, and what must stay stays.
    pub(crate) fn closed(&self, safe: &Dfa) -> Result<(), Rejection> {
        let (formulas, _, stays) = goal(self.alphabet.rules)?;
        let steps = self.from(safe, true)?;
        let (both, moved) = (|pair: usize| self.alphabet.pairs[pair], |_, change| u8::from(change != 0));
        for formula in formulas.iter().filter(|_| stays) {
            let ring = self.ring("the goal", &[formula])?;
            self.step(Claim::Stays, &refined(&steps, both, &ring, &Order::First, moved)?, &[1])?;
        }
        self.step(Claim::Closed, &self.leaving(&steps, safe)?, &[1])
    }

    pub(crate) fn outside(&self, safe: &Dfa) -> Result<Dfa, Rejection> {
        self.all.split(safe, |letter| letter, |_, inside| u8::from(!inside))
    }

    /// Outside the safe set there is always a step.
    pub(crate) fn progress(&self, safe: &Dfa) -> Result<(), Rejection> {
        self.without(Claim::Progress, &self.outside(safe)?, &self.from(safe, false)?, OPEN)
    }

    /// Outside the safe set the measures fall, on some step or on every one.
    pub(crate) fn descent(&self, scheduler: Scheduler, safe: &Dfa, measures: &[Measure]) -> Result<(), Rejection> {
        let (outside, steps) = (self.outside(safe)?, self.from(safe, false)?);
        let unfair = scheduler == Scheduler::Unfair;
        if unfair {
            self.without(Claim::Progress, &outside, &steps, OPEN)?;
        }
        // Where some step is enough those that are lost are of no use any more.
        let class = |known, change| Some(judged(known, change)).filter(|class| unfair || *class != LOST).unwrap_or(0);
        let steps = self.ranked(steps, safe, measures, class)?;
        match unfair {
            true => self.step(Claim::EveryFalls, &steps, &[OPEN, LOST]),
            false => self.without(Claim::SomeFalls, &outside, &steps, FALLS),
        }
    }

    /// Steps, sorted once more for each measure.
    pub(crate) fn ranked(
        &self,
        mut steps: Dfa,
        safe: &Dfa,
        measures: &[Measure],
        class: impl Fn(u8, i32) -> u8,
    ) -> Result<Dfa, Rejection> {
        for (i, measure) in measures.iter().enumerate() {
            let order = match measure {
                Measure::Unsafe => {
                    let after = |pair: usize| self.alphabet.pairs[pair][1];
                    steps = steps.split(safe, after, |known, inside| class(known, -i32::from(inside)))?;
                    continue;
                }
                Measure::Count(terms) => Order::Growth(terms.iter().map(|(weight, _)| *weight).collect()),
                Measure::FromBottom(_) => Order::First,
                Measure::FromTop(_) => Order::Last,
            };
            let ring = self.ring(&format!("measure {}", i + 1), &measure.formulas())?;
            steps = refined(&steps, |pair| self.alphabet.pairs[pair], &ring, &order, &class)?;
        }
        Ok(steps)
    }

    /// A claim that is wrong of configurations without a step of some class: all runs of the steps are followed at once, without what
    /// they lead to.
    pub(crate) fn without(&self, claim: Claim, configurations: &Dfa, steps: &Dfa, class: u8) -> Result<(), Rejection> {
        let mut from: Vec<Vec<usize>> = vec![Vec::new(); self.alphabet.singles()];
        for (pair, [before, _]) in self.alphabet.pairs.iter().enumerate() {
            from[*before].push(pair);
        }
        let falls = |run: &u32| steps.class[*run as usize] == class;
        let mut open = VecDeque::from([(START, vec![START], Vec::new())]);
        let (mut met, mut least) = (HashSet::new(), HashMap::<u32, Vec<Vec<u32>>>::new());
        while let Some((at, runs, word)) = open.pop_front() {
            if configurations.class[at as usize] == 1 && !runs.iter().any(falls) {
                return Err(Rejection::Fails(claim, self.states(word.into_iter()), None));
            }
            for (letter, pairs) in from.iter().enumerate() {
                let Some(to) = configurations.step(at, letter) else { continue };
                let next = runs.iter().flat_map(|run| pairs.iter().filter_map(|pair| steps.step(*run, *pair)));
                let next: Vec<u32> = next.collect::<BTreeSet<_>>().into_iter().collect();
                let covered = |known: &Vec<u32>| known.iter().all(|run| next.binary_search(run).is_ok());
                let least = least.entry(to).or_default();
                if met.insert((to, next.clone())) && !least.iter().any(covered) {
                    least.push(next.clone());
                    open.push_back((to, next, [&word[..], &[letter]].concat()));
                }
            }
            if met.len() > MOST {
                return Err(Rejection::TooLarge);
            }
        }
        Ok(())
    }
}

/// Detectors that are only right in the end: with this set leaders do not come and go for ever, whatever is said. Whoever comes to
/// lead where nobody did brings about a configuration of the set; so from some point on there is always a leader, or never one.
fn lasting(certificate: &Certificate) -> Result<(), Rejection> {
    let Some(set) = &certificate.lasting else { return Ok(()) };
    let rules = &certificate.rules;
    let none = || Malformed("a set in which leaders last is about a detector, and there is none".into());
    let detector = rules.detector.as_ref().ok_or_else(none)?;
    let moves = rules.moves.iter().map(|m| Move { seen: None, ..*m }).collect();
    let deaf = Rules { moves, detector: None, ..rules.clone() };
    let check = Check::new(&deaf, &certificate.sizes, false)?;
    let lasting = check.set(set)?;
    let states = 0..rules.states.len() as State;
    let row = states.map(|s| (!detector.contains(&s)).then_some(0)).collect();
    let leaderless = check.set(&Automaton { start: 0, accepting: vec![0], next: vec![row] })?;
    check.configuration(Claim::Led, &lasting.split(&leaderless, |letter| letter, |_, inside| u8::from(inside))?)?;
    check.step(Claim::Lasts, &check.leaving(&check.from(&lasting, true)?, &lasting)?, &[1])?;
    let first = check.leaving(&check.from(&leaderless, true)?, &leaderless)?;
    check.step(Claim::Founded, &check.leaving(&first, &lasting)?, &[1])
}
