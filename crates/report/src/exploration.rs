//! The report of an exploration of all reachable states.

mod configurations;

pub use configurations::ConfigurationsReport;

use crate::Subject;
use crate::json::OptionalFields as _;
use crate::number::grouped;
use ringleader_explore::{Equivalence, Options, Quotient, Summary, Verified};
use serde_json::{Value, json};
use std::io::{Result, Write};
use std::time::Duration;

/// An exploration and its result.
#[derive(Clone, Copy)]
pub struct ExplorationReport<'r> {
    /// The explored algorithm.
    pub subject: Subject<'r>,
    /// The published table whose steps are counted, if not the algorithm's own.
    pub reading: Option<&'r str>,
    /// The options of the exploration.
    pub options: &'r Options,
    /// The counts.
    pub found: Summary,
    /// The minimized state space, and its equivalence, if it was computed.
    pub quotient: Option<(Equivalence, &'r Quotient)>,
    /// The result of the second pass over every stored state, if there was one.
    pub verified: Option<Verified>,
    /// The duration of the search.
    pub time: Duration,
    /// The peak memory.
    pub peak_bytes: u64,
    /// The shares of the processes, if there were several.
    pub spread: Option<&'r Spread>,
    /// The use of a GPU, if the search ran there.
    pub device: Option<DeviceUse<'r>>,
}

/// The use of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceUse<'r> {
    /// Its name.
    pub name: &'r str,
    /// The most bytes of its memory in use.
    pub peak_bytes: u64,
    /// The duration of the second pass, if there was one.
    pub verification: Option<Duration>,
}

/// The shares and the traffic of the processes of a distributed exploration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// The number of states that each process stores.
    pub stored: Vec<u64>,
    /// The peak memory of each process.
    pub peak_bytes: Vec<u64>,
    /// The number of states sent between processes.
    pub sent_states: u64,
    /// The number of bytes sent between processes, control messages included.
    pub sent_bytes: u64,
    /// The number of batches sent.
    pub letters: u64,
}

impl ExplorationReport<'_> {
    /// The counts, by name, as far as they are known.
    fn counts(&self) -> [(&'static str, Option<u64>); 6] {
        let found = &self.found;
        [
            ("states", found.states),
            ("transitions", found.transitions),
            ("deadlocks", found.deadlocks),
            ("stored", Some(found.stored)),
            ("depth", Some(found.depth)),
            ("invariant", found.invariant),
        ]
    }

    /// The whole report as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let ExplorationReport { subject, options, found, .. } = self;
        let value = subject.describe(json!({
            "channels": options.channels.name(),
            "rotation": options.rotation,
            "confluence": options.confluence,
            "visible": options.visible.to_string(),
            "cells": found.cells,
            "set": found.set,
            "entry_bytes": found.entry_bytes,
            "stored_bytes": found.stored_bytes,
            "bytes_per_state": (found.bytes_per_state() * 100.0).round() / 100.0,
            "seconds": self.time.as_secs_f64(),
            "peak_bytes": self.peak_bytes,
        }));
        let verified = |seen: Verified| json!({ "sound": seen.is_sound(), "lost": seen.lost, "missing": seen.missing });
        let hosts = |spread: &Spread| {
            json!({
                "stored": spread.stored,
                "peak_bytes": spread.peak_bytes,
                "sent_states": spread.sent_states,
                "sent_bytes": spread.sent_bytes,
                "letters": spread.letters,
            })
        };
        let rate = |count: Option<u64>| count.map(|count| (count as f64 / self.time.as_secs_f64().max(1e-9)) as u64);
        let device = |device: DeviceUse<'_>| {
            json!({
                "name": device.name,
                "peak_bytes": device.peak_bytes,
                "stored_per_second": rate(Some(found.stored)),
                "transitions_per_second": rate(found.transitions),
                "verify_seconds": device.verification.map(|time| time.as_secs_f64()),
            })
        };
        let quotient = |(by, found): (Equivalence, &Quotient)| json!({ "by": by.to_string(), "states": found.states, "transitions": found.transitions.len() });
        let value = self.counts().into_iter().fold(value, |value, (name, count)| value.with(name, count));
        value
            .with("verified", self.verified.map(verified))
            .with("hosts", self.spread.map(hosts))
            .with("device", self.device.map(device))
            .with("reading", subject.steps(self.reading))
            .with("quotient", self.quotient.map(quotient))
    }

    /// The report as text.
    pub fn text(&self, out: &mut impl Write) -> Result<()> {
        let ExplorationReport { subject, options, found, .. } = self;
        let reading = subject.steps(self.reading).map_or(String::new(), |steps| format!(", reading {steps}"));
        writeln!(out, "{}{reading}, {} channels", subject.title(), options.channels)?;
        for (name, count) in self.counts().into_iter().filter_map(|(name, count)| Some((name, count?))) {
            writeln!(out, "  {name:<12} {:>18}", grouped(count))?;
        }
        if let Some(seen) = self.verified {
            let sound = if seen.is_sound() { "yes" } else { "NO" };
            let (lost, missing) = (seen.lost, seen.missing);
            writeln!(out, "  verified     {sound:>18}: {lost} stored states lost, {missing} successors missing")?;
        }
        if let Some((by, quotient)) = self.quotient {
            let [states, transitions] =
                [quotient.states, quotient.transitions.len()].map(|count| grouped(count as u64));
            let by = format!("by {by} bisimilarity with {} visible", options.visible);
            writeln!(out, "  quotient     {states:>18} states, {transitions} transitions, {by}")?;
            for (from, action, to) in quotient.transitions.iter().take(if quotient.states <= 6 { 12 } else { 0 }) {
                writeln!(out, "    s{from} --{action}--> s{to}")?;
            }
        }
        let seconds = self.time.as_secs_f64();
        let speed = grouped((found.stored as f64 / seconds.max(1e-9)) as u64);
        let (mib, each) = (self.peak_bytes >> 20, found.bytes_per_state());
        let compactly = if found.set == "compact" { ", compactly" } else { "" };
        let memory = format!("{mib} MiB at most, {each:.1} bytes a state{compactly}");
        writeln!(out, "{seconds:.2} s, {speed} stored states per second, {memory}")?;
        if let Some(DeviceUse { name, peak_bytes, verification }) = self.device {
            let second = verification.map_or(String::new(), |time| format!(", {:.2} s to verify", time.as_secs_f64()));
            writeln!(out, "on {name}, {} MiB of its memory at most{second}", grouped(peak_bytes >> 20))?;
        }
        if let Some(spread) = self.spread {
            let stored: Vec<String> = spread.stored.iter().map(|&stored| grouped(stored)).collect();
            writeln!(out, "by {} processes, which store {} states", stored.len(), stored.join(" + "))?;
            let (states, mib) = (grouped(spread.sent_states), spread.sent_bytes >> 20);
            writeln!(out, "{states} states sent between processes, {mib} MiB in {} batches", grouped(spread.letters))?;
        }
        Ok(())
    }
}
