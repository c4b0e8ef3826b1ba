//! What an algorithm says of configurations, many of them one after the other.

use crate::number::Decoded;
use ringleader_model::{ClosedSet, Found, Stabilizing};

/// What an algorithm says of a configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Whether faults can bring it about; nothing else is said of one that they cannot.
    pub possible: bool,
    /// Whether it meets the specification now.
    pub correct: bool,
    /// Whether it is in the algorithm's own safe set.
    pub safe: bool,
    /// Which closed sets of the proof it is in: bit i for the i-th.
    pub sets: u64,
}

/// Judges configurations; each thread has its own.
pub trait Judge {
    /// What the algorithm says of the configuration with these local states. It is quickest if few have changed since the
    /// last one.
    fn judge(&mut self, states: &[u32]) -> Verdict;
}

pub(crate) struct Bench<'a, A: Stabilizing> {
    algorithm: &'a A,
    states: &'a [A::State],
    sets: Vec<ClosedSet<'a, A::State>>,
    known: Vec<u32>,
    configuration: Vec<A::State>,
    /// The same, between one verdict and the next.
    restored: Vec<A::State>,
}

impl<'a, A: Stabilizing<State: Copy>> Bench<'a, A> {
    /// For an algorithm whose states have been decoded.
    pub(crate) fn new(algorithm: &'a A, decoded: &'a Decoded<A::State>, size: usize) -> Option<Bench<'a, A>> {
        let states = decoded.all(algorithm)?;
        let configuration = vec![states[0]; size];
        let (known, restored) = (vec![0; size], configuration.clone());
        Some(Bench { algorithm, states, sets: algorithm.closed_sets(), known, configuration, restored })
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
        self.algorithm.restore(&mut self.restored);
        if self.restored != self.configuration {
            self.restored.copy_from_slice(&self.configuration);
            return Verdict::default();
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
