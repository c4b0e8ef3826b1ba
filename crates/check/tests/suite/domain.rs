//! If a rule leaves its declared domain, the error names the rule, and there is no verdict: its numbers would denote
//! other states.

use ringleader_check::{Monitor, Question, Report, Stop, Uncheckable, Value};
use ringleader_erased::{PopulationInstance, RingInstance};
use ringleader_model::{
    Coin, Goal, Graph, Marks, Population, Ring, Scheduler, Stabilizing, Told, Variables, View, Visitor,
};

/// Of two leaders one resigns; hops count up to `most`, but are declared only up to 2.
struct Hopping {
    most: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Hops {
    leads: bool,
    hops: u8,
}

impl Variables for Hopping {
    type State = Hops;
    fn variables(&self, s: &mut Hops, v: &mut dyn Visitor) {
        v.bit("leads", &mut s.leads);
        v.range("hops", 0, 2, &mut s.hops);
    }
}

impl Hopping {
    fn one(&self, u: Hops, mut v: Hops, coin: &mut impl Coin) -> Hops {
        if u.leads && v.leads {
            coin.fired(1);
            v.leads = false;
        }
        if v.hops < self.most {
            coin.fired(7);
            v.hops += 1;
        }
        v
    }
}

impl Population for Hopping {
    fn interact(&self, u: Hops, v: Hops, _: Told, coin: &mut impl Coin) -> (Hops, Hops) {
        (u, self.one(u, v, coin))
    }

    fn marks(&self, s: &Hops) -> Marks {
        Marks::LEADER.when(s.leads)
    }
}

impl Ring for Hopping {
    fn act(&self, view: View<Hops>, coin: &mut impl Coin) -> Hops {
        self.one(view.left, view.own, coin)
    }

    fn marks(&self, view: View<Hops>) -> Marks {
        Marks::LEADER.when(view.own.leads)
    }
}

impl Stabilizing for Hopping {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }

    fn correct(&self, c: &[Hops]) -> bool {
        c.iter().filter(|s| s.leads).count() <= 1
    }
}

/// On a ring, where configurations are checked, and on a complete graph, where multisets are checked.
#[test]
fn a_rule_that_leaves_its_domain_is_named() {
    let question = Question::new(Scheduler::GloballyFair);
    let (ring, complete) = (Graph::directed_ring(3).unwrap(), Graph::complete(5).unwrap());
    let wrong = PopulationInstance::new(Hopping { most: 3 }).unwrap();
    for graph in [&ring, &complete] {
        let stop = ringleader_check::population(&wrong, graph, &question, &Monitor::new(1)).unwrap_err();
        assert!(matches!(stop, Stop::LeavesDomain(_)), "{stop:?}");
        let text = stop.to_string();
        assert_eq!(
            text,
            "rule 7, applied to (leads=0 hops=0), (leads=0 hops=2), writes hops = 3, which is outside 0..2"
        );
        let right = PopulationInstance::new(Hopping { most: 2 }).unwrap();
        assert!(ringleader_check::population(&right, graph, &question, &Monitor::new(1)).is_ok());
    }
}

#[test]
fn a_process_that_leaves_its_domain_is_named() {
    let question = Question::new(Scheduler::Unfair);
    let wrong = RingInstance::new(Hopping { most: 3 }).unwrap();
    let stop = ringleader_check::ring(&wrong, 3, &question, &Monitor::new(1)).unwrap_err();
    let Stop::LeavesDomain(problem) = &stop else { panic!("{stop:?}") };
    assert_eq!((problem.rules.as_slice(), problem.written.variable.as_str()), (&[7][..], "hops"));
    let right = RingInstance::new(Hopping { most: 2 }).unwrap();
    assert!(ringleader_check::ring(&right, 3, &question, &Monitor::new(1)).is_ok());
}

/// From any state but the last, a step leads to 0 with probability 1 / prime. More kinds give a larger common
/// denominator.
struct Dice {
    kinds: u8,
}

const PRIMES: [u32; 9] = [2, 97, 89, 83, 79, 73, 71, 67, 61];

impl Variables for Dice {
    type State = u8;
    fn variables(&self, state: &mut u8, v: &mut dyn Visitor) {
        v.range("kind", 0, self.kinds.into(), state);
    }
}

impl Ring for Dice {
    fn act(&self, view: View<u8>, coin: &mut impl Coin) -> u8 {
        if view.own > 0 && coin.below(PRIMES[usize::from(view.own)]) == 0 { 0 } else { view.own }
    }

    fn marks(&self, _: View<u8>) -> Marks {
        Marks::NONE
    }
}

impl Population for Dice {
    fn interact(&self, u: u8, v: u8, _: Told, coin: &mut impl Coin) -> (u8, u8) {
        (u, if v > 0 && coin.below(PRIMES[usize::from(v)]) == 0 { 0 } else { v })
    }

    fn marks(&self, _: &u8) -> Marks {
        Marks::NONE
    }
}

impl Stabilizing for Dice {
    fn goal(&self) -> Goal {
        Goal::Agreement
    }

    fn correct(&self, c: &[u8]) -> bool {
        c.iter().all(|kind| *kind == 0)
    }
}

/// The worst start of two processes, one of them in kind 1. Each is scheduled every second step and needs 97 of its own
/// steps on average; the later one decides. Where the denominator no longer fits, there is no result.
#[test]
fn dice_are_counted_with_exactly_or_not_at_all() {
    let question = Question::new(Scheduler::Random);
    let worst = |report: Report| report.expected_steps.unwrap().to_really_safe.unwrap().worst;
    let ring =
        |kinds| ringleader_check::ring(&RingInstance::new(Dice { kinds }).unwrap(), 2, &question, &Monitor::new(1));
    let population = |kinds| {
        let (dice, graph) = (PopulationInstance::new(Dice { kinds }).unwrap(), Graph::complete(2).unwrap());
        ringleader_check::population(&dice, &graph, &question, &Monitor::new(1))
    };
    let alone = worst(ring(1).unwrap());
    assert_eq!(alone, Value::Exact(291.into(), 1.into()));
    for kinds in 1..=8 {
        // 97 * 89 * 83 * 79 * 73 is less than 2^32; with 71 too it is more.
        match (ring(kinds), population(kinds)) {
            (Ok(ring), Ok(population)) if kinds <= 5 => {
                assert_eq!((worst(ring), worst(population)), (alone.clone(), alone.clone()), "{kinds}");
            }
            (Err(ring), Err(population)) if kinds > 5 => {
                assert_eq!((&ring, &population), (&Stop::Refused(Uncheckable::TooRandom), &ring), "{kinds}");
            }
            other => panic!("{kinds}: {other:?}"),
        }
    }
}

/// The goal of one token counts tokens that are shown, regardless of the algorithm's own notion of correct.
#[test]
fn tokens_are_counted() {
    struct Everywhere {
        shown: bool,
    }
    impl Variables for Everywhere {
        type State = bool;
        fn variables(&self, state: &mut bool, v: &mut dyn Visitor) {
            v.bit("x", state);
        }
    }
    impl Ring for Everywhere {
        fn act(&self, view: View<bool>, _: &mut impl Coin) -> bool {
            view.own
        }
        fn marks(&self, view: View<bool>) -> Marks {
            Marks::TOKEN.when(if self.shown { view.at.is_bottom() } else { true })
        }
    }
    impl Stabilizing for Everywhere {
        fn goal(&self) -> Goal {
            Goal::OneToken
        }
        fn correct(&self, _: &[bool]) -> bool {
            true
        }
    }
    for (shown, holds) in [(false, false), (true, true)] {
        let algorithm = RingInstance::new(Everywhere { shown }).unwrap();
        let report =
            ringleader_check::ring(&algorithm, 3, &Question::new(Scheduler::Unfair), &Monitor::new(1)).unwrap();
        assert_eq!(report.holds, holds, "{shown}");
    }
}
