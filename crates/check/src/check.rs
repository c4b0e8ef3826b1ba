//! A check from beginning to end: which engine answers for which scheduler.

use crate::alternating::Alternating;
use crate::bits::Bits;
use crate::closed::{can_reach, leaves, really_safe};
use crate::expect::Steps;
use crate::failure::{Nodes, Scene};
use crate::graph::{Edge, Graph, Markov as _, Reversible};
use crate::longest::{Longest, longest};
use crate::lying::Lying;
use crate::multiset;
use crate::recur::{Fairness, Recurrence};
use crate::report::{
    Classes, Counterexample, Detector, Level, Options, Report, SetReport, Symmetry, Time, Times, Value,
};
use crate::survey::{INCORRECT, Survey};
use crate::system::System;
use crate::times;
use crate::together::{Daemon, Together};
use crate::watch::{Stop, Watch};
use ringleader_instance::{PopulationInstance, RingInstance};
use ringleader_model::{Population as _, Scheduler, Shape};
use std::collections::BTreeMap;

/// Checks a population protocol on a graph.
pub fn population(
    algorithm: &PopulationInstance,
    graph: &ringleader_model::Graph,
    options: &Options,
    watch: &Watch,
) -> Result<Report, Stop> {
    if matches!(options.scheduler, Scheduler::Alternating | Scheduler::Synchronous | Scheduler::Distributed) {
        return Err(Stop::refused(format!(
            "the {} scheduler is for rings of processes; a population protocol is checked under random, globally-fair, \
             locally-fair, fair or unfair",
            options.scheduler
        )));
    }
    let lies = options.detector == Detector::EventuallyCorrect;
    if lies && matches!(options.scheduler, Scheduler::Fair | Scheduler::Unfair) {
        return Err(Stop::refused(
            "an eventually correct detector is checked under random, globally-fair or locally-fair",
        ));
    }
    if lies && !algorithm.hears() {
        return Err(Stop::refused("this algorithm asks no leader detector: leave --oracle out"));
    }
    let mut note = "";
    if graph.shape() == Shape::Complete && multiset::applies(algorithm, options, graph.size()) {
        if let Some(report) = multiset::check(algorithm, graph.size(), options, watch)? {
            return Ok(report);
        }
        note = match options.scheduler {
            Scheduler::LocallyFair => "on multisets, which forget the arcs, this cannot be decided, and with arcs ",
            _ => "it fails, but a run that shows it cannot be found at this size: ",
        };
    }
    let survey = Survey::population(algorithm, graph, options, watch).map_err(|stop| match stop {
        Stop::Refused(reason) => Stop::refused(format!("{note}{reason}")),
        stop => stop,
    })?;
    check(&survey, options, watch)
}

/// Checks a ring of processes.
pub fn ring(algorithm: &RingInstance, size: usize, options: &Options, watch: &Watch) -> Result<Report, Stop> {
    if options.detector == Detector::EventuallyCorrect {
        return Err(Stop::refused("a ring of processes asks no leader detector: leave --oracle out"));
    }
    check(&Survey::ring(algorithm, size, options, watch)?, options, watch)
}

/// Checks a system that has been surveyed.
pub fn check(survey: &Survey, options: &Options, watch: &Watch) -> Result<Report, Stop> {
    watch.find(format!("{} configurations", survey.configurations()));
    match options.scheduler {
        Scheduler::Alternating => alternating(survey, watch),
        Scheduler::Synchronous => together(survey, Daemon::Synchronous, options, watch),
        Scheduler::Distributed => together(survey, Daemon::Distributed, options, watch),
        Scheduler::RoundRobin | Scheduler::Timed => Err(Stop::refused(format!(
            "the checker does not take the {} scheduler; it takes random, globally-fair, locally-fair, fair, unfair, \
             alternating, synchronous and distributed",
            options.scheduler
        ))),
        _ => single_steps(survey, options, watch),
    }
}

/// Schedulers under which any site may step: the graph is the system itself.
fn single_steps(survey: &Survey, options: &Options, watch: &Watch) -> Result<Report, Stop> {
    let system = &survey.system;
    let safe = really_safe(system, |node, turn| survey.label(node, turn), watch)?;
    let scene = Scene { survey, graph: system, nodes: Nodes::Plain };
    let mut report = begin(&scene, &survey.own_safe, &safe, survey.count(&safe), watch)?;
    let own = survey.own_safe.clone();
    [&safe, &own].into_iter().for_each(|set| survey.dismiss(set, |c, visit| visit(c)));
    match options.scheduler {
        Scheduler::Unfair => runs(&scene, [&safe, &own], &mut report, watch)?,
        Scheduler::Fair | Scheduler::LocallyFair => {
            let fairness = match (options.scheduler, options.level) {
                (Scheduler::Fair, _) => Fairness::Agents,
                (_, Level::Transition) => Fairness::Transitions,
                (_, Level::Rule) => Fairness::Rules,
                (_, Level::Arc) => Fairness::Arcs,
            };
            let failure = recurring(&scene, &safe, fairness, watch)?;
            conclude(&mut report, failure, watch);
            lie(survey, options, fairness, &mut report, watch)?;
        }
        _ => {
            report.almost_surely = options.scheduler == Scheduler::Random;
            reach(&scene, &safe, &mut report, watch)?;
            lie(survey, options, Fairness::Steps, &mut report, watch)?;
            reach_own(&scene, &own, &mut report, watch)?;
            if report.holds && options.scheduler == Scheduler::Random && options.detector == Detector::Perfect {
                let steps = Steps::new(system, watch)?;
                let start = |node: u32| scene.digits(node);
                times::expected(system, &steps, [&safe, &own], start, options, &mut report, watch)?;
            }
        }
    }
    Ok(report)
}

/// Whether the really safe set can be reached from everywhere. If so it is: what can happen again and again will.
fn reach<G: Reversible>(scene: &Scene<'_, G>, safe: &Bits, report: &mut Report, watch: &Watch) -> Result<(), Stop> {
    let failure = scene.trap(&can_reach(scene.graph, safe, watch)?, watch)?;
    conclude(report, failure, watch);
    Ok(())
}

fn reach_own<G: Reversible>(scene: &Scene<'_, G>, own: &Bits, report: &mut Report, watch: &Watch) -> Result<(), Stop> {
    if report.holds && report.own_is_closed {
        report.own_is_reached = Some(can_reach(scene.graph, own, watch)?.count() == scene.graph.size());
    }
    Ok(())
}

fn alternating(survey: &Survey, watch: &Watch) -> Result<Report, Stop> {
    let system = &survey.system;
    let product = Alternating::new(system)
        .ok_or_else(|| Stop::refused("2^32 or more configurations with tokens; try a smaller size"))?;
    let safe = really_safe(&product, |node, turn| survey.label(product.base(node), turn), watch)?;
    let own = Bits::new(product.size());
    for base in survey.own_safe.iter() {
        product.orientations().for_each(|turns| assert!(own.insert(product.node(base, turns))));
    }
    // Counted as really safe is what is so whatever the tokens.
    let whatever = |base: &u32| product.orientations().all(|turns| safe.contains(product.node(*base, turns)));
    let really = (0..system.size() as u32).filter(whatever).map(|base| system.members(base)).sum();
    let scene = Scene { survey, graph: &product, nodes: Nodes::Tokens(&product) };
    let mut report = begin(&scene, &own, &safe, really, watch)?;
    for set in [&safe, &own] {
        survey.dismiss(set, |base, visit| {
            product.orientations().for_each(|turns| visit(product.node(base, turns)));
        });
    }
    report.product_states = Some(report.configurations * product.count());
    report.transitions = transitions(survey, watch, |_, edge| product.chances(edge.site as usize))?;
    runs(&scene, [&safe, &own], &mut report, watch)?;
    Ok(report)
}

/// Daemons under which several processes step at once.
///
/// With coins the synchronous daemon makes a Markov chain: there is nothing to schedule, and the set is reached with
/// probability 1 or not. Where the scheduler chooses between rules, or picks who steps, every outcome is possible, of coins too.
fn together(survey: &Survey, daemon: Daemon, options: &Options, watch: &Watch) -> Result<Report, Stop> {
    let graph = Together::new(&survey.system, daemon, options.memory, watch)?;
    let safe = really_safe(&graph, |node, turn| survey.label(node, turn), watch)?;
    let scene = Scene { survey, graph: &graph, nodes: Nodes::Together(&graph) };
    let mut report = begin(&scene, &survey.own_safe, &safe, safe.count(), watch)?;
    report.transitions = (0..graph.size() as u32).filter(|&node| survey.possible(node)).fold(0, |mut sum, node| {
        graph.successors(node, |e| sum += u64::from(daemon == Daemon::Synchronous || e.moves(node)));
        sum
    });
    let own = survey.own_safe.clone();
    [&safe, &own].into_iter().for_each(|set| survey.dismiss(set, |c, visit| visit(c)));
    if !graph.is_markov() {
        runs(&scene, [&safe, &own], &mut report, watch)?;
        return Ok(report);
    }
    report.almost_surely = true;
    reach(&scene, &safe, &mut report, watch)?;
    reach_own(&scene, &own, &mut report, watch)?;
    if report.holds {
        let start = |node: u32| scene.digits(node);
        times::expected(&graph, &Steps::Single, [&safe, &own], start, options, &mut report, watch)?;
    }
    Ok(report)
}

/// What is known once the really safe set is: its size, and whether the sets of the proof are what they claim to be.
fn begin<G: Graph>(scene: &Scene<'_, G>, own: &Bits, safe: &Bits, really: u64, watch: &Watch) -> Result<Report, Stop> {
    let (survey, system) = (scene.survey, &scene.survey.system);
    watch.find(format!("{really} really safe configurations"));
    watch.enter("whether the sets of the proof are closed", None);
    let unsafe_own = own.iter().find(|&node| !safe.contains(node));
    let leaving = leaves(scene.graph, own, watch)?;
    let mut silent = true;
    survey.own_safe.iter().for_each(|c| system.successors(c, |e| silent &= !e.moves(c)));
    let mut sets = vec![];
    for set in &survey.sets {
        let closed = match scene.nodes {
            Nodes::Together(graph) => leaves(graph, &set.members, watch)?.is_none(),
            _ => leaves(system, &set.members, watch)?.is_none(),
        };
        let configurations = survey.count(&set.members);
        sets.push(SetReport { name: set.name.clone(), claim: set.claim.clone(), configurations, closed });
    }
    let counterexample = unsafe_own.map(|node| scene.breach(node)).or_else(|| {
        let shows = "a step leaves the set that the algorithm's proof calls safe".to_string();
        leaving.map(|step| scene.run(shows, &vec![step], &vec![], None))
    });
    Ok(Report {
        agents: system.space().agents(),
        states: u64::from(system.space().radix()),
        configurations: survey.configurations(),
        classes: system.is_folded().then(|| Classes { count: system.size(), symmetry: Symmetry::Rotation }),
        product_states: None,
        transitions: transitions(survey, watch, |node, edge| u64::from(edge.moves(node)))?,
        holds: counterexample.is_none() && sets.iter().all(|s| s.closed),
        almost_surely: false,
        really_safe: really,
        own_safe: survey.count(&survey.own_safe),
        own_is_really_safe: unsafe_own.is_none(),
        own_is_closed: leaving.is_none(),
        own_is_silent: silent,
        own_is_reached: None,
        sets,
        steps: None,
        expected_steps: None,
        counterexample,
    })
}

/// How many steps there are, each as often as it counts.
fn transitions(survey: &Survey, watch: &Watch, counts: impl Fn(u32, Edge) -> u64 + Sync) -> Result<u64, Stop> {
    let system = &survey.system;
    let count = |count: &mut u64, range: std::ops::Range<u64>| {
        for node in range.map(|node| node as u32).filter(|&node| survey.possible(node)) {
            let mut moves = 0;
            system.successors(node, |e| moves += counts(node, e));
            *count += moves * system.members(node);
        }
    };
    Ok(watch.blocks(system.size(), 1 << 14, count, || 0)?.into_iter().sum())
}

/// A failure to converge weighs more than a wrong claim about a set.
fn conclude(report: &mut Report, failure: Option<Counterexample>, watch: &Watch) {
    if let Some(failure) = failure {
        watch.find(format!("fails: {}", failure.shows));
        report.holds = false;
        report.counterexample = Some(failure);
    } else {
        watch.find("every run reaches the really safe set".into());
    }
}

/// The longest runs outside the really safe set and outside the algorithm's own.
fn runs<G: Graph>(scene: &Scene<'_, G>, targets: [&Bits; 2], report: &mut Report, watch: &Watch) -> Result<(), Stop> {
    let [really, own] = targets;
    let starts = report.product_states.unwrap_or(report.configurations) as f64;
    let time = |found: &Longest| match *found {
        Longest::Steps { worst, worst_start, sum } => Some(Time {
            worst: Value::Steps(f64::from(worst)),
            worst_start: scene.digits(worst_start),
            worst_turns: scene.turns(worst_start),
            mean: Value::Steps(sum as f64 / starts),
        }),
        _ => None,
    };
    let members = |node: u32| scene.members(node);
    let found = longest(scene.graph, really, members, watch)?;
    let failure = match found {
        Longest::Steps { .. } => None,
        Longest::Cycle(node) => Some(scene.cycle(node, really, watch)?),
        Longest::Stuck(node) => Some(scene.stuck(node)),
    };
    let holds = failure.is_none();
    conclude(report, failure, watch);
    let mut times = Times { to_really_safe: time(&found), to_own_safe: None };
    if holds && report.own_is_closed {
        times.to_own_safe = time(&longest(scene.graph, own, members, watch)?);
        report.own_is_reached = Some(times.to_own_safe.is_some());
    }
    if holds {
        report.steps = Some(times);
    }
    Ok(())
}

/// Looks for a recurring set outside the safe one, first where the output is wrong and does not change, so that the
/// counterexample is easy to follow.
fn recurring(
    scene: &Scene<'_, System>,
    safe: &Bits,
    fairness: Fairness,
    watch: &Watch,
) -> Result<Option<Counterexample>, Stop> {
    let (survey, system) = (scene.survey, scene.graph);
    watch.enter("recurring sets", Some(system.size()));
    let mut search = Recurrence::new(system, system, fairness);
    let Some(mut set) = search.smallest(safe.missing().collect(), watch, |_| true)? else { return Ok(None) };
    let mut wrong = BTreeMap::<u32, Vec<u32>>::new();
    for c in safe.missing().filter(|&c| survey.label(c, 0) == INCORRECT) {
        wrong.entry(system.leaders(c)).or_default().push(c);
    }
    for nodes in wrong.into_values() {
        if let Some(clear) = search.smallest(nodes, watch, |_| true)? {
            set = clear;
            break;
        }
    }
    let set = search.shrink(set, watch, |_| true)?;
    scene.covering(&set, |node, edge, visit| search.obligations(node, edge, visit)).map(Some)
}

/// With a detector that may lie, leaders must not come and go for ever either.
fn lie(survey: &Survey, options: &Options, fairness: Fairness, report: &mut Report, watch: &Watch) -> Result<(), Stop> {
    if options.detector == Detector::Perfect || !report.holds {
        return Ok(());
    }
    let graph = Lying::new(&survey.system)
        .ok_or_else(|| Stop::refused("too many configurations with inputs: 2^32 or more; try a smaller size"))?;
    report.product_states = Some(graph.size());
    watch.enter("recurring sets under a lying detector", Some(graph.size()));
    let mut search = Recurrence::new(&graph, &survey.system, fairness);
    let mixed = |set: &[u32]| graph.mixed(set);
    let possible = |node: &u32| survey.possible(graph.node(*node).0);
    if let Some(set) = search.smallest((0..graph.size() as u32).filter(possible).collect(), watch, mixed)? {
        let set = search.shrink(set, watch, mixed)?;
        let scene = Scene { survey, graph: &graph, nodes: Nodes::Told(&graph) };
        let failure = scene.covering(&set, |node, edge, visit| search.obligations(node, edge, visit))?;
        conclude(report, Some(failure), watch);
    }
    Ok(())
}
