//! The layers: what they rest on, when they stand, and for whom.

use ringleader_algorithms::layered::Layered;
use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_algorithms::population::layers::two_hop_colouring::{self, TwoHopColouring};
use ringleader_algorithms::population::layers::{Distance, Timer, Undirected};
use ringleader_algorithms::population::ring_orientation::{self, RingOrientation};
use ringleader_model::{Graph, NoCoin, Odometer, Population, Stabilizing, Told, number};
use ringleader_testkit::broken::Without;
use ringleader_testkit::configurations::{Moves, System, count, leaving, safe_set_stands, unable_to_reach};

/// The colouring converges for n = 3 to 5 with free choice of the new colour.
#[test]
fn two_hop_colouring_stabilizes() {
    let safe = [3, 4, 5].map(|n| {
        let system = System::population(TwoHopColouring, &Graph::undirected_ring(n).unwrap());
        safe_set_stands(&system)
    });
    // Proper colourings (6, 36 and 30) times the free bits: 3n, less one for each of the n edges.
    assert_eq!(safe, [6 << 6, 36 << 8, 30 << 10]);
}

/// The orientation above colours that have settled, for one colouring.
struct Above<P> {
    protocol: P,
    colours: Vec<u8>,
}

impl<P: Population<State = ring_orientation::State>> Above<P> {
    fn state(&self, c: usize, i: usize) -> ring_orientation::State {
        let digit = c / 9usize.pow(i as u32) % 9;
        let colouring = two_hop_colouring::State { colour: self.colours[i], flags: [false; 3] };
        ring_orientation::State { colouring, pre: (digit % 3) as u8, suc: (digit / 3) as u8 }
    }

    fn configuration(&self, c: usize) -> Vec<ring_orientation::State> {
        (0..self.colours.len()).map(|i| self.state(c, i)).collect()
    }
}

impl<P: Population<State = ring_orientation::State>> Moves for Above<P> {
    fn len(&self) -> usize {
        9usize.pow(self.colours.len() as u32)
    }

    fn exists(&self, _: usize) -> bool {
        true
    }

    fn each(&self, c: usize, visit: &mut dyn FnMut(usize, f64)) {
        let n = self.colours.len();
        for i in 0..n {
            for (i, j) in [(i, (i + 1) % n), ((i + 1) % n, i)] {
                let (u, v) = (self.state(c, i), self.state(c, j));
                let after = self.protocol.interact(u, v, Told::both(true), &mut NoCoin);
                let digit = |s: ring_orientation::State| usize::from(s.pre) + 3 * usize::from(s.suc);
                let change = |old, new, i: usize| (digit(new) as isize - digit(old) as isize) * 9isize.pow(i as u32);
                visit((c as isize + change(u, after.0, i) + change(v, after.1, j)) as usize, 1.0 / (2 * n) as f64);
            }
        }
    }
}

/// All colourings of a ring in which the two neighbours of every agent differ.
fn proper_colourings(n: usize) -> Vec<Vec<u8>> {
    let all = (0..3usize.pow(n as u32)).map(|c| (0..n).map(|i| (c / 3usize.pow(i as u32) % 3) as u8).collect());
    all.filter(|c: &Vec<u8>| (0..n).all(|i| c[i] != c[(i + 2) % n])).collect()
}

/// Above every settled colouring the orientation converges, n = 3 to 5, and in exactly two ways.
#[test]
fn orientation_stabilizes_above_every_colouring() {
    for n in 3..=5 {
        for colours in proper_colourings(n) {
            let system = Above { protocol: RingOrientation, colours };
            let correct: Vec<bool> =
                (0..system.len()).map(|c| RingOrientation.correct(&system.configuration(c))).collect();
            assert_eq!(count(&correct), 2, "one way around and the other: {:?}", system.colours);
            assert_eq!(leaving(&system, &correct), None);
            assert_eq!(unable_to_reach(&system, &correct), None, "{:?}", system.colours);
        }
    }
}

/// Without rule 3 or rule 5 it does not; rule 4 does for predecessors what rule 3 does for successors, and hastens things.
#[test]
fn orientation_needs_its_rules() {
    let fails = |rule: &u8| {
        let protocol = Without { inner: RingOrientation, rule: *rule };
        let system = Above { protocol, colours: vec![0, 1, 2, 0, 1, 2] };
        let correct: Vec<bool> = (0..system.len()).map(|c| RingOrientation.correct(&system.configuration(c))).collect();
        unable_to_reach(&system, &correct).is_some()
    };
    assert_eq!((3..=5).filter(fails).collect::<Vec<u8>>(), [3, 5]);
}

/// Bits that never flip show no conflict, and without new colours none is ever resolved.
#[test]
fn colouring_needs_its_rules() {
    for rule in 1..=2 {
        let broken = Without { inner: TwoHopColouring, rule };
        let system = System::population(broken, &Graph::undirected_ring(3).unwrap());
        let safe = system.set(|a, c| a.safe(c));
        assert!(unable_to_reach(&system, &safe).is_some(), "rule {rule} is of no use");
    }
}

/// Between agents that agree who is on the left, the protocol takes exactly its own step, whoever initiates; between others
/// none.
#[test]
fn undirected_runs_the_protocol_in_the_agreed_direction() {
    let wrapped = Undirected { inner: FischerJiangRing };
    let lowers: Vec<_> = number::all(&RingOrientation).filter(|s| s.colouring.flags == [false; 3]).collect();
    for &below_u in &lowers {
        for &below_v in &lowers {
            let (a, b) = RingOrientation.interact(below_u, below_v, Told::both(true), &mut NoCoin);
            for (u, v) in [(3, 6), (2, 5), (6, 1)]
                .map(|(u, v)| (number::unrank(&FischerJiangRing, u), number::unrank(&FischerJiangRing, v)))
            {
                let state = |lower, upper| Layered { lower, upper };
                let (u2, v2) = wrapped.interact(state(below_u, u), state(below_v, v), Told::both(true), &mut NoCoin);
                assert_eq!((u2.lower, v2.lower), (a, b));
                let expected = match (a.precedes(&b), b.precedes(&a)) {
                    (true, false) => FischerJiangRing.interact(u, v, Told::both(true), &mut NoCoin),
                    (false, true) => {
                        let (v, u) = FischerJiangRing.interact(v, u, Told::both(true), &mut NoCoin);
                        (u, v)
                    }
                    _ => (u, v),
                };
                assert_eq!((u2.upper, v2.upper), expected);
            }
        }
    }
}

/// The safe set of the distance layer is closed, safe and reached; a bound of less than n gives false alarms.
#[test]
fn distances_detect_exactly_from_n_on() {
    let ring = Graph::directed_ring(3).unwrap();
    for bound in [3, 4] {
        assert!(safe_set_stands(&System::population(Distance { inner: FischerJiangRing, bound }, &ring)) > 0);
    }
    let short = System::population(Distance { inner: FischerJiangRing, bound: 2 }, &ring);
    assert_eq!(count(&short.really_safe()), 0);
}

/// Why `--oracle distance` is refused on complete graphs: whatever N, no configuration is safe.
#[test]
fn distances_mean_nothing_on_complete_graphs() {
    for bound in 3..=6 {
        let protocol = Distance { inner: FischerJiangComplete, bound };
        let system = System::population(protocol, &Graph::complete(3).unwrap());
        assert_eq!(count(&system.really_safe()), 0);
    }
}

/// The timer layer is only loosely stabilizing: one leader is always reached, and never for ever.
#[test]
fn timers_stabilize_loosely() {
    let system = System::population(Timer { inner: FischerJiangComplete, limit: 4 }, &Graph::complete(3).unwrap());
    let safe = system.set(|a, c| a.safe(c));
    assert_eq!(unable_to_reach(&system, &safe), None);
    assert_eq!(count(&system.really_safe()), 0);
}

/// The coin of the colouring is the only one, and it is fair: two outcomes, or one.
#[test]
fn only_recolouring_tosses_a_coin() {
    for u in number::all(&TwoHopColouring) {
        for v in number::all(&TwoHopColouring) {
            let agree = u.flags[usize::from(v.colour)] == v.flags[usize::from(u.colour)];
            let mut outcomes = 0;
            Odometer::each(|coin| {
                TwoHopColouring.interact(u, v, Told::both(true), coin);
                outcomes += 1;
            });
            assert_eq!(outcomes, if agree { 1 } else { 2 });
        }
    }
}
