//! The algorithms that can be checked, in their places. The agents of population protocols, rings and lines have the same states, so
//! classes of states may replace these.

use super::names::Names;
use super::{Survey, look};
use crate::memory;
use crate::merge::Merged;
use crate::rules::{Marked, System, place};
use crate::space::MixedRadix;
use crate::{Monitor, Question, Stop, Uncheckable};
use ringleader_erased::{GraphInstance, Number, PopulationInstance, RingInstance, RuleTable, common_denominator};
use ringleader_model::{Chain, Graph, Marks, Place, Reader, Reads, Ring as _, Safety, Stabilizing};
use std::sync::Arc;

/// An algorithm in its place.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// A population protocol on a graph.
    Population(&'a PopulationInstance, &'a Graph),
    /// A ring or a line of processes, process 0 being the bottom one.
    Ring(&'a RingInstance, usize),
    /// The processes of the graph for which the algorithm was built.
    Graph(&'a GraphInstance),
}

/// The compiled rules, and the marks that states show.
pub(crate) struct Compiled {
    /// Places with the same rules share a table.
    pub(crate) tables: Vec<RuleTable>,
    table_at: [usize; 3],
    pub(crate) leaders: Marked,
    pub(crate) tokens: Marked,
}

impl Compiled {
    fn population(algorithm: &PopulationInstance, monitor: &Monitor) -> Result<Compiled, Stop> {
        algorithm.check_declarations()?;
        let table = RuleTable::population_while(algorithm, &|| monitor.check().is_ok())?;
        let marks: Vec<Marks> = (0..algorithm.states()).map(|state| algorithm.marks_of(state)).collect();
        let marked = |mark| Marked::Own(marks.iter().map(|marks| marks.contains(mark)).collect());
        let (leaders, tokens) = (marked(Marks::LEADER), marked(Marks::TOKEN));
        Ok(Compiled { tables: vec![table], table_at: [0; 3], leaders, tokens })
    }

    fn ring(algorithm: &RingInstance, contexts: u64, monitor: &Monitor) -> Result<Compiled, Stop> {
        let states = algorithm.states();
        algorithm.check_declarations()?;
        let (mut tables, mut table_at) = (Vec::<RuleTable>::new(), [0; 3]);
        for (at, index) in Place::ALL.into_iter().zip(&mut table_at) {
            *index = shared(&mut tables, RuleTable::ring_while(algorithm, at, &|| monitor.check().is_ok())?);
        }
        common_denominator(tables.iter().map(RuleTable::whole))?;
        let marks = Place::ALL.map(|at| {
            let lefts = (0..contexts).flat_map(|right| (0..states).map(move |left| (left, right)));
            let all = lefts.flat_map(|(left, right)| (0..states).map(move |own| [left, own, right]));
            all.map(|states| algorithm.marks_of(algorithm.view(at, states))).collect::<Vec<_>>()
        });
        let showing = |marks: &Vec<Marks>, mark| marks.iter().map(|marks| marks.contains(mark)).collect();
        let marked = |mark| Marked::Seen(marks.each_ref().map(|marks| showing(marks, mark)));
        Ok(Compiled { tables, table_at, leaders: marked(Marks::LEADER), tokens: marked(Marks::TOKEN) })
    }
}

/// The number of a table among those known; a new one is added.
pub(super) fn shared(tables: &mut Vec<RuleTable>, table: RuleTable) -> usize {
    let index = tables.iter().position(|known| *known == table).unwrap_or(tables.len());
    if index == tables.len() {
        tables.push(table);
    }
    index
}

impl Subject<'_> {
    /// The number of local states.
    pub(crate) fn states(&self) -> u64 {
        match self {
            Subject::Population(algorithm, _) => algorithm.states(),
            Subject::Ring(algorithm, _) => algorithm.states(),
            Subject::Graph(algorithm) => algorithm.states(),
        }
    }

    /// The number of agents.
    pub(crate) fn size(&self) -> usize {
        match self {
            Subject::Population(_, graph) => graph.size(),
            Subject::Ring(_, size) => *size,
            Subject::Graph(algorithm) => algorithm.size(),
        }
    }

    /// Whether the context of a rule is a local state: that of the right neighbour.
    pub(crate) fn reads_states(&self) -> bool {
        matches!(self, Subject::Ring(algorithm, _) if algorithm.reads() == Reads::BothSides)
    }

    /// The number of contexts of a rule: answers of the detector, or states of the right neighbour.
    fn contexts(&self) -> u64 {
        match self {
            Subject::Population(algorithm, _) => algorithm.tellings().len() as u64,
            Subject::Ring(algorithm, _) if self.reads_states() => algorithm.states(),
            Subject::Ring(..) | Subject::Graph(_) => 1,
        }
    }

    /// The number of cells of a rule's table.
    pub(crate) fn cells(&self) -> u64 {
        self.states().saturating_pow(2).saturating_mul(self.contexts())
    }

    /// The parts of the states that the predicates read, if the algorithm tells them and its agents have the same states.
    pub(crate) fn visible(&self, to: Reader) -> Option<Vec<u64>> {
        match self {
            Subject::Population(algorithm, _) => visible(*algorithm, algorithm.states(), to),
            Subject::Ring(algorithm, _) => visible(*algorithm, algorithm.states(), to),
            Subject::Graph(_) => None,
        }
    }

    /// Compiles the rules of agents that have the same states.
    pub(crate) fn rules(&self, monitor: &Monitor) -> Result<Compiled, Stop> {
        match self {
            Subject::Population(algorithm, _) => Compiled::population(algorithm, monitor),
            Subject::Ring(algorithm, _) => Compiled::ring(algorithm, self.contexts(), monitor),
            Subject::Graph(_) => unreachable!("the processes of a graph have their own states"),
        }
    }

    /// The rules, which are compiled once.
    pub(crate) fn once<'r>(&self, rules: &'r mut Option<Compiled>, monitor: &Monitor) -> Result<&'r Compiled, Stop> {
        if rules.is_none() {
            *rules = Some(self.rules(monitor)?);
        }
        Ok(rules.as_ref().expect("they are compiled"))
    }

    /// Surveys all states, up to rotation or automorphism where that decides the question; with the rules if they are compiled already.
    pub(crate) fn survey(
        &self,
        rules: Option<Compiled>,
        question: &Question,
        monitor: &Monitor,
    ) -> Result<Survey, Stop> {
        if let Subject::Graph(algorithm) = self {
            return super::of_graph(algorithm, question, monitor);
        }
        let (states, agents) = (self.states(), self.size());
        Uncheckable::TooFewProcesses(agents).refuse_if(matches!(self, Subject::Ring(_, 0 | 1)))?;
        let space = MixedRadix::new(agents, states).ok_or(Uncheckable::TooManyConfigurations { states, agents })?;
        memory::admit(RuleTable::bytes([states; 2], self.contexts()), question.memory, Some(space.size()))?;
        monitor.enter("compiling the rules", None);
        let rules = rules.map_or_else(|| self.rules(monitor), Ok)?;
        self.look(space, rules, Names::Same, question, monitor)
    }

    /// Surveys classes of states.
    pub(crate) fn survey_merged(
        &self,
        rules: &Compiled,
        merged: Merged,
        question: &Question,
        monitor: &Monitor,
    ) -> Result<Survey, Stop> {
        let space = merged.space(self.size())?;
        let [leaders, tokens] = [&rules.leaders, &rules.tokens].map(|marked| merged.marked(marked));
        let rules = Compiled { tables: merged.quotient(), table_at: rules.table_at, leaders, tokens };
        self.look(space, rules, Names::Merged(Arc::new(merged)), question, monitor)
    }

    fn look(
        &self,
        space: MixedRadix,
        Compiled { tables, table_at, leaders, tokens }: Compiled,
        names: Names,
        question: &Question,
        monitor: &Monitor,
    ) -> Result<Survey, Stop> {
        let weighted = |system: System| match &names {
            Names::Merged(merged) => system.weighted(&merged.partition.sizes),
            _ => system,
        };
        match *self {
            Subject::Population(algorithm, graph) => {
                let arcs = graph.arcs().iter().map(|&(u, v)| (u as usize, v as usize, 0));
                let system = weighted(System::new(space, arcs.collect(), tables, leaders, false));
                let judge = || algorithm.judge(graph.size());
                look(algorithm, (system, tokens, None), names, &judge, question, monitor)
            }
            Subject::Ring(algorithm, size) => {
                let processes = (0..size).map(|i| ((i + size - 1) % size, i, table_at[place(i, size)]));
                let system = weighted(System::new(space, processes.collect(), tables, leaders, true));
                let system = if algorithm.chain() == Chain::Line { system.as_line() } else { system };
                look(algorithm, (system, tokens, None), names, &|| algorithm.judge(size), question, monitor)
            }
            Subject::Graph(_) => unreachable!("the processes of a graph have their own states"),
        }
    }
}

fn visible<A: Stabilizing<State = Number>>(algorithm: &A, states: u64, to: Reader) -> Option<Vec<u64>> {
    // Without sets of a proof, only the goal is read.
    let sets = algorithm.safety() != Safety::Unknown || !algorithm.closed_sets().is_empty();
    let to = if sets { to } else { Reader::Goal };
    (0..states).map(|state| algorithm.visible(&Number(state), to)).collect()
}
