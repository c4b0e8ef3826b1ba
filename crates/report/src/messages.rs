//! The report of a check of message passing: every reachable state from the clean start, under every
//! scheduler.
//!
//! ```
//! use ringleader_algorithms::message::chang_roberts::ChangRoberts;
//! use ringleader_erased::{Entry, Parameters};
//! use ringleader_model::Channels;
//! use ringleader_report::Subject;
//! use ringleader_report::messages::{Findings, MessageReport, Property};
//!
//! let parameters = Parameters::new(3);
//! let findings = Findings {
//!     stored: 12,
//!     properties: vec![Property { name: "never two leaders".into(), broken: None }],
//!     ..Findings::new(Channels::Fifo)
//! };
//! let subject = Subject { card: &ChangRoberts::CARD, parameters: &parameters };
//! let report = MessageReport { subject, reading: None, findings: &findings };
//! assert!(report.holds() && report.trace().is_none());
//! assert_eq!(report.json()["stored"], 12);
//! ```

mod gathered;
mod orders;

pub use gathered::over_orders;
pub use orders::Orders;

use crate::Subject;
use crate::curve::Curve;
use crate::json::{OptionalFields as _, unless_empty};
use crate::number::grouped;
use ringleader_explore::Interval;
pub use ringleader_explore::Property;
use ringleader_model::Channels;
use ringleader_model::message_trace::MessageTrace;
use serde_json::{Map, Value, json};
use std::io::{Result, Write};
use std::time::Duration;

/// The parameter of a trace that names the steps in which an algorithm was explored, if not its own.
pub const READING: &str = "reading";

/// The least value, the value under the uniform scheduler and the greatest value, where known.
pub type Three = [Option<Interval>; 3];

/// What was found out.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The order in which messages are received.
    pub channels: Channels,
    /// The number of reachable states, if known.
    pub states: Option<u64>,
    /// The number of stored states.
    pub stored: u64,
    /// The number of final states whose runs were not followed further.
    pub undecided: u64,
    /// The properties of all reachable states.
    pub properties: Vec<Property>,
    /// The least and the greatest probability of an election.
    pub elected: Option<[Option<Interval>; 2]>,
    /// The expected number of steps until an election.
    pub steps: Option<Three>,
    /// The expected number of messages until an election.
    pub messages: Option<Three>,
    /// The probability of an election within t steps.
    pub curves: Vec<Curve>,
    /// A probability; the report says how many steps the curves take to it.
    pub quantile: Option<f64>,
    /// The orders of identities that were examined, and the results that depend on them.
    pub orders: Option<Orders>,
    /// The reason why there are no probabilities and expectations.
    pub no_numbers: Option<String>,
    /// The duration of the check.
    pub time: Duration,
    /// The peak memory, if known.
    pub peak_bytes: Option<u64>,
}

impl Findings {
    /// No findings yet.
    #[must_use]
    pub fn new(channels: Channels) -> Findings {
        Findings { channels, ..Findings::default() }
    }
}

/// A check and its result.
#[derive(Clone, Copy, Debug)]
pub struct MessageReport<'r> {
    /// The checked algorithm.
    pub subject: Subject<'r>,
    /// The published table whose steps are counted, if not the algorithm's own.
    pub reading: Option<&'r str>,
    /// The findings.
    pub findings: &'r Findings,
}

/// The digits on which both ends of the interval agree.
fn certain_digits(interval: Interval) -> String {
    let Interval { low, high } = interval;
    if low == high {
        return low.to_string();
    }
    for digits in (0..=9).rev() {
        let (a, b) = (format!("{low:.digits$}"), format!("{high:.digits$}"));
        if a == b {
            return a;
        }
    }
    format!("{low} to {high}")
}

/// The smaller of two intervals, if both are known.
fn least(a: Option<Interval>, b: Option<Interval>) -> Option<Interval> {
    let (a, b) = (a?, b?);
    Some(Interval { low: a.low.min(b.low), high: a.high.min(b.high) })
}

/// The larger of two intervals, if both are known.
fn greatest(a: Option<Interval>, b: Option<Interval>) -> Option<Interval> {
    let (a, b) = (a?, b?);
    Some(Interval { low: a.low.max(b.low), high: a.high.max(b.high) })
}

fn interval(interval: Interval) -> Value {
    json!({ "low": interval.low, "high": interval.high })
}

/// The known intervals, by name.
fn object<const N: usize>(names: [&str; N], intervals: &[Option<Interval>; N]) -> Value {
    let known = names.iter().zip(intervals).filter_map(|(name, i)| i.map(|i| (name.to_string(), interval(i))));
    known.collect::<Map<_, _>>().into()
}

impl MessageReport<'_> {
    /// Whether every property holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.findings.properties.iter().all(|property| property.broken.is_none())
    }

    /// The trace of a run that breaks a property, if there is one.
    #[must_use]
    pub fn trace(&self) -> Option<MessageTrace> {
        let run = self.findings.properties.iter().find_map(|property| property.broken.as_ref())?;
        let mut parameters = self.subject.parameters.given();
        let order = self.findings.orders.as_ref().and_then(|orders| orders.broken.clone());
        parameters.extend(order.map(|order| ("identities".to_string(), order)));
        parameters.extend(self.reading.map(|reading| (READING.to_string(), reading.to_string())));
        Some(MessageTrace {
            algorithm: self.subject.card.name.into(),
            size: self.subject.parameters.size,
            parameters,
            channels: self.findings.channels,
            steps: run.lines(),
        })
    }

    /// The title of a picture of the curves.
    #[must_use]
    pub fn title(&self) -> String {
        self.subject.title()
    }

    /// The whole report as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let (subject, findings) = (self.subject, self.findings);
        let properties: Vec<Value> = findings
            .properties
            .iter()
            .map(|property| json!({ "name": property.name, "holds": property.broken.is_none() }))
            .collect();
        let value = subject.describe(json!({
            "channels": findings.channels.name(),
            "scheduler": "unfair",
            "verdict": if self.holds() { "holds" } else { "fails" },
            "holds": self.holds(),
            "properties": properties,
            "stored": findings.stored,
            "undecided": findings.undecided,
            "seconds": findings.time.as_secs_f64(),
        }));
        let three = |three: &Three| object(["min", "uniform", "max"], three);
        let curve = |curve: &Curve| {
            let quantile = |q: f64| json!({ "probability": q, "min_uniform_max": curve.quantile(q) });
            json!({ "name": curve.name, "min_uniform_max": curve.points })
                .with("quantile", findings.quantile.map(quantile))
        };
        value
            .with("reading", subject.steps(self.reading))
            .with("states", findings.states)
            .with("peak_bytes", findings.peak_bytes)
            .with("probability", findings.elected.as_ref().map(|two| object(["min", "max"], two)))
            .with("expected_steps", findings.steps.as_ref().map(three))
            .with("expected_messages", findings.messages.as_ref().map(three))
            .with("within", unless_empty(&findings.curves, curve))
            .with("orders", findings.orders.as_ref().map(Orders::json))
            .with("not_computed", findings.no_numbers.clone())
            .with("trace", self.trace().map(|trace| trace.print()))
    }

    /// The report as text; a counterexample is drawn on at most `columns` columns.
    pub fn text(&self, out: &mut impl Write, columns: usize) -> Result<()> {
        self.decided(out)?;
        self.rest(out, columns)
    }

    /// The first half: the checked algorithm and the verdicts, which are known before the numbers.
    pub fn decided(&self, out: &mut impl Write) -> Result<()> {
        let (findings, title) = (self.findings, self.subject.title());
        let of_tables = |name: &str| format!(", in the steps of the published tables ({name})");
        let reading = self.reading.map_or(String::new(), of_tables);
        let orders = findings.orders.as_ref().map_or(String::new(), Orders::title);
        writeln!(out, "{title}, {} channels{reading}, from its clean start{orders}", findings.channels)?;
        let states = findings.states.map_or(String::new(), |states| format!("{} reachable states, ", grouped(states)));
        writeln!(out, "{states}{} stored, every scheduler", grouped(findings.stored))?;
        for property in &findings.properties {
            let verdict = if property.broken.is_none() { "holds" } else { "FAILS" };
            writeln!(out, "  {verdict}  {}", property.name)?;
        }
        if let Some(rest) = findings.orders.as_ref().and_then(Orders::rest) {
            writeln!(out, "  {rest}")?;
        }
        if findings.undecided > 0 {
            let undecided = grouped(findings.undecided);
            writeln!(out, "  {undecided} final states are undecided: their runs were not followed further")?;
        }
        Ok(())
    }

    /// The second half: numbers, and runs that break properties.
    pub fn rest(&self, out: &mut impl Write, columns: usize) -> Result<()> {
        let findings = self.findings;
        self.numbers(out)?;
        for property in &findings.properties {
            if let Some(run) = &property.broken {
                let order = findings.orders.as_ref().and_then(|orders| orders.broken.as_ref());
                let order = order.map_or(String::new(), |order| format!(" (identities {order})"));
                writeln!(out, "\nA run after which it fails: {}{order}\n", property.name)?;
                write!(out, "{}", run.chart(columns))?;
            }
        }
        if !findings.curves.is_empty() {
            let table = Curve::table(&findings.curves);
            let what = "The probability of a leader within t steps, over all schedulers and under the uniform one";
            write!(out, "\n{what}:\n{table}")?;
            for (curve, q) in findings.curves.iter().zip(findings.quantile.into_iter().cycle()) {
                let last = curve.points.len() - 1;
                let steps = |t: Option<usize>| t.map_or_else(|| format!("more than {last}"), |t| t.to_string());
                let kinds = curve.kinds.iter().zip(curve.quantile(q));
                let kinds: Vec<_> = kinds.map(|(kind, t)| format!("{} ({kind})", steps(t))).collect();
                writeln!(out, "{}: a leader with probability {q} within {} steps", curve.name, kinds.join(", "))?;
            }
        }
        writeln!(out, "{:.2} s", findings.time.as_secs_f64())
    }

    fn numbers(&self, out: &mut impl Write) -> Result<()> {
        let findings = self.findings;
        let known = |interval: Option<Interval>| interval.map_or("unknown".into(), certain_digits);
        if let Some(reason) = &findings.no_numbers {
            writeln!(out, "  probabilities and expectations are not computed: {reason}")?;
        }
        if let Some([least, greatest]) = findings.elected {
            let [low, high] = [least, greatest].map(known);
            writeln!(out, "  a leader is elected with probability {low} at least, {high} at most")?;
            if findings.undecided == 0 && least.is_some_and(|least| least.high < 1.0) {
                writeln!(out, "  so some scheduler can keep a leader from being elected: schedulers need not be fair")?;
            }
        }
        for (index, (name, three)) in [("steps", findings.steps), ("messages", findings.messages)].iter().enumerate() {
            let Some(three) = three else { continue };
            let [low, mut mean, high] = three.map(known);
            if let Some((least, most)) = findings.orders.as_ref().and_then(|orders| orders.uniform[index].as_ref()) {
                let [low, high] = [least, most].map(|at| certain_digits(at.0));
                mean = match least.1 == most.1 {
                    true => low,
                    false => format!("{low} (identities {}) to {high} (identities {})", least.1, most.1),
                };
            }
            let until = format!("expected {name} until then");
            writeln!(out, "  {until}: {low} at least, {mean} under the uniform scheduler, {high} at most")?;
        }
        Ok(())
    }
}
