//! What is due when, in an order that never depends on anything but the scenario and the seed.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What is due at some time.
#[derive(Clone, Debug)]
pub(crate) enum Due<M> {
    /// A message reaches the receiver's buffer slot.
    Arrival { sender: u32, receiver: u32, sent: u64, message: M },
    /// A process ends an iteration; ignored if it has crashed since (its life is over).
    Iteration { process: u32, life: u32 },
    /// The scenario's next fault.
    Fault,
}

#[derive(Clone, Debug)]
struct Entry<M> {
    at: u64,
    number: u64,
    due: Due<M>,
}

impl<M> PartialEq for Entry<M> {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.number) == (other.at, other.number)
    }
}

impl<M> Eq for Entry<M> {}

impl<M> PartialOrd for Entry<M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<M> Ord for Entry<M> {
    /// The earliest is the greatest, for the heap; of two at one time, the one enqueued first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

/// Everything that is due, earliest first.
#[derive(Clone, Debug)]
pub(crate) struct Queue<M> {
    heap: BinaryHeap<Entry<M>>,
    numbered: u64,
}

impl<M> Queue<M> {
    pub(crate) fn new() -> Queue<M> {
        Queue { heap: BinaryHeap::new(), numbered: 0 }
    }

    pub(crate) fn push(&mut self, at: u64, due: Due<M>) {
        self.heap.push(Entry { at, number: self.numbered, due });
        self.numbered += 1;
    }

    pub(crate) fn pop(&mut self) -> Option<(u64, Due<M>)> {
        self.heap.pop().map(|entry| (entry.at, entry.due))
    }

    /// When the last message arrives that was sent before `time`, if any is still under way.
    pub(crate) fn last_arrival_sent_before(&self, time: u64) -> Option<u64> {
        let old = |entry: &&Entry<M>| matches!(entry.due, Due::Arrival { sent, .. } if sent < time);
        self.heap.iter().filter(old).map(|entry| entry.at).max()
    }
}
