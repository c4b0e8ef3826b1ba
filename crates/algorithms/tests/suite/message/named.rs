//! The algorithms for unique identities: on every order of the identities the largest is elected.

use super::mutant::Mutant;
use super::random;
use ringleader_algorithms::message::Mode;
use ringleader_algorithms::message::chang_roberts::ChangRoberts;
use ringleader_algorithms::message::dolev_klawe_rodeh::{self, DolevKlaweRodeh};
use ringleader_algorithms::message::franklin_ids::FranklinIds;
use ringleader_algorithms::message::peterson::Peterson;
use ringleader_algorithms::{Entry, Parameters};
use ringleader_model::{Channels, Event, Odometer, RIGHT, Terminating};
use ringleader_testkit::messages::{Space, leaders};

/// All orders of `1..=size`.
fn orders(size: u32) -> Vec<Vec<u32>> {
    let mut orders = vec![];
    Odometer::each(|coin| {
        use ringleader_model::Coin;
        let mut order: Vec<u32> = vec![];
        (1..=size).for_each(|id| order.insert(coin.below(id) as usize, id));
        orders.push(order);
    });
    orders
}

fn build<A: Entry>(order: &[u32]) -> A {
    let list: Vec<String> = order.iter().map(u32::to_string).collect();
    A::build(&Parameters::new(order.len()).with("identities", list.join(","))).expect("a permutation")
}

fn largest(order: &[u32]) -> usize {
    (0..order.len()).max_by_key(|&i| order[i]).expect("a ring is not empty")
}

/// A random run to its end; the number of messages.
fn messages<A: Terminating>(algorithm: &A, channels: Channels, leader: usize, seed: u64) -> u64 {
    let mut leading = vec![];
    let sent = random::run(algorithm, channels, seed, |now| leading = leaders(algorithm, now));
    assert_eq!(leading, [leader], "{channels} seed {seed}");
    sent
}

fn elects_the_largest<A: Entry + Terminating>(channels: Channels, most: impl Fn(u64) -> u64) {
    for order in (2..=6).flat_map(orders) {
        let algorithm: A = build(&order);
        for seed in 0..3 {
            let sent = messages(&algorithm, channels, largest(&order), seed);
            assert!(sent <= most(order.len() as u64), "{} on {order:?} sends {sent}", A::CARD.name);
        }
    }
    for order in (2..=4).flat_map(orders) {
        let algorithm: A = build(&order);
        let space = Space::explore(&algorithm, channels, 20_000).expect("a small space");
        assert_eq!(space.check(&algorithm), Ok(()), "{} on {order:?}", A::CARD.name);
        for i in space.terminated() {
            assert_eq!(leaders(&algorithm, &space.snapshots[i]), [largest(&order)], "{} on {order:?}", A::CARD.name);
        }
    }
}

#[test]
fn chang_roberts_elects_the_largest() {
    for channels in [Channels::Bag, Channels::Fifo] {
        elects_the_largest::<ChangRoberts>(channels, |n| n * (n + 1) / 2);
    }
}

/// Rounds halve the active processes at least, and each takes two messages over every link; then the result travels.
#[test]
fn dolev_klawe_rodeh_elects_the_largest() {
    elects_the_largest::<DolevKlaweRodeh>(Channels::Fifo, |n| 2 * n * u64::from(n.ilog2()) + 2 * n);
}

#[test]
fn peterson_elects_the_largest() {
    elects_the_largest::<Peterson>(Channels::Fifo, |n| 2 * n * u64::from(n.ilog2()) + 2 * n);
}

#[test]
fn franklin_elects_the_largest_whatever_the_order_in_the_channels() {
    for channels in [Channels::Bag, Channels::Fifo] {
        elects_the_largest::<FranklinIds>(channels, |n| 2 * n * (u64::from(n.ilog2()) + 2));
    }
}

/// Between 2n - 1 and n(n + 1)/2 messages, both reached, and n·H_n on average: exactly, over all orders. Every link
/// crossed counts, the first of each message included, until the leader has its own identity back.
#[test]
fn chang_roberts_sends_n_times_h_n_messages_on_average() {
    for n in 2..=6 {
        let sent: Vec<u64> = orders(n)
            .iter()
            .map(|order| {
                let algorithm: ChangRoberts = build(order);
                let sent = [0, 1].map(|seed| messages(&algorithm, Channels::Bag, largest(order), seed));
                assert_eq!(sent[0], sent[1], "it depends on the order alone");
                sent[0]
            })
            .collect();
        let n = u64::from(n);
        assert_eq!((sent.iter().min(), sent.iter().max()), (Some(&(2 * n - 1)), Some(&(n * (n + 1) / 2))));
        let orders: u64 = (1..=n).product();
        assert_eq!(sent.len() as u64, orders);
        // n! · n · H_n is a whole number, as every i <= n divides n!.
        assert_eq!(sent.iter().sum::<u64>(), (1..=n).map(|i| n * orders / i).sum::<u64>());
    }
}

#[test]
fn the_unidirectional_ones_need_fifo_channels() {
    fn fails<A: Entry + Terminating>(order: &[u32]) -> String {
        let algorithm: A = build(order);
        assert_eq!(algorithm.channels(), Channels::Fifo);
        let space = Space::explore(&algorithm, Channels::Bag, 10_000).expect("a small space");
        space.check(&algorithm).unwrap_err()
    }
    assert!(fails::<DolevKlaweRodeh>(&[1, 2, 3, 4]).starts_with("no leader"));
    assert!(fails::<DolevKlaweRodeh>(&[1, 3, 2, 4]).contains("leader"));
    assert!(fails::<Peterson>(&[4, 3, 2, 1]).starts_with("two leaders"));
}

#[test]
fn mistakes_are_caught() {
    let drops_larger = Mutant::after(build::<ChangRoberts>(&[2, 3, 1]), |_, s, sent| {
        if s.mode == Mode::Passive {
            sent.clear();
        }
    });
    assert!(drops_larger.caught().starts_with("no leader"));

    let passes_on_its_own = Mutant::after(build::<DolevKlaweRodeh>(&[2, 3, 1]), |_, s, sent| {
        if let [(RIGHT, dolev_klawe_rodeh::Message::Two(id))] = sent.as_mut_slice() {
            *id = s.max;
        }
    });
    assert!(passes_on_its_own.caught().contains("leader"));

    let forgets_the_second = Mutant::after(build::<Peterson>(&[2, 3, 1]), |_, s, sent| {
        if s.ntid != 0 {
            sent.clear();
        }
    });
    assert!(forgets_the_second.caught().starts_with("no leader"));

    let fears_the_smaller = Mutant::before(build::<FranklinIds>(&[2, 3, 1]), |_, s, event| {
        if let Event::Message { message, .. } = event
            && s.mode == Mode::Active
            && message.0 < s.id
        {
            message.0 = s.id + 1;
        }
    });
    assert!(fears_the_smaller.caught().starts_with("no leader"));
}
