//! What holds of the states of every algorithm in the catalogue.

use ringleader_algorithms::catalog::{self, CARDS};
use ringleader_algorithms::{Card, Parameters};
use ringleader_model::text::{Document, parse_state, print_state};
use ringleader_model::{Population, Ring, Stabilizing, Terminating, Timed, Variables, corrupt, number};
use ringleader_simulate::Generator;

/// The least supported sizes of an algorithm.
fn sizes(card: &Card) -> impl Iterator<Item = usize> {
    (1..40).filter(|&n| catalog::supports(card.name, &Parameters::new(n)).is_ok()).take(4)
}

/// The number of a state is unique, in range, and leads back to it; exhaustively.
fn numbering_round_trips<A: Variables>(algorithm: &A) {
    let states = number::states(algorithm).expect("a finite space");
    assert!(states > 1 && states < 1_000_000, "{states} states at a small size");
    for rank in 0..states {
        assert_eq!(number::rank(algorithm, &number::unrank(algorithm, rank)), rank);
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

struct RoundTrips(&'static str);

impl catalog::Visitor for RoundTrips {
    type Output = ();
    fn population<A: Population + Stabilizing + 'static>(self, algorithm: A) {
        numbering_round_trips(&algorithm);
        text_round_trips(self.0, &algorithm);
    }
    fn ring<A: Ring + Stabilizing + 'static>(self, algorithm: A) {
        numbering_round_trips(&algorithm);
        text_round_trips(self.0, &algorithm);
    }
    fn message<A: Terminating + 'static>(self, algorithm: A) {
        text_round_trips(self.0, &algorithm);
    }
    fn robust<A: Timed + 'static>(self, algorithm: A) {
        text_round_trips(self.0, &algorithm);
    }
}

#[test]
fn states_are_numbered_and_written_without_loss() {
    for card in CARDS {
        for size in sizes(card) {
            catalog::visit(card.name, &Parameters::new(size), RoundTrips(card.name)).expect(card.name);
        }
    }
}

/// The state counts that the papers give.
#[test]
fn state_counts() {
    struct States;
    impl catalog::Visitor for States {
        type Output = Option<u64>;
        fn population<A: Population + Stabilizing + 'static>(self, a: A) -> Option<u64> {
            number::states(&a)
        }
        fn ring<A: Ring + Stabilizing + 'static>(self, a: A) -> Option<u64> {
            number::states(&a)
        }
        fn message<A: Terminating + 'static>(self, a: A) -> Option<u64> {
            number::states(&a)
        }
        fn robust<A: Timed + 'static>(self, a: A) -> Option<u64> {
            number::states(&a)
        }
    }
    let states = |name, parameters: &Parameters| catalog::visit(name, parameters, States).expect(name);
    assert_eq!(states("fischer-jiang-complete", &Parameters::new(5)), Some(2));
    assert_eq!(states("fischer-jiang-ring", &Parameters::new(5)), Some(8));
    assert_eq!(states("yokota-ring", &Parameters::new(5).with("bound", "9")), Some(24 * 10));
    assert_eq!(states("fich-johnen", &Parameters::new(7)), Some(5 * 7));
    assert_eq!(states("robust-s5", &Parameters::new(5)), None);
}
