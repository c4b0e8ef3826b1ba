//! Expressions over the states of all agents.

use crate::code::machine::Host;
use crate::code::{Code, Near};
use crate::domains::layout::{Field, Layout, State};
use crate::meaning::typed::{INFINITY, Link};
use ringleader_model::graph::Neighbours;

/// The states of all agents.
pub(crate) struct Cells<'a> {
    states: &'a [State],
    /// The graph of processes, if there is one.
    graph: Option<&'a Neighbours>,
    /// The number of values that quantifiers may still visit.
    pub(crate) fuel: u64,
    /// Membership of the configuration in closed sets, where code may use it.
    member: Option<&'a dyn Fn(usize) -> bool>,
    /// For each test, the distance from every agent to the nearest agent that passes; empty until first used.
    distances: Vec<Vec<i64>>,
}

impl<'a> Cells<'a> {
    pub(crate) fn new(
        states: &'a [State],
        graph: Option<&'a Neighbours>,
        member: Option<&'a dyn Fn(usize) -> bool>,
    ) -> Cells<'a> {
        Cells { states, graph, fuel: u64::MAX, member, distances: vec![] }
    }

    /// The position for an index, which may be any number.
    #[inline]
    fn around(&self, index: i64) -> usize {
        let size = self.states.len() as i64;
        // Most indices are at most one round outside the ring.
        let index = match index {
            i if i >= 0 && i < size => i,
            i if i >= size && i < 2 * size => i - size,
            i if i < 0 && i >= -size => i + size,
            i => i.rem_euclid(size),
        };
        index as usize
    }

    /// The distance from each agent to the nearest agent that satisfies a test.
    fn distances(&self, near: &Near, fields: &[Field]) -> Vec<i64> {
        let size = self.states.len();
        let mut all = vec![INFINITY; size];
        let (mut far, mut walked) = (INFINITY, 0);
        // The first round finds a match; the second round completes the agents before it.
        while walked < 2 * size && (walked < size || far < INFINITY) {
            let at = if near.left { walked % size } else { size - 1 - walked % size };
            far = if near.test.holds(fields, self.states[at].0) { 0 } else { (far + 1).min(INFINITY) };
            all[at] = far;
            walked += 1;
        }
        all
    }
}

impl Host for Cells<'_> {
    #[inline]
    fn cell(&self, index: i64) -> u64 {
        self.states[self.around(index)].0
    }

    fn near(&mut self, which: usize, near: &Near, fields: &[Field], index: i64) -> i64 {
        if self.distances.len() <= which {
            self.distances.resize(which + 1, vec![]);
        }
        if self.distances[which].is_empty() {
            self.distances[which] = self.distances(near, fields);
        }
        self.distances[which][self.around(index)]
    }

    #[inline]
    fn place(&self, place: u8) -> u64 {
        self.states.get(place as usize).map_or(0, |state| state.0)
    }

    fn member(&mut self, set: u16) -> bool {
        self.member.is_some_and(|member| member(set as usize))
    }

    fn link(&self, what: Link, process: i64, port: i64) -> i64 {
        self.graph.map_or(0, |graph| what.of(graph, process, port))
    }

    fn agents(&self) -> i64 {
        self.states.len() as i64
    }

    #[inline]
    fn again(&mut self) -> bool {
        self.fuel -= 1;
        self.fuel > 0
    }
}

/// The value of an expression over a configuration, with the bound index if the expression uses one.
pub(crate) fn value(
    code: &Code,
    layout: &Layout,
    graph: Option<&Neighbours>,
    states: &[State],
    index: i64,
) -> Option<i64> {
    evaluate(code, layout, Cells::new(states, graph, None), index)
}

pub(crate) fn evaluate(code: &Code, layout: &Layout, mut cells: Cells<'_>, index: i64) -> Option<i64> {
    code.apply(&layout.fields, [0; 4], [index], &mut cells).0.ok()
}
