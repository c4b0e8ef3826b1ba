//! Mutations of real datagrams, field by field and spliced, and datagrams with another key: without the key, no datagram is accepted, changes the
//! leader or takes memory.
//!
//! A longer campaign: `RINGLEADER_MUTATIONS=10000000 cargo test --release -p ringleader-node-core --test mutations -- --nocapture`.
//! `fuzz/` does the same with a coverage-guided fuzzer. This is a separate binary, since it measures the memory of the process.

#[path = "suite/common.rs"]
#[allow(dead_code)]
mod common;

use common::{Cluster, Dice, core_config, sent, tempo};
use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_node_core::{Core, Key, Keys, Rejection};
use std::ops::Range;
use std::time::Duration;

const SIZE: usize = 3;
const MAC: usize = 16;
/// Magic, versions, header length, purpose, cluster, algorithm, sender, receiver, time, incarnation, challenge and the two echoed numbers; the
/// table of `wire`.
const FIELDS: [Range<usize>; 14] =
    [0..4, 4..5, 5..6, 6..7, 7..8, 8..16, 16..24, 24..26, 26..28, 28..36, 36..44, 44..52, 52..60, 60..68];
const TIME: Range<usize> = 28..36;

fn s2() -> RobustS2 {
    RobustS2::quick(SIZE, tempo().timing(), tempo().period())
}

/// The datagrams of a process with another key: only the MAC is wrong.
fn by_another_key(cluster: &Cluster<RobustS2>) -> Vec<(usize, Vec<u8>)> {
    let mut out = vec![];
    for me in 0..SIZE {
        let mut config = core_config(me, SIZE);
        config.keys = Keys::new(vec![Key::new([43; 32])]).unwrap();
        let mut core = Core::new(s2().into(), config, 0, cluster.clock()).unwrap();
        for _ in 0..100 {
            core.iterate(cluster.clock());
        }
        out.extend(sent(&mut core));
    }
    out
}

/// One mutation, from a flipped bit to the tail of another datagram.
fn mutate(datagram: &mut Vec<u8>, other: &[u8], now: u64, dice: &mut Dice) {
    let length = datagram.len() as u64;
    let place = |dice: &mut Dice| dice.below(length.max(1)) as usize;
    match dice.below(12) {
        // A field of the header, the message or the MAC: all zeros, all ones, random, or slightly more or less.
        0..=3 => {
            let fields = FIELDS.len() as u64;
            let range = match dice.below(fields + 2) {
                field if field < fields => FIELDS[field as usize].clone(),
                field if field == fields => 68..datagram.len().saturating_sub(MAC),
                _ => datagram.len().saturating_sub(MAC)..datagram.len(),
            };
            let (how, step) = (dice.below(4), dice.roll() as u8);
            let Some(bytes) = datagram.get_mut(range) else { return };
            match how {
                0 => bytes.fill(0),
                1 => bytes.fill(u8::MAX),
                2 => bytes.iter_mut().for_each(|byte| *byte = dice.roll() as u8),
                _ => bytes
                    .iter_mut()
                    .last()
                    .into_iter()
                    .for_each(|byte| *byte = byte.wrapping_add(step % 5).wrapping_sub(2)),
            }
        }
        4 => datagram.iter_mut().skip(place(dice)).take(1).for_each(|byte| *byte ^= 1 << dice.below(8)),
        5 => datagram.truncate(place(dice)),
        6 => datagram.extend((0..dice.below(40)).map(|_| dice.roll() as u8)),
        // Splices: the beginning of one and the end of the other, in place or shifted.
        7 => {
            let at = place(dice);
            datagram.splice(at.., other.iter().skip(at).copied());
        }
        8 => {
            let (at, from) = (place(dice), dice.below(other.len() as u64) as usize);
            datagram.splice(at..at, other[from..].iter().copied());
        }
        9 => drop(datagram.splice(place(dice).., [])),
        // The present time: only the MAC is wrong.
        10 => datagram.get_mut(TIME).into_iter().for_each(|time| time.copy_from_slice(&now.to_be_bytes())),
        _ => match dice.below(100) {
            0 => datagram.resize(16 * 1024 + dice.below(3) as usize, 0),
            _ => *datagram = (0..dice.below(200)).map(|_| dice.roll() as u8).collect(),
        },
    }
}

/// The memory of this process in KiB, if the system provides it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix("kB")?.trim().parse().ok())
}

#[test]
fn mutated_datagrams_change_nothing() {
    let mut cluster = Cluster::new(s2(), 5);
    cluster.settle(Duration::from_secs(60));
    let mut corpus = std::mem::take(&mut cluster.wire);
    corpus.truncate(500);
    corpus.extend(by_another_key(&cluster));
    // Datagrams in transit arrive: from here on every datagram of the corpus is old.
    cluster.run(Duration::from_secs(1));
    let leader = cluster.agreed();
    let changes = |c: &Cluster<_>| c.cores.iter().flatten().map(|core| core.counters().leader_changes).sum::<u64>();
    let (before, memory) = (changes(&cluster), resident());
    cluster.rejections.clear();
    let mut counts = [0u64; Rejection::ALL.len()];
    let rounds = std::env::var("RINGLEADER_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(500_000u64);
    let mut dice = Dice(0xdecade);
    for round in 0..rounds {
        let (to, mut datagram) = corpus[dice.below(corpus.len() as u64) as usize].clone();
        let other = &corpus[dice.below(corpus.len() as u64) as usize].1;
        for _ in 0..=dice.below(4) {
            mutate(&mut datagram, other, cluster.clock().elapsed.as_micros() as u64, &mut dice);
        }
        cluster.inject(to, &datagram);
        let rejection = cluster.rejections.pop();
        counts[rejection.unwrap_or_else(|| panic!("round {round}: taken: {datagram:?}")) as usize] += 1;
        if round % 1000 == 0 {
            cluster.run(2 * tempo().iteration());
            cluster.delivered.clear();
        }
    }
    cluster.run(Duration::from_secs(5));
    assert_eq!((cluster.agreed(), changes(&cluster)), (leader, before));
    let named: Vec<_> = Rejection::ALL.iter().zip(counts).collect();
    let grown = memory.zip(resident()).map(|(before, after)| after.saturating_sub(before));
    println!("mutations: {rounds}, all dropped: {named:?}; memory {memory:?} KiB, grown by {grown:?} KiB");
    // These checks come after the MAC. Without the key only unchanged copies get that far, and they are not fresh.
    let unreachable = [
        Rejection::Algorithm,
        Rejection::Message,
        Rejection::UnknownPeer,
        Rejection::Heartbeat,
        Rejection::Late,
        Rejection::Doubled,
        Rejection::Guard,
    ];
    assert!(named.iter().all(|(reason, count)| (*count == 0) == unreachable.contains(reason)), "{named:?}");
    assert!(grown.is_none_or(|kib| kib < 8 * 1024), "memory grew by {grown:?} KiB");
}
