//! The compiled form of expressions and rules: a list of operations on registers.

pub(crate) mod branch;
pub(crate) mod compile;
pub(crate) mod machine;
pub(crate) mod residual;
pub(crate) mod seen;
pub(crate) mod specialise;
pub(crate) mod sweep;

use crate::code::machine::Registers;
use crate::diagnostic::Span;
use crate::domains::fold::apply;
use crate::domains::layout::Field;
use crate::meaning::typed::Link;

pub(crate) type Register = u8;
/// The position of an operation in the list.
pub(crate) type Label = u16;

/// Arithmetic of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Min,
    Max,
}

impl Arithmetic {
    #[inline]
    pub(crate) fn of(self, a: i64, b: i64) -> i64 {
        match self {
            Arithmetic::Add => a.saturating_add(b),
            Arithmetic::Sub => a.saturating_sub(b),
            Arithmetic::Min => a.min(b),
            Arithmetic::Max => a.max(b),
            Arithmetic::Mul => a.saturating_mul(b),
            Arithmetic::Div => apply("/", a, b),
            Arithmetic::Mod => apply("mod", a, b),
            Arithmetic::Pow => apply("^", a, b),
        }
    }
}

/// A comparison of two numbers; the others are the negations or mirror images of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
}

impl Comparison {
    #[inline]
    pub(crate) fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
            Comparison::Lt => a < b,
            Comparison::Le => a <= b,
        }
    }
}

/// The remainder of a division by a positive constant. A value in range, as after one step on a ring, needs no division.
#[inline]
pub(crate) fn remainder(value: i64, modulus: i32) -> i64 {
    let modulus = i64::from(modulus);
    if (0..modulus).contains(&value) { value } else { value.rem_euclid(modulus) }
}

/// One operation. A name that ends in `C` means a constant second operand; a condition jumps if it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    SetC(Register, i32),
    /// A constant from the list.
    Big(Register, u16),
    Copy(Register, Register),
    Two(Arithmetic, Register, Register, Register),
    AddC(Register, Register, i32),
    ModC(Register, Register, i32),
    Prime(Register, Register),
    Log2(Register, Register),
    Jump(Label),
    /// Increments the first register and jumps back unless it exceeds the second register. The host can end the run
    /// here.
    Next(Register, Register, Label),
    If(Comparison, Register, Register, Label),
    EqC(Register, i32, Label),
    NeC(Register, i32, Label),
    LtC(Register, i32, Label),
    GtC(Register, i32, Label),
    /// Fails unless the register is within a limit.
    Check(Register, u16),
    /// Draws a number in the range from the second register to the third.
    Draw(Register, Register, Register),
    /// The scheduler's choice among this many alternatives.
    Choose(Register, Register),
    Fired(u8),
    /// Reports the number of guards that hold in a group where exactly one must hold.
    Exactly(Register),
    /// A field of the agent at the index in the second register.
    Cell(Register, u16, Register),
    /// Jumps if a field of the agent at the index in the register is equal to a constant, or is not.
    CellEq(u8, Register, i16, Label),
    CellNe(u8, Register, i16, Label),
    /// The same for an agent whose index is a constant.
    CellAt(Register, u16, u8),
    CellAtEq(u8, u8, i16, Label),
    CellAtNe(u8, u8, i16, Label),
    /// Advances the first register to the first index that satisfies a test; jumps if none does up to the second
    /// register.
    Seek(Register, Register, u16, Label),
    /// The distance from the index in the second register to the next agent that satisfies a test.
    Near(Register, u16, Register),
    /// A property of the graph: of the process in the second register, and its port in the third.
    Link(Link, Register, Register, Register),
    /// Whether the configuration is in a closed set.
    Set(Register, u16),
    /// Replaces an infinite end of a range by its beginning plus this number.
    Cut(Register, Register),
    Send {
        port: u8,
        message: u8,
        first: Register,
    },
    Round,
    Return(Register),
}

/// The permitted range of a value, and its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) span: Span,
    /// The name of the variable, or a description of the value.
    pub(crate) what: String,
    pub(crate) field: Option<Field>,
}

/// The agent and the variable that a register holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) role: u8,
    pub(crate) slot: usize,
    pub(crate) register: Register,
    pub(crate) read: bool,
    pub(crate) written: bool,
}

/// A test of one variable of an agent: equal to a value, or different from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Test {
    pub(crate) field: u16,
    pub(crate) value: i64,
    pub(crate) equal: bool,
}

impl Test {
    #[inline]
    pub(crate) fn holds(&self, fields: &[Field], state: u64) -> bool {
        (fields[self.field as usize].get(state) == self.value) == self.equal
    }
}

/// A test, and the direction in which to search for an agent that satisfies it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    pub(crate) test: Test,
    pub(crate) left: bool,
}

/// The position of a variable in a packed state, and its register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) register: Register,
    pub(crate) role: u8,
    pub(crate) shift: u8,
    pub(crate) mask: u64,
    pub(crate) low: i64,
}

impl Move {
    #[inline]
    pub(crate) fn value(&self, states: [u64; 4]) -> i64 {
        (states[self.role as usize % 4] >> self.shift & self.mask) as i64 + self.low
    }

    /// The bits of a value at its position.
    #[inline]
    pub(crate) fn bits(&self, value: i64) -> u64 {
        (value.wrapping_sub(self.low) as u64 & self.mask) << self.shift
    }
}

/// A compiled expression or list of rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) constants: Vec<i64>,
    pub(crate) limits: Vec<Limit>,
    /// The searches of [`Op::Seek`] and [`Op::Near`].
    pub(crate) tests: Vec<Test>,
    pub(crate) nears: Vec<Near>,
    /// The variables that the code uses; the caller loads them into their registers.
    pub(crate) slots: Vec<Slot>,
    /// The variables to unpack before the code runs, and the variables to pack after it.
    pub(crate) loads: Vec<Move>,
    pub(crate) stores: Vec<Move>,
    /// The registers of the fields of a received message.
    pub(crate) message: Register,
    /// The two registers of the other inputs: an identity, the number of a process, or a bound index; the answers of the oracle to the
    /// initiator and the responder; whether a process is at the bottom and at the top.
    pub(crate) given: Register,
    /// The number of registers that the code needs.
    pub(crate) registers: usize,
    /// The spans of all rules, numbered or not, in order. A rule that fires is identified by its position here.
    pub(crate) rules: Vec<(Option<u8>, Span)>,
}

/// The reason why an expression or a rule cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl Code {
    /// The variables of indexed agents that the code reads, by their slots.
    pub(crate) fn fields(&self) -> impl Iterator<Item = usize> {
        self.ops.iter().filter_map(|op| match *op {
            Op::Seek(_, _, test, _) => Some(self.tests[test as usize].field.into()),
            Op::Near(_, near, _) => Some(self.nears[near as usize].test.field.into()),
            Op::Cell(_, field, _) | Op::CellAt(_, field, _) => Some(field.into()),
            Op::CellEq(field, ..) | Op::CellNe(field, ..) => Some(field.into()),
            Op::CellAtEq(field, ..) | Op::CellAtNe(field, ..) => Some(field.into()),
            _ => None,
        })
    }

    /// Unpacks the variables of up to three agents. Room for four avoids bounds checks.
    #[inline]
    pub(crate) fn load<const N: usize>(&self, states: [u64; 4], r: &mut Registers<N>) {
        self.loads.iter().for_each(|m| r.set(m.register, m.value(states)));
    }

    /// The states with the written variables packed into them.
    #[inline]
    pub(crate) fn store<const N: usize>(&self, mut states: [u64; 4], r: &Registers<N>) -> [u64; 4] {
        for m in &self.stores {
            let state = &mut states[m.role as usize % 4];
            *state = *state & !(m.mask << m.shift) | m.bits(r.get(m.register));
        }
        states
    }
}
