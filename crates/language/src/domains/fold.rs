//! Constant folding: parameters and the size have values.

use crate::meaning::typed::{Agent, Ex, Link, Op, Type};
use ringleader_model::graph::Neighbours;
use std::sync::Arc;

/// The constants that are known when a protocol is built.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constants {
    pub(crate) size: i64,
    pub(crate) parameters: Vec<i64>,
    /// The port of the received message, where it is known.
    pub(crate) port: Option<i64>,
    /// The graph of processes.
    pub(crate) graph: Option<Arc<Neighbours>>,
    /// The degree of the process whose rules are compiled.
    pub(crate) degree: Option<i64>,
}

/// The value of an operator applied to two numbers. Arithmetic saturates, and
/// division by 0 gives 0; callers that must not divide by 0 check before.
pub(crate) fn apply(sign: &str, a: i64, b: i64) -> i64 {
    match sign {
        "+" => a.saturating_add(b),
        "-" => a.saturating_sub(b),
        "*" => a.saturating_mul(b),
        "/" => a.checked_div_euclid(b).unwrap_or(0),
        "mod" => a.checked_rem_euclid(b).unwrap_or(0),
        "^" => a.saturating_pow(b.clamp(0, 63) as u32),
        "min" => a.min(b),
        "max" => a.max(b),
        "=" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<" => i64::from(a < b),
        "<=" => i64::from(a <= b),
        ">" => i64::from(a > b),
        ">=" => i64::from(a >= b),
        "and" => i64::from(a != 0 && b != 0),
        "or" => i64::from(a != 0 || b != 0),
        _ => i64::from(a == 0 || b != 0),
    }
}

pub(crate) fn prime(n: i64) -> bool {
    n >= 2 && (2..).take_while(|f| f * f <= n && *f < 1 << 20).all(|f| n % f != 0)
}

pub(crate) fn log2(n: i64) -> i64 {
    i64::from(n.max(1).ilog2())
}

impl Constants {
    /// The largest degree of the graph.
    pub(crate) fn max_degree(&self) -> i64 {
        self.graph.as_ref().map_or(0, |graph| graph.most() as i64)
    }

    /// The value of an expression that uses only parameters and the size.
    pub(crate) fn value(&self, ex: &Ex) -> i64 {
        match self.fold(ex).op {
            Op::Const(value) => value,
            _ => 0,
        }
    }

    /// The expression with all constants substituted. A constant condition leaves one branch.
    pub(crate) fn fold(&self, ex: &Ex) -> Ex {
        let mut ex = ex.clone();
        self.fold_in_place(&mut ex);
        ex
    }

    fn fold_in_place(&self, ex: &mut Ex) {
        ex.op.operands_mut().for_each(|operand| self.fold_in_place(operand));
        let value = |ex: &Ex| if let Op::Const(value) = ex.op { Some(value) } else { None };
        let known = match &mut ex.op {
            Op::Parameter(at) => Some(self.parameters.get(*at).copied().unwrap_or(0)),
            Op::Size => Some(self.size),
            Op::Port => self.port,
            Op::MaxDegree => Some(self.max_degree()),
            Op::Link(Link::Degree, process, _) if process.op == Op::Process => self.degree,
            Op::PerPort(slot, port) => {
                let port = value(port).unwrap_or(0).clamp(0, 1) as usize;
                ex.op = Op::Var(Agent::Role(0), *slot + port);
                None
            }
            Op::Not(a) => value(a).map(|a| i64::from(a == 0)),
            Op::Prime(a) => value(a).map(|a| i64::from(prime(a))),
            Op::Log2(a) => value(a).map(log2),
            Op::In(a, ranges) => value(a).and_then(|a| {
                let within = |[low, high]: &[Ex; 2]| Some((value(low)?..=value(high)?).contains(&a));
                let within = ranges.iter().map(within).collect::<Option<Vec<_>>>()?;
                Some(i64::from(within.contains(&true)))
            }),
            Op::If(c, a, b) => {
                if let Some(holds) = value(c) {
                    *ex = take(if holds != 0 { a } else { b });
                }
                None
            }
            Op::Two(sign, a, b) => match (*sign, value(a), value(b)) {
                // A division by 0 is kept, so that it is reported at its place.
                ("/" | "mod", Some(_), Some(0)) => None,
                (sign, Some(a), Some(b)) => Some(apply(sign, a, b)),
                ("and", Some(0), _) | ("and", _, Some(0)) => Some(0),
                ("or", Some(c), _) | ("or", _, Some(c)) if c != 0 => Some(1),
                ("=>", Some(0), _) => Some(1),
                ("and" | "=>", Some(_), _) | ("or" | "+", Some(0), _) => {
                    *ex = take(b);
                    None
                }
                ("and", _, Some(_)) | ("or" | "+" | "-", _, Some(0)) => {
                    *ex = take(a);
                    None
                }
                _ => None,
            },
            _ => None,
        };
        if let Some(value) = known {
            ex.op = Op::Const(value);
        }
    }
}

fn take(ex: &mut Ex) -> Ex {
    std::mem::replace(ex, constant(0))
}

/// Whether a bound of a domain or a condition divides by 0.
pub(crate) fn divides_by_nothing(ex: &Ex) -> bool {
    ex.contains(&|op| matches!(op, Op::Two("/" | "mod", _, b) if b.op == Op::Const(0)))
}

/// The type does not matter for constants.
pub(crate) fn constant(value: i64) -> Ex {
    Ex::new(Op::Const(value), Type::Number, 0..0)
}
