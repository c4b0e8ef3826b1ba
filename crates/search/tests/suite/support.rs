//! Slow and obvious: every table of a family, every configuration one by one, no symmetry and no pruning.

use ringleader_model::{Circle, Coin, Goal, Marks, Population, Scheduler, Stabilizing, Told, Variables, Visitor};
use ringleader_search::{Family, Protocol, Topology};
use std::collections::BTreeSet;

/// A table with a set of leader states, as bits. `after[hears][a][b]`; interactions that never happen change nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Plain {
    pub(crate) states: u8,
    pub(crate) leaders: u8,
    pub(crate) detector: bool,
    pub(crate) after: Vec<(u8, u8)>,
}

impl Plain {
    pub(crate) fn at(&self, a: u8, b: u8, hears: bool) -> usize {
        let (q, hears) = (usize::from(self.states), usize::from(hears && self.detector));
        (hears * q + usize::from(a)) * q + usize::from(b)
    }

    pub(crate) fn leads(&self, state: u8) -> bool {
        self.leaders >> state & 1 == 1
    }

    pub(crate) fn of(protocol: &Protocol, detector: bool) -> Plain {
        let states = protocol.states() as u8;
        let mut plain = Plain { states, leaders: (1 << protocol.leaders()) - 1, detector, after: vec![] };
        for hears in [false, true].into_iter().take(1 + usize::from(detector)) {
            for a in 0..states {
                plain.after.extend((0..states).map(|b| protocol.after(a, b, hears)));
            }
        }
        plain
    }

    /// The first of its renamings.
    pub(crate) fn canonical(&self) -> Plain {
        let all = permutations(self.states);
        all.iter().map(|names| self.renamed(names)).min().expect("at least one renaming")
    }

    pub(crate) fn renamed(&self, names: &[u8]) -> Plain {
        let mut other = self.clone();
        let name = |state: u8| names[usize::from(state)];
        other.leaders = (0..self.states).filter(|&s| self.leads(s)).fold(0, |set, s| set | 1 << name(s));
        for hears in [false, true].into_iter().take(1 + usize::from(self.detector)) {
            for a in 0..self.states {
                for b in 0..self.states {
                    let (c, d) = self.after[self.at(a, b, hears)];
                    let at = self.at(name(a), name(b), hears);
                    other.after[at] = (name(c), name(d));
                }
            }
        }
        other
    }

    /// Whether the promise holds with this number of agents.
    pub(crate) fn holds(&self, family: &Family, agents: usize) -> bool {
        let all = configurations(self.states, agents);
        let number = |c: &[u8]| c.iter().fold(0, |n, &s| n * usize::from(self.states) + usize::from(s));
        let leaders = |c: &[u8]| -> Vec<usize> { (0..agents).filter(|&i| self.leads(c[i])).collect() };
        let steps: Vec<Vec<usize>> = all
            .iter()
            .map(|c| {
                let hears = !leaders(c).is_empty();
                let step = |(i, j): (usize, usize)| {
                    let mut next = c.clone();
                    (next[i], next[j]) = self.after[self.at(c[i], c[j], hears)];
                    number(&next)
                };
                arcs(family.topology, agents).into_iter().map(step).collect()
            })
            .collect();
        let mut safe: Vec<bool> = all.iter().map(|c| leaders(c).len() == 1).collect();
        loop {
            let stays = |c: usize| steps[c].iter().all(|&d| safe[d] && leaders(&all[d]) == leaders(&all[c]));
            let Some(bad) = (0..all.len()).find(|&c| safe[c] && !stays(c)) else { break };
            safe[bad] = false;
        }
        let mut good = safe;
        loop {
            let becomes_good = |c: usize| match family.scheduler {
                // Every execution terminates there: all steps that change something lead to configurations known to
                // terminate.
                Scheduler::Unfair => {
                    let mut moving = steps[c].iter().filter(|&&d| d != c).peekable();
                    moving.peek().is_some() && moving.all(|&d| good[d])
                }
                _ => steps[c].iter().any(|&d| good[d]),
            };
            let Some(new) = (0..all.len()).find(|&c| !good[c] && becomes_good(c)) else { break };
            good[new] = true;
        }
        good.iter().all(|&good| good)
    }
}

pub(crate) fn arcs(topology: Topology, agents: usize) -> Vec<(usize, usize)> {
    match topology {
        Topology::DirectedRing => (0..agents).map(|i| (i, (i + 1) % agents)).collect(),
        Topology::Complete => {
            let all = (0..agents).flat_map(|i| (0..agents).map(move |j| (i, j)));
            all.filter(|(i, j)| i != j).collect()
        }
    }
}

pub(crate) fn configurations(states: u8, agents: usize) -> Vec<Vec<u8>> {
    (0..agents).fold(vec![vec![]], |all, _| {
        all.iter().flat_map(|c| (0..states).map(|s| [c.as_slice(), &[s]].concat())).collect()
    })
}

pub(crate) fn permutations(states: u8) -> Vec<Vec<u8>> {
    let all = configurations(states, usize::from(states));
    all.into_iter().filter(|p| (0..states).all(|s| p.contains(&s))).collect()
}

/// All tables of a family with all sets of leader states that keep the promise. Tables that differ only in unused
/// entries count once.
pub(crate) fn enumerate(family: &Family) -> BTreeSet<Plain> {
    let q = family.states as u8;
    let mut found = BTreeSet::new();
    for leaders in 1..(1 << q) - 1 {
        let start = Plain { states: q, leaders, detector: family.detector, after: vec![] };
        if family.leaders.is_some_and(|k| k != leaders.count_ones() as usize) {
            continue;
        }
        let heard = [false, true].into_iter().take(1 + usize::from(family.detector));
        let entries: Vec<(bool, u8, u8)> =
            heard.flat_map(|h| (0..q).flat_map(move |a| (0..q).map(move |b| (h, a, b)))).collect();
        let identity: Vec<(u8, u8)> = entries.iter().map(|&(_, a, b)| (a, b)).collect();
        let happens = |&(hears, a, b): &(bool, u8, u8)| {
            let meets = |n: usize| {
                configurations(q, n).iter().any(|c| {
                    let led = c.iter().any(|&s| start.leads(s));
                    let meets = |(i, j): (usize, usize)| (c[i], c[j]) == (a, b);
                    (!family.detector || led == hears) && arcs(family.topology, n).into_iter().any(meets)
                })
            };
            family.sizes.iter().any(|&n| meets(n))
        };
        let mut tables = vec![identity];
        for &(hears, a, b) in entries.iter().filter(|entry| happens(entry)) {
            if family.symmetric && a > b {
                continue;
            }
            let (at, mirrored) = (start.at(a, b, hears), start.at(b, a, hears));
            let values: Vec<(u8, u8)> = (0..q).flat_map(|c| (0..q).map(move |d| (c, d))).collect();
            let fits = |&(c, d): &(u8, u8)| !family.symmetric || a != b || c == d;
            let mut more = vec![];
            for table in &tables {
                for &(c, d) in values.iter().filter(|value| fits(value)) {
                    let mut table = table.clone();
                    table[at] = (c, d);
                    if family.symmetric {
                        table[mirrored] = (d, c);
                    }
                    more.push(table);
                }
            }
            tables = more;
        }
        for after in tables {
            let table = Plain { after, ..start.clone() };
            if family.sizes.iter().all(|&n| table.holds(family, n)) {
                found.insert(table);
            }
        }
    }
    found
}

impl Variables for Plain {
    type State = u8;
    fn variables(&self, state: &mut u8, v: &mut dyn Visitor) {
        v.range("s", 0, u64::from(self.states) - 1, state);
    }
}

impl Population for Plain {
    fn hears(&self) -> bool {
        self.detector
    }
    fn interact(&self, u: u8, v: u8, told: Told, _: &mut impl Coin) -> (u8, u8) {
        self.after[self.at(u, v, told.initiator)]
    }
    fn marks(&self, state: &u8) -> Marks {
        Marks::LEADER.when(self.leads(*state))
    }
}

impl Stabilizing for Plain {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }
    fn correct(&self, c: &[u8]) -> bool {
        Circle(c).only(|&state| self.leads(state)).is_some()
    }
    /// Nothing is claimed, so the verdict is about the really safe set.
    fn safe(&self, _: &[u8]) -> bool {
        false
    }
}
