//! All that can happen: the states that can be reached from some starts, where functions say which steps there are.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// A wrong state that can be reached.
#[derive(Debug)]
pub struct Wrong<S> {
    /// The state.
    pub state: S,
    /// The least number of steps that lead to it.
    pub steps: usize,
    /// How many states were known when it was found.
    pub known: usize,
}

/// Looks at every state that can be reached, the nearest first: how many there are, or the first that is wrong.
///
/// `wrong` is given a state and its successors. Two states with the same `key` count as one: `S::clone` keeps them apart, a
/// hash of many bits takes less memory.
///
/// # Panics
/// If there are more than `limit` states.
pub fn search<S, K: Eq + Hash>(
    starts: impl IntoIterator<Item = S>,
    limit: usize,
    key: impl Fn(&S) -> K,
    next: impl Fn(&S) -> Vec<S>,
    wrong: impl Fn(&S, &[S]) -> bool,
) -> Result<usize, Box<Wrong<S>>> {
    let mut known = HashSet::new();
    let mut frontier: Vec<S> = starts.into_iter().filter(|start| known.insert(key(start))).collect();
    let mut steps = 0;
    while !frontier.is_empty() {
        let mut after = vec![];
        for state in frontier {
            let successors = next(&state);
            if wrong(&state, &successors) {
                return Err(Box::new(Wrong { state, steps, known: known.len() }));
            }
            after.extend(successors.into_iter().filter(|successor| known.insert(key(successor))));
        }
        assert!(known.len() <= limit, "more than {limit} states");
        frontier = after;
        steps += 1;
    }
    Ok(known.len())
}

/// All states that can be reached, numbered, and the labelled steps from each to others.
pub struct Graph<S, L> {
    /// The states; the starts come first.
    pub states: Vec<S>,
    /// Of each state: the numbers of its successors, each with the label of the step, sorted and without repetition.
    pub edges: Vec<Vec<(u32, L)>>,
}

/// The graph of all states that can be reached.
pub fn graph<S: Clone + Eq + Hash, L: Ord>(
    starts: impl IntoIterator<Item = S>,
    next: impl Fn(&S) -> Vec<(S, L)>,
) -> Graph<S, L> {
    let (mut states, mut edges) = (Vec::<S>::new(), Vec::<Vec<(u32, L)>>::new());
    let mut numbers = HashMap::new();
    let mut number = |state: S, states: &mut Vec<S>| {
        *numbers.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            states.len() as u32 - 1
        })
    };
    for start in starts {
        number(start, &mut states);
    }
    while let Some(state) = states.get(edges.len()) {
        let successors = next(state);
        let mut out: Vec<_> =
            successors.into_iter().map(|(state, label)| (number(state, &mut states), label)).collect();
        out.sort_unstable();
        out.dedup();
        edges.push(out);
    }
    Graph { states, edges }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Doubling and taking away 3, modulo 100.
    fn next(n: &u32) -> Vec<u32> {
        vec![2 * n % 100, (n + 97) % 100]
    }

    #[test]
    fn the_nearest_wrong_state_is_found() {
        let wrong = search([1], 100, u32::clone, next, |n, _| *n == 96).unwrap_err();
        // 1, 98, 96.
        assert_eq!((wrong.state, wrong.steps), (96, 2));
        assert_eq!(search([1], 100, u32::clone, next, |n, _| *n > 99).unwrap(), 100);
        assert!(search([1], 100, u32::clone, next, |_, next| next.contains(&96)).is_err_and(|wrong| wrong.state == 98));
    }

    #[test]
    #[should_panic(expected = "more than 50 states")]
    fn too_many_states_are_no_verdict() {
        let _ = search([1], 50, u32::clone, next, |_, _| false);
    }

    #[test]
    fn a_graph_numbers_states_and_labels_steps() {
        let graph =
            graph([5, 6], |n: &u32| if *n > 7 { vec![] } else { vec![(n + 1, 'a'), (n + 2, 'b'), (n + 1, 'a')] });
        assert_eq!(graph.states, [5, 6, 7, 8, 9]);
        assert_eq!(
            graph.edges,
            [vec![(1, 'a'), (2, 'b')], vec![(2, 'a'), (3, 'b')], vec![(3, 'a'), (4, 'b')], vec![], vec![]]
        );
    }
}
