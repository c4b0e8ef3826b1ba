//! Threads that wait for work. A batch takes milliseconds, and a new thread may wait as long until it gets a processor of its
//! own. So the threads are created once per search. A sleeping thread may be woken late, so a thread spins for a moment before
//! it sleeps.

use rayon_core::{ThreadPool, ThreadPoolBuilder};
use ringleader_model::lock;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The calling thread and its helpers.
pub(crate) struct Crew {
    helpers: Option<ThreadPool>,
    /// The number of calls so far.
    calls: Arc<AtomicU64>,
    /// The time that a thread spins before it sleeps.
    patience: Duration,
}

/// About the time of an insertion into a part of a set, and usually longer than the time between two calls.
const PATIENCE: Duration = Duration::from_millis(1);

impl Crew {
    /// A crew of this many workers. If the system gives no threads, the calling thread works alone.
    pub(crate) fn new(workers: usize) -> Crew {
        let helpers = workers.saturating_sub(1);
        let helpers = (helpers > 0).then(|| ThreadPoolBuilder::new().num_threads(helpers).build().ok()).flatten();
        // A spinning thread must not take a processor from a working one.
        let enough = std::thread::available_parallelism().is_ok_and(|processors| processors.get() >= workers);
        Crew { helpers, calls: Arc::default(), patience: if enough { PATIENCE } else { Duration::ZERO } }
    }

    /// The number of workers.
    pub(crate) fn workers(&self) -> usize {
        1 + self.helpers.as_ref().map_or(0, ThreadPool::current_num_threads)
    }

    /// Does all work. Every worker has data of its own in `hands`; the calling thread has the first. It works alone if there is too
    /// little to do.
    pub(crate) fn share<H: Send, T: Send>(
        &self,
        worthwhile: bool,
        hands: &mut [H],
        items: impl Iterator<Item = T>,
        work: impl Fn(&mut H, T) + Sync,
    ) {
        match (&self.helpers, &mut *hands) {
            (Some(helpers), [own, others @ ..]) if worthwhile => {
                let shares = Mutex::new(Shares::new(items, 1 + others.len()));
                let (shares, work) = (&shares, &work);
                let take = |worker: usize| lock(shares).take(worker);
                let busy = &AtomicUsize::new(others.len());
                let call = self.calls.fetch_add(1, Ordering::AcqRel) + 1;
                helpers.in_place_scope(|scope| {
                    for (hand, worker) in others.iter_mut().zip(1..) {
                        scope.spawn(move |_| {
                            while let Some(item) = take(worker) {
                                work(hand, item);
                            }
                            busy.fetch_sub(1, Ordering::Release);
                        });
                    }
                    for _ in 1..self.workers() {
                        let (calls, patience) = (self.calls.clone(), self.patience);
                        helpers.spawn(move || wait(patience, || calls.load(Ordering::Acquire) != call));
                    }
                    while let Some(item) = take(0) {
                        work(own, item);
                    }
                    wait(self.patience, || busy.load(Ordering::Acquire) == 0);
                });
            }
            (_, [own, ..]) => items.for_each(|item| work(own, item)),
            (_, []) => {}
        }
    }

    /// The same for work that needs only the item.
    pub(crate) fn each<T: Send>(&self, worthwhile: bool, items: impl Iterator<Item = T>, work: impl Fn(T) + Sync) {
        self.share(worthwhile, &mut vec![(); self.workers()], items, |(), item| work(item));
    }
}

/// Spins until a condition holds, or until `patience` has passed.
fn wait(patience: Duration, over: impl Fn() -> bool) {
    let begun = Instant::now();
    while !over() && begun.elapsed() < patience {
        std::hint::spin_loop();
    }
}

/// Work in equal shares of consecutive items. A worker that has finished its own share takes items from the end of the largest
/// remaining share. So all workers finish at about the same time, and most consecutive items go to the same worker.
struct Shares<T> {
    items: Vec<Option<T>>,
    /// The rest of each worker's share.
    left: Vec<Range<usize>>,
}

impl<T> Shares<T> {
    fn new(items: impl Iterator<Item = T>, workers: usize) -> Self {
        let items: Vec<Option<T>> = items.map(Some).collect();
        let first = |worker: usize| items.len() * worker / workers;
        let left = (0..workers).map(|worker| first(worker)..first(worker + 1)).collect();
        Shares { items, left }
    }

    fn take(&mut self, worker: usize) -> Option<T> {
        let own = self.left[worker].next();
        let next = own.or_else(|| self.left.iter_mut().max_by_key(|left| left.len())?.next_back())?;
        self.items[next].take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_taken_exactly_once() {
        for workers in [0, 1, 2, 5] {
            let crew = Crew::new(workers);
            for worthwhile in [false, true] {
                let (mut done, mut hands) = ([0; 70], vec![0; crew.workers()]);
                crew.share(worthwhile, &mut hands, done.iter_mut(), |hand, done| {
                    *done += 1;
                    *hand += 1;
                });
                assert_eq!(done, [1; 70], "{workers} workers");
                assert_eq!(hands.iter().sum::<i32>(), 70);
                crew.each(worthwhile, done.iter_mut(), |done| *done += 1);
                assert_eq!(done, [2; 70]);
            }
        }
    }

    #[test]
    fn an_idle_worker_takes_from_the_end_of_the_largest_share() {
        let mut shares = Shares::new(0..12, 3);
        let taken: Vec<i32> = [0, 1, 1, 1, 1, 1, 1, 1].into_iter().filter_map(|worker| shares.take(worker)).collect();
        assert_eq!(taken, [0, 4, 5, 6, 7, 11, 10, 3]);
        let rest: Vec<i32> = (0..9).filter_map(|turn| shares.take(turn % 3)).collect();
        assert_eq!(rest, [1, 9, 8, 2]);
    }
}
