//! Locks whose owner may have panicked.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, also after a panic of a thread that held it: the data behind it is replaced whole and never left half-written.
///
/// ```
/// let mutex = std::sync::Mutex::new(7);
/// std::thread::scope(|scope| {
///     let panicking = scope.spawn(|| {
///         let _guard = mutex.lock();
///         panic!("while holding the lock")
///     });
///     assert!(panicking.join().is_err());
/// });
/// assert_eq!(*ringleader_model::lock(&mutex), 7);
/// ```
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
