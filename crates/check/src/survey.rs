//! The one pass that depends on the algorithm: it compiles the rules and determines the sets of every configuration.
//!
//! All later passes work on numbers, so the engines are compiled once, not once per algorithm.

pub(crate) mod names;
pub(crate) mod places;
pub(crate) mod subject;

use crate::decision::applies;
use crate::memory;
use crate::merge::Merged;
use crate::rules::{Marked, System};
use crate::schedule::{Alternating, Together};
use crate::search::reachable;
use crate::space::{
    Bits, Digits, Edge, INCORRECT, MOST_AGENTS, Markov as _, Orbits, Rotations, StateGraph, Symmetries,
};
use crate::{Detector, Monitor, Question, Stop, Uncheckable};
use names::Names;
use places::Asymmetry;
use ringleader_erased::{GraphInstance, Judge, Number, RuleTable, Verdict, common_denominator};
use ringleader_model::{Goal, Marks, Safety, Scheduler, Stabilizing};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use subject::Subject;

/// The most closed sets: a verdict about a configuration has this many bits.
const MOST_SETS: usize = 64;

/// A set of configurations that the algorithm's proof names.
#[derive(Clone, Debug)]
pub struct NamedSet {
    /// Its name in the paper.
    pub name: String,
    /// Where the paper claims that it is closed.
    pub claim: String,
    /// Its configurations.
    pub members: Bits,
}

/// All data about an algorithm on a graph of a given size.
#[derive(Debug)]
pub struct Survey {
    /// The compiled system.
    pub system: System,
    /// The promise of the algorithm.
    pub goal: Goal,
    /// The agents that hold a token, if the goal is about tokens.
    tokens: Option<Marked>,
    /// The algorithm's own safe set; the correct configurations, if it names none.
    pub own_safe: Bits,
    /// Whether the algorithm names a safe set.
    pub names_safe: bool,
    /// The closed sets of its proof.
    pub sets: Vec<NamedSet>,
    /// Combinations of local states that are not configurations of the algorithm, because no fault can produce them. An
    /// example is a second leader where one leader is given. No step leads to them.
    impossible: Bits,
    labels: Vec<AtomicU8>,
    /// The nodes at which executions start, unless they start everywhere.
    pub(crate) starts: Option<Bits>,
    pub(crate) names: Names,
    /// The reason why every configuration is a node of its own, if it is.
    pub(crate) asymmetry: Option<Asymmetry>,
    /// The bytes for tables that make the computation of expected steps faster.
    pub(crate) spare: u64,
}

impl Survey {
    /// The number of local states of an agent; the largest, if agents differ.
    pub fn states(&self) -> u64 {
        self.names.states(&self.system.space)
    }

    /// The least number of local states of an agent, if agents differ.
    pub fn fewest_states(&self) -> Option<u64> {
        let space = &self.system.space;
        let all = (0..space.agents).map(|agent| space.radix_of(agent).into());
        all.min().filter(|_| !space.is_uniform())
    }

    /// The classes of local states that are the digits of the system, if states are merged.
    pub fn merged(&self) -> Option<&Arc<Merged>> {
        match &self.names {
            Names::Merged(merged) => Some(merged),
            _ => None,
        }
    }

    /// The local states of a configuration of the system.
    pub(crate) fn lift(&self, digits: Vec<u32>) -> Vec<u32> {
        self.names.lift(digits)
    }

    /// The configuration of the system that represents a configuration.
    pub(crate) fn lower(&self, states: &[u32]) -> u32 {
        self.system.space.encode(&self.names.lower(states))
    }

    /// The number of steps that change something, from all configurations that a node represents.
    pub(crate) fn moves(&self, node: u32) -> u64 {
        let (mut moves, system) = (0, &self.system);
        let Some(merged) = self.merged() else {
            let c = system.configuration(node);
            system.plain_steps(c, |edge| moves += u64::from(edge.target != c));
            return moves * system.members(node);
        };
        let mut digits = [0; MOST_AGENTS];
        system.space.decode(system.configuration(node), &mut digits);
        let sizes = &merged.partition.sizes;
        let all = system.members(node);
        for site in &system.sites {
            let (context, left, right) = (system.context_of(site, &digits), digits[site.left], digits[site.right]);
            let read = if merged.reads_states { sizes[context] } else { 1 };
            // The other agents may be in any state of their classes.
            let others = all / (sizes[left as usize] * sizes[right as usize] * read);
            moves += others * merged.changing(site.table, context, left, right);
        }
        moves
    }

    /// The output of a node after the symmetry `turn`: the leader, or 0 for another goal; [`INCORRECT`] if the goal is not met.
    #[inline]
    pub fn label(&self, node: u32, turn: u32) -> u8 {
        let label = self.labels[node as usize].load(Relaxed);
        if turn == 0 || label == INCORRECT || self.goal != Goal::OneLeader {
            return label;
        }
        self.system.turned_agent(label.into(), turn) as u8
    }

    /// A survey of a system without an algorithm: the output of each configuration, and whether it is called safe.
    pub fn from_parts(
        system: System,
        goal: Goal,
        label: impl Fn(&[u32]) -> u8,
        safe: impl Fn(&[u32]) -> bool,
    ) -> Survey {
        let nodes = 0..system.size() as u32;
        let digits = |node: u32| system.space.digits(system.configuration(node));
        let labels = nodes.map(|node| AtomicU8::new(label(&digits(node)))).collect();
        let (own_safe, impossible) = (Bits::of(system.size(), |node| safe(&digits(node))), Bits::new(system.size()));
        Survey {
            system,
            goal,
            tokens: None,
            own_safe,
            names_safe: true,
            sets: vec![],
            impossible,
            labels,
            starts: None,
            names: Names::Same,
            asymmetry: None,
            spare: u64::MAX,
        }
    }

    /// The same survey of executions that start in certain configurations.
    pub fn starting(mut self, starts: impl Fn(&[u32]) -> bool) -> Survey {
        let system = &self.system;
        let begins = |node: u32| starts(&self.lift(system.space.digits(system.configuration(node))));
        self.starts = Some(Bits::of(system.size(), begins));
        self
    }

    /// Restricts the survey to the configurations that executions from the starts reach. Returns the starts and these nodes, unless
    /// executions start everywhere. Refuses a configuration of the question that is not among them: it has no expected steps.
    pub(crate) fn restrict<G: StateGraph>(
        &self,
        graph: &G,
        question: &Question,
        monitor: &Monitor,
    ) -> Result<Option<[Bits; 2]>, Stop> {
        let Some(starts) = &self.starts else { return Ok(None) };
        let reached = reachable(graph, starts, None, monitor)?;
        self.restrict_to(&reached, question)?;
        Ok(Some([starts.clone(), reached]))
    }

    /// The same for alternating schedules. The tokens of a start may have any position. Returns the starts in the product, too.
    pub(crate) fn restrict_with_turns(
        &self,
        product: &Alternating<'_>,
        question: &Question,
        monitor: &Monitor,
    ) -> Result<Option<[Bits; 2]>, Stop> {
        let Some(starts) = self.starts.as_ref().map(|starts| product.every(starts)) else { return Ok(None) };
        let reached = reachable(product, &starts, None, monitor)?;
        let bases = Bits::new(self.system.size()).with(reached.iter().map(|node| product.base(node)));
        self.restrict_to(&bases, question)?;
        Ok(Some([starts, reached]))
    }

    /// The same, if the reached nodes are known.
    fn restrict_to(&self, reached: &Bits, question: &Question) -> Result<(), Stop> {
        question.refuse_unreached(|states| reached.contains(self.system.node(self.lower(states)).0))?;
        for node in reached.missing() {
            self.impossible.insert(node);
            self.labels[node as usize].store(INCORRECT, Relaxed);
            self.own_safe.remove(node);
            for set in &self.sets {
                set.members.remove(node);
            }
        }
        Ok(())
    }

    /// The same survey of a system with other tables. Mutants are checked this way.
    pub fn with_tables(&self, tables: Vec<RuleTable>) -> Survey {
        Survey {
            system: self.system.clone().with_tables(tables),
            goal: self.goal,
            tokens: self.tokens.clone(),
            own_safe: self.own_safe.clone(),
            names_safe: self.names_safe,
            sets: self.sets.clone(),
            impossible: self.impossible.clone(),
            labels: self.labels.iter().map(|label| AtomicU8::new(label.load(Relaxed))).collect(),
            starts: self.starts.clone(),
            names: self.names.clone(),
            asymmetry: self.asymmetry,
            spare: self.spare,
        }
    }

    /// Whether a node's combination of local states is a configuration of the algorithm.
    #[inline]
    pub fn possible(&self, node: u32) -> bool {
        !self.impossible.contains(node)
    }

    /// The number of nodes that represent configurations.
    pub fn nodes(&self) -> u64 {
        self.system.size() - self.impossible.count()
    }

    /// The number of configurations.
    pub fn configurations(&self) -> u64 {
        let space = &self.system.space;
        let all = self.merged().map_or(space.size(), |merged| merged.states().pow(space.agents as u32));
        all - self.count(&self.impossible)
    }

    /// The algorithm's own safe set. If the algorithm names none, this is the really safe set.
    pub fn own(&self, really_safe: &Bits) -> Bits {
        if self.names_safe { self.own_safe.clone() } else { really_safe.clone() }
    }

    /// The number of configurations that a set of nodes represents.
    pub fn count(&self, set: &Bits) -> u64 {
        if self.system.is_up_to_symmetry() || self.merged().is_some() {
            set.iter().map(|node| self.system.members(node)).sum()
        } else {
            set.count()
        }
    }

    /// Inserts a node with these local states into its sets.
    #[inline]
    fn place(&self, node: u32, digits: &Digits, verdict: Verdict) {
        if !verdict.possible {
            self.impossible.insert(node);
        }
        if verdict.correct {
            let only = |marked: u32| if marked.count_ones() == 1 { Some(marked.trailing_zeros() as u8) } else { None };
            let label = match (self.goal, &self.tokens) {
                (Goal::OneLeader, _) => only(self.system.leaders_of(digits)),
                (Goal::OneToken, Some(tokens)) => only(self.system.marked(tokens, digits)).map(|_| 0),
                _ => Some(0),
            };
            let label = label.unwrap_or(INCORRECT);
            self.labels[node as usize].store(label, Relaxed);
        }
        if verdict.safe {
            self.own_safe.insert(node);
        }
        for (_, set) in self.sets.iter().enumerate().filter(|(i, _)| verdict.sets >> i & 1 == 1) {
            set.members.insert(node);
        }
    }

    /// Refuses steps that lead from a configuration to a non-configuration, including steps under a lying detector if
    /// it may lie.
    fn refuse_impossible_targets(&self, detector: Detector) -> Result<(), Uncheckable> {
        if self.impossible.count() == 0 {
            return Ok(());
        }
        for node in (0..self.system.size() as u32).filter(|&node| self.possible(node)) {
            let mut out = None;
            let mut see = |edge: Edge| out = out.or((!self.possible(edge.target)).then_some(edge));
            match detector {
                Detector::Perfect => self.system.each_successor(node, &mut see),
                Detector::EventuallyCorrect => self.system.misled(node, see),
            }
            if let Some(edge) = out {
                let actors = self.system.actors(edge.site);
                let agents = (0..self.system.space.agents).filter(|agent| actors >> agent & 1 == 1).collect();
                return Err(Uncheckable::WritesGiven { agents, rules: self.system.rules(edge).to_vec() });
            }
        }
        Ok(())
    }

    /// Surveys an algorithm, up to rotation or automorphism where that decides the question.
    pub fn of(subject: &Subject<'_>, question: &Question, monitor: &Monitor) -> Result<Survey, Stop> {
        subject.survey(None, question, monitor)
    }

    /// Adds all non-configurations to a set, so that no execution starts or ends there.
    pub fn dismiss(&self, set: &Bits, nodes: impl Fn(u32, &mut dyn FnMut(u32))) {
        self.impossible.iter().for_each(|base| nodes(base, &mut |node| assert!(set.insert(node))));
    }
}

/// Surveys the processes of a graph.
fn of_graph(algorithm: &GraphInstance, question: &Question, monitor: &Monitor) -> Result<Survey, Stop> {
    let (local, space) = names::of_graph(algorithm, question)?;
    monitor.enter("compiling the rules", None);
    algorithm.check_declarations()?;
    let (mut tables, mut table_at) = (Vec::<RuleTable>::new(), vec![]);
    let mut marks = [vec![], vec![]];
    for process in 0..algorithm.size() {
        let table = RuleTable::graph_while(algorithm, &local, process, &|| monitor.check().is_ok())?;
        let [mut leader, mut token] = [vec![], vec![]];
        for (context, first, own) in table.cells() {
            let shown = algorithm.marks_of(process, &local.view(process, context as u64, first, own));
            leader.push(shown.contains(Marks::LEADER));
            token.push(shown.contains(Marks::TOKEN));
        }
        marks[0].push(leader);
        marks[1].push(token);
        table_at.push(subject::shared(&mut tables, table));
    }
    common_denominator(tables.iter().map(RuleTable::whole))?;
    let [leaders, tokens] = marks.map(Marked::Each);
    let system = System::graph(space, algorithm.neighbours(), &table_at, tables, leaders);
    let symmetries = if question.up_to_symmetry() { places::automorphisms(algorithm, &local) } else { None };
    let symmetries = symmetries.filter(|symmetries| system.is_symmetric(symmetries, Some(&tokens)));
    let possible = local.are_possible();
    let judge = || if possible { algorithm.judge_possible() } else { algorithm.judge(algorithm.size()) };
    let names = if local.are_all() { Names::Same } else { Names::Local(Arc::new(local)) };
    look(algorithm, (system, tokens, symmetries), names, &judge, question, monitor)
}

fn look<'a, A: Stabilizing<State = Number>>(
    algorithm: &A,
    (system, tokens, symmetries): (System, Marked, Option<Symmetries>),
    names: Names,
    judge: &(dyn Fn() -> Option<Box<dyn Judge + 'a>> + Sync),
    question: &Question,
    monitor: &Monitor,
) -> Result<Survey, Stop> {
    let judge = || {
        let judge = judge().expect("two agents of 2^16 states or more have too many configurations");
        names.judging(judge)
    };
    let states = names.states(&system.space);
    let asymmetry = |moves: &[&dyn Fn(u32) -> u32]| {
        let (space, mut judge) = (&system.space, judge());
        places::asymmetry(|digits| judge.judge(digits), question, &names, space, moves)
    };
    let tokens = (algorithm.goal() == Goal::OneToken).then_some(tokens);
    let symmetric = system.anonymous() && tokens.as_ref().is_none_or(Marked::is_uniform);
    // A strategy names the configurations themselves.
    let classes = question.up_to_symmetry() && !applies(&system, question);
    let rotations = match (classes, symmetric) {
        (false, _) => Err(Asymmetry::Question),
        (true, false) => Err(Asymmetry::Agents),
        _ if algorithm.names_places() => Err(Asymmetry::Sets),
        _ if !places::same_faults_everywhere(algorithm, states, system.space.agents) => Err(Asymmetry::Given),
        _ => asymmetry(&[&|c| system.space.turn_back(c)]).map_or(Ok(()), Err),
    };
    let sets = if question.only_goal { vec![] } else { algorithm.closed_sets() };
    Uncheckable::TooManySets(sets.len()).refuse_if(sets.len() > MOST_SETS)?;
    let (space, needed) = (&system.space, |classes| memory::estimate(&system, classes, sets.len(), question));
    let symmetries = symmetries.filter(|_| classes).ok_or(Asymmetry::Agents).and_then(|symmetries| {
        let orbits = symmetries.classes(space);
        if needed(Some((orbits, Orbits::bytes(space.size(), orbits)))).bytes > question.memory {
            return Err(Asymmetry::Memory);
        }
        let one = &symmetries;
        let image = |turn: u32| move |c| one.image(turn, c, space);
        let moves: Vec<_> = one.generators().into_iter().map(image).collect();
        let moves: Vec<_> = moves.iter().map(|moved| moved as &dyn Fn(u32) -> u32).collect();
        match asymmetry(&moves) {
            Some(reason) => Err(reason),
            None => Ok(symmetries),
        }
    });
    let count = |count: u64, bytes: fn(u64, u64) -> u64| (count, bytes(space.size(), count));
    let needed = needed(match &symmetries {
        Ok(symmetries) => Some(count(symmetries.classes(space), Orbits::bytes)),
        Err(_) => rotations.is_ok().then(|| count(Rotations::count(space), Rotations::bytes)),
    });
    let all = match &names {
        Names::Merged(merged) => merged.states().checked_pow(space.agents as u32),
        _ => Some(space.size()),
    };
    memory::admit(needed.bytes, question.memory, all)?;
    if question.scheduler == Scheduler::Synchronous {
        Together::refuse(&system, question.memory, monitor.threads())?;
    }
    let (system, asymmetry) = match (symmetries, rotations) {
        (Ok(symmetries), _) => (system.up_to(symmetries, monitor)?, None),
        (Err(_), Ok(())) => (system.up_to_rotation(monitor)?, None),
        (Err(Asymmetry::Agents), Err(reason)) | (Err(reason), _) => (system, Some(reason)),
    };
    let len = system.size();
    let named = |name: &str, claim: &str| NamedSet { name: name.into(), claim: claim.into(), members: Bits::new(len) };
    let mut survey = Survey {
        system,
        goal: algorithm.goal(),
        tokens,
        own_safe: Bits::new(len),
        names_safe: algorithm.safety() != Safety::Unknown && !question.only_goal,
        sets: sets.iter().map(|s| named(&s.name, &s.claim)).collect(),
        impossible: Bits::new(len),
        labels: (0..len).map(|_| AtomicU8::new(INCORRECT)).collect(),
        starts: question.starting.as_ref().map(|_| Bits::new(len)),
        names: names.clone(),
        asymmetry,
        spare: (question.memory - needed.bytes).saturating_add(needed.free),
    };
    monitor.enter("the sets of each configuration", Some(len));
    let visit = |_: &mut (), range: Range<u64>| {
        let mut judge = judge();
        let space = &survey.system.space;
        let mut digits = [0; MOST_AGENTS];
        for node in range.map(|node| node as u32) {
            space.decode(survey.system.configuration(node), &mut digits);
            let verdict = judge.judge(&digits[..space.agents]);
            if let (Some(starting), Some(starts)) = (&question.starting, &survey.starts)
                && verdict.possible
                && (starting.holds)(&survey.lift(digits[..space.agents].to_vec()))
            {
                starts.insert(node);
            }
            survey.place(node, &digits, verdict);
        }
    };
    monitor.blocks(len, 1 << 14, visit, || ())?;
    survey.refuse_impossible_targets(question.detector)?;
    if let (Some(starting), Some(0)) = (&question.starting, survey.starts.as_ref().map(Bits::count)) {
        return Err(Uncheckable::NoStart(starting.name.clone()).into());
    }
    // The proof's last set is usually the safe set itself, which is stored already.
    survey.sets.retain(|s| s.name != "safe");
    Ok(survey)
}
