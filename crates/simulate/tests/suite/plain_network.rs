//! The slow twin of the network simulator: a crash-free network of looping processes in virtual time, every link timely.

use ringleader_model::{Coin, Event, Timed, corrupt, text};
use ringleader_simulate::Generator;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// An event that is due at some time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due<M> {
    /// A message reaches the receiver's buffer slot.
    Arrival { receiver: usize, sender: usize, message: M },
    /// A process ends an iteration.
    Iteration(usize),
}

/// By time, then by the order of enqueuing.
type Queue<M> = BinaryHeap<Reverse<(u64, u64, Due<M>)>>;

/// A run of a robust algorithm in system S5: loops take α to β, messages at most δ.
pub(crate) struct PlainNetwork<'a, P: Timed> {
    algorithm: &'a P,
    states: Vec<P::State>,
    /// Per receiver: the newest message of each sender and slot.
    slots: Vec<BTreeMap<(usize, usize), P::Message>>,
    queue: Queue<P::Message>,
    queued: u64,
    now: u64,
    coin: Generator,
    steps: u64,
    agreed_since: Option<(u64, u64)>,
}

impl<'a, P: Timed> PlainNetwork<'a, P> {
    /// A run from `states`; `stray` messages with arbitrary contents are already in transit on every link.
    pub(crate) fn new(algorithm: &'a P, states: Vec<P::State>, stray: u32, coin: Generator) -> Self {
        let n = states.len();
        assert_eq!(n, algorithm.size(), "one state per process");
        let mut run = PlainNetwork {
            algorithm,
            states,
            slots: vec![BTreeMap::new(); n],
            queue: BinaryHeap::new(),
            queued: 0,
            now: 0,
            coin,
            steps: 0,
            agreed_since: None,
        };
        for process in 0..n {
            let first = run.coin.between(0, algorithm.timing().beta);
            run.enqueue(first, Due::Iteration(process));
        }
        for (sender, receiver) in (0..n).flat_map(|p| (0..n).map(move |q| (p, q))).filter(|(p, q)| p != q) {
            for _ in 0..run.coin.below(stray + 1) {
                let mut message = P::Message::default();
                let mut anything = corrupt::Arbitrary(&mut run.coin);
                algorithm.message_variables(&mut message, &mut anything);
                run.send(sender, receiver, message);
            }
        }
        run.look();
        run
    }

    fn enqueue(&mut self, at: u64, due: Due<P::Message>) {
        self.queue.push(Reverse((at, self.queued, due)));
        self.queued += 1;
    }

    fn send(&mut self, sender: usize, receiver: usize, message: P::Message) {
        let delay = self.coin.between(1, self.algorithm.timing().delta);
        self.enqueue(self.now + delay, Due::Arrival { receiver, sender, message });
    }

    fn iterate(&mut self, process: usize) {
        let mut out = vec![];
        let events = std::mem::take(&mut self.slots[process])
            .into_iter()
            .map(|((from, _), message)| Event::Message { from, message })
            .chain([Event::Tick]);
        for event in events {
            self.algorithm.on(process, &mut self.states[process], event, &mut out, &mut self.coin);
        }
        for (receiver, message) in out {
            self.send(process, receiver, message);
        }
        let timing = self.algorithm.timing();
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

    pub(crate) fn leaders(&self) -> Vec<usize> {
        self.states.iter().enumerate().map(|(me, s)| self.algorithm.leader(me, s)).collect()
    }
}

impl<P: Timed> PlainNetwork<'_, P> {
    /// The number of loop iterations.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// One loop iteration of one process, after all messages that arrive before it.
    pub(crate) fn step(&mut self) {
        while let Some(Reverse((at, _, due))) = self.queue.pop() {
            self.now = at;
            match due {
                Due::Arrival { receiver, sender, message } => {
                    let slot = self.algorithm.slot(&message);
                    self.slots[receiver].insert((sender, slot), message);
                }
                Due::Iteration(process) => return self.iterate(process),
            }
        }
    }

    /// The time and the number of steps since which all have named the same leader.
    pub(crate) fn agreed_since(&self) -> Option<(u64, u64)> {
        self.agreed_since
    }

    pub(crate) fn corrupt(&mut self, agents: &[usize]) {
        for &agent in agents {
            self.states[agent] = corrupt::arbitrary(self.algorithm, &mut self.coin);
        }
        self.agreed_since = None;
        self.look();
    }

    pub(crate) fn states(&self) -> Vec<String> {
        self.states.iter().map(|s| text::print_state(self.algorithm, s)).collect()
    }
}
