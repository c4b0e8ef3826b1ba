//! Sets of states that do not depend on the probabilities: certain or impossible by the graph alone.

use crate::DecisionGraph;

/// Called between sweeps over all states. Returning `false` ends the work.
pub(crate) type KeepGoing<'k> = &'k (dyn Fn() -> bool + Sync);

/// A set of states.
pub(crate) type StateSet = Vec<bool>;

/// Grows a set until no other state has the property, or shrinks it until every member has it. The property may refer to the set.
fn fixpoint(
    mut set: StateSet,
    grows: bool,
    keep_going: KeepGoing<'_>,
    property: impl Fn(&StateSet, usize) -> bool,
) -> Option<StateSet> {
    while keep_going() {
        let mut changed = false;
        // Most edges lead to states farther from the start, which have greater numbers.
        for state in (0..set.len()).rev() {
            if set[state] != grows && property(&set, state) == grows {
                set[state] = grows;
                changed = true;
            }
        }
        if !changed {
            return Some(set);
        }
    }
    None
}

fn complement(set: &[bool]) -> StateSet {
    set.iter().map(|member| !member).collect()
}

/// The states from which some scheduler surely avoids `target` for ever; `None` if `keep_going` ended the work.
pub fn avoidable(graph: &DecisionGraph, target: &[bool], keep_going: &(dyn Fn() -> bool + Sync)) -> Option<Vec<bool>> {
    fixpoint(complement(target), false, keep_going, |set, state| {
        let stays = |edges: &[crate::Edge]| edges.iter().all(|edge| set[edge.target as usize]);
        graph.choices(state).len() == 0 || graph.choices(state).any(stays)
    })
}

/// The states that the start leads to before `target`.
pub(crate) fn before(graph: &DecisionGraph, target: &[bool], keep_going: KeepGoing<'_>) -> Option<StateSet> {
    let mut met: StateSet = vec![false; target.len()];
    let mut open: Vec<usize> = (!target[0]).then_some(0).into_iter().collect();
    met[0] = !target[0];
    while let Some(state) = open.pop() {
        for edge in graph.edges(state) {
            let next = edge.target as usize;
            if !met[next] && !target[next] {
                met[next] = true;
                open.push(next);
            }
        }
    }
    keep_going().then_some(met)
}

/// The states from which `target` is unreachable.
pub(crate) fn out_of_reach(graph: &DecisionGraph, target: &[bool], keep_going: KeepGoing<'_>) -> Option<StateSet> {
    let leads_in = |set: &StateSet, state| graph.edges(state).iter().any(|edge| set[edge.target as usize]);
    fixpoint(target.to_vec(), true, keep_going, leads_in).map(|reach| complement(&reach))
}

/// The states from which every scheduler reaches `target` with probability 1.
pub(crate) fn certain(graph: &DecisionGraph, target: &[bool], keep_going: KeepGoing<'_>) -> Option<StateSet> {
    let doubt =
        |set: &StateSet, state: usize| !target[state] && graph.edges(state).iter().any(|e| set[e.target as usize]);
    fixpoint(avoidable(graph, target, keep_going)?, true, keep_going, doubt).map(|doubtful| complement(&doubtful))
}

/// The states from which some scheduler reaches `target` with probability 1.
pub(crate) fn possible(graph: &DecisionGraph, target: &[bool], keep_going: KeepGoing<'_>) -> Option<StateSet> {
    let mut hope: StateSet = vec![true; target.len()];
    loop {
        let next = fixpoint(target.to_vec(), true, keep_going, |set, state| {
            graph.choices(state).any(|edges| {
                edges.iter().all(|e| hope[e.target as usize]) && edges.iter().any(|e| set[e.target as usize])
            })
        })?;
        if next == hope {
            return Some(hope);
        }
        hope = next;
    }
}
