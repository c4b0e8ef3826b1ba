//! The fuzz targets: a core without sockets or a clock, and the bytes that it receives. The tests of ringleader-node-core compile this file, too,
//! and run it with random bytes.

use hmac_sha256::HMAC;
use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_node_core::lease::{Lists, Record};
use ringleader_node_core::{Command, Core, CoreConfig, Guard, Instruction, Key, Keys, Now, Tempo};
use std::sync::LazyLock;
use std::time::Duration;

static TEMPLATE: LazyLock<Vec<u8>> = LazyLock::new(template);
const HEADER: usize = 183;
const MAC: usize = 16;
/// The key of the cluster.
const KEY: [u8; 32] = [42; 32];
/// The number of identities.
const SIZE: usize = 3;

/// The time of an iteration.
fn at(iteration: u64) -> Now {
    let elapsed = Duration::from_millis(10 * iteration);
    Now { elapsed, unix_micros: 1_800_000_000_000_000 + elapsed.as_micros() as u64 }
}

/// The file of every member at the start.
fn first_record() -> Record {
    Record { token: 7, holder: 0, life: 1, lists: Lists::first((0..SIZE).collect()) }
}

/// A process that has just started.
fn core(me: usize) -> Core {
    core_with(me, None)
}

/// A process with the guard and with fencing tokens.
fn guarded_core(me: usize) -> Core {
    let record = Some(first_record());
    core_with(me, Some(Guard { record, ..Guard::for_heartbeat(Duration::from_millis(100)) }))
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
fn challenges(core: &mut Core, now: Now) -> [[u8; 8]; SIZE] {
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
fn template() -> Vec<u8> {
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

/// Arbitrary bytes from a sender without the key: never accepted, never a panic.
pub fn stranger(bytes: &[u8]) {
    let mut core = core(0);
    assert!(core.receive(at(0), bytes).is_err(), "a forgery was accepted");
    assert_eq!(core.counters().rejected.iter().sum::<u64>(), 1);
}

/// Arbitrary datagrams with a valid MAC, as a sender with the key could make them. They reach the decoder of fields, the replay protection and
/// the algorithm itself, and the lease. A panic there would let one faulty host stop all others, and a stored token or list that is
/// implausible would destroy the file of this member.
///
/// The input is a list of datagrams, each with a control byte, a length and that many bytes. The control byte selects whether the bytes are a
/// message after a valid header, or overwrite the datagram from its start.
pub fn insider(bytes: &[u8]) {
    let (mut core, mut rest, mut iteration) = (guarded_core(0), bytes, 100);
    let challenges = challenges(&mut core, at(iteration));
    let mut stored = first_record();
    while let [control, length, tail @ ..] = rest {
        let (part, after) = tail.split_at(usize::from(*length).min(tail.len()));
        rest = after;
        iteration += u64::from(control >> 4);
        let mut datagram = TEMPLATE[..TEMPLATE.len() - MAC].to_vec();
        if control & 1 == 0 {
            datagram.truncate(HEADER);
            datagram.extend_from_slice(part);
            // Sender 1 or 2, receiver 0, now, with the answer to its challenge.
            let sender = 1 + (control >> 1 & 1);
            datagram[24..28].copy_from_slice(&[0, sender, 0, 0]);
            datagram[28..36].copy_from_slice(&(at(iteration).elapsed.as_micros() as u64).to_be_bytes());
            datagram[52..60].copy_from_slice(&1u64.to_be_bytes());
            datagram[60..68].copy_from_slice(&challenges[usize::from(sender)]);
        } else {
            let shared = part.len().min(datagram.len());
            datagram[..shared].copy_from_slice(&part[..shared]);
        }
        let mac = HMAC::mac(&datagram, KEY);
        datagram.extend_from_slice(&mac[..MAC]);
        let _ = core.receive(at(iteration), &datagram);
        for command in core.take_commands() {
            if let Command::Store(record) = command {
                assert!(record.token > stored.token || record.lists.supersedes(&stored.lists));
                for (before, after) in [(stored.token, record.token), (stored.lists.number, record.lists.number)] {
                    assert!(after >= before && after - before <= 1 << 20 && after < 1 << 48);
                }
                assert!(record.lists.active().all(|list| !list.is_empty() && list.iter().all(|id| id < SIZE)));
                stored = record;
                core.obey(at(iteration), Instruction::Stored(record));
            }
        }
        if control & 4 != 0 {
            iteration += 1;
            core.iterate(at(iteration));
            assert!(core.status().leadership.leader < SIZE);
        }
    }
}
