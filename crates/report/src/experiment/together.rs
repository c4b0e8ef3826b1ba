//! Several algorithms in one picture.

use super::ExperimentReport;
use super::plot::on_logarithms;
use super::row::{Quantity, shown};
use crate::canvas::{Canvas, Colour};
use crate::plot::{BLUE, GREEN, ORANGE, Series, Stroke};

/// The colours of the algorithms, in order.
const COLOURS: [Colour; 8] =
    [BLUE, ORANGE, GREEN, [165, 55, 140], [190, 45, 45], [20, 150, 165], [120, 95, 40], [90, 90, 100]];

/// The mean of each algorithm along the same axis, with intervals, on logarithmic axes. Messages if all count them, steps
/// otherwise.
#[must_use]
pub fn plot_together(reports: &[ExperimentReport<'_>], note: &str) -> Canvas {
    let rows: Vec<_> = reports.iter().map(ExperimentReport::rows).collect();
    let of = shown(&rows);
    let mut series = vec![];
    for ((report, rows), number) in reports.iter().zip(&rows).zip(0..) {
        let colour = COLOURS[number % COLOURS.len()];
        let seen: Vec<_> = rows.iter().filter_map(|row| row.get(of).map(|s| (row.x, s))).collect();
        let intervals = seen.iter().filter_map(|(x, s)| s.ci95().filter(|c| c.0 > 0.0).map(|c| [(*x, c.0), (*x, c.1)]));
        let means: Vec<(f64, f64)> = seen.iter().map(|(x, s)| (*x, s.mean)).collect();
        let one = |name: &str, stroke, points| Series { name: name.to_string(), points, stroke, colour };
        series.push(one("", Stroke::Intervals, intervals.flatten().collect()));
        series.push(one("", Stroke::Full, means.clone()));
        series.push(one(report.card.name, Stroke::Dots, means));
        let cut: Vec<_> = rows.iter().filter_map(|row| row.cut(of).map(|cut| (row.x, cut.at_least))).collect();
        if !cut.is_empty() {
            series.push(one("runs hit the limit: the mean is above", Stroke::Above, cut));
        }
    }
    let mut measured: Vec<f64> = rows.iter().flatten().map(|row| row.x).collect();
    measured.sort_by(f64::total_cmp);
    measured.dedup();
    let names: Vec<&str> = reports.iter().map(|report| report.card.name).collect();
    let axis = reports.first().map_or("size", |report| report.axis);
    let kinds = reports.iter().map(|report| report.card.kind.members());
    let members = kinds.reduce(|a, b| if a == b { a } else { "agents or processes" }).unwrap_or("agents");
    let across = if axis == "size" { format!("{members} n") } else { axis.to_string() };
    let what = if of == Quantity::Steps { "steps until the goal" } else { of.describe() };
    let title = if names.len() <= 3 { names.join(", ") } else { format!("{} algorithms", names.len()) };
    on_logarithms(&title, note, &across, what, &series, &measured)
}
