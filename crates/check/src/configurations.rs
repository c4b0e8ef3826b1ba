//! The configuration graph, for counting, inspection and export.

use crate::decision::{Choices, Listing};
use crate::rules::System;
use crate::schedule::{Alternating, Daemon, Together};
use crate::search::really_safe;
use crate::space::{Bits, Edge, INCORRECT, Markov as _, StateGraph};
use crate::verdict::{moves, transitions};
use crate::{Asymmetry, Claim, Monitor, Question, Stop, Subject, Survey, Symmetry, Uncheckable};
use ringleader_model::Scheduler;
use ringleader_model::trace::Actor;
use std::collections::BTreeMap;

/// Every configuration of an algorithm, or those that executions from given starts reach, or one representative of each class under
/// rotation or automorphism, and the steps between them under a scheduler: a Markov chain, or a decision process whose choices are the enabled ones.
/// Under alternating schedules a node has the turns of the processes, too.
///
/// ```
/// use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
/// use ringleader_check::{Configurations, Monitor, Question, Subject};
/// use ringleader_erased::PopulationInstance;
/// use ringleader_model::{Graph, Scheduler};
///
/// let algorithm = PopulationInstance::new(FischerJiangRing)?;
/// let question = Question::new(Scheduler::Random);
/// let ring = Graph::directed_ring(3)?;
/// let all = Configurations::new(&Subject::Population(&algorithm, &ring), &question, &Monitor::default())?;
/// assert_eq!((all.configurations(), all.len()), (512, 176));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Configurations {
    survey: Survey,
    scheduler: Scheduler,
    really_safe: Bits,
    transitions: u64,
    /// The nodes that are configurations and can be reached, if these are not all nodes.
    kept: Option<Vec<u32>>,
    /// The claims about sets; those on single processes have no set.
    claims: Vec<Claim>,
}

/// A choice of the scheduler, or a whole step where chance alone decides.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Transition {
    /// The actor; absent if chance decides.
    pub actor: Option<Actor>,
    /// The numbers of the configurations that it may lead to, ascending, each with its probability.
    pub outcomes: Vec<(u32, f64)>,
}

impl Configurations {
    /// The scheduler itself, if a chain or a decision process expresses it; otherwise the one without its fairness, which is a
    /// condition on infinite executions.
    ///
    /// ```
    /// use ringleader_check::Configurations;
    /// use ringleader_model::Scheduler::{Distributed, Fair, Unfair};
    /// assert_eq!([Distributed, Fair].map(Configurations::nearest), [Distributed, Unfair]);
    /// ```
    pub fn nearest(scheduler: Scheduler) -> Scheduler {
        use Scheduler::{Alternating, Distributed, LocallyCentral, Random, RandomPartner, Synchronous, Unfair};
        match scheduler {
            Random | Synchronous | Distributed | LocallyCentral | RandomPartner | Alternating => scheduler,
            Scheduler::FairRandomPartner => RandomPartner,
            _ => Unfair,
        }
    }

    /// The configurations of an algorithm. Of the question, only the scheduler, the memory limit, the symmetry, the starts of executions
    /// and the sets of the claims matter.
    pub fn new(subject: &Subject<'_>, question: &Question, monitor: &Monitor) -> Result<Configurations, Stop> {
        subject.refuse(question.scheduler)?;
        let survey = Survey::of(subject, &steps_of(question), monitor)?;
        Uncheckable::ChoosesAfterPartner.refuse_if(question.scheduler.picks_initiators() && survey.system.chooses())?;
        monitor.find(format!("{} configurations", survey.configurations()));
        let system = &survey.system;
        let one_at_a_time = || -> Result<(Bits, u64), Stop> {
            survey.restrict(system, question, monitor)?;
            let label = |node: u32, turn: u32| survey.label(node, turn);
            Ok((really_safe(system, label, monitor)?, moves(&survey, monitor)?))
        };
        let (mut reached, mut size) = (None, system.size());
        let (safe, count) = match question.scheduler {
            Scheduler::Random | Scheduler::RandomPartner => one_at_a_time()?,
            Scheduler::Unfair => {
                Choices::refuse(system)?;
                one_at_a_time()?
            }
            Scheduler::Alternating => {
                Choices::refuse(system)?;
                let product = Alternating::new(system).ok_or(Uncheckable::TooManyTokens)?;
                size = product.size();
                reached = survey.restrict_with_turns(&product, question, monitor)?.map(|[_, reached]| reached);
                let safe = really_safe(&product, |node, turn| survey.label(product.base(node), turn), monitor)?;
                let count = match &reached {
                    None => transitions(&survey, monitor, |edge| product.chances(edge.site as usize))?,
                    Some(reached) => reached.iter().fold(0, |mut sum, node| {
                        product.successors(node, |_| sum += 1);
                        sum
                    }),
                };
                (safe, count)
            }
            other => match Daemon::of(other) {
                Some(daemon) => together(&survey, daemon, question, monitor)?,
                None => return Err(Uncheckable::NoGraph(other).into()),
            },
        };
        let possible = |node: u32| {
            let base = if size == system.size() { node } else { (u64::from(node) % system.size()) as u32 };
            survey.possible(base) && reached.as_ref().is_none_or(|reached| reached.contains(node))
        };
        let nodes = 0..size as u32;
        let kept = (!nodes.clone().all(possible)).then(|| nodes.filter(|&node| possible(node)).collect());
        let (scheduler, really_safe) = (question.scheduler, safe);
        let claims = question.claims.iter().filter(|claim| claim.claimed.set().is_some()).cloned().collect();
        Ok(Configurations { survey, scheduler, really_safe, transitions: count, kept, claims })
    }

    fn node(&self, number: usize) -> u32 {
        self.kept.as_ref().map_or(number as u32, |kept| kept[number])
    }

    /// The product with the turns, under alternating schedules.
    fn product(&self) -> Option<Alternating<'_>> {
        if self.scheduler == Scheduler::Alternating { Alternating::new(self.system()) } else { None }
    }

    /// The system's node of a configuration.
    fn base(&self, number: usize) -> u32 {
        let node = self.node(number);
        match self.scheduler {
            Scheduler::Alternating => (u64::from(node) % self.system().size()) as u32,
            _ => node,
        }
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

    /// The number of nodes: all configurations, or one of each class; with turns under alternating schedules.
    pub fn len(&self) -> usize {
        let nodes = || self.product().map_or(self.system().size(), |product| product.size());
        self.kept.as_ref().map_or_else(|| nodes() as usize, Vec::len)
    }

    /// Whether there are no configurations.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of configurations, not of classes; with given starts, of those that executions reach.
    pub fn configurations(&self) -> u64 {
        self.survey.configurations()
    }

    /// The number of steps that change something.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// The number of configurations in a set: with all turns under alternating schedules.
    pub fn count(&self, set: impl Fn(usize) -> bool) -> u64 {
        let members = |base: u32| self.system().members(base);
        if self.scheduler != Scheduler::Alternating {
            return (0..self.len()).filter(|&number| set(number)).map(|number| members(self.base(number))).sum();
        }
        let mut inside: BTreeMap<u32, bool> = BTreeMap::new();
        for number in 0..self.len() {
            *inside.entry(self.base(number)).or_insert(true) &= set(number);
        }
        inside.into_iter().filter(|(_, inside)| *inside).map(|(base, _)| members(base)).sum()
    }

    /// Whether executions start in given configurations only.
    pub fn names_starts(&self) -> bool {
        self.survey.starts.is_some()
    }

    /// Whether an execution may start in a configuration: in every one, if no starts are given.
    pub fn begins(&self, number: usize) -> bool {
        self.survey.starts.as_ref().is_none_or(|starts| starts.contains(self.base(number)))
    }

    /// The named sets of configurations, each with its kind: the claims `invariant`, `always` and `eventually`, and the `closed` sets
    /// of the algorithm's proof.
    pub fn named_sets(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let claims = self.claims.iter().map(|claim| (claim.claimed.promise().into(), claim.name.as_str()));
        claims.chain(self.survey.sets.iter().map(|set| ("closed", set.name.as_str())))
    }

    /// Whether a configuration is in a named set.
    pub fn in_set(&self, number: usize, set: usize) -> bool {
        match set.checked_sub(self.claims.len()) {
            None => self.claims[set].claimed.set().is_some_and(|holds| holds(&self.states(number))),
            Some(closed) => self.survey.sets[closed].members.contains(self.base(number)),
        }
    }

    /// The symmetry between the configurations that a node represents, if it represents several.
    pub fn symmetry(&self) -> Option<Symmetry> {
        self.system().symmetry()
    }

    /// The reason why every configuration is a node of its own, if no symmetry was used.
    pub fn asymmetry(&self) -> Option<Asymmetry> {
        self.survey.asymmetry
    }

    /// Whether the algorithm is a ring of processes rather than a population.
    pub fn is_ring(&self) -> bool {
        self.system().is_ring
    }

    fn system(&self) -> &System {
        &self.survey.system
    }

    /// The numbers of the local states of a configuration.
    pub fn states(&self, number: usize) -> Vec<u32> {
        self.survey.lift(self.system().space.digits(self.system().configuration(self.base(number))))
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
        let turns = self.product()?.turns(self.node(number));
        Some((0..self.system().space.agents).filter(|i| turns >> i & 1 == 1).collect())
    }

    /// The number of a node.
    fn number(&self, node: u32) -> u32 {
        match &self.kept {
            None => node,
            Some(kept) => kept.binary_search(&node).expect("every step leads to a configuration") as u32,
        }
    }

    fn actor(&self, site: u32) -> Actor {
        let site = &self.system().sites[site as usize];
        if self.is_ring() { Actor::Process(site.right) } else { Actor::Arc(site.left, site.right) }
    }

    /// The actor of a choice.
    fn chosen(&self, site: u32) -> Actor {
        match self.scheduler {
            Scheduler::Synchronous => Actor::All,
            Scheduler::RandomPartner => Actor::Process(self.system().sites[site as usize].left),
            Scheduler::Distributed | Scheduler::LocallyCentral => {
                let several: Vec<usize> = (0..self.system().space.agents).filter(|i| site >> i & 1 == 1).collect();
                if let [one] = several[..] { Actor::Process(one) } else { Actor::Processes(several) }
            }
            _ => self.actor(site),
        }
    }

    /// The choices of the scheduler in a configuration: those that can change something, none if there are none. If
    /// chance decides, the whole step. The detector, if there is one, is perfect.
    pub fn choices(&self, number: usize) -> Vec<Transition> {
        let node = self.node(number);
        if self.scheduler == Scheduler::Random {
            let mut weights = vec![];
            self.system().each_successor(node, &mut |edge: Edge| weights.push((edge.target, edge.weight)));
            return vec![Transition { actor: None, outcomes: self.outcomes(&weights) }];
        }
        let transition = |((site, _), weights): ((u32, u32), &[(u32, u32)])| Transition {
            actor: Some(self.chosen(site)),
            outcomes: self.outcomes(weights),
        };
        self.listed(node).each().map(transition).collect()
    }

    /// The choices of a scheduler that chooses, in a node.
    fn listed(&self, node: u32) -> Listing {
        let (system, mut list) = (self.system(), Listing::default());
        match (Daemon::of(self.scheduler), self.product()) {
            (Some(daemon), _) => list.together(system, daemon, node),
            (_, Some(product)) => list.one_at_a_time(&product, system, node),
            _ if self.scheduler == Scheduler::RandomPartner => list.by_initiator(system, node),
            _ => list.one_at_a_time(system, system, node),
        }
        list
    }

    /// The probabilities of targets with weights. The sum of a target's weights is exact, so its probability is rounded once.
    fn outcomes(&self, weights: &[(u32, u32)]) -> Vec<(u32, f64)> {
        let mut sums: BTreeMap<u32, u64> = BTreeMap::new();
        for &(target, weight) in weights {
            *sums.entry(self.number(target)).or_default() += u64::from(weight);
        }
        let whole: u64 = sums.values().sum();
        sums.into_iter().map(|(target, weight)| (target, weight as f64 / whole as f64)).collect()
    }

    /// The steps that change a configuration, each with its actor and its target. A step to another configuration of the
    /// same class does change something.
    pub fn steps(&self, number: usize) -> Vec<(Actor, u32)> {
        let node = self.node(number);
        let mut steps = vec![];
        if matches!(self.scheduler, Scheduler::Random | Scheduler::Unfair) {
            self.system().each_successor(node, &mut |edge| {
                if edge.moves(node) {
                    steps.push((self.actor(edge.site), self.number(edge.target)));
                }
            });
            return steps;
        }
        for ((site, _), outcomes) in self.listed(node).each() {
            let (actor, targets) = (self.chosen(site), outcomes.iter().filter(|outcome| outcome.0 != node));
            steps.extend(targets.map(|outcome| (actor.clone(), self.number(outcome.0))));
        }
        steps
    }
}

/// The question whose survey has the configurations: all of them, unless one arc or process steps at a time.
fn steps_of(question: &Question) -> Question {
    let single = matches!(question.scheduler, Scheduler::Random | Scheduler::Unfair);
    Question { scheduler: Scheduler::Random, symmetry: question.symmetry && single, ..question.clone() }
}

/// The really safe set and the number of steps where several processes step at once.
fn together(survey: &Survey, daemon: Daemon, question: &Question, monitor: &Monitor) -> Result<(Bits, u64), Stop> {
    Choices::refuse_together(&survey.system)?;
    let graph = Together::or_at_once(&survey.system, daemon, question.memory, monitor)?;
    survey.restrict(&graph, question, monitor)?;
    let safe = really_safe(&graph, |node, turn| survey.label(node, turn), monitor)?;
    Ok((safe, graph.transitions(survey)))
}
