//! Read/write atomicity on graphs.

use super::{prefixed, step};
use crate::layered::promises_as_above;
use ringleader_erased::{GraphInstance, Number, Refusal};
use ringleader_model::graph::Neighbours;
use ringleader_model::{
    Coin, Domain, Goal, Knowledge, Marks, Name, Networked, Stabilizing, Variables, Vicinity, Visitor, corrupt,
};

/// An algorithm for a graph with read/write atomicity.
#[derive(Clone, Debug)]
pub struct ReadWrite {
    inner: GraphInstance,
    /// The number of states of a register.
    states: u64,
    /// The largest number of copies of a process.
    most: usize,
    /// Whether registers have pointers.
    points: bool,
}

/// The register of a process, and its copies of its neighbours' registers as the digits of a number, by port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    register: Number,
    copies: u64,
}

impl ReadWrite {
    /// The same algorithm with read/write atomicity.
    pub fn new(inner: GraphInstance) -> Result<ReadWrite, Refusal> {
        let (states, most) = (inner.states(), inner.neighbours().most());
        match states.checked_pow(most as u32 + 1) {
            Some(_) => Ok(ReadWrite { points: !inner.pointers().is_empty(), inner, states, most }),
            None => Err(Refusal::new(format!(
                "a process with {most} neighbours would have copies of {most} registers of {states} states each, which is more than \
                 2^64 local states: choose a graph with smaller degrees"
            ))),
        }
    }

    fn weight(&self, port: usize) -> u64 {
        self.states.pow(port as u32)
    }

    fn copy(&self, state: State, port: usize) -> Number {
        Number(state.copies / self.weight(port) % self.states)
    }

    fn with_copy(&self, state: State, port: usize, copy: Number) -> State {
        let weight = self.weight(port);
        State { copies: state.copies - self.copy(state, port).0 * weight + copy.0 * weight, ..state }
    }

    /// The state with the copies that a process has: none for a port that it does not have, and no pointer in a copy to a port that the
    /// neighbour does not have.
    fn restored(&self, process: usize, mut state: State) -> State {
        let neighbours = self.inner.neighbours();
        state.copies %= self.weight(neighbours.of(process).len());
        for (port, &neighbour) in neighbours.of(process).iter().enumerate() {
            let fewer_ports = neighbours.of(neighbour as usize).len() < self.most;
            if self.points && fewer_ports {
                let mut copy = self.copy(state, port);
                // A value outside its domain becomes the nearest one inside.
                let mut nearest =
                    |_: Name<'_>, domain: Domain<'_>, value: u64| value.clamp(domain.low(), domain.high());
                self.inner.variables_at(neighbour as usize, &mut copy, &mut nearest);
                state = self.with_copy(state, port, copy);
            }
        }
        state
    }
}

impl Variables for ReadWrite {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        self.inner.variables(&mut s.register, v);
        for port in 0..self.most {
            let mut copy = self.copy(*s, port);
            self.inner.variables(&mut copy, &mut prefixed("copy", Some(port + 1), v));
            *s = self.with_copy(*s, port, copy);
        }
    }

    /// A pointer in a copy shows the neighbour of the neighbour.
    fn variables_at(&self, process: usize, s: &mut State, v: &mut dyn Visitor) {
        self.inner.variables_at(process, &mut s.register, v);
        for (port, &neighbour) in self.inner.neighbours().of(process).iter().enumerate() {
            let mut copy = self.copy(*s, port);
            self.inner.variables_at(neighbour as usize, &mut copy, &mut prefixed("copy", Some(port + 1), v));
            *s = self.with_copy(*s, port, copy);
        }
    }
}

impl Networked for ReadWrite {
    fn neighbours(&self) -> &Neighbours {
        self.inner.neighbours()
    }

    fn act(&self, view: Vicinity<'_, State>, coin: &mut impl Coin) -> State {
        let (own, ports) = (view.own, 0..view.neighbours.len());
        let copied: Vec<Number> = ports.clone().map(|port| self.copy(own, port)).collect();
        let stale = ports.filter(|&port| copied[port] != view.neighbours[port].register);
        let copies = stale.map(|port| self.with_copy(own, port, view.neighbours[port].register)).collect();
        let rule = |mut coin: &mut dyn Coin| {
            let seen = Vicinity { process: view.process, own: own.register, neighbours: &copied, back: view.back };
            self.inner.act(seen, &mut coin)
        };
        step(own.register, copies, rule, |register| State { register, ..own }, own, coin)
    }

    fn admits(&self, process: usize, state: &State) -> Option<bool> {
        let register = self.inner.admits(process, &state.register)?;
        Some(register && self.restored(process, *state) == *state)
    }

    fn arbitrary(&self, process: usize, coin: &mut impl Coin) -> State {
        let mut state = corrupt::arbitrary_at(self, process, coin);
        state.register = self.inner.arbitrary(process, coin);
        state
    }

    fn marks(&self, view: Vicinity<'_, State>) -> Marks {
        let registers: Vec<Number> = view.neighbours.iter().map(|s| s.register).collect();
        let Vicinity { process, back, .. } = view;
        self.inner.marks(Vicinity { process, own: view.own.register, neighbours: &registers, back })
    }

    fn knowledge(&self) -> Knowledge {
        self.inner.knowledge()
    }

    fn pointers(&self) -> Vec<String> {
        self.inner.pointers()
    }
}

fn registers(c: &[State]) -> Vec<Number> {
    c.iter().map(|s| s.register).collect()
}

impl Stabilizing for ReadWrite {
    promises_as_above!(registers);

    /// The registers as the algorithm restores them.
    fn restore(&self, c: &mut [State]) {
        let mut states = registers(c);
        self.inner.restore(&mut states);
        for (i, s) in c.iter_mut().enumerate() {
            *s = State { register: states[i], ..self.restored(i, *s) };
        }
    }
}
