//! Checks with merged local states.

use super::one_by_one;
use super::reaching::Inquiry;
use super::shared::Executions;
use crate::expectation::{Expected, Successors};
use crate::merge::Merged;
use crate::report::Time;
use crate::search::{can_reach, really_safe};
use crate::space::{MOST_AGENTS, Rotations, StateGraph as _};
use crate::survey::subject::{Compiled, Subject};
use crate::witness::{Nodes, Scene};
use crate::{Monitor, Question, Report, Stop, Survey};
use ringleader_model::{Reader, Scheduler};

/// If a check of at most this many configurations fails, it is repeated without merging, for a shorter counterexample. The
/// counterexample of a larger one is lifted from classes.
const MOST_SHOWN: u64 = 1 << 20;
/// From this many configurations of classes on, the really safe set has a check of its own.
const LEAST_STAGED: u64 = 1 << 20;

/// Whether a check of all states would not show more.
pub(super) fn shows_enough(report: &Report) -> bool {
    report.holds || report.configurations > MOST_SHOWN
}

/// Checks a system with merged states. Counterexamples are lifted from classes.
pub fn check(system: &Subject<'_>, question: &Question, monitor: &Monitor) -> Result<Option<Report>, Stop> {
    by_classes(system, &mut None, question, monitor)
}

/// The same; rules that are compiled for this are kept. `None` if states are not merged.
pub(super) fn by_classes(
    system: &Subject<'_>,
    rules: &mut Option<Compiled>,
    question: &Question,
    monitor: &Monitor,
) -> Result<Option<Report>, Stop> {
    if !question.allows_merging() {
        return Ok(None);
    }
    monitor.enter("merging states", None);
    let merged = Merged::of(system, rules, question.reader(), monitor)?;
    let Some(merged) = merged.filter(|merged| merged.answers(question)) else { return Ok(None) };
    let first = match stages(&merged, system.size(), question) {
        true => Merged::of(system, rules, Reader::Goal, monitor)?,
        false => None,
    };
    let rules = system.once(rules, monitor)?;
    let survey = |merged: Merged, question: &Question| system.survey_merged(rules, merged, question, monitor);
    // If the classes of the goal are fewer, they come first: the expected steps to the really safe set are theirs, and near
    // those to the own safe set.
    let fewer = first.filter(|first| first.partition.classes() < merged.partition.classes());
    let known = match fewer {
        Some(first) => {
            let question = Question { only_goal: true, ..question.clone() };
            Known::find(survey(first, &question)?, &question, monitor)?
        }
        None => None,
    };
    let left = question.memory.saturating_sub(known.as_ref().map_or(0, Known::bytes));
    let survey = survey(merged, &Question { memory: left, converges: known.is_some(), ..question.clone() })?;
    monitor.find(format!("{} configurations", survey.configurations()));
    one_by_one::check(&survey, question, known, monitor).map(Some)
}

/// Whether the expected steps to the really safe set are worth a check of their own, with the classes of the goal.
fn stages(merged: &Merged, agents: usize, question: &Question) -> bool {
    let configurations = (merged.partition.classes() as u64).saturating_pow(agents as u32);
    question.scheduler == Scheduler::Random && !question.only_goal && configurations >= LEAST_STAGED
}

/// The expected steps to the really safe set from all configurations of a survey.
pub(super) struct Known {
    survey: Survey,
    time: Time,
    solution: Expected,
}

impl Known {
    /// Finds them; `None` if some configuration cannot reach the set.
    fn find(survey: Survey, question: &Question, monitor: &Monitor) -> Result<Option<Known>, Stop> {
        let system = &survey.system;
        let safe = really_safe(system, |node, turn| survey.label(node, turn), monitor)?;
        survey.dismiss(&safe, |node, visit| visit(node));
        if can_reach(system, &safe, monitor)?.count() < system.size() {
            return Ok(None);
        }
        let (time, solution) = {
            let scene = Scene::new(&survey, system, Nodes::Plain);
            let successors = &Successors::new(system, survey.spare, monitor)?;
            let (executions, count) = (Executions::Chance { random: true }, survey.configurations());
            Inquiry { scene: &scene, executions, question, monitor, count }.times(successors).to(&safe, None)?
        };
        Ok(Some(Known { survey, time, solution }))
    }

    /// The bytes that are held while another survey is checked: a value, a label and five sets of nodes.
    fn bytes(&self) -> u64 {
        let system = &self.survey.system;
        let classes = if system.is_up_to_symmetry() { Rotations::bytes(system.space.size(), system.size()) } else { 0 };
        system.size() * (8 + 1 + 1) + classes
    }

    /// The same from all nodes of another survey of the same algorithm, with finer classes.
    pub(super) fn on(self, other: &Survey) -> (Time, Expected) {
        let (coarse, fine) = (&self.survey.system, &other.system);
        let mut digits = [0; MOST_AGENTS];
        let class: Vec<u32> = match (self.survey.merged(), other.merged()) {
            (Some(coarse), Some(fine)) => coarse.lower(&fine.partition.of),
            _ => (0..fine.space.radix).collect(),
        };
        let value = |node: u32| {
            fine.space.decode(fine.configuration(node), &mut digits);
            let digits = &mut digits[..fine.space.agents];
            digits.iter_mut().for_each(|digit| *digit = class[*digit as usize]);
            self.solution.value(coarse.node(coarse.space.encode(digits)).0)
        };
        (self.time, Expected::guess((0..fine.size() as u32).map(value)))
    }
}
