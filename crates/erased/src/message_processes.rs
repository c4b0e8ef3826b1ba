//! The processes of a run in the algorithm's own states: the inner loop of a simulation of message passing.
//!
//! A step changes the choices of its process and of the receivers of its messages, and no others. The number of choices of each
//! process is kept in a tree of sums (P. Fenwick, *A new data structure for cumulative frequency tables*, 1994).

use ringleader_model::ensemble::Sent;
use ringleader_model::{Channels, Coin, Ensemble, Marks, Snapshot, Terminating};

/// A run of a terminating algorithm from its clean start. Every choice is uniform among those enabled.
pub trait MessageProcesses {
    /// Takes choices until there have been `steps` in all; `false` if nothing is left to do before that.
    ///
    /// # Panics
    /// If a process sends through a port that it does not have.
    fn advance(&mut self, steps: u64, coin: &mut dyn Coin) -> bool;

    /// How many choices have been taken.
    fn steps(&self) -> u64;

    /// How many messages have been sent.
    fn messages(&self) -> u64;

    /// How many rounds there were: as many as the process that started the most has started.
    fn rounds(&self) -> u64;

    /// Whether no process can take another step.
    fn ended(&self) -> bool;

    /// The marks of every process.
    fn marks(&self) -> Vec<Marks>;

    /// The present states and messages, as text.
    fn print(&self) -> Snapshot<String, String>;
}

pub(crate) struct Run<'a, P: Terminating> {
    ensemble: Ensemble<'a, P>,
    channels: Channels,
    steps: u64,
    messages: u64,
    /// How many rounds each process has started.
    rounds: Vec<u64>,
    sent: Sent<P::Message>,
    choices: Choices,
}

impl<'a, P: Terminating> Run<'a, P> {
    pub(crate) fn new(algorithm: &'a P, channels: Channels) -> Self {
        let ensemble = Ensemble::new(algorithm);
        let size = ensemble.network().size();
        let mut run = Run {
            ensemble,
            channels,
            steps: 0,
            messages: 0,
            rounds: vec![0; size],
            sent: Sent::default(),
            choices: Choices::new(size),
        };
        (0..size).for_each(|process| run.count(process));
        run
    }

    /// Counts the choices of a process anew.
    fn count(&mut self, process: usize) {
        let count = self.ensemble.choices(process, self.channels).count();
        self.choices.set(process, count as u32);
    }
}

impl<P: Terminating> MessageProcesses for Run<'_, P> {
    fn advance(&mut self, steps: u64, mut coin: &mut dyn Coin) -> bool {
        let network = self.ensemble.network();
        while self.steps < steps {
            if self.choices.total == 0 {
                return false;
            }
            let (process, index) = self.choices.find(coin.below(self.choices.total));
            let act = self.ensemble.choices(process, self.channels).nth(index as usize).expect("it was counted");
            self.ensemble.take(process, act, &mut coin, &mut self.sent);
            self.rounds[process] += self.sent.rounds;
            self.messages += self.sent.messages.len() as u64;
            self.steps += 1;
            self.count(process);
            for index in 0..self.sent.messages.len() {
                let to = self.sent.messages[index].0;
                assert!(to < network.ports(), "process {process} sends through port {to}, which it does not have");
                self.count(network.arrival(process, to).0);
            }
        }
        true
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn messages(&self) -> u64 {
        self.messages
    }

    fn rounds(&self) -> u64 {
        self.rounds.iter().copied().max().unwrap_or(0)
    }

    fn ended(&self) -> bool {
        self.choices.total == 0
    }

    fn marks(&self) -> Vec<Marks> {
        self.ensemble.marks()
    }

    fn print(&self) -> Snapshot<String, String> {
        self.ensemble.print()
    }
}

/// How many choices each process has.
struct Choices {
    counts: Vec<u32>,
    /// At `i`, counted from 1: the sum of as many counts up to `i` as the lowest bit of `i` says.
    sums: Vec<u32>,
    total: u32,
}

impl Choices {
    fn new(size: usize) -> Choices {
        Choices { counts: vec![0; size], sums: vec![0; size + 1], total: 0 }
    }

    fn set(&mut self, process: usize, count: u32) {
        let change = count.wrapping_sub(std::mem::replace(&mut self.counts[process], count));
        self.total = self.total.wrapping_add(change);
        let mut at = process + 1;
        while change != 0 && at < self.sums.len() {
            self.sums[at] = self.sums[at].wrapping_add(change);
            at += at & at.wrapping_neg();
        }
    }

    /// The process that has the choice with this number, and the number among its own.
    fn find(&self, mut index: u32) -> (usize, u32) {
        let (mut before, mut stride) = (0, self.sums.len().next_power_of_two() / 2);
        while stride > 0 {
            if before + stride < self.sums.len() && self.sums[before + stride] <= index {
                before += stride;
                index -= self.sums[before];
            }
            stride /= 2;
        }
        (before, index)
    }
}
