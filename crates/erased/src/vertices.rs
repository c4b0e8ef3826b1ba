//! The processes of a graph in the algorithm's own states: the inner loop of a simulation.

use crate::agents::Tosses;
use crate::number::Decoded;
use crate::{Number, Processes};
use ringleader_model::graph::Neighbours;
use ringleader_model::{Coin, Marks, Networked, Stabilizing, Vicinity, number};
use std::any::Any;
use std::sync::Arc;

pub(crate) struct Vertices<A: Networked> {
    algorithm: Arc<A>,
    decoded: Arc<Decoded<A::State>>,
    states: Vec<A::State>,
    /// The output of each process. After a step, only those of the process and its neighbours are computed again.
    outputs: Vec<Marks>,
    /// Whether each process meets its part of the safe set, if the set has parts; computed again like the outputs.
    met: Option<Vec<bool>>,
    /// The number of processes that do not.
    unmet: usize,
    /// The states of the neighbours of the process that steps; kept to reuse its memory.
    seen: Vec<A::State>,
}

/// The view of a process.
#[inline]
fn look<'a, S: Copy>(graph: &'a Neighbours, states: &[S], process: usize, seen: &'a mut Vec<S>) -> Vicinity<'a, S> {
    seen.clear();
    for &neighbour in graph.of(process) {
        seen.push(states[neighbour as usize]);
    }
    Vicinity { process, own: states[process], neighbours: seen, back: graph.back(process) }
}

impl<A: Networked + Stabilizing + 'static> Vertices<A> {
    pub(crate) fn new(algorithm: Arc<A>, decoded: Arc<Decoded<A::State>>, numbers: &[Number]) -> Vertices<A> {
        let states = decoded.configuration(&*algorithm, numbers);
        let parts = algorithm.meets(&states, 0).is_some();
        let met = if parts { Some(vec![]) } else { None };
        let mut vertices = Vertices { algorithm, decoded, states, outputs: vec![], met, unmet: 0, seen: vec![] };
        vertices.show();
        vertices
    }

    /// Reads the states that these processes will read. The accesses to memory overlap, since none waits for a step.
    fn fetch(&self, processes: &[u32]) {
        let graph = self.algorithm.neighbours();
        let near = processes.iter().flat_map(|&process| graph.of(process as usize));
        std::hint::black_box(near.filter(|&&neighbour| self.states[neighbour as usize] == self.states[0]).count());
    }

    fn output(&mut self, process: usize) -> Marks {
        let view = look(self.algorithm.neighbours(), &self.states, process, &mut self.seen);
        self.algorithm.marks(view).output()
    }

    /// Computes all outputs and parts.
    fn show(&mut self) {
        self.outputs.clear();
        for process in 0..self.states.len() {
            let output = self.output(process);
            self.outputs.push(output);
        }
        if let Some(met) = &mut self.met {
            met.clear();
            for process in 0..self.states.len() {
                met.push(self.algorithm.meets(&self.states, process) == Some(true));
            }
            self.unmet = met.iter().filter(|met| !**met).count();
        }
    }

    /// Computes the outputs and parts that a change of the state of a process can change. Returns whether an output has changed.
    fn show_around(&mut self, process: usize, leaders: &mut u64) -> bool {
        let mut loud = self.show_one(process, leaders);
        for port in 0..self.algorithm.neighbours().of(process).len() {
            let neighbour = self.algorithm.neighbours().of(process)[port];
            loud |= self.show_one(neighbour as usize, leaders);
        }
        loud
    }

    fn show_one(&mut self, process: usize, leaders: &mut u64) -> bool {
        let after = self.output(process);
        let before = std::mem::replace(&mut self.outputs[process], after);
        *leaders = *leaders + u64::from(after.leader()) - u64::from(before.leader());
        if let Some(met) = &mut self.met {
            let now = self.algorithm.meets(&self.states, process) == Some(true);
            let then = std::mem::replace(&mut met[process], now);
            self.unmet = self.unmet + usize::from(!now) - usize::from(!then);
        }
        before != after
    }
}

impl<A: Networked + Stabilizing + 'static> Processes for Vertices<A> {
    fn count(&self) -> usize {
        self.states.len()
    }

    fn act_all(&mut self, processes: &[u32], leaders: &mut u64, tosses: &mut dyn Coin) -> u64 {
        let (mut tosses, mut last_loud) = (Tosses::<0>(tosses), 0);
        self.fetch(processes);
        for (step, &process) in (1..).zip(processes) {
            let process = process as usize;
            let view = look(self.algorithm.neighbours(), &self.states, process, &mut self.seen);
            let next = self.algorithm.act(view, &mut tosses);
            if next != self.states[process] {
                self.states[process] = next;
                if self.show_around(process, leaders) {
                    last_loud = step;
                }
            }
        }
        last_loud
    }

    fn act_together(&mut self, processes: &[u32], leaders: &mut u64, tosses: &mut dyn Coin) -> bool {
        let mut tosses = Tosses::<1>(tosses);
        let mut changed = vec![];
        for &process in processes {
            let view = look(self.algorithm.neighbours(), &self.states, process as usize, &mut self.seen);
            let next = self.algorithm.act(view, &mut tosses);
            if next != self.states[process as usize] {
                changed.push((process as usize, next));
            }
        }
        for &(process, next) in &changed {
            self.states[process] = next;
        }
        let mut loud = false;
        for &(process, _) in &changed {
            loud |= self.show_around(process, leaders);
        }
        loud
    }

    fn leaders(&self) -> u64 {
        self.outputs.iter().filter(|marks| marks.leader()).count() as u64
    }

    fn safe(&self) -> bool {
        if self.met.is_some() { self.unmet == 0 } else { self.algorithm.safe_fast(&self.states) }
    }

    fn number(&self, process: usize) -> Number {
        Number(number::rank(&*self.algorithm, &self.states[process]))
    }

    fn corrupt(&mut self, faults: &[(usize, Number)]) {
        for &(process, number) in faults {
            self.states[process] = self.decoded.state(&*self.algorithm, number.0);
        }
        self.show();
    }

    fn boxed(&self) -> Box<dyn Processes> {
        let Vertices { algorithm, decoded, states, outputs, met, unmet, .. } = self;
        Box::new(Vertices {
            algorithm: algorithm.clone(),
            decoded: decoded.clone(),
            states: states.clone(),
            outputs: outputs.clone(),
            met: met.clone(),
            unmet: *unmet,
            seen: vec![],
        })
    }

    fn copy(&mut self, other: &dyn Processes) {
        let other: &dyn Any = other;
        let other = other.downcast_ref::<Self>().expect("processes are copied from processes of the same algorithm");
        self.states.clone_from(&other.states);
        self.outputs.clone_from(&other.outputs);
        self.met.clone_from(&other.met);
        self.unmet = other.unmet;
    }
}
