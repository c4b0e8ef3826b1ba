//! Results from the literature and from plain enumeration.

use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
use ringleader_erased::PopulationInstance;
use ringleader_model::{Coin, NoCoin, Scheduler, Told};
use ringleader_search::{BadFamily, Control, Counts, Family, Options, Outcome, Topology, Trouble, discover};
use std::time::{Duration, Instant};

fn found(family: &Family) -> Outcome {
    discover(family, &Options::default(), &Control::default()).expect("a family that can be searched")
}

fn counted(family: &Family) -> (u64, u64) {
    let Counts { protocols, named, complete, .. } = found(family).counts;
    assert!(complete);
    (protocols, named)
}

/// M. J. Fischer, H. Jiang, OPODIS 2006, Algorithm 1.
#[test]
fn two_states_on_complete_graphs_with_a_detector_have_the_protocol_of_fischer_and_jiang() {
    let known = PopulationInstance::new(FischerJiangComplete).expect("two states");
    let known = |a: u8, b: u8, hears: bool| {
        // There a leader is state 1, here state 0.
        let coin: &mut dyn Coin = &mut NoCoin;
        let (c, d) = known.try_interact(1 - u64::from(a), 1 - u64::from(b), Told::both(hears), coin).expect("a rule");
        (1 - c as u8, 1 - d as u8)
    };
    let outcome = found(&Family::new(2, Topology::Complete, &[2, 3, 4, 5]).with_detector());
    let same = outcome.found.iter().filter(|found| {
        let meetings = (0..2).flat_map(|a| (0..2).flat_map(move |b| [(a, b, false), (a, b, true)]));
        let mut possible = meetings.filter(|&(a, b, hears)| hears || (a != 0 && b != 0));
        possible.all(|(a, b, hears)| found.protocol.after(a, b, hears) == known(a, b, hears))
    });
    assert_eq!(same.count(), 1);
}

/// S. Cai, T. Izumi, K. Wada 2012: without a detector, n agents on a complete graph need n states and the exact value
/// of n.
#[test]
fn complete_graphs_take_as_many_states_as_agents() {
    let on_complete = |states, sizes: &[usize]| counted(&Family::new(states, Topology::Complete, sizes)).0;
    assert!(on_complete(2, &[2]) > 0 && on_complete(3, &[3]) > 0);
    assert_eq!(on_complete(2, &[3]), 0);
    assert_eq!(on_complete(3, &[4]), 0);
    assert_eq!(on_complete(3, &[2, 3]), 0);
}

#[test]
fn two_states_are_not_enough_on_rings() {
    for sizes in [&[3][..], &[4], &[3, 4]] {
        assert_eq!(counted(&Family::new(2, Topology::DirectedRing, sizes)), (0, 0));
    }
}

/// The numbers that `every_table.rs` finds without the code of the search.
#[test]
fn three_states_on_rings() {
    let on_rings = |sizes: &[usize]| counted(&Family::new(3, Topology::DirectedRing, sizes));
    assert_eq!(on_rings(&[3]), (301_894, 1_811_364));
    assert_eq!(on_rings(&[3, 4]), (2_644, 15_864));
    assert_eq!(on_rings(&[3, 4, 5]), (0, 0));
}

#[test]
fn a_search_that_is_stopped_says_so_and_tells_what_it_has() {
    let family = Family::new(4, Topology::DirectedRing, &[3, 4]);
    let watch = Control::default();
    watch.stop();
    let outcome = discover(&family, &Options::default(), &watch).expect("nothing went wrong");
    assert!(!outcome.counts.complete && outcome.counts.looked_at == 0);
    let mut options = Options::default();
    options.budget = Some(Duration::from_millis(500));
    let outcome = discover(&family, &options, &Control::default()).expect("nothing went wrong");
    assert!(!outcome.counts.complete && outcome.counts.looked_at > 0);
    assert!(outcome.counts.share > 0.0 && outcome.counts.share < 1.0);
}

#[test]
fn what_cannot_be_searched_is_refused_with_a_reason() {
    let ring = |states, sizes: &[usize]| Family::new(states, Topology::DirectedRing, sizes);
    let refused = |family: Family| match discover(&family, &Options::default(), &Control::default()) {
        Err(Trouble::Refused(refusal)) => refusal,
        other => panic!("{family:?}: {other:?}"),
    };
    assert_eq!(refused(ring(1, &[3])), BadFamily::States(1));
    assert_eq!(refused(ring(7, &[3])), BadFamily::States(7));
    assert_eq!(refused(ring(3, &[])), BadFamily::NoSize);
    assert_eq!(refused(ring(3, &[1, 3])), BadFamily::Size(1));
    assert_eq!(refused(ring(3, &[3]).led_by(3)), BadFamily::Leaders { leaders: 3, states: 3 });
    assert_eq!(refused(ring(3, &[3]).under(Scheduler::Fair)), BadFamily::Scheduler(Scheduler::Fair));
    assert!(matches!(refused(ring(3, &[40])), BadFamily::Memory { agents: 40, .. }));
    assert_eq!(refused(Family::new(6, Topology::Complete, &[1_000_000])), BadFamily::Size(1_000_000));
}

/// The check of one protocol with these sizes takes seconds, and so does the setup.
#[test]
fn a_stopped_search_ends_soon_with_its_results() {
    let family = Family::new(3, Topology::Complete, &[2, 3, 4, 12]).with_detector();
    let mut options = Options::default();
    options.patience = Some(Duration::from_millis(20));
    for after in [0, 50, 400] {
        let control = Control::default();
        let (outcome, took) = std::thread::scope(|scope| {
            let search = scope.spawn(|| discover(&family, &options, &control));
            std::thread::sleep(Duration::from_millis(after));
            let asked = Instant::now();
            control.stop();
            (search.join().expect("no panic").expect("a family that can be searched"), asked.elapsed())
        });
        assert!(!outcome.counts.complete && outcome.counts.share < 1.0);
        assert!(outcome.found.iter().all(|found| found.times.len() == 4), "only confirmed protocols are found");
        assert!(took < Duration::from_secs(1), "{took:?} after a stop at {after} ms");
    }
}
