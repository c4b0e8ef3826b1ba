//! Bakhshi, Fokkink, Pang and van de Pol: probabilistic Franklin on anonymous rings.

use super::finding::{Figure, Finding, Item, Paper};
use super::numbers::{decimal, number, whole};
use super::runner::Runner;
use crate::terminal::exit::Failure;
use ringleader_report::number::grouped;
use ringleader_report::plot::{BLUE, ORANGE, Plot, Scale, Series, Stroke};
use serde_json::Value;

const PAPER: Paper = Paper {
    key: "Bakhshi, Fokkink, Pang and van de Pol 2008",
    citation: "R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: Leader election in anonymous rings: Franklin goes probabilistic, \
               IFIP TCS 2008, 57-72",
};

pub(super) const ITEMS: &[Item] = &[
    Item {
        name: "franklin-table-1",
        paper: &PAPER,
        place: "Section 4, Table 1",
        claim: "The sizes of the state spaces; the largest took a cluster of computers.",
        algorithms: &["franklin"],
        run: table_1,
    },
    Item {
        name: "franklin-tables-2-and-3",
        paper: &PAPER,
        place: "Section 5, Tables 2 and 3",
        claim: "The sizes of the state spaces of the simplified algorithm, and what confluence reduction leaves of them.",
        algorithms: &["franklin"],
        run: tables_2_and_3,
    },
    Item {
        name: "franklin-quotient",
        paper: &PAPER,
        place: "Section 4",
        claim: "Modulo branching bisimulation, with only the election visible, two states remain and one transition between them.",
        algorithms: &["franklin"],
        run: quotient,
    },
    Item {
        name: "franklin-figure-1",
        paper: &PAPER,
        place: "Section 3, Fig. 1 and Proposition 1",
        claim: "Without the round bit all processes may become passive; with FIFO channels the bit is not needed.",
        algorithms: &["franklin-no-bit"],
        run: figure_1,
    },
    Item {
        name: "franklin-figure-3",
        paper: &PAPER,
        place: "Section 6, Fig. 3",
        claim: "The probability of a leader within t steps: Algorithm A has a much better performance than Algorithm B.",
        algorithms: &["franklin"],
        run: figure_3,
    },
    Item {
        name: "franklin-figure-4",
        paper: &PAPER,
        place: "Section 8, Fig. 4",
        claim: "For a probabilistic Dolev-Klawe-Rodeh, round numbers modulo 2 do not suffice without FIFO channels.",
        algorithms: &["dolev-klawe-rodeh-bits"],
        run: figure_4,
    },
    Item {
        name: "franklin-messages",
        paper: &PAPER,
        place: "Section 4",
        claim: "On average O(n log n) messages: each round about 3/8 of the active processes become passive, and takes 2n - 2 messages.",
        algorithms: &["franklin"],
        run: messages,
    },
];

/// Processes, identities, states, transitions.
type Entry = (u32, u32, u64, u64);

const TABLE_1: [Entry; 9] = [
    (2, 2, 657, 1_368),
    (3, 2, 15_445, 43_968),
    (4, 2, 380_609, 1_396_512),
    (5, 2, 9_819_065, 44_242_920),
    (6, 2, 260_753_105, 1_393_967_976),
    (2, 3, 1_525, 3_564),
    (3, 3, 55_009, 168_102),
    (4, 3, 2_095_777, 8_182_092),
    (5, 3, 84_381_157, 401_681_445),
];

/// The "normal" rows of Tables 2 and 3, and the states that the best reduction leaves.
const TABLES_2_AND_3: [(Entry, u64); 9] = [
    ((2, 2, 385, 664), 165),
    ((3, 2, 7_613, 17_880), 1_819),
    ((4, 2, 152_065, 459_488), 21_409),
    ((5, 2, 3_162_337, 11_736_100), 263_963),
    ((6, 2, 67_758_817, 298_484_184), 3_348_345),
    ((2, 3, 877, 1_680), 385),
    ((3, 3, 26_299, 65_853), 6_400),
    ((4, 3, 802_489, 2_560_848), 116_785),
    ((5, 3, 25_919_965, 100_868_445), 2_242_609),
];

/// Whether a space belongs to a short reproduction.
fn short(states: u64) -> bool {
    states < 12_000_000
}

fn compare(finding: &mut Finding, at: &str, claimed: (u64, u64), result: &Value) {
    let both = |states: String, transitions: String| format!("{states} / {transitions}");
    let seen = both(whole(result, "states"), whole(result, "transitions"));
    finding.equal(format!("{at}: states / transitions"), both(grouped(claimed.0), grouped(claimed.1)), seen);
}

fn table_1(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    for (size, ids, states, transitions) in TABLE_1 {
        if !runner.either(short(states), true) {
            continue;
        }
        let result =
            runner.json(&format!("explore franklin --size {size} --ids {ids} --reading both --reduce rotation"))?;
        let at = format!("n = {size}, k = {ids}");
        compare(&mut finding, &at, (states, transitions), &result);
        if states > 1_000_000 {
            let seconds = decimal(&result, "seconds", 1);
            let memory = number(&result, "peak_bytes").unwrap_or(f64::NAN) / 1024.0 / 1024.0;
            let seen = format!("{} states, {seconds} s, {memory:.0} MiB", whole(&result, "stored"));
            finding.beyond(format!("{at}: stored, one state per rotation"), seen);
        }
    }
    left_out(runner, &mut finding);
    Ok(finding)
}

fn left_out(runner: &Runner, finding: &mut Finding) {
    if runner.either(true, false) {
        finding.remarks.push("The largest entries are run by --full.".into());
    }
}

fn tables_2_and_3(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    for ((size, ids, states, transitions), best) in TABLES_2_AND_3 {
        if !runner.either(short(states), true) {
            continue;
        }
        let explore = format!("explore franklin --size {size} --ids {ids} --reading left-first --reduce");
        let at = format!("n = {size}, k = {ids}");
        let result = runner.json(&format!("{explore} rotation"))?;
        compare(&mut finding, &at, (states, transitions), &result);
        let reduced = runner.json(&format!("{explore} rotation,confluence"))?;
        let stored = number(&reduced, "stored").unwrap_or(f64::INFINITY);
        let claimed = format!("{} by confluence, on the fly", grouped(best));
        let seen = format!("{} by confluence and rotation", whole(&reduced, "stored"));
        finding.judged(format!("{at}: states left by reductions"), &claimed, seen, stored <= best as f64);
    }
    finding.remarks.push(
        "The reductions are not the paper's: what is compared is how much they leave, and less is right too.".into(),
    );
    left_out(runner, &mut finding);
    Ok(finding)
}

fn quotient(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    for size in 2..=runner.either(4, 5) {
        for reading in ["both", "left-first", "atomic"] {
            let command = format!("explore franklin --size {size} --ids 2 --reading {reading} --minimize branching");
            let result = runner.json(&command)?;
            let seen = format!("{} / {}", whole(&result, "quotient.states"), whole(&result, "quotient.transitions"));
            finding.equal(format!("n = {size}, k = 2, reading {reading}: states / transitions"), "2 / 1", seen);
        }
    }
    Ok(finding)
}

fn figure_1(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    let holds = |result: &Value| if result["holds"].as_bool() == Some(true) { "holds" } else { "fails" };
    let flawed = "check franklin-no-bit --size 3 --ids 3 --channels bag";
    let result = runner.json(flawed)?;
    finding.equal("n = 3, k = 3, messages may overtake: one leader on every terminated run", "fails", holds(&result));
    let least = decimal(&result, "probability.min.low", 6);
    finding.beyond("n = 3, k = 3: least probability of a leader, over all schedulers", least);
    for (size, ids) in [(2, 2), (2, 3), (3, 2), (3, 3)] {
        let result = runner.json(&format!("check franklin-no-bit --size {size} --ids {ids} --channels fifo"))?;
        finding.equal(format!("n = {size}, k = {ids}, FIFO channels"), "holds", holds(&result));
        let result = runner.json(&format!("check franklin --size {size} --ids {ids} --channels bag"))?;
        finding.equal(format!("n = {size}, k = {ids}, with the bit, messages may overtake"), "holds", holds(&result));
    }
    let caption = "All processes passive: time runs down, one column per process.";
    let drawn = runner.playable(&mut finding, flawed, "franklin-no-bit-3.html", caption)?;
    finding.drawings.push((caption.into(), drawn));
    Ok(finding)
}

fn figure_3(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    for size in 4..=runner.either(4, 5) {
        let check = format!("check franklin --size {size} --ids 2 --reading both --within 150 --against variant=b");
        let result = runner.json(&check)?;
        // By t: the least, the uniform scheduler's, the greatest.
        let uniform = |curve: usize| -> Vec<(f64, f64)> {
            let points = result["within"][curve]["min_uniform_max"].as_array().cloned().unwrap_or_default();
            points.iter().enumerate().filter_map(|(t, point)| Some((t as f64, point.get(1)?.as_f64()?))).collect()
        };
        let (a, b) = (uniform(0), uniform(1));
        let gap = a
            .iter()
            .zip(&b)
            .map(|(a, b)| (a.1 - b.1, a.0))
            .fold((f64::NEG_INFINITY, 0.0), |m, g| if g.0 > m.0 { g } else { m });
        let never_worse = a.iter().zip(&b).all(|(a, b)| a.1 >= b.1 - 1e-12) && a.len() == 151;
        let seen = format!("never below B; most above it at t = {}: by {:.4}", gap.1, gap.0);
        let seen = if never_worse { seen } else { "below B somewhere".to_string() };
        finding.judged(
            format!("n = {size}, k = 2, uniform scheduler: A against B"),
            "A better than B",
            seen,
            never_worse && gap.0 > 0.0,
        );
        for t in [50, 100, 150] {
            let at = |curve: &[(f64, f64)]| curve.get(t).map_or("–".into(), |p| format!("{:.6}", p.1));
            finding.beyond(format!("n = {size}: leader within {t} steps"), format!("A {}, B {}", at(&a), at(&b)));
        }
        let series = [("A", a, BLUE, Stroke::Full), ("B", b, ORANGE, Stroke::Dashed)]
            .map(|(name, points, colour, stroke)| Series { name: format!("Algorithm {name}"), points, stroke, colour });
        let title = format!("franklin, n = {size}, k = 2, uniform scheduler");
        let plot = Plot {
            title: &title,
            x: ("steps t", Scale::Linear),
            y: ("probability of a leader within t", Scale::Linear),
            series: &series,
            ..Plot::default()
        };
        finding.figures.push(Figure {
            name: format!("franklin-deadlines-{size}"),
            caption: format!("The probability of a leader within t steps, n = {size}, k = 2."),
            svg: plot.draw().svg(),
        });
    }
    finding.remarks.push(
        "The text does not give the n and k of its figure, nor its scheduler, so the curves cannot be laid over it; the order of A and B \
         can be compared. How much better is \"much\" is for the reader to see."
            .into(),
    );
    Ok(finding)
}

fn figure_4(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    let holds = |result: &Value| if result["holds"].as_bool() == Some(true) { "holds" } else { "fails" };
    for (size, ids) in [(3, 3), (4, 3), (5, 2)] {
        let result = runner.json(&format!("check dolev-klawe-rodeh-bits --size {size} --ids {ids} --channels bag"))?;
        finding.beyond(format!("n = {size}, k = {ids}: one leader on every terminated run"), holds(&result));
    }
    let flawed = "check dolev-klawe-rodeh-bits --size 5 --ids 3 --channels bag";
    let result = runner.json(&format!("{flawed} --save figure-4.trace"))?;
    finding.equal("n = 5, k = 3: one leader on every terminated run", "fails", holds(&result));
    let caption = "A terminated run without a leader: time runs down, one column per process.";
    let drawn = runner.playable(&mut finding, "elect --replay figure-4.trace", "franklin-figure-4.html", caption)?;
    finding.drawings.push((caption.into(), drawn));
    runner.take("figure-4.trace")?;
    Ok(finding)
}

fn messages(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    let (sizes, runs, seed) = (runner.either("16,32,..,256", "16,32,..,2048"), runner.either(1000, 4000), runner.seed);
    let result = runner.json(&format!("simulate franklin --size {sizes} --ids 2 --runs {runs} --seed {seed}"))?;
    let rows = result["sizes"].as_array().cloned().unwrap_or_default();
    let mean = |row: &Value| Some((number(row, "size")?, number(row, "messages.mean")?));
    let means: Vec<(f64, f64)> = rows.iter().filter_map(mean).collect();
    let scaled: Vec<f64> = means.iter().map(|(n, m)| m / (n * n.log2())).collect();
    let (first, last) = (scaled.first().copied().unwrap_or(f64::NAN), scaled.last().copied().unwrap_or(f64::NAN));
    let seen = format!("{first:.3} n log₂ n at the least size, {last:.3} n log₂ n at the largest");
    finding.judged(format!("mean messages, n = {sizes}, k = 2"), "O(n log n)", seen, last <= 1.05 * first);

    let whole_rounds = rows.iter().all(|row| {
        let per_round = 2.0 * number(row, "size").unwrap_or(f64::NAN);
        let multiple = |key: &str| number(row, key).is_some_and(|m| (m / per_round).fract() == 0.0);
        ["messages.median", "messages.p90", "messages.p99", "messages.max"].into_iter().all(multiple)
    });
    finding.explained(
        "messages in a round",
        "2n - 2",
        "2n",
        if whole_rounds { "2n" } else { "not 2n" },
        "In either direction the gaps between neighbouring active processes add up to n, so one round's messages take 2n hops; \
         the counts of terminated runs are multiples of 2n.",
    );

    // If each round leaves a share s of the active processes, rounds grow by 1 / ln(1/s) with ln n.
    let points: Vec<(f64, f64)> = means.iter().map(|(n, m)| (n.ln(), m / (2.0 * n))).collect();
    let slope = slope(&points);
    let passive = 1.0 - (-1.0 / slope).exp();
    let seen = format!("{passive:.4}, from rounds that grow by {slope:.3} ln n");
    finding.judged(
        "share of the active processes that a round makes passive, k = 2",
        "about 3/8 = 0.375",
        seen,
        (passive - 0.375).abs() < 0.02,
    );
    finding.remarks.push(
        "With two identities a process becomes passive if it drew the smaller and a neighbour the larger one: 1/2 · 3/4 = 3/8. With \
         more identities the share is larger."
            .into(),
    );
    let series = [Series {
        name: "mean rounds".into(),
        points: means.iter().map(|(n, m)| (*n, m / (2.0 * n))).collect(),
        stroke: Stroke::Dots,
        colour: BLUE,
    }];
    let plot = Plot {
        title: "franklin, k = 2: rounds until a leader is elected",
        x: ("processes n", Scale::Logarithmic),
        y: ("mean rounds", Scale::Linear),
        series: &series,
        ..Plot::default()
    };
    finding.figures.push(Figure {
        name: "franklin-rounds".into(),
        caption: "Rounds grow with the logarithm of the size: a straight line on this axis.".into(),
        svg: plot.draw().svg(),
    });
    Ok(finding)
}

/// Of the least-squares line.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let (xy, xx) = points.iter().fold((0.0, 0.0), |(xy, xx), p| (xy + (p.0 - x) * (p.1 - y), xx + (p.0 - x).powi(2)));
    xy / xx
}
