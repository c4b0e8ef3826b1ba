//! Fischer and Jiang: leader election with the detector Ω?.

use super::finding::{Finding, Item, Paper};
use super::numbers::{decimal, whole, word};
use super::runner::Runner;
use crate::terminal::exit::Failure;
use serde_json::Value;

const PAPER: Paper = Paper {
    key: "Fischer and Jiang 2006",
    citation: "M. Fischer, H. Jiang: Self-stabilizing leader election in networks of finite-state anonymous agents, OPODIS 2006, \
               LNCS 4305, 395-409",
};

pub(super) const ITEMS: &[Item] = &[
    Item {
        name: "fischer-jiang-theorem-3",
        paper: &PAPER,
        place: "Theorem 3",
        claim: "With Ω?, Algorithm 1 is self-stabilizing leader election on complete graphs, under local and under global fairness.",
        algorithms: &["fischer-jiang-complete"],
        run: theorem_3,
    },
    Item {
        name: "fischer-jiang-theorem-4",
        paper: &PAPER,
        place: "Theorem 4",
        claim: "No uniform algorithm elects a leader on rings under local fairness: a run of a ring, doubled, keeps two leaders.",
        algorithms: &["fischer-jiang-ring"],
        run: theorem_4,
    },
    Item {
        name: "fischer-jiang-theorem-5",
        paper: &PAPER,
        place: "Theorem 5",
        claim: "With Ω?, Algorithm 2 is self-stabilizing leader election on rings under global fairness.",
        algorithms: &["fischer-jiang-ring"],
        run: theorem_5,
    },
    Item {
        name: "fischer-jiang-timeouts",
        paper: &PAPER,
        place: "Section 3.4",
        claim: "Ω? can be implemented by timeouts: leaders send keep-alives, and who hears none for too long reports that there is none.",
        algorithms: &["fischer-jiang-ring"],
        run: timeouts,
    },
];

fn theorem_3(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    for scheduler in ["locally-fair", "globally-fair"] {
        for oracle in ["perfect", "eventually-correct"] {
            for size in 2..=6 {
                let check =
                    format!("check fischer-jiang-complete --size {size} --scheduler {scheduler} --oracle {oracle}");
                let result = runner.json(&check)?;
                let what = format!("n = {size}, {scheduler}, {oracle} oracle");
                finding.equal(what, "holds", word(&result, "verdict"));
            }
        }
    }
    finding.remarks.push("From every configuration, for these sizes; the theorem speaks of all sizes.".into());
    Ok(finding)
}

fn theorem_4(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    for size in [4, 6] {
        let result = runner.json(&format!("check fischer-jiang-ring --size {size} --scheduler locally-fair"))?;
        finding.equal(
            format!("Algorithm 2, n = {size}, locally-fair, perfect oracle"),
            "fails",
            word(&result, "verdict"),
        );
        let leaders = |state: &Value| state.as_str().is_some_and(|s| s.contains("leader=1"));
        let cycle = result["counterexample"]["cycle"].as_array().cloned().unwrap_or_default();
        let counts =
            cycle.iter().filter_map(|step| Some(step["states"].as_array()?.iter().filter(|s| leaders(s)).count()));
        let fewest = counts.min().unwrap_or(0);
        let seen = format!("at least {fewest} in each of the {} configurations of the cycle", cycle.len());
        finding.judged(format!("leaders on the cycle, n = {size}"), "two, for ever", seen, fewest >= 2);
    }
    for size in [3, 5] {
        let result = runner.json(&format!("check fischer-jiang-ring --size {size} --scheduler locally-fair"))?;
        let verdict = word(&result, "verdict");
        finding.beyond(format!("odd rings, of which the proof does not speak: n = {size}"), verdict);
    }
    let command = "check fischer-jiang-ring --size 4 --scheduler locally-fair";
    let caption = "A locally fair run that keeps two leaders: every action that it enables is taken.";
    let drawn = runner.playable(&mut finding, command, "fischer-jiang-4.html", caption)?;
    finding.drawings.push((caption.into(), drawn));
    finding
        .remarks
        .push("The theorem is about every algorithm; what is run is the paper's own, which cannot escape it.".into());
    Ok(finding)
}

/// For which sizes a proof is found that the independent checker accepts, in this run.
fn proved(runner: &mut Runner, what: &str) -> Result<String, Failure> {
    let file = "proof.json";
    let found = runner.json(&format!("prove {what} --certificate {file}"))?;
    if word(&found, "outcome") != "proved" {
        return Ok(word(&found, "outcome").into());
    }
    let verified = runner.json(&format!("verify {file}"))?;
    runner.take(file)?;
    Ok(match (verified["accepted"].as_bool(), verified["same_rules"].as_bool()) {
        (Some(true), Some(true)) => format!("every n >= {}, proved", found["from"]),
        _ => "a proof that the checker does not accept".into(),
    })
}

fn theorem_5(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    for oracle in ["perfect", "eventually-correct"] {
        let seen = proved(runner, &format!("fischer-jiang-ring --oracle {oracle}"))?;
        finding.judged(format!("globally fair, {oracle} oracle"), "any ring", &seen, seen == "every n >= 3, proved");
    }
    let pair = "check fischer-jiang-ring --size 2 --scheduler globally-fair";
    let result = runner.json(pair)?;
    finding.explained(
        "n = 2, globally fair, perfect oracle",
        "holds (any ring)",
        "fails",
        word(&result, "verdict"),
        "Two agents are an exception that the paper does not mention: from the configuration drawn below the one shield is always \
         where a bullet would strike, and both lead for ever.",
    );
    let result = runner.json("check fischer-jiang-ring --size 3 --scheduler random")?;
    let steps = decimal(&result, "expected_steps.to_really_safe.worst.low", 3);
    finding.beyond("expected steps from the worst of all 512 configurations, n = 3, random scheduler", steps);
    finding.beyond("configurations from which the leader stays for ever, n = 3", whole(&result, "really_safe"));
    let caption = "Two agents, both leaders for ever.";
    let drawn = runner.playable(&mut finding, pair, "fischer-jiang-2.html", caption)?;
    finding.drawings.push((caption.into(), drawn));
    Ok(finding)
}

fn timeouts(runner: &mut Runner) -> Result<Finding, Failure> {
    let mut finding = Finding::default();
    let (runs, first) = (runner.either(10, 100), runner.seed);
    for (size, timer) in [(4, 32), (8, 128)] {
        let mut reached = 0;
        for seed in first..first + runs {
            let lines = runner.text(&format!(
                "elect fischer-jiang-ring --size {size} --oracle timer --timer {timer} --corrupt 0 --seed {seed} --json"
            ))?;
            let last: Value = serde_json::from_str(lines.lines().last().unwrap_or_default()).unwrap_or_default();
            reached += u64::from(last["reached"].as_bool() == Some(true));
        }
        let what = format!("n = {size}, countdown from {timer}, arbitrary start: one leader, and nobody misses it");
        finding.judged(what, "eventually", format!("in {reached} of {runs} elections"), reached == runs);
    }
    let result = runner.json("check fischer-jiang-ring --size 3 --oracle timer --timer 6")?;
    finding.explained(
        "n = 3, countdown from 6, random scheduler: for ever",
        "with timeouts",
        "fails",
        word(&result, "verdict"),
        "Asynchronous agents cannot know how long to wait: however long a countdown, it may run out while a leader exists, and a \
         false alarm makes another leader. The layer is loosely stabilizing; the paper assumes timeouts that suffice.",
    );
    let result = runner.json("check fischer-jiang-ring --size 3 --oracle distance --bound 3 --scheduler random")?;
    let worst = decimal(&result, "expected_steps.to_really_safe.worst.low", 3);
    let seen = format!("{}, worst expected {worst} steps", word(&result, "verdict"));
    finding.beyond("with distances up to a known bound N = 3 instead of countdowns, n = 3", seen);
    Ok(finding)
}
