//! Finds numbers that can exceed the limit, and indices that can lie outside 0..n - 1.

use crate::diagnostic::Span;
use crate::domains::bounds::most_values;
use crate::domains::fold::Constants;
use crate::domains::infinite::{can_be_infinite, is_infinity};
use crate::domains::layout::Layout;
use crate::meaning::typed::{Agent, Ex, Group, Link, Op, Unit};
use crate::syntax::ast::Quantifier;

type Interval = (i128, i128);

/// A place and its error.
pub(crate) type Wrong = (Span, &'static str);

/// Larger numbers are refused, so that no computation overflows 64 bits.
const MOST: i128 = 1 << 60;

/// The messages for an index without an agent, and for an index that may have none.
const NOBODY: &str = "there is no such agent: indices are 0 to n - 1, and they go around on rings only";
const PERHAPS_NOBODY: &str = "this index may lie outside 0..n - 1, and indices go around on rings only; \
                              bound it, as in `all i in 0..n - 2 : x[i] = x[i + 1]`";

/// The message for a number that is too large.
pub(crate) const TOO_LARGE: &str = "this value can exceed 2^60, the largest number";

/// The interval of an index without further facts.
const ANYWHERE: Interval = (0, 1 << 40);

/// The intervals of values, where they are numbers, from their domains.
pub(crate) struct Sizes<'a> {
    pub(crate) constants: &'a Constants,
    /// The variables and the fields of messages; empty before they are laid out.
    pub(crate) layout: Option<&'a Layout>,
    pub(crate) messages: &'a [Layout],
    /// Whether indices go around the ring.
    pub(crate) around: bool,
}

impl Sizes<'_> {
    /// The first place where a protocol computes a number that is too large.
    pub(crate) fn of(&self, unit: &Unit) -> Result<(), Wrong> {
        self.each(unit.marks.iter().map(|(_, when)| when))?;
        self.each(unit.variables.iter().filter_map(|v| v.first.as_ref()))?;
        for given in unit.given.iter().flat_map(|given| given.ends.iter().chain(&given.when)) {
            // Evaluated for every agent.
            self.range(given, None, &mut vec![(0, i128::from(self.constants.size) - 1)])?;
        }
        self.each(unit.closed.iter().chain(&unit.invariants).map(|set| &set.holds))?;
        self.each(unit.correct.iter().chain(unit.safe.iter().map(|(_, safe)| safe)))?;
        self.each(unit.fast.iter().chain(&unit.cut_off))?;
        for ex in unit.groups.iter().flat_map(Group::expressions) {
            // The first bound variable is the port that the scheduler chooses.
            self.range(ex, None, &mut vec![(1, self.constants.max_degree().into())])?;
        }
        unit.handlers.iter().try_for_each(|handler| {
            let mut all = handler.when.iter().chain(handler.group.expressions());
            all.try_for_each(|ex| self.fits(ex, handler.message))
        })
    }

    fn each<'e>(&self, expressions: impl IntoIterator<Item = &'e Ex>) -> Result<(), Wrong> {
        expressions.into_iter().try_for_each(|ex| self.fits(ex, None))
    }

    /// Whether an expression stays small enough.
    pub(crate) fn fits(&self, ex: &Ex, message: Option<usize>) -> Result<(), Wrong> {
        self.range(ex, message, &mut vec![]).map(|_| ())
    }

    fn range(&self, ex: &Ex, message: Option<usize>, bound: &mut Vec<Interval>) -> Result<Interval, Wrong> {
        let bit = (0, 1);
        Ok(match &ex.op {
            Op::Const(_) if is_infinity(ex) => (0, 0),
            Op::Const(value) => (i128::from(*value), i128::from(*value)),
            Op::Parameter(at) => {
                let value = self.constants.parameters.get(*at).copied().unwrap_or(0).into();
                (value, value)
            }
            Op::Size => (self.constants.size.into(), self.constants.size.into()),
            Op::Process => (0, i128::from(self.constants.size) - 1),
            Op::MaxDegree => (self.constants.max_degree().into(), self.constants.max_degree().into()),
            Op::Var(agent, slot) => {
                if let Agent::At(index) = agent {
                    let (low, high) = self.range(index, message, bound)?;
                    let known = 0..self.constants.size.into();
                    if !(self.around || known.contains(&low) && known.contains(&high)) {
                        return Err((index.span.clone(), if low == high { NOBODY } else { PERHAPS_NOBODY }));
                    }
                }
                domain(self.layout, *slot)
            }
            Op::PerPort(slot, _) => domain(self.layout, *slot),
            Op::Field(at) => domain(message.and_then(|message| self.messages.get(message)), *at),
            Op::Identity => (1, i128::from(self.constants.size)),
            Op::Bound(at) => bound.get(*at).copied().unwrap_or(ANYWHERE),
            Op::Two(sign, x, y) => {
                let (a, b) = (self.range(x, message, bound)?, self.range(y, message, bound)?);
                // If one of the two is not a number, the result is the other.
                let either = matches!(*sign, "min" | "max") && (can_be_infinite(x) || can_be_infinite(y));
                if either {
                    return Ok((a.0.min(b.0), a.1.max(b.1)));
                }
                result(sign, a, b).ok_or_else(|| (ex.span.clone(), TOO_LARGE))?
            }
            Op::Quantified { quantifier, slot, low, high, body } => {
                let (from, to) = (self.range(low, message, bound)?, self.range(high, message, bound)?);
                bound.resize(*slot, ANYWHERE);
                // With an infinite end, the range goes once around the ring.
                let once = if can_be_infinite(high) { from.1 + i128::from(self.constants.size) } else { from.0 };
                let last = to.1.max(once);
                bound.push((from.0, last));
                let inside = self.range(body, message, bound)?;
                bound.truncate(*slot);
                match quantifier {
                    Quantifier::Min | Quantifier::Max => inside,
                    Quantifier::Least => (from.0, last),
                    Quantifier::Count => (0, most_values(self.constants.size).into()),
                    Quantifier::All | Quantifier::Some | Quantifier::One => bit,
                }
            }
            op => {
                let parts =
                    op.operands().map(|part| self.range(part, message, bound)).collect::<Result<Vec<_>, _>>()?;
                match (op, &parts[..]) {
                    (Op::If(..), [_, a, b]) => (a.0.min(b.0), a.1.max(b.1)),
                    (Op::Draw(..) | Op::Toss(..), [low, high]) => (low.0, high.1),
                    (Op::Log2(_), _) => (0, 64),
                    (Op::Link(Link::Degree, ..), _) => (0, self.constants.max_degree().into()),
                    (Op::Link(Link::Back, ..), _) => (-1, self.constants.max_degree().into()),
                    (Op::Link(Link::Neighbour, ..), _) => (0, i128::from(self.constants.size) - 1),
                    // The others are conditions, bits and ports.
                    _ => bit,
                }
            }
        })
    }
}

fn domain(layout: Option<&Layout>, slot: usize) -> Interval {
    let field = layout.and_then(|layout| layout.fields.get(slot));
    field.map_or((0, 1 << 32), |field| (field.low.into(), field.high.into()))
}

/// The range of an operator applied to two ranges; `None` if it can be too large.
fn result(sign: &str, a: Interval, b: Interval) -> Option<Interval> {
    let corners = |of: &dyn Fn(i128, i128) -> Option<i128>| {
        let all = [of(a.0, b.0)?, of(a.0, b.1)?, of(a.1, b.0)?, of(a.1, b.1)?];
        Some((all.into_iter().min()?, all.into_iter().max()?))
    };
    let range = match sign {
        "+" => (a.0 + b.0, a.1 + b.1),
        "-" => (a.0 - b.1, a.1 - b.0),
        "*" => corners(&|a, b| Some(a * b))?,
        "/" => (-a.0.abs().max(a.1.abs()), a.0.abs().max(a.1.abs())),
        "mod" => (0, b.1.max(0)),
        "^" => corners(&|a, b| a.checked_pow(u32::try_from(b.clamp(0, 200)).ok()?))?,
        "min" => (a.0.min(b.0), a.1.min(b.1)),
        "max" => (a.0.max(b.0), a.1.max(b.1)),
        _ => (0, 1),
    };
    (range.0 >= -MOST && range.1 <= MOST).then_some(range)
}
