//! The cycles of finite graphs: which states a fair execution can visit for ever.

use std::collections::{HashMap, HashSet};

/// A step: the number of the next state, and which messages were sent and which delivered, one bit per kind of message that must be
/// treated fairly.
pub type Edge = (u32, (u32, u32));

/// The sets of states that some fair execution visits for ever: strongly connected, and every kind of message sent there is
/// delivered there.
pub fn fair(among: &[u32], edges: &mut [Vec<Edge>]) -> Vec<Vec<u32>> {
    let mut found = vec![];
    let mut todo = vec![among.to_vec()];
    while let Some(states) = todo.pop() {
        for component in components(&states, edges) {
            let inside: HashSet<u32> = component.iter().copied().collect();
            let (mut sent, mut delivered) = (0, 0);
            for &m in &component {
                edges[m as usize].retain(|(next, ..)| inside.contains(next));
                for &(_, (s, d)) in &edges[m as usize] {
                    (sent, delivered) = (sent | s, delivered | d);
                }
            }
            let starved = sent & !delivered;
            if component.iter().all(|&m| edges[m as usize].is_empty()) {
                continue;
            }
            if starved == 0 {
                found.push(component);
            } else {
                component.iter().for_each(|&m| edges[m as usize].retain(|(_, (s, _))| s & starved == 0));
                todo.push(component);
            }
        }
    }
    found
}

/// Strongly connected components of the graph between these states (Tarjan's algorithm, without recursion).
fn components(states: &[u32], edges: &[Vec<Edge>]) -> Vec<Vec<u32>> {
    let among: HashSet<u32> = states.iter().copied().collect();
    let (mut index, mut low) = (HashMap::new(), HashMap::new());
    let (mut stack, mut on_stack, mut found) = (vec![], HashSet::new(), vec![]);
    for &root in states {
        if index.contains_key(&root) {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((m, at)) = path.pop() {
            if at == 0 {
                let number = index.len() as u32;
                index.insert(m, number);
                low.insert(m, number);
                stack.push(m);
                on_stack.insert(m);
            } else {
                let child = edges[m as usize][at - 1].0;
                if on_stack.contains(&child) {
                    low.insert(m, low[&m].min(low[&child]));
                }
            }
            let rest = edges[m as usize].iter().enumerate().skip(at);
            match rest.map(|(i, e)| (i, e.0)).find(|(_, next)| among.contains(next)) {
                Some((i, next)) => {
                    path.push((m, i + 1));
                    if !index.contains_key(&next) {
                        path.push((next, 0));
                    } else if on_stack.contains(&next) {
                        low.insert(m, low[&m].min(index[&next]));
                    }
                }
                None if low[&m] == index[&m] => {
                    let start = stack.iter().rposition(|&x| x == m).unwrap();
                    let component = stack.split_off(start);
                    for x in &component {
                        on_stack.remove(x);
                    }
                    found.push(component);
                }
                None => {}
            }
        }
    }
    found
}
