//! Complete graphs: a configuration is the number of agents in each local state, and counts above a cap are equal.

use crate::formulas::atoms::atoms;
use crate::formulas::evaluate::Evaluator;
use crate::measures::ranking::{Candidate, candidates, rank};
use crate::rings::settled;
use crate::search::MOST_CONFIGURATIONS;
use crate::watch::{Cancel, Options, Progress, Watch};
use crate::{Outcome, Refutation, Unsuitable, refuse_if};
use ringleader_verify::{
    Coins, CompleteCertificate, Graphs, Move, Place, Range, Rules, Scheduler, State, verify_complete,
};
use std::collections::HashMap;

/// The number of agents in each state.
type Multiset = Vec<usize>;

/// All configurations of a size are examined if there are at most this many.
const MOST_COUNTS: usize = 20_000;

/// Caps of counts: all counts from the cap on are equal.
const CAPS: [usize; 3] = [2, 3, 4];

/// Searches for a proof that a population protocol stabilizes on every complete graph of at least `from` agents.
///
/// If two leaders meet, one resigns. A detector says when there is no leader:
///
/// ```
/// use ringleader_prove::{Options, Outcome, prove_complete};
/// use ringleader_verify::{Cell, Goal, Move, Possible, Rules, Scheduler, Variable, verify_complete};
///
/// let cell = |before, after| Cell { before, after };
/// let meeting = |seen, own, right| Move { rule: 0, place: None, seen, left: None, own, right: Some(right) };
/// let rules = Rules {
///     states: vec!["follower".into(), "leader".into()],
///     variables: vec![Variable { name: "leader".into(), size: 2, values: vec![0, 1] }],
///     marks: vec![],
///     rules: vec!["meet".into()],
///     moves: vec![meeting(None, cell(1, 1), cell(1, 0)), meeting(Some(false), cell(0, 1), cell(0, 0))],
///     tosses: vec![],
///     given: None,
///     possible: Possible::all(2),
///     detector: Some(vec![1]),
///     goal: Goal::ExactlyOne { of: vec!["leader".into()], stays: true },
/// };
/// let outcome = prove_complete("two meet", &rules, 2, Scheduler::Unfair, &Options::seconds(60)).unwrap();
/// let Outcome::Proved(certificate) = outcome else { panic!("{outcome:?}") };
/// assert_eq!(certificate.measures, ["safe", "C:leader"]);
/// assert!(verify_complete(&certificate).is_ok());
/// ```
pub fn prove_complete(
    subject: &str,
    rules: &Rules,
    from: usize,
    scheduler: Scheduler,
    options: &Options,
) -> Result<Outcome<CompleteCertificate>, Unsuitable> {
    rules.validate()?;
    let states = rules.states.len();
    let possible = |place: &Place| (0..states).all(|s| rules.possible.at(*place).contains(&(s as State)));
    refuse_if(!Place::ALL.iter().all(possible), Unsuitable::Given)?;
    let single = matches!(scheduler, Scheduler::GloballyFair | Scheduler::Unfair);
    refuse_if(!single || options.coins == Coins::Fair, Unsuitable::DaemonOnCompleteGraphs)?;
    refuse_if(!(2..=8).contains(&from), Unsuitable::Sizes { least: 2, most: 8 })?;
    let watch = Watch::new(*options);
    let meeting = Interactions::new(rules)?;
    let mut crowds: Vec<Crowd> = Vec::new();
    for n in from..from + 8 {
        let Some(all) = configurations(states, n) else { break };
        if crowds.len() > 1 && watch.over() {
            break;
        }
        watch.tell(Progress::Ring { size: n });
        let Some(crowd) = Crowd::new(&meeting, all, watch.cancel()) else { break };
        if let Some(start) = crowd.failure(scheduler) {
            let nothing_is_safe = !crowd.safe.contains(&true);
            let (start, family) = (word(start), None);
            return Ok(Outcome::Refuted(Refutation { size: n, start, nothing_is_safe, family, cut_short: false }));
        }
        crowds.push(crowd);
    }
    if watch.cancelled() {
        return Ok(Outcome::NotProved(watch.remainder((!crowds.is_empty()).then(|| from + crowds.len() - 1))));
    }
    refuse_if(crowds.is_empty(), Unsuitable::TooLarge { size: from, configurations: MOST_COUNTS + 1 })?;
    let holds_up_to = from + crowds.len() - 1;
    for cap in CAPS {
        let safe = learned(&crowds, cap, watch.cancel());
        let mut certificate = CompleteCertificate {
            version: 1,
            graph: Graphs::Complete,
            subject: subject.to_owned(),
            text: None,
            rules: rules.clone(),
            from,
            scheduler,
            safe,
            measures: vec!["safe".into()],
        };
        let exact = |crowd: &Crowd| crowd.all.iter().zip(&crowd.safe).all(|(x, safe)| certificate.accepts(x) == *safe);
        if !crowds.iter().all(exact) {
            continue;
        }
        let Some(open) = meeting.outside(&certificate, watch.cancel()) else { continue };
        let formulas: Vec<Candidate> = candidates(rules);
        watch.tell(Progress::Formulas { count: formulas.len() });
        let unfair = scheduler == Scheduler::Unfair;
        if let Some(found) = rank(&rules.moves, &open, &formulas, unfair, &watch) {
            certificate.measures.extend(found);
        }
        if watch.cancelled() {
            break;
        }
        watch.tell(Progress::Verify);
        if verify_complete(&certificate).is_ok() {
            return Ok(Outcome::Proved(Box::new(certificate)));
        }
    }
    Ok(Outcome::NotProved(watch.remainder(Some(holds_up_to))))
}

/// A configuration as a list of states.
fn word(counts: &Multiset) -> Vec<State> {
    counts.iter().enumerate().flat_map(|(s, count)| std::iter::repeat_n(s as State, *count)).collect()
}

/// All assignments of states to `n` agents, unless there are too many.
fn configurations(states: usize, n: usize) -> Option<Vec<Multiset>> {
    let mut all: Vec<(Multiset, usize)> = vec![(Vec::new(), n)];
    for last in (0..states).map(|s| s + 1 == states) {
        let grown = all.iter().flat_map(|(counts, left)| {
            let least = if last { *left } else { 0 };
            (least..=*left).map(move |count| ([&counts[..], &[count]].concat(), left - count))
        });
        all = grown.take(MOST_COUNTS + 1).collect();
        if all.len() > MOST_COUNTS {
            return None;
        }
    }
    Some(all.into_iter().map(|(counts, _)| counts).collect())
}

/// The moves of two agents that meet, and the promise about a configuration.
struct Interactions<'r> {
    rules: &'r Rules,
    /// For each formula of the goal, the states in which it holds.
    goal: Vec<Vec<bool>>,
    stays: bool,
    everywhere: bool,
}

impl<'r> Interactions<'r> {
    fn new(rules: &'r Rules) -> Result<Interactions<'r>, Unsuitable> {
        let atoms = atoms(rules);
        let evaluator = Evaluator::new(rules, &atoms)?;
        // A formula about an agent's own state has the same value at every place.
        let holds = |e| (0..rules.states.len()).map(|s| evaluator.values(e, &[s as State; 3]) & 1 == 1).collect();
        let goal = evaluator.goal.iter().map(holds).collect();
        Ok(Interactions { rules, goal, stays: evaluator.stays, everywhere: evaluator.everywhere })
    }

    fn promised(&self, counts: &Multiset) -> bool {
        let held = |f: &Vec<bool>| -> usize { f.iter().zip(counts).filter(|(holds, _)| **holds).map(|(_, c)| c).sum() };
        let all: usize = self.goal.iter().map(held).sum();
        if self.everywhere { all == counts.iter().sum::<usize>() } else { all == 1 }
    }

    /// Whether a move preserves the values that must stay.
    fn keeps(&self, m: &Move) -> bool {
        let same = |f: &Vec<bool>| m.cells().iter().all(|c| f[usize::from(c.before)] == f[usize::from(c.after)]);
        !self.stays || self.goal.iter().all(same)
    }

    /// The enabled moves, each with its target.
    fn steps(&self, counts: &Multiset) -> Vec<(usize, Multiset)> {
        let seen = self.rules.detector.as_ref().is_some_and(|d| d.iter().any(|s| counts[usize::from(*s)] > 0));
        let mut found = Vec::new();
        for (i, m) in self.rules.moves.iter().enumerate().filter(|(_, m)| m.seen.is_none_or(|s| s == seen)) {
            let Some(right) = m.right else { continue };
            let (u, v) = (usize::from(m.own.before), usize::from(right.before));
            if counts[u] > usize::from(u == v) && counts[v] >= 1 {
                let mut after = counts.clone();
                after[u] -= 1;
                after[v] -= 1;
                after[usize::from(m.own.after)] += 1;
                after[usize::from(right.after)] += 1;
                found.push((i, after));
            }
        }
        found
    }

    /// For each kind of configuration outside the safe set that needs more than one step: the moves that stay outside. `None` if
    /// there are too many, or if the search is cancelled.
    fn outside(&self, certificate: &CompleteCertificate, cancel: Cancel) -> Option<Vec<Vec<usize>>> {
        let bounds = certificate.safe.iter().flatten().map(|r| r.most.map_or(r.least, |most| r.least.max(most + 1)));
        let cutoff = bounds.max().unwrap_or(0).max(certificate.from) + 2;
        let states = self.rules.states.len();
        let count = (cutoff + 1).checked_pow(states as u32).filter(|count| *count <= MOST_CONFIGURATIONS)?;
        let mut open = Vec::new();
        for number in 0..count {
            if cancel.asked() {
                return None;
            }
            let counts: Multiset = (0..states as u32).map(|s| number / (cutoff + 1).pow(s) % (cutoff + 1)).collect();
            if counts.iter().sum::<usize>() < certificate.from || certificate.accepts(&counts) {
                continue;
            }
            let (into, rest): (Vec<_>, Vec<_>) =
                self.steps(&counts).into_iter().partition(|(_, after)| certificate.accepts(after));
            if certificate.scheduler == Scheduler::Unfair || into.is_empty() {
                open.push(rest.into_iter().map(|(m, _)| m).collect());
            }
        }
        open.sort();
        open.dedup();
        Some(open)
    }
}

/// All configurations of one size.
struct Crowd {
    all: Vec<Multiset>,
    next: Vec<Vec<usize>>,
    safe: Vec<bool>,
}

impl Crowd {
    /// `None` if the search is cancelled.
    fn new(meeting: &Interactions, all: Vec<Multiset>, cancel: Cancel) -> Option<Crowd> {
        let number: HashMap<&Multiset, usize> = all.iter().enumerate().map(|(i, counts)| (counts, i)).collect();
        let mut safe: Vec<bool> = all.iter().map(|counts| meeting.promised(counts)).collect();
        let mut next = Vec::new();
        for (i, counts) in all.iter().enumerate() {
            if cancel.asked() {
                return None;
            }
            let steps = meeting.steps(counts);
            safe[i] &= steps.iter().all(|(m, _)| meeting.keeps(&meeting.rules.moves[*m]));
            next.push(steps.iter().map(|(_, after)| number[after]).collect::<Vec<_>>());
        }
        let safe = settled(safe, false, |i, safe| next[i].iter().any(|&to| !safe[to]));
        Some(Crowd { all, next, safe })
    }

    /// A configuration from which the safe ones may not be reached.
    fn failure(&self, scheduler: Scheduler) -> Option<&Multiset> {
        let good = settled(self.safe.clone(), true, |i, good| match scheduler {
            Scheduler::GloballyFair => self.next[i].iter().any(|&to| good[to]),
            _ => !self.next[i].is_empty() && self.next[i].iter().all(|&to| good[to]),
        });
        good.iter().position(|good| !good).map(|i| &self.all[i])
    }
}

/// The safe configurations, if counts matter up to the cap only: ranges, joined as far as possible.
fn learned(crowds: &[Crowd], cap: usize, cancel: Cancel) -> Vec<Vec<Range>> {
    let mut kinds: std::collections::BTreeMap<Multiset, bool> = std::collections::BTreeMap::new();
    for crowd in crowds {
        for (counts, safe) in crowd.all.iter().zip(&crowd.safe) {
            let kind = counts.iter().map(|count| *count.min(&cap)).collect();
            *kinds.entry(kind).or_insert(true) &= safe;
        }
    }
    let range = |&count: &usize| Range { least: count, most: (count < cap).then_some(count) };
    let mut parts: Vec<Vec<Range>> =
        kinds.iter().filter(|(_, safe)| **safe).map(|(kind, _)| kind.iter().map(range).collect()).collect();
    while let Some((i, j, joined)) = joinable(&parts, cancel) {
        parts[i] = joined;
        parts.remove(j);
    }
    parts
}

/// Two parts that differ in one state's range only, with adjacent ranges, and their union.
fn joinable(parts: &[Vec<Range>], cancel: Cancel) -> Option<(usize, usize, Vec<Range>)> {
    for i in (0..parts.len()).take_while(|_| !cancel.asked()) {
        for j in i + 1..parts.len() {
            let different: Vec<usize> = (0..parts[i].len()).filter(|&s| parts[i][s] != parts[j][s]).collect();
            let [s] = different[..] else { continue };
            for (a, b) in [(parts[i][s], parts[j][s]), (parts[j][s], parts[i][s])] {
                if a.most.is_some_and(|most| most + 1 == b.least) {
                    let mut joined = parts[i].clone();
                    joined[s] = Range { least: a.least, most: b.most };
                    return Some((i, j, joined));
                }
            }
        }
    }
    None
}
