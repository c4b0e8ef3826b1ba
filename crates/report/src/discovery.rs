//! The results of a search for protocols, as text and as JSON.

use crate::number::grouped;
use ringleader_check::Value;
use ringleader_model::Scheduler;
use ringleader_search::{Family, Found, Line, Outcome, Protocol, Topology};
use serde_json::json;
use std::io::{Result, Write};
use std::time::Duration;

/// The results of a search.
#[derive(Clone, Copy, Debug)]
pub struct Discovery<'a> {
    /// The searched family.
    pub family: &'a Family,
    /// The protocols that were found.
    pub outcome: &'a Outcome,
    /// The path of each protocol; empty if they were not written.
    pub saved: &'a [String],
    /// The duration of the search.
    pub time: Duration,
    /// Whether the user ended the search.
    pub interrupted: bool,
}

impl Discovery<'_> {
    /// The report as text.
    pub fn text(&self, out: &mut dyn Write) -> Result<()> {
        let counts = &self.outcome.counts;
        writeln!(out, "all protocols with {}", self.asked())?;
        writeln!(out, "{}", self.how_many())?;
        let part = 100.0 * counts.share;
        let looked = grouped(counts.looked_at);
        let seconds = self.time.as_secs_f64();
        if counts.complete {
            writeln!(out, "the search is complete: {looked} partial or complete tables in {seconds:.1} s")?;
        } else {
            let why = if self.interrupted { "interrupted" } else { "the budget is used up" };
            let searched = format!("{part:.1}% of the tree was searched, {looked} tables in {seconds:.1} s");
            writeln!(out, "NOT complete, {why}: {searched}; there may be more and faster protocols")?;
        }
        if !self.outcome.found.is_empty() {
            let times = match self.family.scheduler {
                Scheduler::Unfair => "the largest number of steps that change something",
                _ => "expected steps from the worst configuration under the random scheduler",
            };
            writeln!(out, "fastest first; {times}:")?;
        }
        for (at, found) in self.outcome.found.iter().enumerate() {
            writeln!(out)?;
            self.one(out, at, found)?;
        }
        Ok(())
    }

    /// The family, in words.
    fn asked(&self) -> String {
        let Family { states, leaders, detector, symmetric, scheduler, .. } = self.family;
        let graph = match self.family.topology {
            Topology::DirectedRing => "directed rings",
            Topology::Complete => "complete graphs",
        };
        let led = leaders.map_or(String::new(), |leaders| format!(", {leaders} of them leader states,"));
        let sizes: Vec<String> = self.family.sizes.iter().map(ToString::to_string).collect();
        let detector = if *detector { "a perfect leader detector" } else { "no detector" };
        let symmetric = if *symmetric { ", symmetric" } else { "" };
        let agents = listed(&sizes);
        format!("{states} states{led} on {graph} of {agents} agents, {scheduler} scheduler, {detector}{symmetric}")
    }

    fn how_many(&self) -> String {
        let counts = &self.outcome.counts;
        let [found, named] = [counts.protocols, counts.named].map(grouped);
        let far = if counts.complete { "" } else { " so far" };
        let elect = match counts.protocols {
            0 => return format!("no protocol elects one leader{far}"),
            _ if counts.fastest_only => {
                let skipped = "slower protocols were skipped and are not counted";
                return format!("{found} examined protocols elect one leader; {skipped}");
            }
            1 => "protocol elects",
            _ => "protocols elect",
        };
        format!("{found} {elect} one leader{far}, up to renaming of states ({named} with names)")
    }

    fn one(&self, out: &mut dyn Write, at: usize, found: &Found) -> Result<()> {
        let times: Vec<String> =
            found.times.iter().map(|time| format!("n = {}: {}", time.agents, time.worst)).collect();
        writeln!(out, "{:3}. {}", at + 1, times.join("   "))?;
        let protocol = &found.protocol;
        let lines: Vec<String> = protocol.lines().iter().map(|line| short(protocol, line)).collect();
        for row in lines.chunks(6) {
            writeln!(out, "     {}", row.join("   "))?;
        }
        match self.saved.get(at) {
            Some(path) => writeln!(out, "     {path}"),
            None => Ok(()),
        }
    }

    /// The whole report as one JSON object.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        let (family, counts) = (self.family, &self.outcome.counts);
        let found: Vec<_> = self.outcome.found.iter().enumerate().map(|(at, found)| self.as_json(at, found)).collect();
        json!({
            "version": 1,
            "family": {
                "states": family.states,
                "graph": match family.topology {
                    Topology::DirectedRing => "directed-ring",
                    Topology::Complete => "complete",
                },
                "sizes": family.sizes,
                "leaders": family.leaders,
                "detector": family.detector,
                "symmetric": family.symmetric,
                "scheduler": family.scheduler.name(),
            },
            "complete": counts.complete,
            "fastest_only": counts.fastest_only,
            "share": counts.share,
            "looked_at": counts.looked_at,
            "protocols": counts.protocols,
            "named": counts.named,
            "found": found,
            "seconds": self.time.as_secs_f64(),
        })
    }

    fn as_json(&self, at: usize, found: &Found) -> serde_json::Value {
        let protocol = &found.protocol;
        let word = |state: u8| protocol.word(state);
        let pair = |(a, b): (u8, u8)| json!([word(a), word(b)]);
        let rules: Vec<_> = protocol
            .lines()
            .iter()
            .map(|line| json!({ "before": pair(line.before), "hears": line.hears, "after": pair(line.after) }))
            .collect();
        let words: Vec<_> = (0..protocol.states() as u8).map(word).collect();
        let times: Vec<_> = found
            .times
            .iter()
            .map(|time| {
                let bounds = time.worst.bounds();
                let exact = match &time.worst {
                    Value::Exact(p, q) => Some(format!("{p}/{q}")),
                    Value::Between(_) => None,
                    Value::Steps(steps) => Some(steps.to_string()),
                };
                json!({ "size": time.agents, "worst": { "exact": exact, "low": bounds.low, "high": bounds.high } })
            })
            .collect();
        json!({
            "states": words,
            "leaders": words[..protocol.leaders()],
            "rules": rules,
            "names": found.names,
            "times": times,
            "file": self.saved.get(at),
        })
    }
}

/// `2`, `2 and 3`, `2, 3 and 4`.
fn listed(words: &[String]) -> String {
    match words {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => words.concat(),
    }
}

/// A line in short form: `L L -> L a`, with the answer of the detector.
fn short(protocol: &Protocol, line: &Line) -> String {
    let [a, b, c, d] = [line.before.0, line.before.1, line.after.0, line.after.1].map(|state| protocol.word(state));
    let heard = match line.hears {
        None => "",
        Some(true) => " (leader heard)",
        Some(false) => " (none heard)",
    };
    format!("{a}{b}{heard} -> {c}{d}")
}
