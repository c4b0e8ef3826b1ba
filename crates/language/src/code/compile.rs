//! Compiles expressions to operations.

pub(crate) mod quantifiers;
pub(crate) mod rules;

use crate::code::{Arithmetic, Code, Label, Limit, Move, Op, Register, Slot, TooLarge};
use crate::domains::fold::{Constants, divides_by_nothing};
use crate::domains::layout::Layout;
use crate::meaning::typed::{Agent, Ex, Op as Do};

pub(crate) struct Compiler<'a> {
    pub(crate) constants: Constants,
    pub(crate) layout: &'a Layout,
    pub(crate) messages: &'a [Layout],
    /// Whether rules count the guards that hold where exactly one must hold.
    pub(crate) verify: bool,
    pub(crate) code: Code,
    /// The positions of the labels, once defined.
    labels: Vec<Label>,
    next: usize,
    /// The registers of the bound variables of quantifiers.
    pub(crate) bound: Vec<Register>,
    /// The number of copies of the code that is compiled now, because quantifiers are unrolled.
    pub(crate) unrolled: i64,
    roles: u8,
    /// The registers for new values that must not be visible yet.
    pub(crate) shadow: Vec<Shadow>,
    /// The registers with the membership in the first closed sets, where it has been computed.
    sets: Vec<Register>,
    /// The conditions of closed sets, to be expanded where a set is named.
    bodies: &'a [Ex],
    /// The draws that a step makes at most once.
    tosses: Vec<Tossed>,
    /// The results of quantifiers that have certainly been evaluated before, for reuse.
    known: Vec<(Ex, Register)>,
}

/// The register that holds the new value of a variable until all rules have been applied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shadow {
    pub(crate) role: u8,
    pub(crate) slot: usize,
    pub(crate) register: Register,
    /// The register that tells whether there is a new value, if the check needs it.
    pub(crate) written: Option<Register>,
}

/// The registers of a draw that a step makes at most once: its value, and whether it was made.
#[derive(Clone, Copy, Debug)]
struct Tossed {
    /// The place of the draw in the text.
    site: usize,
    value: Register,
    made: Register,
}

/// The limit on operations for expanded sets: each set can name the previous one twice, so the size can double.
const MOST_WRITTEN_OUT: usize = 4096;

pub(crate) type Compiled<T> = Result<T, TooLarge>;

impl<'a> Compiler<'a> {
    /// A compiler for code that reads the variables of `roles` agents, and a message with `message` fields.
    pub(crate) fn new(
        constants: &Constants,
        layout: &'a Layout,
        messages: &'a [Layout],
        roles: u8,
        message: usize,
    ) -> Compiled<Compiler<'a>> {
        let mut compiler = Compiler {
            constants: constants.clone(),
            layout,
            messages,
            verify: false,
            code: Code::default(),
            labels: vec![],
            next: 0,
            bound: vec![],
            unrolled: 1,
            roles,
            shadow: vec![],
            tosses: vec![],
            known: vec![],
            sets: vec![],
            bodies: &[],
        };
        for role in 0..roles {
            for slot in 0..layout.fields.len() {
                let register = compiler.register()?;
                compiler.code.slots.push(Slot { role, slot, register, read: false, written: false });
            }
        }
        compiler.code.message = compiler.reserve(message)?;
        compiler.code.given = compiler.reserve(2)?;
        Ok(compiler)
    }

    /// Code for an expression over a configuration, or over one agent, that returns its value.
    pub(crate) fn expression(
        constants: &Constants,
        layout: &Layout,
        roles: u8,
        bound: usize,
        ex: &Ex,
    ) -> Compiled<Code> {
        let mut compiler = Compiler::new(constants, layout, &[], roles, 0)?;
        for at in 0..bound {
            compiler.bound.push(compiler.code.given + at as u8);
        }
        compiler.condition(&constants.fold(ex))
    }

    /// Code for a condition on configurations that names closed sets. The sets are expanded, so that evaluation stops
    /// as
    /// soon as the result is known.
    pub(crate) fn written_out_sets(mut self, bodies: &'a [Ex], ex: &Ex) -> Compiled<Code> {
        self.bodies = bodies;
        let ex = self.constants.fold(ex);
        self.condition(&ex)
    }

    /// The condition of a closed set, if it can be expanded here.
    pub(crate) fn condition_of(&self, set: usize) -> Compiled<Option<Ex>> {
        // Inside a quantifier it would be evaluated once for each value.
        let body = self.bodies.get(set).filter(|_| set >= self.sets.len() && self.bound.is_empty());
        if body.is_some() && self.code.ops.len() > MOST_WRITTEN_OUT {
            return Err(TooLarge);
        }
        Ok(body.map(|body| self.constants.fold(body)))
    }

    /// Code that returns which of these conditions hold, bit i for the i-th condition. The closed sets come first.
    pub(crate) fn verdict(mut self, conditions: &[Ex], sets: usize) -> Compiled<Code> {
        let all = self.register()?;
        self.emit(Op::SetC(all, 0));
        for (at, condition) in conditions.iter().enumerate() {
            let register = self.value(&self.constants.fold(condition))?;
            if at < sets {
                self.sets.push(register);
            }
            let next = self.label()?;
            self.emit(Op::EqC(register, 0, next));
            self.emit(Op::AddC(all, all, 1 << at));
            self.here(next);
        }
        self.emit(Op::Return(all));
        self.finish()
    }

    /// Code that returns whether a condition holds.
    pub(crate) fn condition(mut self, ex: &Ex) -> Compiled<Code> {
        let result = self.value(ex)?;
        self.emit(Op::Return(result));
        self.finish()
    }

    pub(crate) fn register(&mut self) -> Compiled<Register> {
        let register = u8::try_from(self.next).map_err(|_| TooLarge)?;
        self.next += 1;
        self.code.registers = self.code.registers.max(self.next);
        Ok(register)
    }

    pub(crate) fn reserve(&mut self, count: usize) -> Compiled<Register> {
        let first = u8::try_from(self.next).map_err(|_| TooLarge)?;
        for _ in 0..count {
            self.register()?;
        }
        Ok(first)
    }

    /// Runs a function, and then frees the registers that it allocated.
    pub(crate) fn scratch<T>(&mut self, run: impl FnOnce(&mut Self) -> Compiled<T>) -> Compiled<T> {
        let before = self.next;
        let result = run(self);
        let kept = self.known.iter().map(|(_, register)| *register as usize + 1).max();
        self.next = before.max(kept.unwrap_or(0));
        result
    }

    /// Compiles code that may be skipped at run time: results computed inside are discarded afterwards.
    pub(crate) fn perhaps<T>(&mut self, run: impl FnOnce(&mut Self) -> Compiled<T>) -> Compiled<T> {
        let known = self.known.len();
        self.scratch(|c| {
            let result = run(c);
            c.known.truncate(known);
            result
        })
    }

    /// Discards the results of quantifiers that were evaluated before.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }

    pub(crate) fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
    }

    pub(crate) fn label(&mut self) -> Compiled<Label> {
        self.labels.push(0);
        Label::try_from(self.labels.len() - 1).map_err(|_| TooLarge)
    }

    pub(crate) fn here(&mut self, label: Label) {
        // The final step refuses code with too many operations.
        self.labels[label as usize] = self.code.ops.len().min(Label::MAX as usize) as Label;
    }

    pub(crate) fn limit(&mut self, limit: Limit) -> Compiled<u16> {
        self.code.limits.push(limit);
        u16::try_from(self.code.limits.len() - 1).map_err(|_| TooLarge)
    }

    /// The code with its jump targets resolved.
    pub(crate) fn finish(mut self) -> Compiled<Code> {
        if self.code.ops.len() >= Label::MAX as usize {
            return Err(TooLarge);
        }
        for op in &mut self.code.ops {
            match op {
                Op::Jump(to) | Op::Next(.., to) | Op::Seek(.., to) | Op::If(.., to) => *to = self.labels[*to as usize],
                Op::EqC(.., to) | Op::NeC(.., to) | Op::LtC(.., to) | Op::GtC(.., to) => {
                    *to = self.labels[*to as usize];
                }
                Op::CellEq(.., to) | Op::CellNe(.., to) | Op::CellAtEq(.., to) | Op::CellAtNe(.., to) => {
                    *to = self.labels[*to as usize];
                }
                _ => {}
            }
        }
        let layout = self.layout;
        let unpack = |slot: &Slot| {
            let field = layout.fields[slot.slot];
            let (role, shift) = (slot.role, field.shift as u8);
            Move { register: slot.register, role, shift, mask: field.mask, low: field.low }
        };
        self.code.loads = self.code.slots.iter().filter(|slot| slot.read || slot.written).map(unpack).collect();
        self.code.stores = self.code.slots.iter().filter(|slot| slot.written).map(unpack).collect();
        Ok(self.code)
    }

    /// The position of the agent at a constant index.
    pub(crate) fn place(&self, index: &Ex) -> Option<u8> {
        match index.op {
            Do::Const(index) => u8::try_from(index.checked_rem_euclid(self.constants.size)?).ok(),
            _ => None,
        }
    }

    pub(crate) fn constant(&mut self, to: Register, value: i64) -> Compiled<()> {
        let op = match i32::try_from(value) {
            Ok(value) => Op::SetC(to, value),
            Err(_) => {
                self.code.constants.push(value);
                Op::Big(to, u16::try_from(self.code.constants.len() - 1).map_err(|_| TooLarge)?)
            }
        };
        self.emit(op);
        Ok(())
    }

    /// The register of a variable of an agent that takes part in the step.
    pub(crate) fn variable(&mut self, role: u8, slot: usize, write: bool) -> Register {
        let at = role as usize * self.layout.fields.len() + slot;
        let found = &mut self.code.slots[at];
        found.read |= !write;
        found.written |= write;
        found.register
    }

    /// The value of an expression, in any register, possibly the register of a variable.
    pub(crate) fn value(&mut self, ex: &Ex) -> Compiled<Register> {
        match &ex.op {
            Do::Var(Agent::Role(role), slot) if *role < self.roles => Ok(self.variable(*role, *slot, false)),
            Do::Bound(slot) => self.bound.get(*slot).copied().ok_or(TooLarge),
            Do::Field(field) => Ok(self.code.message + *field as u8),
            Do::Hears(role) => Ok(self.code.given + role),
            Do::Identity | Do::Bottom | Do::Process => Ok(self.code.given),
            Do::Top => Ok(self.code.given + 1),
            Do::Set(set) if *set < self.sets.len() => Ok(self.sets[*set]),
            Do::Toss(low, high, site) => self.toss(low, high, *site, ex),
            Do::Quantified { .. } if ex.contains(&|op| matches!(op, Do::Draw(..))) => {
                let to = self.register()?;
                self.scratch(|c| c.quantified(ex, to))?;
                Ok(to)
            }
            Do::Quantified { .. } => {
                let ex = ex.anywhere();
                if let Some((_, register)) = self.known.iter().find(|(known, _)| *known == ex) {
                    return Ok(*register);
                }
                let to = self.register()?;
                self.scratch(|c| c.quantified(&ex, to))?;
                self.known.push((ex, to));
                Ok(to)
            }
            _ => {
                let to = self.register()?;
                self.scratch(|c| c.into(ex, to))?;
                Ok(to)
            }
        }
    }

    /// The value of an expression, in this register.
    pub(crate) fn into(&mut self, ex: &Ex, to: Register) -> Compiled<()> {
        match &ex.op {
            Do::Const(value) => self.constant(to, *value),
            Do::Two("+" | "-" | "*" | "/" | "mod" | "^" | "min" | "max", ..) => self.arithmetic(ex, to),
            Do::If(condition, yes, no) => {
                let (other, end) = (self.label()?, self.label()?);
                self.scratch(|c| c.branch(condition, false, other))?;
                self.perhaps(|c| c.into(yes, to))?;
                self.emit(Op::Jump(end));
                self.here(other);
                self.perhaps(|c| c.into(no, to))?;
                self.here(end);
                Ok(())
            }
            Do::Var(Agent::At(index), slot) => {
                if let Some(index) = self.place(index) {
                    self.emit(Op::CellAt(to, *slot as u16, index));
                    return Ok(());
                }
                let index = self.value(index)?;
                self.emit(Op::Cell(to, *slot as u16, index));
                Ok(())
            }
            Do::Draw(low, high) => self.draw(low, high, to, ex),
            Do::Link(what, process, port) => {
                let (process, port) = (self.value(process)?, self.value(port)?);
                self.emit(Op::Link(*what, to, process, port));
                Ok(())
            }
            Do::Prime(a) | Do::Log2(a) => {
                let a = self.value(a)?;
                self.emit(if matches!(ex.op, Do::Prime(_)) { Op::Prime(to, a) } else { Op::Log2(to, a) });
                Ok(())
            }
            Do::Set(set) if *set >= self.sets.len() => {
                if let Some(body) = self.condition_of(*set)? {
                    return self.into(&body, to);
                }
                self.emit(Op::Set(to, *set as u16));
                Ok(())
            }
            Do::Not(_) | Do::In(..) | Do::Two(..) => {
                let (no, end) = (self.label()?, self.label()?);
                self.branch(ex, false, no)?;
                self.emit(Op::SetC(to, 1));
                self.emit(Op::Jump(end));
                self.here(no);
                self.emit(Op::SetC(to, 0));
                self.here(end);
                Ok(())
            }
            _ => {
                let from = self.value(ex)?;
                self.emit(Op::Copy(to, from));
                Ok(())
            }
        }
    }

    fn arithmetic(&mut self, ex: &Ex, to: Register) -> Compiled<()> {
        let Do::Two(sign, a, b) = &ex.op else { return Ok(()) };
        let first = self.value(a)?;
        match (*sign, b.small()) {
            ("+", Some(c)) => self.emit(Op::AddC(to, first, c)),
            ("-", Some(c)) if c > i32::MIN => self.emit(Op::AddC(to, first, -c)),
            ("mod", Some(c)) if c > 0 => self.emit(Op::ModC(to, first, c)),
            _ => {
                let second = self.value(b)?;
                if matches!(*sign, "/" | "mod") && (divides_by_nothing(ex) || !matches!(b.op, Do::Const(_))) {
                    let limit =
                        Limit { low: 1, high: i64::MAX, span: b.span.clone(), what: "a divisor".into(), field: None };
                    let limit = self.limit(limit)?;
                    self.emit(Op::Check(second, limit));
                }
                let what = match *sign {
                    "+" => Arithmetic::Add,
                    "-" => Arithmetic::Sub,
                    "*" => Arithmetic::Mul,
                    "/" => Arithmetic::Div,
                    "mod" => Arithmetic::Mod,
                    "^" => Arithmetic::Pow,
                    "min" => Arithmetic::Min,
                    _ => Arithmetic::Max,
                };
                self.emit(Op::Two(what, to, first, second));
            }
        }
        Ok(())
    }

    /// Reserves registers for the tosses of an expression.
    pub(crate) fn reserve_tosses(&mut self, ex: &Ex) -> Compiled<()> {
        if let Do::Toss(_, _, site) = ex.op
            && self.tosses.iter().all(|toss| toss.site != site)
        {
            let (value, made) = (self.register()?, self.register()?);
            self.emit(Op::SetC(made, 0));
            self.tosses.push(Tossed { site, value, made });
        }
        ex.op.operands().try_for_each(|operand| self.reserve_tosses(operand))
    }

    /// Draws when a step first needs the value, so that a choice of the scheduler before it cannot depend on it.
    fn toss(&mut self, low: &Ex, high: &Ex, site: usize, ex: &Ex) -> Compiled<Register> {
        let Tossed { value, made, .. } = self.tosses.iter().find(|toss| toss.site == site).copied().ok_or(TooLarge)?;
        let skip = self.label()?;
        self.emit(Op::NeC(made, 0, skip));
        self.scratch(|c| c.draw(low, high, value, ex))?;
        self.emit(Op::SetC(made, 1));
        self.here(skip);
        Ok(value)
    }

    fn draw(&mut self, low: &Ex, high: &Ex, to: Register, ex: &Ex) -> Compiled<()> {
        let (low, high) = (self.value(low)?, self.value(high)?);
        let width = self.register()?;
        self.emit(Op::Two(Arithmetic::Sub, width, high, low));
        let what = "the last value to draw, minus the first one,".into();
        let limit = self.limit(Limit { low: 0, high: 1 << 30, span: ex.span.clone(), what, field: None })?;
        self.emit(Op::Check(width, limit));
        self.emit(Op::Draw(to, low, high));
        Ok(())
    }
}
