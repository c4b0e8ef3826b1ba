//! Rotations and permutations are equivalent only if the algorithm's sets do not distinguish them.

use ringleader_check::{Claim, Claimed, Condition, Monitor, Question, Report, Starting};
use ringleader_erased::PopulationInstance;
use ringleader_model::{Coin, Goal, Graph, Marks, Population, Scheduler, Stabilizing, Told, Variables, Visitor};
use std::sync::Arc;

/// The promise about the last leader, in a protocol in which one of two leaders resigns.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Promise {
    /// There is exactly one leader.
    Anywhere,
    /// The leader is agent 0; agents cannot know their index.
    First,
    /// There is at most one leader. A goal of one leader requires more.
    Sloppy,
}

struct Duel(Promise);

impl Variables for Duel {
    type State = bool;
    fn variables(&self, leads: &mut bool, v: &mut dyn Visitor) {
        v.bit("leads", leads);
    }
}

impl Population for Duel {
    fn interact(&self, u: bool, v: bool, _: Told, _: &mut impl Coin) -> (bool, bool) {
        (u, v && !u)
    }

    fn marks(&self, leads: &bool) -> Marks {
        Marks::LEADER.when(*leads)
    }
}

impl Stabilizing for Duel {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }

    fn correct(&self, c: &[bool]) -> bool {
        let leaders = c.iter().filter(|leads| **leads).count();
        match self.0 {
            Promise::Anywhere => leaders == 1,
            Promise::First => leaders == 1 && c[0],
            Promise::Sloppy => leaders <= 1,
        }
    }

    /// Without a leader no leader ever appears, so the protocol excludes that fault.
    fn restore(&self, c: &mut [bool]) {
        if self.0 != Promise::Sloppy && c.iter().all(|leads| !leads) {
            c.fill(true);
        }
    }
}

/// On three agents, a triangle and so also a ring, up to rotation; on five agents of a complete graph, as multisets.
fn check(promise: Promise, agents: usize, symmetry: bool) -> Report {
    let algorithm = PopulationInstance::new(Duel(promise)).unwrap();
    let question = Question::new(Scheduler::Random);
    let question = if symmetry { question } else { question.without_symmetry() };
    ringleader_check::population(&algorithm, &Graph::complete(agents).unwrap(), &question, &Monitor::new(1)).unwrap()
}

#[test]
fn sets_that_know_places_are_looked_at_agent_by_agent() {
    for agents in [3, 5] {
        for promise in [Promise::Anywhere, Promise::First, Promise::Sloppy] {
            let [folded, plain] = [true, false].map(|symmetry| check(promise, agents, symmetry));
            assert_eq!((folded.holds, folded.really_safe), (plain.holds, plain.really_safe), "{promise:?} {agents}");
            assert_eq!(folded.configurations, plain.configurations, "{promise:?} {agents}");
            assert_eq!(plain.holds, promise == Promise::Anywhere, "{agents}");
            assert!(promise != Promise::First || folded.classes.is_none(), "{agents}");
        }
        assert!(check(Promise::Anywhere, 3, true).classes.is_some());
    }
}

/// Claims and starts that name a place, although they are said to name none.
#[test]
fn claims_and_starts_that_know_places_are_found_out() {
    let algorithm = PopulationInstance::new(Duel(Promise::Anywhere)).unwrap();
    let graph = Graph::directed_ring(4).unwrap();
    let first: Condition = Arc::new(|digits| digits[0] == 1);
    let claim = Claim { name: "first".into(), claimed: Claimed::Invariant(first.clone()), places: false };
    let starting = Starting { name: "first".into(), holds: first, places: false };
    for (claims, starting) in [(vec![claim], None), (vec![], Some(starting))] {
        let mut question = Question::new(Scheduler::Random);
        (question.claims, question.starting) = (claims, starting);
        let folded = ringleader_check::population(&algorithm, &graph, &question, &Monitor::new(1)).unwrap();
        let plain = ringleader_check::population(&algorithm, &graph, &question.without_symmetry(), &Monitor::new(1));
        let plain = plain.unwrap();
        let sizes = |report: &Report| {
            let claimed: Vec<u64> = report.claims.iter().map(|claim| claim.configurations).collect();
            (report.holds, report.configurations, report.starts, claimed)
        };
        assert_eq!(sizes(&folded), sizes(&plain));
    }
}
