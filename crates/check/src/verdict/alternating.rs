//! All alternating schedules.

use super::reaching::Inquiry;
use super::shared::{Executions, begin, transitions};
use crate::decision::{self, Choices};
use crate::report::Report;
use crate::schedule::Alternating;
use crate::search::really_safe;
use crate::space::{Bits, Markov as _, StateGraph as _};
use crate::witness::{Nodes, Scene};
use crate::{Monitor, Question, Stop, Survey, Uncheckable};

/// Checks all alternating schedules at once, in the product with the tokens.
pub(super) fn check(survey: &Survey, question: &Question, monitor: &Monitor) -> Result<Report, Stop> {
    let system = &survey.system;
    let product = Alternating::new(system).ok_or(Uncheckable::TooManyTokens)?;
    let begun = survey.restrict_with_turns(&product, question, monitor)?;
    let reached = begun.as_ref().map(|[_, reached]| reached);
    let within = |node: u32| reached.is_none_or(|reached| reached.contains(node));
    let safe = really_safe(&product, |node, turn| survey.label(product.base(node), turn), monitor)?;
    let own = if survey.names_safe { product.every(&survey.own_safe) } else { safe.clone() };
    // A configuration counts as really safe if it is safe for every orientation of the tokens.
    let unsafe_at = |node: u32| within(node) && !safe.contains(node);
    let whatever = |base: &u32| !product.orientations().any(|turns| unsafe_at(product.node(*base, turns)));
    let possible = |base: &u32| survey.possible(*base);
    let really = (0..system.size() as u32).filter(possible).filter(whatever).map(|base| system.members(base)).sum();
    let scene = Scene::from_starts(survey, &product, Nodes::Tokens(&product), begun.as_ref());
    let unreached = |set: &Bits, change: fn(&Bits, u32) -> bool| {
        reached.into_iter().flat_map(Bits::missing).for_each(|node| {
            change(set, node);
        });
    };
    unreached(&own, Bits::remove);
    let mut report = begin(&scene, &own, &safe, really, monitor)?;
    for set in [&safe, &own] {
        survey.dismiss(set, |base, visit| {
            product.orientations().for_each(|turns| visit(product.node(base, turns)));
        });
        unreached(set, Bits::insert);
    }
    match reached {
        None => {
            report.product_states = Some(report.configurations * product.count());
            report.transitions = transitions(survey, monitor, |edge| product.chances(edge.site as usize))?;
        }
        Some(reached) => {
            report.product_states = Some(reached.iter().map(|node| scene.members(node)).sum());
            report.transitions = 0;
            for node in reached.iter() {
                product.successors(node, |_| report.transitions += scene.members(node));
            }
        }
    }
    let count = report.beginnings() * product.count();
    let inquiry = Inquiry { scene: &scene, executions: Executions::Daemon, question, monitor, count };
    if decision::applies(system, question) {
        let choices = Choices::one_at_a_time(&product, system, question.memory, monitor)?;
        return inquiry.check_coins(&choices, None, [&safe, &own], report);
    }
    if !question.only_claims {
        inquiry.runs([&safe, &own], &mut report)?;
    }
    inquiry.judge([&safe, &own], &mut report)?;
    if !question.only_claims {
        inquiry.within_by_daemon(&safe, &mut report)?;
    }
    inquiry.measure(&mut report)?;
    Ok(report)
}
