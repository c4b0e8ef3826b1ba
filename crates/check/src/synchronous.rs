//! The synchronous daemon: all processes step at once, each from what it saw before.

use crate::graph::{Edge, Graph, Reversible};
use crate::space::MOST_AGENTS;
use crate::system::System;
use crate::watch::{Stop, Watch};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The function that takes a configuration to the next one, with its inverse as lists.
#[derive(Debug)]
pub struct Synchronous {
    next: Vec<AtomicU32>,
    start: Vec<u32>,
    before: Vec<u32>,
}

impl Synchronous {
    /// Computes the step of every configuration of a deterministic ring.
    pub fn new(system: &System, watch: &Watch) -> Result<Synchronous, Stop> {
        let len = system.size();
        watch.enter("the synchronous step of every configuration", Some(len));
        let next: Vec<AtomicU32> = (0..len).map(|_| AtomicU32::new(0)).collect();
        let visit = |_: &mut (), range: Range<u64>| {
            for c in range {
                let mut target = c as u32;
                // Every process writes its own digit only, so the changes add up.
                system.successors(c as u32, |e| target = target.wrapping_add(e.target.wrapping_sub(c as u32)));
                next[c as usize].store(target, Relaxed);
            }
        };
        watch.blocks(len, 1 << 14, visit, || ())?;
        let mut start = vec![0_u32; len as usize + 1];
        for to in &next {
            start[to.load(Relaxed) as usize + 1] += 1;
        }
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let mut fill = start.clone();
        let mut before = vec![0; len as usize];
        for (from, to) in next.iter().enumerate() {
            let at = &mut fill[to.load(Relaxed) as usize];
            before[*at as usize] = from as u32;
            *at += 1;
        }
        Ok(Synchronous { next, start, before })
    }
}

impl Graph for Synchronous {
    fn size(&self) -> u64 {
        self.next.len() as u64
    }

    fn successors(&self, node: u32, mut visit: impl FnMut(Edge)) {
        visit(Edge { target: self.next[node as usize].load(Relaxed), site: 0, action: 0, turn: 0, weight: 1 });
    }
}

impl Reversible for Synchronous {
    fn predecessors(&self, node: u32, visit: impl FnMut(u32)) {
        let range = self.start[node as usize] as usize..self.start[node as usize + 1] as usize;
        self.before[range].iter().copied().filter(|&before| before != node).for_each(visit);
    }
}

/// The configuration after all processes stepped at once; for tests and pictures.
pub fn step(system: &System, c: u32) -> u32 {
    let space = system.space();
    let mut digits = [0; MOST_AGENTS];
    space.decode(c, &mut digits);
    let mut after = digits;
    for site in system.sites() {
        let table = &system.tables()[site.table];
        let cell = table.cell(0, digits[site.left], digits[site.right]);
        after[site.right] = u32::from(table.outcomes()[cell.start].right);
    }
    space.encode(&after[..space.agents()])
}
