//! What a self-stabilizing protocol says of configurations.

use crate::build::{Built, Problem};
use crate::code::Code;
use crate::layout::{Layout, State, keep};
use crate::machine::{Host, run, with_registers};
use crate::typed::{Goal, Unit};
use ringleader_instance::Refusal;
use ringleader_model::{ClosedSet, Goal as Promise, Safety};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The states of all agents.
struct Cells<'a> {
    states: &'a [State],
    /// How many times a quantifier may go on.
    fuel: u64,
    /// Whoever knows the closed sets, where they may be asked for.
    sets: Option<&'a Predicates>,
}

impl Host for Cells<'_> {
    fn below(&mut self, _: u32) -> u32 {
        0
    }

    fn choose(&mut self, _: u32) -> u32 {
        0
    }

    fn fired(&mut self, _: u8) {}

    #[inline]
    fn cell(&self, index: i64) -> u64 {
        let size = self.states.len() as i64;
        // Most indices are at most once around away.
        let index = match index {
            i if i >= 0 && i < size => i,
            i if i >= size && i < 2 * size => i - size,
            i if i < 0 && i >= -size => i + size,
            i => i.rem_euclid(size),
        };
        self.states[index as usize].0
    }

    #[inline]
    fn place(&self, place: u8) -> u64 {
        self.states.get(place as usize).map_or(0, |state| state.0)
    }

    fn member(&mut self, set: u16) -> bool {
        self.sets.is_some_and(|sets| sets.in_set(set as usize, self.states))
    }

    fn agents(&self) -> i64 {
        self.states.len() as i64
    }

    #[inline]
    fn again(&mut self) -> bool {
        self.fuel -= 1;
        self.fuel > 0
    }
}

/// Whether a condition holds of a configuration; `member` knows which closed sets that is in.
pub(crate) fn ask(code: &Code, layout: &Layout, states: &[State], member: &dyn Fn(usize) -> bool) -> bool {
    let mut asking = Asking { cells: Cells { states, fuel: u64::MAX, sets: None }, member };
    with_registers!(code, registers => {
        run(code, &layout.fields, &mut registers, &mut asking).is_ok_and(|value| value != 0)
    })
}

/// The states of all agents, where somebody else knows the closed sets.
struct Asking<'a> {
    cells: Cells<'a>,
    member: &'a dyn Fn(usize) -> bool,
}

impl Host for Asking<'_> {
    fn below(&mut self, _: u32) -> u32 {
        0
    }

    fn choose(&mut self, _: u32) -> u32 {
        0
    }

    fn fired(&mut self, _: u8) {}

    fn cell(&self, index: i64) -> u64 {
        self.cells.cell(index)
    }

    fn place(&self, place: u8) -> u64 {
        self.cells.place(place)
    }

    fn member(&mut self, set: u16) -> bool {
        (self.member)(set as usize)
    }

    fn agents(&self) -> i64 {
        self.cells.agents()
    }
}

/// The value of an expression over a configuration, seen from an index if it speaks of one.
pub(crate) fn value(code: &Code, layout: &Layout, states: &[State], index: i64) -> Option<i64> {
    evaluate(code, layout, Cells { states, fuel: u64::MAX, sets: None }, index)
}

fn evaluate(code: &Code, layout: &Layout, mut cells: Cells<'_>, index: i64) -> Option<i64> {
    with_registers!(code, registers => {
        registers.set(code.given, index);
        run(code, &layout.fields, &mut registers, &mut cells).ok()
    })
}

/// The last configuration that was looked at, and what was found: closed sets, correct and safe are asked for one after the
/// other.
#[derive(Default)]
struct Memory {
    whose: u64,
    states: Vec<State>,
    found: i64,
}

/// Larger configurations are not remembered.
const LARGEST: usize = 32;

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// How many protocols have been built; each has a number, from 1.
static BUILT: AtomicU64 = AtomicU64::new(1);

/// A variable that no fault changes.
struct Fixed {
    slot: usize,
    value: Code,
    when: Option<Code>,
}

pub(crate) struct Predicates {
    /// Another for each.
    number: u64,
    pub(crate) layout: Layout,
    pub(crate) goal: Promise,
    /// All at once: every closed set, correct, and safe.
    verdict: Option<Code>,
    correct: Code,
    safe: Option<(bool, Code)>,
    fast: Option<Code>,
    closed: Vec<(String, String, Code)>,
    fixed: Vec<Fixed>,
}

impl Predicates {
    pub(crate) fn new(built: &Built<'_>) -> Result<Predicates, Problem> {
        let Unit { goal, correct, safe, fast, closed, given, .. } = built.unit;
        let compile = |ex: &crate::typed::Ex| built.expression(0, 0, ex);
        let correct = correct.as_ref().map_or_else(|| Ok(Code::default()), compile)?;
        let safe = match safe {
            Some((for_long, safe)) => Some((*for_long, compile(safe)?)),
            None => None,
        };
        let mut conditions: Vec<_> = closed.iter().map(|set| set.holds.clone()).collect();
        conditions.extend(built.unit.correct.clone());
        conditions.extend(built.unit.safe.as_ref().map(|(_, safe)| safe.clone()));
        let mut sets = vec![];
        for set in closed {
            sets.push((set.name.clone(), set.claim.clone(), compile(&set.holds)?));
        }
        let mut fixed = vec![];
        for given in given {
            let field = built.layout.fields[given.slot];
            if !built.fits(&given.value, field) {
                let why = format!(
                    "{}: what is given for {} is not always in {}",
                    built.unit.name,
                    field.name,
                    field.domain()
                );
                return Err(Refusal::new(why).into());
            }
            let value = built.expression(0, 1, &given.value)?;
            let when = given.when.as_ref().map(|when| built.expression(0, 1, when)).transpose()?;
            fixed.push(Fixed { slot: given.slot, value, when });
        }
        Ok(Predicates {
            number: BUILT.fetch_add(1, Relaxed),
            layout: built.layout.clone(),
            goal: match goal {
                Goal::OneLeader => Promise::OneLeader,
                Goal::OneToken => Promise::OneToken,
                Goal::Agreement => Promise::Agreement,
                Goal::Holds(words) => Promise::Holds(keep(words)),
            },
            verdict: built.verdict(&conditions, closed.len()),
            correct,
            safe,
            fast: fast.as_ref().map(compile).transpose()?,
            closed: sets,
            fixed,
        })
    }

    fn holds(&self, code: &Code, states: &[State]) -> bool {
        let cells = Cells { states, fuel: u64::MAX, sets: Some(self) };
        evaluate(code, &self.layout, cells, 0).is_some_and(|value| value != 0)
    }

    /// Whether a configuration is in a closed set, is correct, or is safe: bit by bit, and looked at once.
    fn found(&self, bit: usize, states: &[State], otherwise: &Code) -> bool {
        let Some(verdict) = self.verdict.as_ref().filter(|_| states.len() <= LARGEST) else {
            return self.holds(otherwise, states);
        };
        MEMORY.with_borrow_mut(|memory| {
            if memory.whose != self.number || memory.states != states {
                memory.states.clear();
                memory.states.extend_from_slice(states);
                let cells = Cells { states, fuel: u64::MAX, sets: None };
                memory.whose = self.number;
                memory.found = evaluate(verdict, &self.layout, cells, 0).unwrap_or(0);
            }
            memory.found >> bit & 1 == 1
        })
    }

    fn in_set(&self, set: usize, states: &[State]) -> bool {
        self.found(set, states, &self.closed[set].2)
    }

    /// Whether the fast way to decide what is safe says the same, if there is one and it does not take for ever.
    pub(crate) fn fast_is_safe(&self, states: &[State]) -> bool {
        let decide = |code: &Code| {
            let cells = Cells { states, fuel: 1 << 16, sets: Some(self) };
            evaluate(code, &self.layout, cells, 0).map(|value| value != 0)
        };
        self.fast.as_ref().is_none_or(|fast| decide(fast).is_none_or(|fast| fast == self.safe(states)))
    }

    pub(crate) fn correct(&self, states: &[State]) -> bool {
        self.found(self.closed.len(), states, &self.correct)
    }

    pub(crate) fn safe(&self, states: &[State]) -> bool {
        let safe = |safe| self.found(self.closed.len() + 1, states, safe);
        self.safe.as_ref().map_or_else(|| self.correct(states), |(_, code)| safe(code))
    }

    pub(crate) fn safe_fast(&self, states: &[State]) -> bool {
        self.fast.as_ref().map_or_else(|| self.safe(states), |fast| self.holds(fast, states))
    }

    pub(crate) fn safety(&self) -> Safety {
        match self.safe {
            Some((true, _)) => Safety::ForLong,
            Some((false, _)) => Safety::ForEver,
            None => Safety::Unknown,
        }
    }

    pub(crate) fn closed_sets(&self) -> Vec<ClosedSet<'_, State>> {
        let set = |(at, (name, claim, _)): (usize, &(String, String, Code))| {
            ClosedSet::new(name.clone(), claim.clone(), move |states: &[State]| self.in_set(at, states))
        };
        self.closed.iter().enumerate().map(set).collect()
    }

    pub(crate) fn restore(&self, states: &mut [State]) {
        for fixed in &self.fixed {
            for index in 0..states.len() {
                let at = |code: &Code| value(code, &self.layout, states, index as i64);
                if fixed.when.as_ref().is_none_or(|when| at(when) != Some(0)) {
                    let field = self.layout.fields[fixed.slot];
                    let value = at(&fixed.value).unwrap_or(field.low).clamp(field.low, field.high);
                    states[index].0 = field.set(states[index].0, value);
                }
            }
        }
    }
}
