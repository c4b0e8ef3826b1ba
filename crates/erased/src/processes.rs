//! The processes of an execution in the algorithm's own states: the inner loop of a simulation of a ring or a line.

use crate::Number;
use crate::agents::Tosses;
use crate::number::Decoded;
use ringleader_model::{Chain, Coin, Marks, Ring, Stabilizing, View, number};
use std::any::Any;
use std::sync::Arc;

/// The processes of a ring, a line or a graph and their states.
pub trait Processes: Any + Send {
    /// The number of processes.
    fn count(&self) -> usize;

    /// The steps of these processes in sequence; updates `leaders`. Returns the index, from 1, of the last step that
    /// changed an output, or 0.
    fn act_all(&mut self, processes: &[u32], leaders: &mut u64, tosses: &mut dyn Coin) -> u64;

    /// One simultaneous step of these processes, which toss their coins in ascending order. Returns whether an output
    /// changed.
    fn act_together(&mut self, processes: &[u32], leaders: &mut u64, tosses: &mut dyn Coin) -> bool;

    /// The number of processes that output that they are the leader.
    fn leaders(&self) -> u64;

    /// Whether the configuration is in the algorithm's safe set.
    fn safe(&self) -> bool;

    /// The states by number.
    fn numbers(&self) -> Vec<Number> {
        let mut numbers = Vec::with_capacity(self.count());
        for process in 0..self.count() {
            numbers.push(self.number(process));
        }
        numbers
    }

    /// The state of one process, by number.
    fn number(&self, process: usize) -> Number;

    /// Gives processes other states, as a fault does.
    fn corrupt(&mut self, faults: &[(usize, Number)]);

    /// A copy.
    fn boxed(&self) -> Box<dyn Processes>;

    /// Becomes a copy of other processes of the same algorithm, reusing the memory.
    fn copy(&mut self, other: &dyn Processes);
}

pub(crate) struct Row<R: Ring> {
    algorithm: Arc<R>,
    decoded: Arc<Decoded<R::State>>,
    chain: Chain,
    states: Vec<R::State>,
}

impl<R: Ring + Stabilizing + 'static> Row<R> {
    pub(crate) fn new(algorithm: Arc<R>, decoded: Arc<Decoded<R::State>>, numbers: &[Number]) -> Row<R> {
        let states = decoded.configuration(&*algorithm, numbers);
        Row { chain: algorithm.chain(), algorithm, decoded, states }
    }

    #[inline]
    fn view(&self, process: usize) -> View<R::State> {
        View::of(&self.states, process, self.chain)
    }

    #[inline]
    fn output(&self, process: usize) -> Marks {
        self.algorithm.marks(self.view(process)).output()
    }

    fn all_outputs(&self) -> Vec<Marks> {
        let mut outputs = Vec::with_capacity(self.states.len());
        for process in 0..self.states.len() {
            outputs.push(self.output(process));
        }
        outputs
    }

    /// The outputs that a step of a process can change: its own and its neighbours', because an output may depend on a
    /// neighbour.
    #[inline]
    fn outputs(&self, process: usize) -> [Marks; 3] {
        let (left, right) = self.chain.neighbours(process, self.states.len());
        let beside = |other: usize| if other == process { Marks::NONE } else { self.output(other) };
        // With two processes both neighbours are the same process.
        [if left == right { Marks::NONE } else { beside(left) }, self.output(process), beside(right)]
    }
}

fn leading(outputs: &[Marks]) -> u64 {
    outputs.iter().filter(|marks| marks.leader()).count() as u64
}

impl<R: Ring + Stabilizing + 'static> Processes for Row<R> {
    fn count(&self) -> usize {
        self.states.len()
    }

    fn act_all(&mut self, processes: &[u32], leaders: &mut u64, tosses: &mut dyn Coin) -> u64 {
        let (mut tosses, mut last_loud) = (Tosses::<0>(tosses), 0);
        for (step, &process) in (1..).zip(processes) {
            let process = process as usize;
            let next = self.algorithm.act(self.view(process), &mut tosses);
            if next == self.states[process] {
                continue;
            }
            let before = self.outputs(process);
            self.states[process] = next;
            let after = self.outputs(process);
            if before != after {
                *leaders = *leaders + leading(&after) - leading(&before);
                last_loud = step;
            }
        }
        last_loud
    }

    fn act_together(&mut self, processes: &[u32], leaders: &mut u64, tosses: &mut dyn Coin) -> bool {
        let mut tosses = Tosses::<1>(tosses);
        let before = self.all_outputs();
        let mut next = Vec::with_capacity(processes.len());
        for &p in processes {
            next.push(self.algorithm.act(self.view(p as usize), &mut tosses));
        }
        for (i, &p) in processes.iter().enumerate() {
            self.states[p as usize] = next[i];
        }
        let after = self.all_outputs();
        *leaders = leading(&after);
        before != after
    }

    fn leaders(&self) -> u64 {
        leading(&self.all_outputs())
    }

    fn safe(&self) -> bool {
        self.algorithm.safe_fast(&self.states)
    }

    fn number(&self, process: usize) -> Number {
        Number(number::rank(&*self.algorithm, &self.states[process]))
    }

    fn corrupt(&mut self, faults: &[(usize, Number)]) {
        for &(process, number) in faults {
            self.states[process] = self.decoded.state(&*self.algorithm, number.0);
        }
    }

    fn boxed(&self) -> Box<dyn Processes> {
        let Row { algorithm, decoded, chain, states } = self;
        Box::new(Row { algorithm: algorithm.clone(), decoded: decoded.clone(), chain: *chain, states: states.clone() })
    }

    fn copy(&mut self, other: &dyn Processes) {
        let other: &dyn Any = other;
        let other = other.downcast_ref::<Self>().expect("processes are copied from processes of the same algorithm");
        self.states.clone_from(&other.states);
    }
}
