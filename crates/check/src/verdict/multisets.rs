//! Complete graphs as multisets: the check of a population whose agents have no identity.

use crate::expectation::{Successors, Times};
use crate::memory;
use crate::merge::Merged;
use crate::question::{Coins, Detector, Question};
use crate::report::{self, Classes, Report, Symmetry, Time, Value};
use crate::rules::{LED, Marked, Multisets, System};
use crate::search::{Longest, Recurrence, can_reach, leaves, longest, really_safe};
use crate::space::{Bits, INCORRECT, Markov, MixedRadix, StateGraph};
use crate::survey::places::{permutation_invariant, same_faults_everywhere};
use crate::{Monitor, Stop, Uncheckable};
use ringleader_erased::{PopulationInstance, RuleTable};
use ringleader_model::{Goal, Marks, Safety, Scheduler, Stabilizing as _};

/// Local fairness distinguishes arcs, and multisets do not. Up to this many configurations the check uses arcs.
const MOST_WITH_ARCS: u64 = 1 << 16;

/// Whether multisets can decide a check of a complete graph of `agents` agents.
pub(crate) fn applies(algorithm: &PopulationInstance, question: &Question, agents: usize) -> bool {
    let states = algorithm.states();
    let exactly = matches!(question.scheduler, Scheduler::Random | Scheduler::GloballyFair | Scheduler::Unfair);
    let large = states.checked_pow(agents as u32).is_none_or(|configurations| configurations > MOST_WITH_ARCS);
    let forgetful = exactly || (question.scheduler == Scheduler::LocallyFair && large);
    // Other sets of the proof, and places that faults spare, need the check with agents.
    let plain = algorithm.set_names().iter().all(|(name, _)| name == "safe");
    let blind = || {
        let mut judge = algorithm.judge(agents)?;
        let invariant = permutation_invariant(|digits| judge.judge(digits), states, agents);
        Some(same_faults_everywhere(algorithm, states, agents) && invariant)
    };
    question.symmetry
        && question.claims.is_empty()
        && (question.starts.is_empty() || question.scheduler == Scheduler::Random)
        && forgetful
        && plain
        && question.detector == Detector::Perfect
        && blind() != Some(false)
}

/// The reason why multisets do not suffice and the agents must be distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inconclusive {
    /// It fails, or may fail under a scheduler that distinguishes arcs, or its own safe set violates its claims. Only a
    /// check with agents produces counterexamples.
    Fails,
    /// The rules toss coins, and a daemon chooses.
    Tossing,
    /// Some variables are given, and multisets do not represent them.
    Given,
    /// The weights of the pairs and their outcomes exceed the counter of a step.
    Heavy,
}

/// Checks a population on a complete graph of `agents` agents.
pub fn check(
    algorithm: &PopulationInstance,
    agents: usize,
    question: &Question,
    monitor: &Monitor,
) -> Result<Result<Report, Inconclusive>, Stop> {
    let states = algorithm.states();
    let configurations = states.checked_pow(agents as u32);
    memory::admit(RuleTable::bytes(states, algorithm.tellings().len() as u64), question.memory, configurations)?;
    monitor.enter("compiling the rules", None);
    let too_many = Uncheckable::TooManyMultisets { states, agents };
    let leader: Vec<bool> = (0..states).map(|state| algorithm.marks_of(state).leader()).collect();
    algorithm.check_declarations()?;
    let merged = match question.allows_merging() {
        true => {
            let merged = Merged::population(algorithm, agents, question.reader(), monitor)?;
            merged.filter(|merged| merged.answers(question))
        }
        false => None,
    };
    let (leader, weights, table) = match &merged {
        Some(merged) => {
            let led = merged.lift_all().map(|state| leader[state as usize]).collect();
            (led, merged.partition.sizes().to_vec(), merged.quotient().remove(0))
        }
        None => {
            let table = RuleTable::population_while(algorithm, &|| monitor.check().is_ok())?;
            (leader, vec![1; states as usize], table)
        }
    };
    let space = MixedRadix::new(2, leader.len() as u64).ok_or(too_many.clone())?;
    let tossing = matches!(question.scheduler, Scheduler::Unfair | Scheduler::LocallyFair) && table.tosses();
    if tossing && question.coins == Coins::Fair {
        return Ok(Err(Inconclusive::Tossing));
    }
    if (agents as u64).pow(2).saturating_mul(table.whole().into()) >= 1 << 32 {
        return Ok(Err(Inconclusive::Heavy));
    }
    let pair = System::new(space, vec![(0, 1, 0)], vec![table], Marked::Own(leader.clone()), false);
    let goal = algorithm.goal();
    let graph = Multisets::new(agents, pair, leader, weights).ok_or(too_many.clone())?;
    let states_of = |node: u32| {
        let configuration = graph.configuration(node);
        merged.as_ref().map_or_else(|| configuration.clone(), |merged| merged.lift(&configuration))
    };
    memory::admit(memory::of_multisets(&graph), question.memory, configurations)?;
    monitor.find(format!("{} configurations, {} multisets", graph.configurations(), graph.size()));
    let (correct, own) = (Bits::new(graph.size()), Bits::new(graph.size()));
    let mut judge = algorithm.judge(agents).ok_or(too_many.clone())?;
    for node in 0..graph.size() as u32 {
        let configuration = states_of(node);
        let verdict = judge.judge(&configuration);
        if !verdict.possible {
            return Ok(Err(Inconclusive::Given));
        }
        let one =
            |mark| configuration.iter().filter(|&&state| algorithm.marks_of(state.into()).contains(mark)).count() == 1;
        let as_promised = match goal {
            Goal::OneLeader => one(Marks::LEADER),
            Goal::OneToken => one(Marks::TOKEN),
            Goal::Agreement | Goal::Holds(_) => true,
        };
        if verdict.correct && as_promised {
            correct.insert(node);
        }
        if verdict.safe {
            own.insert(node);
        }
    }
    let label = |node: u32, turn: u32| match correct.contains(node) {
        true => u8::from(goal == Goal::OneLeader && turn == LED),
        false => INCORRECT,
    };
    let safe = really_safe(&graph, label, monitor)?;
    let named = algorithm.safety() != Safety::Unknown && !question.only_goal;
    let own = if named { own } else { safe.clone() };
    let Some(mut report) = begin(&graph, merged.as_ref(), [&safe, &own], named, monitor)? else {
        return Ok(Err(Inconclusive::Fails));
    };
    let start = states_of;
    match question.scheduler {
        Scheduler::Unfair => report.steps = runs(&graph, [&safe, &own], start, &mut report.own_is_reached, monitor)?,
        Scheduler::LocallyFair => {
            let mut search = Recurrence::new(&graph, graph.pair(), question.level.into());
            if search.smallest(safe.missing().collect(), monitor, |_| true)?.is_some() {
                return Ok(Err(Inconclusive::Fails));
            }
        }
        _ if can_reach(&graph, &safe, monitor)?.count() < graph.size() => return Ok(Err(Inconclusive::Fails)),
        Scheduler::Random | Scheduler::GloballyFair => {
            report.own_is_reached = Some(can_reach(&graph, &own, monitor)?.count() == graph.size());
        }
        _ => {}
    }
    report.almost_surely = question.scheduler == Scheduler::Random;
    if report.almost_surely {
        let (successors, configurations) = (&Successors::Single, report.configurations);
        let node = |states: &[u32]| graph.node_of(&merged.as_ref().map_or(states.to_vec(), |m| m.lower(states)));
        let times = Times { graph: &graph, successors, start, node, question, configurations, monitor };
        times.fill_in([&safe, &own], None, &mut report)?;
    }
    let holds = question.scheduler != Scheduler::Unfair || report.steps.is_some();
    Ok(if holds { Ok(report) } else { Err(Inconclusive::Fails) })
}

/// The report after the really safe set is known; `None` if the own safe set violates its claims.
fn begin(
    graph: &Multisets,
    merged: Option<&Merged>,
    [safe, own]: [&Bits; 2],
    named: bool,
    monitor: &Monitor,
) -> Result<Option<Report>, Stop> {
    if own.iter().any(|node| !safe.contains(node)) || leaves(graph, own, monitor)?.is_some() {
        return Ok(None);
    }
    let count = |set: &Bits| set.iter().map(|node| graph.members(node)).sum();
    let (mut silent, mut transitions) = (true, 0);
    for node in 0..graph.size() as u32 {
        let moving = moves(graph, merged, node);
        silent &= moving == 0 || !own.contains(node);
        transitions += moving;
    }
    Ok(Some(Report {
        agents: graph.agents(),
        states: merged.map_or(graph.pair().space().radix().into(), Merged::states),
        state_classes: merged.map(|merged| merged.partition.classes() as u64),
        configurations: graph.configurations(),
        classes: Some(Classes { count: graph.size(), symmetry: Symmetry::Permutation }),
        transitions,
        holds: true,
        tosses: graph.pair().tosses(),
        really_safe: count(safe),
        own_is_named: named,
        own_safe: count(own),
        own_is_really_safe: true,
        own_is_closed: true,
        own_is_silent: silent,
        ..Report::default()
    }))
}

/// The number of steps that change something, from all configurations of a multiset.
fn moves(graph: &Multisets, merged: Option<&Merged>, node: u32) -> u64 {
    let (mut moving, members) = (0, graph.members(node));
    let Some(merged) = merged else {
        // A weight is the number of pairs of agents times the weight of the outcome. Here only the pairs count.
        graph.each_successor(node, &mut |e| {
            let outcome = graph.pair().outcome(e);
            moving += if e.turn == 0 { 0 } else { u64::from(e.weight / outcome.weight) };
        });
        return moving * members;
    };
    let (counts, sizes) = (graph.counts(node), merged.partition.sizes());
    for (left, right, pairs) in graph.pairs(&counts) {
        let changing = merged.changing(0, graph.context(&counts), left as u32, right as u32);
        moving += u64::from(pairs) * changing * (members / (sizes[left] * sizes[right]));
    }
    moving
}

/// The longest executions outside both sets; `None` if the first is not always reached.
fn runs(
    graph: &Multisets,
    targets: [&Bits; 2],
    start: impl Fn(u32) -> Vec<u32>,
    reached: &mut Option<bool>,
    monitor: &Monitor,
) -> Result<Option<report::Times>, Stop> {
    let time = |target: &Bits| -> Result<Option<Time>, Stop> {
        Ok(match longest(graph, target, |node| graph.members(node), monitor)? {
            Longest::Steps { worst, worst_start, sum } => Some(Time {
                worst: Value::Steps(f64::from(worst)),
                worst_start: start(worst_start),
                worst_turns: None,
                mean: Value::Steps(sum as f64 / graph.configurations() as f64),
                from: vec![],
            }),
            _ => None,
        })
    };
    let Some(really) = time(targets[0])? else { return Ok(None) };
    let own = time(targets[1])?;
    *reached = Some(own.is_some());
    Ok(Some(report::Times { to_really_safe: Some(really), to_own_safe: own }))
}
