//! Specialises rules for the values of their small variables.
//!
//! Guards mostly test bits and words, which have few combinations. For each combination, the compiled code is evaluated
//! symbolically with these values. Only the parts that depend on other variables or on coins become steps.

use crate::code::residual::{Address, Case, Ending, NOTHING, REGISTERS, Residual, Selector, Step, Temporary};
use crate::code::{Arithmetic, Code, Comparison, Move, Op, Register};
use crate::domains::fold::{log2, prime};

/// The maximum number of bits, of variables and other inputs, that select a case.
const MOST_BITS: u32 = 12;
/// The maximum number of steps in total.
const MOST_STEPS: usize = 1 << 17;
/// The maximum number of nested undecided conditions: each is one level of recursion.
const MOST_FORKS: usize = 200;

/// The knowledge about a value on the current path.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Abstract {
    Known(i64),
    /// The initial value of a variable, by its position among the loads.
    Was(u16),
    In(Temporary),
}

impl Residual {
    /// Specialises code for every combination of its small variables; `None` if that exceeds the limits.
    pub(crate) fn new(code: &Code) -> Option<Residual> {
        let loads = code.loads.clone();
        let width = |at: &usize| loads[*at].mask.count_ones();
        let mut order: Vec<usize> = (0..loads.len()).collect();
        order.sort_by_key(width);
        let mut bits = 0;
        // The first variables that fit into the limit.
        order.retain(|at| {
            bits += width(at);
            bits <= MOST_BITS
        });
        order.sort_by_key(|at| (loads[*at].role, loads[*at].shift));
        let (parts, below) = Selector::of(order.iter().map(|at| loads[*at]));
        let given = code.ops.iter().any(|op| reads(op).iter().any(|r| (code.given..=code.given + 1).contains(r)));
        let given = given.then_some(below);
        let count = 1usize << (below + if given.is_some() { 2 } else { 0 });
        let mut residual = Residual { parts, given, cases: vec![], steps: vec![], ends: vec![], loads };
        for index in 0..count {
            let case = residual.case(code, &order, index)?;
            residual.cases.push(case);
        }
        Some(residual)
    }

    fn case(&mut self, code: &Code, known: &[usize], index: usize) -> Option<Case> {
        let mut values = vec![Abstract::Known(0); code.registers.max(code.given as usize + 2)];
        for (at, m) in self.loads.iter().enumerate() {
            values[m.register as usize] = Abstract::Was(at as u16);
        }
        let mut below = 0;
        for &at in known {
            let Move { register, mask, low, .. } = self.loads[at];
            values[register as usize] = Abstract::Known((index as u64 >> below & mask) as i64 + low);
            below += mask.count_ones();
        }
        if let Some(below) = self.given {
            for bit in 0..2 {
                values[code.given as usize + bit] = Abstract::Known((index >> (below + bit as u32) & 1) as i64);
            }
        }
        let first = self.steps.len();
        Path { code, left: self, forks: 0 }.follow(0, values, 0)?;
        if let [Step::End(end)] = self.steps[first..]
            && self.ends[end as usize].stores.is_empty()
        {
            let Ending { keep, set, .. } = self.ends.pop()?;
            self.steps.truncate(first);
            return Some(Case { keep, set, first: NOTHING });
        }
        Some(Case { keep: [0; 2], set: [0; 2], first: first as Address })
    }
}

/// The registers that an operation reads.
fn reads(op: &Op) -> Vec<Register> {
    match *op {
        Op::Copy(_, a) | Op::AddC(_, a, _) | Op::ModC(_, a, _) | Op::Prime(_, a) | Op::Log2(_, a) => vec![a],
        Op::Two(_, _, a, b) | Op::Draw(_, a, b) | Op::If(_, a, b, _) => vec![a, b],
        Op::EqC(a, ..) | Op::NeC(a, ..) | Op::LtC(a, ..) | Op::GtC(a, ..) => vec![a],
        Op::Choose(_, a) | Op::Check(a, _) => vec![a],
        _ => vec![],
    }
}

/// One path through the code.
struct Path<'a> {
    code: &'a Code,
    left: &'a mut Residual,
    /// The number of undecided conditions on the path so far.
    forks: usize,
}

impl Path<'_> {
    /// Evaluates the code from here; values use registers from `next` on.
    fn follow(&mut self, mut at: usize, mut values: Vec<Abstract>, mut next: Temporary) -> Option<()> {
        let known = |c: i32| Abstract::Known(c.into());
        while let Some(op) = self.code.ops.get(at) {
            at += 1;
            let of = |r: Register| values[r as usize];
            let (d, value) = match *op {
                Op::SetC(d, c) => (d, known(c)),
                Op::Big(d, c) => (d, Abstract::Known(self.code.constants[c as usize])),
                Op::Copy(d, a) => (d, of(a)),
                // No observer is attached, and a built rule writes only values of its domains.
                Op::Fired(_) | Op::Check(..) | Op::Exactly(_) => continue,
                Op::Jump(to) => {
                    at = to as usize;
                    continue;
                }
                Op::Prime(d, a) | Op::Log2(d, a) => {
                    let is_prime = matches!(op, Op::Prime(..));
                    let value = match of(a) {
                        Abstract::Known(a) if is_prime => Abstract::Known(prime(a).into()),
                        Abstract::Known(a) => Abstract::Known(log2(a)),
                        a => {
                            let a = self.register(a, &mut next)?;
                            let step = if is_prime { Step::Prime } else { Step::Log2 };
                            Abstract::In(self.compute(&mut next, |d| step(d, a))?)
                        }
                    };
                    (d, value)
                }
                Op::Draw(d, low, high) => {
                    let (low, high) = (self.register(of(low), &mut next)?, self.register(of(high), &mut next)?);
                    (d, Abstract::In(self.compute(&mut next, |to| Step::Draw(to, low, high))?))
                }
                Op::Choose(d, among) => {
                    let among = self.register(of(among), &mut next)?;
                    (d, Abstract::In(self.compute(&mut next, |to| Step::Choose(to, among))?))
                }
                Op::Two(what, d, a, b) => (d, self.arithmetic(what, of(a), of(b), &mut next)?),
                Op::AddC(d, a, c) => (d, self.arithmetic(Arithmetic::Add, of(a), known(c), &mut next)?),
                Op::ModC(d, a, c) => (d, self.arithmetic(Arithmetic::Mod, of(a), known(c), &mut next)?),
                _ => {
                    let (test, a, b, to) = condition(op, &values)?;
                    match (a, b) {
                        (Abstract::Known(a), Abstract::Known(b)) if test.holds(a, b) => at = to,
                        (Abstract::Known(_), Abstract::Known(_)) => {}
                        _ => return self.fork(test, [a, b], [at, to], values, next),
                    }
                    continue;
                }
            };
            values[d as usize] = value;
        }
        self.end(&values, next)
    }

    /// Both paths from an undecided condition.
    fn fork(
        &mut self,
        test: Comparison,
        [a, b]: [Abstract; 2],
        [no, yes]: [usize; 2],
        values: Vec<Abstract>,
        mut next: Temporary,
    ) -> Option<()> {
        if self.forks == MOST_FORKS {
            return None;
        }
        let step = match (test, a, b) {
            (Comparison::Eq | Comparison::Ne, Abstract::Known(c), x)
            | (Comparison::Eq | Comparison::Ne, x, Abstract::Known(c)) => {
                let (x, c) = (self.register(x, &mut next)?, i32::try_from(c).ok()?);
                if test == Comparison::Eq { Step::EqC(x, c, 0) } else { Step::NeC(x, c, 0) }
            }
            (_, x, Abstract::Known(c)) => {
                let c = if test == Comparison::Le { c.checked_add(1)? } else { c };
                Step::LtC(self.register(x, &mut next)?, i32::try_from(c).ok()?, 0)
            }
            (_, Abstract::Known(c), x) => {
                let c = if test == Comparison::Le { c.checked_sub(1)? } else { c };
                Step::GtC(self.register(x, &mut next)?, i32::try_from(c).ok()?, 0)
            }
            (_, a, b) => Step::If(test, self.register(a, &mut next)?, self.register(b, &mut next)?, 0),
        };
        let branch = self.left.steps.len();
        self.emit(step)?;
        self.forks += 1;
        self.follow(no, values.clone(), next)?;
        let there = Address::try_from(self.left.steps.len()).ok()?;
        if let Step::EqC(.., to) | Step::NeC(.., to) | Step::LtC(.., to) | Step::GtC(.., to) | Step::If(.., to) =
            &mut self.left.steps[branch]
        {
            *to = there;
        }
        self.follow(yes, values, next)?;
        self.forks -= 1;
        Some(())
    }

    fn emit(&mut self, step: Step) -> Option<()> {
        self.left.steps.push(step);
        (self.left.steps.len() <= MOST_STEPS).then_some(())
    }

    /// Adds a step whose result goes to a new register.
    fn compute(&mut self, next: &mut Temporary, step: impl FnOnce(Temporary) -> Step) -> Option<Temporary> {
        let to = fresh(next)?;
        self.emit(step(to))?;
        Some(to)
    }

    /// Puts a value into a register.
    fn register(&mut self, value: Abstract, next: &mut Temporary) -> Option<Temporary> {
        match value {
            Abstract::In(register) => Some(register),
            Abstract::Was(load) => self.compute(next, |to| Step::Load(to, load)),
            Abstract::Known(value) => {
                let value = i32::try_from(value).ok()?;
                self.compute(next, |to| Step::Set(to, value))
            }
        }
    }

    fn arithmetic(&mut self, what: Arithmetic, a: Abstract, b: Abstract, next: &mut Temporary) -> Option<Abstract> {
        use Arithmetic::{Add, Max, Min, Mod, Sub};
        let (a, b) = match (what, a, b) {
            (_, Abstract::Known(a), Abstract::Known(b)) => return Some(Abstract::Known(what.of(a, b))),
            (Add | Min | Max, Abstract::Known(_), _) => (b, a),
            _ => (a, b),
        };
        let first = self.register(a, next)?;
        let constant = match b {
            Abstract::Known(c) => i32::try_from(c).ok().filter(|c| *c > i32::MIN),
            _ => None,
        };
        let to = match (what, constant) {
            (Add, Some(c)) => self.compute(next, |d| Step::AddC(d, first, c)),
            (Sub, Some(c)) => self.compute(next, |d| Step::AddC(d, first, -c)),
            (Min, Some(c)) => self.compute(next, |d| Step::MinC(d, first, c)),
            (Max, Some(c)) => self.compute(next, |d| Step::MaxC(d, first, c)),
            (Mod, Some(c)) if c > 0 => self.compute(next, |d| Step::ModC(d, first, c)),
            _ => {
                let second = self.register(b, next)?;
                self.compute(next, |d| Step::Two(what, d, first, second))
            }
        };
        to.map(Abstract::In)
    }

    /// The new states.
    fn end(&mut self, values: &[Abstract], mut next: Temporary) -> Option<()> {
        let mut ending = Ending { keep: [u64::MAX; 2], set: [0; 2], stores: vec![] };
        for m in &self.code.stores {
            let role = m.role as usize;
            let value = values[m.register as usize];
            let same = |load: u16| {
                let was = &self.left.loads[load as usize];
                (was.role, was.shift) == (m.role, m.shift)
            };
            match value {
                Abstract::Was(load) if same(load) => continue,
                Abstract::Known(value) => ending.set[role] |= m.bits(value),
                value => {
                    let register = self.register(value, &mut next)?;
                    ending.stores.push(Move { register, ..*m });
                }
            }
            ending.keep[role] &= !(m.mask << m.shift);
        }
        let at = u32::try_from(self.left.ends.len()).ok()?;
        self.left.ends.push(ending);
        self.emit(Step::End(at))
    }
}

fn fresh(next: &mut Temporary) -> Option<Temporary> {
    let place = *next;
    *next += 1;
    ((place as usize) < REGISTERS).then_some(place)
}

/// The condition and the target of a jump; `None` for operations that rules do not use.
fn condition(op: &Op, values: &[Abstract]) -> Option<(Comparison, Abstract, Abstract, usize)> {
    let (of, known) = (|r: Register| values[r as usize], |c: i32| Abstract::Known(c.into()));
    let (test, a, b, to) = match *op {
        Op::If(test, a, b, to) => (test, of(a), of(b), to),
        Op::EqC(a, c, to) => (Comparison::Eq, of(a), known(c), to),
        Op::NeC(a, c, to) => (Comparison::Ne, of(a), known(c), to),
        Op::LtC(a, c, to) => (Comparison::Lt, of(a), known(c), to),
        Op::GtC(a, c, to) => (Comparison::Lt, known(c), of(a), to),
        _ => return None,
    };
    Some((test, a, b, to as usize))
}
