//! A core to be fuzzed, without sockets or a clock.

use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_node_core::{Command, Core, CoreConfig, Key, Keys, Now, Tempo};
use std::time::Duration;

/// The key of the cluster.
pub const KEY: [u8; 32] = [42; 32];
/// The number of identities.
pub const SIZE: usize = 3;

/// The time of an iteration.
pub fn at(iteration: u64) -> Now {
    let elapsed = Duration::from_millis(10 * iteration);
    Now { elapsed, unix_micros: 1_800_000_000_000_000 + elapsed.as_micros() as u64 }
}

/// A process that has just started.
pub fn core(me: usize) -> Core {
    let tempo = Tempo::new(Duration::from_millis(100));
    let config = CoreConfig {
        cluster: "fuzz".into(),
        algorithm: "robust-s2".into(),
        keys: Keys::new(vec![Key::new(KEY)]).expect("one key"),
        ..CoreConfig::new(me, SIZE, tempo.heartbeat, at(0))
    };
    let algorithm = RobustS2::quick(SIZE, tempo.timing(), tempo.period());
    Core::new(algorithm.into(), config, 0, at(0)).expect("valid settings")
}

/// An authentic datagram of process 1 for process 0.
pub fn template() -> Vec<u8> {
    let mut peer = core(1);
    for iteration in 0..100 {
        peer.iterate(at(iteration));
    }
    let to_process_0 = |command| match command {
        Command::Send { to: 0, datagram } => Some(datagram),
        _ => None,
    };
    peer.take_commands().into_iter().find_map(to_process_0).expect("it becomes the leader")
}
