//! Batches are small here, so that levels have many rounds and several are in transit at once.

use super::*;
use ringleader_algorithms::message::franklin::Franklin;
use threads::spread;

#[path = "../../tests/suite/spread/threads.rs"]
mod threads;

fn franklin() -> MessageInstance {
    MessageInstance::new(Franklin { size: 4, ids: 2, keeps_identity: false })
}

#[test]
fn several_processes_find_the_same_states_as_one() {
    for (rotation, confluence, set) in
        [(false, false, Storage::Plain), (true, false, Storage::Compact), (true, true, Storage::Plain)]
    {
        let options = Options { rotation, confluence, set, threads: 1, ..Options::default() };
        let seen = |peers: &mut dyn Peers| {
            let franklin = franklin();
            let (system, found) = search(&franklin, &options, &mut |_| true, peers).expect("it fits");
            // The representative of a rotation class depends on the cells' numbers, and so do the cells on the way to it.
            let cells = (!confluence).then_some(system.cells.len());
            (found.whole.counts, found.whole.stored, found.kept.levels(), cells)
        };
        let alone = seen(&mut crate::Alone::default());
        for processes in [2, 3] {
            for (all, most) in spread(processes, |process| (seen(process), process.most)) {
                assert_eq!(all, alone, "{processes} processes, {options:?}");
                assert!(rotation || most == 2, "letters are in transit while the next batch is expanded");
            }
        }
    }
}

/// When a search stops, all processes have received all rounds.
#[test]
fn no_round_is_in_transit_after_a_search_has_stopped() {
    let options = Options { threads: 1, set: Storage::Plain, ..Options::default() };
    for stored in [100, 5_000, 20_000, 60_000] {
        let ended = spread(3, |process| {
            let me = process.me;
            let mut watch = |progress: Progress| me != 1 || progress.stored < stored;
            let ended = search(&franklin(), &options, &mut watch, process).err();
            (ended, process.under_way)
        });
        assert_eq!(ended, [const { (Some(Failure::Stopped), 0) }; 3]);
    }
}

/// A truncated letter causes no panic.
#[test]
fn the_sender_of_a_truncated_letter_counts_as_lost() {
    struct Cut(crate::Alone, usize);
    impl Peers for Cut {
        fn processes(&self) -> usize {
            1
        }

        fn me(&self) -> usize {
            0
        }

        fn send(&mut self, mut letters: Vec<Vec<u32>>) -> Result<(), Failure> {
            let letter = &mut letters[0];
            letter.drain(..letter.len().min(self.1));
            self.0.send(letters)
        }

        fn receive(&mut self) -> Result<Vec<Vec<u32>>, Failure> {
            self.0.receive()
        }
    }
    let options = Options { threads: 1, ..Options::default() };
    // The letter of the first round has only the numbers of the report and the missing entries.
    for words in [1, 2, 4, 8, 100] {
        let franklin = franklin();
        let ended = search(&franklin, &options, &mut |_| true, &mut Cut(crate::Alone::default(), words));
        assert_eq!(ended.err(), Some(Failure::Lost { process: 0 }), "{words} words less");
    }
}
