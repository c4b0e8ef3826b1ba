//! Single interactions with a leader detector that is late or wrong.

use crate::kernel::arcs::Arcs;
use crate::kernel::{AgentStore, ByRule, Kernel, Progress};
use crate::oracle::{Detector, Oracle};
use ringleader_erased::Number;
use ringleader_model::Told;

/// Takes every interaction; each agent reads its own answer of the detector.
#[derive(Clone)]
pub struct Misled<A> {
    cells: ByRule,
    arcs: A,
    detector: Detector,
    progress: Progress,
}

impl<A: Arcs> Misled<A> {
    /// A run from these cells.
    pub fn new(cells: ByRule, arcs: A, oracle: Oracle, mut progress: Progress) -> Self {
        assert_eq!(arcs.agents(), cells.count(), "one state per agent");
        progress.leaders = cells.leaders();
        let detector = Detector::new(oracle, cells.count(), progress.leaders > 0, &mut progress.coin);
        Misled { cells, arcs, detector, progress }
    }

    /// Whether the detector is correct from now on: only then is a safe configuration safe.
    pub fn truthful(&self) -> bool {
        self.detector.truthful(self.progress.steps)
    }

    fn step(&mut self) {
        let Misled { cells, arcs, detector, progress } = self;
        let (u, v) = arcs.draw(&mut progress.coin);
        let mut read = |agent| detector.read(progress.steps, agent, &mut progress.coin);
        let told = Told::each(read(u), read(v));
        let met = cells.agents.meet((u, v), told, &mut progress.tosses);
        progress.steps += 1;
        if met.loud {
            progress.last_output_change = progress.steps;
            progress.leaders = progress.leaders.wrapping_add_signed(met.leaders.into());
            detector.observe(progress.steps, progress.leaders > 0, &mut progress.coin);
        }
    }
}

impl<A: Arcs> Kernel for Misled<A> {
    fn advance(&mut self, units: u64) -> u64 {
        for _ in 0..units {
            self.step();
        }
        units
    }

    fn agents(&self) -> usize {
        self.cells.count()
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

    fn corrupt(&mut self, faults: &[(usize, Number)]) {
        self.cells.corrupt(faults);
        self.progress.leaders = self.cells.leaders();
        self.detector.observe(self.progress.steps, self.progress.leaders > 0, &mut self.progress.coin);
    }
}
