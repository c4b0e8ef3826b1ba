//! What is certain or impossible whatever the probabilities are: sets of states found on the graph alone.

use crate::DecisionGraph;

/// Asked between sweeps over all states; answering `false` ends the work.
pub(crate) type KeepGoing<'k> = &'k (dyn Fn() -> bool + Sync);

/// A set of states.
pub(crate) type StateSet = Vec<bool>;

/// Shrinks a set until every member has the property, which may refer to the set.
fn greatest(
    mut set: StateSet,
    keep_going: KeepGoing<'_>,
    property: impl Fn(&StateSet, usize) -> bool,
) -> Option<StateSet> {
    while keep_going() {
        let mut changed = false;
        // Most edges lead to states farther from the start, that is with greater numbers.
        for state in (0..set.len()).rev() {
            if set[state] && !property(&set, state) {
                set[state] = false;
                changed = true;
            }
        }
        if !changed {
            return Some(set);
        }
    }
    None
}

/// Grows a set until no other state has the property, which may refer to the set.
fn least(
    mut set: StateSet,
    keep_going: KeepGoing<'_>,
    property: impl Fn(&StateSet, usize) -> bool,
) -> Option<StateSet> {
    while keep_going() {
        let mut changed = false;
        for state in (0..set.len()).rev() {
            if !set[state] && property(&set, state) {
                set[state] = true;
                changed = true;
            }
        }
        if !changed {
            return Some(set);
        }
    }
    None
}

/// Where some scheduler surely keeps out of `target` for ever.
pub(crate) fn avoidable(graph: &DecisionGraph, target: &StateSet, keep_going: KeepGoing<'_>) -> Option<StateSet> {
    greatest(target.iter().map(|t| !t).collect(), keep_going, |set, state| {
        let stays = |edges: &[crate::Edge]| edges.iter().all(|edge| set[edge.target as usize]);
        graph.choices(state).len() == 0 || graph.choices(state).any(stays)
    })
}

/// What the start leads to before `target`.
pub(crate) fn before(graph: &DecisionGraph, target: &StateSet, keep_going: KeepGoing<'_>) -> Option<StateSet> {
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

/// Where `target` cannot be reached at all.
pub(crate) fn out_of_reach(graph: &DecisionGraph, target: &StateSet, keep_going: KeepGoing<'_>) -> Option<StateSet> {
    let leads_in = |set: &StateSet, state| graph.edges(state).iter().any(|edge| set[edge.target as usize]);
    let reach = least(target.clone(), keep_going, leads_in)?;
    Some(reach.into_iter().map(|r| !r).collect())
}

/// Where every scheduler reaches `target` with probability 1.
pub(crate) fn certain(graph: &DecisionGraph, target: &StateSet, keep_going: KeepGoing<'_>) -> Option<StateSet> {
    let doubt =
        |set: &StateSet, state: usize| !target[state] && graph.edges(state).iter().any(|e| set[e.target as usize]);
    let doubtful = least(avoidable(graph, target, keep_going)?, keep_going, doubt)?;
    Some(doubtful.into_iter().map(|d| !d).collect())
}

/// Where some scheduler reaches `target` with probability 1.
pub(crate) fn possible(graph: &DecisionGraph, target: &StateSet, keep_going: KeepGoing<'_>) -> Option<StateSet> {
    let mut hope: StateSet = vec![true; target.len()];
    loop {
        let next = least(target.clone(), keep_going, |set, state| {
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
