//! Ctrl-C, noticed between steps.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C only raises a flag; a second one ends the program at once.
pub(crate) fn listen() {
    // Without a handler Ctrl-C still ends the program, so a failure to install one is no reason to stop.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(crate::failure::INTERRUPTED));
        }
    });
}

/// Whether Ctrl-C was pressed.
pub(crate) fn requested() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The flag itself, for engines that look at it while they work.
pub(crate) fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}
