//! Runs in which every choice is uniform among those enabled, to be looked at in the algorithm's own states.

use ringleader_model::ensemble::Sent;
use ringleader_model::{Channels, Coin, Ensemble, SnapshotOf, Terminating};
use ringleader_simulate::Generator;

/// Runs to the end and shows what there is after every step; how many messages were sent.
pub(crate) fn run<P: Terminating>(
    algorithm: &P,
    channels: Channels,
    seed: u64,
    mut look: impl FnMut(&SnapshotOf<P>),
) -> u64 {
    let (mut processes, mut coin, mut messages) = (Ensemble::new(algorithm), Generator::new(seed), 0);
    let mut sent = Sent::default();
    for _ in 0..1_000_000 {
        let choices = processes.all_choices(channels);
        if choices.is_empty() {
            return messages;
        }
        let (process, act) = choices[coin.below(choices.len() as u32) as usize];
        processes.take(process, act, &mut coin, &mut sent);
        messages += sent.messages.len() as u64;
        look(processes.now());
    }
    panic!("{channels} seed {seed} does not end: {:?}", processes.now());
}
