//! Constant folding: parameters and the size have values.

use crate::meaning::typed::{Agent, Ex, Op, Type};

/// The constants that are known when a protocol is built.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    pub(crate) size: i64,
    pub(crate) parameters: Vec<i64>,
    /// The port of the received message, where it is known.
    pub(crate) port: Option<i64>,
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
    /// The value of an expression that uses only parameters and the size.
    pub(crate) fn value(&self, ex: &Ex) -> i64 {
        match self.fold(ex).op {
            Op::Const(value) => value,
            _ => 0,
        }
    }

    /// The expression with all constants substituted. A constant condition leaves one branch.
    pub(crate) fn fold(&self, ex: &Ex) -> Ex {
        let make = |op| Ex::new(op, ex.ty, ex.span.clone());
        let constant = |value| make(Op::Const(value));
        match &ex.op {
            Op::Parameter(at) => constant(self.parameters.get(*at).copied().unwrap_or(0)),
            Op::Size => constant(self.size),
            Op::Port => self.port.map_or_else(|| make(Op::Port), constant),
            Op::Var(Agent::At(index), slot) => make(Op::Var(Agent::At(Box::new(self.fold(index))), *slot)),
            Op::PerPort(slot, port) => {
                let port = self.value(port).clamp(0, 1) as usize;
                make(Op::Var(Agent::Role(0), slot + port))
            }
            Op::Not(a) => match self.fold(a) {
                Ex { op: Op::Const(value), .. } => constant(i64::from(value == 0)),
                a => make(Op::Not(Box::new(a))),
            },
            Op::Two(sign, a, b) => self.fold_two(sign, self.fold(a), self.fold(b), ex),
            Op::If(c, a, b) => match self.fold(c) {
                Ex { op: Op::Const(value), .. } => self.fold(if value != 0 { a } else { b }),
                c => make(Op::If(Box::new(c), Box::new(self.fold(a)), Box::new(self.fold(b)))),
            },
            Op::In(a, ranges) => {
                let a = self.fold(a);
                let ranges: Vec<_> = ranges.iter().map(|(low, high)| (self.fold(low), self.fold(high))).collect();
                let within = |a: i64, (low, high): &(Ex, Ex)| match (&low.op, &high.op) {
                    (Op::Const(low), Op::Const(high)) => Some((*low..=*high).contains(&a)),
                    _ => None,
                };
                let known = match a.op {
                    Op::Const(a) => ranges.iter().map(|range| within(a, range)).collect::<Option<Vec<_>>>(),
                    _ => None,
                };
                match known {
                    Some(known) => constant(i64::from(known.contains(&true))),
                    None => make(Op::In(Box::new(a), ranges)),
                }
            }
            Op::Draw(low, high) => make(Op::Draw(Box::new(self.fold(low)), Box::new(self.fold(high)))),
            Op::Prime(a) => match self.fold(a) {
                Ex { op: Op::Const(value), .. } => constant(i64::from(prime(value))),
                a => make(Op::Prime(Box::new(a))),
            },
            Op::Log2(a) => match self.fold(a) {
                Ex { op: Op::Const(value), .. } => constant(log2(value)),
                a => make(Op::Log2(Box::new(a))),
            },
            Op::Quantified { quantifier, slot, low, high, body } => make(Op::Quantified {
                quantifier: *quantifier,
                slot: *slot,
                low: Box::new(self.fold(low)),
                high: Box::new(self.fold(high)),
                body: Box::new(self.fold(body)),
            }),
            _ => ex.clone(),
        }
    }

    fn fold_two(&self, sign: &'static str, a: Ex, b: Ex, ex: &Ex) -> Ex {
        let constant = |value| Ex::new(Op::Const(value), ex.ty, ex.span.clone());
        match (sign, &a.op, &b.op) {
            // A division by 0 is kept, so that it is reported at its place.
            ("/" | "mod", Op::Const(_), Op::Const(0)) => {}
            (_, Op::Const(a), Op::Const(b)) => return constant(apply(sign, *a, *b)),
            ("and", Op::Const(0), _) | ("and", _, Op::Const(0)) => return constant(0),
            ("or", Op::Const(c), _) | ("or", _, Op::Const(c)) if *c != 0 => return constant(1),
            ("and", Op::Const(_), _) | ("or" | "+", Op::Const(0), _) => return b,
            ("and", _, Op::Const(_)) | ("or" | "+" | "-", _, Op::Const(0)) => return a,
            ("=>", Op::Const(0), _) => return constant(1),
            ("=>", Op::Const(_), _) => return b,
            _ => {}
        }
        Ex::new(Op::Two(sign, Box::new(a), Box::new(b)), ex.ty, ex.span.clone())
    }
}

/// Whether a bound of a domain or a condition divides by 0.
pub(crate) fn divides_by_nothing(ex: &Ex) -> bool {
    ex.contains(&|op| matches!(op, Op::Two("/" | "mod", _, b) if b.op == Op::Const(0)))
}

/// The type does not matter for constants.
pub(crate) fn constant(value: i64) -> Ex {
    Ex::new(Op::Const(value), Type::Number, 0..0)
}
