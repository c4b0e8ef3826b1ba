//! Yokota, Sudo and Masuzawa: time-optimal election on rings.

use super::finding::{Figure, Finding, Item, Paper};
use super::numbers::{decimal, number, whole, word};
use super::runner::Runner;
use crate::terminal::exit::Failure;
use ringleader_report::number::grouped;
use serde_json::Value;
use std::fmt::Write;

const PAPER: Paper = Paper {
    key: "Yokota, Sudo and Masuzawa 2021",
    citation: "D. Yokota, Y. Sudo, T. Masuzawa: Time-optimal self-stabilizing leader election on rings in population protocols, \
               IEICE Trans. Fundamentals E104-A(12), 2021",
};

pub(super) const ITEMS: &[Item] = &[
    Item {
        name: "yokota-table-1",
        paper: &PAPER,
        place: "Table 1",
        claim: "Expected convergence on rings: Θ(n³) for Angluin et al. and for Fischer and Jiang, O(nN) for this work, exponential \
                for Chen and Chen.",
        algorithms: &["yokota-ring", "fischer-jiang-ring", "angluin-ring"],
        run: table_1,
    },
    Item {
        name: "yokota-theorem-1",
        paper: &PAPER,
        place: "Theorem 1, Lemmas 2, 6 and 8",
        claim: "P_RL is self-stabilizing leader election on directed rings of any size n ≤ N; C_PB, C_NI and S_RL are closed, and \
                S_RL holds safe configurations only.",
        algorithms: &["yokota-ring"],
        run: theorem_1,
    },
    Item {
        name: "yokota-figure-3",
        paper: &PAPER,
        place: "Section 4, Fig. 3",
        claim: "In C_PB with all agents secure a new leader may still be created: of the two leaders of 100 agents, one is killed and \
                made again by two interactions in a row.",
        algorithms: &["yokota-ring"],
        run: figure_3,
    },
];

/// How far a fitted exponent may be from the claimed one: what the lower-order terms of these sizes can make of it.
const NEAR: f64 = 0.15;

/// An exponent with its interval.
fn exponent(result: &Value) -> (f64, String) {
    let value = number(result, "exponent.value").unwrap_or(f64::NAN);
    let interval = format!("{} to {}", decimal(result, "exponent.ci95.0", 3), decimal(result, "exponent.ci95.1", 3));
    (value, format!("exponent {value:.3} (95 %: {interval})"))
}

fn table_1(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    let seed = runner.seed;
    let rows = [
        (
            "yokota-ring",
            "N = n",
            runner.either("16,32,..,256 --runs 300", "16,32,..,1024 --runs 1000"),
            2.0,
            "O(nN) = O(n²)",
        ),
        (
            "fischer-jiang-ring",
            "perfect oracle",
            runner.either("64,128,..,512 --runs 300", "16,32,..,1024 --runs 300"),
            3.0,
            "Θ(n³)",
        ),
        (
            "angluin-ring",
            "k = 2",
            runner.either("17,33,65,129 --runs 300", "17,33,65,129,257,513,1025 --runs 300"),
            3.0,
            "Θ(n³)",
        ),
    ];
    for (algorithm, condition, sizes, law, claimed) in rows {
        let file = format!("{algorithm}-growth.svg");
        let command = format!("simulate {algorithm} --size {sizes} --seed {seed} --plot {file}");
        let result = runner.json(&command)?;
        let (value, words) = exponent(&result);
        let last = result["sizes"].as_array().and_then(|sizes| sizes.last()).cloned().unwrap_or_default();
        let n = number(&last, "size").unwrap_or(f64::NAN);
        let constant = number(&last, "mean_steps").unwrap_or(f64::NAN) / n.powf(law);
        let what = format!("{algorithm}, {condition}, from arbitrary configurations");
        let power = if law == 2.0 { "n²" } else { "n³" };
        let seen = format!("{words}; mean at n = {n}: {constant:.3} {power}");
        finding.judged(what, claimed, seen, (value - law).abs() <= NEAR);
        finding.figures.push(Figure {
            name: format!("{algorithm}-growth"),
            caption: format!("{algorithm}, {condition}: mean steps until safe, with 95 % intervals."),
            svg: runner.take(&file)?,
        });
    }
    linear_in_bound(runner, &mut finding)?;
    finding.undecidable(
        "Chen and Chen, any ring, no knowledge",
        "exponential",
        "not run: its rules are in none of the papers at hand",
    );
    finding.remarks.push(format!(
        "Exponents are least-squares fits of means; one within {NEAR} of the claimed law is called reproduced. No finite range of \
         sizes decides a law of growth."
    ));
    Ok(finding)
}

/// From all variables zero nothing happens until somebody has counted to N; what follows is small if N is large.
fn linear_in_bound(runner: &mut Runner, finding: &mut Finding) -> Result<(), Failure> {
    let (runs, seed) = (runner.either(200, 4000), runner.seed);
    let file = "yokota-ring-bound.svg";
    let result = runner.json(&format!(
        "simulate yokota-ring --size 16 --bound 128,256,..,4096 --start clean --runs {runs} --seed {seed} --plot {file}"
    ))?;
    let (value, words) = exponent(&result);
    let what = "yokota-ring, n = 16, N from 128 to 4096, all variables zero at first";
    finding.judged(what, "O(nN): linear in N", words, (value - 1.0).abs() <= NEAR);
    finding.figures.push(Figure {
        name: "yokota-ring-bound".into(),
        caption: "yokota-ring, n = 16: mean steps until safe against the bound N.".into(),
        svg: runner.take(file)?,
    });
    Ok(())
}

fn theorem_1(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    let quick = [(2, 2), (2, 3), (2, 4), (3, 3)];
    let full = [(2, 2), (2, 3), (2, 4), (3, 3), (3, 4), (4, 4)];
    for &(size, bound) in runner.either(&quick[..], &full) {
        let memory = if size == 4 { " --memory 8" } else { "" };
        let result =
            runner.json(&format!("check yokota-ring --size {size} --bound {bound} --scheduler random{memory}"))?;
        let at = format!("n = {size}, N = {bound}");
        let configurations = whole(&result, "configurations");
        finding.equal(format!("{at}: all {configurations} configurations"), "holds", word(&result, "verdict"));
        finding.equal(format!("{at}: states of an agent, 24(N + 1)"), 24 * (bound + 1), whole(&result, "states"));
        for set in result["sets"].as_array().into_iter().flatten() {
            let closed = if set["closed"].as_bool() == Some(true) { "closed" } else { "not closed" };
            let size = whole(set, "configurations");
            finding.equal(
                format!("{at}: {} ({}), {size} configurations", word(set, "name"), word(set, "claim")),
                "closed",
                closed,
            );
        }
        let safe = if result["own_safe_really_safe"].as_bool() == Some(true) { "safe" } else { "not safe" };
        finding.equal(format!("{at}: every configuration of S_RL"), "safe", safe);
        finding.beyond(format!("{at}: configurations that are really safe"), whole(&result, "really_safe"));
        let worst = decimal(&result, "expected_steps.to_own_safe.worst.low", 6);
        finding.beyond(format!("{at}: expected steps to S_RL from the worst configuration"), worst);
    }
    Ok(finding)
}

fn figure_3(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    runner.put("figure-3.trace", &figure_3_trace())?;
    let lines = runner.text("elect --replay figure-3.trace --json")?;
    let leaders: Vec<Vec<usize>> = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|step| {
            let states = step["states"].as_array()?.clone();
            let leads = |state: &Value| state.as_str().is_some_and(|s| s.contains("leader=1"));
            Some((0..states.len()).filter(|&i| leads(&states[i])).collect())
        })
        .collect();
    let names = |leaders: &[usize]| leaders.iter().map(|i| format!("u{i}")).collect::<Vec<_>>().join(" and ");
    let moments =
        [("at first", "u0 and u50"), ("after one interaction of u49 and u50", "u0"), ("after another", "u0 and u50")];
    for (moment, (when, claimed)) in moments.into_iter().enumerate() {
        finding.equal(format!("leaders {when}"), claimed, leaders.get(moment).map_or(String::new(), |l| names(l)));
    }
    let caption = "The two interactions among 100 agents.";
    let drawn = runner.playable(&mut finding, "elect --replay figure-3.trace", "yokota-figure-3.html", caption)?;
    let drawn: String =
        drawn.lines().filter(|line| !line.starts_with("          ")).map(|line| line.to_string() + "\n").collect();
    finding.drawings.push(("The two interactions; 100 agents in one line each.".into(), drawn));
    finding.remarks.push(format!(
        "n = N = {}: the configuration of the paper, u0 shielded and no signal before u49, so that the live bullet is peaceful.",
        grouped(100)
    ));
    runner.take("figure-3.trace")?;
    Ok(finding)
}

/// The paper's configuration, and the two interactions.
fn figure_3_trace() -> String {
    let mut text = String::from("ringleader trace 1\nalgorithm yokota-ring\nsize 100\nparameter bound 100\n");
    for i in 0..100u32 {
        let leader = u32::from(i == 0 || i == 50);
        let next = if i < 50 { 50 - i } else { 100 - i };
        let dist = if leader == 1 { 0 } else { 100 - next };
        let (bullet, shield) = (if i == 49 { 2 } else { 0 }, u32::from(i == 0));
        let _ = writeln!(text, "agent {i}: leader={leader} bullet={bullet} shield={shield} signal=0 dist={dist}");
    }
    text + "step arc 49 50\nstep arc 49 50\n"
}
