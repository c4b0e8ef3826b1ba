//! The strategy of a daemon that keeps a run in a set for ever, or as long as it can, for every outcome of the coins.

use super::Scene;
use crate::decision::{Choices, EndComponent, end_components};
use crate::report::{Choice, Counterexample, Situation, Step};
use crate::schedule::Daemon;
use crate::search::Fairness;
use crate::space::{Bits, Edge, INCORRECT, NOBODY, StateGraph};
use crate::{Monitor, Stop};
use ringleader_model::trace::Actor;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

/// The work for a small strategy: outcomes that are looked at.
const WORK: u64 = 50_000_000;
/// The steps of the execution that shows a strategy.
const SHOWN: usize = 24;
/// The strategies with one choice in each configuration that are tried.
const TRIES: u64 = 8;

impl<G: StateGraph> Scene<'_, G> {
    /// The strategy that keeps a run outside a set for ever, with the failure there, if there is one.
    pub(crate) fn strategy(
        &self,
        choices: &Choices,
        set: &Bits,
        fairness: Option<Fairness>,
        monitor: &Monitor,
    ) -> Result<Option<Counterexample>, Stop> {
        let Some(run) = self.situations(choices, set, fairness, monitor)? else { return Ok(None) };
        let wrong = |situation: &&Situation| {
            self.survey.label(self.survey.system.space.encode(&situation.states), 0) == INCORRECT
        };
        let goal = match run.strategy.iter().filter(wrong).count() {
            0 => "the goal is met now, but not for ever",
            wrong if wrong == run.strategy.len() => "the goal is never met",
            _ => "the goal is met and lost again",
        };
        let shows = match &run.strategy[..] {
            [one] if one.choices.is_empty() => format!("{goal}: no step changes anything"),
            [_] => format!("{goal}: the daemon keeps the execution in one configuration for ever"),
            all => {
                let count = all.len();
                format!(
                    "{goal}: the daemon keeps the execution in {count} configurations for ever, for every outcome of the coins"
                )
            }
        };
        Ok(Some(Counterexample { shows, ..run }))
    }

    /// The strategy that keeps an execution outside a set as long as a fair daemon wants, if there is one. Fairness binds no finite part
    /// of an execution, so the daemon can delay as long as an unfair one.
    pub(crate) fn delay(
        &self,
        choices: &Choices,
        set: &Bits,
        monitor: &Monitor,
    ) -> Result<Option<Counterexample>, Stop> {
        let Some(run) = self.situations(choices, set, None, monitor)? else { return Ok(None) };
        let count = run.strategy.len();
        let where_to = if count == 1 { "one configuration".into() } else { format!("{count} configurations") };
        let shows = format!("the daemon delays convergence in {where_to} as long as it wants, but not for ever");
        Ok(Some(Counterexample { shows, ..run }))
    }

    /// The choices by which a daemon makes the executions from a configuration longest until they reach a set. `left` has the expected steps
    /// that are left; there is no end component outside the set, so a daemon that always leaves the most of them attains them.
    pub(crate) fn longest(
        &self,
        choices: &Choices,
        start: u32,
        set: &Bits,
        left: impl Fn(u32) -> f64,
    ) -> Counterexample {
        let mean = |choice: u32| {
            let outcomes = choices.targets(choice).iter().zip(choices.weights(choice));
            let [sum, whole] = outcomes.fold([0.0; 2], |[sum, whole], (&to, &weight)| {
                [sum + f64::from(weight) * left(to), whole + f64::from(weight)]
            });
            sum / whole
        };
        let (mut nodes, mut strategy, mut met) = (VecDeque::from([start]), vec![], HashSet::from([start]));
        while let Some(node) = nodes.pop_front().filter(|node| !set.contains(*node)) {
            let best =
                choices.of(node).map(|choice| (mean(choice), choice)).reduce(|a, b| if b.0 > a.0 { b } else { a });
            let best = best.map(|(_, choice)| choice);
            nodes.extend(
                best.iter()
                    .flat_map(|&choice| choices.targets(choice))
                    .filter(|to| !set.contains(**to) && met.insert(**to)),
            );
            let choices = best.and_then(|choice| self.choice(node, choices, choice)).into_iter().collect();
            strategy.push(Situation { states: self.states(node), turns: self.turns(node), choices });
        }
        let shows =
            format!("the worst daemon leads through {} configurations before the set is reached", strategy.len());
        let start = self.states(start);
        Counterexample { shows, start, prefix: vec![], cycle: vec![], recurring: None, strategy }
    }

    /// A small strategy that stays outside a set, and an execution that enters it and follows it, with its start.
    fn situations(
        &self,
        choices: &Choices,
        set: &Bits,
        fairness: Option<Fairness>,
        monitor: &Monitor,
    ) -> Result<Option<Counterexample>, Stop> {
        let found = end_components(choices, &self.survey.system, set, fairness, monitor)?;
        let Some(component) = found.first() else { return Ok(None) };
        let (choices, nodes, mut component) = self.small(choices, component, fairness, monitor)?;
        if fairness == Some(Fairness::Agents) {
            self.drop_needless_rests(&choices, &mut component);
        }
        let situation = |(&at, kept): (&u32, &Vec<u32>)| {
            let node = nodes[at as usize];
            let choices = kept.iter().filter_map(|&choice| self.choice(node, &choices, choice)).collect();
            Situation { states: self.states(node), turns: self.turns(node), choices }
        };
        let strategy: Vec<Situation> = component.nodes.iter().zip(&component.choices).map(situation).collect();
        let inside = |node: u32| component.nodes.iter().position(|&at| nodes[at as usize] == node);
        let lead = self.leading(|node| inside(node).is_some());
        let begins = |first: &Bits| first.iter().find_map(inside);
        let entered = lead.last().map(|(_, edge)| edge.target).and_then(inside);
        let at = entered.or_else(|| self.lead.and_then(|[first, _]| begins(first))).unwrap_or(0);
        let start = lead.first().map_or_else(|| strategy[at].states.clone(), |(node, _)| self.states(*node));
        let mut prefix = self.steps(&lead, 0).0;
        prefix.extend(self.execution(&choices, &nodes, &component, at));
        let (recurring, shows) = (Some(strategy.len() as u64), String::new());
        Ok(Some(Counterexample { shows, start, prefix, cycle: vec![], recurring, strategy }))
    }

    /// An execution of a strategy from one of its configurations on, with fair coins.
    fn execution(&self, choices: &Choices, nodes: &[u32], component: &EndComponent, mut at: usize) -> Vec<Step> {
        let (mut steps, mut taken, mut random) = (vec![], vec![0; component.nodes.len()], 0_u64);
        while steps.len() < SHOWN && choices.chosen(component.choices[at][0]).0 != NOBODY {
            let kept = &component.choices[at];
            let choice = kept[taken[at] % kept.len()];
            taken[at] += 1;
            let weights = choices.weights(choice);
            let whole: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mut left = (random >> 33) % whole;
            let nth = weights.iter().position(|&weight| {
                let here = left < u64::from(weight);
                left = left.saturating_sub(weight.into());
                here
            });
            let nth = nth.unwrap_or(0);
            let (from, to) = (component.nodes[at], choices.targets(choice)[nth]);
            let (node, target) = (nodes[from as usize], nodes[to as usize]);
            steps.push(self.chosen_step(node, choices, choice, nth, target));
            at = component.nodes.binary_search(&to).unwrap_or(0);
        }
        steps
    }

    /// The outcome with this number of a choice, as a step.
    fn chosen_step(&self, node: u32, choices: &Choices, choice: u32, nth: usize, target: u32) -> Step {
        let (site, action) = choices.chosen(choice);
        if choices.by_initiator {
            let all = self.survey.system.by_initiator(self.configuration(node));
            let edges = all.iter().find(|edges| (edges[0].site, edges[0].action) == (site, action));
            let edge = edges.expect("an initiator has an arc")[nth];
            return self.step(node, Edge { target, ..edge }, 0);
        }
        let Some(graph) = self.together() else {
            return self.step(node, Edge { target, site, action: action + nth as u32, turn: 0, weight: 1 }, 0);
        };
        let (system, daemon) = (&self.survey.system, graph.daemon);
        let acting = Choices::acting(system, daemon, self.configuration(node), action);
        let mut left = nth;
        let outcomes: Vec<(usize, usize)> = acting
            .into_iter()
            .map(|(process, first, count)| {
                let outcome = first + left % count;
                left /= count;
                (process, outcome)
            })
            .collect();
        self.step_together(graph.daemon, &outcomes, self.digits(target))
    }

    /// A small part of an end component that meets the same obligations, with the process in which it is one.
    fn small(
        &self,
        choices: &Choices,
        component: &EndComponent,
        fairness: Option<Fairness>,
        monitor: &Monitor,
    ) -> Result<(Choices, Vec<u32>, EndComponent), Stop> {
        let system = &self.survey.system;
        let find = |choices: &Choices, inside: &mut dyn Iterator<Item = u32>| {
            let target = Bits::of(choices.size(), |_| true);
            inside.for_each(|node| assert!(target.remove(node)));
            Ok::<_, Stop>(end_components(choices, system, &target, fairness, monitor)?.into_iter().next())
        };
        let all = |choices: &Choices| 0..choices.size() as u32 - 1;
        let mut nodes = component.nodes.clone();
        // Without obligations, one choice in each configuration is enough.
        let narrow = |nodes: &[u32]| -> Result<Option<(Choices, EndComponent)>, Stop> {
            let mut best: Option<(Choices, EndComponent)> = None;
            for attempt in 0..TRIES {
                let stays = |choice: &u32| choices.targets(*choice).iter().all(|to| nodes.binary_search(to).is_ok());
                let one = |node: u32| {
                    let kept: Vec<u32> = choices.of(node).filter(stays).collect();
                    let simple = kept.iter().copied().min_by_key(|&choice| choices.targets(choice).len());
                    let any = kept.get((u64::from(node) * attempt % kept.len().max(1) as u64) as usize).copied();
                    if attempt == 0 { simple } else { any }.into_iter().collect()
                };
                let narrowed = choices.within(nodes, one, |_| vec![]);
                if let Some(found) = find(&narrowed, &mut all(&narrowed))?
                    && best.as_ref().is_none_or(|(_, best)| found.nodes.len() < best.nodes.len())
                {
                    best = Some((narrowed, found));
                }
            }
            Ok(best)
        };
        if fairness.is_none()
            && let Some((_, found)) = narrow(&nodes)?
        {
            nodes = found.nodes.iter().map(|&at| nodes[at as usize]).collect();
        }
        let resting = |node: u32| match fairness {
            Some(Fairness::Agents) => self.resting(node, choices.by_initiator),
            _ => vec![],
        };
        let part = choices.within(&nodes, |node| choices.of(node).collect(), resting);
        let mut best = find(&part, &mut all(&part))?.expect("the nodes of an end component contain one");
        // If no strategy works without this configuration, every smaller strategy contains it.
        let (mut at, mut work) = (0, 0);
        while at < best.nodes.len() && work < WORK {
            work += best
                .nodes
                .iter()
                .flat_map(|&node| part.of(node))
                .map(|c| part.targets(c).len() as u64 + 1)
                .sum::<u64>();
            let left_out = best.nodes[at];
            match find(&part, &mut best.nodes.iter().copied().filter(|&node| node != left_out))? {
                Some(smaller) => best = smaller,
                None => at += 1,
            }
        }
        if fairness.is_none() {
            let rest: Vec<u32> = best.nodes.iter().map(|&at| nodes[at as usize]).collect();
            if let Some((narrowed, found)) = narrow(&rest)? {
                return Ok((narrowed, rest, found));
            }
        }
        Ok((part, nodes, best))
    }

    /// The steps that change nothing, where others would: interactions of two agents, and rules of an enabled process. A
    /// process that is not enabled needs no step.
    fn resting(&self, node: u32, by_initiator: bool) -> Vec<(u32, u32)> {
        let system = &self.survey.system;
        if by_initiator {
            let c = self.configuration(node);
            let all = system.by_initiator(c);
            let moves = |edges: &[Edge]| edges.iter().any(|edge| edge.moves(c));
            let stuck = !all.iter().any(|edges| moves(edges));
            let rests = all.iter().filter(|edges| !stuck && !moves(edges));
            return rests.map(|edges| (edges[0].site, edges[0].action)).collect();
        }
        let mut steps: BTreeMap<(u32, u32), (u32, bool)> = BTreeMap::new();
        self.graph.each_successor(node, &mut |edge| {
            if edge.site != NOBODY {
                let step = steps.entry((edge.site, system.choice(edge))).or_insert((edge.action, false));
                step.1 |= edge.moves(node);
            }
        });
        let enabled: BTreeSet<u32> = steps.iter().filter(|(_, step)| step.1).map(|((site, _), _)| *site).collect();
        let may = |site: &u32| if system.is_ring { enabled.contains(site) } else { !enabled.is_empty() };
        let rests = steps.iter().filter(|((site, _), step)| !step.1 && may(site));
        rests.map(|((site, _), (action, _))| (*site, *action)).collect()
    }

    /// Drops steps that change nothing, unless they serve an agent that no other step serves.
    fn drop_needless_rests(&self, choices: &Choices, component: &mut EndComponent) {
        let actors = |choice: u32| match choices.chosen(choice).0 {
            NOBODY => 0,
            site => choices.actors(&self.survey.system, site),
        };
        let rests =
            |node: u32, choice: u32| actors(choice) != 0 && choices.targets(choice).iter().all(|&to| to == node);
        let all = component.nodes.iter().zip(&component.choices);
        let mut served = all
            .flat_map(|(&node, kept)| kept.iter().map(move |&choice| (node, choice)))
            .filter(|&(node, choice)| !rests(node, choice))
            .fold(0, |served, (_, choice)| served | actors(choice));
        for (&node, kept) in component.nodes.iter().zip(&mut component.choices) {
            let first = kept.first().copied();
            kept.retain(|&choice| {
                let needed = !rests(node, choice) || actors(choice) & !served != 0;
                served |= if needed { actors(choice) } else { 0 };
                needed
            });
            if kept.is_empty() {
                kept.extend(first);
            }
        }
    }

    /// A choice as a step; `None` if nothing is enabled.
    fn choice(&self, node: u32, choices: &Choices, choice: u32) -> Option<Choice> {
        let (system, (site, action)) = (&self.survey.system, choices.chosen(choice));
        if site == NOBODY {
            return None;
        }
        if choices.by_initiator {
            return Some(Choice { actor: Actor::Process(system.sites[site as usize].left), rules: vec![] });
        }
        let Some(graph) = self.together() else {
            let edge = Edge { target: node, site, action, turn: 0, weight: 1 };
            let site = &system.sites[site as usize];
            let actor = if system.is_ring { Actor::Process(site.right) } else { Actor::Arc(site.left, site.right) };
            return Some(Choice { actor, rules: system.choices(edge).to_vec() });
        };
        let acting = Choices::acting(system, graph.daemon, self.configuration(node), action);
        let rules = |&(process, outcome, _): &(usize, usize, usize)| {
            system.tables[system.sites[process].table].choices(outcome).to_vec()
        };
        let actor = match (graph.daemon, &acting[..]) {
            (Daemon::Synchronous, _) => Actor::All,
            (_, [one]) => Actor::Process(one.0),
            _ => Actor::Processes(acting.iter().map(|one| one.0).collect()),
        };
        Some(Choice { actor, rules: acting.iter().flat_map(rules).collect() })
    }
}
