//! The choices of a daemon, each with the outcomes of its coins.

use crate::formulas::atoms::window;
use ringleader_verify::{Coins, Move, Place, Rules, Scheduler, State, Window};
use std::collections::HashMap;

/// Configurations with more outcomes than this are not examined.
const MOST: usize = 1 << 16;

/// A choice for one agent: a coin that it tosses, or a single move.
pub(crate) struct Choice {
    /// Distinguishes the choices of one agent; from 1 on.
    pub(crate) label: u8,
    window: Window,
    moves: Vec<Move>,
    idle: bool,
}

impl Choice {
    /// Whether the agent can get this state, if only its own state changes.
    pub(crate) fn leads_to(&self, after: State) -> bool {
        self.idle && self.window.own == Some(after) || self.moves.iter().any(|m| m.own.after == after)
    }
}

/// A daemon for which choices and coins matter.
pub(crate) struct Daemon {
    pub(crate) scheduler: Scheduler,
    /// Whether coins are fair. Otherwise the daemon chooses their outcomes.
    pub(crate) fair: bool,
    pub(crate) labels: u8,
    pub(crate) choices: Vec<Choice>,
}

impl Daemon {
    /// `None` if single moves describe the daemon: without fair coins, if agents act one at a time.
    pub(crate) fn new(rules: &Rules, scheduler: Scheduler, coins: Coins) -> Option<Daemon> {
        let (fair, together) =
            (coins == Coins::Fair, matches!(scheduler, Scheduler::Distributed | Scheduler::Synchronous));
        if scheduler == Scheduler::GloballyFair || !fair && !together {
            return None;
        }
        let (mut choices, mut labels): (Vec<Choice>, _) = (Vec::new(), HashMap::new());
        let mut add = |moves: Vec<Move>, idle: bool| {
            let window = window(&moves[0]);
            let before = choices.iter().filter(|c: &&Choice| c.window == window).count();
            let form = (window.place.is_some(), window.left.is_some(), window.right.is_some(), before);
            let next = labels.len() as u8 + 1;
            choices.push(Choice { label: *labels.entry(form).or_insert(next), window, moves, idle });
        };
        for toss in &rules.tosses {
            add(toss.outcomes.iter().map(|&m| rules.moves[m]).collect(), toss.idle);
        }
        for (i, m) in rules.moves.iter().enumerate() {
            if !rules.tosses.iter().any(|toss| toss.outcomes.contains(&i)) {
                add(vec![*m], false);
            }
        }
        Some(Daemon { scheduler, fair, labels: labels.len() as u8, choices })
    }

    /// Whether several agents may act at once.
    pub(crate) fn together(&self) -> bool {
        matches!(self.scheduler, Scheduler::Distributed | Scheduler::Synchronous)
    }

    /// The choice of an agent with a label, if it has one.
    pub(crate) fn choice(&self, label: u8, place: Place, view: [State; 3]) -> Option<&Choice> {
        self.choices.iter().find(|c| c.label == label && c.window.matches(place, view))
    }

    /// Whether an agent has a choice.
    pub(crate) fn enabled(&self, place: Place, view: [State; 3]) -> bool {
        self.choices.iter().any(|c| c.window.matches(place, view))
    }

    /// Whether an agent with a label, or without, may change so on some step.
    pub(crate) fn uses(&self, label: u8, before: State, after: State) -> bool {
        let own = |c: &Choice| c.label == label && c.window.own == Some(before) && c.leads_to(after);
        label == 0 && (before == after || !self.together()) || self.choices.iter().any(own)
    }

    /// Which neighbours choices depend on: the left one, the right one.
    pub(crate) fn reads(&self) -> [bool; 2] {
        let any = |reads: fn(&Window) -> bool| self.choices.iter().any(|c| reads(&c.window));
        [any(|w| w.left.is_some()), any(|w| w.right.is_some())]
    }

    /// The rows of single moves with the labels of their agents.
    pub(crate) fn moves(&self) -> impl Iterator<Item = (u8, &Move)> {
        self.choices.iter().flat_map(|c| c.moves.iter().map(|m| (c.label, m)))
    }

    /// The daemon's choices in a configuration, each with the agent that acts (0 if agents act at once), and the configurations that its
    /// outcomes lead to; `None` if there are too many.
    pub(crate) fn outcomes(&self, w: &[State]) -> Option<Vec<(usize, Vec<Vec<State>>)>> {
        let n = w.len();
        let view = |i: usize| [w[(i + n - 1) % n], w[i], w[(i + 1) % n]];
        let own = |i: usize| -> Vec<&Choice> {
            self.choices.iter().filter(|c| c.window.matches(Place::of(i, n), view(i))).collect()
        };
        if !self.together() {
            let at = (0..n).flat_map(|i| own(i).into_iter().map(move |c| (i, c)));
            return Some(at.map(|(i, c)| (i, self.acted(c, w, i))).collect());
        }
        // For each agent the sets of states that it may get: by each of its choices, and by no choice.
        let mut sets: Vec<(bool, Vec<Vec<State>>)> = vec![(false, vec![Vec::new()])];
        for i in 0..n {
            let choices = own(i);
            let rests = self.scheduler == Scheduler::Distributed || choices.is_empty();
            let mut gets: Vec<(bool, Vec<State>)> = choices
                .iter()
                .map(|c| {
                    let mut after: Vec<State> = c.moves.iter().map(|m| m.own.after).collect();
                    after.extend(c.idle.then_some(w[i]));
                    after.sort_unstable();
                    after.dedup();
                    (true, after)
                })
                .collect();
            gets.extend(rests.then(|| (false, vec![w[i]])));
            let longer = |(acted, words): &(bool, Vec<Vec<State>>)| -> Vec<(bool, Vec<Vec<State>>)> {
                let with = |(acts, after): &(bool, Vec<State>)| {
                    let words = words.iter().flat_map(|w| after.iter().map(move |s| [&w[..], &[*s]].concat()));
                    (*acted || *acts, words.collect())
                };
                gets.iter().map(with).collect()
            };
            sets = sets.iter().flat_map(longer).collect();
            if sets.iter().map(|(_, words)| words.len()).sum::<usize>() > MOST {
                return None;
            }
        }
        Some(sets.into_iter().filter(|(acted, _)| *acted).map(|(_, words)| (0, words)).collect())
    }

    /// What one agent's choice can make of a configuration.
    fn acted(&self, choice: &Choice, w: &[State], i: usize) -> Vec<Vec<State>> {
        let n = w.len();
        let mut next: Vec<Vec<State>> = choice.idle.then(|| w.to_vec()).into_iter().collect();
        for m in &choice.moves {
            let mut v = w.to_vec();
            for (k, cell) in m.cells().iter().enumerate() {
                v[(i + n + k - m.centre()) % n] = cell.after;
            }
            next.push(v);
        }
        next
    }
}
