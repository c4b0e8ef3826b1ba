//! All configurations of a population protocol or a ring, counted.

use crate::Subject;
use crate::json::OptionalFields as _;
use crate::number::grouped;
use ringleader_check::{Configurations, Symmetry};
use serde_json::{Value, json};
use std::io::{Result, Write};
use std::time::Duration;

/// The configurations of an algorithm.
#[derive(Clone, Copy)]
pub struct ConfigurationsReport<'r> {
    /// The explored algorithm.
    pub subject: Subject<'r>,
    /// The configurations.
    pub all: &'r Configurations,
    /// The duration of the check.
    pub time: Duration,
    /// The peak memory, if known.
    pub peak_bytes: Option<u64>,
}

impl ConfigurationsReport<'_> {
    /// The counts, by name; `None` if the algorithm names no such set.
    fn counts(&self) -> Vec<(&'static str, Option<u64>)> {
        let all = self.all;
        let starts = all.names_starts().then(|| ("starts", Some(all.count(|number| all.begins(number)))));
        let counts = [
            ("configurations", Some(all.configurations())),
            ("transitions", Some(all.transitions())),
            ("stored", Some(all.len() as u64)),
            ("correct", Some(all.count(|number| all.correct(number)))),
            ("own_safe", all.names_safe().then(|| all.count(|number| all.own_safe(number)))),
            ("really_safe", Some(all.count(|number| all.really_safe(number)))),
        ];
        counts.into_iter().chain(starts).collect()
    }

    /// The whole report as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let value = self.subject.describe(json!({
            "scheduler": self.all.scheduler().name(),
            "rotation": self.all.symmetry() == Some(Symmetry::Rotation),
            "automorphism": self.all.symmetry() == Some(Symmetry::Automorphism),
            "seconds": self.time.as_secs_f64(),
        }));
        let value = value.with("peak_bytes", self.peak_bytes);
        self.counts().into_iter().fold(value, |value, (name, count)| value.with(name, Some(count)))
    }

    /// The report as text.
    pub fn text(&self, out: &mut impl Write) -> Result<()> {
        writeln!(out, "{}, {} scheduler", self.subject.title(), self.all.scheduler().name())?;
        for (name, count) in self.counts() {
            writeln!(out, "  {:<14} {:>18}", name.replace('_', " "), count.map_or("-".into(), grouped))?;
        }
        let memory = self.peak_bytes.map_or(String::new(), |bytes| format!(", {} MiB at most", bytes >> 20));
        writeln!(out, "{:.2} s{memory}", self.time.as_secs_f64())
    }
}
