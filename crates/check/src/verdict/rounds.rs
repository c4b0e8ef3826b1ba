//! Rounds until the really safe set is entered and between two visits, and moves.

use super::reaching::Inquiry;
use super::shared::Executions;
use crate::decision::{self, Choices, LikelyRounds, Outcome, Outcomes, Rewards};
use crate::question::{Claimed, Coins, Detector, Question};
use crate::report::{Bounds, Report, Rounds, Time, Times, Value};
use crate::rules::System;
use crate::schedule::{Daemon, Together};
use crate::search::{self, WorstRounds, longest_by};
use crate::space::{Bits, Edge, NOBODY, StateGraph};
use crate::{Stop, Uncheckable};
use ringleader_model::Scheduler;

/// Refuses rounds and moves where they are not defined.
pub(super) fn refuse(system: &System, question: &Question) -> Result<(), Stop> {
    use Scheduler::{Fair, LocallyFair, Random, Unfair};
    let several = Daemon::of(question.scheduler).is_some();
    Uncheckable::NoMoves.refuse_if(question.moves && !several)?;
    let one = match question.scheduler {
        Random => question.detector == Detector::Perfect,
        scheduler => matches!(scheduler, Unfair | Fair | LocallyFair),
    };
    let adverse = decision::meets_coins(system, question) && question.coins == Coins::Adversarial;
    Uncheckable::NoRounds.refuse_if(question.rounds && (!(one || several) || !system.is_ring || adverse))?;
    let served = |claimed: &Claimed| matches!(claimed, Claimed::Recurring(_) | Claimed::Response(..));
    let none = !question.claims.iter().any(|claim| served(&claim.claimed));
    Uncheckable::RoundsOfClaims.refuse_if(question.only_claims && (question.moves || question.rounds && none))
}

impl<G: StateGraph> Inquiry<'_, G> {
    /// Counts the worst-case rounds to the really safe set, if the question asks for them. Every execution must converge, and the
    /// expected steps of a synchronous chain must be known.
    pub(super) fn count_rounds(&self, safe: &Bits, report: &mut Report) -> Result<(), Stop> {
        if !self.question.rounds {
            return Ok(());
        }
        if self.is_synchronous_chain() {
            let steps = report.expected_steps.as_ref().and_then(|times| times.to_really_safe.clone());
            report.rounds = steps.map(|Time { worst, worst_start, mean, .. }| Rounds {
                worst: Some(worst),
                expected: true,
                worst_start,
                mean: Some(mean),
            });
            return Ok(());
        }
        let starts: Vec<u32> = safe.missing().filter(|&node| self.scene.starting(node) > 0).collect();
        report.rounds = Some(self.most_rounds(&starts, safe, Some(self.count as f64))?);
        Ok(())
    }

    /// All processes step at once, and only coins decide: every step is a round.
    pub(super) fn is_synchronous_chain(&self) -> bool {
        self.question.scheduler == Scheduler::Synchronous && matches!(self.executions, Executions::Chance { .. })
    }

    /// The greatest number of rounds that begin before a set is entered, from some nodes; with the mean over `beginnings` starts,
    /// of which those that are left out have no rounds.
    pub(super) fn most_rounds(&self, starts: &[u32], target: &Bits, beginnings: Option<f64>) -> Result<Rounds, Stop> {
        let Inquiry { scene, question, monitor, .. } = *self;
        let system = &scene.survey.system;
        let configurations: Vec<u32> = (0..scene.graph.size() as u32).map(|node| scene.configuration(node)).collect();
        let enabled: Vec<u32> = configurations.iter().map(|&c| system.enabled(c)).collect();
        let rounds = |expected, worst, start, mean| Rounds { worst, expected, worst_start: scene.start(start), mean };
        let likely = |enabled, steps: &Outcomes<'_>| {
            let (width, memory) = (self.effort().width, question.memory);
            let found = LikelyRounds { steps, enabled, target, width, memory }.worst(starts, system, monitor)?;
            Ok(match found {
                WorstRounds::Unbounded(start) => rounds(true, None, start, None),
                WorstRounds::Bounded { worst, start, sum } => {
                    let mean = |all: f64| Bounds { low: sum.low / all, high: sum.high / all * (1.0 + f64::EPSILON) };
                    rounds(true, Some(Value::Between(worst)), start, beginnings.map(mean).map(Value::Between))
                }
            })
        };
        match self.executions {
            Executions::Coins(choices, _) => likely(enabled, &|node, visit| {
                for choice in choices.of(node) {
                    let acting = self.acting(choices, choice);
                    for (&target, &weight) in choices.targets(choice).iter().zip(choices.weights(choice)) {
                        visit(Outcome { choice, acting, target, weight });
                    }
                }
            }),
            Executions::Chance { .. } => likely(enabled, &|node, visit| {
                scene.graph.each_successor(node, &mut |Edge { site, target, weight, .. }| {
                    visit(Outcome { choice: 0, acting: system.actors(site), target, weight });
                });
            }),
            Executions::Daemon | Executions::Fair(_) => {
                let all = question.scheduler == Scheduler::Synchronous;
                let most = search::Rounds { graph: scene.graph, system, configurations, enabled, target, all };
                Ok(match most.most(starts, monitor)?.ok_or(Uncheckable::TooManyRounds)? {
                    WorstRounds::Unbounded(start) => rounds(false, None, start, None),
                    WorstRounds::Bounded { worst, start, sum } => {
                        let mean = beginnings.map(|all| Value::Steps(sum as f64 / all));
                        rounds(false, Some(Value::Steps(worst.into())), start, mean)
                    }
                })
            }
        }
    }

    /// The processes that a choice schedules, as bits.
    fn acting(&self, choices: &Choices, choice: u32) -> u32 {
        match choices.chosen(choice) {
            (NOBODY, _) => 0,
            (processes, _) if self.scene.together().is_some() => processes,
            (site, _) => self.scene.survey.system.actors(site),
        }
    }
}

impl Inquiry<'_, Together<'_>> {
    /// Counts the worst-case moves, if the question asks for them and no coin is fair: the longest executions, where a step of
    /// several processes is several moves. Every execution must converge.
    pub(super) fn count_moves(&self, [safe, own]: [&Bits; 2], report: &mut Report) -> Result<(), Stop> {
        if !self.question.moves {
            return Ok(());
        }
        let (scene, graph) = (self.scene, self.scene.graph);
        let moves = |set: &Bits| {
            let members = |node: u32| scene.starting(node);
            let found = longest_by(graph, set, members, |node, edge| graph.moves(node, edge), self.monitor)?;
            Ok::<_, Stop>(self.length(&found))
        };
        let to_own_safe = if report.own_is_reached == Some(true) { moves(own)? } else { None };
        report.moves = Some(Times { to_really_safe: moves(safe)?, to_own_safe });
        Ok(())
    }

    /// The same with fair coins: the greatest expected moves. The expected steps must be known to be finite.
    pub(super) fn expect_moves(
        &self,
        choices: &Choices,
        [safe, own]: [&Bits; 2],
        report: &mut Report,
    ) -> Result<(), Stop> {
        let Inquiry { scene, question, monitor, .. } = *self;
        if !question.moves || report.expected_steps.is_none() {
            return Ok(());
        }
        let mut weighted = vec![0.0; choices.count() as usize];
        for node in 0..choices.size() as u32 {
            let enabled = scene.survey.system.enabled(node);
            for choice in choices.of(node) {
                let whole: f64 = choices.weights(choice).iter().map(|&weight| f64::from(weight)).sum();
                let moves = (self.acting(choices, choice) & enabled).count_ones();
                weighted[choice as usize] = f64::from(moves) * whole;
            }
        }
        let starts = self.count as f64;
        let moves = |target: &Bits| {
            let rewards = Rewards { choices, weighted: &weighted, target, inner: &[] };
            let totals = rewards.totals("moves", self.effort().width, monitor)?;
            let nodes = target.missing().filter(|&node| scene.starting(node) > 0);
            let (worst, start, sum) = Bounds::greatest(nodes.map(|node| (node, totals.at(node))));
            // Each addition is rounded.
            let rounding = (starts + 2.0) * f64::EPSILON;
            let mean = Bounds { low: sum.low / starts, high: sum.high / starts }.widened(rounding);
            let (worst, mean) = (Value::Between(worst), Value::Between(mean));
            Ok::<_, Stop>(Time { worst, worst_start: scene.start(start), worst_turns: None, mean, from: vec![] })
        };
        let to_own_safe = (report.own_is_reached == Some(true)).then(|| moves(own)).transpose()?;
        report.expected_moves = Some(Times { to_really_safe: Some(moves(safe)?), to_own_safe });
        Ok(())
    }
}
