//! Message passing whose type is forgotten.

use crate::kernel::{End, MessageSteps};
use crate::plain::{MessageRun, Run};
use crate::{Generator, Limits};
use ringleader_model::{Channels, Network, Terminating};
use std::sync::atomic::Ordering;

/// What became of an election by messages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct MessageElection {
    /// How it ended: reached is terminated with exactly one leader.
    pub end: End,
    /// How many messages were sent.
    pub messages: u64,
    /// How many rounds there were: as many as the process that started the most has started, 0 where none is announced.
    pub rounds: u64,
}

/// A terminating message-passing algorithm of any type.
pub trait MessageAlgorithm: Send + Sync {
    /// How its processes are connected.
    fn network(&self) -> Network;

    /// The weakest channels that its claim is about.
    fn channels(&self) -> Channels;

    /// A run from the clean start, to be watched step by step.
    fn watch(&self, channels: Channels, coin: Generator) -> Box<dyn Run + '_>;

    /// The same run to its end, without a look at every process at every step.
    fn elect(&self, channels: Channels, limits: Limits<'_>, coin: Generator) -> MessageElection;
}

impl<P: Terminating> MessageAlgorithm for P {
    fn network(&self) -> Network {
        Terminating::network(self)
    }

    fn channels(&self) -> Channels {
        Terminating::channels(self)
    }

    fn watch(&self, channels: Channels, coin: Generator) -> Box<dyn Run + '_> {
        Box::new(MessageRun::new(self, channels, coin))
    }

    fn elect(&self, channels: Channels, limits: Limits<'_>, coin: Generator) -> MessageElection {
        elect(MessageSteps::new(self, channels, coin), limits)
    }
}

fn elect(mut steps: MessageSteps<'_>, limits: Limits<'_>) -> MessageElection {
    let mut interrupted = false;
    while !interrupted && steps.run().steps() < limits.steps && steps.step() {
        interrupted = steps.run().steps().is_multiple_of(1024) && limits.stop.load(Ordering::Relaxed);
    }
    let run = steps.run();
    let end = match run.reached() {
        _ if interrupted => End::Interrupted,
        Some(steps) => End::Reached(steps),
        None if run.steps() < limits.steps => End::Stuck(run.steps()),
        None => End::Limit(run.steps()),
    };
    MessageElection { end, messages: run.messages(), rounds: run.rounds() }
}
