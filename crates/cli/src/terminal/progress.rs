//! Progress on standard error, only if that is a terminal; and Ctrl-C.

use super::interrupt;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use ringleader_report::number::grouped;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Work that takes less time shows no progress.
const PATIENCE: Duration = Duration::from_secs(2);
/// The least time between two changes of the display.
const OFTEN: Duration = Duration::from_millis(100);

/// One line of progress: a message, or a bar with a message beside it.
pub(crate) struct Progress {
    begun: Instant,
    patience: Duration,
    shown: Option<(ProgressBar, Instant)>,
    /// Whether the user was warned that the search may never end.
    warned: bool,
}

/// The part of the work that is done.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    pub(crate) done: u64,
    pub(crate) of: u64,
    /// The unit of the numbers.
    pub(crate) unit: &'static str,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        Progress::after(PATIENCE)
    }

    /// Progress that is shown even for short work.
    pub(crate) fn at_once() -> Progress {
        Progress::after(Duration::ZERO)
    }

    fn after(patience: Duration) -> Progress {
        Progress { begun: Instant::now(), patience, shown: None, warned: false }
    }

    /// The time that the work has taken so far.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Shows a message if the work takes long; whether to go on.
    pub(crate) fn say(&mut self, message: impl FnOnce() -> String) -> bool {
        self.show(None, message)
    }

    /// The same, with a bar.
    pub(crate) fn count(&mut self, share: Share, message: impl FnOnce() -> String) -> bool {
        self.show(Some(share), message)
    }

    /// Shows the progress of a search for reachable states; whether to go on.
    pub(crate) fn search(&mut self, found: ringleader_explore::Progress) -> bool {
        if let Some(crowd) = found.crowd.filter(|_| self.elapsed() > self.patience && !self.warned) {
            self.warned = true;
            self.clear();
            anstream::eprintln!(
                "{crowd} messages wait in one channel: if their number has no bound, the search ends only when the memory is full \
                 (--memory); Ctrl-C ends it now"
            );
        }
        let seconds = self.elapsed().as_secs_f64();
        self.say(|| {
            format!(
                "depth {}: {} states, {} to do, {}, {} MiB",
                found.depth,
                grouped(found.stored),
                grouped(found.stored - found.expanded.min(found.stored)),
                rate(found.expanded as f64 / seconds),
                found.bytes >> 20
            )
        })
    }

    /// Removes the line; the next message brings it back.
    pub(crate) fn clear(&mut self) {
        if let Some((bar, _)) = self.shown.take() {
            bar.finish_and_clear();
        }
    }

    fn show(&mut self, share: Option<Share>, message: impl FnOnce() -> String) -> bool {
        let now = Instant::now();
        let due = match &self.shown {
            None => now - self.begun >= self.patience,
            Some((_, last)) => now - *last > OFTEN,
        };
        if due {
            let (bar, last) = self.shown.get_or_insert_with(|| (new_bar(share.is_some()), now));
            if let Some(Share { done, of, unit }) = share {
                // Work of several parts counts each from the beginning.
                if done < bar.position() {
                    bar.reset_elapsed();
                    bar.reset_eta();
                }
                bar.set_length(of);
                bar.set_position(done);
                bar.set_prefix(unit);
            }
            bar.set_message(message());
            bar.tick();
            *last = now;
        }
        !interrupt::requested()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Does the work on another thread, while this one shows its progress from time to time.
pub(crate) fn watched<T: Send>(work: impl FnOnce() -> T + Send, mut look: impl FnMut(&mut Progress)) -> T {
    const POLL: Duration = Duration::from_millis(50);
    std::thread::scope(|scope| {
        let worker = scope.spawn(work);
        let mut progress = Progress::new();
        while !worker.is_finished() {
            look(&mut progress);
            std::thread::sleep(POLL.min(progress.elapsed() / 8 + Duration::from_millis(1)));
        }
        drop(progress);
        match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The remaining time, rounded.
pub(crate) fn about(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("about {s:.0} s left"),
        s if s < 6000.0 => format!("about {:.0} min left", s / 60.0),
        s => format!("about {:.1} h left", s / 3600.0),
    }
}

/// A rate with the digits that a reader needs; a slow one is counted in minutes.
fn rate(per_second: f64) -> String {
    match per_second {
        fast if fast >= 10.0 => format!("{}/s", grouped(fast.round() as u64)),
        slow if slow >= 0.1 => format!("{slow:.1}/s"),
        slower => format!("{:.1}/min", slower * 60.0),
    }
}

fn new_bar(counts: bool) -> ProgressBar {
    let (bar, template) = if counts {
        (ProgressBar::new(0), "{wide_bar:.cyan} {human_pos}/{human_len} {prefix}, {rate}  {msg}")
    } else {
        (ProgressBar::new_spinner(), "{spinner} {msg}")
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style.with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
            let _ = out.write_str(&rate(state.per_sec()));
        })),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_built_only_when_it_is_due() {
        let mut patient = Progress::new();
        assert!(patient.say(|| unreachable!("short work shows no progress")));
        let mut made = 0;
        let mut eager = Progress::at_once();
        for done in 0..5 {
            eager.count(Share { done, of: 5, unit: "runs" }, || {
                made += 1;
                String::new()
            });
        }
        assert_eq!(made, 1, "five times within a tenth of a second");
    }

    #[test]
    fn rates_have_the_digits_that_a_reader_needs() {
        let rates = [1_234_567.83, 12.6, 3.12, 0.05, 0.0].map(rate);
        assert_eq!(rates, ["1,234,568/s", "13/s", "3.1/s", "3.0/min", "0.0/min"]);
    }

    #[test]
    fn remaining_times_are_rounded() {
        assert_eq!([12.3, 600.0, 9000.0].map(about), ["about 12 s left", "about 10 min left", "about 2.5 h left"]);
    }
}
