//! The two published flaws, found by exhausting the state space, and what is right.

use ringleader_algorithms::message::dolev_klawe_rodeh_bits::DolevKlaweRodehBits;
use ringleader_algorithms::message::fokkink_pang::FokkinkPang;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_no_bit::FranklinNoBit;
use ringleader_algorithms::message::itai_rodeh::ItaiRodeh;
use ringleader_explore::{Options, Run, Space};
use ringleader_model::message_trace::MessageTrace;
use ringleader_model::{Channels, Coin, Event, Marks, Process, Snapshot, SnapshotOf, Terminating};

fn explore<P: Terminating>(algorithm: &P, channels: Channels, confluence: bool) -> Space<'_, P> {
    let options = Options { channels, rotation: true, confluence, ..Options::default() };
    Space::explore(algorithm, &options, &mut |_| true).expect("it fits")
}

fn ends_without_one_leader<P: Terminating>(space: &Space<'_, P>) -> Option<usize> {
    space.first(|state| state.leaders() > 1 || state.stopped() && !state.cut_off() && state.leaders() != 1)
}

/// A coin that repeats recorded draws.
struct Recorded<'d>(&'d [u32]);

impl Coin for Recorded<'_> {
    fn below(&mut self, n: u32) -> u32 {
        let draw = self.0[0];
        assert!(draw < n);
        self.0 = &self.0[1..];
        draw
    }
}

/// Plays a run by the algorithm's own rules, and checks that every step is allowed and has the recorded effect.
fn replay<P: Terminating>(algorithm: &P, channels: Channels, run: &Run<P>) -> SnapshotOf<P> {
    let network = algorithm.network();
    let mut now = Snapshot {
        network,
        states: (0..network.size()).map(|me| algorithm.start(me)).collect(),
        channels: vec![vec![]; network.size() * network.ports()],
    };
    for step in &run.steps {
        assert!(algorithm.ready(&now.states[step.process], &step.event));
        if let Event::Message { from, message } = &step.event {
            assert!(channels == Channels::Bag || step.index == 0);
            assert_eq!(now.channels[network.channel(step.process, *from)].remove(step.index), *message);
        }
        let mut out = vec![];
        let mut coin = Recorded(&step.draws);
        algorithm.on(step.process, &mut now.states[step.process], step.event.clone(), &mut out, &mut coin);
        assert!(coin.0.is_empty());
        assert_eq!(out, step.sent);
        for (to, message) in out {
            let (receiver, port) = network.arrival(step.process, to);
            now.channels[network.channel(receiver, port)].push(message);
        }
    }
    assert_eq!(now, run.end);
    // The same through the text form.
    let trace = MessageTrace {
        algorithm: "any".into(),
        size: network.size(),
        parameters: vec![],
        channels,
        steps: run.lines(),
    };
    let read = MessageTrace::parse(&trace.print()).expect("it was printed");
    let played = Run::replay(algorithm, &read).expect("it is allowed");
    assert!(played.steps == run.steps && played.end == now);
    now
}

#[test]
fn section_3_without_the_bit_all_may_become_passive() {
    let algorithm = FranklinNoBit { size: 3, ids: 3 };
    for confluence in [false, true] {
        let space = explore(&algorithm, Channels::Bag, confluence);
        let bad = ends_without_one_leader(&space).expect("the paper has a run");
        let run = space.run_to(bad);
        let end = replay(&algorithm, Channels::Bag, &run);
        assert!(end.states.iter().enumerate().all(|(me, s)| { algorithm.marks(me, s).contains(Marks::PASSIVE) }));
        let chart = run.chart(&algorithm);
        assert!(chart.contains("process 2") && chart.contains("takes #"), "{chart}");
    }
}

#[test]
fn proposition_1_with_fifo_channels_no_bit_is_needed() {
    for (size, ids) in [(2, 2), (2, 3), (3, 2), (3, 3), (4, 2)] {
        let algorithm = FranklinNoBit { size, ids };
        assert_eq!(ends_without_one_leader(&explore(&algorithm, Channels::Fifo, false)), None, "n = {size}, k = {ids}");
    }
}

#[test]
fn theorem_1_exactly_one_leader() {
    for (size, ids) in [(2, 2), (3, 2), (3, 3), (4, 2)] {
        for keeps_identity in [false, true] {
            let algorithm = Franklin { size, ids, keeps_identity };
            let space = explore(&algorithm, Channels::Bag, false);
            assert_eq!(ends_without_one_leader(&space), None);
            assert!(space.first(|state| state.leaders() == 1).is_some());
        }
    }
}

#[test]
fn section_8_round_bits_do_not_suffice_on_unidirectional_rings() {
    for (size, ids) in [(2, 3), (3, 3), (4, 2), (4, 3)] {
        let algorithm = DolevKlaweRodehBits { size, ids };
        assert_eq!(ends_without_one_leader(&explore(&algorithm, Channels::Bag, true)), None, "n = {size}, k = {ids}");
    }
    let algorithm = DolevKlaweRodehBits { size: 5, ids: 3 };
    let space = explore(&algorithm, Channels::Bag, true);
    let bad = ends_without_one_leader(&space).expect("the paper has a run");
    let end = replay(&algorithm, Channels::Bag, &space.run_to(bad));
    assert_eq!(end.states.iter().filter(|s| algorithm.marks(0, s).leader()).count(), 0);
}

#[test]
fn never_two_leaders() {
    for (size, ids) in [(2, 2), (3, 2), (3, 3), (4, 2)] {
        let space_of = FokkinkPang { size, ids };
        assert_eq!(ends_without_one_leader(&explore(&space_of, Channels::Fifo, false)), None);
        let bounded = ItaiRodeh { size, ids, rounds: Some(3) };
        assert_eq!(ends_without_one_leader(&explore(&bounded, Channels::Bag, false)), None);
    }
}
