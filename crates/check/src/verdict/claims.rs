//! Claims besides the promise: closed sets, sets that every execution reaches, and conditions that recur.

use super::liveness::{Found, recurs, responds};
use super::reaching::{Goal, Inquiry};
use super::shared::Executions;
use crate::expectation::Successors;
use crate::question::{Claimed, Condition, Question};
use crate::report::{ClaimReport, Counterexample, Reaching, Report};
use crate::search::{leaves, reachable};
use crate::space::{Bits, Markov, Reversible, StateGraph};
use crate::witness::Scene;
use crate::{Monitor, Stop};
use std::ops::Range;

/// Checks every claim, for the executions that the scheduler allows.
pub(super) fn judge<G: Reversible>(
    scene: &Scene<'_, G>,
    executions: &Executions<'_>,
    sets: [&Bits; 2],
    question: &Question,
    report: &mut Report,
    monitor: &Monitor,
) -> Result<(), Stop> {
    if question.only_claims {
        (report.holds, report.counterexample) = (true, None);
    }
    for claim in &question.claims {
        let plain = |configurations, counterexample| Found { configurations, counterexample, service: None };
        let found = match &claim.claimed {
            Claimed::Invariant(holds) => {
                let shows = format!("a step leads out of {}", claim.name);
                let step = leaves(scene.graph, &members(scene, holds, monitor)?, monitor)?;
                plain(count(scene, holds), step.map(|step| scene.run(shows, &vec![step], &vec![], None)))
            }
            // An execution may start in every configuration.
            Claimed::Always(holds) => {
                let set = members(scene, holds, monitor)?;
                let shows = format!("a configuration is outside of {}", claim.name);
                let mut nodes = 0..scene.graph.size() as u32;
                let outside = nodes.find(|&node| scene.possible(node) && !set.contains(node));
                plain(count(scene, holds), outside.map(|node| scene.ending(node, shows)))
            }
            Claimed::Eventually(holds) => {
                let (set, lead) = settled(scene, members(scene, holds, monitor)?, monitor)?;
                let lead = lead.as_ref().map(|[starts, before]| [starts, before]);
                let scene = &Scene { lead: lead.or(scene.lead), nodes: scene.nodes, ..*scene };
                let run = executions.avoiding(scene, &set, monitor)?;
                let shows = format!("a run never reaches {}", claim.name);
                plain(count(scene, holds), run.map(|run| Counterexample { shows, ..run }))
            }
            Claimed::Recurring(each) => {
                recurs(scene, executions, sets, (&claim.name, each), question, report, monitor)?
            }
            Claimed::Response(first, then) => {
                responds(scene, executions, (&claim.name, first, then), question, monitor)?
            }
        };
        let Found { configurations, counterexample, service } = found;
        let holds = counterexample.is_none();
        monitor.find(format!("{} {}", claim.name, if holds { "holds" } else { "fails" }));
        report.holds &= holds;
        report.counterexample = report.counterexample.take().or_else(|| counterexample.clone());
        let (name, promise) = (claim.name.clone(), claim.claimed.promise());
        let reaching = None;
        report.claims.push(ClaimReport { name, promise, configurations, holds, counterexample, service, reaching });
    }
    Ok(())
}

/// The nodes that a claimed set leaves: an execution that reaches one of the others has reached the set, or never will be
/// there before it. Returns the others, and with given starts the nodes before the set and the starts among them.
fn settled<G: StateGraph>(
    scene: &Scene<'_, G>,
    set: Bits,
    monitor: &Monitor,
) -> Result<(Bits, Option<[Bits; 2]>), Stop> {
    let size = scene.graph.size();
    let Some([starts, _]) = scene.lead else {
        let impossible = |node: &u32| !scene.possible(*node);
        (0..size as u32).filter(impossible).for_each(|node| assert!(set.insert(node)));
        return Ok((set, None));
    };
    let (outside, others) = (Bits::new(size), Bits::new(size));
    starts.iter().filter(|node| !set.contains(*node)).for_each(|node| assert!(outside.insert(node)));
    let before = reachable(scene.graph, outside.iter().collect(), &set, monitor)?;
    before.missing().for_each(|node| assert!(others.insert(node)));
    Ok((others, Some([outside, before])))
}

/// Whether some claim is about a set that executions must reach.
pub(super) fn seeks(question: &Question) -> bool {
    question.claims.iter().any(|claim| matches!(claim.claimed, Claimed::Eventually(_)))
}

/// Whether and when the sets of `eventually` claims are reached.
impl<G: Reversible> Inquiry<'_, G> {
    /// Fills in the numbers where a daemon chooses.
    pub(super) fn measure(&self, executions: &Executions<'_>, report: &mut Report) -> Result<(), Stop> {
        self.each_set(report, |goal, count| self.by_daemon(executions, goal, count))
    }

    /// Fills in the numbers of a Markov chain.
    pub(super) fn measure_chances(&self, successors: &Successors<'_>, report: &mut Report) -> Result<(), Stop>
    where
        G: Markov,
    {
        self.each_set(report, |goal, count| self.by_chance(successors, goal, count))
    }

    fn each_set(
        &self,
        report: &mut Report,
        numbers: impl Fn(&Goal<'_>, u64) -> Result<Reaching, Stop>,
    ) -> Result<(), Stop> {
        let (scene, monitor, count) = (self.scene, self.monitor, report.beginnings());
        for (claim, found) in self.question.claims.iter().zip(&mut report.claims) {
            let Claimed::Eventually(holds) = &claim.claimed else { continue };
            let (set, _) = settled(scene, members(scene, holds, monitor)?, monitor)?;
            let mut reaching = numbers(&Goal { set: &set, reached: found.holds }, count)?;
            let shows = format!("the daemon delays {} as long as it wants, but not for ever", claim.name);
            reaching.delay = reaching.delay.map(|run| Counterexample { shows, ..run });
            found.reaching = (reaching != Reaching::default()).then_some(reaching);
        }
        Ok(())
    }
}

/// The nodes whose configurations meet a claim.
fn members<G: StateGraph>(scene: &Scene<'_, G>, holds: &Condition, monitor: &Monitor) -> Result<Bits, Stop> {
    let size = scene.graph.size();
    monitor.enter("configurations that meet the claim", Some(size));
    let set = Bits::new(size);
    let look = |_: &mut (), range: Range<u64>| {
        for node in range.map(|node| node as u32) {
            if scene.possible(node) && holds(&scene.states(node)) {
                set.insert(node);
            }
        }
    };
    monitor.blocks(size, 1 << 14, look, || ())?;
    Ok(set)
}

/// The number of configurations that meet a claim, regardless of tokens or inputs.
fn count<G: StateGraph>(scene: &Scene<'_, G>, holds: &Condition) -> u64 {
    let system = &scene.survey.system;
    let states = |base: u32| scene.survey.lift(system.space().digits(system.configuration(base)));
    let meets = |base: &u32| scene.survey.possible(*base) && holds(&states(*base));
    (0..system.size() as u32).filter(meets).map(|base| system.members(base)).sum()
}
