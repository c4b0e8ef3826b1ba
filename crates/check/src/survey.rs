//! The one pass that knows the algorithm: it compiles the rules and asks of every configuration which sets it is in.
//!
//! Everything after it works on numbers, so the engines are compiled once, not once per algorithm.

use crate::bits::Bits;
use crate::graph::{Graph as _, Markov as _};
use crate::memory;
use crate::report::Options;
use crate::space::{MOST_AGENTS, Space};
use crate::system::{Leaders, System};
use crate::table::Table;
use crate::watch::{Stop, Watch};
use ringleader_model::{Goal, Graph, Input, Place, Population, Ring, Stabilizing, number};
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// The label of a configuration that does not meet the specification now.
pub const INCORRECT: u8 = u8::MAX;

/// A set of configurations that the algorithm's proof names.
#[derive(Debug)]
pub struct NamedSet {
    /// Its name in the paper.
    pub name: &'static str,
    /// Where the paper claims that it is closed.
    pub claim: &'static str,
    /// Its configurations.
    pub members: Bits,
}

/// All there is to know of an algorithm on a graph of a given size.
#[derive(Debug)]
pub struct Survey {
    /// The compiled system.
    pub system: System,
    /// What the algorithm promises.
    pub goal: Goal,
    /// The algorithm's own safe set.
    pub own_safe: Bits,
    /// The closed sets of its proof.
    pub sets: Vec<NamedSet>,
    /// Combinations of local states that are no configurations of the algorithm, because no fault can bring them about
    /// (a second leader where one is given, for example). No step leads there.
    impossible: Bits,
    labels: Vec<AtomicU8>,
}

impl Survey {
    /// What a node turned by so much outputs: who leads, or 0 for other goals that are met; [`INCORRECT`] if the goal is
    /// not met.
    #[inline]
    pub fn label(&self, node: u32, turn: u32) -> u8 {
        let label = self.labels[node as usize].load(Relaxed);
        if turn == 0 || label == INCORRECT || self.goal != Goal::OneLeader {
            return label;
        }
        ((u32::from(label) + turn) % self.system.space().agents() as u32) as u8
    }

    /// A survey of a system that comes from no algorithm: what a configuration outputs, and whether it is called safe.
    pub fn from_parts(
        system: System,
        goal: Goal,
        label: impl Fn(&[u32]) -> u8,
        safe: impl Fn(&[u32]) -> bool,
    ) -> Survey {
        let nodes = 0..system.size() as u32;
        let digits = |node: u32| system.space().digits(system.configuration(node));
        let labels = nodes.clone().map(|node| AtomicU8::new(label(&digits(node)))).collect();
        let (own_safe, impossible) = (Bits::new(system.size()), Bits::new(system.size()));
        nodes.filter(|&node| safe(&digits(node))).for_each(|node| assert!(own_safe.insert(node)));
        Survey { system, goal, own_safe, sets: vec![], impossible, labels }
    }

    /// The same survey of a system with other tables: how mutants are checked.
    pub fn with_tables(&self, tables: Vec<Table>) -> Survey {
        let sets = self.sets.iter().map(|s| NamedSet { members: s.members.clone(), ..*s });
        Survey {
            system: self.system.with_tables(tables),
            goal: self.goal,
            own_safe: self.own_safe.clone(),
            sets: sets.collect(),
            impossible: self.impossible.clone(),
            labels: self.labels.iter().map(|label| AtomicU8::new(label.load(Relaxed))).collect(),
        }
    }

    /// Whether a node's combination of local states is a configuration of the algorithm.
    #[inline]
    pub fn possible(&self, node: u32) -> bool {
        !self.impossible.contains(node)
    }

    /// How many configurations there are.
    pub fn configurations(&self) -> u64 {
        self.system.space().size() - self.count(&self.impossible)
    }

    /// How many configurations a set of nodes stands for.
    pub fn count(&self, set: &Bits) -> u64 {
        if self.system.is_folded() { set.iter().map(|node| self.system.members(node)).sum() } else { set.count() }
    }

    /// Adds to a set what is no configuration, so that nothing starts or ends there.
    pub fn dismiss(&self, set: &Bits, nodes: impl Fn(u32, &mut dyn FnMut(u32))) {
        self.impossible.iter().for_each(|base| nodes(base, &mut |node| assert!(set.insert(node))));
    }

    /// Surveys a population protocol on a graph, up to rotation where that decides the question.
    pub fn population<A: Population + Stabilizing>(
        algorithm: &A,
        graph: &Graph,
        options: &Options,
        watch: &Watch,
    ) -> Result<Survey, Stop> {
        let (space, states) = states(algorithm, graph.size(), A::Input::ALL.len(), options)?;
        watch.enter("compiling the rules", None);
        let table = Table::population(algorithm, &states);
        let leaders = Leaders::Own(states.iter().map(|s| algorithm.marks(s).leader()).collect());
        let sites = graph.arcs().iter().map(|&(u, v)| (u as usize, v as usize, 0)).collect();
        let system = System::new(space, sites, vec![table], leaders, false);
        look(algorithm, system, &states, options, watch)
    }

    /// Surveys a ring of processes, process 0 being the bottom one, up to rotation where that decides the question.
    pub fn ring<A: Ring + Stabilizing>(
        algorithm: &A,
        size: usize,
        options: &Options,
        watch: &Watch,
    ) -> Result<Survey, Stop> {
        if size < 2 {
            return Err(Stop::refused(format!("a ring has at least 2 processes, not {size}")));
        }
        let (space, states) = states(algorithm, size, 1, options)?;
        watch.enter("compiling the rules", None);
        let places = [Place::Bottom, Place::Other];
        let tables = places.iter().map(|&at| Table::ring(algorithm, at, &states)).collect();
        let leads = |at| {
            let pairs = states.iter().flat_map(|l| states.iter().map(move |own| (l, own)));
            pairs.map(|(left, own)| algorithm.marks(at, left, own).leader()).collect()
        };
        let sites = (0..size).map(|i| ((i + size - 1) % size, i, usize::from(i != 0))).collect();
        let system = System::new(space, sites, tables, Leaders::Pair(places.map(leads)), true);
        look(algorithm, system, &states, options, watch)
    }
}

/// Whether no fault is ruled out at some places only: where one agent is given as the leader, rotations are no
/// configurations.
pub(crate) fn knows_no_place<A: Stabilizing>(algorithm: &A, size: usize) -> bool {
    number::all(algorithm).all(|state| {
        let mut everywhere = vec![state; size];
        algorithm.restore(&mut everywhere);
        everywhere.iter().all(|s| *s == everywhere[0])
    })
}

/// The configurations and the local states, if there is room for tables of them.
fn states<A: Stabilizing>(
    algorithm: &A,
    size: usize,
    inputs: usize,
    options: &Options,
) -> Result<(Space, Vec<A::State>), Stop> {
    let count = number::states(algorithm).unwrap_or(u64::MAX);
    let space = Space::new(size, count).ok_or_else(|| {
        let configurations = (count as f64).powi(size as i32);
        Stop::refused(format!(
            "{count} states for each of {size} agents make about {configurations:.1e} configurations; the checker numbers \
             fewer than 2^32 = 4.3e9: try a smaller size, or `ringleader simulate`"
        ))
    })?;
    memory::admit(Table::bytes(count, (inputs * inputs) as u64), options.memory, space.size())?;
    Ok((space, number::all(algorithm).collect()))
}

fn look<A: Stabilizing>(
    algorithm: &A,
    system: System,
    states: &[A::State],
    options: &Options,
    watch: &Watch,
) -> Result<Survey, Stop> {
    let fold = options.folds() && system.anonymous() && knows_no_place(algorithm, system.space().agents());
    let needed = memory::estimate(&system, fold, A::closed_sets().len(), options);
    memory::admit(needed, options.memory, system.space().size())?;
    let system = if fold { system.folded(watch)? } else { system };
    let len = system.size();
    let sets = A::closed_sets();
    let mut survey = Survey {
        system,
        goal: A::GOAL,
        own_safe: Bits::new(len),
        sets: sets.iter().map(|s| NamedSet { name: s.name, claim: s.claim, members: Bits::new(len) }).collect(),
        impossible: Bits::new(len),
        labels: (0..len).map(|_| AtomicU8::new(INCORRECT)).collect(),
    };
    watch.enter("which sets each configuration is in", Some(len));
    let visit = |_: &mut (), range: Range<u64>| {
        let space = survey.system.space();
        let mut digits = [0; MOST_AGENTS];
        let mut known = digits;
        let mut configuration = vec![states[0].clone(); space.agents()];
        let mut restored = configuration.clone();
        for node in range {
            let node = node as u32;
            space.decode(survey.system.configuration(node), &mut digits);
            for (i, state) in configuration.iter_mut().enumerate().filter(|(i, _)| digits[*i] != known[*i]) {
                *state = states[digits[i] as usize].clone();
            }
            known = digits;
            restored.clone_from_slice(&configuration);
            algorithm.restore(&mut restored);
            let possible = restored == configuration;
            if !possible {
                survey.impossible.insert(node);
            }
            if possible && algorithm.correct(&configuration) {
                let leaders = survey.system.leaders_of(&digits);
                let label = match A::GOAL {
                    Goal::OneLeader if leaders.count_ones() != 1 => INCORRECT,
                    Goal::OneLeader => leaders.trailing_zeros() as u8,
                    Goal::OneToken | Goal::Agreement => 0,
                };
                survey.labels[node as usize].store(label, Relaxed);
            }
            if possible && algorithm.safe(&configuration) {
                survey.own_safe.insert(node);
            }
            for (set, named) in sets.iter().zip(&survey.sets) {
                if possible && (set.contains)(algorithm, &configuration) {
                    named.members.insert(node);
                }
            }
        }
    };
    watch.blocks(len, 1 << 14, visit, || ())?;
    // The proof's last set is usually the safe set itself: once is enough.
    survey.sets.retain(|s| s.name != "safe");
    Ok(survey)
}
