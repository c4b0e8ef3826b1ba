//! An experiment as a table.

use super::ExperimentReport;
use super::row::{Growth, Quantity, Row};
use crate::number::short;
use ringleader_instance::{Kind, Law};
use ringleader_simulate::statistics::Summary;
use std::io::{Result, Write};

impl ExperimentReport<'_> {
    /// For people: a table of every quantity that was measured, and its law.
    pub fn text(&self, out: &mut impl Write) -> Result<()> {
        let rows = &self.rows();
        let what = match self.card.kind {
            Kind::Message => "steps until all have ended with one leader",
            _ => "steps until safe",
        };
        write!(out, "{}: {what}, start {}, {}, seed {}", self.card.name, self.start, self.kernel, self.seed)?;
        for (name, value) in &self.said {
            write!(out, ", {name} {value}")?;
        }
        writeln!(out)?;
        let law = self.law().map_or(String::new(), |law| format!("   steps / {}", symbols(law)));
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

    fn table_row(&self, out: &mut impl Write, row: &Row) -> Result<()> {
        write!(out, "{:>9} {:>6}", row.x, row.runs)?;
        let Some(s) = row.get(Quantity::Steps) else {
            let none = if row.runs == 0 { "no run has ended" } else { "none reached the goal" };
            return writeln!(out, "   {none}");
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
        writeln!(out)
    }

    fn table_end(&self, out: &mut impl Write, rows: &[Row]) -> Result<()> {
        writeln!(out)?;
        self.laws(out, rows, Quantity::Steps)?;
        for quantity in Quantity::OTHERS {
            self.table_of(out, rows, quantity)?;
            self.laws(out, rows, quantity)?;
        }
        if let Some(law) = self.law() {
            writeln!(out, "claimed: {} ({})", law.claim, law.source)?;
        }
        Ok(())
    }

    /// A table of its own, where something was measured.
    fn table_of(&self, out: &mut impl Write, rows: &[Row], quantity: Quantity) -> Result<()> {
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
        writeln!(out)
    }

    fn laws(&self, out: &mut impl Write, rows: &[Row], quantity: Quantity) -> Result<()> {
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

/// The law without its words: n³, n N.
fn symbols(law: Law) -> String {
    let power = |name: &str, exponent: i32| match exponent {
        0 => String::new(),
        1 => name.to_string(),
        2 => format!("{name}²"),
        3 => format!("{name}³"),
        other => format!("{name}^{other}"),
    };
    power("n", law.size) + &power("N", law.bound)
}
