//! Specialised rules: for each combination of values of the small variables, a few residual steps remain, or none.
//!
//! Where none remain, the case is a row of a table. These rules do not report which rule fired, so a run cannot be
//! observed.

use crate::code::machine::Host;
use crate::code::{Arithmetic, Comparison, Move, remainder};
use crate::domains::fold::{log2, prime};

/// The number of registers of the residual steps.
pub(crate) const REGISTERS: usize = 16;

/// The index of a register.
pub(crate) type Temporary = u8;
/// The position of a step in the list.
pub(crate) type Address = u32;

/// The residual steps, in order. A name that ends in `C` means a constant second operand; a test that holds jumps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Load(Temporary, u16),
    Set(Temporary, i32),
    Two(Arithmetic, Temporary, Temporary, Temporary),
    AddC(Temporary, Temporary, i32),
    MinC(Temporary, Temporary, i32),
    MaxC(Temporary, Temporary, i32),
    ModC(Temporary, Temporary, i32),
    Prime(Temporary, Temporary),
    Log2(Temporary, Temporary),
    If(Comparison, Temporary, Temporary, Address),
    EqC(Temporary, i32, Address),
    NeC(Temporary, i32, Address),
    LtC(Temporary, i32, Address),
    GtC(Temporary, i32, Address),
    Draw(Temporary, Temporary, Temporary),
    Choose(Temporary, Temporary),
    End(u32),
}

/// The new states of the first two agents: bits that stay, bits that are set, and variables from registers.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    pub(crate) keep: [u64; 2],
    pub(crate) set: [u64; 2],
    pub(crate) stores: Vec<Move>,
}

/// One combination: the new states, or the position of the steps that compute them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) keep: [u64; 2],
    pub(crate) set: [u64; 2],
    pub(crate) first: Address,
}

/// There are no steps.
pub(crate) const NOTHING: Address = Address::MAX;

/// Bits that select the case: bits of the state of a role, and their position in the case number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selector {
    pub(crate) role: u8,
    pub(crate) shift: u8,
    pub(crate) mask: u64,
    pub(crate) below: u32,
}

impl Selector {
    /// Selects the bits of variables, which are in the order of their places, and the number of these bits.
    pub(crate) fn of(moves: impl IntoIterator<Item = Move>) -> (Vec<Selector>, u32) {
        let (mut parts, mut below): (Vec<Selector>, u32) = (vec![], 0);
        for Move { role, shift, mask, .. } in moves {
            match parts.last_mut() {
                // Adjacent bit ranges are merged.
                Some(last) if last.role == role && u32::from(last.shift) + last.mask.count_ones() == shift.into() => {
                    last.mask |= mask << (shift - last.shift);
                }
                _ => parts.push(Selector { role, shift, mask, below }),
            }
            below += mask.count_ones();
        }
        (parts, below)
    }
}

#[derive(Debug)]
pub(crate) struct Residual {
    pub(crate) parts: Vec<Selector>,
    /// The positions of the two extra input bits in the case number, if the rules read them.
    pub(crate) given: Option<u32>,
    pub(crate) cases: Vec<Case>,
    pub(crate) steps: Vec<Step>,
    pub(crate) ends: Vec<Ending>,
    pub(crate) loads: Vec<Move>,
}

impl Residual {
    /// Applies the rules to the states of the participants. Only the first two states are written.
    #[inline]
    pub(crate) fn run(&self, states: [u64; 4], given: [bool; 2], host: &mut impl Host) -> [u64; 2] {
        let mut index = 0;
        for part in &self.parts {
            index |= (states[part.role as usize % 4] >> part.shift & part.mask) << part.below;
        }
        if let Some(below) = self.given {
            index |= (u64::from(given[0]) | u64::from(given[1]) << 1) << below;
        }
        let case = &self.cases[index as usize];
        if case.first == NOTHING {
            return [states[0] & case.keep[0] | case.set[0], states[1] & case.keep[1] | case.set[1]];
        }
        self.go(case.first as usize, states, host)
    }

    fn go(&self, mut at: usize, states: [u64; 4], host: &mut impl Host) -> [u64; 2] {
        let mut r = [0i64; REGISTERS];
        macro_rules! at {
            ($place:expr) => {
                r[$place as usize % REGISTERS]
            };
        }
        loop {
            let step = self.steps[at];
            at += 1;
            match step {
                Step::Load(d, load) => at!(d) = self.loads[load as usize].value(states),
                Step::Set(d, value) => at!(d) = value.into(),
                Step::Two(what, d, a, b) => at!(d) = what.of(at!(a), at!(b)),
                Step::AddC(d, a, c) => at!(d) = at!(a).saturating_add(c.into()),
                Step::MinC(d, a, c) => at!(d) = at!(a).min(c.into()),
                Step::MaxC(d, a, c) => at!(d) = at!(a).max(c.into()),
                Step::ModC(d, a, c) => at!(d) = remainder(at!(a), c),
                Step::Prime(d, a) => at!(d) = prime(at!(a)).into(),
                Step::Log2(d, a) => at!(d) = log2(at!(a)),
                Step::If(test, a, b, to) if test.holds(at!(a), at!(b)) => at = to as usize,
                Step::EqC(a, c, to) if at!(a) == i64::from(c) => at = to as usize,
                Step::NeC(a, c, to) if at!(a) != i64::from(c) => at = to as usize,
                Step::LtC(a, c, to) if at!(a) < i64::from(c) => at = to as usize,
                Step::GtC(a, c, to) if at!(a) > i64::from(c) => at = to as usize,
                Step::If(..) | Step::EqC(..) | Step::NeC(..) | Step::LtC(..) | Step::GtC(..) => {}
                Step::Draw(d, low, high) => {
                    let (low, high) = (at!(low), at!(high));
                    at!(d) = low + i64::from(host.below((high - low + 1) as u32));
                }
                Step::Choose(d, among) => at!(d) = host.choose(at!(among) as u32).into(),
                Step::End(end) => {
                    let Ending { keep, set, stores } = &self.ends[end as usize];
                    let mut after = [states[0] & keep[0] | set[0], states[1] & keep[1] | set[1]];
                    for m in stores {
                        after[m.role as usize % 2] |= m.bits(at!(m.register));
                    }
                    return after;
                }
            }
        }
    }
}
