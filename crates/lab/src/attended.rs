//! Work that ends when nobody waits for it.

use ringleader_model::lock;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The time between two looks at whether somebody waits.
const LOOK: Duration = Duration::from_millis(250);

/// The last time at which a page asked for some work.
#[derive(Clone, Debug)]
pub(crate) struct Attended(Arc<Mutex<Instant>>);

impl Default for Attended {
    fn default() -> Attended {
        Attended(Arc::new(Mutex::new(Instant::now())))
    }
}

impl Attended {
    /// A page asks.
    pub(crate) fn ask(&self) {
        *lock(&self.0) = Instant::now();
    }

    /// The time since a page asked.
    pub(crate) fn alone(&self) -> Duration {
        lock(&self.0).elapsed()
    }

    /// Calls `stop` once nobody has asked for this long, unless the work is over before.
    pub(crate) fn watch(
        &self,
        longest: Duration,
        over: impl Fn() -> bool + Send + 'static,
        stop: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<()> {
        let attended = self.clone();
        let watch = move || {
            while !over() {
                if attended.alone() > longest {
                    stop();
                    return;
                }
                std::thread::sleep(LOOK);
            }
        };
        std::thread::Builder::new().spawn(watch).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    #[test]
    fn work_is_stopped_once_nobody_asks() {
        let (attended, stopped) = (Attended::default(), Arc::new(AtomicBool::new(false)));
        let told = stopped.clone();
        attended.watch(Duration::from_millis(600), || false, move || told.store(true, Relaxed)).unwrap();
        for _ in 0..8 {
            std::thread::sleep(Duration::from_millis(150));
            attended.ask();
        }
        assert!(!stopped.load(Relaxed), "somebody asks all the time");
        for _ in 0..400 {
            std::thread::sleep(Duration::from_millis(10));
            if stopped.load(Relaxed) {
                return;
            }
        }
        panic!("nobody asks, and it goes on");
    }
}
