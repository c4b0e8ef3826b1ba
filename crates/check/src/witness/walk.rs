//! Short walks that show a failure.

use crate::space::{Edge, StateGraph};
use std::collections::hash_map::{Entry, HashMap};
use std::collections::{HashSet, VecDeque};

/// Consecutive steps, each with the node it starts from.
pub(crate) type Walk = Vec<(u32, Edge)>;

/// A shortest walk from one of `from` along `allowed` edges, up to and including a wanted edge.
pub(crate) fn path<G: StateGraph>(
    graph: &G,
    from: impl IntoIterator<Item = u32>,
    allowed: impl Fn(u32, Edge) -> bool,
    mut wanted: impl FnMut(u32, Edge) -> bool,
) -> Option<Walk> {
    let mut queue: VecDeque<u32> = from.into_iter().collect();
    let mut reached_by: HashMap<u32, Option<(u32, Edge)>> = queue.iter().map(|&node| (node, None)).collect();
    while let Some(node) = queue.pop_front() {
        let mut last = None;
        graph.each_successor(node, &mut |e| {
            if last.is_some() || !allowed(node, e) {
                return;
            }
            if wanted(node, e) {
                last = Some((node, e));
            } else if let Entry::Vacant(entry) = reached_by.entry(e.target) {
                entry.insert(Some((node, e)));
                queue.push_back(e.target);
            }
        });
        if let Some(last) = last {
            let mut walk = vec![last];
            let mut at = node;
            while let Some(Some((before, edge))) = reached_by.get(&at) {
                walk.push((*before, *edge));
                at = *before;
            }
            walk.reverse();
            return Some(walk);
        }
    }
    None
}

/// A shortest cycle through some of `nodes` along `allowed` edges. Only the first few thousand nodes are tried.
pub(crate) fn shortest_cycle<G: StateGraph>(
    graph: &G,
    nodes: &[u32],
    allowed: impl Fn(u32, Edge) -> bool,
) -> Option<Walk> {
    const MOST: usize = 4096;
    let cycles = nodes.iter().take(MOST).filter_map(|&node| path(graph, [node], &allowed, |_, e| e.target == node));
    cycles.min_by_key(Walk::len)
}

/// A closed walk from `start` that meets every obligation of the edges of `nodes`.
///
/// It repeatedly takes the nearest edge that meets a new obligation, and then returns.
pub(crate) fn covering_cycle<G: StateGraph>(
    graph: &G,
    nodes: &[u32],
    obligations: impl Fn(u32, Edge, &mut dyn FnMut(u64)),
) -> Option<Walk> {
    let inside: HashSet<u32> = nodes.iter().copied().collect();
    let mut open = HashSet::new();
    for &node in nodes {
        graph.each_successor(node, &mut |e| {
            obligations(node, e, &mut |o| {
                open.insert(o);
            });
        });
    }
    let start = *nodes.iter().min()?;
    let mut walk: Walk = vec![];
    let end = |walk: &Walk| walk.last().map_or(start, |(_, e)| e.target);
    let allowed = |_: u32, e: Edge| inside.contains(&e.target);
    while !open.is_empty() {
        let piece = path(graph, [end(&walk)], allowed, |node, e| {
            let mut new = false;
            obligations(node, e, &mut |o| new |= open.contains(&o));
            new
        })?;
        for &(node, e) in &piece {
            obligations(node, e, &mut |o| {
                open.remove(&o);
            });
        }
        walk.extend(piece);
    }
    if end(&walk) != start || walk.is_empty() {
        walk.extend(path(graph, [end(&walk)], allowed, |_, e| e.target == start)?);
    }
    Some(walk)
}
