//! An experiment as JSON.

use super::ExperimentReport;
use super::row::{Quantity, Row, Sample};
use crate::json::OptionalFields as _;
use ringleader_erased::Law;
use ringleader_simulate::statistics::{Censored, Fit, Growth, Line, Summary};
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl ExperimentReport<'_> {
    /// The whole report as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let rows = &self.rows();
        let top = json!({
            "version": 1,
            "algorithm": self.card.name,
            "start": self.start,
            "settings": self.said.iter().cloned().collect::<BTreeMap<_, _>>(),
            "axis": self.axis,
            "sizes": rows.iter().map(|row| self.json_row(row)).collect::<Vec<_>>(),
            "seed": self.seed,
            "kernel": self.kernel,
        });
        let value = |(value, (low, high)): (f64, (f64, f64))| json!({"value": value, "ci95": [low, high]});
        let exponent = |fit: Fit| json!({"value": fit.exponent, "ci95": fit.ci95.map(|(low, high)| [low, high])});
        let line = |line: Line| {
            json!({
                "intercept": value(line.intercept),
                "slope": value(line.slope),
                "curvature": line.curvature.map(value),
                "straight": line.is_straight(),
            })
        };
        let grown = |top: Value, quantity: Quantity| {
            let growth = self.growth(rows, quantity);
            let prefix = if quantity == Quantity::Steps { "".into() } else { format!("{}_", quantity.names().0) };
            top.with(&format!("{prefix}exponent"), growth.power.map(exponent))
                .with(&format!("{prefix}linear"), growth.line.map(line))
                .with(&format!("{prefix}growth"), growth.by_size.as_ref().map(by_size))
        };
        let claimed = |law: Law| json!({"claim": law.claim, "source": law.source, "size": law.size, "logs": law.logs, "bound": law.bound});
        let top = [Quantity::Steps].into_iter().chain(Quantity::OTHERS).fold(top, grown);
        top.with("interrupted", self.interrupted.then_some(true))
            .with("law", self.card.law.map(claimed))
            .with("oracle", self.oracle.clone())
    }

    fn json_row(&self, row: &Row) -> Value {
        let object = json!({"size": row.size, "runs": row.runs, "not_reached": row.not_reached});
        let steps = row.sample(Quantity::Steps);
        let steps = steps.into_iter().flat_map(|steps| of_sample(["mean_steps", "mean_steps_at_least"], steps));
        let object = steps.fold(object, |object, (name, value)| object.with(name, Some(value)));
        let nested = |quantity| {
            let known = of_sample(["mean", "mean_at_least"], row.sample(quantity)?);
            Some(json!(known.into_iter().collect::<BTreeMap<_, _>>()))
        };
        let ratio = row.law.zip(row.get(Quantity::Steps)).map(|(law, steps)| steps.mean / law);
        let others = [Quantity::LastChange].into_iter().chain(Quantity::OTHERS);
        others
            .fold(object, |object, quantity| object.with(quantity.names().0, nested(quantity)))
            .with(self.axis, (self.axis != "size").then_some(row.x))
            .with("cpu_seconds", row.cpu)
            .with("steps_per_second", row.rate)
            .with("ratio_to_law", ratio)
    }
}

/// The statistics of a sample, under the name of a mean or of its lower bound.
fn of_sample([mean, at_least]: [&'static str; 2], sample: Sample) -> Vec<(&'static str, Value)> {
    match sample {
        Sample::Whole(summary) => described(mean, summary),
        Sample::Cut(Censored { cut, at_least: bound, median, p90, p99, .. }) => {
            let known = [("median", median), ("p90", p90), ("p99", p99)];
            let known = known.into_iter().filter_map(|(name, value)| Some((name, json!(value?))));
            known.chain([(at_least, json!(bound)), ("cut_off", json!(cut))]).collect()
        }
    }
}

/// The growth of a mean with the size.
fn by_size(growth: &Growth) -> Value {
    let local = growth
        .local
        .iter()
        .map(|l| json!({"from": l.from, "to": l.to, "exponent": l.exponent, "ci95": [l.ci95.0, l.ci95.1]}));
    let change = |(change, (low, high))| json!({"value": change, "ci95": [low, high]});
    let mut object =
        json!({ "local_exponents": local.collect::<Vec<_>>() }).with("change_per_doubling", growth.trend.map(change));
    if let Some((best, near)) = growth.best() {
        let laws = growth.laws.iter().map(|law| {
            let (a, b) = law.coefficients;
            json!({"law": law.form.formula(), "coefficients": [a, b], "chi2": law.chi2, "aicc": law.aicc})
        });
        object["laws"] = laws.collect();
        object["nearest"] = json!(best.form.formula());
        object["not_told_apart"] = near.iter().map(|law| json!(law.form.formula())).collect();
        object["fits"] = json!(growth.fits());
    }
    object
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
