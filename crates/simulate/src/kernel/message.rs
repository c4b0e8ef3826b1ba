//! Runs of algorithms that pass messages, without visiting every process at every step.

use crate::Generator;
use crate::plain::SimulatedRun;
use ringleader_erased::{MessageInstance, MessageProcesses};
use ringleader_model::{Channels, Marks, Snapshot};

/// A run of a terminating algorithm from its clean start. Every choice is uniform among those enabled.
pub struct MessageSteps<'a> {
    processes: Box<dyn MessageProcesses + 'a>,
    coin: Generator,
}

impl<'a> MessageSteps<'a> {
    /// A run from the clean start.
    pub fn new(algorithm: &'a MessageInstance, channels: Channels, coin: Generator) -> Self {
        MessageSteps { processes: algorithm.processes(channels), coin }
    }

    /// Takes choices up to step `steps`; `false` if the run ends before.
    pub fn advance(&mut self, steps: u64) -> bool {
        self.processes.advance(steps, &mut self.coin)
    }

    /// The present states and messages, as text.
    pub fn now(&self) -> Snapshot<String, String> {
        self.processes.print()
    }

    /// The number of messages that have been sent.
    pub fn messages(&self) -> u64 {
        self.processes.messages()
    }

    /// The number of rounds: the most that any process has started.
    pub fn rounds(&self) -> u64 {
        self.processes.rounds()
    }
}

impl SimulatedRun for MessageSteps<'_> {
    fn size(&self) -> usize {
        self.processes.marks().len()
    }

    fn steps(&self) -> u64 {
        self.processes.steps()
    }

    fn step(&mut self) -> bool {
        self.advance(self.steps() + 1)
    }

    fn marks(&self) -> Vec<Marks> {
        self.processes.marks()
    }

    /// Terminated with exactly one leader.
    fn reached(&self) -> Option<u64> {
        let one_leader = || self.marks().iter().filter(|marks| marks.leader()).count() == 1;
        (self.processes.ended() && one_leader()).then_some(self.steps())
    }

    /// Does nothing: these algorithms promise nothing after a fault, and callers refuse to ask.
    fn corrupt(&mut self, _: &[usize]) {}

    fn states(&self) -> Vec<String> {
        self.processes.print().states
    }
}
