//! The probability of a leader within t steps: as numbers, as text and as a drawing.

use std::fmt::Write;

/// One algorithm's probabilities, by t: the least, the uniform scheduler's, the greatest.
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) points: Vec<[f64; 3]>,
}

const KINDS: [&str; 3] = ["min", "uniform", "max"];

/// All curves side by side, separated by commas.
pub(super) fn csv(curves: &[Curve]) -> String {
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
pub(super) fn table(curves: &[Curve]) -> String {
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

const COLOURS: [&str; 4] = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd"];
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const MARGIN: f64 = 50.0;

/// The curves as a drawing: the uniform scheduler's in full, the least and the greatest dashed.
pub(super) fn svg(title: &str, curves: &[Curve]) -> String {
    let last = curves.first().map_or(1, |curve| curve.points.len().max(2) - 1) as f64;
    let x = |t: f64| MARGIN + t / last * (WIDTH - 2.0 * MARGIN);
    let y = |p: f64| HEIGHT - MARGIN - p * (HEIGHT - 2.0 * MARGIN);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"24\" font-size=\"14\">{title}</text>\n"
    );
    for tenth in 0..=5 {
        let p = f64::from(tenth) / 5.0;
        let (x1, x2, at) = (x(0.0), x(last), y(p));
        let _ = writeln!(
            text,
            "<path d=\"M{x1} {at}H{x2}\" stroke=\"#ddd\"/><text x=\"20\" y=\"{}\">{p:.1}</text>",
            at + 4.0
        );
        let t = (last * p).round();
        let _ =
            writeln!(text, "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{t}</text>", x(t), HEIGHT - MARGIN + 18.0);
    }
    for (curve, (number, colour)) in curves.iter().zip(COLOURS.iter().cycle().enumerate()) {
        for (kind, dash) in [(0, " stroke-dasharray=\"2 3\""), (1, ""), (2, " stroke-dasharray=\"7 3\"")] {
            let points =
                curve.points.iter().enumerate().map(|(t, point)| format!("{:.1},{:.1}", x(t as f64), y(point[kind])));
            let points: Vec<String> = points.collect();
            let _ =
                writeln!(text, "<polyline fill=\"none\" stroke=\"{colour}\"{dash} points=\"{}\"/>", points.join(" "));
        }
        let at = 70.0 + 16.0 * number as f64;
        let _ = writeln!(text, "<text x=\"{}\" y=\"{at}\" fill=\"{colour}\">{}</text>", MARGIN + 10.0, curve.name);
    }
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\">steps; dotted: least, full: uniform scheduler, dashed: greatest</text>",
        WIDTH / 2.0 - 150.0,
        HEIGHT - 12.0
    );
    text.push_str("</svg>\n");
    text
}
