//! A crash-free network of looping processes in virtual time, every link timely.

use crate::Generator;
use crate::network::loops::{Handle, Loops, Parcel, Typed};
use crate::network::settling_stretch;
use crate::plain::Run;
use ringleader_model::corrupt::Arbitrary;
use ringleader_model::{Coin, Marks, Timed};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// What is due at some time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// A message reaches the receiver's buffer slot.
    Arrival { receiver: usize, sender: u32, slot: usize, message: Handle },
    /// A process ends an iteration.
    Iteration(usize),
}

/// By time, then by the order of enqueuing.
type Queue = BinaryHeap<Reverse<(u64, u64, Due)>>;

/// A run of a robust algorithm in system S5: loops take α to β, messages at most δ.
pub struct TimedRun<'a> {
    loops: Box<dyn Loops + 'a>,
    /// Per receiver: the newest message of each sender and slot.
    slots: Vec<BTreeMap<(u32, usize), Handle>>,
    queue: Queue,
    queued: u64,
    now: u64,
    coin: Generator,
    steps: u64,
    agreed_since: Option<(u64, u64)>,
}

impl<'a> TimedRun<'a> {
    /// A run from `states`; `stray` messages with arbitrary contents are already under way on every link.
    pub fn new<P: Timed>(algorithm: &'a P, states: Vec<P::State>, stray: u32, coin: Generator) -> Self {
        TimedRun::of(Box::new(Typed::new(algorithm, states)), stray, coin)
    }

    pub(crate) fn of(loops: Box<dyn Loops + 'a>, stray: u32, coin: Generator) -> Self {
        let n = loops.size();
        let mut run = TimedRun {
            loops,
            slots: vec![BTreeMap::new(); n],
            queue: BinaryHeap::new(),
            queued: 0,
            now: 0,
            coin,
            steps: 0,
            agreed_since: None,
        };
        for process in 0..n {
            let first = run.coin.between(0, run.loops.timing().beta);
            run.enqueue(first, Due::Iteration(process));
        }
        for (sender, receiver) in (0..n).flat_map(|p| (0..n).map(move |q| (p, q))).filter(|(p, q)| p != q) {
            for _ in 0..run.coin.below(stray + 1) {
                let parcel = run.loops.write(receiver, &mut Arbitrary(&mut run.coin));
                run.send(sender, parcel);
            }
        }
        run.look();
        run
    }

    fn enqueue(&mut self, at: u64, due: Due) {
        self.queue.push(Reverse((at, self.queued, due)));
        self.queued += 1;
    }

    fn send(&mut self, sender: usize, Parcel { to, message, slot }: Parcel) {
        let delay = self.coin.between(1, self.loops.timing().delta);
        let due = Due::Arrival { receiver: to as usize, sender: sender as u32, slot, message };
        self.enqueue(self.now + delay, due);
    }

    fn iterate(&mut self, process: usize) {
        let (mut slots, mut out) = (std::mem::take(&mut self.slots[process]).into_iter().collect(), vec![]);
        self.loops.iterate(process, false, &mut slots, &mut out, &mut self.coin);
        for parcel in out {
            self.send(process, parcel);
        }
        let timing = self.loops.timing();
        let next = self.now + self.coin.between(timing.alpha, timing.beta);
        self.enqueue(next, Due::Iteration(process));
        self.steps += 1;
        self.look();
    }

    fn look(&mut self) {
        let named = self.leaders();
        let agreed = named.iter().all(|&leader| leader == named[0]);
        self.agreed_since = agreed.then(|| self.agreed_since.unwrap_or((self.now, self.steps)));
    }

    fn leaders(&self) -> Vec<usize> {
        (0..self.size()).map(|me| self.loops.leader(me)).collect()
    }
}

impl Run for TimedRun<'_> {
    fn size(&self) -> usize {
        self.loops.size()
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    /// One loop iteration of one process, and what arrives before it.
    fn step(&mut self) -> bool {
        while let Some(Reverse((at, _, due))) = self.queue.pop() {
            self.now = at;
            match due {
                Due::Arrival { receiver, sender, slot, message } => {
                    if let Some(older) = self.slots[receiver].insert((sender, slot), message) {
                        self.loops.forget(older);
                    }
                }
                Due::Iteration(process) => {
                    self.iterate(process);
                    return true;
                }
            }
        }
        false
    }

    fn marks(&self) -> Vec<Marks> {
        (0..self.size()).map(|me| self.loops.marks(me)).collect()
    }

    /// Settled: all have named the same leader for the whole stretch. The steps are those until they began to.
    fn reached(&self) -> Option<u64> {
        let stretch = settling_stretch(self.loops.timing(), self.loops.timeout());
        self.agreed_since.filter(|(since, _)| self.now - since >= stretch).map(|(_, steps)| steps)
    }

    fn corrupt(&mut self, agents: &[usize]) {
        for &agent in agents {
            self.loops.fill(agent, &mut Arbitrary(&mut self.coin));
        }
        self.agreed_since = None;
        self.look();
    }

    fn states(&self) -> Vec<String> {
        (0..self.size()).map(|me| self.loops.state(me)).collect()
    }

    fn followed(&self) -> Option<Vec<usize>> {
        Some(self.leaders())
    }
}
