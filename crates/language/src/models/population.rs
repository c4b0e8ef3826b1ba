//! Population protocols in text.

use crate::build::{Built, Problem};
use crate::code::residual::Selector;
use crate::code::{Code, Move};
use crate::configurations::predicates::Stabilized;
use crate::domains::layout::State;
use crate::meaning::typed::Model;
use crate::models::host::{Rules, marks};
use ringleader_model::{Coin, Marks, Population, Told};

/// The maximum number of bits for which the marks of all combinations are precomputed.
const MOST_BITS: u32 = 14;

/// The bits of a state that marks depend on, from the lowest, and how many there are.
struct Relevant(Vec<Selector>, u32);

impl Relevant {
    fn new(marks: &[(Marks, Code)]) -> Relevant {
        let mut loads: Vec<Move> =
            marks.iter().flat_map(|(_, code)| &code.loads).filter(|m| m.mask > 0).copied().collect();
        loads.sort_unstable_by_key(|m| m.shift);
        loads.dedup_by_key(|m| m.shift);
        let (parts, bits) = Selector::of(loads);
        Relevant(parts, bits)
    }

    #[inline]
    fn index(&self, state: u64) -> usize {
        if let [Selector { shift, mask, .. }] = self.0[..] {
            return (state >> shift & mask) as usize;
        }
        self.0.iter().fold(0, |index, part| index | (state >> part.shift & part.mask) << part.below) as usize
    }

    /// A state with these bits.
    fn state(&self, index: u64) -> u64 {
        self.0.iter().fold(0, |state, part| state | (index >> part.below & part.mask) << part.shift)
    }
}

/// The rules and the marks of agents that meet.
pub(crate) struct Pairs {
    hears: bool,
    rules: Rules,
    marks: Vec<(Marks, Code)>,
    relevant: Relevant,
    table: Vec<Marks>,
}

impl Stabilized<Pairs> {
    pub(crate) fn new(built: &Built<'_>) -> Result<Self, Problem> {
        let hears = built.unit.model == Model::Population { hears: true };
        let rules = Rules::new(built, &built.pair())?;
        let marks = built.marks(1)?;
        let relevant = Relevant::new(&marks);
        let all = if relevant.1 <= MOST_BITS { 1 << relevant.1 } else { 0 };
        let table = (0..all).map(|at| evaluate(&marks, relevant.state(at))).collect();
        Stabilized::with(built, Pairs { hears, rules, marks, relevant, table })
    }
}

fn evaluate(all: &[(Marks, Code)], state: u64) -> Marks {
    marks(all, |code| code.value([state; 4], []).unwrap_or(0))
}

impl Population for Stabilized<Pairs> {
    fn hears(&self) -> bool {
        self.model.hears
    }

    #[inline]
    fn interact(&self, u: State, v: State, told: Told, coin: &mut impl Coin) -> (State, State) {
        self.model.rules.step([u.0, v.0, 0, 0], [told.initiator, told.responder], coin).into()
    }

    fn marks(&self, state: &State) -> Marks {
        let Pairs { marks, relevant, table, .. } = &self.model;
        table.get(relevant.index(state.0)).copied().unwrap_or_else(|| evaluate(marks, state.0))
    }
}
