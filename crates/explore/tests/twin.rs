//! The packed search against the obvious one, snapshots in a hash map, on every message-passing algorithm of the catalogue.

use ringleader_algorithms::{Kind, Parameters, catalog};
use ringleader_explore::{Action, Options, Space};
use ringleader_model::{
    Channels, Event, Odometer, Population, Ring, Snapshot, SnapshotOf, Stabilizing, Terminating, Timed,
};
use std::collections::{BTreeSet, HashMap};

/// States, transitions and deadlocks, counted the slow way.
fn count<P: Terminating>(algorithm: &P, channels: Channels) -> (u64, u64, u64) {
    let network = algorithm.network();
    let start = Snapshot {
        network,
        states: (0..network.size()).map(|me| algorithm.start(me)).collect(),
        channels: vec![vec![]; network.size() * network.ports()],
    };
    let mut numbers = HashMap::from([(start.clone(), 0)]);
    let mut open = vec![start];
    let (mut transitions, mut deadlocks) = (0, 0);
    while let Some(now) = open.pop() {
        let mut arcs = BTreeSet::new();
        for (action, next) in successors(algorithm, channels, &now) {
            let fresh = numbers.len();
            let number = *numbers.entry(next.clone()).or_insert(fresh);
            if number == fresh {
                open.push(next);
            }
            arcs.insert((action, number));
        }
        transitions += arcs.len() as u64;
        deadlocks += u64::from(arcs.is_empty());
    }
    (numbers.len() as u64, transitions, deadlocks)
}

fn successors<P: Terminating>(algorithm: &P, channels: Channels, now: &SnapshotOf<P>) -> Vec<(Action, SnapshotOf<P>)> {
    let mut found = vec![];
    for process in 0..now.states.len() {
        let mut events = vec![(Event::Step, None)];
        for from in 0..now.network.ports() {
            let within_reach = if channels == Channels::Fifo { 1 } else { usize::MAX };
            let waiting = now.channel(process, from).iter().enumerate().take(within_reach);
            events.extend(waiting.map(|(i, m)| (Event::Message { from, message: m.clone() }, Some((from, i)))));
        }
        for (event, place) in events.into_iter().filter(|(event, _)| algorithm.ready(&now.states[process], event)) {
            Odometer::each(|coin| {
                let (mut next, mut sent) = (now.clone(), vec![]);
                if let Some((from, index)) = place {
                    next.channels[now.network.channel(process, from)].remove(index);
                }
                algorithm.on(process, &mut next.states[process], event.clone(), &mut sent, coin);
                for (to, message) in sent {
                    let (receiver, port) = now.network.arrival(process, to);
                    next.channels[now.network.channel(receiver, port)].push(message);
                }
                if channels == Channels::Bag {
                    next.channels.iter_mut().for_each(|channel| channel.sort_unstable());
                }
                let marks = |s| algorithm.marks(process, s);
                found.push((Action::of(marks(&now.states[process]), marks(&next.states[process])), next));
            });
        }
    }
    found
}

struct Compare(String);

impl catalog::Visitor for Compare {
    type Output = ();
    fn population<A: Population + Stabilizing + 'static>(self, _: A) {}
    fn ring<A: Ring + Stabilizing + 'static>(self, _: A) {}
    fn robust<A: Timed + 'static>(self, _: A) {}

    fn message<A: Terminating + 'static>(self, algorithm: A) {
        let mut kinds = vec![Channels::Fifo];
        if algorithm.channels() == Channels::Bag {
            kinds.push(Channels::Bag);
        }
        for channels in kinds {
            let options = Options { channels, ..Options::default() };
            let space = Space::explore(&algorithm, &options, &mut |_| true).expect("it fits");
            let counts = (space.states(), space.transitions(), space.deadlocks());
            let (states, transitions, deadlocks) = count(&algorithm, channels);
            assert_eq!(counts, (Some(states), Some(transitions), Some(deadlocks)), "{}, {channels}", self.0);
        }
    }
}

#[test]
fn every_algorithm_has_as_many_states_as_it_should() {
    for card in catalog::CARDS.iter().filter(|card| card.kind == Kind::Message) {
        for size in 2..=3 {
            let mut parameters = Parameters::new(size);
            if card.parameters.iter().any(|parameter| parameter.name == "rounds") {
                parameters = parameters.with("rounds", "2");
            }
            catalog::visit(card.name, &parameters, Compare(format!("{}, {size} processes", card.name)))
                .expect("it is built");
        }
    }
}
