//! One interaction after the other: the `rule` kernel, and with a compiled rule the `table` kernel.

use crate::kernel::arcs::{Arcs, Incidence};
use crate::kernel::cells::{Cells, Which};
use crate::kernel::{Kernel, Progress};
use ringleader_erased::Number;

/// So many arcs are drawn ahead: each of the two loops has the registers to itself.
const BLOCK: usize = 256;
/// Cells that take more bytes than this are fetched a block at a time, so that memory answers them together.
const CACHE: usize = 1 << 20;

/// Takes every interaction, those that change nothing too.
pub struct Step<C, A> {
    cells: C,
    arcs: A,
    progress: Progress,
}

impl<C: Cells, A: Arcs> Step<C, A> {
    /// A run from these cells. The leaders in `progress` are counted anew.
    pub fn new(cells: C, arcs: A, mut progress: Progress) -> Self {
        assert_eq!(arcs.agents(), cells.count(), "one state per agent");
        progress.leaders = cells.leaders();
        Step { cells, arcs, progress }
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
        let mut active = 0;
        self.cells.active(&self.arcs, Which::All, self.progress.leaders > 0, |_, is| active += u64::from(is));
        active as f64 / self.arcs.count() as f64
    }

    /// Gives up everything, for another kernel to go on with.
    pub fn into_parts(self) -> (C, A, Progress) {
        (self.cells, self.arcs, self.progress)
    }
}

impl<C: Cells, A: Arcs> Kernel for Step<C, A> {
    fn agents(&self) -> usize {
        self.cells.count()
    }

    fn advance(&mut self, units: u64) -> u64 {
        let Step { cells, arcs, progress } = self;
        let mut drawn = [(0, 0); BLOCK];
        let far = cells.bytes() > CACHE;
        let mut left = units;
        while left > 0 {
            let block = &mut drawn[..left.min(BLOCK as u64) as usize];
            arcs.draw_all(&mut progress.coin, block);
            if far {
                cells.touch(block);
            }
            cells.meet_all(block, progress);
            left -= block.len() as u64;
        }
        units
    }

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn safe(&self) -> bool {
        self.cells.safe()
    }

    fn configuration(&self) -> Vec<Number> {
        self.cells.numbers()
    }

    fn same(&self, other: &Self) -> bool {
        self.cells.same(&other.cells)
    }

    fn corrupt(&mut self, faults: &[(usize, Number)]) {
        self.cells.corrupt(faults);
        self.progress.leaders = self.cells.leaders();
    }
}

impl<C: Clone, A: Clone> Clone for Step<C, A> {
    fn clone(&self) -> Self {
        Step { cells: self.cells.clone(), arcs: self.arcs.clone(), progress: self.progress.clone() }
    }

    /// Reuses the memory: runs are saved and restored again and again.
    fn clone_from(&mut self, other: &Self) {
        self.cells.clone_from(&other.cells);
        self.progress.clone_from(&other.progress);
    }
}
