//! The progress of an experiment and its remaining time.

use crate::terminal::progress::{Progress, Share, about};
use ringleader_report::experiment::{RunRecord, Setting};
use std::time::Instant;

/// Counts runs as they end. Larger settings take longer: the growth is estimated from the finished settings.
pub(super) struct Remaining {
    progress: Progress,
    runs: u64,
    settings: Vec<Speed>,
    since: Instant,
}

/// The speed of the runs of a setting.
struct Speed {
    x: f64,
    /// Runs that ended before this call.
    before: u64,
    /// Runs and seconds of this call.
    now: u64,
    seconds: f64,
}

impl Speed {
    fn per_run(&self) -> Option<f64> {
        (self.now > 0).then(|| self.seconds / self.now as f64)
    }
}

impl Remaining {
    pub(super) fn new(settings: &[Setting], runs: u64, before: &[RunRecord]) -> Remaining {
        let ended = |index| before.iter().filter(|r| r.point == index).count() as u64;
        let speed = |(i, s): (usize, &Setting)| Speed { x: s.x as f64, before: ended(i), now: 0, seconds: 0.0 };
        let settings = settings.iter().enumerate().map(speed).collect();
        Remaining { progress: Progress::new(), runs, settings, since: Instant::now() }
    }

    pub(super) fn ended(&mut self, record: &RunRecord) {
        let setting = &mut self.settings[record.point];
        setting.now += 1;
        setting.seconds += self.since.elapsed().as_secs_f64();
        self.since = Instant::now();
        let (x, done) = (setting.x, setting.before + setting.now);
        let left = left(&self.settings, self.runs);
        let message = || format!("of {x}{}", left.map_or(String::new(), |s| format!(", {}", about(s))));
        self.progress.count(Share { done, of: self.runs, unit: "runs" }, message);
    }
}

/// The seconds left: each setting at its own speed, later ones by the growth so far (quadratic at first).
fn left(settings: &[Speed], runs: u64) -> Option<f64> {
    let known: Vec<(f64, f64)> = settings.iter().filter_map(|s| Some((s.x, s.per_run()?))).collect();
    let &(x, per_run) = known.last()?;
    let growth = match known.as_slice() {
        [.., a, b] if b.1 > 0.0 && a.1 > 0.0 && b.0 > a.0 => (b.1 / a.1).ln() / (b.0 / a.0).ln(),
        _ => 2.0,
    };
    let seconds = |s: &Speed| {
        let speed = s.per_run().unwrap_or_else(|| per_run * (s.x / x).powf(growth.clamp(0.0, 4.0)));
        speed * runs.saturating_sub(s.before + s.now) as f64
    };
    Some(settings.iter().map(seconds).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remaining_time_follows_the_growth_so_far() {
        let speed = |x, now, seconds| Speed { x, before: 0, now, seconds };
        assert_eq!(left(&[speed(8.0, 0, 0.0)], 10), None);
        assert_eq!(left(&[speed(8.0, 5, 10.0)], 10), Some(10.0));
        // Twice the size takes four times as long until the growth is known; here it takes twice as long.
        assert_eq!(left(&[speed(8.0, 10, 10.0), speed(16.0, 0, 0.0)], 10), Some(40.0));
        let third = left(&[speed(8.0, 10, 10.0), speed(16.0, 10, 20.0), speed(32.0, 0, 0.0)], 10);
        assert!((third.unwrap() - 40.0).abs() < 1e-9);
    }
}
