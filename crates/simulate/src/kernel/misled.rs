//! One interaction after the other with a leader detector that is late or lies.

use crate::arcs::Arcs;
use crate::kernel::{Kernel, Progress};
use crate::{Detector, Oracle};
use ringleader_model::{Input, Population};

/// Takes every interaction; each agent reads its own answer of the detector.
pub struct Misled<'a, P: Population, A> {
    protocol: &'a P,
    arcs: A,
    states: Vec<P::State>,
    detector: Detector,
    progress: Progress,
}

impl<'a, P: Population, A: Arcs> Misled<'a, P, A> {
    /// A run from these states.
    pub fn new(protocol: &'a P, arcs: A, states: Vec<P::State>, oracle: Oracle, mut progress: Progress) -> Self {
        assert_eq!(arcs.agents(), states.len(), "one state per agent");
        progress.leaders = states.iter().filter(|s| protocol.marks(s).leader()).count() as u64;
        let detector = Detector::new(oracle, states.len(), progress.leaders > 0, &mut progress.coin);
        Misled { protocol, arcs, states, detector, progress }
    }

    /// Whether the detector no longer says anything false: only then is a safe configuration safe.
    pub fn truthful(&self) -> bool {
        self.detector.truthful(self.progress.steps)
    }

    fn step(&mut self) {
        let Misled { protocol, arcs, states, detector, progress } = self;
        let (u, v) = arcs.draw(&mut progress.coin);
        let before = (states[u], states[v]);
        let x = P::Input::from_detector(detector.read(progress.steps, u, &mut progress.coin));
        let y = P::Input::from_detector(detector.read(progress.steps, v, &mut progress.coin));
        let after = protocol.interact((before.0, x), (before.1, y), &mut progress.tosses);
        (states[u], states[v]) = after;
        progress.steps += 1;
        let output = |s: &P::State| protocol.marks(s).output();
        let (was, is) = ((output(&before.0), output(&before.1)), (output(&after.0), output(&after.1)));
        if was != is {
            progress.last_output_change = progress.steps;
            progress.leaders += u64::from(is.0.leader()) + u64::from(is.1.leader());
            progress.leaders -= u64::from(was.0.leader()) + u64::from(was.1.leader());
            detector.observe(progress.steps, progress.leaders > 0, &mut progress.coin);
        }
    }
}

impl<P: Population, A: Arcs> Kernel for Misled<'_, P, A> {
    type Cell = P::State;

    fn advance(&mut self, units: u64) -> u64 {
        for _ in 0..units {
            self.step();
        }
        units
    }

    fn agents(&self) -> usize {
        self.states.len()
    }

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn configuration(&self, look: &mut dyn FnMut(&[P::State])) {
        look(&self.states);
    }

    fn corrupt(&mut self, faults: &[(usize, P::State)]) {
        for &(agent, state) in faults {
            self.states[agent] = state;
        }
        self.progress.leaders = self.states.iter().filter(|s| self.protocol.marks(s).leader()).count() as u64;
        self.detector.observe(self.progress.steps, self.progress.leaders > 0, &mut self.progress.coin);
    }
}

impl<P: Population, A: Clone> Clone for Misled<'_, P, A> {
    fn clone(&self) -> Self {
        Misled {
            arcs: self.arcs.clone(),
            states: self.states.clone(),
            detector: self.detector.clone(),
            progress: self.progress.clone(),
            ..*self
        }
    }
}
