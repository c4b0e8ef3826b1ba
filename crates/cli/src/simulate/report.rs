//! What an experiment says: a table, JSON, and the growth law.

use super::record::Record;
use super::{Arguments, plot};
use crate::failure::Failure;
use crate::sweep::Point;
use ringleader_instance::{Card, Kind, Law};
use ringleader_simulate::statistics::{Fit, Line, Summary};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
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
    pub(super) interrupted: bool,
}

/// What is measured of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    Steps,
    LastChange,
    Recovery,
    Messages,
    Rounds,
}

impl Quantity {
    /// Those that have a table and a law of their own.
    const OTHERS: [Quantity; 3] = [Quantity::Recovery, Quantity::Messages, Quantity::Rounds];

    /// In front of a name in JSON.
    fn prefix(self) -> &'static str {
        match self {
            Quantity::Steps => "",
            Quantity::LastChange => "last_output_change_",
            Quantity::Recovery => "recovery_",
            Quantity::Messages => "messages_",
            Quantity::Rounds => "rounds_",
        }
    }

    pub(super) fn describe(self) -> &'static str {
        match self {
            Quantity::Steps => "steps",
            Quantity::LastChange => "steps until the last change",
            Quantity::Recovery => "steps to recover",
            Quantity::Messages => "messages",
            Quantity::Rounds => "rounds",
        }
    }

    /// Its values in one run.
    fn of(self, r: &Record) -> Vec<u64> {
        match self {
            Quantity::Steps => vec![r.steps],
            Quantity::LastChange => r.last_output_change.into_iter().collect(),
            Quantity::Recovery => r.recoveries.clone(),
            Quantity::Messages => r.messages.into_iter().collect(),
            Quantity::Rounds => r.rounds.into_iter().collect(),
        }
    }
}

/// What the runs of one setting came to; `None` where nothing was measured.
pub(super) struct Row {
    pub(super) x: f64,
    size: usize,
    runs: usize,
    not_reached: usize,
    measured: Vec<(Quantity, Summary)>,
    cpu: Option<f64>,
    rate: Option<f64>,
    law: Option<f64>,
}

impl Row {
    pub(super) fn get(&self, quantity: Quantity) -> Option<Summary> {
        self.measured.iter().find(|(q, _)| *q == quantity).map(|(_, summary)| *summary)
    }
}

/// How a quantity grows.
#[derive(Clone, Copy)]
pub(super) struct Growth {
    pub(super) power: Option<Fit>,
    /// Where something else than the size varies: laws with an offset are no powers.
    pub(super) line: Option<Line>,
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
        let all_quantities = [Quantity::Steps, Quantity::LastChange].into_iter().chain(Quantity::OTHERS);
        let measured = all_quantities.filter_map(|quantity| {
            let values = reached.iter().flat_map(|r| quantity.of(r)).map(|v| v as f64).collect();
            Some((quantity, Summary::of(values)?))
        });
        let measured = measured.collect();
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
            measured,
            cpu: (!timed.is_empty()).then_some(cpu),
            rate: (cpu > 0.0).then(|| steps / cpu),
            law: self.law.map(|law| law.at(parameters.size as f64, bound as f64)),
        }
    }

    /// How a quantity grows along the axis; nothing if it cannot depend on it.
    fn growth(&self, rows: &[Row], quantity: Quantity) -> Growth {
        if self.axis == "corrupt" && quantity != Quantity::Recovery {
            return Growth { power: None, line: None };
        }
        let points = rows.iter().filter_map(|r| r.get(quantity).and_then(|s| Some((r.x, s.mean, s.error?))));
        let points: Vec<_> = points.collect();
        Growth { power: Fit::of(&points), line: (self.axis != "size").then(|| Line::of(&points)).flatten() }
    }

    /// What the picture shows: recovery where there are faults, messages where there are some, steps otherwise.
    fn shown(rows: &[Row]) -> Quantity {
        let measured = |quantity: &Quantity| rows.iter().any(|row| row.get(*quantity).is_some());
        [Quantity::Recovery, Quantity::Messages].into_iter().find(measured).unwrap_or(Quantity::Steps)
    }

    pub(super) fn tell(&self, settings: &str) -> Result<(), Failure> {
        let rows = self.rows();
        if let Some(path) = &self.arguments.plot {
            let shown = Self::shown(&rows);
            plot::growth(self, &rows, shown, self.growth(&rows, shown), settings).write(path)?;
        }
        // With --csv - the rows are the output.
        if self.arguments.csv.as_deref() == Some("-".as_ref()) {
            return Ok(());
        }
        let mut out = anstream::stdout();
        if self.arguments.json {
            writeln!(out, "{:#}", self.json(&rows))?;
            return Ok(());
        }
        self.table(&mut out, &rows)
    }

    fn json(&self, rows: &[Row]) -> Value {
        let mut top = json!({
            "version": 1,
            "algorithm": self.card.name,
            "start": self.arguments.start(self.card).to_string(),
            "settings": self.arguments.said(self.card).into_iter().collect::<BTreeMap<_, _>>(),
            "axis": self.axis,
            "sizes": rows.iter().map(|row| self.json_row(row)).collect::<Vec<_>>(),
            "seed": self.seed,
            "kernel": self.kernel,
        });
        let extra = top.as_object_mut().expect("an object");
        optional(extra, "interrupted", self.interrupted.then_some(json!(true)));
        for quantity in [Quantity::Steps].into_iter().chain(Quantity::OTHERS) {
            let growth = self.growth(rows, quantity);
            let exponent = |fit: Fit| json!({"value": fit.exponent, "ci95": fit.ci95.map(|(low, high)| [low, high])});
            optional(extra, &format!("{}exponent", quantity.prefix()), growth.power.map(exponent));
            let value = |(value, (low, high)): (f64, (f64, f64))| json!({"value": value, "ci95": [low, high]});
            let line = |line: Line| {
                json!({
                    "intercept": value(line.intercept),
                    "slope": value(line.slope),
                    "curvature": line.curvature.map(value),
                    "straight": line.is_straight(),
                })
            };
            optional(extra, &format!("{}linear", quantity.prefix()), growth.line.map(line));
        }
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
        if let Some(steps) = row.get(Quantity::Steps) {
            for (name, value) in described("mean_steps", steps) {
                extra.insert(name.into(), value);
            }
        }
        let nested = |summary: Summary| json!(described("mean", summary).into_iter().collect::<BTreeMap<_, _>>());
        optional(extra, "last_output_change", row.get(Quantity::LastChange).map(nested));
        optional(extra, "recovery", row.get(Quantity::Recovery).map(nested));
        optional(extra, "messages", row.get(Quantity::Messages).map(nested));
        optional(extra, "rounds", row.get(Quantity::Rounds).map(nested));
        optional(extra, "cpu_seconds", row.cpu.map(Value::from));
        optional(extra, "steps_per_second", row.rate.map(Value::from));
        let ratio = row.law.zip(row.get(Quantity::Steps)).map(|(law, steps)| Value::from(steps.mean / law));
        optional(extra, "ratio_to_law", ratio);
        object
    }

    fn table(&self, out: &mut impl Write, rows: &[Row]) -> Result<(), Failure> {
        let what = match self.card.kind {
            Kind::Message => "steps until all have ended with one leader",
            _ => "steps until safe",
        };
        let start = self.arguments.start(self.card);
        write!(out, "{}: {what}, start {start}, {}, seed {}", self.card.name, self.kernel, self.seed)?;
        for (name, value) in self.arguments.said(self.card) {
            write!(out, ", {name} {value}")?;
        }
        writeln!(out)?;
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
        self.table_end(out, rows)?;
        if self.interrupted {
            writeln!(out, "interrupted: these are the runs that had ended")?;
        }
        Ok(())
    }

    fn table_row(&self, out: &mut impl Write, row: &Row) -> Result<(), Failure> {
        write!(out, "{:>9} {:>6}", row.x, row.runs)?;
        let Some(s) = row.get(Quantity::Steps) else {
            let none = if row.runs == 0 { "no run has ended" } else { "none reached the goal" };
            return Ok(writeln!(out, "   {none}")?);
        };
        let interval = interval(s);
        let or_dash = |value: Option<f64>| value.map_or("-".into(), short);
        write!(
            out,
            " {:>12} {interval:>22} {:>11} {:>11} {:>11} {:>11} {:>12} {:>8} {:>9}",
            short(s.mean),
            short(s.median),
            short(s.p90),
            short(s.p99),
            short(s.max),
            or_dash(row.get(Quantity::LastChange).map(|s| s.mean)),
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

    fn table_end(&self, out: &mut impl Write, rows: &[Row]) -> Result<(), Failure> {
        writeln!(out)?;
        self.laws(out, rows, Quantity::Steps)?;
        for quantity in Quantity::OTHERS {
            self.table_of(out, rows, quantity)?;
            self.laws(out, rows, quantity)?;
        }
        if let Some(law) = self.law {
            writeln!(out, "claimed: {} ({})", law.claim, law.source)?;
        }
        Ok(())
    }

    /// A table of its own, where something was measured.
    fn table_of(&self, out: &mut impl Write, rows: &[Row], quantity: Quantity) -> Result<(), Failure> {
        let measured: Vec<_> = rows.iter().filter_map(|row| Some((row, row.get(quantity)?))).collect();
        if measured.is_empty() {
            return Ok(());
        }
        let what = quantity.describe();
        writeln!(
            out,
            "\n{:>9} {:>6} {what:>16} {:>22} {:>11} {:>11} {:>11} {:>11}",
            self.axis, "count", "95 % interval", "median", "90 %", "99 %", "max"
        )?;
        for (row, s) in measured {
            writeln!(
                out,
                "{:>9} {:>6} {:>16} {:>22} {:>11} {:>11} {:>11} {:>11}",
                row.x,
                s.count,
                short(s.mean),
                interval(s),
                short(s.median),
                short(s.p90),
                short(s.p99),
                short(s.max)
            )?;
        }
        Ok(writeln!(out)?)
    }

    fn laws(&self, out: &mut impl Write, rows: &[Row], quantity: Quantity) -> Result<(), Failure> {
        let Growth { power, line } = self.growth(rows, quantity);
        let (what, axis) = (quantity.describe(), self.axis);
        if let Some(line) = line {
            let value = |(value, (low, high)): (f64, (f64, f64))| {
                format!("{} (95 % interval {} .. {})", short(value), short(low), short(high))
            };
            writeln!(out, "mean {what} = a + b {axis}: b = {}, a = {}", value(line.slope), value(line.intercept))?;
            if let Some((c, (low, high))) = line.curvature {
                let verdict = if line.is_straight() { "no bend is seen" } else { "it bends" };
                writeln!(out, "  {verdict}: a term c {axis}² has c = {c:.2e} (95 % interval {low:.2e} .. {high:.2e})")?;
            }
        }
        if let Some(fit) = power {
            let interval =
                fit.ci95.map_or(String::new(), |(low, high)| format!(", 95 % interval {low:.3} .. {high:.3}"));
            let note = if line.is_some() { "; a power has no offset a, so read the line above first" } else { "" };
            writeln!(out, "mean {what} grow as {axis} to the power {:.3}{interval}{note}", fit.exponent)?;
        }
        Ok(())
    }
}

fn interval(s: Summary) -> String {
    s.ci95().map_or("-".into(), |(low, high)| format!("{} .. {}", short(low), short(high)))
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
