//! Claims of one's own, by the checker and by the naive twin: built-in algorithms and texts.

use ringleader_catalog::{Catalog, ClaimError, Instance, WrittenClaim};
use ringleader_check::{Monitor, Promise, Question, Report};
use ringleader_erased::{Number, Parameters};
use ringleader_language::Source;
use ringleader_model::{Goal, Scheduler, Stabilizing};
use ringleader_testkit::configurations::{Changing, Moves, System, count, graph, leaving, longest, unable_to_reach};

fn checked(catalog: &Catalog, name: &str, size: usize, scheduler: Scheduler, claims: &[(Promise, &str)]) -> Report {
    let (card, parameters) = (catalog.card(name).unwrap(), Parameters::new(size));
    let mut question = Question::new(scheduler);
    question.only_claims = true;
    question.claims = claims
        .iter()
        .map(|(promise, text)| {
            let [name_of_claim, from] = [*text, "claim"].map(str::to_string);
            let written = WrittenClaim { promise: *promise, name: name_of_claim, text: text.to_string(), from };
            catalog.claim(name, &parameters, &written).unwrap_or_else(|e| panic!("{e}"))
        })
        .collect();
    let report = match catalog.instance(name, &parameters).unwrap() {
        Instance::Population(algorithm) => {
            ringleader_check::population(&algorithm, &graph(card.topology, size), &question, &Monitor::new(2))
        }
        Instance::Ring(algorithm) => ringleader_check::ring(&algorithm, size, &question, &Monitor::new(2)),
        _ => panic!("{name} has no configurations"),
    };
    report.unwrap()
}

/// What the twin says: how many configurations, whether no step leaves them, and whether every run comes to them.
fn naive<A: Stabilizing<State = Number>>(
    system: &System<A>,
    holds: &dyn Fn(&[u32]) -> bool,
    scheduler: Scheduler,
) -> (u64, bool, bool) {
    let set = system.set(|_, c| holds(&c.iter().map(|state| state.0 as u32).collect::<Vec<_>>()));
    let reached = match scheduler {
        Scheduler::Random => {
            let mut set = set.clone();
            (0..set.len()).for_each(|c| set[c] |= !system.exists(c));
            unable_to_reach(system, &set).is_none()
        }
        _ => longest(&Changing(system), &set).is_ok(),
    };
    (count(&set) as u64, leaving(system, &set).is_none(), reached)
}

#[test]
fn the_checker_agrees_with_the_naive_twin() {
    let catalog = Catalog::builtin();
    let cases: [(&str, usize, Scheduler, &[&str]); 7] = [
        (
            "fischer-jiang-complete",
            3,
            Scheduler::Random,
            &["one i : leader[i]", "some i : leader[i]", "leader[0]", "true", "(least i : leader[i]) = 0"],
        ),
        (
            "fischer-jiang-ring",
            3,
            Scheduler::Random,
            &["some i : leader[i] and shield[i]", "all i : leader[i]", "false", "(least i : leader[i]) != 1"],
        ),
        ("yokota-ring", 2, Scheduler::Random, &["S_RL", "C_PB", "one i : leader[i]", "all i : dist[i] <= bound - 1"]),
        (
            "token-circulation",
            4,
            Scheduler::Random,
            &["one i : token[i]", "count i : leader[i] = 1", "(least i : token[i]) < 2"],
        ),
        ("gouda-haddix", 3, Scheduler::Unfair, &["one i : token[i]", "some i : token[i]", "token[1]", "not token[0]"]),
        (
            "dijkstra-k-state",
            3,
            Scheduler::Unfair,
            &["one i : enabled[i]", "all i : x[i] = x[0]", "x[0] = k - 1", "x[1] = 0"],
        ),
        ("cai-izumi-wada", 3, Scheduler::Random, &["some i : rank[i] = 0", "all i : rank[i] = i", "one i : leader[i]"]),
    ];
    let (mut kept, mut broken) = (0, 0);
    for (name, size, scheduler, texts) in cases {
        for text in texts.iter().map(|text| text.replace("count i : leader[i] = 1", "(count i : leader[i]) = 1")) {
            let parameters = Parameters::new(size);
            let holds = catalog.condition(name, &parameters, "claim", &text).unwrap_or_else(|e| panic!("{e}"));
            let twin = match catalog.instance(name, &parameters).unwrap() {
                Instance::Population(algorithm) => {
                    let graph = graph(catalog.card(name).unwrap().topology, size);
                    naive(&System::population(algorithm, &graph), &*holds, scheduler)
                }
                Instance::Ring(algorithm) => naive(&System::ring(algorithm, size), &*holds, scheduler),
                _ => unreachable!(),
            };
            let both = [(Promise::Invariant, text.as_str()), (Promise::Eventually, text.as_str())];
            let report = checked(&catalog, name, size, scheduler, &both);
            let [closed, reached] = &report.claims[..] else { panic!("{report:?}") };
            let found = (closed.configurations, closed.counterexample.is_none(), reached.counterexample.is_none());
            assert_eq!(found, twin, "{name}, {size}, {scheduler}: {text}");
            assert_eq!(report.holds, found.1 && found.2);
            for (claim, holds) in [(closed, found.1), (reached, found.2)] {
                let shown = claim.counterexample.as_ref().map(|run| run.prefix.len() + run.cycle.len());
                assert!(holds == shown.is_none_or(|steps| steps == 0), "{name}: {text}: {claim:?}");
                if holds { kept += 1 } else { broken += 1 }
            }
        }
    }
    assert!(kept >= 10 && broken >= 10, "{kept} kept, {broken} broken");
}

#[test]
fn under_every_scheduler_that_the_checker_knows() {
    use Scheduler::{Alternating, Distributed, Fair, GloballyFair, LocallyFair, Synchronous};
    let catalog = Catalog::builtin();
    let one = [(Promise::Invariant, "one i : token[i]"), (Promise::Eventually, "one i : token[i]")];
    for scheduler in [Alternating, Fair, GloballyFair, Distributed] {
        assert!(checked(&catalog, "gouda-haddix", 3, scheduler, &one).holds, "{scheduler}");
    }
    for scheduler in [Alternating, Fair, GloballyFair, Distributed, Synchronous] {
        let wrong = [(Promise::Eventually, "false"), (Promise::Invariant, "token[1]")];
        let report = checked(&catalog, "gouda-haddix", 3, scheduler, &wrong);
        assert!(report.claims.iter().all(|claim| claim.counterexample.is_some()), "{scheduler}: {:?}", report.claims);
    }
    let herman = [(Promise::Eventually, "one i : token[i]"), (Promise::Invariant, "one i : token[i]")];
    assert!(checked(&catalog, "herman", 5, Synchronous, &herman).holds);
    assert!(!checked(&catalog, "herman", 4, Synchronous, &herman).holds);
    let leader = [(Promise::Eventually, "some i : leader[i]")];
    assert!(checked(&catalog, "fischer-jiang-complete", 3, LocallyFair, &leader).holds);
}

#[test]
fn what_a_text_claims_besides_is_read_with_its_own_names() {
    let text = "protocol duel\nmodel population on complete\nstate leader : bit\nshow leader when leader\ngoal one leader\n\
                let few = (count i : leader[i]) <= 1\ninvariant fewer = few\neventually settled = few\n\
                eventually led = (some i :\n  leader[i])\nfirst:\n  1: l.leader and r.leader -> r.leader := 0\n";
    let protocol = Source::parse("duel.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let catalog = Catalog::empty().text(&protocol);
    let promises: Vec<_> = catalog.protocol("duel").unwrap().promises().collect();
    assert_eq!(promises.iter().map(|(_, name, _)| *name).collect::<Vec<_>>(), ["fewer", "settled", "led"]);
    let claims = promises.iter().map(|(promise, _, text)| (*promise, *text));
    let report = checked(&catalog, "duel", 3, Scheduler::Random, &claims.collect::<Vec<_>>());
    let holds: Vec<bool> = report.claims.iter().map(|claim| claim.counterexample.is_none()).collect();
    assert_eq!(holds, [true, true, false], "without a leader there never is one");
}

#[test]
fn what_is_wrong_with_a_claim_is_shown() {
    let catalog = Catalog::builtin();
    let wrong = |text: &str| match catalog.condition("yokota-ring", &Parameters::new(3), "--invariant", text) {
        Err(ClaimError::Text(wrong)) => wrong.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("{text} is right"),
    };
    assert!(wrong("all i : laeder[i]").contains("did you mean `leader`"), "{}", wrong("all i : laeder[i]"));
    assert!(wrong("all i : dist[i]").contains("a condition is needed"));
    assert!(wrong("leader").contains("name the agent: `leader[i]`"));
    assert!(wrong("leader[0] leader[1]").contains("expected the end of the line"));
    assert!(wrong("").contains("expected"));
    assert!(wrong("all i : all j in 0..2^30 : leader[i + j]").contains("quantifier's range"));
}

/// An execution that starts inside the set has reached it, and need not return.
#[test]
fn a_start_inside_the_set_has_reached_it() {
    use Scheduler::{Distributed, Fair, GloballyFair, LocallyFair, Random, Synchronous, Unfair};
    let pairs = "model population on complete\nstate x : bit\ngoal true\nfirst:\n  1: l.x = 1 -> l.x := 0\n";
    let ring = "model ring\nstate x : bit\ngoal true\nfirst:\n  1: x = 1 -> x := 0\n";
    let coins = ring.replace("x := 0", "x := coin");
    let found = |text: &str, scheduler: Scheduler, start: &str, size: usize| {
        let protocol = Source::parse("ev", &format!("protocol ev\n{text}")).unwrap_or_else(|wrong| panic!("{wrong}"));
        let (catalog, parameters) = (Catalog::empty().text(&protocol), Parameters::new(size));
        let mut question = Question::new(scheduler);
        let written = |text: &str| WrittenClaim {
            promise: Promise::Eventually,
            name: text.into(),
            text: text.into(),
            from: "claim".into(),
        };
        let claims = ["all i : x[i] = 1", "some i : x[i] = 0", "x[0] = 1 and x[1] = 0"];
        question.claims = claims.map(|text| catalog.claim("ev", &parameters, &written(text)).unwrap()).into();
        question.starting = Some(catalog.starting("ev", &parameters, "--start", start).unwrap());
        let report = match catalog.instance("ev", &parameters).unwrap() {
            Instance::Population(algorithm) => {
                let complete = graph(protocol.card().topology, size);
                ringleader_check::population(&algorithm, &complete, &question, &Monitor::new(1))
            }
            Instance::Ring(algorithm) => ringleader_check::ring(&algorithm, size, &question, &Monitor::new(1)),
            other => panic!("{other:?}"),
        };
        let report = report.unwrap_or_else(|stop| panic!("{stop}"));
        report.claims.iter().map(|claim| claim.counterexample.is_none()).collect::<Vec<_>>()
    };
    for (text, schedulers) in [
        (pairs, &[Random, Unfair, GloballyFair, Fair, LocallyFair][..]),
        (ring, &[Random, Unfair, Distributed, Synchronous, Fair]),
        (&coins, &[Random, Unfair, Distributed, Synchronous, Fair]),
    ] {
        for &scheduler in schedulers {
            let what = format!("{text}{scheduler}");
            assert!(found(text, scheduler, "all i : x[i] = 1", 3)[0], "{what}");
            // An unfair daemon may choose a process with x = 0 for ever only where nothing has to change.
            let some = found(text, scheduler, "all i : x[i] = 1", 3)[1];
            assert!(some, "{what}");
            assert_eq!(found(text, scheduler, "one i : x[i] = 0", 3)[..2], [false, true], "{what}");
            assert!(!found(text, scheduler, "all i : x[i] = 1", 3)[2], "{what}");
        }
    }
    assert_eq!(found(pairs, Random, "all i : x[i] = 1", 12)[..2], [true, true], "as multisets");
}

/// Every token algorithm states that each process gets the token again and again, and the check confirms it.
#[test]
fn every_token_algorithm_serves_each_process() {
    let catalog = Catalog::builtin();
    let mut stated = vec![];
    for card in catalog.cards() {
        let size = if card.name == "fich-johnen-token" { 2 } else { 3 };
        let parameters = Parameters::new(size);
        let Ok(instance) = catalog.instance(card.name, &parameters) else { continue };
        let goal = match &instance {
            Instance::Population(algorithm) => algorithm.goal(),
            Instance::Ring(algorithm) => algorithm.goal(),
            _ => continue,
        };
        let claims = catalog.written_claims(card.name, parameters.layers);
        let recurring = claims.iter().filter(|claim| claim.promise == Promise::Recurring);
        assert!(goal != Goal::OneToken || recurring.clone().count() == 1, "{} states nothing", card.name);
        let mut question = Question::new(card.scheduler);
        question.claims = recurring.map(|claim| catalog.claim(card.name, &parameters, claim).unwrap()).collect();
        if question.claims.is_empty() {
            continue;
        }
        let report = match &instance {
            Instance::Population(algorithm) => {
                ringleader_check::population(algorithm, &graph(card.topology, size), &question, &Monitor::new(2))
            }
            Instance::Ring(algorithm) => ringleader_check::ring(algorithm, size, &question, &Monitor::new(2)),
            _ => unreachable!(),
        };
        let report = report.unwrap();
        assert!(report.holds, "{}: {:?}", card.name, report.counterexample);
        let service = report.claims[0].service.as_ref().unwrap_or_else(|| panic!("{}", card.name));
        let worst = service.worst.as_ref().map(|worst| worst.bounds().high);
        assert!(worst.is_some_and(|worst| worst >= size as f64 - 1e-6), "{}: {service:?}", card.name);
        stated.push(card.name);
    }
    assert_eq!(stated.len(), 9, "{stated:?}");
}

/// Dijkstra's and Gouda and Haddix's rings serve each process under every daemon of their card; Israeli and Jalfon's does not
/// under a daemon that chooses the arcs, but does if a fair coin chooses the neighbour; Herman's does with probability 1.
#[test]
fn service_under_other_daemons() {
    use Scheduler::{
        Alternating, Distributed, Fair, LocallyCentral, LocallyFair, Random, RandomPartner, Synchronous, Unfair,
    };
    let catalog = Catalog::builtin();
    let served = |name: &str, size: usize, scheduler: Scheduler, text: &str| {
        let report = checked(&catalog, name, size, scheduler, &[(Promise::Recurring, text)]);
        let service = report.claims[0].service.as_ref();
        (report.holds, service.and_then(|service| service.worst.as_ref()).map(|worst| worst.bounds()))
    };
    for scheduler in [Unfair, Fair, LocallyFair, Distributed, LocallyCentral, Alternating] {
        let (holds, worst) = served("dijkstra-k-state", 3, scheduler, "enabled[i]");
        let steps = worst.map(|worst| worst.high);
        assert!(holds && (scheduler == Alternating || steps == Some(3.0)), "{scheduler}: {steps:?}");
        assert!(served("gouda-haddix", 3, scheduler, "token[i]").0, "{scheduler}");
    }
    let (holds, worst) = served("herman", 5, Synchronous, "token[i]");
    assert!(holds && worst.is_some_and(|worst| worst.low <= 5.0 && 5.0 <= worst.high), "{worst:?}");
    assert!(served("israeli-jalfon", 3, Random, "token[i]").0);
    let stuck = checked(&catalog, "israeli-jalfon", 3, Unfair, &[(Promise::Recurring, "token[i]")]);
    assert!(!stuck.holds && !stuck.claims[0].counterexample.as_ref().unwrap().cycle.is_empty());
    // A random walk on a ring returns after as many steps as the ring has processes, on average.
    for size in 3..6 {
        let (holds, worst) = served("israeli-jalfon", size, RandomPartner, "token[i]");
        let (worst, exact) = (worst.expect("a time between two visits"), size as f64);
        assert!(holds && worst.low <= exact && exact <= worst.high, "n = {size}: {worst:?}");
    }
}

/// A fair daemon may wait as long as it wants where an unfair one could wait for ever.
#[test]
fn a_fair_daemon_delays_without_a_bound() {
    let text = "protocol blink\nmodel ring\nstate x : bit\ngoal true\nrecurring lit = x[i] = 1\n\
                response off = x[i] = 1 leads to x[i] = 0\nfirst:\n  1: true -> x := 1 - x\n";
    let protocol = Source::parse("blink.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let catalog = Catalog::empty().text(&protocol);
    let claims: Vec<_> = protocol.promises().map(|(promise, _, text)| (promise, text)).collect();
    assert_eq!(claims, [(Promise::Recurring, "x[i] = 1"), (Promise::Response, "x[i] = 1 leads to x[i] = 0")]);
    let fair = checked(&catalog, "blink", 3, Scheduler::Fair, &claims);
    let service = fair.claims[0].service.as_ref().unwrap();
    assert!(fair.holds && service.worst.is_none() && !service.delay.as_ref().unwrap().cycle.is_empty(), "{service:?}");
    let response = fair.claims[1].service.as_ref().unwrap();
    assert!(response.worst.is_none() && !response.delay.as_ref().unwrap().cycle.is_empty(), "{response:?}");
    let unfair = checked(&catalog, "blink", 3, Scheduler::Unfair, &claims);
    assert!(unfair.claims.iter().all(|claim| claim.counterexample.is_some()));
    let together = checked(&catalog, "blink", 3, Scheduler::Synchronous, &claims);
    assert!(together.holds && together.claims[0].service.as_ref().unwrap().worst.is_some());
    for wrong in ["recurring off = y[i]", "response off = x[i] = 1", "response off = x[i] leads to"] {
        let text = text.replace("recurring lit = x[i] = 1", wrong);
        assert!(Source::parse("blink.ring", &text).is_err(), "{wrong}");
    }
}
