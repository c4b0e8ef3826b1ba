//! Quotients by strong and by branching bisimilarity, through refinement by signatures.
//!
//! S. Blom, S. Orzan: *Distributed branching bisimulation reduction of state spaces*, ENTCS 89(1), 2003. Two states stay in
//! one block as long as they have the same signature: the pairs of an action and a block that they can reach. For branching
//! bisimilarity, internal steps within the block may come first. As in the paper's tables, divergence is ignored, so cycles of
//! internal steps are contracted beforehand.

use crate::action::UnknownName;
use crate::{Action, DecisionGraph};
use ringleader_model::components::Components;
use ringleader_model::{Grouped, Interner};
use std::collections::BTreeSet;
use std::convert::Infallible;
use strum::{Display, EnumString};

/// The equivalence of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString)]
#[strum(serialize_all = "lowercase", parse_err_fn = unknown_equivalence, parse_err_ty = UnknownName)]
pub enum Equivalence {
    /// Strong bisimilarity: states match each other's steps one by one.
    Strong,
    /// Branching bisimilarity: states match each other's visible steps, and the internal steps that lose a possibility.
    Branching,
}

fn unknown_equivalence(name: &str) -> UnknownName {
    UnknownName::new("bisimilarity", name, "strong and branching")
}

/// The classes of equivalent states, and the transitions between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotient {
    /// The number of classes. The class of the start is 0.
    pub states: usize,
    /// The transitions, sorted. For branching bisimilarity, internal transitions within a class are omitted.
    pub transitions: Vec<(u32, Action, u32)>,
    /// The class of each state.
    pub class_of: Vec<u32>,
}

/// The number of sets of states between two calls of `keep_going`.
const STRETCH: usize = 1 << 14;

/// The smallest equivalent graph; `None` if `keep_going` returned `false`.
pub fn minimize(
    graph: &DecisionGraph,
    equivalence: Equivalence,
    keep_going: &mut dyn FnMut() -> bool,
) -> Option<Quotient> {
    let knots = match equivalence {
        Equivalence::Strong => Knots::none(graph),
        Equivalence::Branching => Knots::of(graph),
    };
    let mut blocks = vec![0; knots.members.groups()];
    let mut count = 1;
    loop {
        let (refined, more) = refine(graph, &knots, &blocks, equivalence, keep_going)?;
        blocks = refined;
        if more == count {
            return Some(quotient(graph, &knots, &blocks, equivalence));
        }
        count = more;
    }
}

/// Sets of states that count as one state. Internal steps lead to lower numbers.
struct Knots {
    of: Vec<u32>,
    members: Grouped,
}

type Signature = Box<[(Action, u32)]>;

/// One round of refinement: the new blocks and their number.
fn refine(
    graph: &DecisionGraph,
    knots: &Knots,
    blocks: &[u32],
    equivalence: Equivalence,
    keep_going: &mut dyn FnMut() -> bool,
) -> Option<(Vec<u32>, usize)> {
    let mut signatures: Interner<Signature> = Interner::default();
    let mut signature_of = vec![0; knots.members.groups()];
    let mut refined: Interner<(u32, u32)> = Interner::default();
    let mut result = vec![0; knots.members.groups()];
    let mut pairs: Vec<(Action, u32)> = vec![];
    for knot in 0..knots.members.groups() {
        if knot % STRETCH == 0 && !keep_going() {
            return None;
        }
        pairs.clear();
        for &state in knots.members.of(knot) {
            for edge in graph.edges(state as usize) {
                let target = knots.of[edge.target as usize] as usize;
                let inert = edge.action == Action::Internal && blocks[target] == blocks[knot];
                match equivalence {
                    Equivalence::Branching if inert && target == knot => {}
                    Equivalence::Branching if inert => pairs.extend(signatures.get(signature_of[target])),
                    _ => pairs.push((edge.action, blocks[target])),
                }
            }
            pairs.sort_unstable();
            pairs.dedup();
        }
        signature_of[knot] = signatures.number_of(&pairs[..]);
        result[knot] = refined.number((blocks[knot], signature_of[knot]));
    }
    Some((result, refined.all().len()))
}

fn quotient(graph: &DecisionGraph, knots: &Knots, blocks: &[u32], equivalence: Equivalence) -> Quotient {
    // Classes are numbered in the order of their first states.
    let mut classes: Interner<u32> = Interner::default();
    let class_of: Vec<u32> = knots.of.iter().map(|&knot| classes.number(blocks[knot as usize])).collect();
    let mut transitions = BTreeSet::new();
    for (state, &class) in class_of.iter().enumerate() {
        for edge in graph.edges(state) {
            let target = class_of[edge.target as usize];
            if equivalence == Equivalence::Strong || edge.action != Action::Internal || target != class {
                transitions.insert((class, edge.action, target));
            }
        }
    }
    Quotient { states: classes.all().len(), transitions: transitions.into_iter().collect(), class_of }
}

impl Knots {
    /// Every state by itself.
    fn none(graph: &DecisionGraph) -> Knots {
        Knots::from_numbers((0..graph.len() as u32).collect(), graph.len())
    }

    fn from_numbers(of: Vec<u32>, count: usize) -> Knots {
        Knots { members: Grouped::new(count, of.iter().copied().zip(0..)), of }
    }

    /// The strongly connected components of the internal steps.
    fn of(graph: &DecisionGraph) -> Knots {
        let (mut of, mut count) = (vec![0; graph.len()], 0);
        let internal = |state: u32, targets: &mut Vec<u32>| {
            let edges = graph.edges(state as usize).iter().filter(|edge| edge.action == Action::Internal);
            targets.extend(edges.map(|edge| edge.target));
        };
        let found = |component: &[u32]| {
            component.iter().for_each(|&state| of[state as usize] = count);
            count += 1;
            true
        };
        let all: Vec<u32> = (0..graph.len() as u32).collect();
        let Ok(()) = Components::new(graph.len()).find(&all, internal, |_| true, found, |_| Ok::<(), Infallible>(()));
        Knots::from_numbers(of, count as usize)
    }
}
