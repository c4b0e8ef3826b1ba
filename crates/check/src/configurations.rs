//! The configuration graph, for counting, inspection and export.

use crate::decision::Choices;
use crate::rules::System;
use crate::schedule::{Alternating, Daemon, Together};
use crate::search::really_safe;
use crate::space::{Bits, Edge, INCORRECT, Markov as _, NOBODY, StateGraph};
use crate::verdict::{moves, refuse_partner, transitions};
use crate::{Monitor, Question, Stop, Survey, Uncheckable};
use ringleader_erased::{GraphInstance, PopulationInstance, RingInstance};
use ringleader_model::trace::Actor;
use ringleader_model::{Graph, Scheduler};
use std::collections::HashMap;

/// Every configuration of an algorithm, or one representative of each rotation class, and the steps between them under a
/// scheduler: a Markov chain, or a decision process whose choices are the enabled ones. Under alternating schedules a
/// node has the turns of the processes, too.
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
    scheduler: Scheduler,
    really_safe: Bits,
    transitions: u64,
    /// The nodes that are configurations, if some combinations of local states are not.
    kept: Option<Vec<u32>>,
    /// The choices of the scheduler, unless it is random.
    choices: Option<Choices>,
}

/// A choice of the scheduler, or a whole step where chance alone decides.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Transition {
    /// The actor; absent if chance decides.
    pub actor: Option<Actor>,
    /// The numbers of the configurations that it may lead to, each with its probability. A number may occur twice.
    pub outcomes: Vec<(u32, f64)>,
}

impl Configurations {
    /// The configurations of a population protocol on a graph. Of the question, only the scheduler, the memory limit and
    /// the symmetry matter.
    pub fn population(
        algorithm: &PopulationInstance,
        graph: &Graph,
        question: &Question,
        monitor: &Monitor,
    ) -> Result<Configurations, Stop> {
        use Scheduler::{Alternating, Distributed, LocallyCentral, Synchronous};
        if matches!(question.scheduler, Alternating | Synchronous | Distributed | LocallyCentral) {
            return Err(Uncheckable::OnlyForRings(question.scheduler).into());
        }
        let survey = Survey::population(algorithm, graph, &steps_of(question), monitor)?;
        if question.scheduler.picks_initiators() && survey.system.chooses() {
            return Err(Uncheckable::ChoosesAfterPartner.into());
        }
        Configurations::of(survey, question, monitor)
    }

    /// The configurations of a ring or a line of processes.
    pub fn ring(
        algorithm: &RingInstance,
        size: usize,
        question: &Question,
        monitor: &Monitor,
    ) -> Result<Configurations, Stop> {
        refuse_partner(question.scheduler)?;
        let survey = Survey::ring(algorithm, size, &steps_of(question), monitor)?;
        Configurations::of(survey, question, monitor)
    }

    /// The configurations of the processes of a graph.
    pub fn graph(algorithm: &GraphInstance, question: &Question, monitor: &Monitor) -> Result<Configurations, Stop> {
        if question.scheduler == Scheduler::Alternating {
            return Err(Uncheckable::OnlyForChains(question.scheduler).into());
        }
        Configurations::of(
            Survey::graph(algorithm, &steps_of(question).without_symmetry(), monitor)?,
            question,
            monitor,
        )
    }

    fn of(survey: Survey, question: &Question, monitor: &Monitor) -> Result<Configurations, Stop> {
        monitor.find(format!("{} configurations", survey.configurations()));
        let (system, memory) = (&survey.system, question.memory);
        let one_at_a_time = || moves(&survey, monitor);
        let label = |node: u32, turn: u32| survey.label(node, turn);
        let (safe, count, choices) = match question.scheduler {
            Scheduler::Random => (really_safe(system, label, monitor)?, one_at_a_time()?, None),
            Scheduler::Unfair => {
                let choices = Choices::one_at_a_time(system, system, memory, monitor)?;
                (really_safe(system, label, monitor)?, one_at_a_time()?, Some(choices))
            }
            Scheduler::RandomPartner => {
                let choices = Choices::by_initiator(system, memory, monitor)?;
                (really_safe(system, label, monitor)?, one_at_a_time()?, Some(choices))
            }
            Scheduler::Alternating => {
                let product = Alternating::new(system).ok_or(Uncheckable::TooManyTokens)?;
                let choices = Choices::one_at_a_time(&product, system, memory, monitor)?;
                let safe = really_safe(&product, |node, turn| survey.label(product.base(node), turn), monitor)?;
                let count = transitions(&survey, monitor, |_, edge| product.chances(edge.site as usize))?;
                (safe, count, Some(choices))
            }
            Scheduler::Synchronous => together(&survey, Daemon::Synchronous, memory, monitor)?,
            Scheduler::Distributed => together(&survey, Daemon::Distributed, memory, monitor)?,
            Scheduler::LocallyCentral => together(&survey, Daemon::LocallyCentral, memory, monitor)?,
            other => return Err(Uncheckable::NoGraph(other).into()),
        };
        let size = choices.as_ref().map_or(system.size(), StateGraph::size);
        let possible = |node: u32| survey.possible((u64::from(node) % system.size()) as u32);
        let nodes = 0..size as u32;
        let kept = (!nodes.clone().all(possible)).then(|| nodes.filter(|&node| possible(node)).collect());
        let (scheduler, really_safe) = (question.scheduler, safe);
        Ok(Configurations { survey, scheduler, really_safe, transitions: count, kept, choices })
    }

    fn node(&self, number: usize) -> u32 {
        self.kept.as_ref().map_or(number as u32, |kept| kept[number])
    }

    /// The system's node of a configuration.
    fn base(&self, number: usize) -> u32 {
        (u64::from(self.node(number)) % self.system().size()) as u32
    }

    /// The scheduler.
    pub fn scheduler(&self) -> Scheduler {
        self.scheduler
    }

    /// Whether chance alone decides: every configuration has one choice.
    pub fn is_chain(&self) -> bool {
        match self.scheduler {
            Scheduler::Random => true,
            Scheduler::Synchronous => !self.system().chooses(),
            _ => false,
        }
    }

    /// The number of nodes: all configurations, or one per rotation class; with turns under alternating schedules.
    pub fn len(&self) -> usize {
        let nodes = self.choices.as_ref().map_or(self.system().size(), StateGraph::size);
        self.kept.as_ref().map_or(nodes as usize, Vec::len)
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

    /// The number of configurations in a set: with all turns under alternating schedules.
    pub fn count(&self, set: impl Fn(usize) -> bool) -> u64 {
        let each = self.len() as u64 / self.survey.nodes().max(1);
        let mut inside: HashMap<u32, u64> = HashMap::new();
        for number in (0..self.len()).filter(|&number| set(number)) {
            *inside.entry(self.base(number)).or_default() += 1;
        }
        inside.into_iter().filter(|(_, count)| *count == each).map(|(base, _)| self.system().members(base)).sum()
    }

    /// Whether a node represents all its rotations.
    pub fn up_to_rotation(&self) -> bool {
        self.system().is_up_to_symmetry()
    }

    /// Whether the algorithm is a ring of processes rather than a population.
    pub fn is_ring(&self) -> bool {
        self.system().is_ring()
    }

    fn system(&self) -> &System {
        &self.survey.system
    }

    /// The numbers of the local states of a configuration.
    pub fn states(&self, number: usize) -> Vec<u32> {
        self.system().space().digits(self.system().configuration(self.base(number)))
    }

    /// Whether a configuration meets the goal now.
    pub fn correct(&self, number: usize) -> bool {
        self.survey.label(self.base(number), 0) != INCORRECT
    }

    /// Whether the algorithm names a safe set.
    pub fn names_safe(&self) -> bool {
        self.survey.names_safe
    }

    /// Whether the algorithm's proof calls the configuration safe.
    pub fn own_safe(&self, number: usize) -> bool {
        self.names_safe() && self.survey.own_safe.contains(self.base(number))
    }

    /// Whether the configuration is really safe: the goal is met, for ever and in the same way.
    pub fn really_safe(&self, number: usize) -> bool {
        self.really_safe.contains(self.node(number))
    }

    /// Under alternating schedules, the processes that have the turn on the edge to their left.
    pub fn turns(&self, number: usize) -> Option<Vec<usize>> {
        let product = Alternating::new(self.system()).filter(|_| self.scheduler == Scheduler::Alternating)?;
        let turns = product.turns(self.node(number));
        Some((0..self.system().space().agents()).filter(|i| turns >> i & 1 == 1).collect())
    }

    /// The number of a node.
    fn number(&self, node: u32) -> u32 {
        match &self.kept {
            None => node,
            Some(kept) => kept.binary_search(&node).expect("every step leads to a configuration") as u32,
        }
    }

    fn actor(&self, site: u32) -> Actor {
        let site = &self.system().sites()[site as usize];
        if self.is_ring() { Actor::Process(site.right) } else { Actor::Arc(site.left, site.right) }
    }

    /// The actor of a choice.
    fn chosen(&self, site: u32) -> Actor {
        match self.scheduler {
            Scheduler::Synchronous => Actor::All,
            Scheduler::RandomPartner => Actor::Process(self.system().sites()[site as usize].left),
            Scheduler::Distributed | Scheduler::LocallyCentral => {
                let several: Vec<usize> = (0..self.system().space().agents()).filter(|i| site >> i & 1 == 1).collect();
                if let [one] = several[..] { Actor::Process(one) } else { Actor::Processes(several) }
            }
            _ => self.actor(site),
        }
    }

    /// The choices of the scheduler in a configuration: those that can change something, none if there are none. If
    /// chance decides, the whole step. The detector, if there is one, is perfect.
    pub fn choices(&self, number: usize) -> Vec<Transition> {
        let node = self.node(number);
        let Some(choices) = &self.choices else {
            let (mut outcomes, system) = (vec![], self.system());
            let whole = f64::from(system.whole()) * system.sites().len() as f64;
            let mut see = |edge: Edge| outcomes.push((self.number(edge.target), f64::from(edge.weight) / whole));
            system.each_successor(node, &mut see);
            return vec![Transition { actor: None, outcomes }];
        };
        let enabled = choices.of(node).filter(|&choice| choices.chosen(choice).0 != NOBODY);
        let transition = |choice: u32| {
            let whole: f64 = choices.weights(choice).iter().map(|&weight| f64::from(weight)).sum();
            let targets = choices.targets(choice).iter().zip(choices.weights(choice));
            let outcomes = targets.map(|(&to, &weight)| (self.number(to), f64::from(weight) / whole)).collect();
            Transition { actor: Some(self.chosen(choices.chosen(choice).0)), outcomes }
        };
        enabled.map(transition).collect()
    }

    /// The steps that change a configuration, each with its actor and its target. A step to another configuration of the
    /// same rotation class does change something.
    pub fn steps(&self, number: usize) -> Vec<(Actor, u32)> {
        let node = self.node(number);
        let mut steps = vec![];
        let mut see = |edge: Edge| {
            if edge.moves(node) && edge.site != NOBODY {
                steps.push((self.actor(edge.site), self.number(edge.target)));
            }
        };
        match (self.scheduler, &self.choices) {
            (Scheduler::Random | Scheduler::Unfair, _) | (_, None) => self.system().each_successor(node, &mut see),
            (_, Some(choices)) => {
                for choice in choices.of(node).filter(|&choice| choices.chosen(choice).0 != NOBODY) {
                    let targets = choices.targets(choice).iter().filter(|&&target| target != node);
                    let actor = self.chosen(choices.chosen(choice).0);
                    steps.extend(targets.map(|&target| (actor.clone(), self.number(target))));
                }
            }
        }
        steps
    }
}

/// The question whose survey has the configurations: all of them, unless one arc or process steps at a time.
fn steps_of(question: &Question) -> Question {
    let single = matches!(question.scheduler, Scheduler::Random | Scheduler::Unfair);
    Question { scheduler: Scheduler::Random, symmetry: question.symmetry && single, ..question.clone() }
}

/// The really safe set, the number of steps and the choices where several processes step at once.
fn together(
    survey: &Survey,
    daemon: Daemon,
    memory: u64,
    monitor: &Monitor,
) -> Result<(Bits, u64, Option<Choices>), Stop> {
    let graph = Together::new(&survey.system, daemon, memory, monitor)?;
    let safe = really_safe(&graph, |node, turn| survey.label(node, turn), monitor)?;
    let count = graph.transitions(survey);
    drop(graph);
    let choices = Choices::together(&survey.system, daemon, memory, monitor)?;
    Ok((safe, count, Some(choices)))
}
