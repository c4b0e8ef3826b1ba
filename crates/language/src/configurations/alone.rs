//! The parts of a condition on configurations that are about single agents.

use crate::diagnostic::Span;
use crate::domains::fold::apply;
use crate::domains::layout::{Field, Layout};
use crate::meaning::typed::{Agent, Ex, Op};
use crate::syntax::ast::Quantifier;

/// The conditions on one agent that follow from a condition: the bodies of its conjuncts `all i : P`, where `P` reads the
/// agent `i` only. The agent is the first participant, and `i` the first bound variable.
pub(crate) fn alone(ex: &Ex, size: i64) -> Vec<Ex> {
    match &ex.op {
        Op::Two("and", a, b) => alone(a, size).into_iter().chain(alone(b, size)).collect(),
        Op::Quantified { quantifier: Quantifier::All, slot: 0, low, high, body }
            if (&low.op, &high.op) == (&Op::Const(0), &Op::Const(size - 1)) =>
        {
            let mut body = (**body).clone();
            if own(&mut body) { vec![body] } else { vec![] }
        }
        _ => vec![],
    }
}

/// A comparison that follows from a condition for some agent, but that no value of its variable meets: its place, and the variable.
pub(crate) fn outside<'l>(ex: &Ex, layout: &'l Layout) -> Option<(Span, &'l Field)> {
    match &ex.op {
        Op::Two("and", a, b) => outside(a, layout).or_else(|| outside(b, layout)),
        Op::Quantified { quantifier: Quantifier::Some | Quantifier::One, body, .. } => outside(body, layout),
        Op::Quantified { quantifier: Quantifier::All, low, high, body, .. } => match (&low.op, &high.op) {
            // A range without values asks for nothing.
            (Op::Const(low), Op::Const(high)) if low <= high => outside(body, layout),
            _ => None,
        },
        Op::Two(sign, a, b) => {
            let (slot, number, meets): (_, _, &dyn Fn(i64) -> bool) = match (&a.op, &b.op) {
                (Op::Var(_, slot), Op::Const(b)) => (*slot, *b, &|value| apply(sign, value, *b) != 0),
                (Op::Const(a), Op::Var(_, slot)) => (*slot, *a, &|value| apply(sign, *a, value) != 0),
                _ => return None,
            };
            let field = &layout.fields[slot];
            let nearest = [field.low, field.high, number.clamp(field.low, field.high)];
            (!nearest.into_iter().any(meets)).then(|| (ex.span.clone(), field))
        }
        _ => None,
    }
}

/// Replaces the agent at the first bound variable by the first participant; returns whether no other agent is read.
pub(crate) fn own(ex: &mut Ex) -> bool {
    if let Op::Var(agent @ Agent::At(_), _) = &mut ex.op {
        let own = matches!(agent, Agent::At(index) if index.op == Op::Bound(0));
        *agent = Agent::Role(0);
        return own;
    }
    !matches!(ex.op, Op::Set(_) | Op::Link(..) | Op::Var(..) | Op::Quantified { .. }) && ex.op.operands_mut().all(own)
}
