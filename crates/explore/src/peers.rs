//! The other processes of a search over several machines.
//!
//! All processes do the same steps in the same order, each with its own part of the states. They communicate through two
//! operations, so the engine knows nothing about networks.

use crate::Failure;
use std::collections::VecDeque;

/// The processes of one search.
pub trait Peers {
    /// The number of processes, including this one.
    fn processes(&self) -> usize;

    /// The number of this process, from 0.
    fn me(&self) -> usize;

    /// Starts a round: sends a letter to every process, including this one, without waiting for their arrival. All processes take
    /// part in the same number of rounds.
    fn send(&mut self, letters: Vec<Vec<u32>>) -> Result<(), Failure>;

    /// The letters of all processes to this one, in the earliest round that was not received yet.
    fn receive(&mut self) -> Result<Vec<Vec<u32>>, Failure>;

    /// A complete round: sends letters and waits for those of the others.
    fn exchange(&mut self, letters: Vec<Vec<u32>>) -> Result<Vec<Vec<u32>>, Failure> {
        self.send(letters)?;
        self.receive()
    }

    /// How many bytes were sent to other processes in letters, and how many letters.
    fn traffic(&self) -> (u64, u64) {
        (0, 0)
    }

    /// Ends the search properly: all letters arrive, and no process reports this one as lost.
    fn leave(self: Box<Self>) {}
}

/// A single process.
#[derive(Clone, Debug, Default)]
pub struct Alone {
    /// The letters to itself.
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

/// Sends the same letter to all processes and returns the letters of all.
pub(crate) fn tell_all(peers: &mut dyn Peers, words: Vec<u32>) -> Result<Vec<Vec<u32>>, Failure> {
    let letters = vec![words; peers.processes()];
    peers.exchange(letters)
}

/// Sums over all processes.
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
