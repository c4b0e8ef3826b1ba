//! Evaluates configurations that no condition distinguishes only once.

use crate::code::{Code, Op};
use crate::domains::layout::{Field, Layout, State};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The maximum number of bits of a state for which kinds are computed.
const MOST_BITS: u32 = 14;
/// The maximum number of remembered configurations of kinds.
const MOST: u64 = 1 << 20;
/// The flag of a computed entry.
const KNOWN: u32 = 1 << 31;

/// The properties of a variable that conditions test.
#[derive(Clone)]
enum Tested {
    Nothing,
    /// Only whether it is one of these values.
    If(Vec<i64>),
    Value,
}

/// Kinds of states: states that no condition distinguishes have the same kind.
pub(crate) struct Kinds {
    size: usize,
    count: u64,
    /// The kind of a state, by its bits.
    kind: Vec<u16>,
    /// The results for configurations, by the kinds of their states.
    found: Vec<AtomicU32>,
}

impl Kinds {
    /// The kinds for code over `size` agents; `None` if there are too many kinds, or hardly fewer kinds than states.
    pub(crate) fn new(code: &Code, layout: &Layout, size: usize) -> Option<Kinds> {
        let bits = layout.fields.iter().map(|f| f.shift + f.mask.count_ones()).max()?;
        if bits > MOST_BITS || code.ops.iter().any(|op| matches!(op, Op::Set(..))) {
            return None;
        }
        let tested = tested(code, &layout.fields);
        let width = |(tested, field): (&Tested, &Field)| match tested {
            Tested::Nothing => 1,
            Tested::If(values) => values.len() as u64 + 1,
            Tested::Value => (field.high - field.low + 1) as u64,
        };
        let widths: Vec<u64> = tested.iter().zip(&layout.fields).map(width).collect();
        let count: u64 = widths.iter().product();
        let states: u64 = layout.fields.iter().map(|f| (f.high - f.low + 1) as u64).product();
        let all = |each: u64| u32::try_from(size).ok().and_then(|size| each.checked_pow(size));
        let configurations = all(count).filter(|all| *all <= MOST)?;
        if all(states).is_some_and(|all| all / 2 < configurations) {
            return None;
        }
        let kind = (0..1u64 << bits).map(|state| {
            let parts = tested.iter().zip(&layout.fields).zip(&widths);
            parts.fold(0, |kind, ((tested, field), width)| kind * width + part(tested, field, state).min(width - 1))
                as u16
        });
        let found = (0..configurations).map(|_| AtomicU32::new(0)).collect();
        Some(Kinds { size, count, kind: kind.collect(), found })
    }

    /// The remembered result for a configuration, computed if missing.
    #[inline]
    pub(crate) fn found(&self, states: &[State], find: impl FnOnce() -> u32) -> u32 {
        if states.len() != self.size {
            return find();
        }
        let kind = |state: &State| u64::from(self.kind[state.0 as usize]);
        let index = states.iter().fold(0, |index, state| index * self.count + kind(state));
        let known = &self.found[index as usize];
        let mut found = known.load(Relaxed);
        if found == 0 {
            found = find() | KNOWN;
            known.store(found, Relaxed);
        }
        found & !KNOWN
    }
}

/// The properties of each variable that code tests.
fn tested(code: &Code, fields: &[Field]) -> Vec<Tested> {
    let mut all = vec![Tested::Nothing; fields.len()];
    let mut test = |field: usize, value: i64| match &mut all[field] {
        Tested::Value => {}
        Tested::If(values) if values.contains(&value) => {}
        Tested::If(values) => values.push(value),
        nothing => *nothing = Tested::If(vec![value]),
    };
    for op in &code.ops {
        match *op {
            Op::CellEq(field, _, value, _) | Op::CellNe(field, _, value, _) => test(field.into(), value.into()),
            Op::CellAtEq(field, _, value, _) | Op::CellAtNe(field, _, value, _) => test(field.into(), value.into()),
            _ => {}
        }
    }
    code.tests.iter().for_each(|t| test(t.field.into(), t.value));
    code.nears.iter().for_each(|near| test(near.test.field.into(), near.test.value));
    for op in &code.ops {
        if let Op::Cell(_, field, _) | Op::CellAt(_, field, _) = *op {
            all[field as usize] = Tested::Value;
        }
    }
    for (tested, field) in all.iter_mut().zip(fields) {
        if matches!(tested, Tested::If(values) if values.len() as i64 > field.high - field.low) {
            *tested = Tested::Value;
        }
    }
    all
}

/// The tested property of a variable of a state, as a number.
fn part(tested: &Tested, field: &Field, state: u64) -> u64 {
    let value = field.get(state);
    match tested {
        Tested::Nothing => 0,
        Tested::If(values) => values.iter().position(|v| *v == value).unwrap_or(values.len()) as u64,
        Tested::Value => (value - field.low) as u64,
    }
}
