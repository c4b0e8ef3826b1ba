//! Batches are small here, so that levels have many rounds and several are under way at once.

use super::*;
use ringleader_algorithms::message::franklin::Franklin;
use std::sync::mpsc::{Receiver, Sender, channel};

/// One of several processes, with a channel from and to every one.
struct Process {
    me: usize,
    to: Vec<Sender<Vec<u32>>>,
    from: Vec<Receiver<Vec<u32>>>,
    /// How many rounds are under way, and how many were at most.
    under_way: usize,
    most: usize,
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
        self.to.iter().zip(letters).for_each(|(to, letter)| to.send(letter).expect("it receives"));
        Ok(())
    }

    fn receive(&mut self) -> Result<Vec<Vec<u32>>, Failure> {
        self.under_way -= 1;
        Ok(self.from.iter().map(|from| from.recv().expect("it sends")).collect())
    }
}

/// Does something in so many processes.
fn spread<T: Send>(processes: usize, work: impl Fn(&mut Process) -> T + Sync) -> Vec<T> {
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
        let workers: Vec<_> = all.iter_mut().map(|process| scope.spawn(move || work(process))).collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).collect()
    })
}

const FRANKLIN: Franklin = Franklin { size: 4, ids: 2, keeps_identity: false };

#[test]
fn many_rounds_at_once_find_what_one_process_finds() {
    for (rotation, confluence, set) in
        [(false, false, Set::Plain), (true, false, Set::Compact), (true, true, Set::Plain)]
    {
        let options = Options { rotation, confluence, set, threads: 1, ..Options::default() };
        let seen = |peers: &mut dyn Peers| {
            let (system, found) = search(&FRANKLIN, &options, &mut |_| true, peers).expect("it fits");
            (found.whole.counts, found.whole.stored, found.levels(), system.cells.len())
        };
        let alone = seen(&mut crate::Alone::default());
        for processes in [2, 3] {
            for (all, most) in spread(processes, |process| (seen(process), process.most)) {
                assert_eq!(all, alone, "{processes} processes, {options:?}");
                assert!(rotation || most == 2, "letters travel while the next batch is expanded");
            }
        }
    }
}

/// Whatever stops a search with rounds under way, all processes have received all of them in the end.
#[test]
fn nothing_is_under_way_when_a_search_has_stopped() {
    let options = Options { threads: 1, set: Set::Plain, ..Options::default() };
    for stored in [100, 5_000, 20_000, 60_000] {
        let ended = spread(3, |process| {
            let me = process.me;
            let mut watch = |progress: Progress| me != 1 || progress.stored < stored;
            let ended = search(&FRANKLIN, &options, &mut watch, process).err();
            (ended, process.under_way)
        });
        assert_eq!(ended, [(Some(Failure::Stopped), 0); 3]);
    }
}
