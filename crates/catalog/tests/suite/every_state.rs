//! What holds of the states of every algorithm in the catalog.

use ringleader_algorithms::message::chang_roberts::ChangRoberts;
use ringleader_algorithms::message::dolev_klawe_rodeh::DolevKlaweRodeh;
use ringleader_algorithms::message::dolev_klawe_rodeh_bits::DolevKlaweRodehBits;
use ringleader_algorithms::message::fokkink_pang::FokkinkPang;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_ids::FranklinIds;
use ringleader_algorithms::message::franklin_no_bit::FranklinNoBit;
use ringleader_algorithms::message::itai_rodeh::ItaiRodeh;
use ringleader_algorithms::message::peterson::Peterson;
use ringleader_algorithms::robust::{s1::RobustS1, s2::RobustS2, s3::RobustS3, s4::RobustS4, s5::RobustS5};
use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{Card, Entry, GraphInstance, Number, Parameters};
use ringleader_model::text::{Document, parse_state, print_state};
use ringleader_model::{Variables, corrupt, number};
use ringleader_simulate::Generator;

/// The least supported sizes of an algorithm.
fn sizes(catalog: &Catalog, card: &Card) -> Vec<usize> {
    (1..40).filter(|&n| catalog.supports(card.name, &at(card, n)).is_ok()).take(4).collect()
}

/// Small parameters, where the usual ones give more states than can be counted through.
fn at(card: &Card, size: usize) -> Parameters {
    match card.name {
        "optimal-silent-ranking" => Parameters::new(size).with("resets", "3").with("errors", "4").with("delay", "5"),
        _ => Parameters::new(size),
    }
}

/// The number of a state is unique, in range, and leads back to it; exhaustively, and the same for the instance.
fn numbering_round_trips<A: Variables<State = Number>>(instance: &A, states: u64) {
    assert!(states > 1 && states < 1_000_000, "{states} states at a small size");
    assert_eq!(number::states(instance), Some(states));
    for rank in 0..states {
        assert_eq!(number::rank(instance, &Number(rank)), rank);
        assert_eq!(number::unrank(instance, rank), Number(rank));
    }
}

/// The instance draws the states that a visitor of its variables draws.
fn draws_agree<A: Variables<State = Number>>(instance: &A, draw: impl Fn(&mut Generator) -> Number) {
    let (mut quick, mut plain) = (Generator::new(2), Generator::new(2));
    for _ in 0..200 {
        assert_eq!(draw(&mut quick), corrupt::arbitrary(instance, &mut plain));
    }
}

/// Every state can be written down and read back.
fn text_round_trips<A: Variables>(name: &str, algorithm: &A) {
    let mut coin = Generator::new(1);
    let states: Vec<A::State> = (0..500).map(|_| corrupt::arbitrary(algorithm, &mut coin)).collect();
    for state in &states {
        let text = print_state(algorithm, state);
        assert_eq!(parse_state(algorithm, &text, 1, 1).as_ref(), Ok(state), "{text}");
    }
    let document = Document::new(name, algorithm, vec![("k".into(), "3".into())], &states);
    let read = Document::parse(&document.print()).expect("what was printed");
    assert_eq!(read.states(algorithm), Ok(states));
    assert_eq!((&read.parameters, read.print()), (&document.parameters, document.print()));
}

/// Every configuration of a graph can be written down and read back. Its pointers name processes.
fn configurations_round_trip(name: &str, algorithm: &GraphInstance) {
    let mut coin = Generator::new(1);
    for _ in 0..100 {
        let states = corrupt::configuration(algorithm, algorithm.size(), &mut coin);
        let document = Document::new(name, algorithm, vec![], &states);
        assert_eq!(Document::parse(&document.print()).expect("what was printed").states(algorithm), Ok(states));
    }
}

fn written<A: Entry + Variables>(catalog: &Catalog) {
    for size in sizes(catalog, &A::CARD) {
        text_round_trips(A::CARD.name, &A::build(&Parameters::new(size)).expect("a supported size"));
    }
}

#[test]
fn states_are_numbered_and_written_without_loss() {
    let catalog = Catalog::builtin();
    for card in catalog.cards() {
        for size in sizes(&catalog, card) {
            match catalog.instance(card.name, &at(card, size)).expect(card.name) {
                Instance::Population(algorithm) => {
                    numbering_round_trips(&algorithm, algorithm.states());
                    draws_agree(&algorithm, |coin| algorithm.arbitrary_state(coin));
                    text_round_trips(card.name, &algorithm);
                }
                Instance::Ring(algorithm) => {
                    numbering_round_trips(&algorithm, algorithm.states());
                    draws_agree(&algorithm, |coin| algorithm.arbitrary_state(coin));
                    text_round_trips(card.name, &algorithm);
                }
                Instance::Graph(algorithm) => {
                    numbering_round_trips(&algorithm, algorithm.states());
                    configurations_round_trip(card.name, &algorithm);
                }
                Instance::Message(_) | Instance::Robust(_) => {}
            }
        }
    }
}

/// Those whose states have no numbers.
#[test]
fn states_of_processes_are_written_without_loss() {
    let catalog = Catalog::builtin();
    let all = [
        written::<Franklin>,
        written::<FranklinNoBit>,
        written::<DolevKlaweRodehBits>,
        written::<ItaiRodeh>,
        written::<FokkinkPang>,
        written::<ChangRoberts>,
        written::<DolevKlaweRodeh>,
        written::<Peterson>,
        written::<FranklinIds>,
        written::<RobustS5>,
        written::<RobustS4>,
        written::<RobustS3>,
        written::<RobustS2>,
        written::<RobustS1>,
    ];
    all.into_iter().for_each(|round_trip| round_trip(&catalog));
}

/// The state counts that the papers give.
#[test]
fn state_counts() {
    let states = |name, parameters: &Parameters| match Catalog::builtin().instance(name, parameters) {
        Ok(Instance::Population(algorithm)) => algorithm.states(),
        Ok(Instance::Ring(algorithm)) => algorithm.states(),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(states("fischer-jiang-complete", &Parameters::new(5)), 2);
    assert_eq!(states("fischer-jiang-ring", &Parameters::new(5)), 8);
    assert_eq!(states("yokota-ring", &Parameters::new(5).with("bound", "9")), 24 * 10);
    assert_eq!(states("fich-johnen", &Parameters::new(7)), 5 * 7);
}
