//! A line of progress beside a search, and Ctrl-C.

use crate::interrupt;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use ringleader_explore::Progress;
use std::time::{Duration, Instant};

/// Short work shows nothing.
const PATIENCE: Duration = Duration::from_secs(2);

/// Shows how far something is, on standard error and only if that is a terminal.
pub(crate) struct Line {
    begun: Instant,
    shown: Option<(ProgressBar, Instant)>,
}

impl Line {
    pub(crate) fn new() -> Line {
        Line { begun: Instant::now(), shown: None }
    }

    /// Whether to go on; says where the work is if it takes long.
    pub(crate) fn say(&mut self, message: impl FnOnce() -> String) -> bool {
        let now = Instant::now();
        if now - self.begun > PATIENCE {
            let (bar, last) = self.shown.get_or_insert_with(|| (new_bar(), self.begun));
            if now - *last > Duration::from_millis(100) {
                bar.set_message(message());
                bar.tick();
                *last = now;
            }
        }
        !interrupt::requested()
    }

    /// What a search does with its progress.
    pub(crate) fn search(&mut self, progress: Progress) -> bool {
        let seconds = self.begun.elapsed().as_secs_f64();
        self.say(|| {
            format!(
                "depth {}: {} states, {} to do, {}/s, {} MiB",
                progress.depth,
                HumanCount(progress.stored),
                HumanCount(progress.stored - progress.expanded.min(progress.stored)),
                HumanCount((progress.expanded as f64 / seconds) as u64),
                progress.bytes >> 20
            )
        })
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some((bar, _)) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar
}
