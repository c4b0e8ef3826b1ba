//! The growth of the mean on logarithmic axes.

use super::ExperimentReport;
use super::laws::law;
use super::row::{Growth, Quantity, shown};
use crate::canvas::Canvas;
use crate::number::short;
use crate::plot::{BLUE, GREY, ORANGE, Plot, Scale, Series, Stroke};

impl ExperimentReport<'_> {
    /// The growth of recoveries, messages or steps, whichever was measured first; the note goes beside the title.
    #[must_use]
    pub fn plot(&self, note: &str) -> Canvas {
        let rows = self.rows();
        let of = shown(std::slice::from_ref(&rows));
        let growth = self.growth(&rows, of);
        let seen: Vec<_> = rows.iter().filter_map(|row| row.get(of).map(|s| (row.x, s))).collect();
        let intervals = seen.iter().filter_map(|(x, s)| s.ci95().filter(|c| c.0 > 0.0).map(|c| [(*x, c.0), (*x, c.1)]));
        let series = |name: &str, stroke, colour, points| Series { name: name.to_string(), points, stroke, colour };
        let mut all = vec![
            series("", Stroke::Intervals, BLUE, intervals.flatten().collect()),
            series("mean with 95 % interval", Stroke::Dots, BLUE, seen.iter().map(|(x, s)| (*x, s.mean)).collect()),
            series("90 % of runs end below", Stroke::Dashed, GREY, seen.iter().map(|(x, s)| (*x, s.p90)).collect()),
        ];
        let cut: Vec<_> = rows.iter().filter_map(|row| row.cut(of).map(|cut| (row.x, cut.at_least))).collect();
        if !cut.is_empty() {
            all.push(series("runs hit the limit: the mean is above", Stroke::Above, ORANGE, cut));
        }
        if let (Some((name, law)), Some((first, _)), Some((last, _))) = (fitted(growth), seen.first(), seen.last()) {
            // A power is straight on these axes; a line with an offset bends.
            let xs = (0..=48).map(|i| first * (last / first).powf(f64::from(i) / 48.0));
            all.push(series(&name, Stroke::Full, ORANGE, xs.map(|x| (x, law(x))).collect()));
        }
        let size = self.settings.first().map_or(0, |p| p.parameters.size);
        let across = match self.axis {
            "size" => format!("{} n", self.card.kind.members()),
            "bound" => format!("bound N, n = {size}"),
            "corrupt" => format!("corrupted {} k, n = {size}", self.card.kind.members()),
            other => other.to_string(),
        };
        let until = format!("steps until {}", self.until);
        let what = if of == Quantity::Steps { &*until } else { of.describe() };
        let measured: Vec<f64> = self.settings.iter().map(|p| p.x as f64).collect();
        on_logarithms(self.card.name, note, &across, what, &all, &measured)
    }
}

/// The picture of a mean along an axis. Few measured values are the ticks.
pub(super) fn on_logarithms(
    title: &str,
    note: &str,
    across: &str,
    what: &str,
    series: &[Series],
    measured: &[f64],
) -> Canvas {
    let (x, y) = ((across, Scale::Logarithmic), (&*format!("mean {what}"), Scale::Logarithmic));
    Plot { title, note, x, y, series, ticks: if measured.len() <= 9 { measured } else { &[] } }.draw()
}

type Curve = Box<dyn Fn(f64) -> f64>;

/// The law to draw, with its description; none where the points bend away from a line.
fn fitted(growth: Growth) -> Option<(String, Curve)> {
    if let Some(line) = growth.line {
        if !line.is_straight() {
            return None;
        }
        let (b, (low, high)) = line.slope;
        let text = format!("a + b x, b = {} (95 %: {} to {})", short(b), short(low), short(high));
        return Some((text, Box::new(move |x| line.at(x))));
    }
    if let Some((best, near)) = growth.by_size.as_ref().and_then(|by_size| by_size.best()) {
        let alone = if near.is_empty() { "best law" } else { "one of the best laws" };
        return Some((format!("{alone}: {}, {}", best.form.formula(), law(&best)), Box::new(move |x| best.at(x))));
    }
    let fit = growth.power?;
    Some((format!("one power of all sizes, exponent {:.2}", fit.exponent), Box::new(move |x| fit.at(x))))
}
