//! The probability of a leader within t steps, as numbers, text and a picture.

use crate::canvas::Canvas;
use crate::plot::{BLUE, GREEN, GREY, ORANGE, Plot, Scale, Series, Stroke};
use std::fmt::Write;

/// One algorithm's probabilities, by t.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// For t = 0, 1, ..: the least, the uniform scheduler's and the greatest probability.
    pub points: Vec<[f64; 3]>,
}

const KINDS: [&str; 3] = ["min", "uniform", "max"];

impl Curve {
    /// All curves side by side, separated by commas.
    #[must_use]
    pub fn csv(curves: &[Curve]) -> String {
        let mut text = String::from("t");
        for curve in curves {
            KINDS.iter().for_each(|kind| {
                let _ = write!(text, ",{} {kind}", curve.name);
            });
        }
        text.push('\n');
        for t in 0..curves.iter().map(|curve| curve.points.len()).max().unwrap_or(0) {
            let _ = write!(text, "{t}");
            for value in curves.iter().flat_map(|curve| curve.points.get(t).into_iter().flatten()) {
                let _ = write!(text, ",{value}");
            }
            text.push('\n');
        }
        text
    }

    /// A table with a few of the points.
    #[must_use]
    pub fn table(curves: &[Curve]) -> String {
        let width = curves.iter().map(|curve| curve.name.len()).max().unwrap_or(0).max(28);
        let mut text = String::from("      t");
        for curve in curves {
            let _ = write!(text, "  {:^width$}", curve.name);
        }
        text.push_str("\n       ");
        for _ in curves {
            let _ = write!(text, "  {:<width$}", format!("{:<10}{:<10}{}", KINDS[0], KINDS[1], KINDS[2]));
        }
        let last = curves.first().map_or(0, |curve| curve.points.len() - 1);
        let stride = last.div_ceil(15).max(1);
        for t in (0..=last).filter(|t| t % stride == 0 || *t == last) {
            text.truncate(text.trim_end().len());
            let _ = write!(text, "\n{t:>7}");
            for [min, uniform, max] in curves.iter().map(|curve| curve.points[t]) {
                let _ = write!(text, "  {:<width$}", format!("{min:<10.6}{uniform:<10.6}{max:.6}"));
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }

    /// The curves as a picture: the uniform scheduler's as a full line, the least and the greatest dashed.
    #[must_use]
    pub fn picture(title: &str, curves: &[Curve]) -> Canvas {
        let colours = [BLUE, ORANGE, GREEN, GREY].into_iter().cycle();
        let series = |curve: &Curve, kind: usize, colour| Series {
            name: if kind == 1 { curve.name.clone() } else { String::new() },
            points: curve.points.iter().enumerate().map(|(t, point)| (t as f64, point[kind])).collect(),
            stroke: if kind == 1 { Stroke::Full } else { Stroke::Dashed },
            colour,
        };
        let series: Vec<Series> = curves
            .iter()
            .zip(colours)
            .flat_map(|(curve, colour)| [1, 0, 2].map(|kind| series(curve, kind, colour)))
            .collect();
        Plot {
            title,
            x: ("steps t; full: uniform scheduler, dashed: least and greatest", Scale::Linear),
            y: ("probability of a leader within t", Scale::Linear),
            series: &series,
            ..Plot::default()
        }
        .draw()
    }
}
