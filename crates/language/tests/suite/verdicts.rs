//! Protocols whose verdicts are error-prone.

use ringleader_check::{Detector, Monitor, Question, Report, Start, Stop, Times, Uncheckable};
use ringleader_erased::{Number, Parameters};
use ringleader_language::{Instance, Source};
use ringleader_model::{Graph, Scheduler, Stabilizing as _};

fn checked(text: &str, size: usize, scheduler: Scheduler) -> Result<Report, Stop> {
    answered(text, size, &Question::new(scheduler))
}

fn answered(text: &str, size: usize, question: &Question) -> Result<Report, Stop> {
    let protocol = Source::parse("p.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let monitor = Monitor::new(1);
    match protocol.instance(&Parameters::new(size)).expect("a size") {
        Instance::Ring(instance) => ringleader_check::ring(&instance, size, question, &monitor),
        Instance::Population(instance) => {
            ringleader_check::population(&instance, &Graph::complete(size).unwrap(), question, &monitor)
        }
        Instance::Graph(instance) => ringleader_check::graph(&instance, question, &monitor),
        Instance::Message(_) => panic!("it passes no messages"),
    }
}

/// Process 0 writes a `given` variable: the step leads to an excluded configuration, and the verdict must not be
/// "holds".
#[test]
fn a_rule_that_writes_a_given_variable_has_no_verdict() {
    let ring = "protocol p\nmodel ring\nstate x : 0..1\nshow token when x = 1\ngiven x = 0 when bottom\n\
                goal all i : x[i] = 0\nfirst:\n  1: bottom -> x := 1\n  2: not bottom -> x := 0\n";
    for scheduler in [Scheduler::Random, Scheduler::Unfair, Scheduler::Synchronous, Scheduler::Fair] {
        match checked(ring, 3, scheduler) {
            Err(Stop::Refused(refusal @ Uncheckable::WritesGiven { .. })) => {
                let said = refusal.to_string();
                assert!(said.contains("rule 1, applied by agent 0, changes given variables"), "{said}");
            }
            other => panic!("{other:?}"),
        }
    }
    let kept = ring.replace("1: bottom -> x := 1", "1: bottom -> x := 0");
    assert!(checked(&kept, 3, Scheduler::Random).expect("a verdict").holds);
    let population = "protocol p\nmodel population on complete\nstate base, leader : bit\nshow leader when leader\n\
                      given base = 1 when bottom\ngoal one leader\nfirst:\n  1: l.leader and r.leader -> r.leader := 0\n  \
                      2: l.base -> l.base := 0\n";
    assert!(matches!(checked(population, 3, Scheduler::Random), Err(Stop::Refused(Uncheckable::WritesGiven { .. }))));
}

/// Agent 1 writes a `given` variable only if the detector denies the leader; after that the goal is lost forever.
#[test]
fn a_rule_that_writes_a_given_variable_after_a_lie_has_no_verdict() {
    let text = "protocol p\nmodel population on complete\noracle leader-detector\nstate leader, spoilt : bit\n\
                show leader when leader and not spoilt\ngiven spoilt = 0\ngoal one leader\nfirst:\n  \
                1: l.leader and r.leader -> r.leader := 0\n  2: not l.leader and not l.hears -> l.leader := 1\n  \
                3: l.leader and not l.hears -> l.spoilt := 1\n";
    let asked = |detector| {
        let mut question = Question::new(Scheduler::GloballyFair);
        question.detector = detector;
        answered(text, 3, &question)
    };
    assert!(asked(Detector::Perfect).expect("a verdict").holds);
    let lied_to = asked(Detector::EventuallyCorrect);
    assert!(matches!(lied_to, Err(Stop::Refused(Uncheckable::WritesGiven { .. }))), "{lied_to:?}");
}

/// If the detector lies forever, leaders come and go forever. That is not a failure of a goal that always holds.
#[test]
fn changing_leaders_do_not_violate_another_goal() {
    let text = |most| {
        format!(
            "protocol p\nmodel population on complete\noracle leader-detector\nstate lead : bit\nshow leader when lead\n\
             goal (count i : lead[i]) <= {most} \"few\"\nfirst:\n  1: l.lead and r.lead -> r.lead := 0\n  \
             2: not l.lead and not r.lead and not l.hears -> l.lead := 1\n  3: l.lead and not l.hears -> l.lead := 0\n"
        )
    };
    for scheduler in [Scheduler::Random, Scheduler::GloballyFair, Scheduler::LocallyFair] {
        let mut question = Question::new(scheduler);
        question.detector = Detector::EventuallyCorrect;
        assert!(answered(&text(2), 2, &question).expect("a verdict").holds);
        // A new leader violates this goal.
        assert!(!answered(&text(0), 2, &question).expect("a verdict").holds);
    }
}

/// A `given` value may depend on a later one; and the worst start with 0 steps is a valid configuration.
#[test]
fn given_values_are_restored_in_every_order() {
    let text = "protocol p\nmodel population on directed-ring\nstate lead, x : bit\ngiven x = 1 when lead\n\
                given lead = 1 when bottom\ngiven lead = 0 when not bottom\nshow leader when lead\n\
                goal all i : lead[i] => x[i]\nfirst:\n  1: l.x and not r.lead -> r.x := not r.x\n";
    let protocol = Source::parse("p.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let Instance::Population(instance) = protocol.instance(&Parameters::new(3)).expect("a size") else {
        panic!("it is a population")
    };
    let report = ringleader_check::population(
        &instance,
        &Graph::directed_ring(3).unwrap(),
        &Question::new(Scheduler::Random),
        &Monitor::new(1),
    );
    let time = report.expect("a verdict").expected_steps.expect("numbers").to_really_safe.expect("it holds");
    let put_back = |states: &[u64]| {
        let mut configuration: Vec<_> = states.iter().map(|s| Number(*s)).collect();
        instance.restore(&mut configuration);
        configuration.into_iter().map(|s| s.0).collect::<Vec<_>>()
    };
    let start: Vec<u64> = time.worst_start.iter().map(|s| u64::from(*s)).collect();
    assert_eq!(put_back(&start), start);
    let once = put_back(&[0, 0, 0]);
    assert_eq!(put_back(&once), once);
}

/// Multisets do not support `given`: a missing answer does not mean that the claim fails.
#[test]
fn given_values_on_a_large_complete_graph_have_no_verdict() {
    let text = "protocol p\nmodel population on complete\noracle leader-detector\nstate lead, more : bit\n\
                show leader when lead\ngiven more = 0\ngoal one leader\nfirst:\n  \
                1: l.lead and r.lead -> r.lead := 0\n  2: not l.lead and not l.hears -> l.lead := 1\n";
    assert!(checked(text, 4, Scheduler::GloballyFair).expect("a verdict").holds);
    let large = checked(text, 20, Scheduler::GloballyFair);
    assert!(matches!(large, Err(Stop::Refused(Uncheckable::TooManyConfigurations { .. }))), "{large:?}");
}

/// If every process is enabled by a rule that changes nothing, all can apply it forever.
#[test]
fn the_synchronous_daemon_can_apply_rules_without_effect_forever() {
    let text = "protocol p\nmodel ring\nstate x : bit\nshow token when x\ngoal all i : x[i] = 0\n\
                any:\n  1: x = 1 -> x := 0\n  2: x = 1 -> skip\n";
    let report = checked(text, 3, Scheduler::Synchronous).expect("a verdict");
    let run = report.counterexample.expect("a run that shows it");
    assert!(!report.holds && run.shows.contains("a step that changes nothing"), "{}", run.shows);
    assert_eq!(run.cycle.len(), 1);
    // Without that rule all come to 0 in one step.
    let moving = text.replace("2: x = 1 -> skip", "2: x = 1 -> x := 0");
    assert!(checked(&moving, 3, Scheduler::Synchronous).expect("a verdict").holds);
}

/// The safe set is listed separately, unless it is the last closed set.
#[test]
fn the_safe_set_is_listed_separately() {
    let text = "protocol p\nmodel population on complete\noracle leader-detector\nstate leader : bit\nshow leader when leader\n\
                goal one leader\nclosed few = (count i : leader[i]) <= 1\nsafe = one i : leader[i]\n\
                first:\n  1: l.leader and r.leader -> r.leader := 0\n  \
                2: not l.leader and not r.leader and not l.hears -> l.leader := 1\n";
    let name = |text: &str| match Source::parse("p.ring", text).unwrap().instance(&Parameters::new(3)).unwrap() {
        Instance::Population(instance) => instance.set_names().pop().expect("a set").0,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(text), "safe");
    assert_eq!(name(&text.replace("safe = one i : leader[i]", "closed S = one i : leader[i]\nsafe = S")), "S");
    let report = checked(text, 3, Scheduler::Random).expect("a verdict");
    assert!(report.holds && report.own_safe == 3);
    assert_eq!(report.sets.iter().map(|set| &*set.name).collect::<Vec<_>>(), ["few"]);
}

/// An invariant that names a position can fail in a rotation of the representative and hold in the representative.
#[test]
fn rotations_do_not_hide_a_violated_invariant() {
    use ringleader_explore::{Options, Space};
    let text = |invariant: &str| {
        format!(
            "protocol p\nmodel messages on unidirectional-ring\nstate x : 0..2 = 0\nmessage m(b : bit)\nshow leader when x = 2\n\
             invariant claim = {invariant}\non step when x = 0: x := 1; send right m(1)\non m: x := 2\n"
        )
    };
    let mut failing = [0, 0];
    for invariant in
        (0..3).flat_map(|p| [format!("x[{p}] = 0 or x[{p} + 1] > 0"), format!("x[{p}] <= x[2] or x[1] = 1")])
    {
        let protocol = Source::parse("p.ring", &text(&invariant)).unwrap_or_else(|wrong| panic!("{wrong}"));
        let Ok(Instance::Message(instance)) = protocol.instance(&Parameters::new(3)) else { panic!("messages") };
        let fails = [false, true].map(|rotation| {
            let options = Options { rotation, ..Options::default() };
            let space = Space::explore(&instance, &options, &mut |_| true).expect("it is small");
            space.first(|state| !state.holds(0)).is_some()
        });
        assert_eq!(fails[0], fails[1], "{invariant}");
        failing[usize::from(fails[0])] += 1;
    }
    assert!(failing[1] > 0, "{failing:?}");
}

/// A trace of messages uses the words of the text: a bit is 0 or 1, and a draw shows the drawn value.
#[test]
fn runs_of_messages_show_the_values_of_the_text() {
    use ringleader_explore::{Options, Space};
    let text = "protocol p\nmodel messages on unidirectional-ring\nstate x : 0..7 = 0\nstate b : bit\nmessage m(b : bit)\n\
                show leader when x = 7\non step when x = 0: b := coin; x := draw 5..6; send right m(b)\n\
                on m when x > 0: x := 7\n";
    let protocol = Source::parse("p.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let Ok(Instance::Message(instance)) = protocol.instance(&Parameters::new(2)) else { panic!("messages") };
    let space = Space::explore(&instance, &Options::default(), &mut |_| true).expect("it is small");
    let mut seen = std::collections::BTreeSet::new();
    for state in 0..space.stored() as usize {
        let run = space.run_to(state);
        for step in run.steps.iter().filter(|step| step.received.is_none()) {
            assert_eq!(
                step.draws.iter().map(|draw| u64::from(*draw)).collect::<Vec<_>>(),
                [step.drawn[0], step.drawn[1] - 5]
            );
            assert_eq!(step.sent[0].1, format!("({})", step.drawn[0]));
            assert_eq!(step.after, format!("x={} b={}", step.drawn[1], step.drawn[0]));
            seen.insert(step.drawn.clone());
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [[0, 5], [0, 6], [1, 5], [1, 6]]);
    assert_eq!(instance.described().len(), 2);
}

/// The turns of a start are not given: the best daemon has the best ones. Only process 0 must step, and it may have the turn.
#[test]
fn the_best_daemon_has_the_best_turns() {
    let text = "protocol t\nmodel ring\nstate x : 0..2\ngoal all i : x[i] = 0\nfirst:\n  1: x = 1 -> x := 0\n\
                \x20 2: x = 2 -> x := coin\n";
    let mut question = Question::new(Scheduler::Alternating);
    question.starts = vec![Start { name: "one".into(), states: vec![1, 0, 0] }];
    let report = answered(text, 3, &question).unwrap_or_else(|stop| panic!("{stop}"));
    let from = |times: &Option<Times>| times.as_ref().unwrap().to_really_safe.as_ref().unwrap().from[0].bounds();
    let (best, worst) = (from(&report.best_expected_steps), from(&report.expected_steps));
    assert!(best.high < 1.0 + 1e-6 && worst.low > 2.0 - 1e-6, "{best:?} {worst:?}");
}
