//! The configuration graph, for counting, inspection and export.

use crate::rules::System;
use crate::search::really_safe;
use crate::space::{Bits, INCORRECT, Markov as _, StateGraph as _};
use crate::verdict::transitions;
use crate::{Monitor, Question, Stop, Survey};
use ringleader_erased::{PopulationInstance, RingInstance};
use ringleader_model::Graph;

/// Every configuration of an algorithm, or one representative of each rotation class, and the steps between them. One
/// arc or process steps at a time. Steps are computed on demand and never stored.
///
/// ```
/// use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
/// use ringleader_check::{Configurations, Monitor, Question};
/// use ringleader_erased::PopulationInstance;
/// use ringleader_model::{Graph, Scheduler};
///
/// let algorithm = PopulationInstance::new(FischerJiangRing)?;
/// let question = Question::new(Scheduler::Random);
/// let all = Configurations::population(&algorithm, &Graph::directed_ring(3)?, &question, &Monitor::default())?;
/// assert_eq!((all.configurations(), all.len()), (512, 176));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Configurations {
    survey: Survey,
    really_safe: Bits,
    transitions: u64,
    /// The nodes that are configurations, if some combinations of local states are not.
    kept: Option<Vec<u32>>,
}

/// A step between configurations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// The number of the configuration it leads to.
    pub target: u32,
    /// The number of the arc or process.
    pub site: usize,
    /// The left agent, or initiator.
    pub left: usize,
    /// The right agent, or responder; on a ring of processes the process that steps.
    pub right: usize,
    /// The probability of this step once the arc or process is chosen.
    pub probability: f64,
    /// Whether the step changes nothing. A step to another configuration of the same rotation class does change
    /// something.
    pub idle: bool,
}

impl Configurations {
    /// The configurations of a population protocol on a graph. Of the question, only the memory limit and the symmetry
    /// matter.
    pub fn population(
        algorithm: &PopulationInstance,
        graph: &Graph,
        question: &Question,
        monitor: &Monitor,
    ) -> Result<Configurations, Stop> {
        Configurations::of(Survey::population(algorithm, graph, question, monitor)?, monitor)
    }

    /// The configurations of a ring or a line of processes.
    pub fn ring(
        algorithm: &RingInstance,
        size: usize,
        question: &Question,
        monitor: &Monitor,
    ) -> Result<Configurations, Stop> {
        Configurations::of(Survey::ring(algorithm, size, question, monitor)?, monitor)
    }

    fn of(survey: Survey, monitor: &Monitor) -> Result<Configurations, Stop> {
        monitor.find(format!("{} configurations", survey.configurations()));
        let really_safe = really_safe(&survey.system, |node, turn| survey.label(node, turn), monitor)?;
        let nodes = 0..survey.system.size() as u32;
        let all = nodes.clone().all(|node| survey.possible(node));
        let kept = (!all).then(|| nodes.filter(|&node| survey.possible(node)).collect());
        let transitions = transitions(&survey, monitor, |node, edge| u64::from(edge.moves(node)))?;
        Ok(Configurations { survey, really_safe, transitions, kept })
    }

    fn node(&self, number: usize) -> u32 {
        self.kept.as_ref().map_or(number as u32, |kept| kept[number])
    }

    /// The number of nodes: all configurations, or one per rotation class.
    pub fn len(&self) -> usize {
        self.kept.as_ref().map_or(self.system().size() as usize, Vec::len)
    }

    /// Whether there are no configurations.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of configurations, all rotations included.
    pub fn configurations(&self) -> u64 {
        self.survey.configurations()
    }

    /// The number of steps that change something.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// The number of configurations in a set.
    pub fn count(&self, set: impl Fn(usize) -> bool) -> u64 {
        (0..self.len()).filter(|&number| set(number)).map(|number| self.system().members(self.node(number))).sum()
    }

    /// Whether a node represents all its rotations.
    pub fn up_to_rotation(&self) -> bool {
        self.system().is_up_to_rotation()
    }

    /// Whether the algorithm is a ring of processes rather than a population.
    pub fn is_ring(&self) -> bool {
        self.system().is_ring()
    }

    /// The number of arcs or processes that may step.
    pub fn sites(&self) -> usize {
        self.system().sites().len()
    }

    fn system(&self) -> &System {
        &self.survey.system
    }

    /// The numbers of the local states of a configuration.
    pub fn states(&self, number: usize) -> Vec<u32> {
        self.system().space().digits(self.system().configuration(self.node(number)))
    }

    /// Whether a configuration meets the goal now.
    pub fn correct(&self, number: usize) -> bool {
        self.survey.label(self.node(number), 0) != INCORRECT
    }

    /// Whether the algorithm names a safe set.
    pub fn names_safe(&self) -> bool {
        self.survey.names_safe
    }

    /// Whether the algorithm's proof calls the configuration safe.
    pub fn own_safe(&self, number: usize) -> bool {
        self.names_safe() && self.survey.own_safe.contains(self.node(number))
    }

    /// Whether the configuration is really safe: the goal is met, for ever and in the same way.
    pub fn really_safe(&self, number: usize) -> bool {
        self.really_safe.contains(self.node(number))
    }

    /// Every step from a configuration, including steps that change nothing. The detector, if there is one, is perfect.
    pub fn steps(&self, number: usize) -> Vec<Arrow> {
        let node = self.node(number);
        let mut steps = vec![];
        self.system().each_successor(node, &mut |edge| {
            let site = &self.system().sites()[edge.site as usize];
            let target = match &self.kept {
                None => edge.target,
                Some(kept) => kept.binary_search(&edge.target).expect("every step leads to a configuration") as u32,
            };
            steps.push(Arrow {
                target,
                site: edge.site as usize,
                left: site.left,
                right: site.right,
                probability: f64::from(edge.weight) / f64::from(self.system().whole()),
                idle: !edge.moves(node),
            });
        });
        steps
    }
}
