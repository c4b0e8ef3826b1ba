//! A rule that leaves its declared domain is named, and no verdict is given: its numbers would be those of other states.

use ringleader_check::{Monitor, Question, Stop};
use ringleader_instance::{PopulationInstance, RingInstance};
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

/// On a ring, where configurations are looked at, and on a complete graph, where multisets are.
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
