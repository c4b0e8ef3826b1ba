//! Many independent runs on all cores. A run depends only on the seed, the size and its number.

use crate::Generator;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// The generator of one run.
///
/// ```
/// use ringleader_simulate::run_generator;
/// assert_eq!(run_generator(1, 16, 3).word(), run_generator(1, 16, 3).word());
/// assert_ne!(run_generator(1, 16, 3).word(), run_generator(1, 17, 3).word());
/// ```
pub fn run_generator(seed: u64, size: usize, run: u64) -> Generator {
    keyed_generator(seed, size as u64, run)
}

/// The generator of one run of the setting with this key.
pub(crate) fn keyed_generator(seed: u64, key: u64, run: u64) -> Generator {
    // SplitMix64's finalizer spreads keys over all streams.
    let mut mixed = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    Generator::stream(seed, (mixed ^ mixed >> 31).wrapping_add(run))
}

/// Does the jobs `0..count` on `threads` threads, in order of their numbers, and calls `done` on this thread with each
/// result as it comes. Stops early once `stop` is raised or `done` returns `false`.
pub fn in_parallel<T: Send>(
    count: usize,
    threads: usize,
    stop: &AtomicBool,
    job: impl Fn(usize) -> T + Sync,
    mut done: impl FnMut(usize, T) -> bool,
) {
    if threads <= 1 {
        // Without another thread: some platforms have none.
        for index in 0..count {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            if !done(index, job(index)) {
                stop.store(true, Ordering::Relaxed);
            }
        }
        return;
    }
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::sync_channel(1024);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(count) {
            let (next, job, sender) = (&next, &job, sender.clone());
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || sender.send((index, job(index))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        while let Ok((index, result)) = receiver.recv() {
            if !done(index, result) {
                stop.store(true, Ordering::Relaxed);
                break;
            }
        }
        drop(receiver);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_on_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let mut results = vec![];
            in_parallel(
                100,
                threads,
                &AtomicBool::new(false),
                |i| i * i,
                |i, square| {
                    results.push((i, square));
                    true
                },
            );
            results.sort_unstable();
            assert_eq!(results, (0..100).map(|i| (i, i * i)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_raised_flag_ends_it() {
        let stop = AtomicBool::new(false);
        let mut seen = 0;
        in_parallel(
            1_000_000,
            2,
            &stop,
            |i| i,
            |_, _| {
                seen += 1;
                seen < 10
            },
        );
        assert_eq!(seen, 10);
    }
}
