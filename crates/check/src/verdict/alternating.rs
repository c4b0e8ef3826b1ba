//! All alternating schedules.

use super::claims::judge;
use super::reaching::Inquiry;
use super::shared::{Executions, begin, runs, transitions};
use super::{against, horizon};
use crate::decision::{self, Choices};
use crate::report::Report;
use crate::schedule::Alternating;
use crate::search::really_safe;
use crate::space::{Bits, Markov as _, StateGraph as _};
use crate::survey::reachable;
use crate::witness::{Nodes, Scene};
use crate::{Monitor, Question, Stop, Survey, Uncheckable};

/// Checks all alternating schedules at once, in the product with the tokens.
pub(super) fn check(survey: &Survey, question: &Question, monitor: &Monitor) -> Result<Report, Stop> {
    let system = &survey.system;
    let product = Alternating::new(system).ok_or(Uncheckable::TooManyTokens)?;
    let every = |bases: &Bits| {
        let nodes = Bits::new(product.size());
        for base in bases.iter() {
            product.orientations().for_each(|turns| assert!(nodes.insert(product.node(base, turns))));
        }
        nodes
    };
    // The tokens of a start may have any position.
    let starts = survey.starts.as_ref().map(every);
    let reached = starts.as_ref().map(|starts| reachable(&product, starts, monitor)).transpose()?;
    if let Some(reached) = &reached {
        let bases = Bits::new(system.size());
        reached.iter().for_each(|node| {
            bases.insert(product.base(node));
        });
        survey.restrict_to(&bases, question)?;
    }
    let within = |node: u32| reached.as_ref().is_none_or(|reached| reached.contains(node));
    let safe = really_safe(&product, |node, turn| survey.label(product.base(node), turn), monitor)?;
    let own = if survey.names_safe { every(&survey.own_safe) } else { safe.clone() };
    // A configuration counts as really safe if it is safe for every orientation of the tokens.
    let unsafe_at = |node: u32| within(node) && !safe.contains(node);
    let whatever = |base: &u32| !product.orientations().any(|turns| unsafe_at(product.node(*base, turns)));
    let possible = |base: &u32| survey.possible(*base);
    let really = (0..system.size() as u32).filter(possible).filter(whatever).map(|base| system.members(base)).sum();
    let scene = Scene::from_starts(survey, &product, Nodes::Tokens(&product), starts.as_ref().zip(reached.as_ref()));
    let unreached = |set: &Bits, change: fn(&Bits, u32) -> bool| {
        reached.iter().flat_map(Bits::missing).for_each(|node| {
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
    match &reached {
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
            report.positions = product.count();
        }
    }
    if decision::applies(system, question) {
        let choices = Choices::one_at_a_time(&product, system, question.memory, monitor)?;
        return against::check(&scene, &choices, None, [&safe, &own], question, report, monitor);
    }
    if !question.only_claims {
        runs(&scene, [&safe, &own], &mut report, monitor)?;
    }
    judge(&scene, &Executions::Daemon, [&safe, &own], question, &mut report, monitor)?;
    if !question.only_claims {
        horizon::by_daemon(&scene, &safe, question, &mut report, monitor)?;
    }
    Inquiry { scene: &scene, question, monitor }.measure(&Executions::Daemon, &mut report)?;
    Ok(report)
}
