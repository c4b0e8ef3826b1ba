//! One interaction after the other: the `rule` kernel, and with a compiled rule the `table` kernel.

use crate::arcs::{Arcs, Incidence};
use crate::kernel::{Kernel, Progress};
use crate::rule::Rule;

/// So many arcs are drawn ahead: each of the two loops has the registers to itself.
const BLOCK: usize = 256;
/// Cells that take more bytes than this are fetched a block at a time, so that memory answers them together.
const CACHE: usize = 1 << 20;

/// Takes every interaction, those that change nothing too.
pub struct Step<R: Rule, A> {
    rule: R,
    arcs: A,
    cells: Vec<R::Cell>,
    progress: Progress,
}

impl<R: Rule, A: Arcs> Step<R, A> {
    /// A run from these cells. The leaders in `progress` are counted anew.
    pub fn new(rule: R, arcs: A, cells: Vec<R::Cell>, mut progress: Progress) -> Self {
        assert_eq!(arcs.agents(), cells.len(), "one state per agent");
        progress.leaders = cells.iter().filter(|&&cell| rule.leads(cell)).count() as u64;
        Step { rule, arcs, cells, progress }
    }

    /// How many arcs there are.
    pub fn arcs(&self) -> u64 {
        self.arcs.count()
    }

    /// How much of what happens changes something: the fraction of arcs that are active.
    pub fn density(&self) -> f64
    where
        A: Incidence,
    {
        let heard = self.progress.leaders > 0;
        let arcs = self.arcs.count();
        let active = |&arc: &u64| {
            let (u, v) = self.arcs.ends(arc as usize);
            self.rule.active(self.cells[u], self.cells[v], heard)
        };
        (0..arcs).filter(active).count() as f64 / arcs as f64
    }

    /// Gives up everything, for another kernel to go on with.
    pub fn into_parts(self) -> (R, A, Vec<R::Cell>, Progress) {
        (self.rule, self.arcs, self.cells, self.progress)
    }
}

impl<R: Rule, A: Arcs> Kernel for Step<R, A> {
    type Cell = R::Cell;

    fn agents(&self) -> usize {
        self.cells.len()
    }

    fn advance(&mut self, units: u64) -> u64 {
        let Step { rule, arcs, cells, progress } = self;
        let mut drawn = [(0, 0); BLOCK];
        let far = size_of_val(&cells[..]) > CACHE;
        let mut left = units;
        while left > 0 {
            let block = &mut drawn[..left.min(BLOCK as u64) as usize];
            arcs.draw_all(&mut progress.coin, block);
            if far {
                block.iter().for_each(|&(u, _)| {
                    std::hint::black_box(cells[u as usize]);
                });
            }
            rule.meet_all(cells, block, progress);
            left -= block.len() as u64;
        }
        units
    }

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn configuration(&self, look: &mut dyn FnMut(&[R::Cell])) {
        look(&self.cells);
    }

    fn corrupt(&mut self, faults: &[(usize, R::Cell)]) {
        for &(agent, cell) in faults {
            self.cells[agent] = cell;
        }
        self.progress.leaders = self.cells.iter().filter(|&&cell| self.rule.leads(cell)).count() as u64;
    }
}

impl<R: Rule, A: Clone> Clone for Step<R, A> {
    fn clone(&self) -> Self {
        let Step { rule, arcs, cells, progress } = self;
        Step { rule: rule.clone(), arcs: arcs.clone(), cells: cells.clone(), progress: progress.clone() }
    }

    /// Reuses the memory: runs are saved and restored again and again.
    fn clone_from(&mut self, other: &Self) {
        self.cells.clone_from(&other.cells);
        self.progress.clone_from(&other.progress);
    }
}
