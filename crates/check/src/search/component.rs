//! Strongly connected components of a part of a graph (Tarjan 1972, without recursion).

use crate::space::StateGraph;
use crate::{Monitor, Stop};

const UNSEEN: u32 = 0;
const CLOSED: u32 = u32::MAX;

/// Memory for searches in one graph: the visited nodes and the order of their visits.
#[derive(Debug)]
pub(crate) struct Components {
    index: Vec<u32>,
}

struct Frame {
    node: u32,
    /// Its unvisited successors are `pending[from..]`.
    from: usize,
    low: u32,
}

impl Components {
    /// Memory for a graph of `nodes` nodes.
    pub(crate) fn new(nodes: u64) -> Components {
        Components { index: vec![UNSEEN; nodes as usize] }
    }

    /// Calls `found` with each component of the subgraph on `nodes`, until it returns `false`.
    ///
    /// `inside` decides whether a node is in the subgraph. A component comes after all components that it leads to, so
    /// the first one cannot be left within the subgraph.
    pub(crate) fn components<G: StateGraph>(
        &mut self,
        graph: &G,
        nodes: &[u32],
        monitor: &Monitor,
        mut inside: impl FnMut(u32) -> bool,
        mut found: impl FnMut(&[u32]) -> bool,
    ) -> Result<(), Stop> {
        for &node in nodes {
            self.index[node as usize] = UNSEEN;
        }
        let (mut pending, mut stack, mut open) = (vec![], Vec::<Frame>::new(), vec![]);
        let mut count = 0;
        for (at, &root) in nodes.iter().enumerate() {
            if at.is_multiple_of(1 << 14) {
                monitor.check()?;
                monitor.advance(1 << 14);
            }
            if self.index[root as usize] != UNSEEN {
                continue;
            }
            let mut enter = Some(root);
            loop {
                if let Some(node) = enter.take() {
                    count += 1;
                    self.index[node as usize] = count;
                    open.push(node);
                    let from = pending.len();
                    graph.successors(node, |e| {
                        if e.target != node {
                            pending.push(e.target);
                        }
                    });
                    stack.push(Frame { node, from, low: count });
                }
                let Some(frame) = stack.last_mut() else { break };
                if pending.len() > frame.from {
                    let next = pending.pop().expect("there is one");
                    match self.index[next as usize] {
                        CLOSED => {}
                        UNSEEN if inside(next) => enter = Some(next),
                        UNSEEN => {}
                        met if inside(next) => frame.low = frame.low.min(met),
                        _ => {}
                    }
                    continue;
                }
                let Frame { node, low, .. } = *frame;
                stack.pop();
                if let Some(parent) = stack.last_mut() {
                    parent.low = parent.low.min(low);
                }
                if low == self.index[node as usize] {
                    let first = open.iter().rposition(|&n| n == node).expect("its root is on the stack");
                    for &member in &open[first..] {
                        self.index[member as usize] = CLOSED;
                    }
                    let go_on = found(&open[first..]);
                    open.truncate(first);
                    if !go_on {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}
