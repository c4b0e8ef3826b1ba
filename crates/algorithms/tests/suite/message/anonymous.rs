//! Itai-Rodeh and Fokkink-Pang.

use super::mutant::Mutant;
use super::random;
use ringleader_algorithms::message::Mode;
use ringleader_algorithms::message::fokkink_pang::FokkinkPang;
use ringleader_algorithms::message::itai_rodeh::ItaiRodeh;
use ringleader_model::{Channels, Terminating};
use ringleader_testkit::messages::{Space, leaders};

fn elects<P: Terminating>(algorithm: &P, channels: Channels, seeds: u64) {
    for seed in 0..seeds {
        let mut leading = 0;
        random::run(algorithm, channels, seed, |now| {
            leading = leaders(algorithm, now).len();
            assert!(leading <= 1, "{channels} seed {seed}: {now:?}");
        });
        assert_eq!(leading, 1, "{channels} seed {seed}");
    }
}

#[test]
fn itai_rodeh_elects_at_random() {
    for (size, ids) in (2..=12).flat_map(|n| [(n, 2), (n, 3), (n, n.max(2))]) {
        for channels in [Channels::Bag, Channels::Fifo] {
            elects(&ItaiRodeh { size, ids, rounds: None }, channels, 40);
        }
    }
}

#[test]
fn fokkink_pang_elects_at_random() {
    for (size, ids) in (2..=12).flat_map(|n| [(n, 2), (n, 3), (n, n.max(2))]) {
        elects(&FokkinkPang { size, ids }, Channels::Fifo, 80);
    }
}

#[test]
fn itai_rodeh_is_right_to_a_round_bound_on_every_schedule() {
    for (size, ids, rounds, channels) in [
        (2, 2, 6, Channels::Bag),
        (2, 3, 4, Channels::Bag),
        (3, 2, 3, Channels::Bag),
        (3, 2, 6, Channels::Fifo),
        (3, 3, 3, Channels::Fifo),
        (4, 2, 3, Channels::Fifo),
    ] {
        let algorithm = ItaiRodeh { size, ids, rounds: Some(rounds) };
        let space = Space::explore(&algorithm, channels, 100_000).expect("a small space");
        assert_eq!(space.check(&algorithm), Ok(()), "{algorithm:?} {channels}");
        let cut_off = |i: &usize| space.snapshots[*i].states.iter().any(|s| algorithm.cut_off(s));
        assert!(space.terminated().any(|i| cut_off(&i)), "the bound matters");
        assert!(space.terminated().any(|i| !cut_off(&i)), "and does not cut everything");
    }
}

/// The published model starts with every process having drawn its first identity and sent it: 26 states and 42 transitions
/// for n = 2, k = 2, 300 and 606 for n = 3. Ours draws one process after the other; after that they are the same.
#[test]
fn fokkink_pang_has_as_many_states_as_published() {
    for ((size, ids), published) in [((2, 2), (26, 42)), ((3, 2), (300, 606))] {
        let algorithm = FokkinkPang { size, ids };
        let space = Space::explore(&algorithm, Channels::Fifo, 10_000).expect("a small space");
        assert_eq!(space.check(&algorithm), Ok(()));
        let begun = |i: usize| space.snapshots[i].states.iter().all(|s| s.mode != Mode::Start);
        let begun: Vec<usize> = (0..space.snapshots.len()).filter(|&i| begun(i)).collect();
        let transitions = begun.iter().map(|&i| space.steps[i].len()).sum();
        assert_eq!((begun.len(), transitions), published, "n = {size}, k = {ids}");
    }
}

#[test]
fn fokkink_pang_needs_fifo_channels() {
    assert_eq!(FokkinkPang { size: 2, ids: 2 }.channels(), Channels::Fifo);
    let algorithm = FokkinkPang { size: 2, ids: 3 };
    let space = Space::explore(&algorithm, Channels::Bag, 1_000).expect("a small space");
    assert!(space.check(&algorithm).unwrap_err().starts_with("no leader"));
}

/// Who does not say that it has the same identity lets both become leader.
#[test]
fn the_flag_must_be_cleared() {
    let itai_rodeh = Mutant::after(ItaiRodeh { size: 2, ids: 2, rounds: Some(2) }, |_, _, sent| {
        sent.iter_mut().for_each(|(_, message)| message.unique = true);
    });
    let fokkink_pang = Mutant::after(FokkinkPang { size: 2, ids: 2 }, |_, _, sent| {
        sent.iter_mut().for_each(|(_, message)| message.unique = true);
    });
    assert!(itai_rodeh.caught().starts_with("two leaders"));
    assert!(fokkink_pang.caught().starts_with("two leaders"));
}
