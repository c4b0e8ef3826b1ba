//! Complete graphs as multisets: the check of a population whose agents have no identity.

use super::reaching::likely;
use crate::decision::Extreme;
use crate::expectation::{Effort, Successors, Times, chance};
use crate::memory;
use crate::merge::Merged;
use crate::question::{Claim, Claimed, Coins, Condition, Detector, Question};
use crate::report::{self, ClaimReport, Classes, Likely, Reaching, Report, Symmetry, Time, Value};
use crate::rules::{LED, Marked, Multisets, System};
use crate::search::{Fairness, Longest, Recurrence, can_reach, leaves, longest, reachable, really_safe};
use crate::space::{Bits, INCORRECT, Markov, MixedRadix, StateGraph};
use crate::survey::places::{permutation_invariant, same_faults_everywhere};
use crate::survey::subject::Subject;
use crate::{Monitor, Stop, Uncheckable};
use ringleader_erased::{PopulationInstance, RuleTable};
use ringleader_model::{Goal, Graph, Marks, Safety, Scheduler, Stabilizing as _};

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
    // A decision process is listed with agents.
    let counts = question.horizon.is_none() || question.scheduler == Scheduler::Random;
    let alike = |holds: &Condition, places: bool| exactly && !places && permutation_invariant(&**holds, states, agents);
    let claimed = |claim: &Claim| claim.claimed.set().is_some_and(|holds| alike(holds, claim.places));
    question.symmetry
        && counts
        && question.claims.iter().all(claimed)
        && question.starting.as_ref().is_none_or(|starting| alike(&starting.holds, starting.places))
        && (question.starts.is_empty() || question.scheduler == Scheduler::Random)
        && forgetful
        && plain
        && question.detector == Detector::Perfect
        && blind() != Some(false)
}

/// The reason why multisets do not suffice and the agents must be distinguished.
#[derive(Clone, Debug)]
pub enum Inconclusive {
    /// It fails, or its own safe set violates its claims. Only a check with agents produces counterexamples.
    Fails(Box<Report>),
    /// It may fail: the scheduler distinguishes arcs.
    MayFail,
    /// Multisets do not represent it: rules toss coins and a daemon chooses, variables are given, or the weights of the pairs and their
    /// outcomes exceed the counter of a step.
    Unsuited,
}

/// Checks a population on a complete graph.
pub fn check(
    algorithm: &PopulationInstance,
    complete: &Graph,
    question: &Question,
    monitor: &Monitor,
) -> Result<Result<Report, Inconclusive>, Stop> {
    let (system, states, agents) = (Subject::Population(algorithm, complete), algorithm.states(), complete.size());
    let configurations = states.checked_pow(agents as u32);
    memory::admit(RuleTable::bytes([states; 2], algorithm.tellings().len() as u64), question.memory, configurations)?;
    monitor.enter("compiling the rules", None);
    let too_many = Uncheckable::TooManyMultisets { states, agents };
    let leader: Vec<bool> = (0..states).map(|state| algorithm.marks_of(state).leader()).collect();
    let mut rules = None;
    let merged = match question.allows_merging() {
        true => {
            let merged = Merged::of(&system, &mut rules, question.reader(), monitor)?;
            merged.filter(|merged| merged.answers(question))
        }
        false => None,
    };
    let (leader, weights, table) = match &merged {
        Some(merged) => {
            let led = merged.lift_all().map(|state| leader[state as usize]).collect();
            (led, merged.partition.sizes.to_vec(), merged.quotient().remove(0))
        }
        None => {
            let mut rules = rules.map_or_else(|| system.rules(monitor), Ok)?;
            (leader, vec![1; states as usize], rules.tables.remove(0))
        }
    };
    let space = MixedRadix::new(2, leader.len() as u64).ok_or(too_many.clone())?;
    let tossing = matches!(question.scheduler, Scheduler::Unfair | Scheduler::LocallyFair) && table.tosses();
    if tossing && question.coins == Coins::Fair {
        return Ok(Err(Inconclusive::Unsuited));
    }
    if (agents as u64).pow(2).saturating_mul(table.whole().into()) >= 1 << 32 {
        return Ok(Err(Inconclusive::Unsuited));
    }
    let pair = System::new(space, vec![(0, 1, 0)], vec![table], Marked::Own(leader.clone()), false);
    let goal = algorithm.goal();
    let mut graph = Multisets::new(agents, pair, leader, weights).ok_or(too_many.clone())?;
    memory::admit(memory::of_multisets(&graph), question.memory, configurations)?;
    monitor.find(format!("{} multisets", graph.size()));
    let parts =
        Parts { graph: &graph, merged: merged.as_ref(), question, monitor, starts: None, reached: None, count: 0 };
    let starts = question.starting.as_ref().map(|starting| parts.meeting(&starting.holds));
    if let (Some(starting), Some(0)) = (&question.starting, starts.as_ref().map(Bits::count)) {
        return Err(Uncheckable::NoStart(starting.name.clone()).into());
    }
    let shares = match (graph.is_countable(), &starts) {
        (true, _) => None,
        (false, Some(starts)) => Some(graph.share(starts)),
        (false, None) => Some(graph.share(&Bits::of(graph.size(), |_| true))),
    };
    let reached = starts.as_ref().map(|starts| reachable(&graph, starts, None, monitor)).transpose()?;
    let (graph, starts, reached, count) = (&graph, starts.as_ref(), reached.as_ref(), shares.unwrap_or(0));
    let parts = Parts { graph, merged: merged.as_ref(), question, monitor, starts, reached, count };
    question.refuse_unreached(|states| parts.possible(parts.node(states)))?;
    let (correct, own) = (Bits::new(graph.size()), Bits::new(graph.size()));
    let mut judge = algorithm.judge(agents).ok_or(too_many.clone())?;
    for node in 0..graph.size() as u32 {
        let configuration = parts.states(node);
        let verdict = judge.judge(&configuration);
        if !verdict.possible {
            return Ok(Err(Inconclusive::Unsuited));
        }
        let one =
            |mark| configuration.iter().filter(|&&state| algorithm.marks_of(state.into()).contains(mark)).count() == 1;
        let as_promised = match goal {
            Goal::OneLeader => one(Marks::LEADER),
            Goal::OneToken => one(Marks::TOKEN),
            Goal::Agreement | Goal::Holds(_) => true,
        };
        if verdict.correct && as_promised && parts.possible(node) {
            correct.insert(node);
        }
        if verdict.safe && parts.possible(node) {
            own.insert(node);
        }
    }
    let label = |node: u32, turn: u32| match correct.contains(node) {
        true => u8::from(goal == Goal::OneLeader && turn == LED),
        false => INCORRECT,
    };
    let safe = really_safe(graph, label, monitor)?;
    let named = algorithm.safety() != Safety::Unknown && !question.only_goal;
    let own = if named { own } else { safe.clone() };
    let mut report = parts.begin([&safe, &own], named)?;
    let (safe, own) = (safe.with(parts.impossible()), own.with(parts.impossible()));
    report.almost_surely = question.scheduler == Scheduler::Random;
    let fails = |report: Report| Ok(Err(Inconclusive::Fails(Box::new(Report { holds: false, ..report }))));
    let mut claimed = vec![];
    for claim in &question.claims {
        let (found, set) = parts.judge(claim)?;
        report.claims.push(found);
        claimed.push(set);
    }
    let promised = report.claims.iter().all(|claim| claim.holds);
    report.holds = promised && (report.holds || question.only_claims);
    let parts = Parts { count: shares.unwrap_or(report.beginnings()), ..parts };
    let (start, node) = (|node: u32| parts.start(node), |states: &[u32]| parts.node(states));
    let (successors, among, count) = (&Successors::Single, starts, parts.count);
    let times = Times { graph, successors, start, node, question, among, count, monitor };
    // A report that fails has numbers, too: the check with agents may be refused.
    let measure = |report: &mut Report| -> Result<(), Stop> {
        for (found, set) in report.claims.iter_mut().zip(&claimed) {
            let Some(set) = set else { continue };
            let mut reaching = Reaching::default();
            match (question.scheduler, found.holds) {
                (Scheduler::Random, true) => reaching.expected_steps = Some(times.to(set, None)?.0),
                (Scheduler::Random, false) => reaching.least_probability = Some(parts.chances(set)?),
                (Scheduler::Unfair, true) => reaching.steps = parts.longest(set)?,
                _ => continue,
            }
            found.reaching = Some(reaching);
        }
        Ok(())
    };
    if question.only_claims {
        measure(&mut report)?;
        return if promised { Ok(Ok(report)) } else { fails(report) };
    }
    let converges = match question.scheduler {
        Scheduler::Unfair => {
            let to_really_safe = parts.longest(&safe)?;
            if to_really_safe.is_some() {
                let to_own_safe = parts.longest(&own)?;
                report.own_is_reached = Some(to_own_safe.is_some());
                report.steps = Some(report::Times { to_really_safe, to_own_safe });
            }
            report.steps.is_some()
        }
        Scheduler::LocallyFair => {
            let mut search = Recurrence::new(graph, &graph.pair, Fairness::Actions(question.level));
            if search.smallest(safe.missing().collect(), monitor, |_| true)?.is_some() {
                return Ok(Err(Inconclusive::MayFail));
            }
            true
        }
        _ => can_reach(graph, &safe, monitor)?.count() == graph.size(),
    };
    if converges && matches!(question.scheduler, Scheduler::Random | Scheduler::GloballyFair) {
        report.own_is_reached = Some(can_reach(graph, &own, monitor)?.count() == graph.size());
    }
    if report.almost_surely {
        match converges {
            true if report.holds => times.fill_in([&safe, &own], None, &mut report)?,
            true => {
                let to_really_safe = Some(times.to(&safe, None)?.0);
                report.expected_steps = Some(report::Times { to_really_safe, to_own_safe: None });
            }
            false => report.least_probability = Some(parts.chances(&safe)?),
        }
        times.within(&safe, converges, &mut report)?;
    }
    measure(&mut report)?;
    if converges && report.holds { Ok(Ok(report)) } else { fails(report) }
}

/// The multisets of a check.
#[derive(Clone, Copy)]
struct Parts<'a> {
    graph: &'a Multisets,
    merged: Option<&'a Merged>,
    question: &'a Question,
    monitor: &'a Monitor,
    /// If executions do not start everywhere: those at which they start, and those that they reach.
    starts: Option<&'a Bits>,
    reached: Option<&'a Bits>,
    /// The number of starts of which a mean is taken.
    count: u64,
}

impl Parts<'_> {
    /// The states of one configuration of a multiset.
    fn states(&self, node: u32) -> Vec<u32> {
        let configuration = self.graph.configuration(node);
        match self.merged {
            Some(merged) => merged.lift(&configuration),
            None => configuration,
        }
    }

    /// The multiset of a configuration.
    fn node(&self, states: &[u32]) -> u32 {
        self.graph.node_of(&self.merged.map_or(states.to_vec(), |merged| merged.lower(states)))
    }

    fn meeting(&self, holds: &Condition) -> Bits {
        Bits::of(self.graph.size(), |node| holds(&self.states(node)))
    }

    fn begins(&self, node: u32) -> bool {
        self.starts.is_none_or(|starts| starts.contains(node))
    }

    fn possible(&self, node: u32) -> bool {
        self.reached.is_none_or(|reached| reached.contains(node))
    }

    /// The start at which the longest executions begin.
    fn start(&self, node: u32) -> Vec<u32> {
        self.states(if self.begins(node) { node } else { (0..).find(|&node| self.begins(node)).unwrap_or(node) })
    }

    /// The probabilities of reaching a set.
    fn chances(&self, target: &Bits) -> Result<Likely, Stop> {
        let Parts { graph, question, monitor, .. } = *self;
        let found = chance(graph, &Successors::Single, target, Effort::of(question), monitor)?;
        let given: Vec<Vec<u32>> = question.starts.iter().map(|start| vec![self.node(&start.states)]).collect();
        let starts = (0..graph.size() as u32).filter(|&node| self.begins(node));
        Ok(likely(starts.map(|node| (node, graph.members(node) as f64)), &given, Extreme::Worst, |node| found.at(node)))
    }

    fn count(&self, set: &Bits) -> u64 {
        set.iter().fold(0, |all, node| all.saturating_add(self.graph.configurations_of(node)))
    }

    /// The report after the really safe set is known.
    fn begin(&self, [safe, own]: [&Bits; 2], named: bool) -> Result<Report, Stop> {
        let Parts { graph, merged, monitor, .. } = *self;
        let really = own.iter().all(|node| safe.contains(node));
        let closed = leaves(graph, own, monitor)?.is_none();
        let (mut silent, mut transitions, mut configurations) = (true, 0_u64, 0_u64);
        for node in self.nodes() {
            let members = graph.configurations_of(node);
            let moving = moves(graph, merged, node, members);
            silent &= moving == 0 || !own.contains(node);
            transitions = transitions.saturating_add(moving);
            configurations = configurations.saturating_add(members);
        }
        Ok(Report {
            agents: graph.agents(),
            states: merged.map_or(graph.pair.space.radix.into(), Merged::states),
            state_classes: merged.map(|merged| merged.partition.classes() as u64),
            configurations,
            starts: self.starts.map(|starts| self.count(starts)),
            classes: Some(Classes { count: self.nodes().count() as u64, symmetry: Symmetry::Permutation }),
            transitions,
            holds: really && closed,
            tosses: graph.pair.tosses(),
            really_safe: self.count(safe),
            own_is_named: named,
            own_safe: self.count(own),
            own_is_really_safe: really,
            own_is_closed: closed,
            own_is_silent: silent,
            ..Report::default()
        })
    }

    fn nodes(&self) -> impl Iterator<Item = u32> {
        (0..self.graph.size() as u32).filter(|&node| self.possible(node))
    }

    fn impossible(&self) -> impl Iterator<Item = u32> {
        (0..self.graph.size() as u32).filter(|&node| !self.possible(node))
    }

    /// The result for a claim; for a set to reach, with the nodes that no execution reaches before it.
    fn judge(&self, claim: &Claim) -> Result<(ClaimReport, Option<Bits>), Stop> {
        let (monitor, mut sought) = (self.monitor, None);
        let (set, holds) = match &claim.claimed {
            Claimed::Invariant(holds) => {
                let set = self.meeting(holds);
                self.impossible().for_each(|node| _ = set.remove(node));
                let closed = leaves(self.graph, &set, monitor)?.is_none();
                (set, closed)
            }
            Claimed::Always(holds) => {
                let set = self.meeting(holds);
                let all = self.nodes().all(|node| set.contains(node));
                (set, all)
            }
            Claimed::Eventually(holds) => {
                let set = self.meeting(holds);
                let mut wanted = set.clone();
                if let Some(starts) = self.starts {
                    // Only nodes that an execution reaches before the set matter.
                    let before = reachable(self.graph, starts, Some(&set), monitor)?;
                    wanted = wanted.with(before.missing());
                }
                let reached = match self.question.scheduler {
                    Scheduler::Unfair => {
                        matches!(longest(self.graph, &wanted, |_| 1, monitor)?, Longest::Steps { .. })
                    }
                    _ => can_reach(self.graph, &wanted, monitor)?.count() == self.graph.size(),
                };
                sought = Some(wanted);
                (set, reached)
            }
            Claimed::Recurring(_) | Claimed::Response(..) => unreachable!("these claims need the check with agents"),
        };
        self.impossible().for_each(|node| _ = set.remove(node));
        let (name, promise, configurations) = (claim.name.clone(), claim.claimed.promise(), self.count(&set));
        let (counterexample, service, reaching) = (None, None, None);
        let found = ClaimReport { name, promise, configurations, holds, counterexample, service, reaching };
        Ok((found, sought))
    }

    /// The longest executions outside a set; `None` if it is not always reached.
    fn longest(&self, target: &Bits) -> Result<Option<Time>, Stop> {
        let members = |node: u32| if self.begins(node) { self.graph.members(node) } else { 0 };
        Ok(match longest(self.graph, target, members, self.monitor)? {
            Longest::Steps { worst, worst_start, sum } => Some(Time {
                worst: Value::Steps(f64::from(worst)),
                worst_start: self.start(worst_start),
                worst_turns: None,
                mean: Value::Steps(sum as f64 / self.count as f64),
                from: vec![],
            }),
            _ => None,
        })
    }
}

/// The number of steps that change something, from all `members` configurations of a multiset; `u64::MAX` if there are as many or more.
fn moves(graph: &Multisets, merged: Option<&Merged>, node: u32, members: u64) -> u64 {
    let (mut moving, many) = (0_u64, members == u64::MAX);
    let Some(merged) = merged else {
        // A weight is the number of pairs of agents times the weight of the outcome. Here only the pairs count.
        graph.each_successor(node, &mut |e| {
            let outcome = graph.pair.outcome(e);
            moving += if e.turn == 0 { 0 } else { u64::from(e.weight / outcome.weight) };
        });
        return moving.saturating_mul(members);
    };
    let (counts, sizes) = (graph.counts(node), &merged.partition.sizes);
    for (left, right, pairs) in graph.pairs(&counts) {
        let changing = u64::from(pairs) * merged.changing(0, graph.context(&counts), left as u32, right as u32);
        let others = if many { members } else { members / (sizes[left] * sizes[right]) };
        moving = moving.saturating_add(changing.saturating_mul(others));
    }
    moving
}
