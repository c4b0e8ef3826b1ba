//! The naive twin of the explorer, snapshots in a hash map: against the corpus, and against the packed search on every
//! message-passing algorithm of the catalog.

use ringleader_algorithms::message::chang_roberts::ChangRoberts;
use ringleader_algorithms::message::dolev_klawe_rodeh::DolevKlaweRodeh;
use ringleader_algorithms::message::dolev_klawe_rodeh_bits::DolevKlaweRodehBits;
use ringleader_algorithms::message::fokkink_pang::FokkinkPang;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_ids::FranklinIds;
use ringleader_algorithms::message::franklin_no_bit::FranklinNoBit;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_algorithms::message::itai_rodeh::ItaiRodeh;
use ringleader_algorithms::message::peterson::Peterson;
use ringleader_catalog::Catalog;
use ringleader_erased::{Entry, Kind, Parameters};
use ringleader_explore::{Options, Space as Packed};
use ringleader_language::{Instance, Source};
use ringleader_model::{Channels, Terminating};
use ringleader_testkit::corpus::{Case, corpus};
use ringleader_testkit::messages::Space;

/// More snapshots than this are left to the engine.
const MOST: usize = 60_000;

/// Whether all is as it should be, and how many snapshots, transitions and ends there are; `None` if too many.
struct Judged {
    holds: bool,
    snapshots: u64,
    transitions: u64,
    ends: u64,
}

fn explored<A: Terminating>(algorithm: &A, channels: Channels) -> Option<Judged> {
    let space = Space::explore(algorithm, channels, MOST)?;
    let (snapshots, transitions) = space.counts();
    let ends = space.terminated().count() as u64;
    let holds = space.check(algorithm).is_ok();
    Some(Judged { holds, snapshots: snapshots as u64, transitions: transitions as u64, ends })
}

type Explore = fn(&Parameters, Channels) -> Option<Judged>;

fn of<A: Entry + Terminating>(parameters: &Parameters, channels: Channels) -> Option<Judged> {
    explored(&A::build(parameters).expect("it can be built"), channels)
}

/// An algorithm that is written as a text.
macro_rules! text {
    ($name:literal) => {
        ($name, |parameters, channels| {
            let text = include_str!(concat!("../../protocols/", $name, ".ring"));
            match Source::known($name, text).expect("it is right").instance(parameters) {
                Ok(Instance::Message(algorithm)) => explored(&algorithm, channels),
                other => panic!("{other:?}"),
            }
        })
    };
}

/// The twin knows types, not instances: so that it shares nothing with what it is compared with.
const TYPES: [(&str, Explore); 11] = [
    (Franklin::CARD.name, of::<Franklin>),
    (FranklinNoBit::CARD.name, of::<FranklinNoBit>),
    (DolevKlaweRodehBits::CARD.name, of::<DolevKlaweRodehBits>),
    (ItaiRodeh::CARD.name, of::<ItaiRodeh>),
    (FokkinkPang::CARD.name, of::<FokkinkPang>),
    (ChangRoberts::CARD.name, of::<ChangRoberts>),
    (DolevKlaweRodeh::CARD.name, of::<DolevKlaweRodeh>),
    (Peterson::CARD.name, of::<Peterson>),
    (FranklinIds::CARD.name, of::<FranklinIds>),
    text!("le-lann"),
    text!("hirschberg-sinclair"),
];

#[test]
fn every_message_algorithm_has_a_twin() {
    let catalog = Catalog::builtin();
    let names = catalog.cards().filter(|card| card.kind == Kind::Message).map(|card| card.name);
    assert!(names.eq(TYPES.map(|(name, _)| name)));
}

fn judge(case: &Case) -> Option<Judged> {
    let (_, explore) = TYPES.iter().find(|(name, _)| *name == case.algorithm)?;
    if case.expect == "refused" || case.states.is_some_and(|states| states > MOST as u64) {
        return None;
    }
    let channels: Channels = case.channels.as_deref().expect("channels").parse().expect("channels");
    match &case.reading {
        None => explore(&case.parameters(), channels),
        Some(reading) => {
            let algorithm = Franklin::build(&case.parameters()).expect("only franklin has readings");
            let reading = if reading == "both" { Reading::Both } else { Reading::LeftFirst };
            explored(&FranklinTables { algorithm, reading }, channels)
        }
    }
}

#[test]
fn the_naive_explorer_agrees_with_the_corpus() {
    let mut judged = 0;
    for case in corpus() {
        let Some(Judged { holds, snapshots, transitions, .. }) = judge(&case) else { continue };
        assert_eq!(if holds { "holds" } else { "fails" }, case.expect, "{case:?}");
        case.holds_against("states", case.states, snapshots);
        case.holds_against("transitions", case.transitions, transitions);
        judged += 1;
    }
    assert!(judged >= 50, "only {judged} cases were judged");
}

#[test]
fn the_packed_search_finds_what_the_naive_one_does() {
    let catalog = Catalog::builtin();
    for (name, explore) in TYPES {
        for (size, channels) in [(2, Channels::Bag), (3, Channels::Bag), (2, Channels::Fifo), (3, Channels::Fifo)] {
            let bounded = catalog.card(name).unwrap().parameters.iter().any(|p| p.default == "unbounded");
            let parameters = Parameters::new(size);
            let parameters = if bounded { parameters.with("rounds", "2") } else { parameters };
            let Some(Judged { snapshots, transitions, ends, .. }) = explore(&parameters, channels) else { continue };
            let Ok(ringleader_catalog::Instance::Message(algorithm)) = catalog.instance(name, &parameters) else {
                panic!("{name} is message passing")
            };
            let options = Options { channels, ..Options::default() };
            let packed = Packed::explore(&algorithm, &options, &mut |_| true).expect("it fits");
            let found = (packed.states(), packed.summary().transitions, packed.deadlocks());
            assert_eq!(found, (Some(snapshots), Some(transitions), Some(ends)), "{name}, {size}, {channels}");
        }
    }
}
