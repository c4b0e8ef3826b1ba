//! Texts whose verdict is easily wrong.

use ringleader_check::{Monitor, Question, Refusal, Report, Stop};
use ringleader_instance::Parameters;
use ringleader_language::{Instance, Source};
use ringleader_model::{Graph, Scheduler};

fn checked(text: &str, size: usize, scheduler: Scheduler) -> Result<Report, Stop> {
    let protocol = Source::parse("p.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let (question, monitor) = (Question::new(scheduler), Monitor::new(1));
    match protocol.instance(&Parameters::new(size)).expect("a size") {
        Instance::Ring(instance) => ringleader_check::ring(&instance, size, &question, &monitor),
        Instance::Population(instance) => {
            ringleader_check::population(&instance, &Graph::complete(size).unwrap(), &question, &monitor)
        }
        Instance::Message(_) => panic!("it passes no messages"),
    }
}

/// Process 0 writes what is given there: no configuration follows, and "nothing wrong follows" would be a lie.
#[test]
fn a_rule_that_writes_what_is_given_has_no_verdict() {
    let ring = "protocol p\nmodel ring\nstate x : 0..1\nshow token when x = 1\ngiven x = 0 when bottom\n\
                goal all i : x[i] = 0\nfirst:\n  1: bottom -> x := 1\n  2: not bottom -> x := 0\n";
    for scheduler in [Scheduler::Random, Scheduler::Unfair, Scheduler::Synchronous, Scheduler::Fair] {
        match checked(ring, 3, scheduler) {
            Err(Stop::Refused(refusal @ Refusal::WritesGiven { .. })) => {
                let said = refusal.to_string();
                assert!(said.contains("rule 1, applied by agent 0, changes what is given"), "{said}");
            }
            other => panic!("{other:?}"),
        }
    }
    let kept = ring.replace("1: bottom -> x := 1", "1: bottom -> x := 0");
    assert!(checked(&kept, 3, Scheduler::Random).expect("a verdict").holds);
    let population = "protocol p\nmodel population on complete\nstate base, leader : bit\nshow leader when leader\n\
                      given base = 1 when bottom\ngoal one leader\nfirst:\n  1: l.leader and r.leader -> r.leader := 0\n  \
                      2: l.base -> l.base := 0\n";
    assert!(matches!(checked(population, 3, Scheduler::Random), Err(Stop::Refused(Refusal::WritesGiven { .. }))));
}

/// Where every process may take a rule that changes nothing, all may, for ever.
#[test]
fn the_synchronous_daemon_may_let_nothing_change() {
    let text = "protocol p\nmodel ring\nstate x : bit\nshow token when x\ngoal all i : x[i] = 0\n\
                any:\n  1: x = 1 -> x := 0\n  2: x = 1 -> skip\n";
    let report = checked(text, 3, Scheduler::Synchronous).expect("a verdict");
    let run = report.counterexample.expect("a run that shows it");
    assert!(!report.holds && run.shows.contains("rules that change nothing"), "{}", run.shows);
    assert_eq!(run.cycle.len(), 1);
    // Without that rule all come to 0 in one step.
    let moving = text.replace("2: x = 1 -> skip", "2: x = 1 -> x := 0");
    assert!(checked(&moving, 3, Scheduler::Synchronous).expect("a verdict").holds);
}

/// What is safe has its own name, unless it is the last closed set.
#[test]
fn the_safe_set_is_not_called_by_the_name_of_another() {
    let text = "protocol p\nmodel population on complete\noracle leader-detector\nstate leader : bit\nshow leader when leader\n\
                goal one leader\nclosed few = (count i : leader[i]) <= 1\nsafe = one i : leader[i]\n\
                first:\n  1: l.leader and r.leader -> r.leader := 0\n  \
                2: not l.leader and not r.leader and not l.hears -> l.leader := 1\n";
    let name = |text: &str| match Source::parse("p.ring", text).unwrap().instance(&Parameters::new(3)).unwrap() {
        Instance::Population(instance) => instance.safe_set(),
        other => panic!("{other:?}"),
    };
    assert_eq!(name(text), "safe");
    assert_eq!(name(&text.replace("safe = one i : leader[i]", "closed S = one i : leader[i]\nsafe = S")), "S");
    let report = checked(text, 3, Scheduler::Random).expect("a verdict");
    assert!(report.holds && report.own_safe == 3);
    assert_eq!(report.sets.iter().map(|set| &*set.name).collect::<Vec<_>>(), ["few"]);
}
