//! The parts of a local state that conditions on configurations read: their atoms.
//!
//! An atom is a largest part of a condition that reads the variables of one agent only. If two states agree in the values of
//! all atoms, one may replace the other at any place, and no condition notices.

use crate::code::Code;
use crate::code::compile::Compiler;
use crate::configurations::cells::value;
use crate::domains::fold::Constants;
use crate::domains::layout::{Layout, State};
use crate::meaning::typed::{Agent, Ex, Op, Type};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The atoms of some conditions, and a number for each combination of their values.
pub(crate) struct Atoms {
    codes: Vec<Code>,
    numbers: Mutex<HashMap<Vec<Option<i64>>, u64>>,
}

impl Atoms {
    /// The atoms of these conditions, which may name the closed sets `bodies`; `None` if one cannot be compiled.
    pub(crate) fn new(constants: &Constants, layout: &Layout, bodies: &[Ex], conditions: &[Ex]) -> Option<Atoms> {
        let mut atoms = vec![];
        for condition in conditions {
            collect(&constants.fold(condition), constants, bodies, &mut atoms);
        }
        let codes = atoms.iter().map(|atom| Compiler::expression(constants, layout, 0, 1, atom).ok());
        Some(Atoms { codes: codes.collect::<Option<_>>()?, numbers: Mutex::default() })
    }

    /// The number of the combination of values in a state.
    pub(crate) fn number(&self, layout: &Layout, state: State) -> u64 {
        let values = self.codes.iter().map(|code| value(code, layout, None, &[state], 0)).collect();
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let next = numbers.len() as u64;
        *numbers.entry(values).or_insert(next)
    }
}

/// The index at which an expression reads variables, if it reads those of one agent and nothing else of a configuration.
/// `Err` if it reads more.
fn place(ex: &Ex) -> Result<Option<Ex>, ()> {
    match &ex.op {
        Op::Const(_) => Ok(None),
        Op::Var(Agent::At(index), _) => {
            let reads = index.contains(&|op| matches!(op, Op::Var(..) | Op::Quantified { .. } | Op::Set(_)));
            if reads { Err(()) } else { Ok(Some(index.anywhere())) }
        }
        Op::Not(_) | Op::Two(..) | Op::If(..) | Op::In(..) | Op::Prime(_) | Op::Log2(_) => {
            ex.op.operands().try_fold(None, |known: Option<Ex>, operand| match (known, place(operand)?) {
                (None, one) | (one, None) => Ok(one),
                (Some(a), Some(b)) if a == b => Ok(Some(a)),
                _ => Err(()),
            })
        }
        _ => Err(()),
    }
}

/// Adds the atoms of an expression with folded constants.
fn collect(ex: &Ex, constants: &Constants, bodies: &[Ex], atoms: &mut Vec<Ex>) {
    match (place(ex), &ex.op) {
        (Ok(None), _) => {}
        (Ok(Some(_)), _) => add(ex, atoms),
        (Err(()), Op::Set(set)) => collect(&constants.fold(&bodies[*set]), constants, bodies, atoms),
        (Err(()), op) => {
            if let Op::Var(Agent::At(_), _) = op {
                add(ex, atoms);
            }
            op.operands().for_each(|operand| collect(operand, constants, bodies, atoms));
        }
    }
}

/// Adds an expression about one agent, as an expression about the agent at the bound index.
fn add(ex: &Ex, atoms: &mut Vec<Ex>) {
    fn here(ex: &mut Ex) {
        match &mut ex.op {
            Op::Var(Agent::At(index), _) => **index = Ex::new(Op::Bound(0), Type::Number, 0..0),
            op => op.operands_mut().for_each(here),
        }
    }
    let mut atom = ex.anywhere();
    here(&mut atom);
    if !atoms.contains(&atom) {
        atoms.push(atom);
    }
}
