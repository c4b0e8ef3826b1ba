//! Finds uses of `infinity` as a number. It is larger than every number and is not a number.
//!
//! A number may be added to it or subtracted from it, and it may be subtracted from a number. The result lies above or
//! below all numbers, and can be compared with numbers. It cannot be compared with another value beyond all numbers on
//! the
//! same side: their order is undefined. It cannot be multiplied, divided, begin a range, or be an index.

use crate::diagnostic::{Diagnostic, Span};
use crate::meaning::typed::{Agent, Ex, Group, INFINITY, Op, Unit};
use crate::syntax::ast::Quantifier;

/// The expressions known to be finite at a place; equal expressions elsewhere are finite too.
type Known = Vec<Ex>;

/// The first misuse of `infinity` in each expression of a protocol.
pub(crate) fn misused(unit: &Unit) -> Vec<Diagnostic> {
    let sets: Vec<&Ex> = unit.closed.iter().map(|set| &set.holds).collect();
    let safe = unit.safe.iter().map(|(_, safe)| safe);
    let others = unit.correct.iter().chain(safe).chain(&unit.fast).chain(unit.invariants.iter().map(|i| &i.holds));
    let shown = unit.marks.iter().map(|(_, when)| when).chain(&unit.cut_off);
    let handled = unit.handlers.iter().map(|handler| &handler.group);
    let written = unit.groups.iter().chain(handled).flat_map(Group::expressions);
    let all = sets.iter().copied().chain(others).chain(shown).chain(written);
    all.filter_map(|ex| misuse(ex, &sets)).collect()
}

/// The first misuse of `infinity` in a condition, which may name closed sets.
pub(crate) fn misuse(ex: &Ex, sets: &[&Ex]) -> Option<Diagnostic> {
    let (span, what) = Facts { sets }.search(ex, &vec![]).err()?;
    let help = "test `d < infinity and ..` first, or `some i : P` for the condition P of `least`";
    Some(Diagnostic::error(span, format!("{what} can be infinity")).help(help))
}

/// The sides of all numbers on which a value may lie.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Beyond {
    /// The value may be `infinity`.
    exactly: bool,
    /// The value may be `infinity` plus or minus a number.
    above: bool,
    /// The value may be a number minus `infinity`.
    below: bool,
}

const NUMBER: Beyond = Beyond { exactly: false, above: false, below: false };

impl Beyond {
    fn or(self, other: Beyond) -> Beyond {
        Beyond {
            exactly: self.exactly || other.exactly,
            above: self.above || other.above,
            below: self.below || other.below,
        }
    }

    fn large(self) -> bool {
        self.exactly || self.above
    }

    fn min(self, other: Beyond) -> Beyond {
        let both = self.large() && other.large();
        let either = self.or(other);
        Beyond { exactly: both && either.exactly, above: both && either.above, below: either.below }
    }

    fn max(self, other: Beyond) -> Beyond {
        Beyond { below: self.below && other.below, ..self.or(other) }
    }

    /// The sides after a number is added or subtracted.
    fn moved(self) -> Beyond {
        Beyond { exactly: false, above: self.large(), below: self.below }
    }

    /// The sides after the value is subtracted from a number.
    fn mirrored(self) -> Beyond {
        Beyond { exactly: false, above: self.below, below: self.large() }
    }

    /// Whether the order of two values may be undefined.
    fn is_lost_beside(self, other: Beyond) -> bool {
        let counted = self.above || other.above;
        self.below && other.below || self.large() && other.large() && counted
    }
}

struct Facts<'a> {
    sets: &'a [&'a Ex],
}

impl Facts<'_> {
    fn search(&self, ex: &Ex, known: &Known) -> Result<(), (Span, &'static str)> {
        // A named expression is defined elsewhere; the error is its use here.
        let refuse = |wrong: bool, what| if wrong { Err((ex.span.clone(), what)) } else { Ok(()) };
        let finite = |a: &Ex, what| refuse(!self.is_finite(a, known), what);
        let compared = |a: &Ex, b: &Ex| {
            refuse(
                self.beyond(a, known).is_lost_beside(self.beyond(b, known)),
                "both this result of arithmetic and the value compared with it",
            )
        };
        match &ex.op {
            Op::Var(Agent::At(index), _) => {
                finite(index, "this index")?;
                self.search(index, known)
            }
            Op::Two(sign @ ("and" | "=>" | "or"), a, b) => {
                self.search(a, known)?;
                self.search(b, &self.after(a, *sign != "or", known))
            }
            Op::Two(sign, a, b) => {
                self.search(a, known)?;
                self.search(b, known)?;
                match *sign {
                    "mod" | "/" => finite(a, "the dividend here").and(finite(b, "the divisor here")),
                    "*" | "^" => finite(a, "the left operand").and(finite(b, "the right operand")),
                    "+" | "-" => {
                        refuse(!self.is_finite(a, known) && !self.is_finite(b, known), "each of the two operands")
                    }
                    "min" | "max" => Ok(()),
                    _ => compared(a, b),
                }
            }
            Op::If(condition, a, b) => {
                self.search(condition, known)?;
                self.search(a, &self.after(condition, true, known))?;
                self.search(b, &self.after(condition, false, known))
            }
            Op::Not(a) => self.search(a, known),
            Op::Prime(a) | Op::Log2(a) => {
                finite(a, "the argument here")?;
                self.search(a, known)
            }
            Op::In(a, ranges) => {
                self.search(a, known)?;
                ranges.as_flattened().iter().try_for_each(|end| {
                    self.search(end, known)?;
                    compared(a, end)
                })
            }
            Op::Draw(low, high) | Op::Toss(low, high, _) => {
                [low, high].iter().try_for_each(|a| finite(a, "this bound of `draw`"))
            }
            Op::Quantified { low, high, body, .. } => {
                finite(low, "the beginning of this range")?;
                [low, high, body].iter().try_for_each(|a| self.search(a, known))
            }
            _ => Ok(()),
        }
    }

    /// The facts that follow if a condition holds, or does not hold.
    fn after(&self, ex: &Ex, holds: bool, known: &Known) -> Known {
        let mut more = known.clone();
        self.learn(ex, holds, &mut more);
        more
    }

    fn learn(&self, ex: &Ex, holds: bool, known: &mut Known) {
        // A value that may lie below all numbers can be less than a number and still not be a number.
        let bounded = |a: &Ex, b: &Ex, known: &Known| {
            (is_infinity(b) || self.is_finite(b, known)) && !self.beyond(a, known).below
        };
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
            // `a < b` shows that `a` is finite. `a <= b` and `a = b` show it if `b` is finite.
            (Op::Two("<", a, b) | Op::Two(">", b, a), true) | (Op::Two(">=", a, b) | Op::Two("<=", b, a), false)
                if bounded(a, b, known) =>
            {
                self.know(a, known);
            }
            (Op::Two("<=", a, b) | Op::Two(">=", b, a), true) | (Op::Two(">", a, b) | Op::Two("<", b, a), false)
                if self.is_finite(b, known) && bounded(a, b, known) =>
            {
                self.know(a, known);
            }
            (Op::Two("=", a, b), true) | (Op::Two("!=", a, b), false) => {
                match (self.is_finite(a, known), self.is_finite(b, known)) {
                    (false, true) => self.know(a, known),
                    (true, false) => self.know(b, known),
                    _ => {}
                }
            }
            (Op::Two("!=", a, b), true) | (Op::Two("=", a, b), false) => match (is_infinity(a), is_infinity(b)) {
                (false, true) => self.know(a, known),
                (true, false) => self.know(b, known),
                _ => {}
            },
            (Op::In(a, ranges), true) if ranges.as_flattened().iter().all(|end| self.is_finite(end, known)) => {
                self.know(a, known);
            }
            (Op::Set(set), true) => self.sets.get(*set).into_iter().for_each(|body| self.learn(body, true, known)),
            // If some value satisfies the condition, there is a least one.
            (Op::Quantified { quantifier: Quantifier::Some | Quantifier::One, .. }, true) => {
                let mut first = ex.anywhere();
                if let Op::Quantified { quantifier, .. } = &mut first.op {
                    *quantifier = Quantifier::Least;
                }
                known.push(first);
            }
            _ => {}
        }
    }

    /// Records that an expression is a number, and so are its operands in sums with numbers.
    fn know(&self, ex: &Ex, known: &mut Known) {
        if let Op::Two("+" | "-", a, b) = &ex.op {
            match (self.is_finite(a, known), self.is_finite(b, known)) {
                (false, true) => self.know(a, known),
                (true, false) => self.know(b, known),
                _ => {}
            }
        }
        known.push(ex.anywhere());
    }

    /// Whether an expression is certainly a number.
    fn is_finite(&self, ex: &Ex, known: &Known) -> bool {
        self.beyond(ex, known) == NUMBER
    }

    /// The sides on which the value of an expression may lie.
    fn beyond(&self, ex: &Ex, known: &Known) -> Beyond {
        let two = |a: &Ex, b: &Ex| (self.beyond(a, known), self.beyond(b, known));
        let found = match &ex.op {
            Op::Const(_) => Beyond { exactly: is_infinity(ex), ..NUMBER },
            Op::Quantified { quantifier: Quantifier::Least, .. } => Beyond { exactly: true, ..NUMBER },
            Op::Quantified { quantifier: Quantifier::Min | Quantifier::Max, body, .. } => self.beyond(body, known),
            Op::Two(sign @ ("min" | "max" | "+" | "-" | "*" | "/" | "mod" | "^"), a, b) => match (*sign, two(a, b)) {
                ("min", (a, b)) => a.min(b),
                ("max", (a, b)) => a.max(b),
                (_, (NUMBER, NUMBER)) => NUMBER,
                ("-", (NUMBER, b)) => b.mirrored(),
                (_, (a, b)) => a.or(b).moved(),
            },
            // A condition that contains `if` is not analysed: the work would double with each `if`.
            Op::If(condition, a, b) if !condition.contains(&|op| matches!(op, Op::If(..))) => {
                let then = self.beyond(a, &self.after(condition, true, known));
                then.or(self.beyond(b, &self.after(condition, false, known)))
            }
            Op::If(_, a, b) => self.beyond(a, known).or(self.beyond(b, known)),
            _ => NUMBER,
        };
        if found == NUMBER || holds(ex, known) { NUMBER } else { found }
    }
}

/// Whether an expression can be infinite, judged without its context.
pub(crate) fn can_be_infinite(ex: &Ex) -> bool {
    !Facts { sets: &[] }.is_finite(ex, &vec![])
}

pub(crate) fn is_infinity(ex: &Ex) -> bool {
    matches!(ex.op, Op::Const(value) if value >= INFINITY)
}

fn holds(ex: &Ex, known: &Known) -> bool {
    let ex = ex.anywhere();
    known.iter().any(|known| known.op == ex.op)
}
