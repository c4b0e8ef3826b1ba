//! Progress of a long check: its phase, how far it is, and whether it should stop.

use crate::report::Report;
use crate::stop::Stop;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The present phase of a check, for a progress bar in another thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Phase {
    /// The description of the phase.
    pub name: String,
    /// The number of states in this phase, if known.
    pub total: Option<u64>,
}

impl Phase {
    /// The phase in words, with the number of states that it has processed; `None` before the first phase.
    ///
    /// ```
    /// use ringleader_check::Monitor;
    /// let (phase, done) = Monitor::new(1).progress();
    /// assert_eq!(phase.told(done), None);
    /// ```
    #[must_use]
    pub fn told(&self, done: u64) -> Option<String> {
        match (self.name.as_str(), self.total) {
            ("", _) => None,
            (name, None) => Some(name.into()),
            (name, Some(_)) => Some(format!("{name} ({done} done)")),
        }
    }
}

/// A function that is called while a check goes on.
struct Observer(Box<dyn Fn(&Monitor) + Send + Sync>);

impl std::fmt::Debug for Observer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Observer")
    }
}

/// Shared between a check and the thread that waits for it.
#[derive(Debug)]
pub struct Monitor {
    stop: AtomicBool,
    done: AtomicU64,
    phase: Mutex<Phase>,
    found: Mutex<Vec<String>>,
    decided: Mutex<Option<Box<Report>>>,
    threads: usize,
    observer: Option<Observer>,
}

impl Monitor {
    /// A monitor over a check on this many threads; on one in WebAssembly, which has no more.
    pub fn new(threads: usize) -> Monitor {
        let threads = if cfg!(target_family = "wasm") { 1 } else { threads };
        Monitor {
            stop: AtomicBool::new(false),
            done: AtomicU64::new(0),
            phase: Mutex::default(),
            found: Mutex::default(),
            decided: Mutex::default(),
            threads: threads.max(1),
            observer: None,
        }
    }

    /// Calls a function whenever some states are done, on the thread that has done them: for a program that has no other thread.
    ///
    /// ```
    /// use ringleader_check::Monitor;
    /// let monitor = Monitor::new(1).observed(|monitor| println!("{} states", monitor.progress().1));
    /// assert!(!monitor.stopped());
    /// ```
    #[must_use]
    pub fn observed(self, observer: impl Fn(&Monitor) + Send + Sync + 'static) -> Monitor {
        Monitor { observer: Some(Observer(Box::new(observer))), ..self }
    }

    /// Asks the check to stop soon.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Whether the check was asked to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// How many threads the check may use.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The present phase and the number of states that it has processed.
    pub fn progress(&self) -> (Phase, u64) {
        (self.phase.lock().map(|p| p.clone()).unwrap_or_default(), self.done.load(Relaxed))
    }

    /// The findings so far, one per line.
    pub fn found(&self) -> Vec<String> {
        self.found.lock().map(|f| f.clone()).unwrap_or_default()
    }

    /// The report with its verdict, while numbers are still being computed. It is handed out once.
    pub fn decided(&self) -> Option<Box<Report>> {
        self.decided.lock().ok()?.take()
    }

    pub(crate) fn decide(&self, report: &Report) {
        if let Ok(mut decided) = self.decided.lock() {
            *decided = Some(Box::new(report.clone()));
        }
    }

    pub(crate) fn enter(&self, name: impl Into<String>, total: Option<u64>) {
        self.done.store(0, Relaxed);
        if let Ok(mut phase) = self.phase.lock() {
            *phase = Phase { name: name.into(), total };
        }
    }

    pub(crate) fn find(&self, line: String) {
        if let Ok(mut found) = self.found.lock() {
            found.push(line);
        }
    }

    pub(crate) fn advance(&self, states: u64) {
        self.done.fetch_add(states, Relaxed);
        if let Some(Observer(observer)) = &self.observer {
            observer(self);
        }
    }

    pub(crate) fn check(&self) -> Result<(), Stop> {
        if self.stopped() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    /// Counts one more state of a loop on one thread, and stops the loop if the check should stop: once in a while.
    #[inline]
    pub(crate) fn pass(&self, at: u64, every: u64) -> Result<(), Stop> {
        if at.is_multiple_of(every) {
            self.check()?;
            self.advance(every);
        }
        Ok(())
    }

    /// Does the work for each of `0..len`, in blocks that the threads share.
    pub(crate) fn each(&self, len: u64, block: u64, work: impl Fn(u32) + Sync) -> Result<(), Stop> {
        self.blocks(len, block, |(), range| range.for_each(|i| work(i as u32)), || ()).map(|_| ())
    }

    /// The sum of a number for each of `0..len`, in blocks that the threads share.
    pub(crate) fn sum(&self, len: u64, block: u64, number: impl Fn(u32) -> u64 + Sync) -> Result<u64, Stop> {
        let add = |sum: &mut u64, range: Range<u64>| *sum += range.map(|i| number(i as u32)).sum::<u64>();
        Ok(self.blocks(len, block, add, || 0)?.into_iter().sum())
    }

    /// Cuts `0..len` into blocks and lets every thread take the next one. Returns the results of the threads, in no
    /// fixed order.
    pub(crate) fn blocks<T: Send>(
        &self,
        len: u64,
        block: u64,
        work: impl Fn(&mut T, Range<u64>) + Sync,
        start: impl Fn() -> T + Sync,
    ) -> Result<Vec<T>, Stop> {
        let next = AtomicU64::new(0);
        let run = || {
            let mut mine = start();
            while !self.stopped() {
                let from = next.fetch_add(block, Relaxed);
                if from >= len {
                    break;
                }
                let to = len.min(from + block);
                work(&mut mine, from..to);
                self.advance(to - from);
            }
            mine
        };
        let results = Mutex::new(vec![]);
        let threads = self.threads.min(len.div_ceil(block).max(1) as usize);
        on_threads(threads, &|| {
            let mine = run();
            results.lock().expect("no thread panics while it holds the lock").push(mine);
        });
        let results = results.into_inner().expect("no thread panics while it holds the lock");
        self.check().map(|()| results)
    }
}

/// Does the work on `threads` threads, including the current one.
pub(crate) fn on_threads(threads: usize, work: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
}

impl Default for Monitor {
    fn default() -> Self {
        Monitor::new(std::thread::available_parallelism().map_or(1, |n| n.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_phase_that_counts_states_tells_their_number() {
        let monitor = Monitor::new(1);
        let told = || {
            let (phase, done) = monitor.progress();
            phase.told(done)
        };
        assert_eq!(told(), None);
        monitor.enter("compiling the rules", None);
        assert_eq!(told().as_deref(), Some("compiling the rules"));
        monitor.enter("recurring sets", Some(8));
        monitor.advance(3);
        assert_eq!(told().as_deref(), Some("recurring sets (3 done)"));
    }
}
