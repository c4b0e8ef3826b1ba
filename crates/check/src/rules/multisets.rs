//! A population on a complete graph up to permutation: the number of agents in each state.
//!
//! Any two agents may meet, so their identities do not matter. A multiset of states represents all configurations with
//! the same counts. Multisets are numbered in the lexicographic order of their counts.

use super::System;
use crate::space::{Bits, Edge, Markov, Reversible, StateGraph};
use num_bigint::BigUint;
use ringleader_erased::RuleTable;

/// The multisets of a number of agents, with the steps between them.
#[derive(Debug)]
pub(crate) struct Multisets {
    agents: u64,
    states: usize,
    leader: Vec<bool>,
    /// The number of local states that each state of the rule represents.
    weights: Vec<u64>,
    /// The protocol on a single arc: the rule, with one action for each of its transitions.
    pub(crate) pair: System,
    /// `ways[s][m]`: how many multisets of m states out of s there are.
    ways: Vec<Vec<u64>>,
    /// If there may be 2^64 steps or more between configurations: the share of each multiset in all starts, in [`UNITS`].
    shares: Vec<u64>,
}

/// The number of units that all shares make.
const UNITS: u64 = 1 << 62;

/// The mark of a step that changes the configuration but not the set of leaders. It may lead to the same multiset.
const MOVED: u32 = 1;
/// The mark of a step that changes the set of leaders.
pub(crate) const LED: u32 = 2;

impl Multisets {
    /// The multisets of `agents` agents; `pair` is the protocol on a single arc.
    ///
    /// `None` if there are 2^32 or more of them.
    pub(crate) fn new(agents: usize, pair: System, leader: Vec<bool>, weights: Vec<u64>) -> Option<Multisets> {
        let states = leader.len();
        let mut ways = vec![vec![0_u64; agents + 1]];
        ways[0][0] = 1;
        for s in 1..=states {
            let mut row = ways[s - 1].clone();
            for m in 1..=agents {
                row[m] = row[m].checked_add(row[m - 1])?;
            }
            ways.push(row);
        }
        let counts = Multisets { agents: agents as u64, states, leader, weights, pair, ways, shares: vec![] };
        (counts.size() < 1 << 32).then_some(counts)
    }

    /// The number of agents.
    pub(crate) fn agents(&self) -> usize {
        self.agents as usize
    }

    /// Whether there are fewer than 2^64 steps between configurations, so that they can be counted.
    pub(crate) fn is_countable(&self) -> bool {
        let arcs = self.agents.checked_mul(self.agents);
        let configurations = self.weights.iter().sum::<u64>().checked_pow(self.agents as u32);
        arcs.zip(configurations).is_some_and(|(arcs, configurations)| configurations.checked_mul(arcs).is_some())
    }

    /// The number of configurations of a multiset; `u64::MAX` if there are as many or more.
    pub(crate) fn configurations_of(&self, node: u32) -> u64 {
        let (mut members, mut left) = (1_u128, u128::from(self.agents));
        for (count, &weight) in self.counts(node).into_iter().zip(&self.weights) {
            // The binomial coefficients of the smaller part only grow. So an overflow means 2^64 configurations or more.
            for i in 1..=u128::from(count).min(left - u128::from(count)) {
                let Some(product) = members.checked_mul(left + 1 - i) else { return u64::MAX };
                members = product / i;
            }
            left -= u128::from(count);
            if weight > 1 {
                let weights = u128::from(weight).checked_pow(count);
                let Some(product) = weights.and_then(|all| members.checked_mul(all)) else { return u64::MAX };
                members = product;
            }
        }
        members.try_into().unwrap_or(u64::MAX)
    }

    /// Prepares means over starts that cannot be counted: each multiset then has its share of them. Returns the whole of which
    /// [`Markov::members`] are parts.
    pub(crate) fn share(&mut self, starts: &Bits) -> u64 {
        let factorials: Vec<BigUint> = std::iter::successors(Some((0_u64, BigUint::from(1_u8))), |(i, f)| {
            (*i < self.agents).then(|| (i + 1, f * (i + 1)))
        })
        .map(|(_, factorial)| factorial)
        .collect();
        let arranged = |node: u32| {
            let mut all = factorials[self.agents as usize].clone();
            for (count, &weight) in self.counts(node).into_iter().zip(&self.weights) {
                all = all / &factorials[count as usize] * BigUint::from(weight).pow(count);
            }
            all
        };
        let sizes: Vec<(u32, BigUint)> = starts.iter().map(|node| (node, arranged(node))).collect();
        let whole: BigUint = sizes.iter().map(|(_, size)| size).sum();
        let mut shares = vec![0; self.size() as usize];
        for (node, size) in sizes {
            // A start with a tiny share is still a start.
            let share: u64 = (size * UNITS / &whole).try_into().expect("a share is at most the whole");
            shares[node as usize] = share.max(1);
        }
        self.shares = shares;
        UNITS
    }

    /// The number of agents in each state.
    pub(crate) fn counts(&self, node: u32) -> Vec<u32> {
        let (mut rank, mut left) = (u64::from(node), self.agents as usize);
        let mut counts = vec![0; self.states];
        for (i, count) in counts.iter_mut().enumerate() {
            let others = &self.ways[self.states - i - 1];
            while others[left] <= rank {
                rank -= others[left];
                *count += 1;
                left -= 1;
            }
        }
        counts
    }

    /// The number of a multiset.
    pub(crate) fn node(&self, counts: &[u32]) -> u32 {
        let mut left = self.agents as usize;
        let mut rank = 0;
        for (i, &count) in counts.iter().enumerate() {
            // The multisets with fewer agents in state i, and any counts in the states after it.
            let ways = &self.ways[self.states - i];
            rank += ways[left] - ways[left - count as usize];
            left -= count as usize;
        }
        rank as u32
    }

    /// The number of the multiset of a configuration.
    pub(crate) fn node_of(&self, configuration: &[u32]) -> u32 {
        let mut counts = vec![0; self.states];
        configuration.iter().for_each(|&state| counts[state as usize] += 1);
        self.node(&counts)
    }

    /// One configuration of a multiset: its states in order.
    pub(crate) fn configuration(&self, node: u32) -> Vec<u32> {
        let counts = self.counts(node);
        counts.iter().enumerate().flat_map(|(state, &count)| (0..count).map(move |_| state as u32)).collect()
    }

    fn table(&self) -> &RuleTable {
        &self.pair.tables[0]
    }

    /// The answers of a perfect detector to the agents.
    pub(crate) fn context(&self, counts: &[u32]) -> usize {
        let led = self.leader.iter().zip(counts).any(|(&leads, &count)| leads && count > 0);
        if self.pair.has_inputs() && led { 3 } else { 0 }
    }

    /// The ordered pairs of states of two agents, each with the number of pairs of agents that have them.
    pub(crate) fn pairs(&self, counts: &[u32]) -> Vec<(usize, usize, u32)> {
        let present: Vec<usize> = (0..self.states).filter(|&state| counts[state] > 0).collect();
        let pairs = present.iter().flat_map(|&p| present.iter().map(move |&q| (p, q)));
        pairs.map(|(p, q)| (p, q, counts[p] * (counts[q] - u32::from(p == q)))).filter(|pair| pair.2 > 0).collect()
    }
}

/// The counts after two agents have changed.
fn after(counts: &[u32], from: [usize; 2], to: [usize; 2]) -> Vec<u32> {
    let mut counts = counts.to_vec();
    from.into_iter().for_each(|state| counts[state] -= 1);
    to.into_iter().for_each(|state| counts[state] += 1);
    counts
}

impl StateGraph for Multisets {
    fn size(&self) -> u64 {
        self.ways[self.states][self.agents as usize]
    }

    fn successors(&self, node: u32, mut visit: impl FnMut(Edge)) {
        let counts = self.counts(node);
        let context = self.context(&counts);
        for (p, q, pairs) in self.pairs(&counts) {
            for at in self.table().cell(context, p as u32, q as u32) {
                let outcome = self.table().changes()[at];
                let (left, right) = (usize::from(outcome.left), usize::from(outcome.right));
                let leads = |state: usize| self.leader[state];
                let turn = match (left, right) == (p, q) {
                    true => 0,
                    false if (leads(left), leads(right)) != (leads(p), leads(q)) => LED,
                    false => MOVED,
                };
                let target = self.node(&after(&counts, [p, q], [left, right]));
                visit(Edge { target, site: 0, action: at as u32, turn, weight: pairs * outcome.weight });
            }
        }
    }
}

impl Reversible for Multisets {
    fn predecessors(&self, node: u32, mut visit: impl FnMut(u32)) {
        let counts = self.counts(node);
        for (left, right, _) in self.pairs(&counts) {
            for context in 0..self.table().contexts() {
                for (p, q) in self.pair.inverses[0].before(context, left as u32, right as u32) {
                    let before = after(&counts, [left, right], [p as usize, q as usize]);
                    if self.context(&before) == context {
                        visit(self.node(&before));
                    }
                }
            }
        }
    }
}

impl Markov for Multisets {
    fn total(&self) -> u64 {
        self.agents * (self.agents - 1) * u64::from(self.table().whole())
    }

    fn steps_at_most(&self) -> u64 {
        (self.states * self.states) as u64 * self.table().most_changes()
    }

    fn members(&self, node: u32) -> u64 {
        self.shares.get(node as usize).copied().unwrap_or_else(|| self.configurations_of(node))
    }

    fn has_shares(&self) -> bool {
        !self.shares.is_empty()
    }
}
