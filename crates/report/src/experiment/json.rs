//! An experiment as JSON.

use super::ExperimentReport;
use super::row::{Quantity, Row, Sample};
use ringleader_erased::Law;
use ringleader_simulate::statistics::{Censored, Fit, Growth, Line, Summary};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

impl ExperimentReport<'_> {
    /// The whole report as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let rows = &self.rows();
        let mut top = json!({
            "version": 1,
            "algorithm": self.card.name,
            "start": self.start,
            "settings": self.said.iter().cloned().collect::<BTreeMap<_, _>>(),
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
            optional(extra, &format!("{}growth", quantity.prefix()), growth.by_size.as_ref().map(by_size));
        }
        let claimed = |law: Law| json!({"claim": law.claim, "source": law.source, "size": law.size, "logs": law.logs, "bound": law.bound});
        optional(extra, "law", self.law().map(claimed));
        optional(extra, "oracle", self.oracle.clone().map(Value::from));
        top
    }

    fn json_row(&self, row: &Row) -> Value {
        let mut object = json!({"size": row.size, "runs": row.runs, "not_reached": row.not_reached});
        let extra = object.as_object_mut().expect("an object");
        if self.axis != "size" {
            extra.insert(self.axis.into(), json!(row.x));
        }
        if let Some(steps) = row.sample(Quantity::Steps) {
            for (name, value) in of_sample(["mean_steps", "mean_steps_at_least"], steps) {
                extra.insert(name.into(), value);
            }
        }
        let nested = |sample: Sample| {
            json!(of_sample(["mean", "mean_at_least"], sample).into_iter().collect::<BTreeMap<_, _>>())
        };
        optional(extra, "last_output_change", row.sample(Quantity::LastChange).map(nested));
        optional(extra, "recovery", row.sample(Quantity::Recovery).map(nested));
        optional(extra, "messages", row.sample(Quantity::Messages).map(nested));
        optional(extra, "rounds", row.sample(Quantity::Rounds).map(nested));
        optional(extra, "moves", row.sample(Quantity::Moves).map(nested));
        optional(extra, "cpu_seconds", row.cpu.map(Value::from));
        optional(extra, "steps_per_second", row.rate.map(Value::from));
        let ratio = row.law.zip(row.get(Quantity::Steps)).map(|(law, steps)| Value::from(steps.mean / law));
        optional(extra, "ratio_to_law", ratio);
        object
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
    let mut object = json!({ "local_exponents": local.collect::<Vec<_>>() });
    if let Some((change, (low, high))) = growth.trend {
        object["change_per_doubling"] = json!({"value": change, "ci95": [low, high]});
    }
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

fn optional(object: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        object.insert(name.into(), value);
    }
}
