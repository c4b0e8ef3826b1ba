//! A log that never blocks: a separate thread writes the lines; lines that it cannot write are dropped and counted.
//!
//! Standard error may be a full disk, a pipe that nobody reads, or one whose reader has ended. A thread that logs hands its line over and
//! continues; if too many lines wait, the line is dropped.

use super::settings::{LogFormat, LogLevel, Settings};
use std::fmt::{self, Write as _};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant, SystemTime};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// The greatest number of waiting lines.
const BACKLOG: usize = 4096;
/// The time that the end of the program waits for the last lines.
const FAREWELL: Duration = Duration::from_millis(500);

/// An entry of the thread's queue.
enum Queued {
    Line(String),
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

    /// Hands a line to the thread.
    fn write(&self, line: String) {
        if self.lines.try_send(Queued::Line(line)).is_err() {
            self.lost.count();
        }
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
                if sink.write_all(line.as_bytes()).is_err() {
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

/// The form of a line.
#[derive(Clone, Copy)]
enum Form {
    Json,
    Plain,
    Coloured,
}

/// Writes one line in the log for each event of `tracing`.
struct Lines {
    log: Log,
    level: Level,
    form: Form,
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level.into())
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let time = humantime::format_rfc3339_micros(SystemTime::now());
        self.log.write(fields.line(self.form, time, *event.metadata().level()));
    }

    // The daemon opens no span.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The fields of an event.
#[derive(Default)]
struct Fields {
    json: String,
    text: String,
}

impl Fields {
    fn add(&mut self, field: &Field, value: impl Into<serde_json::Value>, text: fmt::Arguments<'_>) {
        let _ = write!(self.json, ",\"{field}\":{}", value.into());
        let _ = match field.name() {
            "message" => write!(self.text, " {text}"),
            name => write!(self.text, " {name}={text}"),
        };
    }

    fn line(self, form: Form, time: impl fmt::Display, level: Level) -> String {
        if let Form::Json = form {
            return format!("{{\"timestamp\":\"{time}\",\"level\":\"{level}\"{}}}\n", self.json);
        }
        // A host's answer can be part of a message: it neither begins a line nor colours the terminal.
        let mut text = String::new();
        for c in self.text.chars() {
            if c.is_control() { text.extend(c.escape_default()) } else { text.push(c) }
        }
        let colour = match level {
            Level::ERROR => 31,
            Level::WARN => 33,
            Level::INFO => 32,
            Level::DEBUG => 34,
            Level::TRACE => 35,
        };
        match form {
            Form::Coloured => format!("\x1b[2m{time}\x1b[0m \x1b[{colour}m{level:>5}\x1b[0m{text}\n"),
            _ => format!("{time} {level:>5}{text}\n"),
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format!("{value:?}"), format_args!("{value:?}"));
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value, format_args!("{value:?}"));
    }
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value, format_args!("{value}"));
    }
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value, format_args!("{value}"));
    }
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value, format_args!("{value}"));
    }
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value, format_args!("{value}"));
    }
}

/// Logs to standard error from now on.
pub(super) fn start(settings: &Settings) -> std::io::Result<Log> {
    let level = match settings.log.unwrap_or(LogLevel::Info) {
        LogLevel::Error => Level::ERROR,
        LogLevel::Warn => Level::WARN,
        LogLevel::Info => Level::INFO,
        LogLevel::Debug => Level::DEBUG,
        LogLevel::Trace => Level::TRACE,
    };
    let form = match settings.log_format.unwrap_or(LogFormat::Human) {
        LogFormat::Json => Form::Json,
        LogFormat::Human if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() => Form::Coloured,
        LogFormat::Human => Form::Plain,
    };
    let log = Log::new(std::io::stderr())?;
    let lines = Lines { log: log.clone(), level, form };
    tracing::subscriber::set_global_default(lines).expect("the daemon starts one log");
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
        let log = Log::new(Sink(Arc::clone(&state))).unwrap();
        for _ in 0..3 {
            log.write("lost\n".into());
        }
        log.flush();
        state.lock().unwrap().0 = false;
        log.write("kept\n".into());
        log.flush();
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
        let log = Log::new(Stuck).unwrap();
        let begun = Instant::now();
        for _ in 0..3 * BACKLOG {
            log.write("line\n".into());
        }
        log.flush();
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert!(log.lost().load(Ordering::Relaxed) >= 2 * BACKLOG as u64 - 1);
    }

    /// An event of each kind of value as a line of this form, without its time.
    fn line(form: Form) -> String {
        let (lines, waiting) = sync_channel(1);
        let log = Log { lines, lost: Lost::default() };
        let subscriber = Lines { log, level: Level::INFO, form };
        tracing::subscriber::with_default(subscriber, || {
            tracing::debug!("hidden");
            tracing::info!(peer = 3_u64, name = "a\"b", error = %"no\nanswer", "it\x1b[1m fails");
        });
        let Ok(Queued::Line(line)) = waiting.recv() else { panic!("no line") };
        line.replace(&line[line.find("20").unwrap()..=line.find('Z').unwrap()], "NOW")
    }

    #[test]
    fn an_event_is_one_line() {
        assert_eq!(line(Form::Plain), "NOW  INFO it\\u{1b}[1m fails peer=3 name=\"a\\\"b\" error=no\\nanswer\n");
        let coloured =
            "\x1b[2mNOW\x1b[0m \x1b[32m INFO\x1b[0m it\\u{1b}[1m fails peer=3 name=\"a\\\"b\" error=no\\nanswer\n";
        assert_eq!(line(Form::Coloured), coloured);
        let json = r#"{"timestamp":"NOW","level":"INFO","message":"it\u001b[1m fails","peer":3,"name":"a\"b","error":"no\nanswer"}"#;
        assert_eq!(line(Form::Json), format!("{json}\n"));
    }
}
