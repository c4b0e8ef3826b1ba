//! The longest execution that avoids a set, or an execution that avoids it for ever. Its length is its number of steps, or
//! the sum of other lengths of its steps.
//!
//! One depth-first pass suffices. A node met while it is still on the stack closes a cycle. Otherwise its longest
//! execution is one step longer than the longest of its successors.

use crate::space::{Bits, Edge, StateGraph};
use crate::{Monitor, Stop};

/// The length of a step, at least 1.
pub trait Length: Copy + Default + Send + Sync {
    /// The length as a number.
    fn number(self) -> u32;

    /// The greater of this length and another one, which is 0 if there is none.
    fn or_longer(self, other: u32) -> u32 {
        other.max(self.number())
    }
}

/// Every step counts once. Storing this length takes no memory.
impl Length for () {
    fn number(self) -> u32 {
        1
    }

    fn or_longer(self, _: u32) -> u32 {
        1
    }
}

impl Length for u32 {
    fn number(self) -> u32 {
        self
    }
}

/// How long a set can be avoided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Longest {
    /// At most this many steps, or this length, from every start.
    Steps {
        /// The greatest length.
        worst: u32,
        /// A node that has an execution of this length.
        worst_start: u32,
        /// The sum of the greatest lengths over all starts.
        sum: u128,
    },
    /// A cycle outside the set was met at this node.
    Cycle(u32),
    /// This node outside the set has no step that changes anything.
    Stuck(u32),
    /// At this node outside the set the scheduler may take a step that changes nothing, infinitely often.
    Rests(u32),
}

const UNSEEN: u32 = 0;
const OPEN: u32 = 1;
/// The offset of the number of steps of a finished node.
const DONE: u32 = 2;

/// A node on the stack.
struct Frame<L> {
    node: u32,
    /// The length of the step to it.
    length: L,
    /// Its unvisited successors are `pending[from..]`.
    from: usize,
    /// The longest execution found so far.
    steps: u32,
    /// Whether the scheduler may take a step that changes nothing although others change something.
    rests: bool,
}

/// The longest execution outside `target`, counting steps that change something. `members` is the number of starts that
/// a node represents.
pub fn longest<G: StateGraph>(
    graph: &G,
    target: &Bits,
    members: impl Fn(u32) -> u64,
    monitor: &Monitor,
) -> Result<Longest, Stop> {
    longest_by(graph, target, members, |_, _| (), monitor)
}

/// The same, where a step from a node has a length of its own.
pub fn longest_by<G: StateGraph, L: Length>(
    graph: &G,
    target: &Bits,
    members: impl Fn(u32) -> u64,
    length_of: impl Fn(u32, Edge) -> L,
    monitor: &Monitor,
) -> Result<Longest, Stop> {
    monitor.enter("the longest run outside the set", Some(graph.size()));
    let mut value = vec![UNSEEN; graph.size() as usize];
    let mut pending: Vec<(u32, L)> = vec![];
    let mut stack: Vec<Frame<L>> = vec![];
    let (mut worst, mut worst_start, mut sum) = (0, 0, 0_u128);
    for root in 0..graph.size() {
        monitor.pass(root, 1 << 14)?;
        let root = root as u32;
        if value[root as usize] != UNSEEN || target.contains(root) {
            continue;
        }
        pending.push((root, L::default()));
        // A frame without a node of its own, whose only successor is the root.
        stack.push(Frame { node: root, length: L::default(), from: 0, steps: 0, rests: false });
        while let Some(frame) = stack.last_mut() {
            if pending.len() > frame.from {
                let (next, length) = pending.pop().expect("there is one");
                match value[next as usize] {
                    UNSEEN => {
                        value[next as usize] = OPEN;
                        let (from, (steps, rests)) =
                            (pending.len(), open(graph, target, &length_of, next, &mut pending));
                        let frame = Frame { node: next, length, from, steps, rests };
                        if frame.steps == 0 {
                            return Ok(Longest::Stuck(next));
                        }
                        if frame.rests {
                            return Ok(Longest::Rests(next));
                        }
                        stack.push(frame);
                    }
                    OPEN => return Ok(Longest::Cycle(next)),
                    done => frame.steps = frame.steps.max(done - DONE + length.number()),
                }
                continue;
            }
            let Frame { node, length, steps, .. } = *frame;
            stack.pop();
            if let Some(parent) = stack.last_mut() {
                parent.steps = parent.steps.max(steps + length.number());
                value[node as usize] = steps + DONE;
                let members = members(node);
                sum += u128::from(steps) * u128::from(members);
                if steps > worst && members > 0 {
                    (worst, worst_start) = (steps, node);
                }
            }
        }
    }
    Ok(Longest::Steps { worst, worst_start, sum })
}

/// Adds the successors of a node outside the target. Returns the greatest length of its steps, and whether the scheduler may take a step that
/// changes nothing. It is not inlined: its loop needs all registers.
#[inline(never)]
fn open<G: StateGraph, L: Length>(
    graph: &G,
    target: &Bits,
    length_of: &impl Fn(u32, Edge) -> L,
    node: u32,
    pending: &mut Vec<(u32, L)>,
) -> (u32, bool) {
    let (mut steps, mut rests) = (0, false);
    graph.successors(node, |e| {
        if e.moves(node) {
            let length = length_of(node, e);
            steps = length.or_longer(steps);
            if !target.contains(e.target) {
                pending.push((e.target, length));
            }
        } else {
            rests |= graph.may_rest();
        }
    });
    (steps, rests)
}
