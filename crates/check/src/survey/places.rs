//! Whether an algorithm's sets depend on places. Rotations, automorphisms or permutations are equivalent only if they do not.

use super::names::Names;
use crate::question::{Claimed, Condition, Each, Question};
use crate::space::{MOST_AGENTS, MixedRadix, Symmetries};
use ringleader_erased::{GraphInstance, LocalStates, Number, PopulationInstance};
use ringleader_model::{Domain, Knowledge, Name, Networked as _, Stabilizing, Variables as _, Visitor};
use std::collections::HashMap;
use std::sync::Arc;

/// Up to this many configurations are judged; of a larger space, a sample of this size spread over all of it.
const MOST_JUDGED: u64 = 1 << 14;

/// Why every configuration is a node of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Asymmetry {
    /// The agents are not identical, or no automorphism of their graph exchanges those that are.
    Agents,
    /// The given values differ between agents.
    Given,
    /// A set of the algorithm names an agent by its place.
    Sets,
    /// The question does not ask for symmetry, or a claim or the condition on the starts names an agent by its place.
    Question,
    /// The tables of the classes need too much memory.
    Memory,
}

/// Whether the possible faults are the same at all places. If one agent is given as the leader, rotations are not
/// configurations.
pub(crate) fn same_faults_everywhere<A: Stabilizing<State = Number>>(algorithm: &A, states: u64, size: usize) -> bool {
    !algorithm.names_places()
        && (0..states).map(Number).all(|state| {
            let mut everywhere = vec![state; size];
            algorithm.restore(&mut everywhere);
            everywhere.iter().all(|s| *s == everywhere[0])
        })
}

/// The automorphisms of the graph of an algorithm that exchange only processes which the algorithm does not tell apart, if there are
/// any. A pointer then points at the image of its neighbour.
pub(crate) fn automorphisms(algorithm: &GraphInstance, local: &LocalStates) -> Option<Symmetries> {
    let Knowledge { identities, root, ports } = algorithm.knowledge();
    if identities || ports {
        return None;
    }
    let neighbours = algorithm.neighbours();
    let all = neighbours.automorphisms(root.into(), Symmetries::MOST);
    let pointers = algorithm.pointers();
    // The first process with the same states.
    let kind: Vec<usize> = (0..neighbours.size())
        .map(|process| (0..process).find(|&other| local.of(other) == local.of(process)).unwrap_or(process))
        .collect();
    let mut known = HashMap::<(usize, usize, Vec<u64>), Option<Arc<[u32]>>>::new();
    let mut complete = true;
    let names = |places: &[u32], process: usize| {
        let image = places[process] as usize;
        let behind = neighbours.of(image);
        let port = |neighbour: &u32| behind.iter().position(|other| *other == places[*neighbour as usize]);
        let ports = neighbours.of(process).iter().map(|neighbour| port(neighbour).map_or(0, |port| port as u64 + 1));
        let ports: Vec<u64> = std::iter::once(0).chain(ports).collect();
        let same = pointers.is_empty() || (0..).zip(&ports).all(|(port, moved)| port == *moved);
        if same && kind[process] == kind[image] {
            return None;
        }
        let renamed = |(_, _, ports): &(usize, usize, Vec<u64>)| {
            let name = |&state: &u32| {
                let mut state = Number(state.into());
                algorithm.variables(&mut state, &mut Redirected { pointers: &pointers, ports });
                local.digit(image, state.0 as u32)
            };
            local.of(process).iter().map(name).collect()
        };
        let names = known.entry((kind[process], kind[image], ports)).or_insert_with_key(renamed).clone();
        complete &= names.is_some();
        names
    };
    (all.len() > 1).then(|| Symmetries::new(all, names)).filter(|_| complete)
}

/// Replaces the ports in pointers. A port that the process does not have stays.
struct Redirected<'a> {
    pointers: &'a [String],
    ports: &'a [u64],
}

impl Visitor for Redirected<'_> {
    fn field(&mut self, name: Name<'_>, _: Domain<'_>, value: u64) -> u64 {
        let points = name.index.is_none() && self.pointers.iter().any(|pointer| pointer == name.base);
        let moved = self.ports.get(value as usize).filter(|_| points);
        moved.copied().unwrap_or(value)
    }
}

/// Whether these permutations of configurations leave all judgements unchanged.
fn invariant<J: PartialEq>(
    mut judge: impl FnMut(&[u32]) -> J,
    space: &MixedRadix,
    moves: &[&dyn Fn(u32) -> u32],
) -> bool {
    let mut digits = [0; MOST_AGENTS];
    let mut judged = |c: u32| {
        space.decode(c, &mut digits);
        judge(&digits[..space.agents])
    };
    spread(space.size()).all(|c| {
        let verdict = judged(c as u32);
        moves.iter().all(|moved| judged(moved(c as u32)) == verdict)
    })
}

/// Whether these permutations of configurations leave the claims and the starts of the question unchanged. Claims on single processes
/// are not tested: their conditions turn with the processes.
fn same_questions_everywhere(
    question: &Question,
    names: &Names,
    space: &MixedRadix,
    moves: &[&dyn Fn(u32) -> u32],
) -> bool {
    let same = |holds: &Condition| invariant(|digits| holds(&names.lift(digits.to_vec())), space, moves);
    question.starting.as_ref().is_none_or(|starting| same(&starting.holds))
        && question.claims.iter().filter_map(|claim| claim.claimed.set()).all(same)
}

/// Why these permutations of configurations are no symmetry, if they are none.
pub(crate) fn asymmetry<J: PartialEq>(
    judge: impl FnMut(&[u32]) -> J,
    question: &Question,
    names: &Names,
    space: &MixedRadix,
    moves: &[&dyn Fn(u32) -> u32],
) -> Option<Asymmetry> {
    if !invariant(judge, space, moves) {
        return Some(Asymmetry::Sets);
    }
    (!same_questions_everywhere(question, names, space, moves)).then_some(Asymmetry::Question)
}

/// Whether an algorithm, a claim or the starts of the question depend on the numbers of the agents: then one graph does not stand for the
/// isomorphic ones. Algorithms in Rust and claims are judged by a sample of configurations, if there are many.
pub fn tells_agents_apart(algorithm: &PopulationInstance, size: usize, question: &Question) -> bool {
    let states = algorithm.states();
    let blind =
        algorithm.judge(size).is_none_or(|mut judge| permutation_invariant(|digits| judge.judge(digits), states, size));
    let mut claims = question.claims.iter();
    let starts = question.starting.as_ref();
    let alike = |states: &[u32]| states.iter().all(|state| *state == states[0]);
    !same_faults_everywhere(algorithm, states, size)
        || !question.starts.iter().all(|start| alike(&start.states))
        || !starts.is_none_or(|starting| permutation_invariant(&*starting.holds, states, size))
        || !blind
        || !claims.all(|claim| match &claim.claimed {
            Claimed::Invariant(holds) | Claimed::Always(holds) | Claimed::Eventually(holds) => {
                permutation_invariant(&**holds, states, size)
            }
            Claimed::Recurring(each) => same_everywhere(each, states, size),
            Claimed::Response(first, then) => {
                same_everywhere(first, states, size) && same_everywhere(then, states, size)
            }
        })
}

/// Whether permutations of agents permute the conditions on them.
fn same_everywhere(each: &Each, states: u64, size: usize) -> bool {
    let judge = |digits: &[u32]| {
        let bits = (each.holds)(digits);
        let bit = |i: usize| bits >> if each.count > 1 { i } else { 0 } & 1;
        let mut all: Vec<(u32, u32)> = digits.iter().enumerate().map(|(i, &digit)| (digit, bit(i))).collect();
        all.sort_unstable();
        all
    };
    permutation_invariant(judge, states, size)
}

/// Whether permutations of agents leave all judgements unchanged.
pub(crate) fn permutation_invariant<J: PartialEq>(
    mut judge: impl FnMut(&[u32]) -> J,
    states: u64,
    agents: usize,
) -> bool {
    let all = states.checked_pow(agents as u32).unwrap_or(u64::MAX);
    spread(all).all(|mut c| {
        let mut digits = vec![0; agents];
        for digit in &mut digits {
            *digit = (c % states) as u32;
            c /= states;
        }
        let verdict = judge(&digits);
        digits.swap(0, 1);
        let swapped = judge(&digits);
        digits.rotate_left(1);
        verdict == swapped && verdict == judge(&digits)
    })
}

/// The numbers below `len` if there are few, otherwise a pseudo-random sample of them.
fn spread(len: u64) -> impl Iterator<Item = u64> {
    let scattered = move |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % len;
    (0..len.min(MOST_JUDGED)).map(move |i| if len <= MOST_JUDGED { i } else { scattered(i) })
}
