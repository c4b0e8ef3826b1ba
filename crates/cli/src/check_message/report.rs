//! What a check found, for people and for programs.

use super::{Common, Findings, Three, curve};
use crate::explore::grouped;
use crate::explore::model::Steps;
use ringleader_explore::Interval;
use ringleader_model::message_trace::MessageTrace;
use serde_json::{Map, Value, json};
use std::io::{Result, Write};

pub(super) struct Report<'r> {
    pub(super) common: &'r Common<'r>,
    pub(super) steps: Steps,
    pub(super) findings: &'r Findings,
    pub(super) trace: Option<&'r MessageTrace>,
}

/// As many digits as are certain.
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

fn interval(interval: Interval) -> Value {
    json!({ "low": interval.low, "high": interval.high })
}

/// Under names, what is known.
fn object<const N: usize>(names: [&str; N], intervals: &[Option<Interval>; N]) -> Value {
    let known = names.iter().zip(intervals).filter_map(|(name, i)| i.map(|i| (name.to_string(), interval(i))));
    known.collect::<Map<_, _>>().into()
}

impl Report<'_> {
    fn holds(&self) -> bool {
        self.findings.properties.iter().all(|property| property.broken.is_none())
    }

    pub(super) fn json(&self, out: &mut impl Write) -> Result<()> {
        let (common, findings) = (self.common, self.findings);
        let given = common.parameters.given().into_iter().map(|(name, value)| (name, Value::from(value)));
        let properties: Vec<Value> = findings
            .properties
            .iter()
            .map(|property| json!({ "name": property.name, "holds": property.broken.is_none() }))
            .collect();
        let mut value = json!({
            "version": 1,
            "algorithm": common.card.name,
            "size": common.parameters.size,
            "parameters": given.collect::<Map<_, _>>(),
            "channels": findings.channels.name(),
            "scheduler": "unfair",
            "verdict": if self.holds() { "holds" } else { "fails" },
            "holds": self.holds(),
            "properties": properties,
            "stored": findings.stored,
            "undecided": findings.undecided,
            "seconds": findings.time.as_secs_f64(),
        });
        let mut add = |name: &str, known: Option<Value>| {
            if let Some(known) = known {
                value[name] = known;
            }
        };
        add("reading", (!common.card.readings.is_empty()).then(|| self.steps.to_string().into()));
        add("states", findings.states.map(Value::from));
        add("peak_bytes", findings.peak_bytes.map(Value::from));
        add("probability", findings.elected.as_ref().map(|two| object(["min", "max"], two)));
        let three = |three: &Three| object(["min", "uniform", "max"], three);
        add("expected_steps", findings.steps.as_ref().map(three));
        add("expected_messages", findings.messages.as_ref().map(three));
        let curves = findings.curves.iter().map(|curve| json!({ "name": curve.name, "min_uniform_max": curve.points }));
        add("within", (!findings.curves.is_empty()).then(|| curves.collect()));
        add("not_computed", findings.no_numbers.clone().map(Value::from));
        add("trace", self.trace.map(|trace| trace.print().into()));
        writeln!(out, "{value}")
    }

    pub(super) fn print(&self, out: &mut impl Write) -> Result<()> {
        let (common, findings) = (self.common, self.findings);
        let given: String = common.parameters.given().iter().map(|(name, value)| format!(", {name} {value}")).collect();
        let reading = match self.steps {
            Steps::Of(reading) => format!(", in the steps of the published tables ({})", reading.name),
            Steps::Own => String::new(),
        };
        let (name, size) = (common.card.name, common.parameters.size);
        writeln!(
            out,
            "{name}, {size} processes{given}, {} channels{reading}, from its clean start",
            findings.channels
        )?;
        let states = findings.states.map_or(String::new(), |states| format!("{} reachable states, ", grouped(states)));
        writeln!(out, "{states}{} stored, every scheduler", grouped(findings.stored))?;
        for property in &findings.properties {
            let verdict = if property.broken.is_none() { "holds" } else { "FAILS" };
            writeln!(out, "  {verdict}  {}", property.name)?;
        }
        if findings.undecided > 0 {
            writeln!(
                out,
                "  {} final states are undecided: the runs were followed no further",
                grouped(findings.undecided)
            )?;
        }
        self.numbers(out)?;
        for property in &findings.properties {
            if let Some(run) = &property.broken {
                writeln!(out, "\nA run after which it fails: {}\n", property.name)?;
                write!(out, "{}", run.chart())?;
            }
        }
        if !findings.curves.is_empty() {
            writeln!(
                out,
                "\nThe probability of a leader within t steps, over all schedulers and under the uniform one:"
            )?;
            write!(out, "{}", curve::table(&findings.curves))?;
        }
        writeln!(out, "{:.2} s", findings.time.as_secs_f64())
    }

    fn numbers(&self, out: &mut impl Write) -> Result<()> {
        let findings = self.findings;
        if let Some(reason) = &findings.no_numbers {
            writeln!(out, "  probabilities and expectations are not computed: {reason}")?;
        }
        if let Some([least, greatest]) = findings.elected {
            let text = |interval: Option<Interval>| interval.map_or("unknown".into(), certain_digits);
            writeln!(
                out,
                "  a leader is elected with probability {} at least, {} at most",
                text(least),
                text(greatest)
            )?;
        }
        for (name, three) in [("steps", &findings.steps), ("messages", &findings.messages)] {
            let Some(three) = three else { continue };
            let text = three.map(|interval| interval.map_or("unknown".into(), certain_digits));
            writeln!(
                out,
                "  expected {name} until then: {} at least, {} under the uniform scheduler, {} at most",
                text[0], text[1], text[2]
            )?;
        }
        Ok(())
    }
}
