//! A progress bar beside a check, and Ctrl-C.

use super::memory;
use crate::interrupt;
use indicatif::{ProgressBar, ProgressStyle};
use ringleader_check::Watch;
use std::time::{Duration, Instant};

/// Short checks show nothing.
const PATIENCE: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(50);

/// Does the work while another thread watches it.
pub(super) fn watched<T: Send>(watch: &Watch, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let worker = scope.spawn(work);
        let begun = Instant::now();
        let mut bar = None;
        while !worker.is_finished() {
            if interrupt::requested() {
                watch.stop();
            }
            if begun.elapsed() > PATIENCE {
                show(bar.get_or_insert_with(new_bar), watch);
            }
            std::thread::sleep(POLL.min(begun.elapsed() / 8 + Duration::from_millis(1)));
        }
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn new_bar() -> ProgressBar {
    // Standard error, and nothing at all where that is no terminal.
    let bar = ProgressBar::new(0);
    let style = ProgressStyle::with_template("{wide_bar:.cyan} {pos}/{len} states, {per_sec}  {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

fn show(bar: &ProgressBar, watch: &Watch) {
    let (phase, done) = watch.progress();
    if done < bar.position() {
        bar.reset_elapsed();
        bar.reset_eta();
    }
    bar.set_length(phase.total.unwrap_or(done));
    bar.set_position(done);
    let memory = memory::present().map_or(String::new(), |bytes| format!(", {:.1} GiB", bytes as f64 / 1.07e9));
    bar.set_message(format!("{}{memory}", phase.name));
}
