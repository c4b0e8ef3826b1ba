//! The runs of [`MessageRun`], choice for choice, without looking at every process at every step.
//!
//! A step changes what its process and the receivers of its messages may do next, and nothing else. How many choices each
//! process has is kept in a tree of sums (P. Fenwick, *A new data structure for cumulative frequency tables*, 1994).

use crate::Generator;
use crate::plain::{MessageChoice, MessageRun, Run};
use ringleader_model::{Channels, Coin, Terminating};

/// A run of a terminating algorithm from its clean start. Every choice is uniform among those enabled.
pub struct MessageSteps<'a> {
    run: MessageRun<'a>,
    counts: Vec<u32>,
    /// At `i`, counted from 1: the sum of as many counts up to `i` as the lowest bit of `i` says.
    sums: Vec<u32>,
    total: u32,
    choices: Vec<MessageChoice>,
}

impl<'a> MessageSteps<'a> {
    /// A run from the clean start.
    pub fn new(algorithm: &'a impl Terminating, channels: Channels, coin: Generator) -> Self {
        MessageSteps::of(MessageRun::new(algorithm, channels, coin))
    }

    pub(crate) fn of(run: MessageRun<'a>) -> Self {
        let size = run.size();
        let mut steps = MessageSteps { run, counts: vec![0; size], sums: vec![0; size + 1], total: 0, choices: vec![] };
        (0..size).for_each(|process| steps.look(process));
        steps
    }

    /// The run so far.
    pub fn run(&self) -> &MessageRun<'a> {
        &self.run
    }

    /// Whether there was anything left to do.
    pub fn step(&mut self) -> bool {
        if self.total == 0 {
            return false;
        }
        let index = self.run.coin().below(self.total);
        let (process, index) = self.find(index);
        self.choices.clear();
        self.run.choices_of(process, &mut self.choices);
        let receivers = self.run.take(self.choices[index as usize]);
        self.look(process);
        receivers.into_iter().for_each(|receiver| self.look(receiver));
        true
    }

    /// Counts a process's choices anew.
    fn look(&mut self, process: usize) {
        self.choices.clear();
        self.run.choices_of(process, &mut self.choices);
        let count = self.choices.len() as u32;
        let change = count.wrapping_sub(std::mem::replace(&mut self.counts[process], count));
        self.total = self.total.wrapping_add(change);
        let mut at = process + 1;
        while change != 0 && at < self.sums.len() {
            self.sums[at] = self.sums[at].wrapping_add(change);
            at += at & at.wrapping_neg();
        }
    }

    /// Whose the choice with this number is, and which of its own.
    fn find(&self, mut index: u32) -> (usize, u32) {
        let (mut before, mut stride) = (0, self.sums.len().next_power_of_two() / 2);
        while stride > 0 {
            if before + stride < self.sums.len() && self.sums[before + stride] <= index {
                before += stride;
                index -= self.sums[before];
            }
            stride /= 2;
        }
        (before, index)
    }
}
