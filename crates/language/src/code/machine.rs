//! The interpreter of compiled code.

use crate::code::{Code, Near, Op, remainder};
use crate::domains::fold::{log2, prime};
use crate::domains::layout::Field;
use crate::meaning::typed::{INFINITY, Link};

/// The host of running code: coins, scheduler, configuration, channels. The defaults provide none of them.
pub(crate) trait Host {
    /// A random number below `n`.
    fn below(&mut self, _n: u32) -> u32 {
        0
    }
    /// The scheduler's choice among `n`.
    fn choose(&mut self, _n: u32) -> u32 {
        0
    }
    /// The value of the last draw.
    fn drew(&mut self, _value: i64) {}
    /// A rule is applied, given by its position in the list of rules.
    fn fired(&mut self, _rule: u8) {}
    /// The number of guards that hold in a group where exactly one must hold.
    fn exactly(&mut self, _holding: i64) {}
    /// The state of the agent at an index. The index may be any number.
    fn cell(&self, _index: i64) -> u64 {
        0
    }
    /// The state of the agent at a position.
    fn place(&self, place: u8) -> u64 {
        self.cell(place.into())
    }
    /// The distance to the nearest agent that satisfies a test. The test is given by its position in a list.
    fn near(&mut self, _which: usize, _near: &Near, _fields: &[Field], _index: i64) -> i64 {
        INFINITY
    }
    /// Whether the configuration is in a closed set.
    fn member(&mut self, _set: u16) -> bool {
        false
    }
    fn agents(&self) -> i64 {
        1
    }
    /// A property of the graph.
    fn link(&self, _what: Link, _process: i64, _port: i64) -> i64 {
        0
    }
    fn send(&mut self, _port: u8, _message: u8, _values: &[i64]) {}
    fn round(&mut self) {}
    /// Whether a long evaluation may continue.
    fn again(&mut self) -> bool {
        true
    }
}

/// The host of an expression over one agent: the registers are its only input.
pub(crate) struct Nobody;

impl Host for Nobody {}

/// The reason why code stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A value is outside a limit.
    Limit(u16, i64),
    /// The host stopped it.
    Stopped,
}

/// The registers of an evaluation. They are cleared each time, so there are only as many as the code needs.
pub(crate) struct Registers<const N: usize>(pub(crate) [i64; N]);

impl<const N: usize> Registers<N> {
    pub(crate) fn new() -> Self {
        Registers([0; N])
    }

    #[inline(always)]
    pub(crate) fn get(&self, register: u8) -> i64 {
        self.0[register as usize % N]
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, register: u8, value: i64) {
        self.0[register as usize % N] = value;
    }
}

/// Runs code to its end and returns its value, or 0.
#[inline]
pub(crate) fn run<H: Host, const N: usize>(
    code: &Code,
    fields: &[Field],
    r: &mut Registers<N>,
    host: &mut H,
) -> Result<i64, Fault> {
    let ops = &code.ops[..];
    let mut at = 0usize;
    while let Some(op) = ops.get(at) {
        at += 1;
        macro_rules! jump {
            ($when:expr, $to:expr) => {
                if $when {
                    at = $to as usize;
                }
            };
        }
        match *op {
            Op::SetC(d, value) => r.set(d, value.into()),
            Op::Big(d, constant) => r.set(d, code.constants[constant as usize]),
            Op::Copy(d, a) => r.set(d, r.get(a)),
            Op::AddC(d, a, c) => r.set(d, r.get(a).saturating_add(c.into())),
            Op::Two(what, d, a, b) => r.set(d, what.of(r.get(a), r.get(b))),
            Op::ModC(d, a, c) => r.set(d, remainder(r.get(a), c)),
            Op::Prime(d, a) => r.set(d, prime(r.get(a)).into()),
            Op::Log2(d, a) => r.set(d, log2(r.get(a))),
            Op::Jump(to) => at = to as usize,
            Op::Next(a, last, to) => {
                let next = r.get(a).saturating_add(1);
                r.set(a, next);
                if next <= r.get(last) {
                    if !host.again() {
                        return Err(Fault::Stopped);
                    }
                    at = to as usize;
                }
            }
            Op::If(test, a, b, to) => jump!(test.holds(r.get(a), r.get(b)), to),
            Op::EqC(a, c, to) => jump!(r.get(a) == i64::from(c), to),
            Op::NeC(a, c, to) => jump!(r.get(a) != i64::from(c), to),
            Op::LtC(a, c, to) => jump!(r.get(a) < i64::from(c), to),
            Op::GtC(a, c, to) => jump!(r.get(a) > i64::from(c), to),
            Op::Check(a, limit) => {
                let (value, bounds) = (r.get(a), &code.limits[limit as usize]);
                if value < bounds.low || value > bounds.high {
                    return Err(Fault::Limit(limit, value));
                }
            }
            Op::Draw(d, low, high) => {
                let (low, high) = (r.get(low), r.get(high));
                let value = low + i64::from(host.below((high - low + 1) as u32));
                host.drew(value);
                r.set(d, value);
            }
            Op::Choose(d, among) => r.set(d, host.choose(r.get(among) as u32).into()),
            Op::Fired(rule) => host.fired(rule),
            Op::Exactly(count) => host.exactly(r.get(count)),
            Op::Cell(d, field, index) => r.set(d, fields[field as usize].get(host.cell(r.get(index)))),
            Op::CellEq(field, index, c, to) => {
                jump!(fields[field as usize].get(host.cell(r.get(index))) == i64::from(c), to)
            }
            Op::CellNe(field, index, c, to) => {
                jump!(fields[field as usize].get(host.cell(r.get(index))) != i64::from(c), to)
            }
            Op::CellAt(d, field, place) => r.set(d, fields[field as usize].get(host.place(place))),
            Op::CellAtEq(field, place, c, to) => {
                jump!(fields[field as usize].get(host.place(place)) == i64::from(c), to)
            }
            Op::CellAtNe(field, place, c, to) => {
                jump!(fields[field as usize].get(host.place(place)) != i64::from(c), to)
            }
            Op::Seek(a, last, test, end) => {
                let (test, last, mut index) = (&code.tests[test as usize], r.get(last), r.get(a));
                while index <= last && !test.holds(fields, host.cell(index)) {
                    index += 1;
                }
                r.set(a, index);
                jump!(index > last, end);
            }
            Op::Near(d, near, index) => {
                r.set(d, host.near(near.into(), &code.nears[near as usize], fields, r.get(index)));
            }
            Op::Link(what, d, process, port) => r.set(d, host.link(what, r.get(process), r.get(port))),
            Op::Set(d, set) => r.set(d, host.member(set).into()),
            Op::Cut(high, low) => {
                if r.get(high) >= INFINITY / 2 {
                    r.set(high, r.get(low).saturating_add(host.agents() - 1));
                }
            }
            Op::Send { port, message, first } => host.send(port, message, &r.0[first as usize % N..]),
            Op::Round => host.round(),
            Op::Return(a) => return Ok(r.get(a)),
        }
    }
    Ok(0)
}

/// Calls a function with as many registers as code needs.
macro_rules! with_registers {
    ($code:expr, $registers:ident => $body:expr) => {
        match $code.registers {
            0..=16 => {
                let mut $registers = $crate::code::machine::Registers::<16>::new();
                $body
            }
            17..=32 => {
                let mut $registers = $crate::code::machine::Registers::<32>::new();
                $body
            }
            33..=64 => {
                let mut $registers = $crate::code::machine::Registers::<64>::new();
                $body
            }
            _ => {
                let mut $registers = $crate::code::machine::Registers::<256>::new();
                $body
            }
        }
    };
}
pub(crate) use with_registers;

impl Code {
    /// Runs the code for the participants of a step. The inputs are the fields of a message, and then the given ones. Returns the
    /// value and the new states.
    #[inline]
    pub(crate) fn apply(
        &self,
        fields: &[Field],
        states: [u64; 4],
        inputs: impl IntoIterator<Item = i64>,
        host: &mut impl Host,
    ) -> (Result<i64, Fault>, [u64; 4]) {
        with_registers!(self, registers => {
            self.load(states, &mut registers);
            inputs.into_iter().enumerate().for_each(|(at, input)| registers.set(self.message + at as u8, input));
            let value = run(self, fields, &mut registers, host);
            (value, self.store(states, &registers))
        })
    }

    /// The value of an expression over the participants of a step.
    pub(crate) fn value(&self, states: [u64; 4], inputs: impl IntoIterator<Item = i64>) -> Option<i64> {
        self.apply(&[], states, inputs, &mut Nobody).0.ok()
    }

    /// The states of the participants after rules were applied.
    #[inline]
    pub(crate) fn step(
        &self,
        fields: &[Field],
        states: [u64; 4],
        inputs: impl IntoIterator<Item = i64>,
        host: &mut impl Host,
    ) -> [u64; 4] {
        let (done, states) = self.apply(fields, states, inputs, host);
        debug_assert!(done.is_ok(), "a built rule writes only values of its domains");
        states
    }
}
