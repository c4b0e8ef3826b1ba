//! Conditions on configurations that depend only on the number of agents in each state.

use crate::code::compile::Compiler;
use crate::code::compile::quantifiers::with_bound;
use crate::configurations::alone::own;
use crate::domains::fold::Constants;
use crate::domains::layout::{Layout, State};
use crate::meaning::typed::{Ex, INFINITY, Op, Type};
use crate::syntax::ast::Quantifier;

/// The least and the greatest value of a part of the condition.
type Interval = (i128, i128);

/// A condition on the number of agents in each of some states.
#[derive(Clone, Debug)]
pub(crate) enum Counted {
    Number(i128),
    Two(&'static str, Box<Counted>, Box<Counted>),
    Not(Box<Counted>),
    If(Box<[Counted; 3]>),
    In(Box<Counted>, Vec<[Counted; 2]>),
    /// A quantifier over all agents, and whether its body holds for an agent in each state.
    Agents(Quantifier, Vec<bool>),
    /// Whether all agents have the same value, and the value of each state.
    Agreement(Vec<i64>),
}

/// The states, and the names that a condition uses.
pub(crate) struct Reading<'a> {
    pub(crate) constants: &'a Constants,
    pub(crate) layout: &'a Layout,
    /// The conditions of closed sets.
    pub(crate) bodies: &'a [Ex],
    pub(crate) states: &'a [State],
}

impl Reading<'_> {
    /// The condition in this form; `None` if it depends on more than counts.
    pub(crate) fn counted(&self, ex: &Ex) -> Option<Counted> {
        self.part(&self.constants.fold(ex))
    }

    fn part(&self, ex: &Ex) -> Option<Counted> {
        let boxed = |ex: &Ex| self.part(ex).map(Box::new);
        Some(match &ex.op {
            Op::Const(value) if value.abs() < INFINITY / 2 => Counted::Number((*value).into()),
            Op::Two("/" | "mod" | "^", ..) => return None,
            Op::Two(sign, a, b) => Counted::Two(sign, boxed(a)?, boxed(b)?),
            Op::Not(a) => Counted::Not(boxed(a)?),
            Op::If(a, b, c) => Counted::If(Box::new([self.part(a)?, self.part(b)?, self.part(c)?])),
            Op::In(a, ranges) => {
                let ends = |[low, high]: &[Ex; 2]| Some([self.part(low)?, self.part(high)?]);
                Counted::In(boxed(a)?, ranges.iter().map(ends).collect::<Option<_>>()?)
            }
            Op::Set(set) => return self.counted(self.bodies.get(*set)?),
            Op::Quantified { quantifier, slot: 0, low, high, body }
                if (&low.op, &high.op) == (&Op::Const(0), &Op::Const(self.constants.size - 1)) =>
            {
                self.agents(*quantifier, body)?
            }
            _ => return None,
        })
    }

    fn agents(&self, quantifier: Quantifier, body: &Ex) -> Option<Counted> {
        if let (Quantifier::All, Op::Two("=", here, there)) = (quantifier, &body.op)
            && untyped(&self.constants.fold(&with_bound(here, 0, 0))) == untyped(there)
        {
            return self.values(here).map(Counted::Agreement);
        }
        if !matches!(quantifier, Quantifier::All | Quantifier::Some | Quantifier::One | Quantifier::Count) {
            return None;
        }
        let holds = self.values(body)?.into_iter().map(|value| value != 0);
        Some(Counted::Agents(quantifier, holds.collect()))
    }

    /// The value of an expression about one agent in each state; `None` if it reads other agents or the agent's place.
    fn values(&self, ex: &Ex) -> Option<Vec<i64>> {
        let mut ex = ex.clone();
        if !own(&mut ex) || ex.contains(&|op| matches!(op, Op::Bound(_))) {
            return None;
        }
        let code = Compiler::expression(self.constants, self.layout, 1, 1, &ex).ok()?;
        self.states.iter().map(|state| code.value([state.0; 4], [])).collect()
    }
}

/// The expression without types and places: an index 0 is a number in one place and a bit in another.
fn untyped(ex: &Ex) -> Ex {
    ex.anywhere().changed(&|ex| ex.ty = Type::Unknown)
}

fn truth((low, high): Interval) -> (bool, bool) {
    (low > 0, high > 0)
}

fn bit((low, high): (bool, bool)) -> Interval {
    (low.into(), high.into())
}

impl Counted {
    /// Whether the condition may hold after at most `slack` agents have changed their states. Without slack this is exact.
    pub(crate) fn may_hold(&self, counts: &[u64], slack: u64) -> bool {
        truth(self.range(counts, slack.into())).1
    }

    fn range(&self, counts: &[u64], slack: i128) -> Interval {
        let total = || counts.iter().map(|&count| i128::from(count)).sum::<i128>();
        match self {
            Counted::Number(value) => (*value, *value),
            Counted::Not(a) => {
                let (low, high) = truth(a.range(counts, slack));
                bit((!high, !low))
            }
            Counted::If(parts) => {
                let [condition, a, b] = parts.each_ref().map(|part| part.range(counts, slack));
                match truth(condition) {
                    (true, _) => a,
                    (_, false) => b,
                    _ => (a.0.min(b.0), a.1.max(b.1)),
                }
            }
            Counted::In(a, ranges) => {
                let a = a.range(counts, slack);
                let inside = |[low, high]: &[Counted; 2]| {
                    let (low, high) = (low.range(counts, slack), high.range(counts, slack));
                    (low.1 <= a.0 && a.1 <= high.0, low.0 <= a.1 && a.0 <= high.1)
                };
                let all = ranges.iter().map(inside);
                bit(all.fold((false, false), |(sure, may), (is, can)| (sure || is, may || can)))
            }
            Counted::Agents(quantifier, holds) => {
                let matching =
                    counts.iter().zip(holds).filter(|(_, holds)| **holds).map(|(&count, _)| i128::from(count));
                let (matching, total) = (matching.sum::<i128>(), total());
                let (low, high) = ((matching - slack).max(0), (matching + slack).min(total));
                match quantifier {
                    Quantifier::All => bit((low == total, high == total)),
                    Quantifier::Some => bit((low > 0, high > 0)),
                    Quantifier::One => bit((low == 1 && high == 1, low <= 1 && high >= 1)),
                    _ => (low, high),
                }
            }
            Counted::Agreement(values) => {
                let of = |value: i64| {
                    let same = counts.iter().zip(values).filter(|(_, other)| **other == value);
                    same.map(|(&count, _)| i128::from(count)).sum::<i128>()
                };
                let most = values.iter().map(|&value| of(value)).max().unwrap_or(0);
                let others = total() - most;
                bit((others == 0 && slack == 0, others <= slack))
            }
            Counted::Two(sign, a, b) => two(sign, a.range(counts, slack), b.range(counts, slack)),
        }
    }
}

fn two(sign: &str, a: Interval, b: Interval) -> Interval {
    let ((p, q), (r, s)) = (truth(a), truth(b));
    match sign {
        "and" => bit((p && r, q && s)),
        "or" => bit((p || r, q || s)),
        "=>" => bit((!q || r, !p || s)),
        "=" => bit((a.0 == a.1 && a == b, a.0 <= b.1 && b.0 <= a.1)),
        "!=" => bit((a.1 < b.0 || b.1 < a.0, !(a.0 == a.1 && a == b))),
        "<" => bit((a.1 < b.0, a.0 < b.1)),
        "<=" => bit((a.1 <= b.0, a.0 <= b.1)),
        ">" => bit((b.1 < a.0, b.0 < a.1)),
        ">=" => bit((b.1 <= a.0, b.0 <= a.1)),
        "+" => (a.0 + b.0, a.1 + b.1),
        "-" => (a.0 - b.1, a.1 - b.0),
        "min" => (a.0.min(b.0), a.1.min(b.1)),
        "max" => (a.0.max(b.0), a.1.max(b.1)),
        _ => {
            let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            all.into_iter().fold((i128::MAX, i128::MIN), |(low, high), x| (low.min(x), high.max(x)))
        }
    }
}
