//! Processes of one search as threads with channels between them. The unit tests of the search include this file too.

use super::{Failure, Peers};
use std::sync::mpsc::{Receiver, Sender, channel};

/// One of several processes, with channels from and to all of them.
pub(super) struct Process {
    pub(super) me: usize,
    to: Vec<Sender<Vec<u32>>>,
    from: Vec<Receiver<Vec<u32>>>,
    /// The number of rounds in transit, and its maximum.
    pub(super) under_way: usize,
    pub(super) most: usize,
}

impl Peers for Process {
    fn processes(&self) -> usize {
        self.to.len()
    }

    fn me(&self) -> usize {
        self.me
    }

    fn send(&mut self, letters: Vec<Vec<u32>>) -> Result<(), Failure> {
        self.under_way += 1;
        self.most = self.most.max(self.under_way);
        for (process, (to, letter)) in self.to.iter().zip(letters).enumerate() {
            to.send(letter).map_err(|_| Failure::Lost { process })?;
        }
        Ok(())
    }

    fn receive(&mut self) -> Result<Vec<Vec<u32>>, Failure> {
        self.under_way -= 1;
        self.from.iter().enumerate().map(|(process, from)| from.recv().map_err(|_| Failure::Lost { process })).collect()
    }
}

/// Runs the work in this many processes and returns their results.
pub(super) fn spread<T: Send>(processes: usize, work: impl Fn(&mut Process) -> T + Sync) -> Vec<T> {
    let process = |me| Process { me, to: vec![], from: vec![], under_way: 0, most: 0 };
    let mut all: Vec<Process> = (0..processes).map(process).collect();
    for from in 0..processes {
        for to in 0..processes {
            let (sender, receiver) = channel();
            all[from].to.push(sender);
            all[to].from.push(receiver);
        }
    }
    std::thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = all.into_iter().map(|mut process| scope.spawn(move || work(&mut process))).collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).collect()
    })
}
