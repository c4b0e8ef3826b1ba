//! What is known of every single configuration: how far it is to safety, on average and at worst.
//!
//! A [`Report`](crate::Report) says it of the worst one; an atlas is kept, and asked again and again.

use crate::expectation::{Effort, Expected, Successors, bounded};
use crate::report::Bounds;
use crate::schedule::{Daemon, Together};
use crate::search::{can_reach, really_safe};
use crate::space::{Bits, Edge, Markov, Reversible, StateGraph};
use crate::{Monitor, Question, Stop, Survey, memory};
use ringleader_erased::{PopulationInstance, RingInstance};
use ringleader_model::{Graph, Scheduler};

/// How long a scheduler that may do what it likes can keep a configuration from becoming safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worst {
    /// At most so many steps that change something.
    Steps(u32),
    /// For ever, with the luck it needs where rules toss coins.
    ForEver,
}

/// What is known of a configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Here {
    /// Whether the promise is met and cannot be broken.
    pub safe: bool,
    /// Whether a safe configuration can be reached at all.
    pub can_heal: bool,
    /// The expected steps to a safe one under the random scheduler, or where all step at once and toss coins; if all can
    /// reach one.
    pub expected: Option<Bounds>,
    /// What the worst scheduler can do.
    pub worst: Worst,
}

/// Everything that is known of the configurations of an algorithm on a graph.
///
/// ```
/// use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
/// use ringleader_check::{Atlas, Monitor, Worst};
/// use ringleader_erased::PopulationInstance;
/// use ringleader_model::Graph;
///
/// let algorithm = PopulationInstance::new(FischerJiangRing)?;
/// let atlas = Atlas::population(&algorithm, &Graph::directed_ring(3)?, u64::MAX, &Monitor::default())?;
/// // Three followers that carry nothing: the next step makes one of them leader, with a shield.
/// let here = atlas.at(&[0, 0, 0]).expect("it is a configuration");
/// assert!(!here.safe && here.can_heal);
/// let steps = here.expected.expect("all can heal");
/// assert!(steps.low <= 1.0 && 1.0 <= steps.high && steps.high - steps.low < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Atlas {
    survey: Survey,
    known: Known,
    /// Where several step at once, the steps of each node that change it: no table finds them again.
    kept: Option<Vec<Box<[u32]>>>,
}

/// What is known of every node.
#[derive(Debug)]
struct Known {
    safe: Bits,
    heals: Bits,
    expected: Option<Expected>,
    /// The most steps to safety, or [`FOR_EVER`].
    worst: Vec<u32>,
}

const FOR_EVER: u32 = u32::MAX;

impl Atlas {
    /// Of a population protocol on a graph, within so many bytes of memory.
    pub fn population(
        algorithm: &PopulationInstance,
        graph: &Graph,
        memory: u64,
        monitor: &Monitor,
    ) -> Result<Atlas, Stop> {
        let question = Question::new(Scheduler::Random).within(memory);
        Atlas::one_at_a_time(Survey::population(algorithm, graph, &question, monitor)?, memory, monitor)
    }

    /// Of a ring or a line of processes, within so many bytes of memory. All of them step at once under the synchronous
    /// scheduler, any set of them under the distributed one, else one at a time.
    pub fn ring(
        algorithm: &RingInstance,
        size: usize,
        scheduler: Scheduler,
        memory: u64,
        monitor: &Monitor,
    ) -> Result<Atlas, Stop> {
        let daemon = match scheduler {
            Scheduler::Synchronous => Some(Daemon::Synchronous),
            Scheduler::Distributed => Some(Daemon::Distributed),
            _ => None,
        };
        let question = Question::new(daemon.map_or(Scheduler::Random, |_| scheduler)).within(memory);
        let survey = Survey::ring(algorithm, size, &question, monitor)?;
        match daemon {
            None => Atlas::one_at_a_time(survey, memory, monitor),
            Some(daemon) => Atlas::together(survey, daemon, memory, monitor),
        }
    }

    fn one_at_a_time(survey: Survey, memory: u64, monitor: &Monitor) -> Result<Atlas, Stop> {
        let system = &survey.system;
        // The steps backward, and what is known of each node.
        let needed = system.size().saturating_mul(4 * system.steps_at_most() + 48);
        memory::admit(needed, memory, Some(survey.configurations()))?;
        let known = Known::find(&survey, system, || Successors::new(system, monitor).map(Some), monitor)?;
        Ok(Atlas { survey, known, kept: None })
    }

    fn together(survey: Survey, daemon: Daemon, memory: u64, monitor: &Monitor) -> Result<Atlas, Stop> {
        let graph = Together::new(&survey.system, daemon, memory, monitor)?;
        // The same twice, and the steps that are kept.
        let needed = graph.size().saturating_mul(8 * graph.steps_at_most() + 64);
        memory::admit(needed, memory, Some(survey.configurations()))?;
        let steps = || Ok(graph.is_markov().then_some(Successors::Single));
        let known = Known::find(&survey, &graph, steps, monitor)?;
        let kept = (0..graph.size() as u32).map(|node| neighbours(&graph, node).into()).collect();
        drop(graph);
        Ok(Atlas { survey, known, kept: Some(kept) })
    }

    /// What is known of the configuration with these local states; `None` if no fault brings it about.
    #[must_use]
    pub fn at(&self, states: &[u32]) -> Option<Here> {
        let node = self.node(states);
        self.survey.possible(node).then(|| self.of_node(node))
    }

    /// What is known of a node.
    #[must_use]
    pub fn of_node(&self, node: u32) -> Here {
        let worst = self.known.worst[node as usize];
        Here {
            safe: self.known.safe.contains(node),
            can_heal: self.known.heals.contains(node),
            expected: self.known.expected.as_ref().map(|expected| expected.at(node)),
            worst: if worst == FOR_EVER { Worst::ForEver } else { Worst::Steps(worst) },
        }
    }

    /// How many nodes there are: configurations, up to rotation where that makes no difference.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.survey.system.size()
    }

    /// Whether a node stands for all rotations of a configuration.
    #[must_use]
    pub fn up_to_rotation(&self) -> bool {
        self.survey.system.is_up_to_rotation()
    }

    /// The node of the configuration with these local states.
    #[must_use]
    pub fn node(&self, states: &[u32]) -> u32 {
        self.survey.system.node(self.survey.system.space().encode(states)).0
    }

    /// The nodes that are configurations of the algorithm, each with its neighbours: where a step that changes it leads to.
    pub fn each(&self, mut visit: impl FnMut(u32, &[u32])) {
        for node in (0..self.nodes() as u32).filter(|&node| self.survey.possible(node)) {
            match &self.kept {
                Some(kept) => visit(node, &kept[node as usize]),
                None => visit(node, &neighbours(&self.survey.system, node)),
            }
        }
    }
}

impl Known {
    /// `steps` says how sweeps find the successors, or that the steps have no probabilities.
    fn find<'a, G: Reversible + Markov>(
        survey: &Survey,
        graph: &G,
        steps: impl FnOnce() -> Result<Option<Successors<'a>>, Stop>,
        monitor: &Monitor,
    ) -> Result<Known, Stop> {
        let safe = really_safe(graph, |node, turn| survey.label(node, turn), monitor)?;
        let target = safe.clone();
        survey.dismiss(&target, |node, visit| visit(node));
        let heals = can_reach(graph, &target, monitor)?;
        let steps = if heals.count() == graph.size() { steps()? } else { None };
        let expected = steps
            .map(|steps| bounded(graph, &steps, &target, survey.configurations(), Effort::new(1e-6), None, monitor))
            .transpose()?;
        let worst = worst(graph, &target, monitor)?;
        Ok(Known { safe, heals, expected, worst })
    }
}

/// Where the steps of a node lead that change it.
fn neighbours<G: StateGraph>(graph: &G, node: u32) -> Vec<u32> {
    let mut next = vec![];
    graph.each_successor(node, &mut |edge: Edge| {
        if edge.target != node {
            next.push(edge.target);
        }
    });
    next.sort_unstable();
    next.dedup();
    next
}

/// The most steps that each node can be kept out of the target.
///
/// A node all of whose steps lead to nodes that are settled is settled itself: one step more than the worst of them. What never
/// settles can be kept outside for ever, or is stuck there.
fn worst<G: StateGraph>(graph: &G, target: &Bits, monitor: &Monitor) -> Result<Vec<u32>, Stop> {
    let len = graph.size() as usize;
    monitor.enter("the worst schedule from everywhere", Some(len as u64));
    let outside = |node: u32| !target.contains(node);
    let steps = |node: u32, visit: &mut dyn FnMut(u32)| {
        graph.each_successor(node, &mut |edge: Edge| {
            if edge.moves(node) {
                visit(edge.target);
            }
        });
    };
    let (mut open, mut starts) = (vec![0_u32; len], vec![0_usize; len + 1]);
    for node in (0..len as u32).filter(|&node| outside(node)) {
        if node.is_multiple_of(1 << 14) {
            monitor.check()?;
        }
        steps(node, &mut |to| {
            open[node as usize] += 1;
            starts[to as usize + 1] += 1;
        });
    }
    (0..len).for_each(|i| starts[i + 1] += starts[i]);
    let (mut before, mut filled) = (vec![0_u32; starts[len]], starts.clone());
    for node in (0..len as u32).filter(|&node| outside(node)) {
        steps(node, &mut |to| {
            before[filled[to as usize]] = node;
            filled[to as usize] += 1;
        });
    }
    let mut worst = vec![FOR_EVER; len];
    let mut settled: Vec<u32> = (0..len as u32).filter(|&node| !outside(node)).collect();
    settled.iter().for_each(|&node| worst[node as usize] = 0);
    let mut longest = vec![0_u32; len];
    while let Some(node) = settled.pop() {
        let steps = worst[node as usize] + 1;
        for &from in &before[starts[node as usize]..starts[node as usize + 1]] {
            let at = from as usize;
            (longest[at], open[at]) = (longest[at].max(steps), open[at] - 1);
            if open[at] == 0 {
                worst[at] = longest[at];
                settled.push(from);
            }
        }
    }
    Ok(worst)
}
