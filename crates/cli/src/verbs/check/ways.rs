//! Paths through the graph of an algorithm that passes messages, to states that violate a property.

use ringleader_explore::{DecisionGraph, Elections, Space, avoidable};
use ringleader_report::messages::Property;
use std::collections::VecDeque;

/// The properties of whole executions: an election is always reachable, and it is final.
pub(super) fn elections(
    space: &Space<'_>,
    graph: &DecisionGraph,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Property>> {
    let hopeless = Elections::new(graph).while_told(keep_going).hopeless(|state| space.view(state).cut_off())?;
    let resigns = |state: usize| graph.edges(state).iter().find(|edge| fewer(graph, state, edge.target as usize));
    let mut resigned = way(graph, |_| true, |state| resigns(state).is_some());
    if let Some(way) = &mut resigned {
        way.extend(way.last().and_then(|&state| resigns(state)).map(|edge| edge.target as usize));
    }
    let run = |way: Option<Vec<usize>>| way.map(|way| space.run_along(&way));
    Some(vec![
        Property {
            name: "a leader can be elected from every reachable state".into(),
            broken: run(way(graph, |_| true, |state| hopeless[state])),
        },
        Property { name: "a leader stays leader for ever".into(), broken: run(resigned) },
    ])
}

fn fewer(graph: &DecisionGraph, state: usize, next: usize) -> bool {
    graph.leaders(next) < graph.leaders(state)
}

/// A path from the start, outside the set that should be reached, to a state from which a scheduler can avoid the set for ever.
pub(super) fn avoiding(graph: &DecisionGraph, reached: &[bool]) -> Option<Vec<usize>> {
    let away = avoidable(graph, reached, &|| true)?;
    way(graph, |state| !reached[state], |state| away[state])
}

/// A shortest path from the start, through some states, to one of the wanted states.
fn way(graph: &DecisionGraph, through: impl Fn(usize) -> bool, end: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    let mut before = vec![usize::MAX; graph.len()];
    let mut queue = VecDeque::from_iter(through(0).then_some(0));
    while let Some(state) = queue.pop_front() {
        if end(state) {
            let mut way = vec![state];
            while let Some(&last) = way.last()
                && last != 0
            {
                way.push(before[last]);
            }
            way.reverse();
            return Some(way);
        }
        for edge in graph.edges(state) {
            let target = edge.target as usize;
            if target != 0 && through(target) && before[target] == usize::MAX {
                before[target] = state;
                queue.push_back(target);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_explore::Action;

    fn graph(states: &[&[&[u32]]]) -> DecisionGraph {
        let mut graph = DecisionGraph::default();
        for choices in states {
            let outcome = |outcomes: &&[u32]| {
                let odds = 1.0 / outcomes.len() as f64;
                outcomes.iter().map(|&target| (target, odds, Action::Internal, 0)).collect()
            };
            graph.push(0, &choices.iter().map(outcome).collect::<Vec<_>>());
        }
        graph
    }

    #[test]
    fn a_scheduler_can_avoid_a_set_for_ever_and_a_coin_cannot() {
        // A coin leads back to 0 or to the end, 2.
        let coin = graph(&[&[&[0, 1]], &[&[2]], &[]]);
        assert_eq!(avoiding(&coin, &[false, false, true]), None);
        assert_eq!(avoiding(&coin, &[false, true, false]), None);
        // Here the scheduler chooses.
        let choice = graph(&[&[&[0], &[1]], &[&[2]], &[]]);
        assert_eq!(avoiding(&choice, &[false, false, true]), Some(vec![0]));
        // Here the execution may end outside the set.
        let fork = graph(&[&[&[1, 2]], &[], &[]]);
        assert_eq!(avoiding(&fork, &[false, true, false]), Some(vec![0, 2]));
        assert_eq!(avoiding(&fork, &[true, false, false]), None);
    }
}
