//! All alternating schedules.

use super::claims::{judge, measure};
use super::shared::{Executions, begin, runs, transitions};
use super::{against, horizon};
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
    let safe = really_safe(&product, |node, turn| survey.label(product.base(node), turn), monitor)?;
    let own = if survey.names_safe { Bits::new(product.size()) } else { safe.clone() };
    for base in survey.own_safe.iter().filter(|_| survey.names_safe) {
        product.orientations().for_each(|turns| assert!(own.insert(product.node(base, turns))));
    }
    // A configuration counts as really safe if it is safe for every orientation of the tokens.
    let whatever = |base: &u32| product.orientations().all(|turns| safe.contains(product.node(*base, turns)));
    let really = (0..system.size() as u32).filter(whatever).map(|base| system.members(base)).sum();
    let scene = Scene::new(survey, &product, Nodes::Tokens(&product));
    let mut report = begin(&scene, &own, &safe, really, monitor)?;
    for set in [&safe, &own] {
        survey.dismiss(set, |base, visit| {
            product.orientations().for_each(|turns| visit(product.node(base, turns)));
        });
    }
    report.product_states = Some(report.configurations * product.count());
    report.transitions = transitions(survey, monitor, |_, edge| product.chances(edge.site as usize))?;
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
    measure(&scene, &Executions::Daemon, question, &mut report, monitor)?;
    Ok(report)
}
