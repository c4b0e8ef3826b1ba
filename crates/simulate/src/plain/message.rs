//! Processes and channels, one choice of the scheduler at a time.

use crate::Generator;
use crate::plain::Run;
use ringleader_model::ensemble::Processes;
use ringleader_model::message_trace::Act;
use ringleader_model::{Channels, Coin, Ensemble, Marks, Snapshot, Terminating};

/// What the scheduler decides: who moves, and how.
pub(crate) type MessageChoice = (usize, Act);

/// A run of a terminating algorithm from its clean start. Every choice is uniform among those enabled.
pub struct MessageRun<'a> {
    ensemble: Box<dyn Ensemble + 'a>,
    channels: Channels,
    coin: Generator,
    steps: u64,
    messages: u64,
    /// How many rounds each process has started.
    rounds: Vec<u64>,
}

impl<'a> MessageRun<'a> {
    /// A run from the clean start.
    pub fn new(algorithm: &'a impl Terminating, channels: Channels, coin: Generator) -> Self {
        MessageRun::of(Box::new(Processes::new(algorithm)), channels, coin)
    }

    pub(crate) fn of(ensemble: Box<dyn Ensemble + 'a>, channels: Channels, coin: Generator) -> Self {
        let rounds = vec![0; ensemble.network().size()];
        MessageRun { ensemble, channels, coin, steps: 0, messages: 0, rounds }
    }

    /// Everything there is now, as text.
    pub fn now(&self) -> Snapshot<String, String> {
        self.ensemble.print()
    }

    /// How many messages have been sent.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// How many rounds there were: as many as the process that started the most has started.
    pub fn rounds(&self) -> u64 {
        self.rounds.iter().copied().max().unwrap_or(0)
    }

    pub(crate) fn coin(&mut self) -> &mut Generator {
        &mut self.coin
    }

    fn choices(&self) -> Vec<MessageChoice> {
        self.ensemble.all_choices(self.channels)
    }

    /// Adds what one process may do next.
    pub(crate) fn choices_of(&self, process: usize, choices: &mut Vec<MessageChoice>) {
        self.ensemble.choices(process, self.channels, choices);
    }

    /// Takes a choice, and says who was sent something.
    ///
    /// # Panics
    /// If the process sends through a port that it does not have.
    pub(crate) fn take(&mut self, (process, act): MessageChoice) -> Vec<usize> {
        let (network, mut receivers) = (self.ensemble.network(), vec![]);
        let mut tell = |to, _: &dyn std::fmt::Display| {
            assert!(to < network.ports(), "process {process} sends through port {to}, which it does not have");
            receivers.push(network.arrival(process, to).0);
        };
        self.rounds[process] += self.ensemble.take(process, act, &mut self.coin, &mut tell);
        self.messages += receivers.len() as u64;
        self.steps += 1;
        receivers
    }
}

impl Run for MessageRun<'_> {
    fn size(&self) -> usize {
        self.rounds.len()
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn step(&mut self) -> bool {
        let choices = self.choices();
        if choices.is_empty() {
            return false;
        }
        let index = self.coin.below(choices.len() as u32) as usize;
        self.take(choices[index]);
        true
    }

    fn marks(&self) -> Vec<Marks> {
        self.ensemble.all_marks()
    }

    /// Terminated with exactly one leader.
    fn reached(&self) -> Option<u64> {
        let one_leader = self.marks().iter().filter(|m| m.leader()).count() == 1;
        (one_leader && self.choices().is_empty()).then_some(self.steps)
    }

    /// Does nothing: these algorithms promise nothing after a fault, and callers refuse to ask.
    fn corrupt(&mut self, _: &[usize]) {}

    fn states(&self) -> Vec<String> {
        (0..self.size()).map(|process| self.ensemble.state(process)).collect()
    }
}
