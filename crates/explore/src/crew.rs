//! Threads that wait for work. A batch takes milliseconds, and a thread made for it may wait as long until it is moved to a
//! processor of its own: so they are made once for a whole search.

use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// The calling thread and those that help it.
pub(crate) struct Crew {
    helpers: Option<ThreadPool>,
}

impl Crew {
    /// So many workers. If the system gives no threads, the calling one works alone.
    pub(crate) fn new(workers: usize) -> Crew {
        let helpers = workers.saturating_sub(1);
        Crew { helpers: (helpers > 0).then(|| ThreadPoolBuilder::new().num_threads(helpers).build().ok()).flatten() }
    }

    /// Does all jobs, the first on the calling thread; one after the other if there is too little to do.
    pub(crate) fn work<F: FnOnce() + Send>(&self, worthwhile: bool, mut jobs: impl Iterator<Item = F>) {
        match &self.helpers {
            Some(helpers) if worthwhile => helpers.in_place_scope(|scope| {
                let own = jobs.next();
                for job in jobs {
                    scope.spawn(|_| job());
                }
                if let Some(job) = own {
                    job();
                }
            }),
            _ => jobs.for_each(|job| job()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_job_is_done_once_before_it_returns() {
        for workers in [0, 1, 2, 5] {
            let crew = Crew::new(workers);
            for worthwhile in [false, true] {
                let done: Vec<AtomicUsize> = (0..7).map(|_| AtomicUsize::new(0)).collect();
                crew.work(worthwhile, done.iter().map(|count| || _ = count.fetch_add(1, Ordering::Relaxed)));
                assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == 1), "{workers} workers");
            }
        }
    }
}
