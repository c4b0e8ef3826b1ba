//! Elections by messages.

use crate::kernel::{End, MessageSteps};
use crate::plain::SimulatedRun;
use crate::{Generator, Limits};
use ringleader_erased::MessageInstance;
use ringleader_model::Channels;
use std::sync::atomic::Ordering;

/// The result of an election by messages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct MessageElection {
    /// The end of the run: the goal is termination with exactly one leader.
    pub end: End,
    /// The number of messages sent.
    pub messages: u64,
    /// The number of rounds: the most that any process has started, 0 where no process announces any.
    pub rounds: u64,
}

/// The number of steps between two looks at [`Limits::stop`].
const STRETCH: u64 = 1024;

/// Runs an algorithm from its clean start to its end.
pub fn elect_by_messages(
    algorithm: &MessageInstance,
    channels: Channels,
    limits: Limits<'_>,
    coin: Generator,
) -> MessageElection {
    let (mut run, mut interrupted) = (MessageSteps::new(algorithm, channels, coin), false);
    while !interrupted && run.steps() < limits.steps && run.advance(limits.steps.min(run.steps() + STRETCH)) {
        interrupted = limits.stop.load(Ordering::Relaxed);
    }
    let end = match run.reached() {
        _ if interrupted => End::Interrupted,
        Some(steps) => End::Reached(steps),
        None if run.steps() < limits.steps => End::Stuck(run.steps()),
        None => End::Limit(run.steps()),
    };
    MessageElection { end, messages: run.messages(), rounds: run.rounds() }
}
