//! The settling time against the number of processes, on linear axes: linear growth is a straight line.

use super::summary::CampaignSummary;
use crate::canvas::Canvas;
use crate::plot::{BLUE, GREY, ORANGE, Plot, Scale, Series, Stroke};
use ringleader_simulate::statistics::Summary;

/// Mean, 99 % and maximum for every size.
#[must_use]
pub fn settling(algorithm: &str, rows: &[(usize, CampaignSummary)]) -> Canvas {
    let series = |name: &str, stroke, colour, of: fn(&Summary) -> f64| {
        let whole = rows.iter().filter(|(_, s)| s.cut_off.is_none());
        let points = whole.filter_map(|(n, s)| Some((*n as f64, of(s.times.as_ref()?)))).collect();
        Series { name: name.to_string(), points, stroke, colour }
    };
    let cut = rows.iter().filter_map(|(n, s)| Some((*n as f64, s.cut_off?.at_least))).collect::<Vec<_>>();
    let name = if cut.is_empty() { "" } else { "some runs did not settle: the mean is above" };
    let series = [
        Series { name: name.into(), points: cut, stroke: Stroke::Above, colour: ORANGE },
        series("longest", Stroke::Dots, ORANGE, |s| s.max),
        series("99 % of runs", Stroke::Dashed, GREY, |s| s.p99),
        series("mean", Stroke::Dots, BLUE, |s| s.mean),
    ];
    let title = format!("{algorithm}: time until settled, in δ");
    let (x, y) = (("processes n", Scale::Linear), ("δ", Scale::Linear));
    Plot { title: &title, x, y, series: &series, ..Plot::default() }.draw()
}
