//! The parts of a condition on configurations that are about single agents.

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

/// Replaces the agent at the first bound variable by the first participant; returns whether no other agent is read.
pub(crate) fn own(ex: &mut Ex) -> bool {
    if let Op::Var(agent @ Agent::At(_), _) = &mut ex.op {
        let own = matches!(agent, Agent::At(index) if index.op == Op::Bound(0));
        *agent = Agent::Role(0);
        return own;
    }
    let mut all = !matches!(ex.op, Op::Set(_) | Op::Link(..) | Op::Var(..) | Op::Quantified { .. });
    ex.op.operands_mut(&mut |operand| all &= own(operand));
    all
}
