//! The other processes of a search that is spread over several machines.
//!
//! All processes do the same in the same order, each with its own part of the states; what they tell each other goes through
//! one operation. So the engine knows nothing of networks.

use crate::Failure;

/// Processes that search together.
pub trait Peers {
    /// How many there are, this one included.
    fn processes(&self) -> usize;

    /// The number of this one, from 0.
    fn me(&self) -> usize;

    /// Sends a letter to every process, this one included, and returns what every process has sent to this one. It is called
    /// equally often by all of them.
    fn exchange(&mut self, letters: Vec<Vec<u32>>) -> Result<Vec<Vec<u32>>, Failure>;

    /// Is told how far the whole search is.
    fn progress(&mut self, _: crate::Progress) {}
}

/// One process without others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Peers for Alone {
    fn processes(&self) -> usize {
        1
    }

    fn me(&self) -> usize {
        0
    }

    fn exchange(&mut self, letters: Vec<Vec<u32>>) -> Result<Vec<Vec<u32>>, Failure> {
        Ok(letters)
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
