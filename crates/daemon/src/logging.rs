//! Log lines that stop nothing: a thread of their own writes them, and what it cannot write is lost and counted.
//!
//! Standard error may be a full disk, a pipe that nobody reads, or one whose reader has ended. Whoever logs hands a line
//! over and goes on; if too many wait, the line is dropped.

use super::settings::{LogFormat, LogLevel, Settings};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use tracing_subscriber::fmt::MakeWriter;

/// How many lines may wait.
const BACKLOG: usize = 4096;
/// How long the end of the program waits for the last lines.
const FAREWELL: Duration = Duration::from_millis(500);

/// What waits for the thread.
enum Item {
    Line(Vec<u8>),
    /// Everything before this has been written.
    Flush(SyncSender<()>),
}

/// Where log lines go.
#[derive(Clone)]
pub(super) struct Log {
    lines: SyncSender<Item>,
    lost: Arc<AtomicU64>,
}

impl Log {
    /// A log whose thread writes to `sink`.
    fn new(sink: impl Write + Send + 'static) -> std::io::Result<Log> {
        let (lines, waiting) = sync_channel(BACKLOG);
        let lost = Arc::new(AtomicU64::new(0));
        let there = Arc::clone(&lost);
        std::thread::Builder::new().name("log".into()).spawn(move || write_all(sink, &waiting, &there))?;
        Ok(Log { lines, lost })
    }

    /// Waits for what was logged so far, but not for long.
    pub(super) fn flush(&self) {
        let (done, finished) = sync_channel(1);
        let end = Instant::now() + FAREWELL;
        let mut item = Item::Flush(done);
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

fn write_all(mut sink: impl Write, waiting: &Receiver<Item>, lost: &AtomicU64) {
    for item in waiting {
        match item {
            Item::Line(line) => {
                let missing = lost.load(Ordering::Relaxed);
                if missing > 0 && writeln!(sink, "({missing} log lines could not be written)").is_ok() {
                    lost.fetch_sub(missing, Ordering::Relaxed);
                }
                if sink.write_all(&line).is_err() {
                    lost.fetch_add(1, Ordering::Relaxed);
                }
            }
            Item::Flush(done) => {
                let _ = sink.flush();
                let _ = done.try_send(());
            }
        }
    }
}

/// One event is one write.
impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.lines.try_send(Item::Line(bytes.to_vec())).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
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
    // It would complain on standard error, and die of that.
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

    /// Fails or blocks as it is told.
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
    fn what_cannot_be_written_is_counted_and_told_later() {
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
    }

    #[test]
    fn a_sink_that_takes_nothing_holds_up_nobody() {
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
        assert!(log.lost.load(Ordering::Relaxed) >= 2 * BACKLOG as u64 - 1);
    }
}
