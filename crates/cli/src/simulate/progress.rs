//! How far an experiment has come and how long it will still take, on a terminal.

use super::record::Record;
use crate::sweep::Point;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Counts runs as they end. Larger settings take longer: how much is read off the settings done.
pub(super) struct Progress {
    shown: bool,
    runs: u64,
    /// Per setting: its x, runs that ended before this call, and runs and seconds of this call.
    settings: Vec<(f64, u64, u64, f64)>,
    since: Instant,
    drawn: Instant,
    started: Instant,
}

impl Progress {
    pub(super) fn new(points: &[Point], runs: u64, before: &[Record]) -> Progress {
        let ended = |index| before.iter().filter(|r| r.point == index).count() as u64;
        let settings = points.iter().enumerate().map(|(i, p)| (p.x as f64, ended(i), 0, 0.0)).collect();
        let now = Instant::now();
        Progress { shown: std::io::stderr().is_terminal(), runs, settings, since: now, drawn: now, started: now }
    }

    pub(super) fn ended(&mut self, record: &Record) {
        let setting = &mut self.settings[record.point];
        setting.2 += 1;
        setting.3 += self.since.elapsed().as_secs_f64();
        self.since = Instant::now();
        let due = self.started.elapsed() > Duration::from_secs(2) && self.drawn.elapsed() > Duration::from_millis(200);
        if self.shown && due {
            self.drawn = Instant::now();
            let (x, before, now, _) = self.settings[record.point];
            let left = self.left().map_or(String::new(), |s| format!(", about {} left", human_seconds(s)));
            let _ = write!(std::io::stderr(), "\r\x1b[K{x}: {} of {} runs{left}", before + now, self.runs);
        }
    }

    /// Seconds left: each setting at its own speed, those to come by the growth seen so far (quadratic at first).
    fn left(&self) -> Option<f64> {
        let known: Vec<(f64, f64)> =
            self.settings.iter().filter(|s| s.2 > 0).map(|s| (s.0, s.3 / s.2 as f64)).collect();
        let &(x, per_run) = known.last()?;
        let growth = match known.as_slice() {
            [.., a, b] if b.1 > 0.0 && a.1 > 0.0 && b.0 > a.0 => (b.1 / a.1).ln() / (b.0 / a.0).ln(),
            _ => 2.0,
        };
        let seconds = |s: &(f64, u64, u64, f64)| {
            let speed = if s.2 > 0 { s.3 / s.2 as f64 } else { per_run * (s.0 / x).powf(growth.clamp(0.0, 4.0)) };
            speed * self.runs.saturating_sub(s.1 + s.2) as f64
        };
        Some(self.settings.iter().map(seconds).sum())
    }

    pub(super) fn clear(&self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn human_seconds(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
