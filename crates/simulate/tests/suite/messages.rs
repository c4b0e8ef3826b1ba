//! The engine for messages takes the same choices as a plain one.

use ringleader_algorithms::message::{fokkink_pang::FokkinkPang, franklin::Franklin};
use ringleader_algorithms::{Entry, Parameters};
use ringleader_erased::MessageInstance;
use ringleader_model::ensemble::Sent;
use ringleader_model::{Channels, Coin, Ensemble, Marks, Snapshot, Terminating};
use ringleader_simulate::Generator;
use ringleader_simulate::kernel::MessageSteps;
use ringleader_simulate::plain::SimulatedRun;

/// The plain twin: it lists all choices at every step.
struct MessageRun<'a, P: Terminating> {
    ensemble: Ensemble<'a, P>,
    channels: Channels,
    coin: Generator,
    steps: u64,
    messages: u64,
    /// The number of rounds that each process has started.
    rounds: Vec<u64>,
}

impl<'a, P: Terminating> MessageRun<'a, P> {
    /// A run from the clean start.
    fn new(algorithm: &'a P, channels: Channels, coin: Generator) -> Self {
        let ensemble = Ensemble::new(algorithm);
        let rounds = vec![0; ensemble.network().size()];
        MessageRun { ensemble, channels, coin, steps: 0, messages: 0, rounds }
    }

    /// The present states and messages, as text.
    fn now(&self) -> Snapshot<String, String> {
        self.ensemble.print()
    }

    /// The number of messages that have been sent.
    fn messages(&self) -> u64 {
        self.messages
    }

    /// The number of rounds: the most that any process has started.
    fn rounds(&self) -> u64 {
        self.rounds.iter().copied().max().unwrap_or(0)
    }
}

impl<P: Terminating> SimulatedRun for MessageRun<'_, P> {
    fn size(&self) -> usize {
        self.rounds.len()
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn step(&mut self) -> bool {
        let choices = self.ensemble.all_choices(self.channels);
        if choices.is_empty() {
            return false;
        }
        let (process, act) = choices[self.coin.below(choices.len() as u32) as usize];
        let mut sent = Sent::default();
        self.ensemble.take(process, act, &mut self.coin, &mut sent);
        self.rounds[process] += sent.rounds;
        self.messages += sent.messages.len() as u64;
        self.steps += 1;
        true
    }

    fn marks(&self) -> Vec<Marks> {
        self.ensemble.marks()
    }

    /// Terminated with exactly one leader.
    fn reached(&self) -> Option<u64> {
        let one_leader = self.marks().iter().filter(|m| m.leader()).count() == 1;
        (one_leader && self.ensemble.all_choices(self.channels).is_empty()).then_some(self.steps)
    }

    /// Does nothing: these algorithms promise nothing after a fault, and callers refuse to ask.
    fn corrupt(&mut self, _: &[usize]) {}

    fn states(&self) -> Vec<String> {
        self.ensemble.print().states
    }
}

fn same_runs<P: Entry + Terminating + 'static>(channels: Channels) {
    for size in [2, 3, 7, 16, 33] {
        let algorithm = MessageInstance::new(P::build(&Parameters::new(size)).expect("a supported size"));
        for seed in 0..20 {
            let mut plain = MessageRun::new(&algorithm, channels, Generator::new(seed));
            let mut fast = MessageSteps::new(&algorithm, channels, Generator::new(seed));
            while plain.step() {
                assert!(fast.step(), "size {size}, seed {seed}: the fast engine ended early");
                assert_eq!(plain.now().states, fast.now().states, "size {size}, seed {seed}");
                assert_eq!(plain.now().channels, fast.now().channels, "size {size}, seed {seed}");
            }
            assert!(!fast.step(), "size {size}, seed {seed}: the fast engine goes on");
            assert_eq!(plain.messages(), fast.messages());
            assert_eq!(plain.rounds(), fast.rounds());
        }
    }
}

#[test]
fn with_messages_that_overtake() {
    same_runs::<Franklin>(Channels::Bag);
}

#[test]
fn with_messages_in_order() {
    same_runs::<FokkinkPang>(Channels::Fifo);
}
