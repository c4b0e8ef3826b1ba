//! The event-skipping kernel: it keeps the set of arcs whose interaction may change something, and jumps from one such
//! interaction to the next.
//!
//! Of m arcs, k active, the number of interactions that change nothing before the next active one is geometric with
//! success probability k/m, and the active arc is uniform among the k, independently: two draws replace them all.

use crate::Generator;
use crate::kernel::active::{AHEAD, Active};
use crate::kernel::arcs::Incidence;
use crate::kernel::cells::{Cells, Which};
use crate::kernel::{Kernel, Progress};
use ringleader_erased::Number;

/// Takes only the interactions that may change something.
pub struct Skip<C, A> {
    cells: C,
    arcs: A,
    progress: Progress,
    active: Active,
    gaps: Gaps,
}

impl<C: Cells, A: Incidence> Skip<C, A> {
    /// A run from these cells. The leaders in `progress` are counted anew.
    pub fn new(cells: C, arcs: A, mut progress: Progress) -> Self {
        assert_eq!(arcs.agents(), cells.count(), "one state per agent");
        progress.leaders = cells.leaders();
        let active = Active::new(arcs.count());
        let gaps = Gaps { arcs: arcs.count() as f64, scale: vec![] };
        let mut skip = Skip { cells, arcs, progress, active, gaps };
        skip.rebuild();
        skip
    }

    /// Gives up everything, for another kernel to go on with.
    pub fn into_parts(self) -> (C, A, Progress) {
        (self.cells, self.arcs, self.progress)
    }

    /// The fraction of arcs that are active.
    pub fn density(&self) -> f64 {
        self.active.len() as f64 / self.arcs.count() as f64
    }

    fn rebuild(&mut self) {
        let Skip { cells, arcs, active, progress, .. } = self;
        active.clear();
        cells.active(arcs, Which::All, progress.leaders > 0, |arc, is| active.set(arc, is));
    }

    /// The next interaction that may change something, unless that is past step `until`.
    fn event(&mut self, until: u64) {
        let k = self.active.len();
        let gap = self.gaps.draw(k, &mut self.progress.coin);
        if self.progress.steps + gap >= until {
            // The scheduler has no memory: what would have come later is drawn again.
            self.progress.steps = until;
            return;
        }
        self.progress.steps += gap + 1;
        let fetch = |soon: &[u32]| {
            let mut ends = [(0, 0); AHEAD];
            soon.iter().zip(&mut ends).for_each(|(&arc, ends)| {
                let (u, v) = self.arcs.ends(arc as usize);
                *ends = (u as u32, v as u32);
            });
            self.cells.touch(&ends[..soon.len()]);
        };
        let arc = self.active.draw(&mut self.progress.coin, fetch);
        let heard = self.progress.leaders > 0;
        let Skip { cells, arcs, active, progress, .. } = self;
        let met = cells.meet_and_look(arcs, arc, heard, &mut progress.tosses, |arc, is| active.set(arc, is));
        if met.loud {
            self.progress.leaders = self.progress.leaders.wrapping_add_signed(met.leaders.into());
            self.progress.last_output_change = self.progress.steps;
            if self.cells.hears() && heard != (self.progress.leaders > 0) {
                self.rebuild();
            }
        }
    }
}

/// How many interactions change nothing before one may.
#[derive(Clone, Debug)]
struct Gaps {
    arcs: f64,
    /// -1 / ln(1 - k / arcs) for small k, once it was needed; 0 before.
    scale: Vec<f64>,
}

impl Gaps {
    /// As [`nulls`], with `k` arcs active.
    #[inline]
    fn draw(&mut self, k: usize, coin: &mut Generator) -> u64 {
        match self.scale.get(k) {
            Some(&scale) if scale != 0.0 => (coin.exponential() * scale) as u64,
            _ => self.draw_anew(k, coin),
        }
    }

    #[cold]
    fn draw_anew(&mut self, k: usize, coin: &mut Generator) -> u64 {
        const REMEMBERED: usize = 4096;
        if k >= REMEMBERED || k as f64 >= self.arcs {
            return nulls(coin, k as f64 / self.arcs);
        }
        self.scale.resize(self.scale.len().max(k + 1), 0.0);
        self.scale[k] = -1.0 / (-(k as f64) / self.arcs).ln_1p();
        (coin.exponential() * self.scale[k]) as u64
    }
}

/// How many failures come before the first success, of probability `p`: the whole part of an exponential number is geometric.
#[inline]
pub(crate) fn nulls(coin: &mut Generator, p: f64) -> u64 {
    if p >= 1.0 {
        return 0;
    }
    (-coin.exponential() / (-p).ln_1p()) as u64
}

impl<C: Cells, A: Incidence> Kernel for Skip<C, A> {
    fn agents(&self) -> usize {
        self.cells.count()
    }

    fn advance(&mut self, units: u64) -> u64 {
        for done in 0..units {
            if self.stuck() {
                return done;
            }
            self.event(u64::MAX);
        }
        units
    }

    fn run_to(&mut self, step: u64) {
        while self.progress.steps < step && !self.stuck() {
            self.event(step);
        }
        self.progress.steps = step;
    }

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn stuck(&self) -> bool {
        self.active.len() == 0
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

impl<C: Clone, A: Clone> Clone for Skip<C, A> {
    fn clone(&self) -> Self {
        Skip {
            cells: self.cells.clone(),
            arcs: self.arcs.clone(),
            progress: self.progress.clone(),
            active: self.active.clone(),
            gaps: self.gaps.clone(),
        }
    }

    /// Reuses the memory: runs are saved and restored again and again.
    fn clone_from(&mut self, other: &Self) {
        self.cells.clone_from(&other.cells);
        self.progress.clone_from(&other.progress);
        self.active.clone_from(&other.active);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts how often each gap comes, with `k` of 20 arcs active, and compares with p (1 - p)^gap.
    #[test]
    fn gaps_are_geometric() {
        for k in [1, 2, 7, 19, 20] {
            let mut coin = Generator::new(k as u64);
            let mut gaps = Gaps { arcs: 20.0, scale: vec![] };
            let (draws, p) = (400_000, k as f64 / 20.0);
            let mut seen = [0u32; 60];
            for _ in 0..draws {
                if let Some(seen) = seen.get_mut(gaps.draw(k, &mut coin) as usize) {
                    *seen += 1;
                }
            }
            for (gap, &seen) in seen.iter().enumerate() {
                let expected = f64::from(draws) * p * (1.0 - p).powi(gap as i32);
                let off = f64::from(seen) - expected;
                assert!(off.abs() <= 5.0 * expected.sqrt() + 5.0, "{k} of 20, gap {gap}: {seen}, not {expected}");
            }
        }
    }
}
