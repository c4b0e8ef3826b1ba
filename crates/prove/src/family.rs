//! A failure on every ring of some sizes: configurations among which the daemon can stay, with a broken promise again and again. They are
//! learned from small rings.

use crate::rings::choices::Daemon;
use crate::rings::learn::{Set, learn};
use crate::rings::{Moves, Ring, configurations};
use crate::search::{MOST_CONFIGURATIONS as LARGEST_COUNT, Prover, helped};
use ringleader_verify::{
    Automaton, Claim, Coins, FailureCertificate, Place, Rejection, Rules, Scheduler, Sizes, verify_failure,
};
use std::collections::BTreeSet;
use std::time::Duration;

/// The largest rings from which a family is learned. If agents act at once, a configuration has many steps.
const LARGEST: usize = 8;
/// The same under locally fair schedules, where small rings often have no room for a trap; beyond the former only with few configurations.
const LARGEST_LOCAL: usize = 10;
const FEW: usize = 1 << 11;
const MOST_CONFIGURATIONS: [usize; 2] = [1 << 15, 1 << 10];

/// The longest duration of the search for a family.
const LONGEST: Duration = Duration::from_secs(60);

/// Sets whose sizes become periodic only after more sizes than this are not used.
const LONGEST_PERIOD: usize = 1_000;

/// The largest modulus of a certificate.
const MODULUS: usize = 64;

impl Prover<'_> {
    /// The failure of small rings as one of every ring of some sizes, if the checker accepts such a claim; and whether time ended the search.
    pub(crate) fn family(&self, failing: &Ring) -> (Option<Box<FailureCertificate>>, bool) {
        let locally = self.scheduler == Scheduler::LocallyFair;
        let suits = !locally || self.rules.detector.is_none() && self.rules.is_of_arcs();
        if !suits || helped(self.scheduler) && !self.rules.tosses.is_empty() {
            return (None, false);
        }
        let watch = &self.watch.part(self.watch.left().min(LONGEST));
        // A daemon that chooses the outcomes of coins chooses among all moves.
        let tosses = if self.watch.options.coins == Coins::Fair { self.rules.tosses.clone() } else { vec![] };
        let rules = &Rules { tosses, ..self.rules.clone() };
        let daemon = Daemon::new(rules, self.scheduler, self.watch.options.coins);
        let search = Prover { rules, moves: &Moves::new(rules, daemon), watch, ..*self };
        // A set that no step leaves is simpler, and a trap of locally fair schedules, too, unless promises are kept there for long.
        let closed = || locally.then(|| search.learned(failing.n, Scheduler::GloballyFair)).flatten();
        let family = search.learned(failing.n, self.scheduler).or_else(closed);
        let cut_short = family.is_none() && watch.over();
        (family, cut_short)
    }

    /// The best of the families that are learned from the traps of some schedules on rings of at least some size, one after the other.
    fn learned(&self, least: usize, traps: Scheduler) -> Option<Box<FailureCertificate>> {
        let limit = self.watch.limit();
        let most = MOST_CONFIGURATIONS[usize::from(self.together())];
        let mut rings = Vec::new();
        let locally = traps == Scheduler::LocallyFair;
        // Rings without a trap show what is missing there.
        let (smallest, largest) = if locally { (self.sizes.from, LARGEST_LOCAL) } else { (least, LARGEST) };
        for n in (smallest..=largest).filter(|n| self.sizes.contains(*n)) {
            let count = configurations(self.rules, n);
            if count > LARGEST_COUNT || (count > most || n > LARGEST && count > FEW) && rings.len() > 1 {
                break;
            }
            let Some(Ok(mut ring)) = Ring::new(self.rules, self.moves, self.evaluator, n, limit) else { break };
            ring.trap = match traps {
                Scheduler::WeaklyFair => ring.largest_fair_trap(self.moves, self.evaluator, limit),
                Scheduler::LocallyFair => ring.largest_local_trap(self.moves, self.evaluator, limit),
                _ => ring.largest_trap(traps, self.evaluator, limit),
            };
            if limit.asked() {
                break;
            }
            rings.push(ring);
        }
        while !locally && rings.first().is_some_and(|ring| !ring.trap.contains(&true)) {
            rings.remove(0);
        }
        let set: Set = |ring| &ring.trap;
        let mut best: Option<Box<FailureCertificate>> = None;
        let mut tried = Vec::new();
        let states = self.rules.states.len();
        for first in 0..rings.len().min(3) {
            for multiple in 1..=3 {
                for deep in 2..=5 + usize::from(locally) {
                    if states.pow(deep as u32) > 20_000 || self.watch.over() {
                        break;
                    }
                    let known = &rings[first..];
                    let trap = learn(known, set, states, deep, self.sizes.modulus * multiple, limit);
                    let Some(sizes) = self.sizes_of(&trap, known[0].n) else { continue };
                    let better = |best: &FailureCertificate| share(&sizes) > share(&best.sizes);
                    if best.as_ref().is_some_and(|best| !better(best)) || !within(&trap, known) {
                        continue;
                    }
                    if tried.contains(&(trap.clone(), sizes.clone())) {
                        continue;
                    }
                    tried.push((trap.clone(), sizes.clone()));
                    let certificate = FailureCertificate {
                        version: 1,
                        subject: self.subject.to_owned(),
                        text: None,
                        rules: self.rules.clone(),
                        sizes,
                        scheduler: self.scheduler,
                        coins: self.watch.options.coins,
                        trap,
                        measures: vec![],
                        turns: vec![],
                    };
                    if let Some(certificate) = self.accepted(certificate, known) {
                        let all = share(&certificate.sizes) == share(&Sizes { from: least, ..self.sizes.clone() });
                        best = Some(certificate);
                        if all {
                            return best;
                        }
                    }
                }
            }
        }
        best
    }

    /// A certificate that the checker accepts. Under fair schedules it may need measures.
    fn accepted(&self, certificate: FailureCertificate, rings: &[Ring]) -> Option<Box<FailureCertificate>> {
        match self.in_time(&certificate) {
            Ok(()) => Some(Box::new(certificate)),
            Err(Rejection::Fails(Claim::Waits(_), ..)) => self.going_round(certificate, rings).map(Box::new),
            Err(Rejection::Fails(Claim::Turns(..), ..)) => self.taking_turns(certificate, rings).map(Box::new),
            Err(_) => None,
        }
    }

    /// The checker's verdict. After the end of the search it rejects.
    pub(crate) fn in_time(&self, certificate: &FailureCertificate) -> Result<(), Rejection> {
        ringleader_verify::in_time(self.watch.left(), || verify_failure(certificate))
    }

    /// The sizes of the configurations of a set, from some size on.
    fn sizes_of(&self, set: &Automaton, least: usize) -> Option<Sizes> {
        let next = |states: &BTreeSet<usize>, place: Place| -> BTreeSet<usize> {
            let possible = self.rules.possible.at(place);
            let to =
                |state: &usize| possible.iter().filter_map(|s| set.next[*state][usize::from(*s)]).collect::<Vec<_>>();
            states.iter().flat_map(to).collect()
        };
        // The states after all agents but the last, of each size from 2 on, until they come again.
        let mut heads = vec![next(&BTreeSet::from([set.start]), Place::Bottom)];
        let again = loop {
            let head = next(&heads[heads.len() - 1], Place::Middle);
            if let Some(known) = heads.iter().position(|known| *known == head) {
                break known;
            }
            heads.push(head);
            if heads.len() > LONGEST_PERIOD {
                return None;
            }
        };
        let period = heads.len() - again;
        let some = |n: usize| {
            let head = if n - 2 < heads.len() { n - 2 } else { again + (n - 2 - again) % period };
            next(&heads[head], Place::Top).iter().any(|state| set.accepting.contains(state))
        };
        let modulus = (1..).map(|times| times * period).find(|m| m.is_multiple_of(self.sizes.modulus))?;
        let far = (again + 2).max(least).next_multiple_of(modulus);
        let wanted = |n: &usize| self.sizes.contains(*n) && some(*n);
        let all: Vec<usize> = (0..modulus).filter(|rest| wanted(&(far + rest))).collect();
        // The least modulus with the same sizes.
        let alike =
            |m: &usize| modulus.is_multiple_of(*m) && (0..modulus).all(|r| all.contains(&r) == all.contains(&(r % m)));
        let modulus = (1..=modulus).find(alike).filter(|m| *m <= MODULUS && !all.is_empty())?;
        let residues: Vec<usize> = all.into_iter().filter(|r| *r < modulus).collect();
        let missing = |n: &usize| residues.contains(&(n % modulus)) && !wanted(n);
        let from = (least..far).rev().find(missing).map_or(least, |n| n + 1);
        let from = (from..).find(|n| residues.contains(&(n % modulus)))?;
        (from <= MODULUS).then_some(Sizes { from, modulus, residues })
    }
}

/// The share of all sizes that a claim covers, as a whole number for comparisons; then the least size, the smaller the better.
fn share(sizes: &Sizes) -> (usize, std::cmp::Reverse<usize>) {
    (sizes.residues.len() * 360_360 / sizes.modulus, std::cmp::Reverse(sizes.from))
}

/// Whether a set has only configurations of the traps of small rings.
fn within(set: &Automaton, rings: &[Ring]) -> bool {
    rings.iter().all(|ring| (0..ring.trap.len()).all(|code| ring.trap[code] || !set.accepts(&ring.word(code))))
}
