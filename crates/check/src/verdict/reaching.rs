//! Whether and when a set is reached: probabilities and expected steps, against the worst daemon and with the best one.

use super::shared::{Executions, length};
use crate::decision::{Choices, EndComponent, Extreme, end_components, greatest_probability, reached_by_some};
use crate::expectation::{Effort, NARROW, Successors, Times, bounded_from, chance};
use crate::question::Question;
use crate::report::{Bounds, Counterexample, Likely, Reaching, Time, Value};
use crate::search::{Fairness, can_reach, longest};
use crate::space::{Bits, Markov, Reversible, StateGraph};
use crate::witness::Scene;
use crate::{Monitor, Stop};

/// A set to reach, which contains every node that no execution reaches before it.
pub(super) struct Goal<'a> {
    pub(super) set: &'a Bits,
    /// Whether every execution reaches it, with probability 1 where something is random.
    pub(super) reached: bool,
}

/// The probabilities of all starts, each a node with its weight, and of the nodes of some given ones.
pub(super) fn likely(
    starts: impl Iterator<Item = (u32, f64)>,
    given: &[Vec<u32>],
    extreme: Extreme,
    at: impl Fn(u32) -> Bounds,
) -> Likely {
    let (mut worst, mut sum, mut whole, mut terms) = (Bounds { low: 1.0, high: 1.0 }, [0.0; 2], 0.0, 0.0);
    for (node, weight) in starts {
        let Bounds { low, high } = at(node);
        worst = Bounds { low: worst.low.min(low), high: worst.high.min(high) };
        sum = [sum[0] + low * weight, sum[1] + high * weight];
        (whole, terms) = (whole + weight, terms + 1.0);
    }
    // Each product, each addition and the weights are rounded.
    let rounding = 4.0 * (terms + 4.0) * f64::EPSILON;
    let mean = Bounds {
        low: (sum[0] / whole * (1.0 - rounding)).max(0.0),
        high: (sum[1] / whole * (1.0 + rounding)).min(1.0),
    };
    // The turns of a start are not given: the worst ones count against the worst daemon, and the best ones with the best.
    let of: fn(f64, f64) -> f64 = if extreme == Extreme::Worst { f64::min } else { f64::max };
    let from = |nodes: &Vec<u32>| {
        let bounds = nodes.iter().map(|&node| at(node));
        bounds.reduce(|a, b| Bounds { low: of(a.low, b.low), high: of(a.high, b.high) }).expect("a start has a node")
    };
    Likely { worst, mean, from: given.iter().map(from).collect() }
}

/// The probabilities of all starts of a scene.
fn from_starts<G: StateGraph>(
    scene: &Scene<'_, G>,
    extreme: Extreme,
    question: &Question,
    at: impl Fn(u32) -> Bounds,
) -> Likely {
    let weighted = |node: u32| Some((node, scene.starting(node) as f64)).filter(|(_, weight)| *weight > 0.0);
    let nodes = (0..scene.graph.size() as u32).filter(|&node| scene.possible(node)).filter_map(weighted);
    likely(nodes, &given(scene, question), extreme, at)
}

/// The nodes of each configuration of the question.
pub(super) fn given<G: StateGraph>(scene: &Scene<'_, G>, question: &Question) -> Vec<Vec<u32>> {
    question.starts.iter().map(|start| scene.nodes_of(&start.states)).collect()
}

/// A question about a scene.
pub(super) struct Inquiry<'a, G> {
    pub(super) scene: &'a Scene<'a, G>,
    pub(super) question: &'a Question,
    pub(super) monitor: &'a Monitor,
}

impl<'a, G: Markov + Reversible> Inquiry<'a, G> {
    /// The numbers of a Markov chain; a mean is over `count` starts.
    pub(super) fn by_chance(
        &self,
        successors: &'a Successors<'a>,
        goal: &Goal<'_>,
        count: u64,
    ) -> Result<Reaching, Stop> {
        let Inquiry { scene, question, monitor } = *self;
        if !goal.reached {
            let found = chances(scene.graph, successors, goal.set, question, monitor)?;
            let least = from_starts(scene, Extreme::Worst, question, found);
            return Ok(Reaching { least_probability: Some(least), ..Reaching::default() });
        }
        let (time, _) = self.times(successors, count).to(goal.set, None)?;
        Ok(Reaching { expected_steps: Some(time), ..Reaching::default() })
    }

    /// The times of a Markov chain; a mean is over `count` starts.
    pub(super) fn times(
        &self,
        successors: &'a Successors<'a>,
        count: u64,
    ) -> Times<'a, G, impl Fn(u32) -> Vec<u32>, impl Fn(&[u32]) -> u32> {
        let Inquiry { scene, question, monitor } = *self;
        let node = |states: &[u32]| scene.nodes_of(states)[0];
        let (start, among) = (|node: u32| scene.start(node), scene.survey.starts.as_ref());
        Times { graph: scene.graph, successors, start, node, question, among, count, monitor }
    }
}

impl<G: Reversible> Inquiry<'_, G> {
    /// The numbers where a daemon chooses; a mean is over `count` starts. Fairness without coins bounds no steps.
    pub(super) fn by_daemon(&self, executions: &Executions<'_>, goal: &Goal<'_>, count: u64) -> Result<Reaching, Stop> {
        let Inquiry { scene, question, monitor } = *self;
        match *executions {
            Executions::Daemon if goal.reached => {
                let found = longest(scene.graph, goal.set, |node| scene.starting(node), monitor)?;
                Ok(Reaching { steps: length(scene, &found, count as f64), ..Reaching::default() })
            }
            Executions::Coins(choices, fairness) => {
                Against { scene, choices, fairness, count, question, monitor }.numbers(goal)
            }
            _ => Ok(Reaching::default()),
        }
    }
}

/// The probability of reaching a set from each node of a Markov chain.
pub(super) fn chances<G: Markov + Reversible>(
    graph: &G,
    successors: &Successors<'_>,
    set: &Bits,
    question: &Question,
    monitor: &Monitor,
) -> Result<impl Fn(u32) -> Bounds, Stop> {
    let able = can_reach(graph, set, monitor)?;
    let effort = Effort::new(question.width.unwrap_or(NARROW));
    let found = chance(graph, successors, [set, &able], effort, monitor)?;
    Ok(move |node| found.at(node))
}

/// Fair coins against a daemon.
pub(super) struct Against<'a, G> {
    pub(super) scene: &'a Scene<'a, G>,
    pub(super) choices: &'a Choices,
    pub(super) fairness: Option<Fairness>,
    /// The number of starts of which a mean is taken.
    pub(super) count: u64,
    pub(super) question: &'a Question,
    pub(super) monitor: &'a Monitor,
}

impl<G: StateGraph> Against<'_, G> {
    /// All numbers of a set.
    fn numbers(&self, goal: &Goal<'_>) -> Result<Reaching, Stop> {
        let best_expected_steps = self.best(goal)?;
        if !goal.reached {
            let [least, greatest] = self.probabilities(goal.set)?;
            let (least_probability, greatest_probability) = (Some(least), Some(greatest));
            return Ok(Reaching {
                best_expected_steps,
                least_probability,
                greatest_probability,
                ..Reaching::default()
            });
        }
        let waiting = self.waiting(goal.set)?;
        let delay = waiting.first().map(|component| self.scene.delay(self.choices, component, self.monitor));
        let worst = || self.time(self.choices, Extreme::Worst, goal.set);
        let expected_steps = waiting.is_empty().then(worst).transpose()?;
        Ok(Reaching { expected_steps, best_expected_steps, delay: delay.transpose()?, ..Reaching::default() })
    }

    /// Where a fair daemon can delay a set as long as it wants. Fairness binds no finite part of an execution, so it can
    /// delay as long as an unfair one.
    pub(super) fn waiting(&self, set: &Bits) -> Result<Vec<EndComponent>, Stop> {
        match self.fairness {
            Some(_) => self.staying(set, None),
            None => Ok(vec![]),
        }
    }

    fn staying(&self, set: &Bits, fairness: Option<Fairness>) -> Result<Vec<EndComponent>, Stop> {
        end_components(self.choices, &self.scene.survey.system, set, fairness, self.monitor)
    }

    /// The least and the greatest probability of a set.
    pub(super) fn probabilities(&self, set: &Bits) -> Result<[Likely; 2], Stop> {
        let Against { choices, count, monitor, .. } = *self;
        let width = self.question.width.unwrap_or(NARROW);
        let (sought, both) = (Bits::new(choices.size()), set.clone());
        for &node in self.staying(set, self.fairness)?.iter().flat_map(|component| &component.nodes) {
            sought.insert(node);
            both.insert(node);
        }
        let kept = greatest_probability(choices, &sought, set, &self.staying(&both, None)?, count, width, monitor)?;
        let left = |kept: Bounds| Bounds { low: (1.0 - kept.high).max(0.0), high: (1.0 - kept.low).min(1.0) };
        let least = from_starts(self.scene, Extreme::Worst, self.question, |node| left(kept.at(node)));
        let [able, _] = reached_by_some(choices, set, monitor)?;
        let never = Bits::new(choices.size());
        able.missing().for_each(|node| assert!(never.insert(node)));
        let most = greatest_probability(choices, set, &never, &self.staying(set, None)?, count, width, monitor)?;
        let greatest = from_starts(self.scene, Extreme::Best, self.question, |node| most.at(node));
        Ok([least, greatest])
    }

    /// The least expected steps over all daemons; `None` if from some start no daemon reaches the set with probability 1.
    pub(super) fn best(&self, goal: &Goal<'_>) -> Result<Option<Time>, Stop> {
        let Against { scene, choices, .. } = *self;
        if goal.reached {
            return self.time(choices, Extreme::Best, goal.set).map(Some);
        }
        let [_, sure] = reached_by_some(choices, goal.set, self.monitor)?;
        let size = choices.size() as u32;
        if (0..size).any(|node| scene.possible(node) && scene.starting(node) > 0 && !sure.contains(node)) {
            return Ok(None);
        }
        // The best daemon takes no choice that may lead to another node.
        let kept = |choice: &u32| choices.targets(*choice).iter().all(|&to| sure.contains(to));
        let nodes: Vec<u32> = (0..size).collect();
        let helpful = choices.within(&nodes, |node| choices.of(node).filter(kept).collect(), |_| vec![]);
        let set = Bits::new(helpful.size());
        let settled = |node: &u32| *node == size || goal.set.contains(*node) || !sure.contains(*node);
        (0..=size).filter(settled).for_each(|node| assert!(set.insert(node)));
        self.time(&helpful, Extreme::Best, &set).map(Some)
    }

    /// The strategy of the most expected steps to a set that is reached.
    pub(super) fn longest(&self, target: &Bits) -> Result<Counterexample, Stop> {
        let Against { scene, choices, .. } = *self;
        let steps = Successors::Chosen(choices, Extreme::Worst);
        let effort = Effort::new(self.question.width.unwrap_or(NARROW));
        let found = bounded_from(choices, &steps, (target, scene.starts()), self.count, effort, None, self.monitor)?;
        let left = |node: u32| if target.contains(node) { 0.0 } else { found.at(node).low };
        Ok(scene.longest(choices, found.worst_start, target, left))
    }

    /// The expected steps to a set that is reached.
    pub(super) fn time(&self, choices: &Choices, extreme: Extreme, target: &Bits) -> Result<Time, Stop> {
        let Against { scene, question, .. } = *self;
        let steps = Successors::Chosen(choices, extreme);
        let effort = Effort::new(question.width.unwrap_or(NARROW));
        let among = scene.starts();
        let found = bounded_from(choices, &steps, (target, among), self.count, effort, None, self.monitor)?;
        // The turns of a start are not given: the worst ones count against the worst daemon, and the best ones with the best.
        let of: fn(f64, f64) -> f64 = if extreme == Extreme::Worst { f64::max } else { f64::min };
        let from = |nodes: &Vec<u32>| {
            let bounds = nodes.iter().map(|&node| found.at(node));
            let all = bounds.reduce(|a, b| Bounds { low: of(a.low, b.low), high: of(a.high, b.high) });
            Value::Between(all.expect("a start has a node"))
        };
        Ok(Time {
            worst: Value::Between(found.worst),
            worst_start: scene.start(found.worst_start),
            worst_turns: scene.turns(found.worst_start),
            mean: Value::Between(found.mean),
            from: given(scene, question).iter().map(from).collect(),
        })
    }
}
