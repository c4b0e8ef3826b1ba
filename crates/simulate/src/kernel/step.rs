//! One interaction after the other: the `rule` kernel, and with a compiled rule the `table` kernel.

use crate::Generator;
use crate::arcs::{Arcs, Incidence};
use crate::kernel::{Kernel, Progress};
use crate::rule::Rule;

const BLOCK: usize = 256;

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
        // Local copies stay in registers.
        let mut coin = progress.coin.clone();
        let (mut leaders, mut last_loud) = (progress.leaders, 0);
        let mut heard = leaders > 0;
        let mut drawn = [(0, 0); BLOCK];
        let mut step = 0;
        while step < units {
            // Drawing many arcs first leaves more registers to each of the two loops; where the rule draws too, its draws
            // must come in between.
            let block = if R::TOSSES { 1 } else { (units - step).min(BLOCK as u64) as usize };
            for arc in &mut drawn[..block] {
                let (u, v) = arcs.draw(&mut coin);
                *arc = (u as u32, v as u32);
            }
            for &(u, v) in &drawn[..block] {
                let (u, v) = (u as usize, v as usize);
                let met = rule.meet(cells[u], cells[v], heard, &mut coin);
                (cells[u], cells[v]) = (met.initiator, met.responder);
                step += 1;
                leaders = leaders.wrapping_add_signed(met.leaders.into());
                last_loud = if met.loud { step } else { last_loud };
                // A branch, seldom taken, where a value would make each look-up wait for the one before.
                if R::HEARS && heard != (leaders > 0) {
                    heard = leaders > 0;
                }
            }
        }
        if last_loud > 0 {
            progress.last_output_change = progress.steps + last_loud;
        }
        progress.leaders = leaders;
        progress.steps += units;
        progress.coin = coin;
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

impl Progress {
    /// The beginning.
    pub fn new(coin: Generator) -> Progress {
        Progress { steps: 0, leaders: 0, last_output_change: 0, coin }
    }
}
