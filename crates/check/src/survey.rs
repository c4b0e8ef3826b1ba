//! The one pass that knows the algorithm: it compiles the rules and asks of every configuration which sets it is in.
//!
//! Everything after it works on numbers, so the engines are compiled once, not once per algorithm.

use crate::bits::Bits;
use crate::space::{MOST_AGENTS, Space};
use crate::system::{Leaders, System};
use crate::table::Table;
use crate::watch::{Stop, Watch};
use ringleader_model::{Goal, Graph, Place, Population, Ring, Stabilizing, number};
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
    /// What a configuration outputs: who leads, or 0 for other goals that are met; [`INCORRECT`] if the goal is not met.
    #[inline]
    pub fn label(&self, c: u32) -> u8 {
        self.labels[c as usize].load(Relaxed)
    }

    /// A survey from parts, for systems that come from no algorithm.
    pub fn from_parts(system: System, goal: Goal, labels: Vec<u8>, own_safe: Bits) -> Survey {
        let impossible = Bits::new(system.space().size());
        let labels = labels.into_iter().map(AtomicU8::new).collect();
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

    /// Whether a combination of local states is a configuration of the algorithm.
    #[inline]
    pub fn possible(&self, c: u32) -> bool {
        !self.impossible.contains(c)
    }

    /// How many configurations there are.
    pub fn configurations(&self) -> u64 {
        self.system.space().size() - self.impossible.count()
    }

    /// Adds to a set what is no configuration, so that nothing starts or ends there.
    pub fn dismiss(&self, set: &Bits, nodes: impl Fn(u32, &mut dyn FnMut(u32))) {
        self.impossible.iter().for_each(|c| nodes(c, &mut |node| assert!(set.insert(node))));
    }

    /// Surveys a population protocol on a graph.
    pub fn population<A: Population + Stabilizing>(
        algorithm: &A,
        graph: &Graph,
        watch: &Watch,
    ) -> Result<Survey, Stop> {
        let (space, states) = states(algorithm, graph.size())?;
        watch.enter("compiling the rules", None);
        let table = Table::population(algorithm, &states);
        let leaders = Leaders::Own(states.iter().map(|s| algorithm.marks(s).leader()).collect());
        let sites = graph.arcs().iter().map(|&(u, v)| (u as usize, v as usize, 0)).collect();
        let system = System::new(space, sites, vec![table], leaders, false);
        look(algorithm, system, &states, watch)
    }

    /// Surveys a ring of processes, process 0 being the bottom one.
    pub fn ring<A: Ring + Stabilizing>(algorithm: &A, size: usize, watch: &Watch) -> Result<Survey, Stop> {
        if size < 2 {
            return Err(Stop::refused(format!("a ring has at least 2 processes, not {size}")));
        }
        let (space, states) = states(algorithm, size)?;
        watch.enter("compiling the rules", None);
        let places = [Place::Bottom, Place::Other];
        let tables = places.iter().map(|&at| Table::ring(algorithm, at, &states)).collect();
        let leads = |at| {
            let pairs = states.iter().flat_map(|l| states.iter().map(move |own| (l, own)));
            pairs.map(|(left, own)| algorithm.marks(at, left, own).leader()).collect()
        };
        let sites = (0..size).map(|i| ((i + size - 1) % size, i, usize::from(i != 0))).collect();
        let system = System::new(space, sites, tables, Leaders::Pair(places.map(leads)), true);
        look(algorithm, system, &states, watch)
    }
}

fn states<A: Stabilizing>(algorithm: &A, size: usize) -> Result<(Space, Vec<A::State>), Stop> {
    let count = number::states(algorithm).unwrap_or(u64::MAX);
    let space = Space::new(size, count).ok_or_else(|| {
        let configurations = (count as f64).powi(size as i32);
        Stop::refused(format!(
            "{count} states for each of {size} agents make about {configurations:.1e} configurations; the checker numbers \
             fewer than 2^32 = 4.3e9: try a smaller size, or `ringleader simulate`"
        ))
    })?;
    Ok((space, number::all(algorithm).collect()))
}

fn look<A: Stabilizing>(algorithm: &A, system: System, states: &[A::State], watch: &Watch) -> Result<Survey, Stop> {
    let len = system.space().size();
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
        space.decode(range.start as u32, &mut digits);
        let mut configuration: Vec<A::State> =
            digits[..space.agents()].iter().map(|&d| states[d as usize].clone()).collect();
        let mut restored = configuration.clone();
        for c in range {
            let c = c as u32;
            restored.clone_from_slice(&configuration);
            algorithm.restore(&mut restored);
            let possible = restored == configuration;
            if !possible {
                survey.impossible.insert(c);
            }
            if possible && algorithm.correct(&configuration) {
                let leaders = survey.system.leaders_of(&digits);
                let label = match A::GOAL {
                    Goal::OneLeader if leaders.count_ones() != 1 => INCORRECT,
                    Goal::OneLeader => leaders.trailing_zeros() as u8,
                    Goal::OneToken | Goal::Agreement => 0,
                };
                survey.labels[c as usize].store(label, Relaxed);
            }
            if possible && algorithm.safe(&configuration) {
                survey.own_safe.insert(c);
            }
            for (set, named) in sets.iter().zip(&survey.sets) {
                if possible && (set.contains)(algorithm, &configuration) {
                    named.members.insert(c);
                }
            }
            let changed = space.advance(&mut digits);
            for (state, &digit) in configuration.iter_mut().zip(&digits[..changed]) {
                *state = states[digit as usize].clone();
            }
        }
    };
    watch.blocks(len, 1 << 14, visit, || ())?;
    // The proof's last set is usually the safe set itself: once is enough.
    survey.sets.retain(|s| s.name != "safe");
    Ok(survey)
}
