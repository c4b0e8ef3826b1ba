//! The corpus, by the engines that are shipped: every case that suits one.

use ringleader_catalog::{Catalog, Instance};
use ringleader_check::{Detector, Monitor, Question, Report, Value};
use ringleader_erased::Kind;
use ringleader_explore::{Options, Space};
use ringleader_simulate::network::{Campaign, Source};
use ringleader_testkit::configurations::graph;
use ringleader_testkit::corpus::{Case, corpus};

/// More states than this take longer than a test may; their counts are in docs/results.
const MOST_STATES: u64 = 1_000_000;

/// The cases about algorithms of these kinds that are not about refusals.
fn cases(kinds: &[Kind]) -> Vec<(Case, Instance)> {
    let catalog = Catalog::builtin();
    let about = |case: &Case| kinds.contains(&catalog.card(&case.algorithm).expect("an algorithm").kind);
    let told = |case: Case| {
        let parameters = case.parameters();
        let instance = match &case.reading {
            Some(reading) => catalog.read(&case.algorithm, &parameters, reading).map(Instance::Message),
            None => catalog.instance(&case.algorithm, &parameters),
        };
        let instance = instance.unwrap_or_else(|refusal| panic!("{refusal}: {case:?}"));
        (case, instance)
    };
    corpus().into_iter().filter(|case| case.expect != "refused" && about(case)).map(told).collect()
}

#[test]
fn what_is_to_be_refused_is() {
    let catalog = Catalog::builtin();
    let refused: Vec<Case> = corpus().into_iter().filter(|case| case.expect == "refused").collect();
    for case in &refused {
        assert!(catalog.supports(&case.algorithm, &case.parameters()).is_err(), "{case:?} is not refused");
    }
    assert!(refused.len() >= 10, "only {} refusals", refused.len());
}

fn checked(case: &Case, instance: &Instance) -> Report {
    let scheduler = case.scheduler.as_deref().expect("a scheduler").parse().expect("a scheduler");
    let detector = match case.oracle.as_deref() {
        None | Some("perfect") => Detector::Perfect,
        Some("eventually-correct") => Detector::EventuallyCorrect,
        Some(other) => panic!("no detector is called {other}"),
    };
    let mut question = Question::new(scheduler);
    question.detector = detector;
    let card = Catalog::builtin().card(&case.algorithm).expect("an algorithm");
    let report = match instance {
        Instance::Population(algorithm) => {
            let graph = graph(case.parameters().layers.topology(card), case.size);
            ringleader_check::population(algorithm, &graph, &question, &Monitor::new(2))
        }
        Instance::Ring(algorithm) => ringleader_check::ring(algorithm, case.size, &question, &Monitor::new(2)),
        Instance::Graph(algorithm) => ringleader_check::graph(algorithm, &question, &Monitor::new(2)),
        _ => panic!("not a case for the checker"),
    };
    report.unwrap_or_else(|stop| panic!("{stop}: {case:?}"))
}

#[test]
fn the_checker_agrees_with_the_corpus() {
    let cases = cases(&[Kind::Population, Kind::Ring, Kind::Graph]);
    for (case, instance) in &cases {
        let report = checked(case, instance);
        assert_eq!(if report.holds { "holds" } else { "fails" }, case.expect, "{case:?}");
        case.holds_against("configurations", case.configurations, report.configurations);
        case.holds_against("really safe", case.really_safe, report.really_safe);
        case.holds_against("own safe", case.own_safe, report.own_safe);
        for set in &report.sets {
            case.holds_against(&set.name, case.closed_sets.get(&set.name).copied(), set.configurations);
        }
        let bounds = |value: &Value| (value.bounds().low, value.bounds().high);
        let own = report.steps.as_ref().and_then(|steps| steps.to_own_safe.as_ref());
        if let Some(time) = own {
            case.lies_between("worst steps", case.worst_steps, bounds(&time.worst));
        }
        let really = report.expected_steps.as_ref().and_then(|steps| steps.to_really_safe.as_ref());
        if let Some(time) = really {
            case.lies_between("worst expected steps", case.worst_expected_steps, bounds(&time.worst));
            case.lies_between("mean expected steps", case.mean_expected_steps, bounds(&time.mean));
        }
        assert!(case.worst_expected_steps.is_none() || really.is_some(), "no expected steps: {case:?}");
        assert!(case.worst_steps.is_none() || own.is_some(), "no worst steps: {case:?}");
    }
    assert!(cases.len() > 40, "only {} cases", cases.len());
}

#[test]
fn the_explorer_agrees_with_the_corpus() {
    let cases = cases(&[Kind::Message]);
    let mut explored = 0;
    for (case, instance) in cases.iter().filter(|(case, _)| case.states.is_none_or(|states| states <= MOST_STATES)) {
        let Instance::Message(algorithm) = instance else { panic!("not a case for the explorer") };
        let channels = case.channels.as_deref().expect("channels").parse().expect("channels");
        let options = Options { channels, ..Options::default() };
        let space = Space::explore(algorithm, &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}: {case:?}"));
        case.holds_against("states", case.states, space.states().expect("all are stored"));
        case.holds_against("transitions", case.transitions, space.summary().transitions.expect("none are left out"));
        let two = space.first(|state| state.leaders() > 1);
        let none = space.first(|state| state.stopped() && !state.cut_off() && state.leaders() != 1);
        let names = algorithm.invariant_names();
        let broken = (0..names.len()).find(|&number| space.first(|state| !state.holds(number)).is_some());
        let holds = two.is_none() && none.is_none() && broken.is_none();
        assert_eq!(if holds { "holds" } else { "fails" }, case.expect, "{case:?}");
        explored += 1;
    }
    assert!(explored > 50, "only {explored} cases");
}

/// "settles": every one of 20 runs does. "does not settle": some run does not within 2000 δ.
#[test]
fn the_network_agrees_with_the_corpus() {
    let cases = cases(&[Kind::Robust]);
    for (case, instance) in &cases {
        let Instance::Robust(algorithm) = instance else { panic!("not a case for the network") };
        let source = match (&case.system, &case.adversary) {
            (Some(system), None) => Source::System(system.parse().unwrap()),
            (None, Some(adversary)) => Source::Adversary(adversary.parse().unwrap()),
            _ => panic!("a case has a system or an adversary: {case:?}"),
        };
        let settles = match case.expect.as_str() {
            "settles" => true,
            "does not settle" => false,
            other => panic!("expect is \"settles\" or \"does not settle\", not {other:?}"),
        };
        let horizon = if settles { None } else { Some(2000) };
        let campaign = Campaign { crashes: case.crash, horizon, ..Campaign::new(source, 1) };
        let outcomes = campaign.all(&**algorithm, 20, 2, |_| true);
        let settled: Vec<_> = outcomes.iter().filter_map(|(_, o)| o.settled.as_ref()).collect();
        assert_eq!(settled.len() == outcomes.len(), settles, "{} settled: {case:?}", settled.len());
        if let Some(links) = case.final_links {
            assert!(settled.iter().all(|s| s.links.len() == links), "{case:?}");
        }
    }
    assert!(cases.len() >= 10, "only {} cases", cases.len());
}
