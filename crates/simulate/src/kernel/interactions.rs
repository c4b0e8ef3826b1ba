//! Interactions of a population, one after the other or from one active interaction to the next.
//!
//! While many arcs are active, every interaction is taken. While few are, the kernel keeps the set of active arcs, whose
//! interaction may change something, and skips the interactions on all others.

use crate::kernel::active::{AHEAD, Active};
use crate::kernel::arcs::Arcs;
use crate::kernel::cells::{AgentStore, Which};
use crate::kernel::gaps::Gaps;
use crate::kernel::{Kernel, Progress};
use ringleader_erased::Number;

/// The number of arcs drawn ahead, so that each of the two loops has the registers to itself.
const BLOCK: usize = 256;
/// States that take more bytes than this are fetched a block at a time, so that memory accesses overlap.
const CACHE: usize = 1 << 20;

/// When to skip interactions that change nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// While few arcs are active: the `auto` kernel.
    Choose,
    /// Never: the `rule` and the `table` kernel.
    Step,
    /// Always: the `skip` kernel.
    Skip,
}

/// A run of a population protocol.
pub struct Interactions<C, A> {
    cells: C,
    arcs: A,
    progress: Progress,
    /// The active arcs, while the others are skipped.
    active: Option<Active>,
    gaps: Gaps,
    /// The units of work left before the next choice.
    patience: u64,
}

impl<C: AgentStore, A: Arcs> Interactions<C, A> {
    /// A run from these cells. The leaders in `progress` are counted anew.
    pub fn new(cells: C, arcs: A, mut progress: Progress, policy: Policy) -> Self {
        assert_eq!(arcs.agents(), cells.count(), "one state per agent");
        progress.leaders = cells.leaders();
        let gaps = Gaps::of(arcs.count());
        let mut run = Interactions { cells, arcs, progress, active: None, gaps, patience: u64::MAX };
        match policy {
            Policy::Choose => run.patience = run.until_next_choice(),
            Policy::Step => {}
            Policy::Skip => run.start_skipping(),
        }
        run
    }

    fn start_skipping(&mut self) {
        self.active = Some(Active::new(self.arcs.count()));
        self.rebuild();
    }

    /// Finds the active arcs anew, if the others are skipped.
    fn rebuild(&mut self) {
        let Interactions { cells, arcs, active: Some(active), progress, .. } = self else { return };
        active.clear();
        cells.active(arcs, Which::All, progress.leaders > 0, |arc, is| active.set(arc, is));
    }

    /// The fraction of arcs that are active.
    fn density(&self) -> f64 {
        let mut count = 0;
        match &self.active {
            Some(active) => count = active.len(),
            None => {
                self.cells.active(&self.arcs, Which::All, self.progress.leaders > 0, |_, is| count += usize::from(is));
            }
        }
        count as f64 / self.arcs.count() as f64
    }

    fn choose(&mut self) {
        let density = self.density();
        match self.active {
            None if density < C::SPARSE => self.start_skipping(),
            // Changing over takes time, so the two limits differ.
            Some(_) if density > 1.3 * C::SPARSE => self.active = None,
            _ => {}
        }
        self.patience = self.until_next_choice();
    }

    /// Without the set, the active arcs have to be counted, so the choice is rare.
    fn until_next_choice(&self) -> u64 {
        match self.active {
            None => 32 * self.arcs.count() + 256,
            Some(_) => self.agents() as u64 + 32,
        }
    }

    /// Takes every interaction.
    fn step(&mut self, units: u64) {
        let Interactions { cells, arcs, progress, .. } = self;
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
    }

    /// Skips to the next active interaction, unless that is past step `until`. Returns whether a state changed.
    fn event(&mut self, until: u64) -> bool {
        let Interactions { cells, arcs, progress, active: Some(active), gaps, .. } = self else { return false };
        let gap = gaps.draw(active.len(), &mut progress.coin);
        if progress.steps.saturating_add(gap) >= until {
            // The scheduler has no memory: later interactions are drawn again.
            progress.steps = until;
            return false;
        }
        progress.steps += gap + 1;
        let fetch = |soon: &[u32]| {
            let mut ends = [(0, 0); AHEAD];
            soon.iter().zip(&mut ends).for_each(|(&arc, ends)| {
                let (u, v) = arcs.ends(arc as usize);
                *ends = (u as u32, v as u32);
            });
            cells.touch(&ends[..soon.len()]);
        };
        let arc = active.draw(&mut progress.coin, fetch);
        let heard = progress.leaders > 0;
        let met = cells.meet_and_look(arcs, arc, heard, &mut progress.tosses, |arc, is| active.set(arc, is));
        if met.loud {
            progress.leaders = progress.leaders.wrapping_add_signed(met.leaders.into());
            progress.last_output_change = progress.steps;
            if cells.hears() && heard != (progress.leaders > 0) {
                self.rebuild();
            }
        }
        met.initiator || met.responder
    }

    /// Takes one interaction; returns whether a state changed.
    fn single(&mut self) -> bool {
        let Interactions { cells, arcs, progress, .. } = self;
        let arc = arcs.draw(&mut progress.coin);
        let met = cells.meet(arc, progress.leaders > 0, &mut progress.tosses);
        progress.leaders = progress.leaders.wrapping_add_signed(met.leaders.into());
        progress.passed(1, met.loud.into());
        met.initiator || met.responder
    }

    /// Takes as many units as the present way can.
    fn some(&mut self, units: u64) -> u64 {
        if self.active.is_none() {
            self.step(units);
            return units;
        }
        for done in 0..units {
            if self.stuck() {
                return done;
            }
            _ = self.event(u64::MAX);
        }
        units
    }
}

impl<C: AgentStore, A: Arcs> Kernel for Interactions<C, A> {
    fn advance(&mut self, units: u64) -> u64 {
        let mut left = units;
        while left > 0 {
            let part = left.min(self.patience);
            let done = self.some(part);
            left -= done;
            self.patience -= done;
            if self.patience == 0 {
                self.choose();
            }
            if done < part {
                break;
            }
        }
        units - left
    }

    fn one(&mut self) -> Option<bool> {
        if self.stuck() {
            return None;
        }
        let changed = if self.active.is_none() { self.single() } else { self.event(u64::MAX) };
        self.patience -= 1;
        if self.patience == 0 {
            self.choose();
        }
        Some(changed)
    }

    fn run_to(&mut self, step: u64) {
        if self.active.is_none() {
            return self.step(step.saturating_sub(self.progress.steps));
        }
        while self.progress.steps < step && !self.stuck() {
            _ = self.event(step);
        }
        self.progress.steps = step;
    }

    fn agents(&self) -> usize {
        self.cells.count()
    }

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn stuck(&self) -> bool {
        self.active.as_ref().is_some_and(|active| active.len() == 0)
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
        self.rebuild();
    }
}

impl<C: Clone, A: Clone> Clone for Interactions<C, A> {
    fn clone(&self) -> Self {
        let Interactions { cells, arcs, progress, active, gaps, patience } = self;
        let (cells, arcs, progress) = (cells.clone(), arcs.clone(), progress.clone());
        Interactions { cells, arcs, progress, active: active.clone(), gaps: gaps.clone(), patience: *patience }
    }

    /// Reuses the memory, since runs are saved and restored often.
    fn clone_from(&mut self, other: &Self) {
        self.cells.clone_from(&other.cells);
        self.progress.clone_from(&other.progress);
        self.active.clone_from(&other.active);
        self.patience = other.patience;
    }
}
