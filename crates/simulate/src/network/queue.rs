//! The events to come, in an order that depends only on the scenario and the seed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An event that is due at some time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Due<M> {
    /// A message reaches the receiver's buffer slot.
    Arrival { sender: u32, receiver: u32, sent: u64, message: M },
    /// A process ends an iteration; ignored if the process has crashed since, which starts another life.
    Iteration { process: u32, life: u32 },
    /// The scenario's next fault.
    Fault,
}

/// All events to come, the earliest first; of two at one time, the one enqueued first.
#[derive(Clone, Debug)]
pub(crate) struct Queue<M> {
    heap: BinaryHeap<Reverse<(u64, u64, Due<M>)>>,
    numbered: u64,
}

impl<M: Ord> Queue<M> {
    pub(crate) fn new() -> Queue<M> {
        Queue { heap: BinaryHeap::new(), numbered: 0 }
    }

    pub(crate) fn push(&mut self, at: u64, due: Due<M>) {
        self.heap.push(Reverse((at, self.numbered, due)));
        self.numbered += 1;
    }

    pub(crate) fn pop(&mut self) -> Option<(u64, Due<M>)> {
        self.heap.pop().map(|Reverse((at, _, due))| (at, due))
    }

    /// The time at which the last message arrives that was sent before `time`, if any is still in transit.
    pub(crate) fn last_arrival_sent_before(&self, time: u64) -> Option<u64> {
        let old = |due: &Due<M>| matches!(due, Due::Arrival { sent, .. } if *sent < time);
        self.heap.iter().filter(|Reverse((_, _, due))| old(due)).map(|Reverse((at, ..))| *at).max()
    }
}
