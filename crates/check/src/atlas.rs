//! Distances of every configuration to the safe set: expected steps and worst-case steps.
//!
//! A [`Report`](crate::Report) gives the worst configuration only. An atlas stores the distances and answers any number
//! of queries.

use crate::expectation::{Effort, Expected, Successors, bounded};
use crate::report::Bounds;
use crate::schedule::{Daemon, Together};
use crate::search::{can_reach, components, really_safe};
use crate::space::{Bits, Edge, Markov, Reversible, StateGraph};
use crate::{Monitor, Question, Stop, Subject, Survey, memory};
use ringleader_model::Scheduler;
use ringleader_model::components::Components;

/// How long an adversarial scheduler can keep a configuration from becoming safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worst {
    /// At most this many steps that change something.
    Steps(u32),
    /// For ever, if the coins of the rules show the outcomes that the scheduler needs.
    ForEver,
}

/// The distances of one configuration to the safe set.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Here {
    /// Whether the promise is met and cannot be broken.
    pub safe: bool,
    /// Whether a safe configuration can be reached at all.
    pub can_heal: bool,
    /// The expected steps to a safe configuration, if every configuration can reach one. Computed for the random
    /// scheduler, and for the synchronous daemon if rules toss coins.
    pub expected: Option<Bounds>,
    /// The result of the worst scheduler.
    pub worst: Worst,
}

/// The distances of all configurations of an algorithm on a graph.
///
/// ```
/// use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
/// use ringleader_check::{Atlas, Monitor, Subject, Worst};
/// use ringleader_erased::PopulationInstance;
/// use ringleader_model::{Graph, Scheduler};
///
/// let algorithm = PopulationInstance::new(FischerJiangRing)?;
/// let ring = Graph::directed_ring(3)?;
/// let subject = Subject::Population(&algorithm, &ring);
/// let atlas = Atlas::new(&subject, Scheduler::Random, u64::MAX, &Monitor::default())?;
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
    /// The steps that change each node, where several processes step at once. No table can recompute these steps.
    kept: Option<Vec<Box<[u32]>>>,
}

/// The distances of every node.
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
    /// Computes the atlas of an algorithm, within `memory` bytes. All processes step at once under the synchronous scheduler, any set of
    /// them under the distributed one, any set without neighbours under the locally central one, otherwise one at a time.
    ///
    /// ```
    /// # use ringleader_model::graph::Neighbours;
    /// # use ringleader_model::{Coin, Goal, Marks, Networked, Safety, Stabilizing, Variables, Vicinity, Visitor};
    /// use ringleader_check::{Atlas, Monitor, Subject, Worst};
    /// use ringleader_erased::GraphInstance;
    /// use ringleader_model::{Graph, Scheduler};
    ///
    /// # #[derive(Clone)]
    /// # struct Independent(Neighbours);
    /// # impl Variables for Independent {
    /// #     type State = bool;
    /// #     fn variables(&self, inside: &mut bool, v: &mut dyn Visitor) { v.bit("inside", inside); }
    /// # }
    /// # impl Networked for Independent {
    /// #     fn neighbours(&self) -> &Neighbours { &self.0 }
    /// #     fn act(&self, view: Vicinity<'_, bool>, _: &mut impl Coin) -> bool { !view.neighbours.contains(&true) }
    /// #     fn marks(&self, view: Vicinity<'_, bool>) -> Marks { Marks::ACTIVE.when(view.own) }
    /// # }
    /// # impl Stabilizing for Independent {
    /// #     fn goal(&self) -> Goal { Goal::Holds("a maximal independent set") }
    /// #     fn correct(&self, states: &[bool]) -> bool { self.safe(states) }
    /// #     fn safety(&self) -> Safety { Safety::ForEver }
    /// #     fn safe(&self, states: &[bool]) -> bool {
    /// #         let beside = |i: usize| self.0.of(i).iter().any(|&j| states[j as usize]);
    /// #         (0..states.len()).all(|i| states[i] != beside(i))
    /// #     }
    /// # }
    /// // A maximal independent set: a process is inside if none of its neighbours is.
    /// let star = GraphInstance::new(Independent(Graph::parse("0 1\n0 2\n0 3")?.neighbours()))?;
    /// let atlas = Atlas::new(&Subject::Graph(&star), Scheduler::Unfair, u64::MAX, &Monitor::default())?;
    /// let here = |states: [u32; 4]| atlas.at(&states).expect("it is a configuration");
    /// assert!(here([0, 1, 1, 1]).safe && !here([1, 1, 0, 0]).safe);
    /// // One leaf is inside: the two others enter, and nothing else can happen.
    /// assert_eq!(here([0, 0, 0, 1]).worst, Worst::Steps(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(subject: &Subject<'_>, scheduler: Scheduler, memory: u64, monitor: &Monitor) -> Result<Atlas, Stop> {
        let daemon = Daemon::of(scheduler);
        let question = Question::new(daemon.map_or(Scheduler::Random, |_| scheduler)).within(memory);
        // The nodes of a graph are its configurations.
        let question = Question { symmetry: !matches!(subject, Subject::Graph(_)), ..question };
        let survey = Survey::of(subject, &question, monitor)?;
        match daemon {
            None => Atlas::one_at_a_time(survey, memory, monitor),
            Some(daemon) => Atlas::together(survey, daemon, memory, monitor),
        }
    }

    fn one_at_a_time(survey: Survey, memory: u64, monitor: &Monitor) -> Result<Atlas, Stop> {
        let system = &survey.system;
        // The predecessors, and the distances of each node.
        let needed = system.size().saturating_mul(4 * system.steps_at_most() + 48);
        memory::admit(needed, memory, Some(survey.configurations()))?;
        let known = Known::find(&survey, system, || Successors::new(system, memory, monitor).map(Some), monitor)?;
        Ok(Atlas { survey, known, kept: None })
    }

    fn together(survey: Survey, daemon: Daemon, memory: u64, monitor: &Monitor) -> Result<Atlas, Stop> {
        let graph = Together::new(&survey.system, daemon, memory, monitor)?;
        // The graph stores every step forward and backward; the atlas stores the steps once more.
        let needed = graph.size().saturating_mul(8 * graph.steps_at_most() + 64);
        memory::admit(needed, memory, Some(survey.configurations()))?;
        let steps = || Ok(graph.is_markov().then_some(Successors::Single));
        let known = Known::find(&survey, &graph, steps, monitor)?;
        let kept = (0..graph.size() as u32).map(|node| neighbours(&graph, node).into()).collect();
        drop(graph);
        Ok(Atlas { survey, known, kept: Some(kept) })
    }

    /// The distances of the configuration with these local states; `None` if no fault produces that configuration.
    #[must_use]
    pub fn at(&self, states: &[u32]) -> Option<Here> {
        let node = self.node(states);
        self.survey.possible(node).then(|| self.of_node(node))
    }

    /// The distances of a node.
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

    /// The number of nodes: configurations, or rotation classes where rotation changes nothing.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.survey.system.size()
    }

    /// Whether a node represents all rotations of a configuration.
    #[must_use]
    pub fn up_to_rotation(&self) -> bool {
        self.survey.system.is_up_to_symmetry()
    }

    /// The node of the configuration with these local states.
    #[must_use]
    pub fn node(&self, states: &[u32]) -> u32 {
        self.survey.system.node(self.survey.lower(states)).0
    }

    /// Visits every node that is a configuration of the algorithm, with the targets of the steps that change it.
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
    /// `steps` says how sweeps find the successors; `None` means that the steps have no probabilities.
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
            .map(|steps| {
                let (goal, count) = ((&target, None), survey.configurations());
                bounded(graph, &steps, goal, count, Effort::new(1e-6), None, monitor)
            })
            .transpose()?;
        let worst = worst(graph, &target, monitor)?;
        Ok(Known { safe, heals, expected, worst })
    }
}

/// The targets of those steps of a node that change it.
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

/// For each node, the largest number of steps outside the target.
///
/// A component comes after all that it leads to. So the value of a node by itself is one more than the largest value after it, and a
/// scheduler can stay for ever in a larger component, and where no step changes anything.
fn worst<G: StateGraph>(graph: &G, target: &Bits, monitor: &Monitor) -> Result<Vec<u32>, Stop> {
    let len = graph.size() as usize;
    monitor.enter("the worst schedule from each configuration", Some(len as u64));
    let mut worst = vec![FOR_EVER; len];
    target.iter().for_each(|node| worst[node as usize] = 0);
    let outside: Vec<u32> = target.missing().collect();
    let settle = |component: &[u32]| {
        if let [node] = *component {
            let mut longest = None;
            graph.each_successor(node, &mut |edge: Edge| {
                if edge.moves(node) {
                    longest = longest.max(Some(worst[edge.target as usize]));
                }
            });
            // Nothing is longer than for ever.
            worst[node as usize] = longest.map_or(FOR_EVER, |longest| longest.saturating_add(1));
        }
        true
    };
    components(&mut Components::new(len), graph, &outside, monitor, |node| !target.contains(node), settle)?;
    Ok(worst)
}
