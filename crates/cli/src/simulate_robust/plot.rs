//! The settling time against the number of processes, on plain axes: what grows like n is a straight line.

use super::summary::Summary;
use crate::canvas::{Anchor, Canvas, Colour};

const INK: Colour = [40, 40, 48];
const GRID: Colour = [228, 228, 232];
const BLUE: Colour = [31, 95, 168];
const PALE: Colour = [150, 170, 196];
const ORANGE: Colour = [214, 108, 22];

const WIDTH: f32 = 560.0;
const HEIGHT: f32 = 360.0;
const LEFT: f32 = 70.0;
const RIGHT: f32 = 20.0;
const TOP: f32 = 40.0;
const BOTTOM: f32 = 54.0;

/// The least of 1, 2, 5, 10, 20, ... that divides `high` into at most six parts.
fn step(high: f64) -> f64 {
    let power = 10f64.powf((high / 6.0).max(1e-3).log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|s| high / s <= 6.0).unwrap_or(high)
}

/// Mean, 99 % and maximum for every size.
pub(super) fn settling(algorithm: &str, rows: &[(usize, Summary)]) -> Canvas {
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let high = |values: &mut dyn Iterator<Item = f64>| values.fold(1.0, f64::max) * 1.05;
    let (right, top) = (high(&mut rows.iter().map(|(n, _)| *n as f64)), high(&mut rows.iter().map(|(_, s)| s.max)));
    let x = |n: f64| LEFT + (WIDTH - RIGHT - LEFT) * (n / right) as f32;
    let y = |deltas: f64| HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (deltas / top) as f32;
    let ticks = |high: f64| (0..).map(move |i| f64::from(i) * step(high)).take_while(move |tick| *tick <= high);
    for tick in ticks(top) {
        canvas.line(&[(LEFT, y(tick)), (WIDTH - RIGHT, y(tick))], GRID, 1.0);
        canvas.words((LEFT - 8.0, y(tick) + 4.0), tick.to_string(), 12.0, Anchor::End, INK);
    }
    for tick in ticks(right) {
        canvas.line(&[(x(tick), TOP), (x(tick), HEIGHT - BOTTOM)], GRID, 1.0);
        canvas.words((x(tick), HEIGHT - BOTTOM + 18.0), tick.to_string(), 12.0, Anchor::Middle, INK);
    }
    canvas.line(&[(LEFT, TOP), (LEFT, HEIGHT - BOTTOM), (WIDTH - RIGHT, HEIGHT - BOTTOM)], INK, 1.2);
    let curve = |of: fn(&Summary) -> f64| -> Vec<_> { rows.iter().map(|(n, s)| (x(*n as f64), y(of(s)))).collect() };
    canvas.dashed(&curve(|s| s.p99), PALE, 1.4);
    for (colour, of) in [(BLUE, (|s| s.mean) as fn(&Summary) -> f64), (ORANGE, |s| s.max)] {
        curve(of).into_iter().for_each(|at| canvas.dot(at, 3.4, colour));
    }
    let legend = [(BLUE, "mean"), (PALE, "99 % of runs"), (ORANGE, "longest")];
    for (i, (colour, text)) in legend.into_iter().enumerate() {
        let at = TOP + 14.0 + 18.0 * i as f32;
        canvas.dot((LEFT + 18.0, at), 3.4, colour);
        canvas.words((LEFT + 30.0, at + 4.0), text, 12.0, Anchor::Start, INK);
    }
    let title = format!("{algorithm}: time until settled, in δ");
    canvas.words((LEFT, 24.0), title, 15.0, Anchor::Start, INK);
    canvas.words(((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14.0), "processes n", 13.0, Anchor::Middle, INK);
    canvas
}
