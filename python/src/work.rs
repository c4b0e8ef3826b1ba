//! Long work: on a thread of its own, without the interpreter lock. This thread polls signals and shows the progress.

use crate::errors;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The longest time between two looks at signals.
const POLL: Duration = Duration::from_millis(20);
/// The least time between two calls of the progress callback.
const OFTEN: Duration = Duration::from_millis(100);
/// The time that work gets to end after an exception, where it is left alone after that.
const PATIENCE: Duration = Duration::from_millis(40);
/// The stack of the worker: deep enough for nested expressions of texts.
const STACK: usize = 16 << 20;

/// The progress of some work, for its callback.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    /// The present phase.
    pub(crate) phase: String,
    /// The amount of work that is done in this phase.
    pub(crate) done: u64,
    /// The amount of work of this phase, if known.
    pub(crate) total: Option<u64>,
}

/// Progress that the work writes and this thread reads, and the request to stop.
#[derive(Debug, Default)]
pub(crate) struct Board {
    stop: AtomicBool,
    progress: Mutex<Progress>,
}

impl Board {
    pub(crate) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.stop
    }

    pub(crate) fn goes_on(&self) -> bool {
        !self.stop.load(Relaxed)
    }

    /// Notes the progress; whether to go on.
    pub(crate) fn note(&self, phase: impl Into<String>, done: u64, total: Option<u64>) -> bool {
        if let Ok(mut progress) = self.progress.lock() {
            *progress = Progress { phase: phase.into(), done, total };
        }
        self.goes_on()
    }

    pub(crate) fn look(&self) -> Progress {
        self.progress.lock().map(|progress| progress.clone()).unwrap_or_default()
    }
}

/// The result of some work, and the exception that ended it early: what it found until then counts.
pub(crate) struct Done<T> {
    pub(crate) result: T,
    pub(crate) interrupted: Option<PyErr>,
}

impl<T, E> Done<Result<T, E>> {
    /// The result of work that may fail. The exception counts more than the failure.
    pub(crate) fn unless_failed(self, explain: impl FnOnce(E) -> PyErr) -> PyResult<Done<T>> {
        match self.result {
            Ok(result) => Ok(Done { result, interrupted: self.interrupted }),
            Err(failure) => Err(self.interrupted.unwrap_or_else(|| explain(failure))),
        }
    }
}

impl<T, E> Done<Option<Result<T, E>>> {
    /// The result of work that may have been left or stopped: `None` then. `explain` gives no exception for a failure that says so.
    pub(crate) fn unless_stopped(self, explain: impl FnOnce(E) -> Option<PyErr>) -> PyResult<Done<Option<T>>> {
        let result = match self.result.transpose() {
            Ok(result) => result,
            Err(failure) => match explain(failure) {
                Some(raised) => return Err(self.interrupted.unwrap_or(raised)),
                None => None,
            },
        };
        Ok(Done { result, interrupted: self.interrupted })
    }
}

/// Does the work. An exception of a signal handler or of the callback ends it through `stop`.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    look: impl Fn() -> Progress,
    stop: impl Fn(),
    work: impl FnOnce() -> T + Send,
) -> PyResult<Done<T>> {
    std::thread::scope(|scope| {
        let run = || catch_unwind(AssertUnwindSafe(work));
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run)?;
        let interrupted = wait(py, callback, look, stop, || worker.is_finished(), None);
        match worker.join().and_then(|ended| ended) {
            Ok(result) => Ok(Done { result, interrupted }),
            Err(panic) => Err(errors::panicked(&*panic)),
        }
    })
}

/// Does work that looks at the request to stop too seldom. If it goes on after that, the result is `None`, and the thread ends by itself.
pub(crate) fn watched_or_left<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    look: impl Fn() -> Progress,
    stop: impl Fn(),
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<Done<Option<T>>> {
    let run = || catch_unwind(AssertUnwindSafe(work));
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(run)?;
    let interrupted = wait(py, callback, look, stop, || worker.is_finished(), Some(PATIENCE));
    if !worker.is_finished() {
        return Ok(Done { result: None, interrupted });
    }
    match worker.join().and_then(|ended| ended) {
        Ok(result) => Ok(Done { result: Some(result), interrupted }),
        Err(panic) => Err(errors::panicked(&*panic)),
    }
}

/// Waits until a worker has finished, or, with `patience`, until it did not finish in time after an exception.
fn wait(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    look: impl Fn() -> Progress,
    stop: impl Fn(),
    finished: impl Fn() -> bool,
    patience: Option<Duration>,
) -> Option<PyErr> {
    let (mut interrupted, mut shown) = (None, Instant::now());
    let mut nap = Duration::from_micros(50);
    while !finished() {
        py.detach(|| std::thread::sleep(nap));
        nap = (2 * nap).min(POLL);
        if interrupted.is_some() {
            match patience {
                Some(patience) if shown.elapsed() > patience => break,
                _ => continue,
            }
        }
        let mut looked = py.check_signals();
        if let (Ok(()), Some(callback), true) = (&looked, callback, shown.elapsed() >= OFTEN) {
            shown = Instant::now();
            let Progress { phase, done, total } = look();
            looked = callback.call1((phase, done, total)).map(drop);
        }
        if let Err(raised) = looked {
            stop();
            // From here on, `shown` is the time of the exception.
            (interrupted, shown, nap) = (Some(raised), Instant::now(), Duration::from_millis(1));
        }
    }
    interrupted
}
