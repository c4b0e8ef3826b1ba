//! The other processes of a search that is spread over several machines.
//!
//! All processes do the same in the same order, each with its own part of the states; what they tell each other goes through
//! two operations. So the engine knows nothing of networks.

use crate::Failure;
use std::collections::VecDeque;

/// Processes that search together.
pub trait Peers {
    /// How many there are, this one included.
    fn processes(&self) -> usize;

    /// The number of this one, from 0.
    fn me(&self) -> usize;

    /// Sends a letter to every process, this one included, and does not wait until they arrive. It is called equally often by
    /// all of them: that is a round.
    fn send(&mut self, letters: Vec<Vec<u32>>) -> Result<(), Failure>;

    /// What every process has sent to this one in the earliest round that was not received yet.
    fn receive(&mut self) -> Result<Vec<Vec<u32>>, Failure>;

    /// A round: sends letters, and waits for those of the others.
    fn exchange(&mut self, letters: Vec<Vec<u32>>) -> Result<Vec<Vec<u32>>, Failure> {
        self.send(letters)?;
        self.receive()
    }

    /// Is told how far the whole search is.
    fn progress(&mut self, _: crate::Progress) {}
}

/// One process without others.
#[derive(Clone, Debug, Default)]
pub struct Alone {
    /// What it has sent to itself.
    rounds: VecDeque<Vec<Vec<u32>>>,
}

impl Peers for Alone {
    fn processes(&self) -> usize {
        1
    }

    fn me(&self) -> usize {
        0
    }

    fn send(&mut self, letters: Vec<Vec<u32>>) -> Result<(), Failure> {
        self.rounds.push_back(letters);
        Ok(())
    }

    fn receive(&mut self) -> Result<Vec<Vec<u32>>, Failure> {
        Ok(self.rounds.pop_front().unwrap_or_default())
    }
}

/// Tells all processes the same, and returns what all told.
pub(crate) fn tell_all(peers: &mut dyn Peers, words: Vec<u32>) -> Result<Vec<Vec<u32>>, Failure> {
    let letters = vec![words; peers.processes()];
    peers.exchange(letters)
}

/// Sums of what all processes have.
pub(crate) fn sums<const N: usize>(peers: &mut dyn Peers, numbers: [u64; N]) -> Result<[u64; N], Failure> {
    let mut sums = [0; N];
    for letter in tell_all(peers, numbers.into_iter().flat_map(halved).collect())? {
        for (sum, half) in sums.iter_mut().zip(letter.chunks_exact(2)) {
            *sum += joined(half[0], half[1]);
        }
    }
    Ok(sums)
}

/// A number as two words.
pub(crate) fn halved(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// Two words as a number.
pub(crate) fn joined(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
