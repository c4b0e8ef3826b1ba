//! Steps common to all schedulers: closed sets, the number of steps, and whether and when a set is reached.

use super::reaching::Inquiry;
use crate::decision::Choices;
use crate::question::Detector;
use crate::report::{Classes, Counterexample, Report, SetReport, Time, Times, Value};
use crate::rules::System;
use crate::search::{Fairness, Longest, Recurrence, can_reach, leaves, longest};
use crate::space::{Bits, Edge, INCORRECT, Markov as _, Reversible, StateGraph};
use crate::survey::NamedSet;
use crate::witness::{Nodes, Scene};
use crate::{Monitor, Question, Stop, Survey};
use ringleader_model::Scheduler;
use std::collections::BTreeMap;

/// The executions that a scheduler allows, as a class.
#[derive(Clone, Copy)]
pub(super) enum Executions<'a> {
    /// A daemon chooses every step.
    Daemon,
    /// An event that is possible infinitely often happens.
    Chance {
        /// Whether steps have probabilities.
        random: bool,
    },
    /// A fair daemon chooses every step.
    Fair(Fairness),
    /// A daemon chooses, perhaps a fair one, and coins are fair.
    Coins(&'a Choices, Option<Fairness>),
}

/// Whether the scheduler and the coins make a Markov chain.
pub(super) fn is_chain(system: &System, question: &Question) -> bool {
    match question.scheduler {
        Scheduler::Random => question.detector == Detector::Perfect,
        Scheduler::Synchronous => system.tosses() && !system.chooses(),
        _ => false,
    }
}

/// Starts the report once the really safe set is known: its size, and whether the sets of the proof meet their claims. The transitions
/// are those of the scheduler, which counts them.
pub(super) fn begin<G: StateGraph>(
    scene: &Scene<'_, G>,
    own: &Bits,
    safe: &Bits,
    really: u64,
    monitor: &Monitor,
) -> Result<Report, Stop> {
    let (survey, system) = (scene.survey, &scene.survey.system);
    monitor.find(format!("{really} really safe configurations"));
    monitor.enter("closure of the sets of the proof", None);
    let unsafe_own = own.iter().find(|&node| !safe.contains(node));
    let leaving = leaves(scene.graph, own, monitor)?;
    let silent = match survey.names_safe {
        true => survey.own_safe.iter().all(|node| survey.moves(node) == 0),
        false => own.iter().all(|node| survey.moves(scene.base(node)) == 0),
    };
    let mut sets = vec![];
    for set in &survey.sets {
        sets.push(named(scene, set, monitor)?);
    }
    let own_is_wrong = unsafe_own.map(|node| scene.breach(node)).or_else(|| {
        let shows = "a step leaves the set that the algorithm's proof calls safe".to_string();
        leaving.map(|step| scene.run(shows, &vec![step], &vec![], None))
    });
    let counterexample = own_is_wrong.or_else(|| sets.iter().find_map(|set| set.counterexample.clone()));
    Ok(Report {
        agents: system.space.agents,
        states: survey.states(),
        fewest_states: survey.fewest_states(),
        state_classes: survey.merged().map(|merged| merged.partition.classes() as u64),
        configurations: survey.configurations(),
        starts: survey.starts.as_ref().map(|starts| survey.count(starts)),
        classes: system.symmetry().map(|symmetry| Classes { count: survey.nodes(), symmetry }),
        holds: counterexample.is_none(),
        tosses: system.tosses(),
        really_safe: really,
        own_is_named: survey.names_safe,
        own_safe: if survey.names_safe { survey.count(&survey.own_safe) } else { really },
        own_is_really_safe: unsafe_own.is_none(),
        own_is_closed: leaving.is_none(),
        own_is_silent: silent,
        sets,
        counterexample,
        ..Report::default()
    })
}

/// The report of a set of the proof, with a step out of it if there is one. Tokens do not matter if executions start
/// everywhere: each process is the first to step in some orientation.
fn named<G: StateGraph>(scene: &Scene<'_, G>, set: &NamedSet, monitor: &Monitor) -> Result<SetReport, Stop> {
    let (survey, system) = (scene.survey, &scene.survey.system);
    let shows = format!("a step leads out of {}", set.name);
    let counterexample = match scene.nodes {
        Nodes::Tokens(product) if scene.begun.is_some() => {
            let inside = |node: u32| scene.possible(node) && set.members.contains(product.base(node));
            let members = Bits::of(product.size(), inside);
            leaves(product, &members, monitor)?.map(|step| scene.run(shows, &vec![step], &vec![], None))
        }
        Nodes::Together(graph) => {
            leaves(graph, &set.members, monitor)?.map(|step| scene.run(shows, &vec![step], &vec![], None))
        }
        _ => {
            let plain = Scene { lead: scene.lead, begun: scene.begun, ..Scene::new(survey, system, Nodes::Plain) };
            leaves(system, &set.members, monitor)?.map(|step| plain.run(shows, &vec![step], &vec![], None))
        }
    };
    Ok(SetReport {
        name: set.name.clone(),
        claim: set.claim.clone(),
        configurations: survey.count(&set.members),
        closed: counterexample.is_none(),
        counterexample,
    })
}

/// The number of steps that change something.
pub(crate) fn moves(survey: &Survey, monitor: &Monitor) -> Result<u64, Stop> {
    let moves = |node: u32| if survey.possible(node) { survey.moves(node) } else { 0 };
    monitor.sum(survey.system.size(), 1 << 14, moves)
}

/// The number of steps, each counted with its multiplicity.
pub(crate) fn transitions(
    survey: &Survey,
    monitor: &Monitor,
    counts: impl Fn(Edge) -> u64 + Sync,
) -> Result<u64, Stop> {
    let system = &survey.system;
    let steps = |node: u32| {
        let mut steps = 0;
        if survey.possible(node) {
            system.plain_steps(system.configuration(node), |edge| steps += counts(edge));
        }
        steps * system.members(node)
    };
    monitor.sum(system.size(), 1 << 14, steps)
}

impl<G: StateGraph> Inquiry<'_, G> {
    /// Records whether every execution converges. A failure to converge takes precedence over a wrong claim about a set.
    pub(super) fn conclude(&self, report: &mut Report, failure: Option<Counterexample>) -> bool {
        let converges = failure.is_none();
        if let Some(failure) = failure {
            self.monitor.find(format!("fails: {}", failure.shows));
            report.holds = false;
            report.counterexample = Some(failure);
        } else {
            self.monitor.find("every run reaches the really safe set".into());
        }
        converges
    }

    /// The greatest length of executions, from the worst start and on average.
    pub(super) fn length(&self, found: &Longest) -> Option<Time> {
        let Longest::Steps { worst, worst_start, sum } = *found else { return None };
        Some(Time {
            worst: Value::Steps(f64::from(worst)),
            worst_start: self.scene.start(worst_start),
            worst_turns: self.scene.turns(worst_start),
            mean: Value::Steps(sum as f64 / self.count as f64),
            from: vec![],
        })
    }

    /// The longest executions outside the really safe set and outside the algorithm's own. Returns whether every execution
    /// converges.
    pub(super) fn runs(&self, [really, own]: [&Bits; 2], report: &mut Report) -> Result<bool, Stop> {
        let Inquiry { scene, monitor, .. } = *self;
        let single = scene.starts_singly();
        let members = |node: u32| if single { 1 } else { scene.starting(node) };
        let found = longest(scene.graph, really, members, monitor)?;
        let converges = self.conclude(report, scene.avoiding(&found, really, monitor)?);
        let mut times = Times { to_really_safe: self.length(&found), to_own_safe: None };
        if converges && report.own_is_closed {
            times.to_own_safe = self.length(&longest(scene.graph, own, members, monitor)?);
            report.own_is_reached = Some(times.to_own_safe.is_some());
        }
        if converges {
            report.steps = Some(times);
        }
        Ok(converges)
    }

    /// Searches for a recurring set outside the safe one. It first searches where the output is wrong and constant, because
    /// such a counterexample is easy to follow.
    pub(super) fn recurring(&self, safe: &Bits, fairness: Fairness) -> Result<Option<Counterexample>, Stop> {
        let Inquiry { scene, monitor, .. } = *self;
        let (survey, system) = (scene.survey, &scene.survey.system);
        monitor.enter("recurring sets", Some(scene.graph.size()));
        let mut search = Recurrence::new(scene.graph, system, fairness);
        let Some(mut set) = search.smallest(safe.missing().collect(), monitor, |_| true)? else { return Ok(None) };
        let mut wrong = BTreeMap::<u32, Vec<u32>>::new();
        for c in safe.missing().filter(|&c| survey.label(scene.base(c), 0) == INCORRECT) {
            wrong.entry(system.leaders(scene.configuration(c))).or_default().push(c);
        }
        for nodes in wrong.into_values() {
            if let Some(clear) = search.smallest(nodes, monitor, |_| true)? {
                set = clear;
                break;
            }
        }
        let set = search.shrink(set, monitor, |_| true)?;
        scene.covering(&set, |node, edge, visit| search.obligations(node, edge, visit)).map(Some)
    }
}

impl<G: Reversible> Inquiry<'_, G> {
    /// An execution that avoids a set for ever, if there is one.
    pub(super) fn avoiding(&self, set: &Bits) -> Result<Option<Counterexample>, Stop> {
        let Inquiry { scene, monitor, .. } = *self;
        match self.executions {
            Executions::Daemon => {
                let found = longest(scene.graph, set, |node| scene.members(node), monitor)?;
                scene.avoiding(&found, set, monitor)
            }
            Executions::Chance { .. } => scene.trap(&can_reach(scene.graph, set, monitor)?, monitor),
            Executions::Fair(fairness) => self.recurring(set, fairness),
            Executions::Coins(choices, fairness) => scene.strategy(choices, set, fairness, monitor),
        }
    }

    /// Whether the really safe set is reachable from everywhere. If so, it is reached: an event that is possible infinitely
    /// often happens.
    pub(super) fn reach(&self, safe: &Bits, report: &mut Report) -> Result<bool, Stop> {
        let failure = self.scene.trap(&can_reach(self.scene.graph, safe, self.monitor)?, self.monitor)?;
        Ok(self.conclude(report, failure))
    }

    /// Whether the algorithm's own safe set is always reached, if every execution converges. Not checked for a set that can
    /// be left.
    pub(super) fn reach_own(&self, own: &Bits, report: &mut Report) -> Result<(), Stop> {
        if report.own_is_closed {
            let graph = self.scene.graph;
            report.own_is_reached = Some(can_reach(graph, own, self.monitor)?.count() == graph.size());
        }
        Ok(())
    }
}
