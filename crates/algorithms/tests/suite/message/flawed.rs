//! The two flawed algorithms of Bakhshi et al.: where they fail, and where they do not.

use ringleader_algorithms::message::Mode;
use ringleader_algorithms::message::dolev_klawe_rodeh_bits::DolevKlaweRodehBits;
use ringleader_algorithms::message::franklin_no_bit::FranklinNoBit;
use ringleader_model::{Channels, Event, LEFT, text};
use ringleader_testkit::messages::{Space, leaders, outcomes, start};

/// Section 3. The paper's own scenario has n = 3, k = 3; with three processes two identities are enough, and with three
/// identities two processes.
#[test]
fn franklin_without_the_bit_may_leave_all_passive() {
    for (size, ids) in [(2, 3), (3, 2), (3, 3)] {
        let algorithm = FranklinNoBit { size, ids, keeps_identity: false };
        let space = Space::explore(&algorithm, Channels::Bag, 100_000).expect("a small space");
        let all_passive: Vec<usize> =
            space.terminated().filter(|&i| space.snapshots[i].states.iter().all(|s| s.mode == Mode::Passive)).collect();
        assert!(!all_passive.is_empty(), "n = {size}, k = {ids}");
        assert!(space.check(&algorithm).unwrap_err().starts_with("no leader"), "n = {size}, k = {ids}");
        assert!(space.snapshots.iter().all(|now| leaders(&algorithm, now).len() <= 1), "n = {size}, k = {ids}");
    }
}

/// Proposition 1; and with two processes and two identities the flaw has no room.
#[test]
fn franklin_without_the_bit_is_right_with_fifo_channels() {
    for (size, ids) in [(2, 2), (2, 3), (3, 2), (3, 3)] {
        let algorithm = FranklinNoBit { size, ids, keeps_identity: false };
        let space = Space::explore(&algorithm, Channels::Fifo, 10_000).expect("a small space");
        assert_eq!(space.check(&algorithm), Ok(()), "n = {size}, k = {ids}");
    }
    let two = FranklinNoBit { size: 2, ids: 2, keeps_identity: false };
    assert_eq!(Space::explore(&two, Channels::Bag, 1_000).expect("a small space").check(&two), Ok(()));
}

#[test]
fn dolev_klawe_rodeh_with_bits_is_right_on_small_rings() {
    for (size, ids) in [(2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (4, 3)] {
        let algorithm = DolevKlaweRodehBits { size, ids };
        let space = Space::explore(&algorithm, Channels::Bag, 60_000).expect("a small space");
        assert_eq!(space.check(&algorithm), Ok(()), "n = {size}, k = {ids}");
    }
}

/// Section 8: a run of five processes with three identities that ends with all passive. Each entry is the process, the
/// message that it takes (nothing: it starts), and the identity that it draws in doing so, if it does.
const LEADERLESS: &[(usize, &str, u32)] = &[
    (4, "", 3),
    (2, "", 1),
    (1, "", 3),
    (0, "", 3),
    (2, "one(3, 1, T)", 0),
    (0, "one(3, 1, T)", 0),
    (1, "one(3, 1, T)", 0),
    (1, "two(3, 2, T)", 2),
    (2, "two(3, 2, T)", 1),
    (2, "one(2, 1, F)", 0),
    (3, "", 1),
    (4, "one(1, 1, T)", 0),
    (0, "two(1, 2, T)", 1),
    (1, "one(1, 1, F)", 0),
    (2, "two(1, 2, F)", 3),
    (3, "one(3, 1, T)", 0),
    (4, "two(3, 2, T)", 0),
    (3, "two(3, 2, T)", 2),
    (4, "one(2, 1, F)", 0),
    (0, "one(2, 2, F)", 0),
    (1, "two(2, 3, F)", 0),
    (3, "one(1, 1, F)", 0),
    (3, "two(2, 2, F)", 0),
    (4, "two(1, 2, F)", 0),
    (0, "two(1, 3, F)", 2),
    (1, "one(2, 1, T)", 0),
    (2, "one(2, 2, T)", 0),
    (3, "two(2, 3, T)", 0),
    (4, "two(2, 4, T)", 0),
    (3, "one(1, 1, T)", 0),
    (4, "one(1, 2, T)", 0),
    (0, "one(1, 3, T)", 0),
    (0, "two(2, 5, T)", 0),
    (1, "two(1, 4, T)", 0),
    (2, "two(1, 5, T)", 0),
];

#[test]
fn dolev_klawe_rodeh_with_bits_may_leave_all_passive() {
    let algorithm = DolevKlaweRodehBits { size: 5, ids: 3 };
    let mut now = start(&algorithm);
    for &(process, message, drawn) in LEADERLESS {
        let event = match message {
            "" => Event::Step,
            wanted => {
                let waiting = now.channel(process, LEFT).iter().find(|m| text::print_message(&algorithm, m) == wanted);
                Event::Message { from: LEFT, message: *waiting.expect("the message is under way") }
            }
        };
        let mut next = outcomes(&algorithm, Channels::Bag, &now, &(process, event));
        now = if drawn == 0 { next.remove(0) } else { next.remove(drawn as usize - 1) };
        assert!(drawn == 0 || now.states[process].id == drawn, "process {process} draws {drawn}");
    }
    assert!(now.states.iter().all(|s| s.mode == Mode::Passive), "{:?}", now.states);
    assert!(now.channels.iter().all(Vec::is_empty), "{:?}", now.channels);
}
