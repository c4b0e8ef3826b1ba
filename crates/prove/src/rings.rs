//! Complete rings of one size: configurations, steps, really safe sets, and whether every execution reaches them.

pub(crate) mod choices;
pub(crate) mod example;
mod fairness;
pub(crate) mod forever;
pub(crate) mod learn;
pub(crate) mod sample;

use crate::formulas::evaluate::Evaluator;
use crate::watch::Cancel;
use choices::Daemon;
use ringleader_model::Grouped;
use ringleader_verify::{Move, Place, Rules, Scheduler, State};

/// The new states that each window allows, by place and window.
pub(crate) struct Moves {
    states: usize,
    at: Vec<Vec<Move>>,
    detector: Option<Vec<bool>>,
    /// If choices and coins matter.
    pub(crate) daemon: Option<Daemon>,
}

impl Moves {
    pub(crate) fn new(rules: &Rules, daemon: Option<Daemon>) -> Moves {
        let states = rules.states.len();
        let mut at = vec![Vec::new(); 3 * states * states];
        for m in &rules.moves {
            for place in Place::ALL.into_iter().filter(|p| m.place.is_none_or(|q| q == *p)) {
                for right in 0..states {
                    if m.right.is_none_or(|c| usize::from(c.before) == right) {
                        at[(place as usize * states + usize::from(m.own.before)) * states + right].push(*m);
                    }
                }
            }
        }
        let detector = rules.detector.as_ref().map(|d| (0..states).map(|s| d.contains(&(s as State))).collect());
        Moves { states, at, detector, daemon }
    }

    /// Calls `found` with the agent and the move of every step from `w`, and the configuration after it; `v` is a buffer.
    pub(crate) fn each(&self, w: &[State], v: &mut Vec<State>, mut found: impl FnMut(usize, &Move, &[State])) {
        let n = w.len();
        let seen = self.detector.as_ref().is_some_and(|d| w.iter().any(|s| d[usize::from(*s)]));
        v.clear();
        v.extend_from_slice(w);
        for i in 0..n {
            let (left, right) = ((i + n - 1) % n, (i + 1) % n);
            let place = Place::of(i, n) as usize;
            for m in &self.at[(place * self.states + usize::from(w[i])) * self.states + usize::from(w[right])] {
                if m.left.is_none_or(|c| c.before == w[left]) && m.seen.is_none_or(|s| s == seen) {
                    v[i] = m.own.after;
                    if let Some(c) = m.left {
                        v[left] = c.after;
                    }
                    if let Some(c) = m.right {
                        v[right] = c.after;
                    }
                    found(i, m, v);
                    for j in [left, i, right] {
                        v[j] = w[j];
                    }
                }
            }
        }
    }
}

/// Successors of every node, as ranges of one list.
pub(crate) struct Arrows {
    from: Vec<u32>,
    to: Vec<u32>,
}

impl Arrows {
    pub(crate) fn after(&self, node: usize) -> &[u32] {
        &self.to[self.from[node] as usize..self.from[node + 1] as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.from.len() - 1
    }

    /// The predecessors of every node.
    fn reversed(&self) -> Grouped {
        Grouped::new(self.len(), (0..self.len()).flat_map(|s| self.after(s).iter().map(move |&t| (t, s as u32))))
    }
}

/// All configurations of one size, numbered in lexicographic order of the possible states.
pub(crate) struct Ring {
    pub(crate) n: usize,
    possible: Vec<Vec<State>>,
    index: Vec<Vec<usize>>,
    pub(crate) graph: Arrows,
    /// With fair coins: the daemon's choices, each with the targets of its outcomes.
    pub(crate) choices: Option<Vec<(u32, Vec<u32>)>>,
    /// The agent that acts by each choice, if they act one at a time.
    actors: Vec<u8>,
    /// The words of possible states that are configurations: all, unless an assumption is made about all agents together.
    pub(crate) given: Vec<bool>,
    /// The really safe configurations.
    pub(crate) safe: Vec<bool>,
    /// The configurations of the largest trap; empty until it is asked for.
    pub(crate) trap: Vec<bool>,
}

/// Rings with more outcomes are not examined.
const MOST_STEPS: usize = 1 << 22;

/// A configuration in which the daemon can prevent good ones for ever, with any outcome of its coins.
fn avoided(choices: &[(u32, Vec<u32>)], mut good: Vec<bool>, cancel: Cancel) -> Option<usize> {
    let mut waits = vec![0u32; good.len()];
    choices.iter().for_each(|(word, _)| waits[*word as usize] += 1);
    let mut open: Vec<_> = choices.iter().filter(|(word, _)| !good[*word as usize]).collect();
    loop {
        let before = open.len();
        open.retain(|(word, steps)| {
            let leads = steps.iter().any(|&to| good[to as usize]);
            let word = *word as usize;
            waits[word] -= u32::from(leads);
            good[word] |= leads && waits[word] == 0;
            !leads
        });
        if open.len() == before || cancel.asked() {
            return good.iter().position(|g| !g);
        }
    }
}

/// A set that others `join`, or that its members leave, as long as `moves` says so of some.
pub(crate) fn settled(mut set: Vec<bool>, join: bool, moves: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
    loop {
        let moving: Vec<usize> = (0..set.len()).filter(|&i| set[i] != join && moves(i, &set)).collect();
        if moving.is_empty() {
            return set;
        }
        moving.into_iter().for_each(|i| set[i] = join);
    }
}

/// The number of configurations of a size.
pub(crate) fn configurations(rules: &Rules, n: usize) -> usize {
    (0..n).fold(1usize, |product, i| product.saturating_mul(rules.possible.at(Place::of(i, n)).len()))
}

impl Ring {
    /// Builds the ring, if all steps lead to configurations; otherwise returns a step that does not. `None` if the search is cancelled, or if
    /// the daemon has too many choices.
    pub(crate) fn new(
        rules: &Rules,
        moves: &Moves,
        evaluator: &Evaluator,
        n: usize,
        cancel: Cancel,
    ) -> Option<Result<Ring, [Vec<State>; 2]>> {
        let possible: Vec<Vec<State>> = (0..n).map(|i| rules.possible.at(Place::of(i, n)).to_vec()).collect();
        let number = |p: &Vec<State>| {
            (0..rules.states.len()).map(|s| p.iter().position(|&x| usize::from(x) == s).unwrap_or(usize::MAX)).collect()
        };
        let index = possible.iter().map(number).collect();
        let empty = Arrows { from: vec![0], to: Vec::new() };
        let choices = moves.daemon.as_ref().filter(|daemon| daemon.fair).map(|_| Vec::new());
        let (actors, given, safe, trap) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut ring = Ring { n, possible, index, graph: empty, choices, actors, given, safe, trap };
        let count = configurations(rules, n);
        let (mut w, mut v, mut to) = (Vec::new(), Vec::new(), Vec::new());
        let mut holders: Vec<Option<Vec<u16>>> = Vec::with_capacity(count);
        for code in (0..count).take_while(|_| !cancel.asked()) {
            ring.decode(code, &mut w);
            ring.given.push(evaluator.given(&w));
            if !ring.given[code] {
                holders.push(None);
                ring.graph.from.push(ring.graph.to.len() as u32);
                continue;
            }
            holders.push(evaluator.promised(&w));
            let mut out = None;
            to.clear();
            let mut add = |v: &[State]| match ring.encode(v).filter(|_| evaluator.given(v)) {
                Some(next) => to.push(next as u32),
                None => out = Some(v.to_vec()),
            };
            match &moves.daemon {
                None => moves.each(&w, &mut v, |_, _, v| add(v)),
                Some(daemon) => {
                    let outcomes = daemon.outcomes(&w)?;
                    outcomes.iter().flat_map(|(_, words)| words).for_each(|v| add(v));
                    if ring.graph.to.len() + to.len() > MOST_STEPS {
                        return None;
                    }
                    let codes = |(_, words): &(usize, Vec<Vec<State>>)| {
                        let mut steps: Vec<u32> = words.iter().filter_map(|v| Some(ring.encode(v)? as u32)).collect();
                        steps.sort_unstable();
                        steps.dedup();
                        (code as u32, steps)
                    };
                    let choices = outcomes.iter().map(codes).collect::<Vec<_>>();
                    ring.choices.iter_mut().for_each(|all| all.extend_from_slice(&choices));
                    ring.actors.extend(outcomes.iter().map(|(actor, _)| *actor as u8));
                }
            }
            if let Some(out) = out {
                return Some(Err([w, out]));
            }
            to.sort_unstable();
            to.dedup();
            ring.graph.to.extend_from_slice(&to);
            ring.graph.from.push(ring.graph.to.len() as u32);
        }
        if !cancel.asked() {
            ring.safe = ring.really_safe(&holders, cancel);
        }
        (!cancel.asked()).then_some(Ok(ring))
    }

    pub(crate) fn decode(&self, mut code: usize, w: &mut Vec<State>) {
        w.clear();
        w.resize(self.n, 0);
        for i in (0..self.n).rev() {
            let p = &self.possible[i];
            w[i] = p[code % p.len()];
            code /= p.len();
        }
    }

    /// A configuration's number, if all its states are possible.
    pub(crate) fn encode(&self, w: &[State]) -> Option<usize> {
        let mut code = 0;
        for (i, &s) in w.iter().enumerate() {
            let digit = self.index[i][usize::from(s)];
            if digit == usize::MAX {
                return None;
            }
            code = code * self.possible[i].len() + digit;
        }
        Some(code)
    }

    pub(crate) fn word(&self, code: usize) -> Vec<State> {
        let mut w = Vec::new();
        self.decode(code, &mut w);
        w
    }

    /// The largest closed set that keeps the promise.
    fn really_safe(&self, holders: &[Option<Vec<u16>>], cancel: Cancel) -> Vec<bool> {
        let mut safe: Vec<bool> = holders.iter().map(Option::is_some).collect();
        let back = self.graph.reversed();
        let mut leaving: Vec<usize> = (0..holders.len())
            .take_while(|_| !cancel.asked())
            .filter(|&s| safe[s] && self.graph.after(s).iter().any(|&t| holders[t as usize] != holders[s]))
            .collect();
        leaving.iter().for_each(|&s| safe[s] = false);
        while let Some(s) = leaving.pop().filter(|_| !cancel.asked()) {
            for &p in back.of(s) {
                if std::mem::replace(&mut safe[p as usize], false) {
                    leaving.push(p as usize);
                }
            }
        }
        safe
    }

    /// The largest set of configurations among which the daemon can stay for ever, with any outcome of fair coins, and with a broken
    /// promise at least in every other configuration. Under globally fair schedules no step leaves it.
    pub(crate) fn largest_trap(&self, scheduler: Scheduler, evaluator: &Evaluator, cancel: Cancel) -> Vec<bool> {
        let broken: Vec<bool> = (0..self.graph.len()).map(|c| evaluator.promised(&self.word(c)).is_none()).collect();
        let mut trap = vec![true; broken.len()];
        loop {
            let inside = |from: usize, to: &u32| trap[*to as usize] && (broken[from] || broken[*to as usize]);
            let stays = |from: usize| match self.graph.after(from) {
                [] => broken[from],
                after => {
                    let closed = scheduler != Scheduler::GloballyFair || after.iter().all(|to| trap[*to as usize]);
                    closed && after.iter().any(|to| inside(from, to))
                }
            };
            let mut kept: Vec<bool> = (0..trap.len()).map(|from| trap[from] && stays(from)).collect();
            if let Some(choices) = &self.choices {
                let mut sure: Vec<bool> = (0..trap.len()).map(|from| self.graph.after(from).is_empty()).collect();
                for (from, outcomes) in choices {
                    sure[*from as usize] |= outcomes.iter().all(|to| inside(*from as usize, to));
                }
                kept.iter_mut().zip(sure).for_each(|(kept, sure)| *kept &= sure);
            }
            if kept == trap || cancel.asked() {
                return kept;
            }
            trap = kept;
        }
    }

    /// The really safe configurations, and words that are no configurations.
    pub(crate) fn good(&self) -> Vec<bool> {
        self.safe.iter().zip(&self.given).map(|(safe, given)| *safe || !given).collect()
    }

    /// A configuration from which the really safe set may not be reached.
    pub(crate) fn failure(&self, moves: &Moves, scheduler: Scheduler, cancel: Cancel) -> Option<usize> {
        let back = self.graph.reversed();
        let mut waits: Vec<u32> = (0..self.graph.len())
            .map(|s| match scheduler {
                Scheduler::GloballyFair => 1,
                _ => self.graph.after(s).len() as u32,
            })
            .collect();
        let mut good = self.good();
        match &self.choices {
            Some(choices) if scheduler == Scheduler::WeaklyFair => return self.patient_failure(choices, &good, cancel),
            Some(choices) => return avoided(choices, good, cancel),
            None if scheduler == Scheduler::WeaklyFair => return self.fair_failure(moves, &good, cancel),
            None if scheduler == Scheduler::LocallyFair => return self.local_failure(moves, &good, cancel),
            None => {}
        }
        let mut open: Vec<usize> = (0..good.len()).filter(|&s| good[s]).collect();
        while let Some(s) = open.pop().filter(|_| !cancel.asked()) {
            for &p in back.of(s) {
                let p = p as usize;
                waits[p] = waits[p].saturating_sub(1);
                if waits[p] == 0 && !std::mem::replace(&mut good[p], true) {
                    open.push(p);
                }
            }
        }
        good.iter().position(|g| !g)
    }
}
