//! Population protocols, and processes on rings and lines. Their agents have the same states, so classes of states may replace these.

use super::names::Names;
use super::{Survey, look};
use crate::memory;
use crate::merge::Merged;
use crate::rules::{Marked, System, place};
use crate::space::MixedRadix;
use crate::{Monitor, Question, Stop, Uncheckable};
use ringleader_erased::{Number, PopulationInstance, RingInstance, RuleTable, common_denominator};
use ringleader_model::{Chain, Graph, Marks, Place, Reader, Reads, Ring as _, Safety, Stabilizing};
use std::sync::Arc;

/// An algorithm whose agents have the same states, on a graph or of a size.
#[derive(Clone, Copy, Debug)]
pub enum Uniform<'a> {
    /// A population protocol on a graph.
    Population(&'a PopulationInstance, &'a Graph),
    /// A ring or a line of processes, process 0 being the bottom one.
    Ring(&'a RingInstance, usize),
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
            let table = RuleTable::ring_while(algorithm, at, &|| monitor.check().is_ok())?;
            *index = tables.iter().position(|known| *known == table).unwrap_or(tables.len());
            if *index == tables.len() {
                tables.push(table);
            }
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

impl Uniform<'_> {
    /// The number of local states.
    pub(crate) fn states(&self) -> u64 {
        match self {
            Uniform::Population(algorithm, _) => algorithm.states(),
            Uniform::Ring(algorithm, _) => algorithm.states(),
        }
    }

    /// The number of agents.
    pub(crate) fn size(&self) -> usize {
        match self {
            Uniform::Population(_, graph) => graph.size(),
            Uniform::Ring(_, size) => *size,
        }
    }

    /// Whether the context of a rule is a local state: that of the right neighbour.
    pub(crate) fn reads_states(&self) -> bool {
        matches!(self, Uniform::Ring(algorithm, _) if algorithm.reads() == Reads::BothSides)
    }

    /// The number of contexts of a rule: answers of the detector, or states of the right neighbour.
    fn contexts(&self) -> u64 {
        match self {
            Uniform::Population(algorithm, _) => algorithm.tellings().len() as u64,
            Uniform::Ring(algorithm, _) => {
                if self.reads_states() {
                    algorithm.states()
                } else {
                    1
                }
            }
        }
    }

    /// The number of cells of a rule's table.
    pub(crate) fn cells(&self) -> u64 {
        self.states().saturating_pow(2).saturating_mul(self.contexts())
    }

    /// The parts of the states that the predicates read, if the algorithm tells them.
    pub(crate) fn visible(&self, to: Reader) -> Option<Vec<u64>> {
        match self {
            Uniform::Population(algorithm, _) => visible(*algorithm, algorithm.states(), to),
            Uniform::Ring(algorithm, _) => visible(*algorithm, algorithm.states(), to),
        }
    }

    /// Compiles the rules.
    pub(crate) fn rules(&self, monitor: &Monitor) -> Result<Compiled, Stop> {
        match self {
            Uniform::Population(algorithm, _) => Compiled::population(algorithm, monitor),
            Uniform::Ring(algorithm, _) => Compiled::ring(algorithm, self.contexts(), monitor),
        }
    }

    /// The rules, which are compiled once.
    pub(crate) fn once<'r>(&self, rules: &'r mut Option<Compiled>, monitor: &Monitor) -> Result<&'r Compiled, Stop> {
        if rules.is_none() {
            *rules = Some(self.rules(monitor)?);
        }
        Ok(rules.as_ref().expect("they are compiled"))
    }

    /// Surveys all states, with the rules if they are compiled already.
    pub(crate) fn survey(
        &self,
        rules: Option<Compiled>,
        question: &Question,
        monitor: &Monitor,
    ) -> Result<Survey, Stop> {
        let (states, agents) = (self.states(), self.size());
        Uncheckable::TooFewProcesses(agents).refuse_if(matches!(self, Uniform::Ring(_, 0 | 1)))?;
        let space = MixedRadix::new(agents, states).ok_or(Uncheckable::TooManyConfigurations { states, agents })?;
        memory::admit(RuleTable::bytes([states; 2], self.contexts()), question.memory, Some(space.size()))?;
        monitor.enter("compiling the rules", None);
        let rules = rules.map_or_else(|| self.rules(monitor), Ok)?;
        let system = self.system(space, rules.table_at, rules.tables, rules.leaders);
        self.look(system, rules.tokens, Names::Same, question, monitor)
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
        let system = self.system(space, rules.table_at, merged.quotient(), leaders);
        let system = system.weighted(merged.partition.sizes());
        self.look(system, tokens, Names::Merged(Arc::new(merged)), question, monitor)
    }

    fn system(&self, space: MixedRadix, table_at: [usize; 3], tables: Vec<RuleTable>, leaders: Marked) -> System {
        match *self {
            Uniform::Population(_, graph) => {
                let arcs = graph.arcs().iter().map(|&(u, v)| (u as usize, v as usize, 0));
                System::new(space, arcs.collect(), tables, leaders, false)
            }
            Uniform::Ring(algorithm, size) => {
                let processes = (0..size).map(|i| ((i + size - 1) % size, i, table_at[place(i, size)]));
                let system = System::new(space, processes.collect(), tables, leaders, true);
                if algorithm.chain() == Chain::Line { system.as_line() } else { system }
            }
        }
    }

    fn look(
        &self,
        system: System,
        tokens: Marked,
        names: Names,
        question: &Question,
        monitor: &Monitor,
    ) -> Result<Survey, Stop> {
        let (parts, size) = ((system, tokens, None), self.size());
        match self {
            Uniform::Population(algorithm, _) => {
                look(*algorithm, parts, names, &|| algorithm.judge(size), question, monitor)
            }
            Uniform::Ring(algorithm, _) => look(*algorithm, parts, names, &|| algorithm.judge(size), question, monitor),
        }
    }
}

fn visible<A: Stabilizing<State = Number>>(algorithm: &A, states: u64, to: Reader) -> Option<Vec<u64>> {
    // Without sets of a proof, only the goal is read.
    let sets = algorithm.safety() != Safety::Unknown || !algorithm.closed_sets().is_empty();
    let to = if sets { to } else { Reader::Goal };
    (0..states).map(|state| algorithm.visible(&Number(state), to)).collect()
}
