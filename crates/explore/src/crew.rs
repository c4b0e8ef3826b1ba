//! Threads that wait for work. A batch takes milliseconds, and a thread made for it may wait as long until it is moved to a
//! processor of its own: so they are made once for a whole search. A thread that sleeps may also be woken late, so nobody
//! sleeps before it has waited a moment.

use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The calling thread and those that help it.
pub(crate) struct Crew {
    helpers: Option<ThreadPool>,
    /// How often work was shared.
    calls: Arc<AtomicU64>,
    /// How long a thread waits before it sleeps.
    patience: Duration,
}

/// As long as it takes to add to a part of a set, and longer than the time between two calls, usually.
const PATIENCE: Duration = Duration::from_millis(1);

impl Crew {
    /// So many workers. If the system gives no threads, the calling one works alone.
    pub(crate) fn new(workers: usize) -> Crew {
        let helpers = workers.saturating_sub(1);
        let helpers = (helpers > 0).then(|| ThreadPoolBuilder::new().num_threads(helpers).build().ok()).flatten();
        // Who waits in vain must not keep others from working.
        let enough = std::thread::available_parallelism().is_ok_and(|processors| processors.get() >= workers);
        Crew { helpers, calls: Arc::default(), patience: if enough { PATIENCE } else { Duration::ZERO } }
    }

    /// How many workers there are.
    pub(crate) fn workers(&self) -> usize {
        1 + self.helpers.as_ref().map_or(0, ThreadPool::current_num_threads)
    }

    /// Does all work. Every worker has a hand, the calling thread the first, and works alone if there is too little to do.
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
                let take = |worker: usize| shares.lock().unwrap_or_else(PoisonError::into_inner).take(worker);
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

    /// The same for work that needs nothing but the item.
    pub(crate) fn each<T: Send>(&self, worthwhile: bool, items: impl Iterator<Item = T>, work: impl Fn(T) + Sync) {
        self.share(worthwhile, &mut vec![(); self.workers()], items, |(), item| work(item));
    }
}

/// Waits without sleeping, but not for longer than that.
fn wait(patience: Duration, over: impl Fn() -> bool) {
    let begun = Instant::now();
    while !over() && begun.elapsed() < patience {
        std::hint::spin_loop();
    }
}

/// Work in equal shares of neighbours. Who has done its own share takes from the end of the largest that is left, so that all
/// are done at about the same time, and most neighbours are with the same worker.
struct Shares<T> {
    items: Vec<Option<T>>,
    /// What is left of every worker's share.
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
    fn every_item_is_taken_once_and_every_hand_is_back() {
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
    fn who_is_done_takes_from_the_end_of_the_largest_share() {
        let mut shares = Shares::new(0..12, 3);
        let taken: Vec<i32> = [0, 1, 1, 1, 1, 1, 1, 1].into_iter().filter_map(|worker| shares.take(worker)).collect();
        assert_eq!(taken, [0, 4, 5, 6, 7, 11, 10, 3]);
        let rest: Vec<i32> = (0..9).filter_map(|turn| shares.take(turn % 3)).collect();
        assert_eq!(rest, [1, 9, 8, 2]);
    }
}
