//! An experiment as JSON.

use super::ExperimentReport;
use super::row::{Quantity, Row};
use ringleader_instance::Law;
use ringleader_simulate::statistics::{Fit, Line, Summary};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

impl ExperimentReport<'_> {
    /// All of it, as one object.
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
        }
        let claimed =
            |law: Law| json!({"claim": law.claim, "source": law.source, "size": law.size, "bound": law.bound});
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
