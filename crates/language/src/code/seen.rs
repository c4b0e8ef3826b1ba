//! Quantifiers over tests of single variables, which need no operation for each agent.

use crate::code::{Near, Test};
use crate::meaning::typed::{Agent, Ex, Op as Do};
use crate::syntax::ast::Quantifier;

/// A test of one variable of the agent at an index.
pub(crate) fn seen(ex: &Ex) -> Option<(Test, &Ex)> {
    let variable = |ex: &'_ Ex| match &ex.op {
        Do::Var(Agent::At(_), field) => u16::try_from(*field).ok(),
        _ => None,
    };
    fn index(ex: &Ex) -> Option<&Ex> {
        match &ex.op {
            Do::Var(Agent::At(index), _) => Some(index),
            _ => None,
        }
    }
    match &ex.op {
        Do::Var(..) => Some((Test { field: variable(ex)?, value: 0, equal: false }, index(ex)?)),
        Do::Not(inner) => seen(inner).map(|(test, index)| (opposite(test), index)),
        Do::Two(sign @ ("=" | "!="), a, b) => {
            let (a, b) = if matches!(a.op, Do::Const(_)) { (b, a) } else { (a, b) };
            let Do::Const(value) = b.op else { return None };
            Some((Test { field: variable(a)?, value, equal: *sign == "=" }, index(a)?))
        }
        _ => None,
    }
}

fn opposite(test: Test) -> Test {
    Test { equal: !test.equal, ..test }
}

/// The test and the start of `least d : P`, if `P` tests the agent at distance `d` to the left or to the right.
pub(crate) fn far(body: &Ex, slot: usize) -> Option<(Near, &Ex)> {
    let (test, index) = seen(body)?;
    let Do::Two(sign @ ("+" | "-"), a, b) = &index.op else { return None };
    let (from, steps) = if *sign == "+" && is_bound(a, slot) { (b, a) } else { (a, b) };
    (is_bound(steps, slot) && plain(from, slot)).then_some((Near { test, left: *sign == "-" }, &**from))
}

fn is_bound(ex: &Ex, slot: usize) -> bool {
    matches!(ex.op, Do::Bound(known) if known == slot)
}

/// Whether an index is a sum of numbers and of variables that other quantifiers bind.
fn plain(ex: &Ex, slot: usize) -> bool {
    match &ex.op {
        Do::Const(_) => true,
        Do::Bound(known) => *known != slot,
        Do::Two("+" | "-", a, b) => plain(a, slot) && plain(b, slot),
        _ => false,
    }
}

/// A test that selects the agents a quantifier must visit, and the remaining condition for these agents.
pub(crate) fn without(quantifier: Quantifier, body: &Ex, slot: usize) -> (Option<Test>, Option<&Ex>) {
    let own = |ex: &Ex| seen(ex).filter(|(_, index)| is_bound(index, slot)).map(|(test, _)| test);
    match (quantifier, &body.op) {
        (Quantifier::All, Do::Two("=>", a, b)) if own(a).is_some() => (own(a), Some(b)),
        (Quantifier::All, _) if own(body).is_some() => (own(body).map(opposite), None),
        (Quantifier::All, _) => (None, Some(body)),
        (_, Do::Two("and", a, b)) if own(a).is_some() => (own(a), Some(b)),
        _ if own(body).is_some() => (own(body), None),
        _ => (None, Some(body)),
    }
}
