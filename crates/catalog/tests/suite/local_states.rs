//! Processes of a graph that differ in their numbers of states, against the naive twin, which goes through all states of all processes.

use crate::random_texts::{Mix, Written, replayed};
use ringleader_catalog::{Catalog, Instance};
use ringleader_check::{Condition, Configurations, Monitor, Question, Report, Start, Starting, Subject, graph};
use ringleader_erased::{GraphInstance, Instance as Erased, LocalStates, Number, Parameters};
use ringleader_language::Source;
use ringleader_model::{Graph, Scheduler, Stabilizing as _};
use ringleader_testkit::configurations::{
    Moves as _, Network, Together, count, expected_steps, greatest_closed, longest, unable_to_reach,
};
use std::sync::Arc;

fn built(text: &str, on: &Graph) -> GraphInstance {
    let protocol = Source::parse("random.ring", text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
    match protocol.instance(&Parameters::new(on.size()).on(on.clone())) {
        Ok(Erased::Graph(instance)) => instance,
        _ => panic!("{text}"),
    }
}

/// A random text in which the root has one value of `x`, and a leaf has two.
fn narrowed(mix: &mut Mix) -> String {
    let text = Written::new(mix, true).text();
    let given = "state x : 0..2\ngiven x = 1 when root\ngiven x in 0..1 when degree = 1 and not root\n";
    let text = text.replace("state x : 0..2\n", given);
    text.replace(" -> x := (", " -> x := if root then 1 else min(if degree = 1 then 1 else 2, (")
        .replace(") mod 3", ") mod 3)")
}

fn asked(instance: &GraphInstance, question: &Question) -> Report {
    graph(instance, question, &Monitor::new(1)).unwrap_or_else(|stop| panic!("{stop}"))
}

#[test]
fn the_checker_agrees_with_its_twin_where_processes_differ() {
    use Scheduler::{Distributed, GloballyFair, LocallyCentral, Random, Synchronous, Unfair};
    let graphs = |sizes: std::ops::RangeInclusive<usize>| -> Vec<Graph> {
        sizes.flat_map(|size| Graph::all_connected(size).unwrap()).collect()
    };
    let (small, large) = (graphs(2..=3), graphs(4..=4));
    let (mut held, mut failed, mut differ, mut shown) = (0, 0, 0, 0);
    for seed in 0..90 {
        let mut mix = Mix(seed + 50_000);
        let graphs = if seed % 9 == 0 { &large } else { &small };
        let on = &graphs[mix.below(graphs.len() as u64) as usize];
        let text = narrowed(&mut mix);
        let instance = built(&text, on);
        let local = LocalStates::new(&instance);
        differ += u32::from(local.counts().any(|count| count != local.of(0).len() as u64));
        for (scheduler, daemon) in [
            (Unfair, Together::One),
            (Distributed, Together::Any),
            (LocallyCentral, Together::Apart),
            (Synchronous, Together::All),
            (GloballyFair, Together::One),
            (Random, Together::Random),
        ] {
            let what = format!("seed {seed}, {scheduler} on {}\n{text}", on.words());
            let report = asked(&instance, &Question::new(scheduler));
            let twin = Network::new(instance.clone(), daemon);
            let safe = greatest_closed(&twin, twin.set(|a, c| a.correct(c)), |_, _| true);
            assert_eq!(report.configurations, local.counts().product::<u64>(), "{what}");
            let sizes = (report.configurations, report.really_safe);
            assert_eq!(sizes, (twin.configurations() as u64, count(&safe) as u64), "{what}");
            let steps = longest(&twin, &safe);
            let holds = match scheduler {
                GloballyFair | Random => unable_to_reach(&twin, &safe).is_none(),
                _ => steps.is_ok(),
            };
            assert_eq!(report.holds, holds, "{what}");
            let worst = report.steps.as_ref().and_then(|times| times.to_really_safe.as_ref());
            if let (Some(worst), Ok(steps)) = (worst, steps) {
                assert_eq!(worst.worst.bounds().high, f64::from(steps), "{what}");
            }
            if scheduler == Random && holds {
                let time = report.expected_steps.as_ref().and_then(|times| times.to_really_safe.as_ref()).expect(&what);
                let steps = expected_steps(&twin, &safe);
                let known = steps.iter().copied().fold(0.0, f64::max);
                let bounds = time.worst.bounds();
                let slack = 1e-6 * (1.0 + known);
                assert!(bounds.low <= known + slack && known <= bounds.high + slack, "{what}: {bounds:?}, not {known}");
                let start = time.worst_start.iter().map(|&state| Number(state.into())).collect::<Vec<_>>();
                let at = (0..twin.len()).find(|&c| twin.configuration(c) == start).expect(&what);
                assert!(twin.exists(at) && (steps[at] - known).abs() <= slack, "{what}: {start:?}");
            }
            if let (Unfair | GloballyFair | Random, Some(run)) = (scheduler, &report.counterexample) {
                replayed(&instance, run, &what);
                shown += 1;
            }
            if holds { held += 1 } else { failed += 1 }
        }
    }
    assert!(held > 60 && failed > 60 && differ > 60 && shown > 30, "{held} {failed} {differ} {shown}");
}

/// Conditions read states, not places among the states of a process.
#[test]
fn conditions_and_listed_configurations_are_those_of_the_twin() {
    let on = Graph::parse("0 1\n1 2\n1 3").unwrap();
    let mut started = 0;
    for seed in 0..12 {
        let text = narrowed(&mut Mix(seed + 60_000));
        let (instance, local) = (built(&text, &on), LocalStates::new(&built(&text, &on)));
        let twin = Network::new(instance.clone(), Together::One);
        let last: Vec<u32> = (0..4).map(|process| local.of(process)[local.of(process).len() - 1]).collect();
        let wanted = last.clone();
        let holds: Condition = Arc::new(move |states| states[0] == wanted[0] && states[2] == wanted[2]);
        let starts = twin.set(|_, c| c[0].0 == u64::from(last[0]) && c[2].0 == u64::from(last[2]));
        let mut question = Question::new(Scheduler::Unfair);
        question.starting = Some(Starting { name: "some".into(), holds, places: true });
        let report = asked(&instance, &question);
        assert_eq!(report.starts, Some(count(&starts) as u64), "{text}");
        started += count(&starts);
        let single = Question::new(Scheduler::Unfair).without_symmetry();
        let all = Configurations::new(&Subject::Graph(&instance), &single, &Monitor::new(1)).unwrap();
        let mut listed: Vec<Vec<u32>> = (0..all.len()).map(|number| all.states(number)).collect();
        listed.sort_unstable();
        let states = |c: usize| twin.configuration(c).iter().map(|state| state.0 as u32).collect::<Vec<_>>();
        let mut known: Vec<Vec<u32>> = (0..twin.len()).filter(|&c| twin.exists(c)).map(states).collect();
        known.sort_unstable();
        assert_eq!(listed, known, "{text}");
        let mut question = Question::new(Scheduler::Random);
        question.starts = vec![Start { name: "no port".into(), states: vec![instance.states() as u32 - 1; 4] }];
        let refused = graph(&instance, &question, &Monitor::new(1)).unwrap_err().to_string();
        assert!(refused.starts_with("the configuration no port has a state that no fault produces"), "{refused}");
    }
    assert!(started >= 12, "{started}");
}

/// The product of the numbers of states, not a power of the largest.
#[test]
fn a_star_has_as_many_configurations_as_its_leaves_have() {
    let catalog = Catalog::builtin();
    let star = Graph::parse("0 1\n0 2\n0 3\n0 4\n0 5").unwrap();
    let Ok(Instance::Graph(tree)) = catalog.instance("huang-chen", &Parameters::new(6).on(star)) else { panic!() };
    let report = asked(&tree, &Question::new(Scheduler::Unfair));
    assert!(report.holds);
    assert_eq!(report.fewest_states, Some(1));
    assert_eq!((report.configurations, report.states), (5_u64.pow(5), 5));
    let large = Graph::parse(&(1..24).map(|leaf| format!("0 {leaf}\n")).collect::<String>()).unwrap();
    let Ok(Instance::Graph(tree)) = catalog.instance("huang-chen", &Parameters::new(24).on(large)) else { panic!() };
    let refused = graph(&tree, &Question::new(Scheduler::Unfair), &Monitor::new(1)).unwrap_err().to_string();
    assert!(refused.starts_with("24 processes with 1 to 23 states make about 2.1e31 configurations"), "{refused}");
}
