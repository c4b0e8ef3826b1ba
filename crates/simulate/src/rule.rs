//! What a kernel must know of an algorithm: what happens on an arc, and whether anything would.

use crate::Generator;
use crate::kernel::Progress;
use ringleader_model::{Coin, Input, Marks, Population};

/// The result of an interaction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met<C> {
    /// The new initiator.
    pub initiator: C,
    /// The new responder.
    pub responder: C,
    /// Whether the output of one of them changed.
    pub loud: bool,
    /// How many more leaders there are now: -2 to 2.
    pub leaders: i8,
}

/// An interaction rule over cells, the form in which a kernel keeps the state of an agent.
///
/// `heard` is what a perfect leader detector says; rules without an oracle ignore it.
pub trait Rule: Clone + Send + Sync {
    /// A state as the kernel keeps it.
    type Cell: Copy + PartialEq + Send + Sync;
    /// Whether what is heard can matter.
    const HEARS: bool;
    /// Below this share of active arcs it pays to skip the others: where an interaction is dear, soon. Measured.
    const SPARSE: f64;

    /// One interaction.
    fn meet(
        &self,
        initiator: Self::Cell,
        responder: Self::Cell,
        heard: bool,
        tosses: &mut Generator,
    ) -> Met<Self::Cell>;

    /// The interactions on these arcs, one after the other, with everything counted.
    #[inline]
    fn meet_all(&self, cells: &mut [Self::Cell], arcs: &[(u32, u32)], progress: &mut Progress) {
        let Progress { leaders, tosses, .. } = progress;
        let mut last_loud = 0;
        for (step, &(u, v)) in (1..).zip(arcs) {
            let (u, v) = (u as usize, v as usize);
            let met = self.meet(cells[u], cells[v], *leaders > 0, tosses);
            (cells[u], cells[v]) = (met.initiator, met.responder);
            *leaders = leaders.wrapping_add_signed(met.leaders.into());
            last_loud = if met.loud { step } else { last_loud };
        }
        progress.passed(arcs.len() as u64, last_loud);
    }

    /// Whether an interaction could change something: `false` only if it surely changes nothing.
    fn active(&self, initiator: Self::Cell, responder: Self::Cell, heard: bool) -> bool;

    /// Whether an agent in this state outputs that it is the leader.
    fn leads(&self, cell: Self::Cell) -> bool;
}

/// The algorithm's own transition function, inlined.
pub struct Direct<'a, P>(pub &'a P);

impl<P> Clone for Direct<'_, P> {
    fn clone(&self) -> Self {
        Direct(self.0)
    }
}

/// A coin that remembers whether it was tossed.
#[derive(Default)]
pub(crate) struct Probe {
    pub(crate) tossed: bool,
}

impl Coin for Probe {
    fn below(&mut self, _: u32) -> u32 {
        self.tossed = true;
        0
    }
}

impl<P: Population> Rule for Direct<'_, P> {
    type Cell = P::State;
    const HEARS: bool = P::Input::ALL.len() > 1;
    const SPARSE: f64 = 0.2;

    #[inline]
    fn meet(&self, u: P::State, v: P::State, heard: bool, coin: &mut Generator) -> Met<P::State> {
        let input = P::Input::from_detector(heard);
        let (initiator, responder) = self.0.interact((u, input), (v, input), coin);
        let output = |s: &P::State| self.0.marks(s).output();
        let (before, after) = ((output(&u), output(&v)), (output(&initiator), output(&responder)));
        let count = |(u, v): (Marks, Marks)| u.leader() as i8 + v.leader() as i8;
        Met { initiator, responder, loud: before != after, leaders: count(after) - count(before) }
    }

    #[inline]
    fn active(&self, u: P::State, v: P::State, heard: bool) -> bool {
        let input = P::Input::from_detector(heard);
        let mut coin = Probe::default();
        let after = self.0.interact((u, input), (v, input), &mut coin);
        coin.tossed || after != (u, v)
    }

    #[inline]
    fn leads(&self, state: P::State) -> bool {
        self.0.marks(&state).contains(Marks::LEADER)
    }
}
