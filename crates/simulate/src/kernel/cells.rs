//! The agents of a run, together with the rule of their interactions.

use crate::Generator;
use crate::kernel::Progress;
use crate::kernel::arcs::Arcs;
use ringleader_erased::{Agents, Met, Number, PopulationInstance};
use ringleader_model::{Population, Told};

/// A selection of arcs.
#[derive(Clone, Copy, Debug)]
pub enum Which {
    /// All of them.
    All,
    /// The arcs that touch a changed end of this arc: initiator, responder.
    Near(usize, (bool, bool)),
}

impl Which {
    /// Calls `visit` with each selected arc, possibly more than once.
    #[inline]
    pub(crate) fn each(self, arcs: &impl Arcs, visit: impl FnMut(usize)) {
        match self {
            Which::All => (0..arcs.count() as usize).for_each(visit),
            Which::Near(arc, changed) => arcs.around(arc, changed, visit),
        }
    }
}

/// Agents and their rule, in the form of a kernel.
///
/// Agents hear the answer of a perfect leader detector; rules without an oracle ignore it.
pub trait AgentStore: Clone {
    /// The share of active arcs below which skipping is faster, as measured: larger where an interaction costs more.
    const SPARSE: f64;

    /// The number of agents.
    fn count(&self) -> usize;

    /// The number of bytes of their states.
    fn bytes(&self) -> usize;

    /// Whether the rule depends on the detector's answer.
    fn hears(&self) -> bool;

    /// Touches the initiators of these arcs, so that memory accesses overlap.
    fn touch(&self, arcs: &[(u32, u32)]);

    /// Does the interactions on these arcs in order, and updates the counts.
    fn meet_all(&mut self, arcs: &[(u32, u32)], progress: &mut Progress);

    /// One interaction.
    fn meet(&mut self, arc: (usize, usize), heard: bool, tosses: &mut Generator) -> Met;

    /// Calls `found` with arcs and whether an interaction there may change something: `false` only if it certainly changes
    /// nothing.
    fn active<A: Arcs>(&self, arcs: &A, which: Which, heard: bool, found: impl FnMut(usize, bool));

    /// [`Agents::meet_in_row`], if that is faster than to ask about the arcs of the row.
    #[inline]
    fn meet_in_row(&mut self, row: [u32; 4], heard: bool, tosses: &mut Generator) -> Option<(Met, u8)> {
        let _ = (row, heard, tosses);
        None
    }

    /// One interaction, and an update of the arcs near it.
    #[inline]
    fn meet_and_look<A: Arcs>(
        &mut self,
        arcs: &A,
        arc: usize,
        heard: bool,
        tosses: &mut Generator,
        mut found: impl FnMut(usize, bool),
    ) -> Met {
        let in_row = arcs.row(arc).and_then(|(row, near)| Some((near, self.meet_in_row(row, heard, tosses)?)));
        let Some((near, (met, bits))) = in_row else {
            let met = self.meet(arcs.ends(arc), heard, tosses);
            self.active(arcs, Which::Near(arc, (met.initiator, met.responder)), heard, found);
            return met;
        };
        if met.initiator {
            found(near[0], bits & 1 != 0);
        }
        if met.initiator || met.responder {
            found(near[1], bits & 2 != 0);
        }
        if met.responder {
            found(near[2], bits & 4 != 0);
        }
        met
    }

    /// The number of agents that output that they are the leader.
    fn leaders(&self) -> u64;

    /// Whether the configuration is in the algorithm's safe set.
    fn safe(&self) -> bool;

    /// The states by number.
    fn numbers(&self) -> Vec<Number>;

    /// Whether both have the same states.
    fn same(&self, other: &Self) -> bool;

    /// Gives agents other states, as a fault does.
    fn corrupt(&mut self, faults: &[(usize, Number)]);
}

/// The number of arcs asked for at a time. Most agents have few arcs, and a larger buffer would have to be cleared.
const BATCH: usize = 8;

/// Agents in the algorithm's own states, with its own rule.
pub struct ByRule {
    pub(crate) agents: Box<dyn Agents>,
    hears: bool,
}

impl ByRule {
    /// Agents in these states.
    pub fn new(protocol: &PopulationInstance, states: &[Number]) -> ByRule {
        ByRule { agents: protocol.agents(states), hears: protocol.hears() }
    }
}

impl AgentStore for ByRule {
    const SPARSE: f64 = 0.2;

    fn count(&self) -> usize {
        self.agents.count()
    }

    fn bytes(&self) -> usize {
        self.agents.bytes()
    }

    fn hears(&self) -> bool {
        self.hears
    }

    fn touch(&self, arcs: &[(u32, u32)]) {
        self.agents.touch(arcs);
    }

    fn meet_all(&mut self, arcs: &[(u32, u32)], progress: &mut Progress) {
        let last_loud = self.agents.meet_all(arcs, &mut progress.leaders, &mut progress.tosses);
        progress.passed(arcs.len() as u64, last_loud);
    }

    fn meet(&mut self, arc: (usize, usize), heard: bool, tosses: &mut Generator) -> Met {
        self.agents.meet(arc, Told::both(heard), tosses)
    }

    #[inline]
    fn meet_in_row(&mut self, row: [u32; 4], heard: bool, tosses: &mut Generator) -> Option<(Met, u8)> {
        Some(self.agents.meet_in_row(row, Told::both(heard), tosses))
    }

    /// Asks about several arcs at a time, since every question is a call.
    fn active<A: Arcs>(&self, arcs: &A, which: Which, heard: bool, mut found: impl FnMut(usize, bool)) {
        let (mut numbers, mut ends, mut waiting) = ([0u32; BATCH], [(0u32, 0u32); BATCH], 0);
        let mut ask = |numbers: &[u32], ends: &[(u32, u32)]| {
            let bits = self.agents.active(ends, Told::both(heard));
            numbers.iter().enumerate().for_each(|(i, &arc)| found(arc as usize, bits >> i & 1 == 1));
        };
        which.each(arcs, |arc| {
            if waiting == BATCH {
                ask(&numbers, &ends);
                waiting = 0;
            }
            let (u, v) = arcs.ends(arc);
            (numbers[waiting], ends[waiting]) = (arc as u32, (u as u32, v as u32));
            waiting += 1;
        });
        ask(&numbers[..waiting], &ends[..waiting]);
    }

    fn leaders(&self) -> u64 {
        self.agents.leaders()
    }

    fn safe(&self) -> bool {
        self.agents.safe()
    }

    fn numbers(&self) -> Vec<Number> {
        self.agents.numbers()
    }

    fn same(&self, other: &Self) -> bool {
        self.agents.same(&*other.agents)
    }

    fn corrupt(&mut self, faults: &[(usize, Number)]) {
        self.agents.corrupt(faults);
    }
}

impl Clone for ByRule {
    fn clone(&self) -> Self {
        ByRule { agents: self.agents.boxed(), hears: self.hears }
    }

    /// Reuses the memory, since runs are saved and restored often.
    fn clone_from(&mut self, other: &Self) {
        self.agents.copy(&*other.agents);
    }
}
