//! Compiles quantifiers: to a loop, or unrolled if there are few values.

use crate::code::compile::{Compiled, Compiler};
use crate::code::seen::{far, without};
use crate::code::{Arithmetic, Comparison, Label, Near, Op, Register, TooLarge};
use crate::meaning::typed::{Ex, INFINITY, Op as Do};
use crate::syntax::ast::Quantifier;
use std::ops::RangeInclusive;

/// A quantifier over at most this many values, multiplied with its outer quantifiers, is unrolled. Its indices are then
/// constants.
const MOST_UNROLLED: i64 = 40;

/// An expression with a value substituted for the bound variable of a quantifier.
pub(crate) fn with_bound(ex: &Ex, slot: usize, value: i64) -> Ex {
    ex.changed(&|ex| {
        if ex.op == Do::Bound(slot) {
            ex.op = Do::Const(value);
        }
    })
}

/// The operation of a quantifier over values.
fn extreme(quantifier: Quantifier) -> Option<Arithmetic> {
    match quantifier {
        Quantifier::Min => Some(Arithmetic::Min),
        Quantifier::Max => Some(Arithmetic::Max),
        _ => None,
    }
}

impl Compiler<'_> {
    pub(crate) fn quantified(&mut self, ex: &Ex, to: Register) -> Compiled<()> {
        let Do::Quantified { quantifier, slot, low, high, body } = &ex.op else { return Ok(()) };
        let result = self.register()?;
        if let (Do::Const(low), Do::Const(high)) = (&low.op, &high.op) {
            let times = high.saturating_sub(*low).saturating_add(1).max(1);
            if self.unrolled.saturating_mul(times) <= MOST_UNROLLED {
                self.unrolled *= times;
                self.written_out(*quantifier, *slot, *low..=*high, body, result)?;
                self.unrolled /= times;
                self.emit(Op::Copy(to, result));
                return Ok(());
            }
        }
        let everyone = (&low.op, &high.op) == (&Do::Const(0), &Do::Const(self.constants.size - 1));
        if let (Quantifier::Least, true, Some((near, from))) = (quantifier, everyone, far(body, *slot)) {
            return self.near(near, from, to);
        }
        self.looped(*quantifier, *slot, [low, high], body, result)?;
        self.emit(Op::Copy(to, result));
        Ok(())
    }

    /// The distance to the nearest match: one pass around the ring finds all distances.
    fn near(&mut self, near: Near, from: &Ex, to: Register) -> Compiled<()> {
        let nears = &mut self.code.nears;
        let known = nears.iter().position(|known| *known == near);
        let at = known.unwrap_or_else(|| {
            nears.push(near);
            nears.len() - 1
        });
        let at = u16::try_from(at).map_err(|_| TooLarge)?;
        let from = self.value(from)?;
        self.emit(Op::Near(to, at, from));
        Ok(())
    }

    fn looped(
        &mut self,
        quantifier: Quantifier,
        slot: usize,
        ends: [&Ex; 2],
        body: &Ex,
        result: Register,
    ) -> Compiled<()> {
        let (at, last) = (self.register()?, self.register()?);
        self.scratch(|c| c.into(ends[0], at))?;
        self.scratch(|c| c.into(ends[1], last))?;
        self.emit(Op::Cut(last, at));
        self.bound.push(at);
        let (top, next, end) = (self.label()?, self.label()?, self.label()?);
        self.begin(quantifier, result)?;
        self.emit(Op::If(Comparison::Lt, last, at, end));
        self.here(top);
        let extreme = extreme(quantifier);
        let (seek, rest) = if extreme.is_some() { (None, None) } else { without(quantifier, body, slot) };
        if let Some(test) = seek {
            self.code.tests.push(test);
            let test = u16::try_from(self.code.tests.len() - 1).map_err(|_| TooLarge)?;
            self.emit(Op::Seek(at, last, test, end));
        }
        if let Some(rest) = rest {
            self.perhaps(|c| c.branch(rest, quantifier == Quantifier::All, next))?;
        }
        if quantifier == Quantifier::Least {
            self.emit(Op::Copy(result, at));
        }
        match extreme {
            Some(what) => self.narrow(what, body, result)?,
            None => self.settle(quantifier, result, next, end),
        }
        self.here(next);
        self.emit(Op::Next(at, last, top));
        self.here(end);
        self.bound.pop();
        Ok(())
    }

    fn written_out(
        &mut self,
        quantifier: Quantifier,
        slot: usize,
        values: RangeInclusive<i64>,
        body: &Ex,
        result: Register,
    ) -> Compiled<()> {
        self.begin(quantifier, result)?;
        let end = self.label()?;
        // No code reads this register. It keeps the slots of inner quantifiers aligned.
        self.bound.push(result);
        for value in values {
            let (body, next) = (self.constants.fold(&with_bound(body, slot, value)), self.label()?);
            if let Some(what) = extreme(quantifier) {
                self.narrow(what, &body, result)?;
                continue;
            }
            self.perhaps(|c| c.branch(&body, quantifier == Quantifier::All, next))?;
            if quantifier == Quantifier::Least {
                self.constant(result, value)?;
            }
            self.settle(quantifier, result, next, end);
            self.here(next);
        }
        self.bound.pop();
        self.here(end);
        Ok(())
    }

    /// The result if no value of the body decides.
    fn begin(&mut self, quantifier: Quantifier, result: Register) -> Compiled<()> {
        let none = match quantifier {
            Quantifier::All => 1,
            Quantifier::Some | Quantifier::One | Quantifier::Count => 0,
            Quantifier::Least | Quantifier::Min => INFINITY,
            Quantifier::Max => -INFINITY,
        };
        self.constant(result, none)
    }

    /// The effect of one value on the least or the greatest so far.
    fn narrow(&mut self, what: Arithmetic, body: &Ex, result: Register) -> Compiled<()> {
        self.perhaps(|c| {
            let value = c.value(body)?;
            c.emit(Op::Two(what, result, result, value));
            Ok(())
        })
    }

    /// The effect of one value for which the body holds, or does not hold for `all`.
    fn settle(&mut self, quantifier: Quantifier, result: Register, next: Label, end: Label) {
        match quantifier {
            Quantifier::All => self.emit(Op::SetC(result, 0)),
            Quantifier::Some => self.emit(Op::SetC(result, 1)),
            Quantifier::Least | Quantifier::Min | Quantifier::Max => {}
            Quantifier::Count => return self.emit(Op::AddC(result, result, 1)),
            Quantifier::One => {
                // A second match decides.
                self.emit(Op::AddC(result, result, 1));
                self.emit(Op::LtC(result, 2, next));
                self.emit(Op::SetC(result, 0));
            }
        }
        self.emit(Op::Jump(end));
    }
}
