//! Service times: the steps and rounds between two visits to a set, and from one condition to another.

use super::reaching::Inquiry;
use super::shared::Executions;
use crate::Stop;
use crate::decision::{Choices, Extreme};
use crate::expectation::{Expected, Successors, bounded};
use crate::report::{Bounds, Counterexample, Rounds, Service, Value};
use crate::search::{Longest, longest, reachable};
use crate::space::{Bits, Markov as _, Part, Reversible, StateGraph as _};

/// Adds the time of one process: the longest one remains, and the most rounds of all.
pub(super) fn keep_longest(found: &mut Option<Service>, next: Service) {
    let Some(known) = found else {
        *found = Some(next);
        return;
    };
    let high = |rounds: &Rounds| rounds.worst.as_ref().map_or(f64::INFINITY, |worst| worst.bounds().high);
    let more = known.rounds.as_ref().zip(next.rounds.as_ref()).is_some_and(|(known, next)| high(next) > high(known));
    let rounds = if more { next.rounds.clone() } else { known.rounds.take() };
    let longer = match (&known.worst, &next.worst) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(a), Some(b)) => b.bounds().high > a.bounds().high,
    };
    if longer {
        *known = next;
    }
    known.rounds = rounds;
}

/// The executions in which a process waits.
pub(super) struct Wait<'a, G> {
    pub(super) inquiry: &'a Inquiry<'a, G>,
    /// The name of the claim.
    pub(super) name: &'a str,
    /// The process that waits, if the claim is about each process.
    pub(super) process: Option<usize>,
}

/// The time outside a set.
enum Outside<'a> {
    /// At most this many steps, from this node.
    Steps(u32, u32),
    /// Expected steps against the worst daemon, with its choices.
    Expected(Expected, &'a Choices),
    /// As long as the daemon wants.
    Unbounded(Option<Counterexample>),
}

impl<'a, G: Reversible> Wait<'a, G> {
    /// The time outside a set that every execution reaches, if a daemon chooses. Fairness binds no finite part of an
    /// execution: a fair daemon can stay as long as it wants where an unfair one can stay for ever.
    fn outside(&self, others: &Bits) -> Result<Outside<'a>, Stop> {
        let Inquiry { scene, executions, monitor, .. } = *self.inquiry;
        let delay = |run: Counterexample| {
            let shows = format!("the daemon delays {} as long as it wants, but not for ever", self.name);
            Counterexample { shows, ..run }
        };
        let Executions::Coins(choices, fairness) = executions else {
            return Ok(match longest(scene.graph, others, |_| 1, monitor)? {
                Longest::Steps { worst, worst_start, .. } => Outside::Steps(worst, worst_start),
                found => Outside::Unbounded(scene.avoiding(&found, others, monitor)?.map(delay)),
            });
        };
        if fairness.is_some()
            && let Some(run) = scene.delay(choices, others, monitor)?
        {
            return Ok(Outside::Unbounded(Some(delay(run))));
        }
        let steps = Successors::Chosen(choices, Extreme::Worst);
        let size = scene.graph.size();
        let found = bounded(choices, &steps, (others, None), size, self.inquiry.effort(), None, monitor)?;
        Ok(Outside::Expected(found, choices))
    }

    fn service(&self, worst: Option<Value>, expected: bool, node: u32) -> Service {
        let (process, start) = (self.process, self.inquiry.scene.start(node));
        Service { worst, expected, process, start, delay: None, rounds: None }
    }

    fn unbounded(&self, delay: Option<Counterexample>, node: u32) -> Service {
        Service { delay, ..self.service(None, false, node) }
    }

    /// The rounds that begin before a set is entered, if the question asks for them.
    fn rounds(&self, starts: &[u32], others: &Bits, steps: &Service) -> Result<Option<Rounds>, Stop> {
        if !self.inquiry.question.rounds {
            return Ok(None);
        }
        if self.inquiry.is_synchronous_chain() {
            let (worst, worst_start) = (steps.worst.clone(), steps.start.clone());
            return Ok(Some(Rounds { worst, expected: true, worst_start, mean: None }));
        }
        self.inquiry.most_rounds(starts, others, None).map(Some)
    }

    /// The worst time from some nodes to a set that every execution from them reaches. `None` if there are no such nodes, or if
    /// no daemon chooses.
    pub(super) fn until(&self, asked: &Bits, others: &Bits) -> Result<Option<Service>, Stop> {
        let starts: Vec<u32> = asked.iter().collect();
        let Some(&some) = starts.first() else { return Ok(None) };
        if matches!(self.inquiry.executions, Executions::Chance { random: true }) {
            return Ok(None);
        }
        let mut service = match self.outside(others)? {
            // The longest execution begins at one of these nodes.
            Outside::Steps(worst, start) => self.service(Some(Value::Steps(worst.into())), false, start),
            Outside::Unbounded(delay) => self.unbounded(delay, some),
            Outside::Expected(expected, _) => {
                let (worst, node, _) = Bounds::greatest(starts.iter().map(|&node| (node, expected.at(node))));
                self.service(Some(Value::Between(worst)), true, node)
            }
        };
        service.rounds = self.rounds(&starts, others, &service)?;
        Ok(Some(service))
    }
}

impl Wait<'_, Part> {
    /// The worst time between two visits to a set; `None` if there are no visits.
    pub(super) fn between(&self, visits: &Bits) -> Result<Option<Service>, Stop> {
        let Inquiry { scene, executions, monitor, .. } = *self.inquiry;
        let (part, size) = (scene.graph, scene.graph.size());
        let visited: Vec<u32> = visits.iter().filter(|&node| u64::from(node) < size).collect();
        let Some(&some) = visited.first() else { return Ok(None) };
        let left = Bits::new(size);
        visited.iter().for_each(|&node| part.successors(node, |edge| _ = left.insert(edge.target)));
        let waiting = reachable(part, &left, Some(visits), monitor)?;
        // The last node of a decision process stands for all nodes outside.
        let nodes = if let Executions::Coins(choices, _) = executions { choices.size() } else { size };
        let others = Bits::of(nodes, |node| u64::from(node) >= size || !waiting.contains(node));
        let after = |expected: &Expected, steps: &dyn Fn(u32) -> Vec<Vec<(u32, f64)>>| {
            let mut worst = (Bounds::ONE, some);
            for &node in &visited {
                for outcomes in steps(node) {
                    let sum = |end: fn(Bounds) -> f64| {
                        1.0 + outcomes.iter().map(|&(to, chance)| chance * end(expected.at(to))).sum::<f64>()
                    };
                    // Each term and each addition is rounded.
                    let slack = 2.0 * (outcomes.len() as f64 + 4.0) * f64::EPSILON;
                    let time = Bounds { low: sum(|bounds| bounds.low), high: sum(|bounds| bounds.high) };
                    let time = time.widened(slack);
                    worst = (worst.0.max(time), if time.high > worst.0.high { node } else { worst.1 });
                }
            }
            self.service(Some(Value::Between(worst.0)), true, worst.1)
        };
        let mut service = if let Executions::Chance { random: true } = executions {
            let found =
                bounded(part, &Successors::Single, (&others, None), size, self.inquiry.effort(), None, monitor)?;
            let total = part.total() as f64;
            after(&found, &|node| {
                let mut outcomes = vec![];
                part.successors(node, |edge| outcomes.push((edge.target, f64::from(edge.weight) / total)));
                vec![outcomes]
            })
        } else {
            match self.outside(&others)? {
                Outside::Expected(expected, choices) => {
                    after(&expected, &|node| choices.of(node).map(|choice| shares(choices, choice)).collect())
                }
                Outside::Steps(worst, worst_start) => {
                    // The longest wait begins with the step that leaves the set.
                    let mut start = None;
                    part.predecessors(worst_start, |node| start = start.or(Some(node).filter(|&n| visits.contains(n))));
                    self.service(Some(Value::Steps(f64::from(worst) + 1.0)), false, start.unwrap_or(some))
                }
                Outside::Unbounded(delay) => self.unbounded(delay, some),
            }
        };
        service.rounds = self.rounds(&visited, visits, &service)?;
        Ok(Some(service))
    }
}

/// The outcomes of a choice, each with its probability.
fn shares(choices: &Choices, choice: u32) -> Vec<(u32, f64)> {
    let weights = choices.weights(choice);
    let whole: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    choices.targets(choice).iter().zip(weights).map(|(&to, &weight)| (to, f64::from(weight) / whole)).collect()
}
