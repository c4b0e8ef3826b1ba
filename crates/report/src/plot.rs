//! Series of points on two axes, drawn on a canvas.
//!
//! ```
//! use ringleader_report::plot::{BLUE, Plot, Scale, Series, Stroke};
//!
//! let steps = Series {
//!     name: "mean".into(),
//!     points: vec![(16.0, 700.0), (32.0, 2900.0), (64.0, 11_800.0)],
//!     stroke: Stroke::Dots,
//!     colour: BLUE,
//! };
//! let plot = Plot {
//!     title: "steps until safe",
//!     x: ("agents n", Scale::Logarithmic),
//!     y: ("steps", Scale::Logarithmic),
//!     series: &[steps],
//!     ..Plot::default()
//! };
//! assert_eq!(plot.draw().svg().matches("<circle").count(), 3 + 3, "three points, and three in the legend");
//! ```

use crate::canvas::{Anchor, Canvas, Colour, GRID, INK, PAPER};

/// The scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal factors.
    Logarithmic,
}

/// The style of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// A line.
    Full,
    /// A dashed line.
    Dashed,
    /// A dot at each point.
    Dots,
    /// A vertical interval for each pair of points.
    Intervals,
    /// An arrow upwards from each point: the value is above.
    Above,
}

/// Points with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend; a series without a name is not listed.
    pub name: String,
    /// The coordinates of its points.
    pub points: Vec<(f64, f64)>,
    /// Its style.
    pub stroke: Stroke,
    /// Its colour.
    pub colour: Colour,
}

/// A picture of some series.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plot<'a> {
    /// The title above the picture.
    pub title: &'a str,
    /// A note in small print beside the title.
    pub note: &'a str,
    /// The name and scale of the horizontal axis.
    pub x: (&'a str, Scale),
    /// The name and scale of the vertical axis.
    pub y: (&'a str, Scale),
    /// The series, the last drawn over the others.
    pub series: &'a [Series],
    /// The ticks of the horizontal axis; round numbers if empty.
    pub ticks: &'a [f64],
}

/// A colour of a series.
pub const BLUE: Colour = [31, 95, 168];
/// A colour of a series.
pub const ORANGE: Colour = [214, 108, 22];
/// A colour of a series.
pub const GREEN: Colour = [44, 140, 70];
/// A colour of a series.
pub const GREY: Colour = [140, 140, 150];

const WIDTH: f32 = 640.0;
const HEIGHT: f32 = 420.0;
const LEFT: f32 = 78.0;
const RIGHT: f32 = 20.0;
const TOP: f32 = 44.0;
const BOTTOM: f32 = 56.0;

/// An axis: its range of values, and its range of pixels.
struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    from: f32,
    to: f32,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, scale: Scale, from: f32, to: f32) -> Axis {
        let usable = |v: &f64| v.is_finite() && (scale == Scale::Linear || *v > 0.0);
        let (low, high) =
            values.filter(usable).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = match scale {
            _ if low > high => (1.0, 10.0),
            Scale::Logarithmic => (low / 1.3, high * 1.3),
            Scale::Linear if low >= 0.0 => (0.0, if high > 0.0 { high * 1.04 } else { 1.0 }),
            Scale::Linear => (low, high + (high - low).max(1e-9) * 0.04),
        };
        Axis { scale, low, high, from, to }
    }

    fn at(&self, value: f64) -> f32 {
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        self.from + (self.to - self.from) * share as f32
    }

    /// Four to ten round numbers, or powers of ten where the axis is long.
    fn ticks(&self) -> Vec<f64> {
        let within = |v: &f64| (self.low..=self.high).contains(v);
        if self.scale == Scale::Linear {
            let rough = (self.high - self.low) / 5.0;
            let power = 10f64.powf(rough.log10().floor());
            let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|s| *s >= rough).unwrap_or(power);
            let first = (self.low / step).ceil() as i64;
            return (first..).map(|i| i as f64 * step).take_while(within).collect();
        }
        let decades = (self.high / self.low).log10();
        let steps: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = self.low.log10().floor() as i32;
        let powers = first..=first + decades.ceil() as i32 + 1;
        powers.flat_map(|p| steps.iter().map(move |s| s * 10f64.powi(p))).filter(within).collect()
    }
}

impl Plot<'_> {
    /// The picture.
    #[must_use]
    pub fn draw(&self) -> Canvas {
        let mut canvas = Canvas::new(WIDTH, HEIGHT);
        let points = || self.series.iter().flat_map(|s| s.points.iter().copied());
        let x = Axis::over(points().map(|p| p.0), self.x.1, LEFT, WIDTH - RIGHT);
        let y = Axis::over(points().map(|p| p.1), self.y.1, HEIGHT - BOTTOM, TOP);
        for value in y.ticks() {
            let at = y.at(value);
            canvas.line(&[(LEFT, at), (WIDTH - RIGHT, at)], GRID, 1.0);
            canvas.words((LEFT - 8.0, at + 4.0), label(value), 12.0, Anchor::End, INK);
        }
        let ticks = if self.ticks.is_empty() { x.ticks() } else { self.ticks.to_vec() };
        for value in ticks {
            let at = x.at(value);
            canvas.line(&[(at, TOP), (at, HEIGHT - BOTTOM)], GRID, 1.0);
            canvas.words((at, HEIGHT - BOTTOM + 18.0), label(value), 12.0, Anchor::Middle, INK);
        }
        canvas.line(&[(LEFT, TOP), (LEFT, HEIGHT - BOTTOM), (WIDTH - RIGHT, HEIGHT - BOTTOM)], INK, 1.2);
        for series in self.series {
            let usable = |p: &&(f64, f64)| x.at(p.0).is_finite() && y.at(p.1).is_finite();
            let points: Vec<_> = series.points.iter().filter(usable).map(|p| (x.at(p.0), y.at(p.1))).collect();
            stroke(&mut canvas, &points, series);
        }
        self.legend(&mut canvas);
        canvas.words((LEFT, 26.0), self.title, 15.0, Anchor::Start, INK);
        canvas.words((WIDTH - RIGHT, 26.0), self.note, 10.5, Anchor::End, GREY);
        canvas.words(((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14.0), self.x.0, 13.0, Anchor::Middle, INK);
        canvas.upright((20.0, (TOP + HEIGHT - BOTTOM) / 2.0), self.y.0, 13.0, INK);
        canvas
    }

    /// The legend: in the upper left corner where series grow, on the right where they fall, in the lower right where they are fractions.
    fn legend(&self, canvas: &mut Canvas) {
        let falls =
            self.series.iter().filter_map(|s| Some(s.points.last()?.1 < s.points.first()?.1)).any(|falls| falls);
        let saturates = self.y.1 == Scale::Linear && !falls;
        let named: Vec<_> = self.series.iter().filter(|s| !s.name.is_empty()).collect();
        let widest = named.iter().map(|s| s.name.chars().count()).max().unwrap_or(0) as f32;
        let left = if falls || saturates { WIDTH - RIGHT - 62.0 - 6.4 * widest } else { LEFT + 14.0 };
        let top = if saturates { HEIGHT - BOTTOM - 20.0 * named.len() as f32 - 4.0 } else { TOP + 16.0 };
        // A background, so that no line runs through the text.
        let ground = (44.0 + 6.4 * widest, 20.0 * named.len() as f32);
        canvas.rectangle((left - 6.0, top - 11.0), ground, PAPER);
        for (row, series) in named.into_iter().enumerate() {
            let y = top + 20.0 * row as f32;
            match series.stroke {
                Stroke::Above => stroke(canvas, &[(left + 11.0, y + 8.0)], series),
                _ => stroke(canvas, &[(left, y), (left + 11.0, y), (left + 22.0, y)], series),
            }
            canvas.words((left + 32.0, y + 4.0), &*series.name, 12.0, Anchor::Start, INK);
        }
    }
}

fn stroke(canvas: &mut Canvas, points: &[(f32, f32)], series: &Series) {
    match series.stroke {
        Stroke::Full => canvas.line(points, series.colour, 1.8),
        Stroke::Dashed => canvas.dashed(points, series.colour, 1.4),
        Stroke::Dots => points.iter().for_each(|p| canvas.dot(*p, 3.4, series.colour)),
        Stroke::Above => {
            for &(x, y) in points {
                canvas.line(&[(x - 5.0, y), (x + 5.0, y)], series.colour, 1.6);
                canvas.line(&[(x, y), (x, y - 18.0)], series.colour, 1.6);
                canvas.line(&[(x - 4.0, y - 12.0), (x, y - 18.0), (x + 4.0, y - 12.0)], series.colour, 1.6);
            }
        }
        Stroke::Intervals => {
            for ends in points.chunks_exact(2) {
                canvas.line(ends, series.colour, 1.4);
                ends.iter().for_each(|&(x, y)| canvas.line(&[(x - 4.0, y), (x + 4.0, y)], series.colour, 1.4));
            }
        }
    }
}

/// A short label in characters that every font has.
fn label(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_string()
    } else if !(0.001..100_000.0).contains(&size) {
        format!("{value:.0e}")
    } else if size >= 10.0 || value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    }
}
