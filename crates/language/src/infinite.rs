//! Where `infinity` would be taken for a place or divided: it is larger than every number, and none itself.

use crate::ast::Quantifier;
use crate::bounds::anywhere;
use crate::diagnostic::{Diagnostic, Span};
use crate::typed::{Agent, Ex, INFINITY, Op, Unit};

/// What is known to be finite where something stands; the same expression elsewhere is known too.
type Known = Vec<Ex>;

/// The first place in each of a protocol's sets where that may happen.
pub(crate) fn misused(unit: &Unit) -> Vec<Diagnostic> {
    let sets: Vec<&Ex> = unit.closed.iter().map(|set| &set.holds).collect();
    let safe = unit.safe.iter().map(|(_, safe)| safe);
    let others = unit.correct.iter().chain(safe).chain(&unit.fast).chain(unit.invariants.iter().map(|i| &i.holds));
    sets.iter().copied().chain(others).filter_map(|ex| misuse(ex, &sets)).collect()
}

/// The first such place in a condition, which may speak of closed sets.
pub(crate) fn misuse(ex: &Ex, sets: &[&Ex]) -> Option<Diagnostic> {
    let (span, what) = Facts { sets }.search(ex, &vec![]).err()?;
    let help = "ask `d < infinity and ..` first, or `some i : ..` of what `least` looks for";
    Some(Diagnostic::error(span, format!("what can be infinity {what}")).help(help))
}

struct Facts<'a> {
    sets: &'a [&'a Ex],
}

impl Facts<'_> {
    fn search(&self, ex: &Ex, known: &Known) -> Result<(), (Span, &'static str)> {
        // A named expression stands elsewhere; what is wrong is how it is used here.
        let finite = |a: &Ex, what| if is_finite(a, known) { Ok(()) } else { Err((ex.span.clone(), what)) };
        match &ex.op {
            Op::Var(Agent::At(index), _) => {
                finite(index, "is nobody's index")?;
                self.search(index, known)
            }
            Op::Two(sign @ ("and" | "=>" | "or"), a, b) => {
                self.search(a, known)?;
                self.search(b, &self.after(a, *sign != "or", known))
            }
            Op::Two(sign, a, b) => {
                if matches!(*sign, "mod" | "/") {
                    finite(a, "cannot be divided")?;
                    finite(b, "divides nothing")?;
                }
                self.search(a, known)?;
                self.search(b, known)
            }
            Op::If(condition, a, b) => {
                self.search(condition, known)?;
                self.search(a, &self.after(condition, true, known))?;
                self.search(b, &self.after(condition, false, known))
            }
            Op::Not(a) | Op::Prime(a) | Op::Log2(a) => self.search(a, known),
            Op::In(a, ranges) => {
                self.search(a, known)?;
                ranges.iter().flat_map(|(low, high)| [low, high]).try_for_each(|end| self.search(end, known))
            }
            Op::Quantified { low, high, body, .. } => [low, high, body].iter().try_for_each(|a| self.search(a, known)),
            _ => Ok(()),
        }
    }

    /// What is known besides once a condition is found to hold, or not to.
    fn after(&self, ex: &Ex, holds: bool, known: &Known) -> Known {
        let mut more = known.clone();
        self.learn(ex, holds, &mut more);
        more
    }

    fn learn(&self, ex: &Ex, holds: bool, known: &mut Known) {
        let bounded = |b: &Ex, known: &Known| is_infinity(b) || is_finite(b, known);
        match (&ex.op, holds) {
            (Op::Not(a), _) => self.learn(a, !holds, known),
            (Op::Two("and", a, b), true) | (Op::Two("or", a, b), false) => {
                self.learn(a, holds, known);
                self.learn(b, holds, known);
            }
            (Op::Two("=>", a, b), false) => {
                self.learn(a, true, known);
                self.learn(b, false, known);
            }
            // Less than anything is finite; at most, or equal to, what is finite too.
            (Op::Two("<", a, b) | Op::Two(">", b, a), true) | (Op::Two(">=", a, b) | Op::Two("<=", b, a), false)
                if bounded(b, known) =>
            {
                known.push(anywhere(a));
            }
            (Op::Two("<=", a, b) | Op::Two(">=", b, a), true) | (Op::Two(">", a, b) | Op::Two("<", b, a), false)
                if is_finite(b, known) =>
            {
                known.push(anywhere(a));
            }
            (Op::Two("=", a, b), true) | (Op::Two("!=", a, b), false) => {
                match (is_finite(a, known), is_finite(b, known)) {
                    (false, true) => known.push(anywhere(a)),
                    (true, false) => known.push(anywhere(b)),
                    _ => {}
                }
            }
            (Op::Two("!=", a, b), true) | (Op::Two("=", a, b), false) => match (is_infinity(a), is_infinity(b)) {
                (false, true) => known.push(anywhere(a)),
                (true, false) => known.push(anywhere(b)),
                _ => {}
            },
            (Op::In(a, ranges), true) if ranges.iter().all(|(_, high)| is_finite(high, known)) => {
                known.push(anywhere(a))
            }
            (Op::Set(set), true) => self.sets.get(*set).into_iter().for_each(|body| self.learn(body, true, known)),
            // Where there is one, there is a first.
            (Op::Quantified { quantifier: Quantifier::Some | Quantifier::One, .. }, true) => {
                let mut first = anywhere(ex);
                if let Op::Quantified { quantifier, .. } = &mut first.op {
                    *quantifier = Quantifier::Least;
                }
                known.push(first);
            }
            _ => {}
        }
    }
}

fn is_infinity(ex: &Ex) -> bool {
    matches!(ex.op, Op::Const(value) if value >= INFINITY)
}

/// Whether an expression is surely a number.
fn is_finite(ex: &Ex, known: &Known) -> bool {
    match &ex.op {
        Op::Const(_) => !is_infinity(ex),
        Op::Two("min", a, b) => is_finite(a, known) || is_finite(b, known) || holds(ex, known),
        Op::Two(_, a, b) => is_finite(a, known) && is_finite(b, known) || holds(ex, known),
        Op::If(_, a, b) => is_finite(a, known) && is_finite(b, known) || holds(ex, known),
        Op::Quantified { quantifier: Quantifier::Least, .. } => holds(ex, known),
        _ => true,
    }
}

fn holds(ex: &Ex, known: &Known) -> bool {
    let ex = anywhere(ex);
    known.iter().any(|known| known.op == ex.op)
}
