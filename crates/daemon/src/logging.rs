//! A log that never blocks: a separate thread writes the lines; lines that it cannot write are dropped and counted.
//!
//! Standard error may be a full disk, a pipe that nobody reads, or one whose reader has ended. A thread that logs hands its line over and
//! continues; if too many lines wait, the line is dropped.

use super::settings::{LogFormat, LogLevel, Settings};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use tracing_subscriber::fmt::MakeWriter;

/// The greatest number of waiting lines.
const BACKLOG: usize = 4096;
/// The time that the end of the program waits for the last lines.
const FAREWELL: Duration = Duration::from_millis(500);

/// An entry of the thread's queue.
enum Queued {
    Line(Vec<u8>),
    /// A request for a reply after all lines before it.
    Flush(SyncSender<()>),
}

/// The log.
#[derive(Clone)]
pub(super) struct Log {
    lines: SyncSender<Queued>,
    lost: Lost,
}

/// The lines that could not be written.
#[derive(Clone, Debug, Default)]
struct Lost {
    /// Since the log could last be written: these are reported in it.
    unreported: Arc<AtomicU64>,
    total: Arc<AtomicU64>,
}

impl Lost {
    fn count(&self) {
        self.unreported.fetch_add(1, Ordering::Relaxed);
        self.total.fetch_add(1, Ordering::Relaxed);
    }
}

impl Log {
    /// A log whose thread writes to `sink`.
    fn new(sink: impl Write + Send + 'static) -> std::io::Result<Log> {
        let (lines, waiting) = sync_channel(BACKLOG);
        let lost = Lost::default();
        let there = lost.clone();
        std::thread::Builder::new().name("log".into()).spawn(move || write_all(sink, &waiting, &there))?;
        Ok(Log { lines, lost })
    }

    /// The number of lines that could not be written.
    pub(super) fn lost(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.lost.total)
    }

    /// Waits for the lines logged so far, up to a limit.
    pub(super) fn flush(&self) {
        let (done, finished) = sync_channel(1);
        let end = Instant::now() + FAREWELL;
        let mut item = Queued::Flush(done);
        while let Err(std::sync::mpsc::TrySendError::Full(back)) = self.lines.try_send(item) {
            if Instant::now() >= end {
                return;
            }
            item = back;
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = finished.recv_timeout(end.saturating_duration_since(Instant::now()));
    }
}

fn write_all(mut sink: impl Write, waiting: &Receiver<Queued>, lost: &Lost) {
    for item in waiting {
        match item {
            Queued::Line(line) => {
                let missing = lost.unreported.load(Ordering::Relaxed);
                if missing > 0 && writeln!(sink, "({missing} log lines could not be written)").is_ok() {
                    lost.unreported.fetch_sub(missing, Ordering::Relaxed);
                }
                if sink.write_all(&line).is_err() {
                    lost.count();
                }
            }
            Queued::Flush(done) => {
                let _ = sink.flush();
                let _ = done.try_send(());
            }
        }
    }
}

/// Each event is one write.
impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.lines.try_send(Queued::Line(bytes.to_vec())).is_err() {
            self.lost.count();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Log;
    fn make_writer(&'a self) -> Log {
        self.clone()
    }
}

/// Logs to standard error from now on.
pub(super) fn start(settings: &Settings) -> std::io::Result<Log> {
    use tracing_subscriber::filter::LevelFilter;
    let level = match settings.log.unwrap_or(LogLevel::Info) {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let log = Log::new(std::io::stderr())?;
    let logs = tracing_subscriber::fmt().with_max_level(level).with_target(false).with_writer(log.clone());
    // It would report errors on standard error, and panic if that fails.
    let logs = logs.log_internal_errors(false);
    match settings.log_format.unwrap_or(LogFormat::Human) {
        LogFormat::Json => logs.json().flatten_event(true).init(),
        LogFormat::Human => logs.with_ansi(std::io::stderr().is_terminal()).init(),
    }
    Ok(log)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// A sink that can be made to fail.
    struct Sink(Arc<Mutex<(bool, Vec<u8>)>>);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let mut inner = self.0.lock().unwrap();
            if inner.0 {
                return Err(std::io::ErrorKind::BrokenPipe.into());
            }
            inner.1.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_cannot_be_written_are_counted_and_reported_later() {
        let state = Arc::new(Mutex::new((true, vec![])));
        let mut log = Log::new(Sink(Arc::clone(&state))).unwrap();
        for _ in 0..3 {
            log.write_all(b"lost\n").unwrap();
        }
        log.flush();
        Log::flush(&log);
        state.lock().unwrap().0 = false;
        log.write_all(b"kept\n").unwrap();
        Log::flush(&log);
        let text = String::from_utf8(state.lock().unwrap().1.clone()).unwrap();
        assert_eq!(text, "(3 log lines could not be written)\nkept\n");
        assert_eq!(log.lost().load(Ordering::Relaxed), 3, "the total stays");
    }

    #[test]
    fn a_blocked_sink_delays_no_thread() {
        struct Stuck;
        impl Write for Stuck {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                std::thread::sleep(Duration::from_secs(3600));
                Ok(0)
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut log = Log::new(Stuck).unwrap();
        let begun = Instant::now();
        for _ in 0..3 * BACKLOG {
            log.write_all(b"line\n").unwrap();
        }
        Log::flush(&log);
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert!(log.lost().load(Ordering::Relaxed) >= 2 * BACKLOG as u64 - 1);
    }
}
