//! Elections by messages.

use crate::kernel::MessageSteps;
use crate::plain::SimulatedRun;
use crate::{Generator, Limits, RunRecord};
use ringleader_erased::MessageInstance;
use ringleader_model::Channels;
use std::sync::atomic::Ordering;

/// The number of steps between two looks at [`Limits::stop`].
const STRETCH: u64 = 1024;

/// Runs an algorithm from its clean start to its end, unless it is interrupted. The goal is termination with exactly one leader.
pub fn elect_by_messages(
    algorithm: &MessageInstance,
    channels: Channels,
    limits: Limits<'_>,
    coin: Generator,
) -> Option<RunRecord> {
    let mut run = MessageSteps::new(algorithm, channels, coin);
    while run.steps() < limits.steps && run.advance(limits.steps.min(run.steps() + STRETCH)) {
        if limits.stop.load(Ordering::Relaxed) {
            return None;
        }
    }
    let (reached, steps, messages) = (run.reached().is_some(), run.steps(), Some(run.messages()));
    // Variants that only serve a published table announce no rounds.
    let rounds = Some(run.rounds()).filter(|&rounds| rounds > 0);
    Some(RunRecord { reached, steps, messages, rounds, ..RunRecord::default() })
}
