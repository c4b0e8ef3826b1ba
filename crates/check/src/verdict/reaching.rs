//! Whether and when a set is reached: probabilities and expected steps, against the worst daemon and with the best one.

use super::shared::Executions;
use crate::decision::{Choices, EndComponent, Extreme, end_components, greatest_probability, reached_by_some};
use crate::expectation::{Effort, Expected, Successors, Times, bounded, chance};
use crate::question::Question;
use crate::report::{Bounds, Counterexample, Likely, Reaching, Report, Time, Value};
use crate::search::{Fairness, longest};
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
    let (mut worst, mut sum, mut whole, mut terms) = (Bounds::ONE, [0.0; 2], 0.0, 0.0);
    for (node, weight) in starts {
        let bounds = at(node);
        worst = worst.min(bounds);
        sum = [sum[0] + bounds.low * weight, sum[1] + bounds.high * weight];
        (whole, terms) = (whole + weight, terms + 1.0);
    }
    // Each product, each addition and the weights are rounded.
    let rounding = 4.0 * (terms + 4.0) * f64::EPSILON;
    let mean = Bounds {
        low: (sum[0] / whole * (1.0 - rounding)).max(0.0),
        high: (sum[1] / whole * (1.0 + rounding)).min(1.0),
    };
    // The turns of a start are not given: the worst ones count against the worst daemon, and the best ones with the best.
    let of = if extreme == Extreme::Worst { Bounds::min } else { Bounds::max };
    let from = |nodes: &Vec<u32>| nodes.iter().map(|&node| at(node)).reduce(of).expect("a start has a node");
    Likely { worst, mean, from: given.iter().map(from).collect() }
}

/// A question about the executions of a scene.
pub(super) struct Inquiry<'a, G> {
    pub(super) scene: &'a Scene<'a, G>,
    pub(super) executions: Executions<'a>,
    pub(super) question: &'a Question,
    pub(super) monitor: &'a Monitor,
    /// The number of starts of which a mean is taken.
    pub(super) count: u64,
}

impl<'a, G: Markov + Reversible> Inquiry<'a, G> {
    /// The numbers of a Markov chain.
    pub(super) fn by_chance(&self, successors: &'a Successors<'a>, goal: &Goal<'_>) -> Result<Reaching, Stop> {
        if !goal.reached {
            let found = chance(self.scene.graph, successors, goal.set, self.effort(), self.monitor)?;
            let least = self.of_starts(Extreme::Worst, |node| found.at(node));
            return Ok(Reaching { least_probability: Some(least), ..Reaching::default() });
        }
        let (time, _) = self.times(successors).to(goal.set, None)?;
        Ok(Reaching { expected_steps: Some(time), ..Reaching::default() })
    }

    /// Fills in the numbers of a Markov chain. The expected steps to the really safe set may be `known`, with a solution near them.
    pub(super) fn fill_in(
        &self,
        successors: &'a Successors<'a>,
        [safe, own]: [&Bits; 2],
        (converges, known): (bool, Option<(Time, Expected)>),
        report: &mut Report,
    ) -> Result<(), Stop> {
        let times = self.times(successors);
        if converges {
            times.fill_in([safe, own], known, report)?;
        } else {
            // A check with classes that fails may be repeated, so its report is not the last one.
            if self.scene.survey.merged().is_none() {
                self.monitor.decide(report);
            }
            let goal = Goal { set: safe, reached: false };
            report.least_probability = self.by_chance(successors, &goal)?.least_probability;
        }
        times.within(safe, converges, report)?;
        self.measure_chances(successors, report)
    }

    /// The times of a Markov chain.
    pub(super) fn times(
        &self,
        successors: &'a Successors<'a>,
    ) -> Times<'a, G, impl Fn(u32) -> Vec<u32> + use<'a, G>, impl Fn(&[u32]) -> u32 + use<'a, G>> {
        let Inquiry { scene, question, monitor, count, .. } = *self;
        let node = |states: &[u32]| scene.nodes_of(states)[0];
        let (start, among) = (|node: u32| scene.start(node), scene.survey.starts.as_ref());
        Times { graph: scene.graph, successors, start, node, question, among, count, monitor }
    }
}

impl<G: StateGraph> Inquiry<'_, G> {
    /// The numbers where a daemon chooses. Fairness without coins bounds no steps.
    pub(super) fn by_daemon(&self, goal: &Goal<'_>) -> Result<Reaching, Stop> {
        match self.executions {
            Executions::Daemon if goal.reached => {
                let found = longest(self.scene.graph, goal.set, |node| self.scene.starting(node), self.monitor)?;
                Ok(Reaching { steps: self.length(&found), ..Reaching::default() })
            }
            Executions::Coins(choices, fairness) => self.against(choices, fairness).numbers(goal),
            _ => Ok(Reaching::default()),
        }
    }

    /// Fair coins against a daemon.
    pub(super) fn against<'i>(&'i self, choices: &'i Choices, fairness: Option<Fairness>) -> Against<'i, G> {
        Against { inquiry: self, choices, fairness }
    }

    /// The nodes of each configuration of the question.
    pub(super) fn given(&self) -> Vec<Vec<u32>> {
        self.question.starts.iter().map(|start| self.scene.nodes_of(&start.states)).collect()
    }

    /// The effort for narrow bounds.
    pub(super) fn effort(&self) -> Effort {
        Effort::of(self.question)
    }

    /// The probabilities of all starts.
    fn of_starts(&self, extreme: Extreme, at: impl Fn(u32) -> Bounds) -> Likely {
        let scene = self.scene;
        let weighted = |node: u32| Some((node, scene.starting(node) as f64)).filter(|(_, weight)| *weight > 0.0);
        let nodes = (0..scene.graph.size() as u32).filter(|&node| scene.possible(node)).filter_map(weighted);
        likely(nodes, &self.given(), extreme, at)
    }
}

/// Fair coins against a daemon.
pub(super) struct Against<'a, G> {
    inquiry: &'a Inquiry<'a, G>,
    choices: &'a Choices,
    fairness: Option<Fairness>,
}

impl<G: StateGraph> Against<'_, G> {
    /// All numbers of a set.
    pub(super) fn numbers(&self, goal: &Goal<'_>) -> Result<Reaching, Stop> {
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
        let delay = self.delay(goal.set)?;
        let worst = || self.time(self.choices, Extreme::Worst, goal.set);
        let expected_steps = delay.is_none().then(worst).transpose()?;
        Ok(Reaching { expected_steps, best_expected_steps, delay, ..Reaching::default() })
    }

    /// The strategy by which a fair daemon delays a set as long as it wants, if it can.
    pub(super) fn delay(&self, set: &Bits) -> Result<Option<Counterexample>, Stop> {
        let delay = self.fairness.map(|_| self.inquiry.scene.delay(self.choices, set, self.inquiry.monitor));
        delay.transpose().map(Option::flatten)
    }

    fn staying(&self, set: &Bits, fairness: Option<Fairness>) -> Result<Vec<EndComponent>, Stop> {
        end_components(self.choices, &self.inquiry.scene.survey.system, set, fairness, self.inquiry.monitor)
    }

    /// The least and the greatest probability of a set.
    fn probabilities(&self, set: &Bits) -> Result<[Likely; 2], Stop> {
        let Against { inquiry, choices, .. } = *self;
        let (width, monitor) = (inquiry.effort().width, inquiry.monitor);
        let (sought, both) = (Bits::new(choices.size()), set.clone());
        for &node in self.staying(set, self.fairness)?.iter().flat_map(|component| &component.nodes) {
            sought.insert(node);
            both.insert(node);
        }
        let kept = greatest_probability(choices, &sought, set, &self.staying(&both, None)?, width, monitor)?;
        let left = |kept: Bounds| Bounds { low: (1.0 - kept.high).max(0.0), high: (1.0 - kept.low).min(1.0) };
        let least = inquiry.of_starts(Extreme::Worst, |node| left(kept.at(node)));
        let [able, _] = reached_by_some(choices, set, monitor)?;
        let never = able.complement();
        let most = greatest_probability(choices, set, &never, &self.staying(set, None)?, width, monitor)?;
        let greatest = inquiry.of_starts(Extreme::Best, |node| most.at(node));
        Ok([least, greatest])
    }

    /// The least expected steps over all daemons; `None` if from some start no daemon reaches the set with probability 1.
    fn best(&self, goal: &Goal<'_>) -> Result<Option<Time>, Stop> {
        let Against { inquiry: Inquiry { scene, monitor, .. }, choices, .. } = *self;
        if goal.reached {
            return self.time(choices, Extreme::Best, goal.set).map(Some);
        }
        let [_, sure] = reached_by_some(choices, goal.set, monitor)?;
        let size = choices.size() as u32;
        if (0..size).any(|node| scene.possible(node) && scene.starting(node) > 0 && !sure.contains(node)) {
            return Ok(None);
        }
        // The best daemon takes no choice that may lead to another node.
        let kept = |choice: &u32| choices.targets(*choice).iter().all(|&to| sure.contains(to));
        let nodes: Vec<u32> = (0..size).collect();
        let helpful = choices.within(&nodes, |node| choices.of(node).filter(kept).collect(), |_| vec![]);
        let settled = |node: u32| node == size || goal.set.contains(node) || !sure.contains(node);
        let set = Bits::of(helpful.size(), settled);
        self.time(&helpful, Extreme::Best, &set).map(Some)
    }

    /// The strategy of the most expected steps to a set that is reached.
    pub(super) fn longest(&self, target: &Bits) -> Result<Counterexample, Stop> {
        let Against { inquiry: Inquiry { scene, .. }, choices, .. } = *self;
        let found = self.expected(choices, Extreme::Worst, target)?;
        let left = |node: u32| if target.contains(node) { 0.0 } else { found.at(node).low };
        Ok(scene.longest(choices, found.worst_start, target, left))
    }

    fn expected(&self, choices: &Choices, extreme: Extreme, target: &Bits) -> Result<Expected, Stop> {
        let Inquiry { scene, monitor, count, .. } = *self.inquiry;
        let steps = Successors::Chosen(choices, extreme);
        bounded(choices, &steps, (target, scene.starts()), count, self.inquiry.effort(), None, monitor)
    }

    /// The expected steps to a set that is reached.
    pub(super) fn time(&self, choices: &Choices, extreme: Extreme, target: &Bits) -> Result<Time, Stop> {
        let scene = self.inquiry.scene;
        let found = self.expected(choices, extreme, target)?;
        // The turns of a start are not given: the worst ones count against the worst daemon, and the best ones with the best.
        let of = if extreme == Extreme::Worst { Bounds::max } else { Bounds::min };
        let from = |nodes: &Vec<u32>| {
            Value::Between(nodes.iter().map(|&node| found.at(node)).reduce(of).expect("a start has a node"))
        };
        Ok(Time {
            worst: Value::Between(found.worst),
            worst_start: scene.start(found.worst_start),
            worst_turns: scene.turns(found.worst_start),
            mean: Value::Between(found.mean),
            from: self.inquiry.given().iter().map(from).collect(),
        })
    }
}
