//! Fair coins against every daemon of a class: a decision process instead of a graph.

use super::reaching::{Goal, Inquiry};
use super::shared::Executions;
use crate::decision::{Choices, Extreme, end_components};
use crate::question::{Detector, Question};
use crate::report::{Report, Time, Times};
use crate::rules::System;
use crate::search::Fairness;
use crate::space::{Bits, Reversible};
use crate::{Stop, Uncheckable};

/// Refuses what a decision process cannot express.
pub(super) fn refuse(system: &System, question: &Question) -> Result<(), Stop> {
    Uncheckable::ChoosesAfterPartner.refuse_if(question.scheduler.picks_initiators() && system.chooses())?;
    Choices::refuse(system)?;
    Uncheckable::LiesAboutCoins.refuse_if(question.detector == Detector::EventuallyCorrect)
}

impl<G: Reversible> Inquiry<'_, G> {
    /// Completes a report about fair coins: the verdict, the claims, and the numbers.
    pub(super) fn check_coins(
        &self,
        choices: &Choices,
        fairness: Option<Fairness>,
        [safe, own]: [&Bits; 2],
        mut report: Report,
    ) -> Result<Report, Stop> {
        let inquiry = &Inquiry { executions: Executions::Coins(choices, fairness), ..*self };
        let Inquiry { scene, question, monitor, .. } = *inquiry;
        let system = &scene.survey.system;
        let staying = |set: &Bits| end_components(choices, system, set, fairness, monitor);
        (report.almost_surely, report.against_daemon) = (true, true);
        if question.only_claims {
            inquiry.judge([safe, own], &mut report)?;
            monitor.decide(&report);
            inquiry.measure(&mut report)?;
            return Ok(report);
        }
        let converges = inquiry.conclude(&mut report, inquiry.avoiding(safe)?);
        if converges && report.own_is_closed {
            report.own_is_reached = Some(staying(own)?.is_empty());
        }
        // Claims come first, so that the verdict is available before the numbers.
        inquiry.judge([safe, own], &mut report)?;
        monitor.decide(&report);
        let against = inquiry.against(choices, fairness);
        let found = against.numbers(&Goal { set: safe, reached: converges })?;
        report.delay = found.delay;
        (report.least_probability, report.greatest_probability) = (found.least_probability, found.greatest_probability);
        let times = |to_really_safe: Option<Time>, extreme: Extreme, own: Option<&Bits>| -> Result<_, Stop> {
            let Some(time) = to_really_safe else { return Ok(None) };
            let to_own_safe = own.map(|own| against.time(choices, extreme, own)).transpose()?;
            Ok(Some(Times { to_really_safe: Some(time), to_own_safe }))
        };
        let to_own = (report.own_is_reached == Some(true)).then_some(own);
        report.best_expected_steps = times(found.best_expected_steps, Extreme::Best, to_own)?;
        if converges && report.delay.is_none() {
            let named = to_own.filter(|_| report.own_is_named);
            report.own_delay = named.map(|own| against.delay(own)).transpose()?.flatten();
            let to_own = to_own.filter(|_| report.own_delay.is_none());
            report.expected_steps = times(found.expected_steps, Extreme::Worst, to_own)?;
            report.worst_strategy = question.strategy.then(|| against.longest(safe)).transpose()?;
        }
        if converges {
            inquiry.count_rounds(safe, &mut report)?;
        }
        inquiry.within_by_choice(choices, (safe, converges), &mut report)?;
        inquiry.measure(&mut report)?;
        Ok(report)
    }
}
