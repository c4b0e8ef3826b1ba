//! The growth of a quantity in words, for the measured sizes only.

use super::ExperimentReport;
use super::row::{Growth, Quantity, Row};
use crate::number::{joined, short};
use ringleader_simulate::statistics::{self, Fit, Fitted, Form, Line, NOT_TOLD_APART};
use std::io::{Result, Write};

impl ExperimentReport<'_> {
    pub(super) fn laws(&self, out: &mut impl Write, rows: &[Row], quantity: Quantity) -> Result<()> {
        let growth = self.growth(rows, quantity);
        let what = quantity.describe();
        if let Some(line) = growth.line {
            self.line(out, what, line)?;
        }
        if let Some(by_size) = &growth.by_size {
            by_sizes(out, what, by_size)?;
        }
        if let Some(fit) = growth.power {
            self.power(out, what, fit, &growth)?;
        }
        if let Some(by_size) = &growth.by_size {
            chosen(out, by_size)?;
        }
        if !growth.left_out.is_empty() && rows.len() > 1 {
            let (axis, left_out) = (self.axis, joined(&growth.left_out, ", "));
            writeln!(out, "no mean of {what} at {axis} {left_out}, so no part in the laws: runs hit the limit")?;
        }
        Ok(())
    }

    fn line(&self, out: &mut impl Write, what: &str, line: Line) -> Result<()> {
        let axis = self.axis;
        let value = |(value, (low, high)): (f64, (f64, f64))| {
            format!("{} (95 % interval {} .. {})", short(value), short(low), short(high))
        };
        writeln!(out, "mean {what} = a + b {axis}: b = {}, a = {}", value(line.slope), value(line.intercept))?;
        if let Some((c, (low, high))) = line.curvature {
            let verdict = if line.is_straight() { "no bend is visible" } else { "it bends" };
            writeln!(out, "  {verdict}: a term c {axis}² has c = {c:.2e} (95 % interval {low:.2e} .. {high:.2e})")?;
        }
        Ok(())
    }

    fn power(&self, out: &mut impl Write, what: &str, fit: Fit, growth: &Growth) -> Result<()> {
        let interval = fit.ci95.map_or(String::new(), |(low, high)| format!(" (95 %: {low:.3} .. {high:.3})"));
        let note =
            if growth.line.is_some() { "; a power has no offset a, so the line above describes more" } else { "" };
        let (axis, exponent) = (self.axis, fit.exponent);
        writeln!(out, "as one power of {axis} over all settings, mean {what}: exponent {exponent:.3}{interval}{note}")
    }
}

/// The exponents from size to size, and whether they change.
fn by_sizes(out: &mut impl Write, what: &str, growth: &statistics::Growth) -> Result<()> {
    let local: Vec<_> =
        growth.local.iter().map(|l| format!("{:.2} ± {:.2}", l.exponent, l.ci95.1 - l.exponent)).collect();
    writeln!(out, "exponents of mean {what} between neighbouring sizes: {}", local.join(", "))?;
    if let Some((change, (low, high))) = growth.trend {
        let verdict = match (low, high) {
            (low, _) if low > 0.0 => "they rise",
            (_, high) if high < 0.0 => "they fall",
            _ => "no trend is visible",
        };
        writeln!(out, "  {verdict}: when the size doubles, they change by {change:.3} (95 %: {low:.3} .. {high:.3})")?;
    }
    Ok(())
}

/// The chosen law, its criterion, and the laws that fit about as well.
fn chosen(out: &mut impl Write, growth: &statistics::Growth) -> Result<()> {
    let Some((best, near)) = growth.best() else {
        return writeln!(out, "a law is fitted from four sizes on");
    };
    let formula = |law: &Fitted| law.form.formula();
    let (count, name, values, Fitted { chi2, aicc, .. }) = (Form::COUNT, formula(&best), law(&best), best);
    write!(out, "of {count} laws, {name} fits best: {values}; χ² {chi2:.1}, AICc {aicc:.1}")?;
    if near.is_empty() {
        let next = growth.laws.get(1);
        next.map_or(Ok(()), |next| write!(out, "; the next is {}, AICc {:.1}", formula(next), next.aicc))?;
    } else {
        let near: Vec<_> = near.iter().map(|law| format!("{} ({:.1})", formula(law), law.aicc)).collect();
        write!(out, "; about as good (AICc within {NOT_TOLD_APART}): {}", near.join(", "))?;
    }
    writeln!(out)?;
    if !growth.fits() {
        writeln!(out, "  but it does not fit: chance explains such distances less than once in a thousand times")?;
    }
    writeln!(out, "  this describes the measured sizes; a fit says nothing about larger ones")
}

/// A law with its coefficients.
pub(super) fn law(law: &Fitted) -> String {
    let (a, b) = law.coefficients;
    let short = |value: f64| if value.abs() < 0.1 { format!("{value:.2e}") } else { short(value) };
    match law.form {
        Form::Power => format!("c = {}, b = {b:.3}", short(a)),
        _ if b == 0.0 => format!("a = {}", short(a)),
        _ => format!("a = {}, b = {}", short(a), short(b)),
    }
}
