//! Probabilistic Franklin, A and B: Theorems 1 and 2 and Lemma 1 of Bakhshi et al., and mistakes that would break them.

use super::mutant::Mutant;
use super::random;
use ringleader_algorithms::message::Mode;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_model::{Channels, Event};
use ringleader_testkit::messages::{Space, leaders};

#[test]
fn thousands_of_runs_elect_one_leader_and_keep_lemma_1() {
    for (size, ids, keeps_identity) in
        (2..=12).flat_map(|n| [(n, 2, false), (n, 2, true), (n, 3, false), (n, n + 1, true)])
    {
        let algorithm = Franklin { size, ids, keeps_identity };
        for seed in 0..60 {
            let channels = if seed % 3 == 0 { Channels::Fifo } else { Channels::Bag };
            let mut leading = 0;
            random::run(&algorithm, channels, seed, |now| {
                assert!(algorithm.lemma_1(now), "Lemma 1: {algorithm:?} {channels} seed {seed}: {now:?}");
                leading = leaders(&algorithm, now).len();
            });
            assert_eq!(leading, 1, "{algorithm:?} {channels} seed {seed}");
        }
    }
}

#[test]
fn theorems_1_and_2_and_lemma_1_on_every_schedule_of_small_rings() {
    for (size, ids) in [(2, 2), (2, 3), (3, 2), (3, 3)] {
        for keeps_identity in [false, true] {
            let algorithm = Franklin { size, ids, keeps_identity };
            for channels in [Channels::Bag, Channels::Fifo] {
                let space = Space::explore(&algorithm, channels, 20_000).expect("a small space");
                assert_eq!(space.check(&algorithm), Ok(()), "{algorithm:?} {channels}");
            }
        }
    }
}

const SMALL: Franklin = Franklin { size: 3, ids: 2, keeps_identity: false };

/// Passive if either identity is larger *or equal*: when all draw the same, all give up.
#[test]
fn a_tie_must_not_lose() {
    let ties_lose = Mutant::before(SMALL, |_, s, event| {
        if let Event::Message { message, .. } = event
            && s.mode == Mode::Active
            && message.id == s.id
        {
            message.id += 1;
        }
    });
    assert!(ties_lose.caught().contains("no leader"));
}

/// Without the flip old messages pass for new ones.
#[test]
fn the_bit_must_flip() {
    let never_flips = Mutant::after(SMALL, |_, s, sent| {
        s.bit = s.mode == Mode::Active;
        sent.iter_mut().for_each(|(_, message)| message.bit = true);
    });
    assert!(never_flips.caught().contains("no leader"));
    let space = Space::explore(&never_flips, Channels::Bag, 20_000).expect("a small space");
    assert!(space.snapshots.iter().any(|now| !SMALL.lemma_1(now)), "and Lemma 1 notices");
}

/// Only a message that has crossed all n links is one's own.
#[test]
fn hops_must_be_counted_right() {
    let counts_one_too_many = Mutant::before(SMALL, |_, s, event| {
        if let Event::Message { message, .. } = event
            && s.mode == Mode::Active
        {
            message.hop += 1;
        }
    });
    assert!(counts_one_too_many.caught().contains("leader"));
}

/// A passive process that drops what it should relay starves the others.
#[test]
fn passive_processes_must_relay() {
    let swallows = Mutant::after(SMALL, |_, s, sent| {
        if s.mode == Mode::Passive {
            sent.clear();
        }
    });
    assert!(swallows.caught().contains("no leader"));
}
