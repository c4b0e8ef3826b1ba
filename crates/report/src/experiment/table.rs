//! An experiment as a table.

use super::ExperimentReport;
use super::row::{Quantity, Row, Sample};
use crate::number::short;
use ringleader_erased::{Kind, Law};
use ringleader_simulate::statistics::Summary;
use std::io::{Result, Write};

impl ExperimentReport<'_> {
    /// The report as text: a table of every measured quantity, and its law.
    pub fn text(&self, out: &mut impl Write) -> Result<()> {
        let rows = &self.rows();
        let what = match self.card.kind {
            Kind::Message => "steps until all have ended with one leader".to_string(),
            _ => format!("steps until {}", self.until),
        };
        write!(out, "{}: {what}, start {}, {}, seed {}", self.card.name, self.start, self.kernel, self.seed)?;
        for (name, value) in &self.said {
            write!(out, ", {name} {value}")?;
        }
        writeln!(out)?;
        let law = self.card.law.map_or(String::new(), |law| format!("   steps / {}", symbols(law)));
        let (head, last, cpu, rate) = (head("mean", 12), "last change", "CPU s", "steps/s");
        writeln!(out, "\n{:>9} {:>6} {head} {last:>12} {cpu:>8} {rate:>9}{law}", self.axis, "runs")?;
        for row in rows {
            self.table_row(out, row)?;
        }
        self.table_end(out, rows)?;
        if self.interrupted {
            writeln!(out, "interrupted: the table covers the runs that had ended")?;
        }
        Ok(())
    }

    fn table_row(&self, out: &mut impl Write, row: &Row) -> Result<()> {
        write!(out, "{:>9} {:>6}", row.x, row.runs)?;
        let Some(sample) = row.sample(Quantity::Steps) else { return writeln!(out, "   no run has ended") };
        let (last, rate) = (or_dash(row.get(Quantity::LastChange).map(|s| s.mean)), or_dash(row.rate));
        let cpu = row.cpu.map_or("-".into(), |c| format!("{c:.2}"));
        write!(out, " {} {last:>12} {cpu:>8} {rate:>9}", columns(sample, 12))?;
        if let Some((law, steps)) = row.law.zip(row.get(Quantity::Steps)) {
            write!(out, "   {:.4}", steps.mean / law)?;
        }
        if row.not_reached > 0 {
            write!(out, "   {} of {} runs hit the limit, or ended without the goal", row.not_reached, row.runs)?;
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
        if let Some(law) = self.card.law {
            writeln!(out, "claimed: {} ({})", law.claim, law.source)?;
        }
        Ok(())
    }

    /// The table of a quantity, where it was measured.
    fn table_of(&self, out: &mut impl Write, rows: &[Row], quantity: Quantity) -> Result<()> {
        let measured: Vec<_> = rows.iter().filter_map(|row| Some((row, row.sample(quantity)?))).collect();
        if measured.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{:>9} {:>6} {}", self.axis, "count", head(quantity.describe(), 16))?;
        for (row, sample) in measured {
            let (count, cut) = match sample {
                Sample::Whole(s) => (s.count, String::new()),
                Sample::Cut(s) => (s.count, format!("   {} of {} cut off", s.cut, s.count)),
            };
            writeln!(out, "{:>9} {count:>6} {}{cut}", row.x, columns(sample, 16))?;
        }
        writeln!(out)
    }
}

/// Mean, interval and quantiles, where known; `>` marks a lower bound of the mean.
fn columns(sample: Sample, wide: usize) -> String {
    let (mean, interval, quantiles) = match sample {
        Sample::Whole(s) => (short(s.mean), interval(s), [s.median, s.p90, s.p99, s.max].map(Some)),
        Sample::Cut(s) => (format!("> {}", short(s.at_least)), "-".into(), [s.median, s.p90, s.p99, None]),
    };
    let [median, p90, p99, max] = quantiles.map(or_dash);
    format!("{mean:>wide$} {interval:>22} {median:>11} {p90:>11} {p99:>11} {max:>11}")
}

/// The titles of these columns.
fn head(mean: &str, wide: usize) -> String {
    let [median, p90, p99, max] = ["median", "90 %", "99 %", "max"];
    format!("{mean:>wide$} {:>22} {median:>11} {p90:>11} {p99:>11} {max:>11}", "95 % interval")
}

fn or_dash(value: Option<f64>) -> String {
    value.map_or("-".into(), short)
}

fn interval(s: Summary) -> String {
    s.ci95().map_or("-".into(), |(low, high)| format!("{} .. {}", short(low), short(high)))
}

/// The law as a product: n³, nN, n log n.
fn symbols(law: Law) -> String {
    let power = |name: &str, exponent: i32| match exponent {
        0 => String::new(),
        1 => name.to_string(),
        2 => format!("{name}²"),
        3 => format!("{name}³"),
        other => format!("{name}^{other}"),
    };
    let logs = power(" log n", law.logs);
    (power("n", law.size) + &power("N", law.bound) + &logs).trim_start().to_string()
}
