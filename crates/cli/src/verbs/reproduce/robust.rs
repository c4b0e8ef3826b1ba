//! Delporte-Gallet, Devismes and Fauconnier: robust stabilizing leader election.

use super::finding::{Figure, Finding, Item, Paper};
use super::numbers::{decimal, number};
use super::robust_table::{self, Effort};
use super::runner::Runner;
use crate::terminal::exit::Failure;
use ringleader_report::plot::{BLUE, GREEN, ORANGE, Plot, Scale, Series, Stroke};

const PAPER: Paper = Paper {
    key: "Delporte-Gallet, Devismes and Fauconnier 2007",
    citation: "C. Delporte-Gallet, S. Devismes, H. Fauconnier: Robust stabilizing leader election, SSS 2007, LNCS 4838, 219-233",
};

const ALL: &[&str] = &["robust-s5", "robust-s4", "robust-s3", "robust-s2", "robust-s1"];

pub(super) const ITEMS: &[Item] = &[
    Item {
        name: "robust-table",
        paper: &PAPER,
        place: "Table 1",
        claim: "Where robust stabilizing leader election is possible, and where with only n - 1 links that carry messages for ever.",
        algorithms: ALL,
        run: table,
    },
    Item {
        name: "robust-settling",
        paper: &PAPER,
        place: "Theorems 3, 5 and 7",
        claim: "Algorithms 1, 2 and 3 settle on one leader whatever the variables and the links hold at first.",
        algorithms: &["robust-s5", "robust-s4", "robust-s2"],
        run: settling,
    },
    Item {
        name: "robust-links",
        paper: &PAPER,
        place: "Theorems 3, 5 and 7",
        claim: "Algorithms 1, 2 and 3 are communication-efficient: from some time on only n - 1 directed links carry messages.",
        algorithms: &["robust-s5", "robust-s4", "robust-s2"],
        run: links,
    },
];

fn table(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    // Eight sizes: ten thousand runs of each yes cell in all.
    let runs = runner.either(25, 1250);
    for cell in robust_table::cells(runner, Effort(runs))? {
        match cell.claim {
            "?" => finding.undecidable(cell.place(), "open", &cell.seen),
            claim => finding.judged(cell.place(), claim, cell.seen, cell.as_claimed),
        }
    }
    finding.remarks.push(format!(
        "{runs} random runs per yes cell and size, seed {}. A no cell shows an adversary's run: a demonstration, not a proof.",
        runner.seed
    ));
    Ok(finding)
}

const EFFICIENT: [(&str, &str, ringleader_report::canvas::Colour); 3] =
    [("robust-s5", "s5", BLUE), ("robust-s4", "s4", GREEN), ("robust-s2", "s2", ORANGE)];

fn settling(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    let (runs, seed) = (runner.either(50, 1000), runner.seed);
    let mut all = vec![];
    for (algorithm, system, colour) in EFFICIENT {
        let mut points = vec![];
        for size in runner.either(&[2, 4, 8, 16][..], &[2, 4, 8, 16, 32]).iter().copied() {
            let result = runner.json(&format!(
                "simulate {algorithm} --system {system} --size {size} --contents extremes --runs {runs} --seed {seed}"
            ))?;
            let slowest = number(&result, "settling_deltas.max").unwrap_or(f64::NAN);
            let settled = runs - number(&result, "unsettled").map_or(0, |unsettled| unsettled as u64);
            let seen = format!(
                "{settled} of {runs}, {} δ on average, at most {slowest:.0} δ",
                decimal(&result, "settling_deltas.mean", 1)
            );
            let what =
                format!("{algorithm}, n = {size}, every variable at an end of its 64-bit word: runs that settle");
            finding.judged(what, "all", seen, number(&result, "unsettled") == Some(0.0));
            points.push((f64::from(size), number(&result, "settling_deltas.mean").unwrap_or(f64::NAN)));
        }
        all.push(Series { name: algorithm.to_string(), points, stroke: Stroke::Full, colour });
    }
    let plot = Plot {
        title: "settling from the ends of the words",
        x: ("processes n", Scale::Logarithmic),
        y: ("mean settling time in δ", Scale::Logarithmic),
        series: &all,
        ..Plot::default()
    };
    finding.figures.push(Figure {
        name: "robust-settling".into(),
        caption:
            "Mean settling time when every variable starts at an end of its type; counters as they heal by default."
                .into(),
        svg: plot.draw().svg(),
    });
    finding.remarks.push(
        "Run with counters that heal (docs/robust.md); as printed, Algorithm 3 needs time in proportion to a corrupted counter.".into(),
    );
    Ok(finding)
}

fn links(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    let (runs, seed, size) = (runner.either(50, 1000), runner.seed, 8);
    let mut all = vec![];
    for (algorithm, system, colour) in EFFICIENT {
        let result = runner.json(&format!(
            "simulate {algorithm} --system {system} --size {size} --runs {runs} --seed {seed} --links-over-time"
        ))?;
        let (least, most) = (number(&result, "final_links.min"), number(&result, "final_links.max"));
        let agrees = least == Some(f64::from(size - 1)) && most == least && number(&result, "unsettled") == Some(0.0);
        let seen = format!(
            "{} to {} in {runs} runs",
            decimal(&result, "final_links.min", 0),
            decimal(&result, "final_links.max", 0)
        );
        finding.judged(
            format!("{algorithm}, n = {size}: links that carry messages in the end"),
            &format!("{}", size - 1),
            seen,
            agrees,
        );
        let points = result["links_over_time"].as_array().cloned().unwrap_or_default();
        let points = points.iter().filter_map(|p| Some((number(p, "0")?, number(p, "1")?))).collect();
        all.push(Series { name: algorithm.to_string(), points, stroke: Stroke::Full, colour });
    }
    let plot = Plot {
        title: "8 processes: links that carry messages",
        x: ("time in δ", Scale::Linear),
        y: ("directed links used, mean of the runs", Scale::Linear),
        series: &all,
        ..Plot::default()
    };
    finding.figures.push(Figure {
        name: "robust-links".into(),
        caption: "Of 56 directed links, 7 are used in the end: the leader's.".into(),
        svg: plot.draw().svg(),
    });
    Ok(finding)
}
