//! The settling time against the number of processes, on plain axes: what grows like n is a straight line.

use super::summary::Summary;
use crate::canvas::Canvas;
use crate::plot::{BLUE, GREY, ORANGE, Plot, Scale, Series, Stroke};

/// Mean, 99 % and maximum for every size.
#[must_use]
pub fn settling(algorithm: &str, rows: &[(usize, Summary)]) -> Canvas {
    let series = |name: &str, stroke, colour, of: fn(&Summary) -> f64| Series {
        name: name.to_string(),
        points: rows.iter().map(|(n, summary)| (*n as f64, of(summary))).collect(),
        stroke,
        colour,
    };
    let series = [
        series("longest", Stroke::Dots, ORANGE, |s| s.max),
        series("99 % of runs", Stroke::Dashed, GREY, |s| s.p99),
        series("mean", Stroke::Dots, BLUE, |s| s.mean),
    ];
    let title = format!("{algorithm}: time until settled, in δ");
    Plot {
        title: &title,
        x: ("processes n", Scale::Linear),
        y: ("δ", Scale::Linear),
        series: &series,
        ..Plot::default()
    }
    .draw()
}
