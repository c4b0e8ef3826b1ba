//! A decision process in which each end component is one node. Inside a component, values would support each other for ever.

use super::{Choices, EndComponent};
use crate::space::StateGraph as _;
use std::collections::HashMap;

/// A decision process with collapsed end components.
pub(super) struct Collapsed<'a> {
    pub(super) choices: &'a Choices,
    /// The node that stands for each node's end component.
    pub(super) leader: Vec<u32>,
    groups: HashMap<u32, &'a [u32]>,
    /// The nodes to solve for: one of each end component, and all others that are not settled.
    pub(super) open: Vec<u32>,
}

impl<'a> Collapsed<'a> {
    /// Collapses the components `inner`, which contain no settled node.
    pub(super) fn new(choices: &'a Choices, inner: &'a [EndComponent], settled: impl Fn(u32) -> bool) -> Collapsed<'a> {
        let mut leader: Vec<u32> = (0..choices.size() as u32).collect();
        let mut groups = HashMap::new();
        for EndComponent { nodes, .. } in inner {
            nodes.iter().for_each(|&node| leader[node as usize] = nodes[0]);
            groups.insert(nodes[0], &nodes[..]);
        }
        let open = |node: &u32| !settled(*node) && leader[*node as usize] == *node;
        let open = (0..choices.size() as u32).filter(open).collect();
        Collapsed { choices, leader, groups, open }
    }

    /// The greatest value of a node's choices: the reward `earned` by a choice, given its weight outside the node, and the mean
    /// of the values after it. An outcome that stays at the node repeats the choice.
    pub(super) fn greatest(&self, values: &[f64], node: u32, earned: impl Fn(u32, f64) -> f64) -> f64 {
        let group = self.groups.get(&node).copied().unwrap_or(std::slice::from_ref(&node));
        let mut greatest = 0.0_f64;
        for choice in group.iter().flat_map(|&node| self.choices.of(node)) {
            let (mut whole, mut sum) = (0.0, 0.0);
            for (&to, &weight) in self.choices.targets(choice).iter().zip(self.choices.weights(choice)) {
                let to = self.leader[to as usize];
                if to != node {
                    whole += f64::from(weight);
                    sum += f64::from(weight) * values[to as usize];
                }
            }
            if whole > 0.0 {
                greatest = greatest.max((earned(choice, whole) + sum) / whole);
            }
        }
        greatest
    }
}
