//! The switch that the patches ask: which bug is planted.

use std::cell::Cell;

thread_local! {
    static PLANTED: Cell<&'static str> = const { Cell::new("") };
}

/// Whether this bug is planted, in this thread.
pub(crate) fn planted(bug: &str) -> bool {
    PLANTED.get() == bug
}

/// Runs something with a bug.
pub(crate) fn with<T>(bug: &'static str, run: impl FnOnce() -> T) -> T {
    PLANTED.set(bug);
    let result = run();
    PLANTED.set("");
    result
}
