//! Rounds until the really safe set is entered and between two visits, and moves.

use super::shared::{Executions, length};
use crate::decision::{self, Choices, ExpectedRounds, LikelyRounds, Outcome, Outcomes, Rewards};
use crate::expectation::NARROW;
use crate::question::{Claimed, Coins, Detector, Question};
use crate::report::{Bounds, Report, Rounds, Time, Times, Value};
use crate::rules::System;
use crate::schedule::{Daemon, Together};
use crate::search::{self, WorstRounds, longest_by};
use crate::space::{Bits, NOBODY, StateGraph};
use crate::witness::Scene;
use crate::{Monitor, Stop, Uncheckable};
use ringleader_model::Scheduler;

/// Refuses rounds and moves where they are not defined.
pub(super) fn refuse(system: &System, question: &Question) -> Result<(), Stop> {
    use Scheduler::{Fair, LocallyFair, Random, Unfair};
    let several = Daemon::of(question.scheduler).is_some();
    if question.moves && !several {
        return Err(Uncheckable::NoMoves.into());
    }
    let one = match question.scheduler {
        Random => question.detector == Detector::Perfect,
        scheduler => matches!(scheduler, Unfair | Fair | LocallyFair),
    };
    let adverse = decision::meets_coins(system, question) && question.coins == Coins::Adversarial;
    if question.rounds && (!(one || several) || !system.is_ring() || adverse) {
        return Err(Uncheckable::NoRounds.into());
    }
    let served = |claimed: &Claimed| matches!(claimed, Claimed::Recurring(_) | Claimed::Response(..));
    let none = !question.claims.iter().any(|claim| served(&claim.claimed));
    if question.only_claims && (question.moves || question.rounds && none) {
        return Err(Uncheckable::RoundsOfClaims.into());
    }
    Ok(())
}

/// Counts the worst-case rounds to the really safe set, if the question asks for them. Every execution must converge, and the
/// expected steps of a synchronous chain must be known.
pub(super) fn count<G: StateGraph>(
    scene: &Scene<'_, G>,
    executions: &Executions<'_>,
    safe: &Bits,
    question: &Question,
    report: &mut Report,
    monitor: &Monitor,
) -> Result<(), Stop> {
    if !question.rounds {
        return Ok(());
    }
    if is_synchronous_chain(executions, question) {
        let steps = report.expected_steps.as_ref().and_then(|times| times.to_really_safe.clone());
        report.rounds = steps.map(|Time { worst, worst_start, mean, .. }| Rounds {
            worst: Some(worst),
            expected: true,
            worst_start,
            mean: Some(mean),
        });
        return Ok(());
    }
    let starts: Vec<u32> = safe.missing().filter(|&node| scene.starting(node) > 0).collect();
    let beginnings = Some(report.beginnings() as f64);
    report.rounds = Some(most(scene, executions, &starts, safe, beginnings, question, monitor)?);
    Ok(())
}

/// All processes step at once, and only coins decide: every step is a round.
pub(super) fn is_synchronous_chain(executions: &Executions<'_>, question: &Question) -> bool {
    question.scheduler == Scheduler::Synchronous && matches!(executions, Executions::Chance { .. })
}

/// The greatest number of rounds that begin before a set is entered, from some nodes; with the mean over `beginnings` starts,
/// of which those that are left out have no rounds.
pub(super) fn most<G: StateGraph>(
    scene: &Scene<'_, G>,
    executions: &Executions<'_>,
    starts: &[u32],
    target: &Bits,
    beginnings: Option<f64>,
    question: &Question,
    monitor: &Monitor,
) -> Result<Rounds, Stop> {
    let system = &scene.survey.system;
    let configurations: Vec<u32> = (0..scene.graph.size() as u32).map(|node| scene.configuration(node)).collect();
    let likely = |steps: &Outcomes<'_>| {
        let enabled = configurations.iter().map(|&c| system.enabled(c)).collect();
        let (width, memory) = (question.width.unwrap_or(NARROW), question.memory);
        let found = LikelyRounds { steps, enabled, target, width, memory }.worst(starts, system, monitor)?;
        let rounds = |worst, start, mean| Rounds { worst, expected: true, worst_start: scene.start(start), mean };
        Ok(match found {
            ExpectedRounds::Unbounded(start) => rounds(None, start, None),
            ExpectedRounds::Bounded { worst, start, sum } => {
                let mean = |all: f64| Bounds { low: sum.low / all, high: sum.high / all * (1.0 + f64::EPSILON) };
                rounds(Some(Value::Between(worst)), start, beginnings.map(mean).map(Value::Between))
            }
        })
    };
    match *executions {
        Executions::Coins(choices, _) => likely(&|node, visit| {
            for choice in choices.of(node) {
                let acting = acting(scene, choices, choice);
                for (&target, &weight) in choices.targets(choice).iter().zip(choices.weights(choice)) {
                    visit(Outcome { choice, acting, target, weight });
                }
            }
        }),
        Executions::Chance { .. } => likely(&|node, visit| {
            scene.graph.each_successor(node, &mut |edge| {
                visit(Outcome {
                    choice: 0,
                    acting: system.actors(edge.site),
                    target: edge.target,
                    weight: edge.weight,
                });
            });
        }),
        Executions::Daemon | Executions::Fair(_) => {
            let all = question.scheduler == Scheduler::Synchronous;
            let rounds = search::Rounds { graph: scene.graph, system, configurations, target, all };
            let found = rounds.most(starts, monitor)?.ok_or(Uncheckable::TooManyRounds)?;
            let rounds = |worst, start, mean| Rounds { worst, expected: false, worst_start: scene.start(start), mean };
            Ok(match found {
                WorstRounds::Unbounded(start) => rounds(None, start, None),
                WorstRounds::Bounded { worst, start, sum } => {
                    let mean = beginnings.map(|all| Value::Steps(sum as f64 / all));
                    rounds(Some(Value::Steps(worst.into())), start, mean)
                }
            })
        }
    }
}

/// The processes that a choice schedules, as bits.
fn acting<G: StateGraph>(scene: &Scene<'_, G>, choices: &Choices, choice: u32) -> u32 {
    match choices.chosen(choice) {
        (NOBODY, _) => 0,
        (processes, _) if scene.together().is_some() => processes,
        (site, _) => scene.survey.system.actors(site),
    }
}

/// Counts the worst-case moves, if the question asks for them and no coin is fair: the longest executions, where a step of
/// several processes is several moves. Every execution must converge.
pub(super) fn count_moves(
    scene: &Scene<'_, Together<'_>>,
    [safe, own]: [&Bits; 2],
    question: &Question,
    report: &mut Report,
    monitor: &Monitor,
) -> Result<(), Stop> {
    if !question.moves {
        return Ok(());
    }
    let starts = report.beginnings() as f64;
    let moves = |set: &Bits| {
        let members = |node: u32| scene.starting(node);
        let found = longest_by(scene.graph, set, members, |node, edge| scene.graph.moves(node, edge), monitor)?;
        Ok::<_, Stop>(length(scene, &found, starts))
    };
    let to_own_safe = if report.own_is_reached == Some(true) { moves(own)? } else { None };
    report.moves = Some(Times { to_really_safe: moves(safe)?, to_own_safe });
    Ok(())
}

/// The same with fair coins: the greatest expected moves. The expected steps must be known to be finite.
pub(super) fn expect_moves(
    scene: &Scene<'_, Together<'_>>,
    choices: &Choices,
    [safe, own]: [&Bits; 2],
    question: &Question,
    report: &mut Report,
    monitor: &Monitor,
) -> Result<(), Stop> {
    if !question.moves || report.expected_steps.is_none() {
        return Ok(());
    }
    let mut weighted = vec![0.0; choices.count() as usize];
    for node in 0..choices.size() as u32 {
        let enabled = scene.survey.system.enabled(node);
        for choice in choices.of(node) {
            let whole: f64 = choices.weights(choice).iter().map(|&weight| f64::from(weight)).sum();
            let moves = (acting(scene, choices, choice) & enabled).count_ones();
            weighted[choice as usize] = f64::from(moves) * whole;
        }
    }
    let starts = report.beginnings() as f64;
    let moves = |target: &Bits| {
        let rewards = Rewards { choices, weighted: &weighted, target, inner: &[] };
        let totals = rewards.totals("moves", question.width.unwrap_or(NARROW), monitor)?;
        let (mut worst, mut start, mut sum) = (Bounds { low: 0.0, high: 0.0 }, 0, Bounds { low: 0.0, high: 0.0 });
        for node in target.missing().filter(|&node| scene.starting(node) > 0) {
            let Bounds { low, high } = totals.at(node);
            start = if high > worst.high { node } else { start };
            worst = Bounds { low: worst.low.max(low), high: worst.high.max(high) };
            sum = Bounds { low: sum.low + low, high: sum.high + high };
        }
        // Each addition is rounded.
        let rounding = (starts + 2.0) * f64::EPSILON;
        let mean = Bounds { low: sum.low / starts * (1.0 - rounding), high: sum.high / starts * (1.0 + rounding) };
        let (worst, mean) = (Value::Between(worst), Value::Between(mean));
        Ok::<_, Stop>(Time { worst, worst_start: scene.start(start), worst_turns: None, mean, from: vec![] })
    };
    let to_own_safe = (report.own_is_reached == Some(true)).then(|| moves(own)).transpose()?;
    report.expected_moves = Some(Times { to_really_safe: Some(moves(safe)?), to_own_safe });
    Ok(())
}
