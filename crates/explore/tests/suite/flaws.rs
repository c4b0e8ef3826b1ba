//! The two published flaws, found by exhaustive exploration, and the correct algorithms.

use ringleader_algorithms::message::dolev_klawe_rodeh_bits::DolevKlaweRodehBits;
use ringleader_algorithms::message::fokkink_pang::FokkinkPang;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_no_bit::FranklinNoBit;
use ringleader_algorithms::message::itai_rodeh::ItaiRodeh;
use ringleader_erased::MessageInstance;
use ringleader_explore::{Options, Run, Space};
use ringleader_model::message_trace::{Act, MessageTrace};
use ringleader_model::{Channels, Coin, Event, Marks, Process, Snapshot, SnapshotOf, Terminating, text};

fn explore(algorithm: &MessageInstance, channels: Channels, confluence: bool) -> Space<'_> {
    let options = Options { channels, rotation: true, confluence, ..Options::default() };
    Space::explore(algorithm, &options, &mut |_| true).expect("it fits")
}

fn ends_without_one_leader(space: &Space<'_>) -> Option<usize> {
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

/// Executes a run by the algorithm's own rules, and checks that every step is enabled and has the recorded effect.
fn replay<P: Terminating + Clone + 'static>(algorithm: &P, channels: Channels, run: &Run) -> SnapshotOf<P> {
    let network = Terminating::network(algorithm);
    let mut now = Snapshot {
        network,
        states: (0..network.size()).map(|me| algorithm.start(me)).collect(),
        channels: vec![vec![]; network.size() * network.ports()],
    };
    for (step, line) in run.steps.iter().zip(run.lines()) {
        let event = match (line.act, &step.received) {
            (Act::Step, None) => Event::Step,
            (Act::Receive { port, index }, Some(received)) => {
                assert!(channels == Channels::Bag || index == 0);
                let message: P::Message = now.channels[network.channel(step.process, port)].remove(index);
                assert_eq!(text::print_message(algorithm, &message), received.message);
                Event::Message { from: port, message }
            }
            other => panic!("{other:?}"),
        };
        let state = &mut now.states[step.process];
        assert!(algorithm.ready(state, &event));
        let mut out = vec![];
        let mut coin = Recorded(&step.draws);
        algorithm.on(step.process, state, event, &mut out, &mut coin);
        assert!(coin.0.is_empty());
        assert_eq!(text::print_state(algorithm, state), step.after);
        assert_eq!(
            out.iter().map(|(port, m)| (*port, text::print_message(algorithm, m))).collect::<Vec<_>>(),
            step.sent
        );
        for (to, message) in out {
            let (receiver, port) = network.arrival(step.process, to);
            now.channels[network.channel(receiver, port)].push(message);
        }
    }
    assert_eq!(run.end.states, now.states.iter().map(|s| text::print_state(algorithm, s)).collect::<Vec<_>>());
    // The same through the text form.
    let trace = MessageTrace {
        algorithm: "any".into(),
        size: network.size(),
        parameters: vec![],
        channels,
        steps: run.lines(),
    };
    let read = MessageTrace::parse(&trace.print()).expect("it was printed");
    let instance = MessageInstance::new(algorithm.clone());
    assert_eq!(Run::play(&instance, channels, &read.steps).as_ref(), Ok(run));
    now
}

#[test]
fn section_3_without_the_bit_all_may_become_passive() {
    let algorithm = FranklinNoBit { size: 3, ids: 3, keeps_identity: false };
    for confluence in [false, true] {
        let instance = MessageInstance::new(algorithm);
        let space = explore(&instance, Channels::Bag, confluence);
        let bad = ends_without_one_leader(&space).expect("the paper has a run");
        let run = space.run_to(bad);
        let end = replay(&algorithm, Channels::Bag, &run);
        assert!(end.states.iter().enumerate().all(|(me, s)| { algorithm.marks(me, s).contains(Marks::PASSIVE) }));
        let chart = run.chart(200);
        assert!(chart.contains("process 2") && chart.contains("takes #"), "{chart}");
    }
}

#[test]
fn proposition_1_with_fifo_channels_no_bit_is_needed() {
    for (size, ids) in [(2, 2), (2, 3), (3, 2), (3, 3), (4, 2)] {
        let algorithm = FranklinNoBit { size, ids, keeps_identity: false };
        assert_eq!(
            ends_without_one_leader(&explore(&MessageInstance::new(algorithm), Channels::Fifo, false)),
            None,
            "n = {size}, k = {ids}"
        );
    }
}

#[test]
fn theorem_1_exactly_one_leader() {
    for (size, ids) in [(2, 2), (3, 2), (3, 3), (4, 2)] {
        for keeps_identity in [false, true] {
            let algorithm = Franklin { size, ids, keeps_identity };
            let instance = MessageInstance::new(algorithm);
            let space = explore(&instance, Channels::Bag, false);
            assert_eq!(ends_without_one_leader(&space), None);
            assert!(space.first(|state| state.leaders() == 1).is_some());
        }
    }
}

#[test]
fn section_8_round_bits_do_not_suffice_on_unidirectional_rings() {
    for (size, ids) in [(2, 3), (3, 3), (4, 2), (4, 3)] {
        let algorithm = DolevKlaweRodehBits { size, ids };
        assert_eq!(
            ends_without_one_leader(&explore(&MessageInstance::new(algorithm), Channels::Bag, true)),
            None,
            "n = {size}, k = {ids}"
        );
    }
    let algorithm = DolevKlaweRodehBits { size: 5, ids: 3 };
    let instance = MessageInstance::new(algorithm);
    let space = explore(&instance, Channels::Bag, true);
    let bad = ends_without_one_leader(&space).expect("the paper has a run");
    let end = replay(&algorithm, Channels::Bag, &space.run_to(bad));
    assert_eq!(end.states.iter().filter(|s| algorithm.marks(0, s).leader()).count(), 0);
}

#[test]
fn never_two_leaders() {
    for (size, ids) in [(2, 2), (3, 2), (3, 3), (4, 2)] {
        let space_of = FokkinkPang { size, ids };
        assert_eq!(ends_without_one_leader(&explore(&MessageInstance::new(space_of), Channels::Fifo, false)), None);
        let bounded = ItaiRodeh { size, ids, rounds: Some(3) };
        assert_eq!(ends_without_one_leader(&explore(&MessageInstance::new(bounded), Channels::Bag, false)), None);
    }
}
