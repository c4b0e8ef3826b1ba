//! Closed sets: whether a set can be left, and the greatest set that never breaks the specification.

use crate::bits::Bits;
use crate::graph::{Edge, Graph, Reversible};
use crate::survey::INCORRECT;
use crate::watch::{Stop, Watch};
use std::ops::Range;

const BLOCK: u64 = 1 << 14;

/// Adds to a set, level by level, every node from which it can be entered.
///
/// `admit` is told of a node each time a step from it into the set is found; it answers `true` the first time only, and
/// `false` for nodes that are to stay outside.
pub fn backward<G: Reversible>(
    graph: &G,
    mut frontier: Pieces,
    watch: &Watch,
    admit: impl Fn(u32) -> bool + Sync,
) -> Result<(), Stop> {
    while !frontier.0.is_empty() {
        let expand = |next: &mut Pieces, range: Range<u64>| {
            for &node in frontier.0[range.start as usize..range.end as usize].iter().flatten() {
                graph.predecessors(node, |before| {
                    if admit(before) {
                        next.push(before);
                    }
                });
            }
        };
        let next = watch.blocks(frontier.0.len() as u64, 1, expand, Pieces::default)?;
        frontier = next.into_iter().collect();
    }
    Ok(())
}

/// A list in pieces of the size of a block, so that neither growing nor joining copies it.
#[derive(Debug, Default)]
pub struct Pieces(Vec<Vec<u32>>);

impl Pieces {
    fn push(&mut self, node: u32) {
        match self.0.last_mut() {
            Some(piece) if piece.len() < BLOCK as usize => piece.push(node),
            _ => self.0.push(vec![node]),
        }
    }
}

impl FromIterator<Pieces> for Pieces {
    fn from_iter<I: IntoIterator<Item = Pieces>>(lists: I) -> Pieces {
        Pieces(lists.into_iter().flat_map(|pieces| pieces.0).collect())
    }
}

/// The greatest set of nodes that meet the specification, cannot be left, and in which the label never changes.
///
/// The label is that of a node turned by so much.
pub fn really_safe<G: Reversible>(
    graph: &G,
    label: impl Fn(u32, u32) -> u8 + Sync,
    watch: &Watch,
) -> Result<Bits, Stop> {
    watch.enter("the really safe set", Some(graph.size()));
    let set = Bits::new(graph.size());
    let look = |leaving: &mut Pieces, range: Range<u64>| {
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
    let leaving = watch.blocks(graph.size(), BLOCK, look, Pieces::default)?.into_iter().collect();
    backward(graph, leaving, watch, |node| set.remove(node))?;
    Ok(set)
}

/// A step that leaves a set, if there is one.
pub fn leaves<G: Graph>(graph: &G, set: &Bits, watch: &Watch) -> Result<Option<(u32, Edge)>, Stop> {
    let look = |found: &mut Option<(u32, Edge)>, range: Range<u64>| {
        for node in range {
            let node = node as u32;
            if set.contains(node) && found.is_none() {
                graph.successors(node, |e| {
                    if !set.contains(e.target) {
                        *found = Some((node, e));
                    }
                });
            }
        }
    };
    let found = watch.blocks(graph.size(), BLOCK, look, || None)?;
    Ok(found.into_iter().flatten().min_by_key(|(node, _)| *node))
}

/// The nodes from which a closed set can be reached, itself included.
pub fn can_reach<G: Reversible>(graph: &G, target: &Bits, watch: &Watch) -> Result<Bits, Stop> {
    watch.enter("where it can be reached from", Some(graph.size()));
    let reached = Bits::new(graph.size());
    let mut frontier = Pieces::default();
    for node in target.iter() {
        reached.insert(node);
        frontier.push(node);
    }
    backward(graph, frontier, watch, |node| reached.insert(node))?;
    Ok(reached)
}
