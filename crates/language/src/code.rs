//! What expressions and rules are compiled to: a list of small operations on registers.

pub(crate) mod branch;
pub(crate) mod compile;
pub(crate) mod machine;
pub(crate) mod residual;
pub(crate) mod seen;
pub(crate) mod specialise;
pub(crate) mod sweep;

use crate::code::machine::Registers;
use crate::diagnostic::Span;
use crate::domains::layout::Field;

pub(crate) type Register = u8;
/// An operation's place in the list.
pub(crate) type Label = u16;

/// One operation. What ends in `C` has a constant for its second operand; a condition jumps if it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    SetC(Register, i32),
    /// A constant from the list.
    Big(Register, u16),
    Copy(Register, Register),
    Add(Register, Register, Register),
    AddC(Register, Register, i32),
    Sub(Register, Register, Register),
    Mul(Register, Register, Register),
    Div(Register, Register, Register),
    Mod(Register, Register, Register),
    ModC(Register, Register, i32),
    Pow(Register, Register, Register),
    Min(Register, Register, Register),
    Max(Register, Register, Register),
    Prime(Register, Register),
    Log2(Register, Register),
    Jump(Label),
    /// Counts the first register up and jumps back unless it has passed the second; a run may be told to end here.
    Next(Register, Register, Label),
    Eq(Register, Register, Label),
    Ne(Register, Register, Label),
    Lt(Register, Register, Label),
    Le(Register, Register, Label),
    EqC(Register, i32, Label),
    NeC(Register, i32, Label),
    LtC(Register, i32, Label),
    LeC(Register, i32, Label),
    GtC(Register, i32, Label),
    GeC(Register, i32, Label),
    /// Fails unless the register is within a limit.
    Check(Register, u16),
    /// A number from the second register to the third.
    Draw(Register, Register, Register),
    /// Which of so many the scheduler takes.
    Choose(Register, Register),
    Fired(u8),
    /// That the guards of this many rules hold, where exactly one should.
    Exactly(Register),
    /// A field of the agent at the index in the second register.
    Cell(Register, u16, Register),
    /// Jumps if a field of the agent at the index in the register is equal to a constant, or is not.
    CellEq(u8, Register, i16, Label),
    CellNe(u8, Register, i16, Label),
    /// The same for the agent at a place that is known.
    CellAt(Register, u16, u8),
    CellAtEq(u8, u8, i16, Label),
    CellAtNe(u8, u8, i16, Label),
    /// Counts the first register up to the first index that a test holds of; jumps if there is none up to the second.
    Seek(Register, Register, u16, Label),
    /// How far the next agent is that a test holds of, from the index in the second register.
    Near(Register, u16, Register),
    /// Whether the configuration is in a closed set.
    Set(Register, u16),
    /// An infinite end of a range becomes so many after its beginning.
    Cut(Register, Register),
    Send {
        port: u8,
        message: u8,
        first: Register,
    },
    Round,
    Return(Register),
}

/// What a value must be, and where it is said.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) span: Span,
    /// The variable's name, or what else it is.
    pub(crate) what: String,
    pub(crate) field: Option<Field>,
}

/// Which variable of which agent a register holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) role: u8,
    pub(crate) slot: usize,
    pub(crate) register: Register,
    pub(crate) read: bool,
    pub(crate) written: bool,
}

/// A test of one variable of an agent: equal to a value, or not.
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

/// A test, and the way to look for an agent that it holds of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    pub(crate) test: Test,
    pub(crate) left: bool,
}

/// How a variable comes out of a packed state into its register, and back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) register: Register,
    pub(crate) role: u8,
    pub(crate) shift: u8,
    pub(crate) mask: u64,
    pub(crate) low: i64,
}

/// A compiled expression or list of rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) constants: Vec<i64>,
    pub(crate) limits: Vec<Limit>,
    /// What [`Op::Seek`] and [`Op::Near`] look for.
    pub(crate) tests: Vec<Test>,
    pub(crate) nears: Vec<Near>,
    /// The variables it uses; they are in their registers before it begins.
    pub(crate) slots: Vec<Slot>,
    /// The variables to be unpacked before it begins, and those to be packed when it has ended.
    pub(crate) loads: Vec<Move>,
    pub(crate) stores: Vec<Move>,
    /// Where the fields of a received message are.
    pub(crate) message: Register,
    /// Where the rest that is given is: the identity, what the two hear, the place, the bound index.
    pub(crate) given: Register,
    /// How many registers it needs.
    pub(crate) registers: usize,
    /// The spans of the numbered and unnumbered rules, in order; what fires is known by its place here.
    pub(crate) rules: Vec<(Option<u8>, Span)>,
}

/// Why something cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl Code {
    /// The variables of agents at indices that it looks at, by their places.
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

    /// Unpacks the variables of up to three agents; with room for four nothing needs to be checked.
    #[inline]
    pub(crate) fn load<const N: usize>(&self, states: [u64; 4], r: &mut Registers<N>) {
        for m in &self.loads {
            r.set(m.register, (states[m.role as usize % 4] >> m.shift & m.mask) as i64 + m.low);
        }
    }

    /// The states with the variables that were written.
    #[inline]
    pub(crate) fn store<const N: usize>(&self, mut states: [u64; 4], r: &Registers<N>) -> [u64; 4] {
        for m in &self.stores {
            let state = &mut states[m.role as usize % 4];
            let digit = r.get(m.register).wrapping_sub(m.low) as u64 & m.mask;
            *state = *state & !(m.mask << m.shift) | digit << m.shift;
        }
        states
    }
}
