//! Verdicts of an algorithm about many configurations in sequence.

use crate::number::Decoded;
use ringleader_model::{ClosedSet, Found, Stabilizing};

/// The verdict of an algorithm about a configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Whether faults can produce the configuration. If not, the other fields have no meaning.
    pub possible: bool,
    /// Whether it meets the specification now.
    pub correct: bool,
    /// Whether it is in the algorithm's own safe set.
    pub safe: bool,
    /// The closed sets of the proof that contain it: bit i for the i-th set.
    pub sets: u64,
}

/// Judges configurations; each thread has its own.
pub trait Judge {
    /// The verdict about the configuration with these local states. It is fastest if few states have changed since the
    /// last call.
    fn judge(&mut self, states: &[u32]) -> Verdict;
}

pub(crate) struct Bench<'a, A: Stabilizing> {
    algorithm: &'a A,
    states: &'a [A::State],
    sets: Vec<ClosedSet<'a, A::State>>,
    known: Vec<u32>,
    configuration: Vec<A::State>,
    /// Whether all configurations are possible.
    possible: bool,
    /// The same, between one verdict and the next.
    restored: Vec<A::State>,
}

impl<'a, A: Stabilizing<State: Copy>> Bench<'a, A> {
    /// A judge for an algorithm whose states have been decoded. `possible`: it judges only configurations that faults can produce.
    pub(crate) fn new(
        algorithm: &'a A,
        decoded: &'a Decoded<A::State>,
        size: usize,
        possible: bool,
    ) -> Option<Bench<'a, A>> {
        let states = decoded.all(algorithm)?;
        let configuration = vec![states[0]; size];
        let (known, restored) = (vec![0; size], configuration.clone());
        Some(Bench { algorithm, states, sets: algorithm.closed_sets(), known, configuration, possible, restored })
    }
}

impl<A: Stabilizing<State: Copy>> Judge for Bench<'_, A> {
    fn judge(&mut self, states: &[u32]) -> Verdict {
        for (i, &state) in states.iter().enumerate() {
            if self.known[i] != state {
                self.known[i] = state;
                self.configuration[i] = self.states[state as usize];
                self.restored[i] = self.configuration[i];
            }
        }
        if !self.possible {
            self.algorithm.restore(&mut self.restored);
            if self.restored != self.configuration {
                self.restored.copy_from_slice(&self.configuration);
                return Verdict::default();
            }
        }
        if let Some(Found { correct, safe, sets }) = self.algorithm.at_once(&self.configuration) {
            return Verdict { possible: true, correct, safe, sets };
        }
        let contains = |set: &ClosedSet<'_, A::State>| (set.contains)(&self.configuration);
        let sets = self.sets.iter().take(64).enumerate();
        Verdict {
            possible: true,
            correct: self.algorithm.correct(&self.configuration),
            safe: self.algorithm.safe(&self.configuration),
            sets: sets.fold(0, |bits, (i, set)| bits | u64::from(contains(set)) << i),
        }
    }
}
