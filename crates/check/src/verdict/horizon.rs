//! The probability of the really safe set within some steps.

use super::reaching::Inquiry;
use crate::decision::Choices;
use crate::expectation::Prospect;
use crate::question::{Coins, Detector, Question};
use crate::report::Report;
use crate::rules::System;
use crate::space::{Bits, StateGraph};
use crate::stop::MOST_STEPS_WITHIN;
use crate::witness::Nodes;
use crate::{Stop, Uncheckable};
use ringleader_model::Scheduler;

/// Refuses probabilities that are not defined.
pub(super) fn refuse(system: &System, question: &Question) -> Result<(), Stop> {
    use Scheduler::{Alternating, Distributed, LocallyCentral, Random, RandomPartner, Synchronous, Unfair};
    let counts = matches!(
        question.scheduler,
        Random | Synchronous | Unfair | Distributed | LocallyCentral | Alternating | RandomPartner
    );
    let chooses = !matches!(question.scheduler, Random | Synchronous) || system.chooses();
    let adverse = chooses && system.tosses() && question.coins == Coins::Adversarial;
    Uncheckable::NoProbabilities.refuse_if(!counts || adverse || question.detector != Detector::Perfect)?;
    if let Some(steps) = question.horizon.and_then(|horizon| horizon.steps).filter(|&steps| steps > MOST_STEPS_WITHIN) {
        return Err(Uncheckable::TooLate(steps).into());
    }
    Ok(())
}

impl<G: StateGraph> Inquiry<'_, G> {
    /// Fills in the probabilities against the worst daemon and with the best one, if the question asks for them.
    pub(super) fn within_by_choice(
        &self,
        choices: &Choices,
        (target, reached): (&Bits, bool),
        report: &mut Report,
    ) -> Result<(), Stop> {
        let Inquiry { scene, question, monitor, count, .. } = *self;
        let Some(horizon) = question.horizon else { return Ok(()) };
        let (among, starts) = (scene.starts(), self.given());
        let prospect = Prospect { graph: choices, target, among, count, starts, reached, horizon, monitor };
        report.reach = Some(prospect.against(choices)?);
        Ok(())
    }

    /// The same where no coin is tossed, so that the choices are listed for this question only.
    pub(super) fn within_by_daemon(&self, target: &Bits, report: &mut Report) -> Result<(), Stop> {
        let Inquiry { scene, question, monitor, .. } = *self;
        if question.horizon.is_none() {
            return Ok(());
        }
        let (system, memory) = (&scene.survey.system, question.memory);
        let choices = match scene.nodes {
            Nodes::Together(graph) => Choices::together(system, graph.daemon, memory, monitor)?,
            _ => {
                let choices = Choices::one_at_a_time(scene.graph, system, memory, monitor)?;
                if system.is_up_to_symmetry() { choices.representing(|node| scene.members(node)) } else { choices }
            }
        };
        self.within_by_choice(&choices, (target, report.steps.is_some()), report)
    }
}
