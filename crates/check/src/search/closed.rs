//! Closed sets: whether a set can be left, and the greatest set that never breaks the specification.

use crate::schedule::ProcessByProcess;
use crate::space::{Bits, Edge, INCORRECT, Reversible, StateGraph};
use crate::{Monitor, Stop};
use std::ops::Range;

const BLOCK: u64 = 1 << 14;

/// Adds to a set, level by level, every node from which it can be entered.
///
/// `admit` is called with a node for each step found from the node into the set. It returns `true` the first time only,
/// and `false` for nodes that must stay outside.
pub(super) fn backward<G: Reversible>(
    graph: &G,
    mut frontier: Frontier,
    monitor: &Monitor,
    admit: impl Fn(u32) -> bool + Sync,
) -> Result<(), Stop> {
    while !frontier.0.is_empty() {
        let expand = |next: &mut Frontier, range: Range<u64>| {
            for &node in frontier.0[range.start as usize..range.end as usize].iter().flatten() {
                graph.predecessors(node, |before| {
                    if admit(before) {
                        next.push(before);
                    }
                });
            }
        };
        let next = monitor.blocks(frontier.0.len() as u64, 1, expand, Frontier::default)?;
        frontier = next.into_iter().collect();
    }
    Ok(())
}

/// A list in pieces of the size of a block, so that neither growing nor joining copies it.
#[derive(Debug, Default)]
pub(super) struct Frontier(Vec<Vec<u32>>);

impl Frontier {
    fn push(&mut self, node: u32) {
        match self.0.last_mut() {
            Some(piece) if piece.len() < BLOCK as usize => piece.push(node),
            _ => self.0.push(vec![node]),
        }
    }
}

impl FromIterator<Frontier> for Frontier {
    fn from_iter<I: IntoIterator<Item = Frontier>>(lists: I) -> Frontier {
        Frontier(lists.into_iter().flat_map(|pieces| pieces.0).collect())
    }
}

/// The greatest set of nodes that meet the specification, cannot be left, and in which the label never changes.
///
/// The arguments of `label` are a node and its rotation.
pub fn really_safe<G: Reversible>(
    graph: &G,
    label: impl Fn(u32, u32) -> u8 + Sync,
    monitor: &Monitor,
) -> Result<Bits, Stop> {
    monitor.enter("the really safe set", Some(graph.size()));
    let set = Bits::new(graph.size());
    if let Some(all) = graph.at_once() {
        return really_safe_at_once(all, graph.size(), label, monitor);
    }
    let look = |leaving: &mut Frontier, range: Range<u64>| {
        for node in range {
            let node = node as u32;
            let mine = label(node, 0);
            if mine == INCORRECT {
                continue;
            }
            let mut stays = true;
            graph.successors(node, |e| stays &= label(e.target, e.turn) == mine);
            if stays {
                set.insert(node);
            } else {
                leaving.push(node);
            }
        }
    };
    let leaving = monitor.blocks(graph.size(), BLOCK, look, Frontier::default)?.into_iter().collect();
    backward(graph, leaving, monitor, |node| set.remove(node))?;
    Ok(set)
}

/// The same where all steps are followed at once. Every label has a closed set of its own.
fn really_safe_at_once(
    all: &ProcessByProcess,
    size: u64,
    label: impl Fn(u32, u32) -> u8,
    monitor: &Monitor,
) -> Result<Bits, Stop> {
    let labels: Vec<u8> = (0..size as u32).map(|node| label(node, 0)).collect();
    let mut known: Vec<u8> = labels.iter().copied().filter(|&label| label != INCORRECT).collect();
    known.sort_unstable();
    known.dedup();
    let mut safe = Bits::new(size);
    for label in known {
        let leaving = Bits::of(size, |node| labels[node as usize] != label);
        all_reaching(all, &leaving, monitor)?;
        safe = safe.with(leaving.missing());
    }
    Ok(safe)
}

/// Adds to a set every node from which it can be entered, all at once, level by level.
fn all_reaching(all: &ProcessByProcess, set: &Bits, monitor: &Monitor) -> Result<(), Stop> {
    while all.before(set, monitor)?.iter().filter(|&node| set.insert(node)).count() > 0 {}
    Ok(())
}

/// A step that leaves a set, if there is one.
pub(crate) fn leaves<G: StateGraph>(graph: &G, set: &Bits, monitor: &Monitor) -> Result<Option<(u32, Edge)>, Stop> {
    let may_leave = graph.at_once().map(|all| all.before(&set.complement(), monitor)).transpose()?;
    let look = |found: &mut Option<(u32, Edge)>, range: Range<u64>| {
        for node in range {
            let node = node as u32;
            let looks = may_leave.as_ref().is_none_or(|nodes| nodes.contains(node));
            if set.contains(node) && looks && found.is_none() {
                graph.successors(node, |e| {
                    if !set.contains(e.target) {
                        *found = Some((node, e));
                    }
                });
            }
        }
    };
    let found = monitor.blocks(graph.size(), BLOCK, look, || None)?;
    Ok(found.into_iter().flatten().min_by_key(|(node, _)| *node))
}

/// The nodes that can be reached from some nodes without a node of `stop`, including the nodes themselves.
pub(crate) fn reachable<G: StateGraph>(
    graph: &G,
    from: &Bits,
    stop: Option<&Bits>,
    monitor: &Monitor,
) -> Result<Bits, Stop> {
    monitor.enter("configurations that can be reached from the starts", Some(graph.size()));
    let goes_on = |node: u32| stop.is_none_or(|stop| !stop.contains(node));
    let mut open: Vec<u32> = from.iter().filter(|&node| goes_on(node)).collect();
    let (reached, mut seen) = (Bits::new(graph.size()).with(open.iter().copied()), 0_u64);
    while let Some(node) = open.pop() {
        seen += 1;
        monitor.pass(seen, 1 << 14)?;
        graph.successors(node, |edge| {
            if goes_on(edge.target) && reached.insert(edge.target) {
                open.push(edge.target);
            }
        });
    }
    Ok(reached)
}

/// The nodes from which a closed set can be reached, including the set itself.
pub fn can_reach<G: Reversible>(graph: &G, target: &Bits, monitor: &Monitor) -> Result<Bits, Stop> {
    monitor.enter("configurations that can reach the set", Some(graph.size()));
    let (reached, mut frontier) = (target.clone(), Frontier::default());
    if let Some(all) = graph.at_once() {
        return all_reaching(all, &reached, monitor).map(|()| reached);
    }
    target.iter().for_each(|node| frontier.push(node));
    backward(graph, frontier, monitor, |node| reached.insert(node))?;
    Ok(reached)
}
