//! Fich and Johnen: deterministic election on unidirectional prime rings.

use super::finding::{Figure, Finding, Item, Paper};
use super::numbers::{number, whole, word};
use super::runner::Runner;
use crate::terminal::exit::Failure;
use ringleader_report::number::grouped;
use ringleader_report::plot::{BLUE, GREEN, GREY, ORANGE, Plot, Scale, Series, Stroke};

const PAPER: Paper = Paper {
    key: "Fich and Johnen 2001",
    citation: "F. Fich, C. Johnen: A space optimal, deterministic, self-stabilizing, leader election algorithm for unidirectional \
               rings, DISC 2001, LNCS 2180, 224-239",
};

pub(super) const ITEMS: &[Item] = &[
    Item {
        name: "fich-johnen-theorem-2",
        paper: &PAPER,
        place: "Section 3, Theorem 2",
        claim: "On rings of prime size the algorithm stabilizes to one leader within O(n³) steps under any alternating schedule, \
                with 5n states, and is silent.",
        algorithms: &["fich-johnen"],
        run: theorem_2,
    },
    Item {
        name: "fich-johnen-composite",
        paper: &PAPER,
        place: "Section 1",
        claim: "Deterministic election is possible only on rings of prime size: an adversary keeps equally spaced processes alike.",
        algorithms: &["fich-johnen"],
        run: composite,
    },
    Item {
        name: "fich-johnen-theorem-1",
        paper: &PAPER,
        place: "Section 2, Theorem 1",
        claim: "What stabilizes under alternating schedules can be made to stabilize under all fair ones with one more bit: 10n states.",
        algorithms: &["fich-johnen"],
        run: theorem_1,
    },
    Item {
        name: "fich-johnen-token",
        paper: &PAPER,
        place: "Sections 1 and 6",
        claim: "With Gouda and Haddix's algorithm on top, a token circulates on unidirectional prime rings with a linear number of \
                states per process; the combination is not silent.",
        algorithms: &["fich-johnen-token", "gouda-haddix"],
        run: token,
    },
];

fn theorem_2(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    let mut exact = vec![];
    for size in runner.either(&[2, 3][..], &[2, 3, 5]).iter().copied() {
        let result = runner.json(&format!("check fich-johnen --size {size} --scheduler alternating"))?;
        finding.equal(format!("n = {size}, all alternating schedules"), "holds", word(&result, "verdict"));
        finding.equal(format!("n = {size}, states of a process"), 5 * size, whole(&result, "states"));
        let silent = result["own_safe_silent"].as_bool() == Some(true);
        finding.judged(
            format!("n = {size}, safe configurations"),
            "silent",
            if silent { "silent" } else { "not silent" },
            silent,
        );
        let worst = number(&result, "steps.to_own_safe.worst").unwrap_or(f64::NAN);
        let configurations = whole(&result, "configurations");
        let seen =
            format!("{worst} = {:.2} n³, over all {configurations} configurations", worst / f64::powi(size.into(), 3));
        finding.beyond(format!("n = {size}, most scheduled steps to the safe configurations"), seen);
        exact.push((f64::from(size), worst));
    }
    let (runs, seed) = (runner.either(2000, 100_000), runner.seed);
    let sizes = [7, 11, 13, 17, 19, 23, 29, 31];
    let list = sizes.map(|s| s.to_string()).join(",");
    let result = runner.json(&format!("simulate fich-johnen --size {list} --runs {runs} --seed {seed}"))?;
    let column = |key: &str| -> Vec<(f64, f64)> {
        let points = sizes.iter().enumerate();
        points.filter_map(|(i, &n)| Some((f64::from(n), number(&result, &format!("sizes.{i}.{key}"))?))).collect()
    };
    let (mean, most) = (column("mean_steps"), column("max"));
    let share = most.iter().map(|(n, steps)| steps / n.powi(3)).fold(0.0, f64::max);
    let bound = exact.iter().map(|(n, steps)| steps / n.powi(3)).fold(0.0, f64::max);
    let unreached = (0..sizes.len()).all(|i| number(&result, &format!("sizes.{i}.not_reached")) == Some(0.0));
    finding.judged(
        format!("n = 7 to 31, {} random starts and alternating schedules each", grouped(runs)),
        "O(n³) steps",
        format!("all reached; at most {share:.2} n³ steps, where the exhaustive worst cases reach {bound:.2} n³"),
        unreached && share <= bound,
    );
    let exponent = number(&result, "exponent.value").unwrap_or(f64::NAN);
    finding.beyond("exponent of the mean from random starts", format!("{exponent:.2}"));
    let cube = [2.0, 31.0].map(|n: f64| (n, bound * n.powi(3)));
    let series = [
        series("worst case, exhaustive", exact, Stroke::Dots, ORANGE),
        series("most of the random runs", most, Stroke::Dots, BLUE),
        series("mean of the random runs", mean, Stroke::Full, GREEN),
        series(&format!("{bound:.2} n³"), cube.to_vec(), Stroke::Dashed, GREY),
    ];
    let plot = Plot {
        title: "fich-johnen: steps to the safe configurations",
        x: ("processes n", Scale::Logarithmic),
        y: ("scheduled steps", Scale::Logarithmic),
        series: &series,
        ..Plot::default()
    };
    finding.figures.push(Figure {
        name: "fich-johnen-steps".into(),
        caption: "Random runs stay below the cube through the worst cases that were searched exhaustively.".into(),
        svg: plot.draw().svg(),
    });
    finding.remarks.push(
        "A random run says nothing of the worst schedule: above n = 5 these are lower bounds of the worst case.".into(),
    );
    Ok(finding)
}

fn series(name: &str, points: Vec<(f64, f64)>, stroke: Stroke, colour: ringleader_report::canvas::Colour) -> Series {
    Series { name: name.to_string(), points, stroke, colour }
}

fn composite(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    let command = "check fich-johnen --size 4 --scheduler alternating";
    let result = runner.json(command)?;
    finding.equal("n = 4, alternating schedules", "fails", word(&result, "verdict"));
    let caption = "Two leaders at opposite ends of the ring, for ever.";
    let drawn = runner.playable(&mut finding, command, "fich-johnen-4.html", caption)?;
    finding.drawings.push((caption.into(), drawn));
    Ok(finding)
}

fn theorem_1(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    for size in runner.either(&[3][..], &[3, 5]).iter().copied() {
        let result = runner.json(&format!("check fich-johnen --size {size} --alternator --scheduler unfair"))?;
        finding.equal(
            format!("n = {size}, unfair daemon, privileged processes only"),
            "holds",
            word(&result, "verdict"),
        );
        finding.equal(format!("n = {size}, states of a process"), 10 * size, whole(&result, "states"));
        finding.beyond(
            format!("n = {size}, most actions to the safe configurations"),
            whole(&result, "steps.to_own_safe.worst"),
        );
    }
    let result = runner.json("check fich-johnen --size 2 --alternator --scheduler unfair")?;
    finding.equal("n = 2, unfair daemon", "holds", word(&result, "verdict"));
    finding.explained(
        "n = 2, states of a process",
        "20",
        "30",
        whole(&result, "states"),
        "One bit deadlocks on two processes: with different bits neither is ever privileged. The alternator counts modulo the least \
         number that does not divide n, which is two for all odd n and three here.",
    );
    Ok(finding)
}

fn token(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    for size in runner.either(&[2][..], &[2, 3]).iter().copied() {
        let result = runner.json(&format!("check fich-johnen-token --size {size} --scheduler unfair"))?;
        finding.equal(format!("n = {size}, unfair daemon: one token, for ever"), "holds", word(&result, "verdict"));
        let states = number(&result, "states").unwrap_or(f64::NAN);
        let seen = format!("{states} = {} n", states / f64::from(size));
        finding.judged(format!("n = {size}, states of a process"), "O(n)", seen, states <= 120.0 * f64::from(size));
        let silent = result["own_safe_silent"].as_bool() == Some(true);
        finding.judged(
            format!("n = {size}, safe configurations"),
            "not silent",
            if silent { "silent" } else { "not silent" },
            !silent,
        );
    }
    for size in 2..=5 {
        let result = runner.json(&format!("check gouda-haddix --size {size} --scheduler unfair"))?;
        finding.equal(
            format!("gouda-haddix below a given leader, n = {size}, unfair daemon"),
            "holds",
            word(&result, "verdict"),
        );
    }
    let result = runner.json("check gouda-haddix --size 3 --scheduler unfair")?;
    finding.equal("gouda-haddix, states of a process", 8, whole(&result, "states"));
    Ok(finding)
}
