//! A core to be fuzzed, without sockets or a clock.

use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_node_core::lease::Record;
use ringleader_node_core::{Command, Core, CoreConfig, Guard, Key, Keys, Now, Tempo};
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

/// The token in the file of every member at the start.
pub const TOKEN: u64 = 7;

/// A process that has just started.
pub fn core(me: usize) -> Core {
    core_with(me, None)
}

/// A process with the guard and with fencing tokens.
pub fn guarded_core(me: usize) -> Core {
    let record = Record { token: TOKEN, holder: 0, life: 1 };
    core_with(me, Some(Guard { record: Some(record), ..Guard::for_heartbeat(Duration::from_millis(100)) }))
}

fn core_with(me: usize, guard: Option<Guard>) -> Core {
    let tempo = Tempo::new(Duration::from_millis(100));
    let config = CoreConfig {
        cluster: "fuzz".into(),
        algorithm: "robust-s2".into(),
        keys: Keys::new(vec![Key::new(KEY)]).expect("one key"),
        guard,
        ..CoreConfig::new(me, SIZE, tempo.heartbeat, 1 + me as u64)
    };
    let algorithm = RobustS2::quick(SIZE, tempo.timing(), tempo.period());
    Core::new(algorithm.into(), config, 0, at(0)).expect("valid settings")
}

/// The challenges that a process sends to its peers in its first iteration.
pub fn challenges(core: &mut Core, now: Now) -> [[u8; 8]; SIZE] {
    let mut challenges = [[0; 8]; SIZE];
    core.iterate(now);
    for command in core.take_commands() {
        if let Command::Send { to, datagram } = command {
            challenges[to].copy_from_slice(&datagram[44..52]);
        }
    }
    challenges
}

/// An authentic datagram of process 1, with the guard, for process 0.
pub fn template() -> Vec<u8> {
    let mut peer = guarded_core(1);
    for iteration in 0..100 {
        peer.iterate(at(iteration));
    }
    let to_process_0 = |command| match command {
        Command::Send { to: 0, datagram } => Some(datagram),
        _ => None,
    };
    peer.take_commands().into_iter().find_map(to_process_0).expect("it becomes the leader")
}
