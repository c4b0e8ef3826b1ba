//! Strongly connected components of a graph whose edges are computed on demand (Tarjan 1972, without recursion).

const UNSEEN: u32 = 0;
const CLOSED: u32 = u32::MAX;

/// Memory for searches in one graph: the visited nodes and the order of their visits.
#[derive(Debug)]
pub struct Components {
    index: Vec<u32>,
}

struct Frame {
    node: u32,
    /// Its unvisited successors are `pending[from..]`.
    from: usize,
    low: u32,
}

impl Components {
    /// Memory for a graph of `nodes` nodes.
    pub fn new(nodes: usize) -> Components {
        Components { index: vec![UNSEEN; nodes] }
    }

    /// Calls `found` with each component of the subgraph on `nodes`, until it returns `false`.
    ///
    /// `successors` appends the targets of a node's edges. `inside` decides whether a node is in the subgraph. `pause` is called
    /// before every node at which a search begins; its error ends the search. A component comes after all components that it leads
    /// to, so the first one cannot be left within the subgraph.
    ///
    /// ```
    /// use ringleader_model::components::Components;
    ///
    /// let edges: [&[u32]; 4] = [&[1], &[0, 2], &[3], &[2]];
    /// let mut found = vec![];
    /// let mut collect = |component: &[u32]| {
    ///     found.push(component.to_vec());
    ///     true
    /// };
    /// let successors = |node: u32, targets: &mut Vec<u32>| targets.extend(edges[node as usize]);
    /// Components::new(4).find(&[0, 1, 2, 3], successors, |_| true, &mut collect, |_| Ok::<(), ()>(())).unwrap();
    /// assert_eq!(found, [[2, 3], [0, 1]]);
    /// ```
    pub fn find<E>(
        &mut self,
        nodes: &[u32],
        mut successors: impl FnMut(u32, &mut Vec<u32>),
        mut inside: impl FnMut(u32) -> bool,
        mut found: impl FnMut(&[u32]) -> bool,
        mut pause: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        for &node in nodes {
            self.index[node as usize] = UNSEEN;
        }
        let (mut pending, mut stack, mut open) = (vec![], Vec::<Frame>::new(), vec![]);
        let mut count = 0;
        for (at, &root) in nodes.iter().enumerate() {
            pause(at)?;
            let mut enter = (self.index[root as usize] == UNSEEN).then_some(root);
            loop {
                if let Some(node) = enter.take() {
                    count += 1;
                    self.index[node as usize] = count;
                    open.push(node);
                    let from = pending.len();
                    successors(node, &mut pending);
                    stack.push(Frame { node, from, low: count });
                }
                let Some(frame) = stack.last_mut() else { break };
                if pending.len() > frame.from {
                    let next = pending.pop().expect("there is one");
                    match self.index[next as usize] {
                        CLOSED => {}
                        UNSEEN if inside(next) => enter = Some(next),
                        UNSEEN => {}
                        met if inside(next) => frame.low = frame.low.min(met),
                        _ => {}
                    }
                    continue;
                }
                let Frame { node, low, .. } = *frame;
                stack.pop();
                if let Some(parent) = stack.last_mut() {
                    parent.low = parent.low.min(low);
                }
                if low == self.index[node as usize] {
                    let first = open.iter().rposition(|&n| n == node).expect("its root is on the stack");
                    for &member in &open[first..] {
                        self.index[member as usize] = CLOSED;
                    }
                    let go_on = found(&open[first..]);
                    open.truncate(first);
                    if !go_on {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}
