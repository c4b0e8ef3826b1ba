//! Daemons under which several processes step at once.

use super::claims::{cut_off, judge, kept_away};
use super::shared::{begin, reach, reach_own, runs};
use crate::expectation::{self, Successors};
use crate::report::Report;
use crate::schedule::{Daemon, Together};
use crate::search::really_safe;
use crate::space::{Bits, StateGraph as _};
use crate::witness::{Nodes, Scene};
use crate::{Monitor, Question, Stop, Survey};

/// Checks under such a daemon.
///
/// With coins the synchronous daemon makes a Markov chain: nothing is scheduled, and the set is reached with
/// probability 1 or not. If the scheduler chooses between rules or chooses the processes, every outcome is possible,
/// including every outcome of the coins.
pub(super) fn check(survey: &Survey, daemon: Daemon, question: &Question, monitor: &Monitor) -> Result<Report, Stop> {
    let graph = Together::new(&survey.system, daemon, question.memory, monitor)?;
    let safe = really_safe(&graph, |node, turn| survey.label(node, turn), monitor)?;
    let scene = Scene { survey, graph: &graph, nodes: Nodes::Together(&graph) };
    let own = survey.own(&safe);
    let mut report = begin(&scene, &own, &safe, safe.count(), monitor)?;
    report.transitions = (0..graph.size() as u32).filter(|&node| survey.possible(node)).fold(0, |mut sum, node| {
        graph.successors(node, |e| sum += u64::from(daemon == Daemon::Synchronous || e.moves(node)));
        sum
    });
    [&safe, &own].into_iter().for_each(|set| survey.dismiss(set, |c, visit| visit(c)));
    report.almost_surely = graph.is_markov();
    let mut never =
        |set: &Bits| if graph.is_markov() { cut_off(&scene, set, monitor) } else { kept_away(&scene, set, monitor) };
    if question.only_claims {
        judge(&scene, question, &mut report, monitor, &mut never)?;
        return Ok(report);
    }
    if !graph.is_markov() {
        runs(&scene, [&safe, &own], &mut report, monitor)?;
        judge(&scene, question, &mut report, monitor, &mut never)?;
        return Ok(report);
    }
    let converges = reach(&scene, &safe, &mut report, monitor)?;
    if converges {
        reach_own(&scene, &own, &mut report, monitor)?;
    }
    // Claims come first, so that the verdict is available before the numbers.
    judge(&scene, question, &mut report, monitor, &mut never)?;
    if converges {
        let start = |node: u32| scene.digits(node);
        expectation::expected(&graph, &Successors::Single, [&safe, &own], start, question, &mut report, monitor)?;
    }
    Ok(report)
}
