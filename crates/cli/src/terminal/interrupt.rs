//! Ctrl-C, noticed between steps.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A second signal within this time is the same one, sent to the program and to its group.
const SAME: Duration = Duration::from_millis(300);

/// From now on Ctrl-C only sets a flag; a second one ends the program immediately.
pub(crate) fn listen() {
    let mut first = None;
    // Without a handler Ctrl-C still ends the program, so a failure to install one is no reason to stop.
    let _ = ctrlc::set_handler(move || {
        let first = *first.get_or_insert_with(Instant::now);
        if INTERRUPTED.swap(true, Ordering::Relaxed) && first.elapsed() > SAME {
            std::process::exit(i32::from(super::exit::INTERRUPTED));
        }
    });
}

/// Whether Ctrl-C was pressed.
pub(crate) fn requested() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The flag itself, for engines that read it while they work.
pub(crate) fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}
