//! The probability of a goal within t steps, as numbers, text and a picture.

use crate::canvas::Canvas;
use crate::plot::{BLUE, GREEN, GREY, ORANGE, Plot, Scale, Series, Stroke};
use std::fmt::Write;

/// Probabilities by t.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// The kinds of probabilities: `min` over all schedulers, under the `uniform` one, `max`; or one kind without a name.
    pub kinds: &'static [&'static str],
    /// For t = 0, 1, ..: the probability of each kind.
    pub points: Vec<Vec<f64>>,
}

impl Curve {
    /// The least, the uniform scheduler's and the greatest probability, by t.
    #[must_use]
    pub fn three(name: String, points: Vec<[f64; 3]>) -> Curve {
        Curve { name, kinds: &["min", "uniform", "max"], points: points.into_iter().map(Vec::from).collect() }
    }

    /// The first t at which each kind of probability is at least `quantile`.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> Vec<Option<usize>> {
        let first = |kind: usize| self.points.iter().position(|point| point[kind] >= quantile);
        (0..self.kinds.len()).map(first).collect()
    }

    /// All curves side by side, separated by commas.
    #[must_use]
    pub fn csv(curves: &[Curve]) -> String {
        let mut text = String::from("t");
        for curve in curves {
            curve.kinds.iter().for_each(|kind| {
                let _ = write!(text, ",{}", format!("{} {kind}", curve.name).trim_end().replace(',', ";"));
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
        let most = curves.iter().map(|curve| curve.kinds.len()).max().unwrap_or(1);
        let width = curves.iter().map(|curve| curve.name.chars().count()).max().unwrap_or(0).max(10 * most - 2);
        let mut text = String::from("      t");
        for curve in curves {
            let name = &curve.name;
            let _ = if most > 1 { write!(text, "  {name:^width$}") } else { write!(text, "  {name:<width$}") };
        }
        let cells = |cells: Vec<String>| cells.iter().map(|cell| format!("{cell:<10}")).collect::<String>();
        if most > 1 {
            text.truncate(text.trim_end().len());
            text.push_str("\n       ");
            for curve in curves {
                let kinds = cells(curve.kinds.iter().map(|kind| kind.to_string()).collect());
                let _ = write!(text, "  {:<width$}", kinds.trim_end());
            }
        }
        let last = curves.first().map_or(0, |curve| curve.points.len() - 1);
        let stride = last.div_ceil(15).max(1);
        for t in (0..=last).filter(|t| t % stride == 0 || *t == last) {
            text.truncate(text.trim_end().len());
            let _ = write!(text, "\n{t:>7}");
            for point in curves.iter().map(|curve| &curve.points[t]) {
                let values = cells(point.iter().map(|value| format!("{value:.6}")).collect());
                let _ = write!(text, "  {:<width$}", values.trim_end());
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }

    /// The curves as a picture of the probability of a `goal`: the uniform scheduler's, or else the least one, as a full
    /// line, others dashed.
    #[must_use]
    pub fn picture(title: &str, goal: &str, curves: &[Curve]) -> Canvas {
        let colours = [BLUE, ORANGE, GREEN, GREY].into_iter().cycle();
        let series = |curve: &Curve, kind: usize, main: bool, colour| Series {
            name: if main { curve.name.clone() } else { String::new() },
            points: curve.points.iter().enumerate().map(|(t, point)| (t as f64, point[kind])).collect(),
            stroke: if main { Stroke::Full } else { Stroke::Dashed },
            colour,
        };
        let mut all: Vec<Series> = vec![];
        for (curve, colour) in curves.iter().zip(colours) {
            let main = curve.kinds.iter().position(|kind| *kind == "uniform").unwrap_or(0);
            all.push(series(curve, main, true, colour));
            let others = (0..curve.kinds.len()).filter(|&kind| kind != main);
            all.extend(others.map(|kind| series(curve, kind, false, colour)));
        }
        let lines = match curves.first().map_or(1, |curve| curve.kinds.len()) {
            3 => "steps t; full: uniform scheduler, dashed: least and greatest",
            2 => "steps t; full: least over all daemons, dashed: greatest",
            _ => "steps t",
        };
        let y = format!("probability of {goal} within t");
        Plot { title, x: (lines, Scale::Linear), y: (&y, Scale::Linear), series: &all, ..Plot::default() }.draw()
    }
}
