//! What an experiment says: a table, JSON, and the growth law.

use super::record::Record;
use super::{Arguments, place_of, plot};
use crate::failure::Failure;
use crate::sweep::Point;
use ringleader_algorithms::law::Law;
use ringleader_algorithms::{Card, Kind};
use ringleader_simulate::statistics::{Fit, Summary};
use serde_json::{Map, Value, json};
use std::io::Write;

/// Everything there is to report.
pub(super) struct Report<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) card: &'static Card,
    pub(super) seed: u64,
    pub(super) kernel: &'a str,
    pub(super) axis: &'a str,
    pub(super) points: &'a [Point],
    pub(super) records: &'a [Record],
    pub(super) law: Option<Law>,
}

/// What the runs of one setting came to; `None` where nothing was measured.
pub(super) struct Row {
    pub(super) x: f64,
    size: usize,
    runs: usize,
    not_reached: usize,
    pub(super) steps: Option<Summary>,
    last_change: Option<Summary>,
    recovery: Option<Summary>,
    messages: Option<Summary>,
    cpu: Option<f64>,
    rate: Option<f64>,
    pub(super) law: Option<f64>,
}

impl Report<'_> {
    fn rows(&self) -> Vec<Row> {
        (0..self.points.len()).map(|index| self.row(index)).collect()
    }

    fn row(&self, index: usize) -> Row {
        let mut all: Vec<&Record> = self.records.iter().filter(|r| r.point == index).collect();
        // In one order, whatever came first: sums of doubles depend on it.
        all.sort_by_key(|r| r.run);
        let reached: Vec<&Record> = all.iter().copied().filter(|r| r.reached).collect();
        let summary = |value: &dyn Fn(&Record) -> Option<u64>| {
            Summary::of(reached.iter().filter_map(|r| value(r)).map(|v| v as f64).collect())
        };
        let timed: Vec<_> =
            all.iter().filter_map(|r| r.cpu.map(|cpu| (cpu, r.steps + r.recoveries.iter().sum::<u64>()))).collect();
        let cpu: f64 = timed.iter().map(|t| t.0).sum();
        let steps: f64 = timed.iter().map(|t| t.1 as f64).sum();
        let parameters = &self.points[index].parameters;
        let bound = parameters.number("bound").ok().flatten().unwrap_or(parameters.size as u64);
        Row {
            x: self.points[index].x as f64,
            size: parameters.size,
            runs: all.len(),
            not_reached: all.len() - reached.len(),
            steps: summary(&|r| Some(r.steps)),
            last_change: summary(&|r| r.last_output_change),
            recovery: Summary::of(reached.iter().flat_map(|r| &r.recoveries).map(|&v| v as f64).collect()),
            messages: summary(&|r| r.messages),
            cpu: (!timed.is_empty()).then_some(cpu),
            rate: (cpu > 0.0).then(|| steps / cpu),
            law: self.law.map(|law| law.at(parameters.size as f64, bound as f64)),
        }
    }

    fn fit(rows: &[Row], of: impl Fn(&Row) -> Option<Summary>) -> Option<Fit> {
        let points: Vec<_> = rows.iter().filter_map(|r| of(r).and_then(|s| Some((r.x, s.mean, s.error?)))).collect();
        Fit::of(&points)
    }

    pub(super) fn tell(&self, settings: &str) -> Result<(), Failure> {
        let rows = self.rows();
        let fit = Self::fit(&rows, |r| r.steps);
        if let Some(path) = &self.arguments.plot {
            plot::growth(self, &rows, fit, settings).write(path)?;
        }
        // With --csv - the rows are the output.
        if self.arguments.csv.as_deref() == Some("-".as_ref()) {
            return Ok(());
        }
        let mut out = anstream::stdout();
        if self.arguments.json {
            writeln!(out, "{:#}", self.json(&rows, fit))?;
            return Ok(());
        }
        self.table(&mut out, &rows, fit)
    }

    fn json(&self, rows: &[Row], fit: Option<Fit>) -> Value {
        let mut top = json!({
            "version": 1,
            "algorithm": self.card.name,
            "start": self.arguments.start.to_string(),
            "axis": self.axis,
            "sizes": rows.iter().map(|row| self.json_row(row)).collect::<Vec<_>>(),
            "seed": self.seed,
            "kernel": self.kernel,
        });
        let extra = top.as_object_mut().expect("an object");
        let exponent = |fit: Fit| json!({"value": fit.exponent, "ci95": fit.ci95.map(|(low, high)| [low, high])});
        optional(extra, "exponent", fit.map(exponent));
        optional(extra, "recovery_exponent", Self::fit(rows, |r| r.recovery).map(exponent));
        optional(extra, "messages_exponent", Self::fit(rows, |r| r.messages).map(exponent));
        let law = |law: Law| json!({"claim": law.claim, "source": law.source, "size": law.size, "bound": law.bound});
        optional(extra, "law", self.law.map(law));
        optional(
            extra,
            "oracle",
            self.card.oracle.map(|_| json!(self.arguments.setup.oracle().map_or("perfect".into(), |o| o.to_string()))),
        );
        top
    }

    fn json_row(&self, row: &Row) -> Value {
        let mut object = json!({"size": row.size, "runs": row.runs, "not_reached": row.not_reached});
        let extra = object.as_object_mut().expect("an object");
        if self.axis != "size" {
            extra.insert(self.axis.into(), json!(row.x));
        }
        if let Some(steps) = row.steps {
            for (name, value) in described("mean_steps", steps) {
                extra.insert(name.into(), value);
            }
        }
        let nested = |summary: Summary| {
            json!(described("mean", summary).into_iter().collect::<std::collections::BTreeMap<_, _>>())
        };
        optional(extra, "last_output_change", row.last_change.map(nested));
        optional(extra, "recovery", row.recovery.map(nested));
        optional(extra, "messages", row.messages.map(nested));
        optional(extra, "cpu_seconds", row.cpu.map(Value::from));
        optional(extra, "steps_per_second", row.rate.map(Value::from));
        let ratio = row.law.zip(row.steps).map(|(law, steps)| Value::from(steps.mean / law));
        optional(extra, "ratio_to_law", ratio);
        object
    }

    fn table(&self, out: &mut impl Write, rows: &[Row], fit: Option<Fit>) -> Result<(), Failure> {
        let what = match self.card.kind {
            Kind::Message => "steps until all have ended with one leader",
            _ => "steps until safe",
        };
        writeln!(
            out,
            "{}: {what}, start {}, {}, seed {}",
            self.card.name, self.arguments.start, self.kernel, self.seed
        )?;
        let law = self.law.map_or(String::new(), |law| format!("   steps / {}", symbols(law)));
        writeln!(
            out,
            "\n{:>9} {:>6} {:>12} {:>22} {:>11} {:>11} {:>11} {:>11} {:>12} {:>8} {:>9}{law}",
            self.axis,
            "runs",
            "mean",
            "95 % interval",
            "median",
            "90 %",
            "99 %",
            "max",
            "last change",
            "CPU s",
            "steps/s"
        )?;
        for row in rows {
            self.table_row(out, row)?;
        }
        self.table_end(out, rows, fit)
    }

    fn table_row(&self, out: &mut impl Write, row: &Row) -> Result<(), Failure> {
        write!(out, "{:>9} {:>6}", row.x, row.runs)?;
        let Some(s) = row.steps else { return Ok(writeln!(out, "   none reached the goal")?) };
        let interval = s.ci95().map_or("-".into(), |(low, high)| format!("{} .. {}", short(low), short(high)));
        let or_dash = |value: Option<f64>| value.map_or("-".into(), short);
        write!(
            out,
            " {:>12} {interval:>22} {:>11} {:>11} {:>11} {:>11} {:>12} {:>8} {:>9}",
            short(s.mean),
            short(s.median),
            short(s.p90),
            short(s.p99),
            short(s.max),
            or_dash(row.last_change.map(|s| s.mean)),
            row.cpu.map_or("-".into(), |c| format!("{c:.2}")),
            or_dash(row.rate)
        )?;
        if let Some(law) = row.law {
            write!(out, "   {:.4}", s.mean / law)?;
        }
        if row.not_reached > 0 {
            write!(out, "   {} did not reach it", row.not_reached)?;
        }
        Ok(writeln!(out)?)
    }

    fn table_end(&self, out: &mut impl Write, rows: &[Row], fit: Option<Fit>) -> Result<(), Failure> {
        writeln!(out)?;
        let line = |what: &str, fit: Fit| {
            let interval =
                fit.ci95.map_or(String::new(), |(low, high)| format!(", 95 % interval {low:.3} .. {high:.3}"));
            format!("{what} grow as {} to the power {:.3}{interval}", self.axis, fit.exponent)
        };
        if let Some(fit) = fit {
            writeln!(out, "{}", line("mean steps", fit))?;
        }
        for (what, of) in
            [("mean steps to recover", (|r| r.recovery) as fn(&Row) -> _), ("mean messages", |r| r.messages)]
        {
            for (row, point) in rows.iter().zip(self.points) {
                if let Some(s) = of(row) {
                    let interval = s.ci95().map_or(String::new(), |(low, high)| {
                        format!(", 95 % interval {} .. {}", short(low), short(high))
                    });
                    writeln!(
                        out,
                        "{}: {what} {}{interval}, max {}",
                        place_of(self.axis, point),
                        short(s.mean),
                        short(s.max)
                    )?;
                }
            }
            if let Some(fit) = Self::fit(rows, of) {
                writeln!(out, "{}", line(what, fit))?;
            }
        }
        if let Some(law) = self.law {
            writeln!(out, "claimed: {} ({})", law.claim, law.source)?;
        }
        Ok(())
    }
}

fn described(mean: &'static str, s: Summary) -> Vec<(&'static str, Value)> {
    let mut all = vec![
        (mean, json!(s.mean)),
        ("median", json!(s.median)),
        ("p90", json!(s.p90)),
        ("p99", json!(s.p99)),
        ("max", json!(s.max)),
    ];
    all.extend(s.ci95().map(|(low, high)| ("ci95", json!([low, high]))));
    all
}

fn optional(object: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        object.insert(name.into(), value);
    }
}

/// The law without its words: n³, n N.
pub(super) fn symbols(law: Law) -> String {
    let power = |name: &str, exponent: i32| match exponent {
        0 => String::new(),
        1 => name.to_string(),
        2 => format!("{name}²"),
        3 => format!("{name}³"),
        other => format!("{name}^{other}"),
    };
    power("n", law.size) + &power("N", law.bound)
}

/// Four digits or so, whatever the magnitude.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        v if v < 1000.0 => {
            let text = format!("{value:.2}");
            text.strip_suffix(".00").map_or(text.clone(), str::to_string)
        }
        v if v < 1e7 => format!("{value:.0}"),
        _ => format!("{value:.3e}"),
    }
}
