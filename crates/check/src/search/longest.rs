//! The longest execution that avoids a set, or an execution that avoids it for ever.
//!
//! One depth-first pass suffices. A node met while it is still on the stack closes a cycle. Otherwise its longest
//! execution is one step longer than the longest of its successors.

use crate::space::{Bits, StateGraph};
use crate::{Monitor, Stop};

/// How long a set can be avoided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Longest {
    /// At most this many steps from every start.
    Steps {
        /// The largest number of steps.
        worst: u32,
        /// A node that has an execution of this length.
        worst_start: u32,
        /// The sum of the largest numbers of steps over all starts.
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
struct Frame {
    node: u32,
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
    monitor.enter("the longest run outside the set", Some(graph.size()));
    let mut value = vec![UNSEEN; graph.size() as usize];
    let mut pending: Vec<u32> = vec![];
    let mut stack: Vec<Frame> = vec![];
    let (mut worst, mut worst_start, mut sum) = (0, 0, 0_u128);
    let open = |node: u32, pending: &mut Vec<u32>| {
        let (from, mut steps, mut rests) = (pending.len(), 0, false);
        graph.successors(node, |e| {
            rests |= graph.may_rest() && !e.moves(node);
            if e.moves(node) {
                steps = 1;
                if !target.contains(e.target) {
                    pending.push(e.target);
                }
            }
        });
        Frame { node, from, steps, rests }
    };
    for root in 0..graph.size() {
        if root.is_multiple_of(1 << 14) {
            monitor.check()?;
            monitor.advance(1 << 14);
        }
        let root = root as u32;
        if value[root as usize] != UNSEEN || target.contains(root) {
            continue;
        }
        pending.push(root);
        // A frame without a node of its own, whose only successor is the root.
        stack.push(Frame { node: root, from: 0, steps: 0, rests: false });
        while let Some(frame) = stack.last_mut() {
            if pending.len() > frame.from {
                let next = pending.pop().expect("there is one");
                match value[next as usize] {
                    UNSEEN => {
                        value[next as usize] = OPEN;
                        let frame = open(next, &mut pending);
                        if frame.steps == 0 {
                            return Ok(Longest::Stuck(next));
                        }
                        if frame.rests {
                            return Ok(Longest::Rests(next));
                        }
                        stack.push(frame);
                    }
                    OPEN => return Ok(Longest::Cycle(next)),
                    done => frame.steps = frame.steps.max(done - DONE + 1),
                }
                continue;
            }
            let Frame { node, steps, .. } = *frame;
            stack.pop();
            if let Some(parent) = stack.last_mut() {
                parent.steps = parent.steps.max(steps + 1);
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
