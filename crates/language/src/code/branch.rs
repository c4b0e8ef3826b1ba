//! Compiles conditions to jumps.

use crate::code::compile::{Compiled, Compiler};
use crate::code::{Comparison, Label, Op};
use crate::meaning::typed::{Agent, Ex, Op as Do};

/// The negation of a comparison.
fn opposite(sign: &'static str) -> &'static str {
    match sign {
        "=" => "!=",
        "!=" => "=",
        "<" => ">=",
        "<=" => ">",
        ">" => "<=",
        _ => "<",
    }
}

/// The comparison with its sides exchanged.
fn mirrored(sign: &'static str) -> &'static str {
    match sign {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        same => same,
    }
}

impl Compiler<'_> {
    /// Jumps to a label if a condition has the given value, and continues otherwise.
    pub(crate) fn branch(&mut self, ex: &Ex, when: bool, to: Label) -> Compiled<()> {
        match &ex.op {
            Do::Const(value) => {
                if (*value != 0) == when {
                    self.emit(Op::Jump(to));
                }
                Ok(())
            }
            Do::Not(inner) => self.branch(inner, !when, to),
            Do::Two("and", a, b) => self.both(a, b, true, when, to),
            Do::Two("or", a, b) => self.both(a, b, false, when, to),
            Do::Two("=>", a, b) => {
                let skip = self.label()?;
                self.scratch(|c| c.branch(a, false, if when { to } else { skip }))?;
                self.perhaps(|c| c.branch(b, when, to))?;
                self.here(skip);
                Ok(())
            }
            Do::Two(sign @ ("=" | "!=" | "<" | "<=" | ">" | ">="), a, b) => {
                self.compare(if when { sign } else { opposite(sign) }, a, b, to)
            }
            Do::Set(set) => match self.condition_of(*set)? {
                Some(body) => self.branch(&body, when, to),
                None => self.truth(ex, when, to),
            },
            Do::In(value, ranges) => self.member(value, ranges, when, to),
            Do::Var(Agent::At(index), slot) if *slot < 256 => self.cell(index, *slot as u8, 0, !when, to),
            _ => self.truth(ex, when, to),
        }
    }

    fn truth(&mut self, ex: &Ex, when: bool, to: Label) -> Compiled<()> {
        let value = self.value(ex)?;
        self.emit(if when { Op::NeC(value, 0, to) } else { Op::EqC(value, 0, to) });
        Ok(())
    }

    /// `a and b`, or `a or b`. The first operand decides if its value is `!and`.
    fn both(&mut self, a: &Ex, b: &Ex, and: bool, when: bool, to: Label) -> Compiled<()> {
        if when == and {
            let skip = self.label()?;
            self.scratch(|c| c.branch(a, !and, skip))?;
            self.perhaps(|c| c.branch(b, and, to))?;
            self.here(skip);
        } else {
            self.scratch(|c| c.branch(a, !and, to))?;
            // Only this path has evaluated both operands; the other path has evaluated the first.
            self.perhaps(|c| c.branch(b, !and, to))?;
        }
        Ok(())
    }

    fn compare(&mut self, sign: &'static str, a: &Ex, b: &Ex, to: Label) -> Compiled<()> {
        let (sign, a, b) = if a.small().is_some() { (mirrored(sign), b, a) } else { (sign, a, b) };
        if let (Do::Var(Agent::At(index), slot @ 0..256), "=" | "!=", Some(Ok(c))) =
            (&a.op, sign, b.small().map(i16::try_from))
        {
            return self.cell(index, *slot as u8, c, sign == "=", to);
        }
        let first = self.value(a)?;
        let constant = b.small().and_then(|c| match sign {
            "=" => Some(Op::EqC(first, c, to)),
            "!=" => Some(Op::NeC(first, c, to)),
            "<" => Some(Op::LtC(first, c, to)),
            "<=" => Some(Op::LtC(first, c.checked_add(1)?, to)),
            ">" => Some(Op::GtC(first, c, to)),
            _ => Some(Op::GtC(first, c.checked_sub(1)?, to)),
        });
        if let Some(op) = constant {
            self.emit(op);
            return Ok(());
        }
        let second = self.value(b)?;
        self.emit(match sign {
            "=" => Op::If(Comparison::Eq, first, second, to),
            "!=" => Op::If(Comparison::Ne, first, second, to),
            "<" => Op::If(Comparison::Lt, first, second, to),
            "<=" => Op::If(Comparison::Le, first, second, to),
            ">" => Op::If(Comparison::Lt, second, first, to),
            _ => Op::If(Comparison::Le, second, first, to),
        });
        Ok(())
    }

    /// Jumps if a variable of the agent at an index is equal to a constant, or if it is not.
    fn cell(&mut self, index: &Ex, field: u8, c: i16, equal: bool, to: Label) -> Compiled<()> {
        if let Some(place) = self.place(index) {
            self.emit(if equal { Op::CellAtEq(field, place, c, to) } else { Op::CellAtNe(field, place, c, to) });
            return Ok(());
        }
        let index = self.value(index)?;
        self.emit(if equal { Op::CellEq(field, index, c, to) } else { Op::CellNe(field, index, c, to) });
        Ok(())
    }

    fn member(&mut self, value: &Ex, ranges: &[[Ex; 2]], when: bool, to: Label) -> Compiled<()> {
        let value = self.value(value)?;
        let (yes, end) = (self.label()?, self.label()?);
        for [low, high] in ranges {
            let next = self.label()?;
            self.scratch(|c| {
                if let (Do::Const(low), Do::Const(high)) = (&low.op, &high.op)
                    && let (true, Ok(only)) = (low == high, i32::try_from(*low))
                {
                    c.emit(Op::EqC(value, only, yes));
                    return Ok(());
                }
                let low = c.value(low)?;
                c.emit(Op::If(Comparison::Lt, value, low, next));
                let high = c.value(high)?;
                c.emit(Op::If(Comparison::Le, value, high, yes));
                Ok(())
            })?;
            self.here(next);
        }
        self.emit(Op::Jump(if when { end } else { to }));
        self.here(yes);
        if when {
            self.emit(Op::Jump(to));
        }
        self.here(end);
        Ok(())
    }
}
