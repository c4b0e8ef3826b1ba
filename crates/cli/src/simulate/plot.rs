//! The growth of the mean on logarithmic axes.

use super::report::{Growth, Quantity, Report, Row, short};
use crate::canvas::{Anchor, Canvas, Colour};

const INK: Colour = [40, 40, 48];
const GRID: Colour = [228, 228, 232];
const BLUE: Colour = [31, 95, 168];
const ORANGE: Colour = [214, 108, 22];

const WIDTH: f32 = 640.0;
const HEIGHT: f32 = 460.0;
const LEFT: f32 = 78.0;
const RIGHT: f32 = 20.0;
const TOP: f32 = 46.0;
const BOTTOM: f32 = 58.0;

/// One logarithmic axis: from which value to which, on which pixels.
struct Axis {
    low: f64,
    high: f64,
    from: f32,
    to: f32,
}

impl Axis {
    fn at(&self, value: f64) -> f32 {
        let share = (value / self.low).ln() / (self.high / self.low).ln();
        self.from + (self.to - self.from) * share as f32
    }

    /// Powers of ten, and where they are few also 2 and 5 times them.
    fn ticks(&self) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        let steps: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = self.low.log10().floor() as i32;
        (first..=first + decades.ceil() as i32 + 1)
            .flat_map(|power| steps.iter().map(move |s| s * 10f64.powi(power)))
            .filter(|v| (self.low..=self.high).contains(v))
            .collect()
    }
}

fn span(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let low = values.clone().filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
    let high = values.fold(0.0, f64::max);
    if low.is_finite() { (low / 1.4, high.max(low) * 1.4) } else { (1.0, 10.0) }
}

/// The plot of an experiment.
pub(super) fn growth(report: &Report<'_>, rows: &[Row], of: Quantity, growth: Growth, settings: &str) -> Canvas {
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let seen: Vec<_> = rows.iter().filter_map(|row| row.get(of).map(|s| (row, s))).collect();
    let (low, high) = span(seen.iter().map(|(row, _)| row.x));
    let x = Axis { low, high, from: LEFT, to: WIDTH - RIGHT };
    let ends = seen.iter().flat_map(|(_, s)| [s.mean, s.p90, s.ci95().map_or(s.mean, |c| c.0)]);
    let (low, high) = span(ends);
    let y = Axis { low, high, from: HEIGHT - BOTTOM, to: TOP };
    axes(&mut canvas, &x, &y, report, of);
    if let (Some((text, at)), Some((first, _)), Some((last, _))) = (fitted(growth), seen.first(), seen.last()) {
        // Straight for a power; a line with an offset bends on these axes.
        let ratio = last.x / first.x;
        let curve = (0..=48).map(|i| first.x * ratio.powf(f64::from(i) / 48.0)).map(|v| (v, at(v)));
        let curve: Vec<_> = curve.filter(|p| p.1 > 0.0).map(|(v, f)| (x.at(v), y.at(f))).collect();
        canvas.line(&curve, ORANGE, 1.6);
        canvas.line(&[(LEFT + 14.0, TOP + 36.0), (LEFT + 36.0, TOP + 36.0)], ORANGE, 1.6);
        canvas.words((LEFT + 44.0, TOP + 40.0), text, 12.0, Anchor::Start, INK);
    }
    let p90: Vec<_> = seen.iter().map(|(row, s)| (x.at(row.x), y.at(s.p90))).collect();
    canvas.dashed(&p90, [150, 170, 196], 1.2);
    for (row, s) in &seen {
        let at = x.at(row.x);
        if let Some((low, high)) = s.ci95().filter(|c| c.0 > 0.0) {
            let (low, high) = (y.at(low), y.at(high));
            canvas.line(&[(at, low), (at, high)], BLUE, 1.4);
            canvas.line(&[(at - 4.0, low), (at + 4.0, low)], BLUE, 1.4);
            canvas.line(&[(at - 4.0, high), (at + 4.0, high)], BLUE, 1.4);
        }
        canvas.dot((at, y.at(s.mean)), 3.6, BLUE);
    }
    canvas.dot((LEFT + 25.0, TOP + 16.0), 3.6, BLUE);
    canvas.words((LEFT + 44.0, TOP + 20.0), "mean with 95 % interval", 12.0, Anchor::Start, INK);
    canvas.dashed(&[(LEFT + 14.0, TOP + 56.0), (LEFT + 36.0, TOP + 56.0)], [150, 170, 196], 1.2);
    canvas.words((LEFT + 44.0, TOP + 60.0), "90 % of runs end below", 12.0, Anchor::Start, INK);
    let settings = settings.split_once(": ").map_or(settings, |(_, rest)| rest);
    canvas.words((LEFT, 26.0), report.card.name, 17.0, Anchor::Start, INK);
    let rest = settings.strip_prefix(report.card.name).unwrap_or(settings);
    canvas.words((WIDTH - RIGHT, 26.0), rest.trim(), 10.5, Anchor::End, [120, 120, 130]);
    canvas
}

type Curve = Box<dyn Fn(f64) -> f64>;

/// The law to draw, and its words.
fn fitted(growth: Growth) -> Option<(String, Curve)> {
    if let Some(line) = growth.line {
        let (b, (low, high)) = line.slope;
        let text = format!("a + b x, b = {} (95 %: {} to {})", short(b), short(low), short(high));
        return Some((text, Box::new(move |x| line.at(x))));
    }
    let fit = growth.power?;
    let interval = fit.ci95.map_or(String::new(), |(low, high)| format!(" (95 %: {low:.3} to {high:.3})"));
    Some((format!("fitted exponent {:.3}{interval}", fit.exponent), Box::new(move |x| fit.at(x))))
}

fn axes(canvas: &mut Canvas, x: &Axis, y: &Axis, report: &Report<'_>, of: Quantity) {
    for value in y.ticks() {
        let at = y.at(value);
        canvas.line(&[(LEFT, at), (WIDTH - RIGHT, at)], GRID, 1.0);
        canvas.words((LEFT - 8.0, at + 4.0), tick(value), 12.0, Anchor::End, INK);
    }
    // Where few values were measured, they are the ticks.
    let measured: Vec<f64> = report.points.iter().map(|p| p.x as f64).collect();
    let ticks = if measured.len() <= 9 { measured } else { x.ticks() };
    for value in ticks {
        let at = x.at(value);
        canvas.line(&[(at, TOP), (at, HEIGHT - BOTTOM)], GRID, 1.0);
        canvas.words((at, HEIGHT - BOTTOM + 18.0), short(value), 12.0, Anchor::Middle, INK);
    }
    canvas.line(&[(LEFT, TOP), (LEFT, HEIGHT - BOTTOM), (WIDTH - RIGHT, HEIGHT - BOTTOM)], INK, 1.2);
    let name = match report.axis {
        "size" => "agents n".to_string(),
        "bound" => format!("bound N, n = {}", report.points.first().map_or(0, |p| p.parameters.size)),
        "corrupt" => format!("corrupted agents k, n = {}", report.points.first().map_or(0, |p| p.parameters.size)),
        other => other.to_string(),
    };
    let what = if of == Quantity::Steps { "steps until safe" } else { of.describe() };
    canvas.words(((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16.0), name, 13.0, Anchor::Middle, INK);
    canvas.upright((20.0, (TOP + HEIGHT - BOTTOM) / 2.0), format!("mean {what}"), 13.0, INK);
}

/// 1e4 and the like: short, and every alphabet has it.
fn tick(value: f64) -> String {
    if (1.0..10_000.0).contains(&value) { short(value) } else { format!("{value:.0e}") }
}
