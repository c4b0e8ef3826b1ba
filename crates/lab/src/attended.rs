//! Work that ends when nobody waits for it.

use ringleader_model::lock;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The last time at which a page asked for some work.
#[derive(Clone, Debug)]
pub struct Attended {
    now: fn() -> Duration,
    asked: Arc<Mutex<Duration>>,
}

impl Attended {
    /// Work that a page asks for now.
    #[must_use]
    pub fn new(now: fn() -> Duration) -> Attended {
        Attended { now, asked: Arc::new(Mutex::new(now())) }
    }

    /// A page asks.
    pub fn ask(&self) {
        *lock(&self.asked) = (self.now)();
    }

    /// The time since a page asked.
    #[must_use]
    pub fn alone(&self) -> Duration {
        (self.now)().saturating_sub(*lock(&self.asked))
    }
}
