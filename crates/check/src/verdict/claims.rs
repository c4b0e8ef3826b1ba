//! Claims besides the promise: closed sets, sets that every execution reaches, and conditions that recur.

use super::liveness::Found;
use super::reaching::{Goal, Inquiry};
use crate::Stop;
use crate::expectation::Successors;
use crate::question::{Claimed, Condition, Question};
use crate::report::{ClaimReport, Counterexample, Reaching, Report};
use crate::search::{leaves, reachable};
use crate::space::{Bits, Markov, Reversible, StateGraph as _};
use crate::witness::Scene;

/// Whether some claim is about a set that executions must reach.
pub(super) fn seeks(question: &Question) -> bool {
    question.claims.iter().any(|claim| matches!(claim.claimed, Claimed::Eventually(_)))
}

impl<G: Reversible> Inquiry<'_, G> {
    /// Checks every claim, for the executions that the scheduler allows.
    pub(super) fn judge(&self, sets: [&Bits; 2], report: &mut Report) -> Result<(), Stop> {
        let Inquiry { scene, question, monitor, .. } = *self;
        if question.only_claims {
            (report.holds, report.counterexample) = (true, None);
        }
        for claim in &question.claims {
            let plain = |configurations, counterexample| Found { configurations, counterexample, service: None };
            let found = match &claim.claimed {
                Claimed::Invariant(holds) => {
                    let shows = format!("a step leads out of {}", claim.name);
                    let step = leaves(scene.graph, &self.meeting(holds)?, monitor)?;
                    plain(self.counted(holds), step.map(|step| scene.run(shows, &vec![step], &vec![], None)))
                }
                // An execution may start in every configuration.
                Claimed::Always(holds) => {
                    let set = self.meeting(holds)?;
                    let shows = format!("a configuration is outside of {}", claim.name);
                    let mut nodes = 0..scene.graph.size() as u32;
                    let outside = nodes.find(|&node| scene.possible(node) && !set.contains(node));
                    plain(self.counted(holds), outside.map(|node| scene.ending(node, shows)))
                }
                Claimed::Eventually(holds) => {
                    let (set, lead) = self.settled(holds)?;
                    let lead = lead.as_ref().map(|[starts, before]| [starts, before]);
                    let scene = &Scene { lead: lead.or(scene.lead), nodes: scene.nodes, ..*scene };
                    let run = Inquiry { scene, ..*self }.avoiding(&set)?;
                    let shows = format!("a run never reaches {}", claim.name);
                    plain(self.counted(holds), run.map(|run| Counterexample { shows, ..run }))
                }
                Claimed::Recurring(each) => self.recurs(sets, (&claim.name, each), report)?,
                Claimed::Response(first, then) => self.responds((&claim.name, first, then))?,
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

    /// Fills in the numbers of the sets of `eventually` claims where a daemon chooses.
    pub(super) fn measure(&self, report: &mut Report) -> Result<(), Stop> {
        self.each_set(report, |goal| self.by_daemon(goal))
    }

    /// Fills in the same numbers of a Markov chain.
    pub(super) fn measure_chances(&self, successors: &Successors<'_>, report: &mut Report) -> Result<(), Stop>
    where
        G: Markov,
    {
        self.each_set(report, |goal| self.by_chance(successors, goal))
    }

    fn each_set(&self, report: &mut Report, numbers: impl Fn(&Goal<'_>) -> Result<Reaching, Stop>) -> Result<(), Stop> {
        for (claim, found) in self.question.claims.iter().zip(&mut report.claims) {
            let Claimed::Eventually(holds) = &claim.claimed else { continue };
            let (set, _) = self.settled(holds)?;
            let mut reaching = numbers(&Goal { set: &set, reached: found.holds })?;
            let shows = format!("the daemon delays {} as long as it wants, but not for ever", claim.name);
            reaching.delay = reaching.delay.map(|run| Counterexample { shows, ..run });
            found.reaching = (reaching != Reaching::default()).then_some(reaching);
        }
        Ok(())
    }

    /// The nodes that a claimed set leaves: an execution that reaches one of the others has reached the set, or never will be
    /// there before it. Returns the others, and with given starts the nodes before the set and the starts among them.
    fn settled(&self, holds: &Condition) -> Result<(Bits, Option<[Bits; 2]>), Stop> {
        let (scene, set) = (self.scene, self.meeting(holds)?);
        let size = scene.graph.size();
        let Some([starts, _]) = scene.lead else {
            return Ok((Bits::of(size, |node| set.contains(node) || !scene.possible(node)), None));
        };
        let outside = Bits::of(size, |node| starts.contains(node) && !set.contains(node));
        let before = reachable(scene.graph, &outside, Some(&set), self.monitor)?;
        Ok((before.complement(), Some([outside, before])))
    }

    /// The nodes whose configurations meet a claim.
    fn meeting(&self, holds: &Condition) -> Result<Bits, Stop> {
        let (scene, monitor) = (self.scene, self.monitor);
        let size = scene.graph.size();
        monitor.enter("configurations that meet the claim", Some(size));
        let set = Bits::new(size);
        let look = |node: u32| {
            if scene.possible(node) && holds(&scene.states(node)) {
                set.insert(node);
            }
        };
        monitor.each(size, 1 << 14, look)?;
        Ok(set)
    }

    /// The number of configurations that meet a claim, regardless of tokens or inputs.
    fn counted(&self, holds: &Condition) -> u64 {
        let survey = self.scene.survey;
        let system = &survey.system;
        let states = |base: u32| survey.lift(system.space.digits(system.configuration(base)));
        let meets = |base: &u32| survey.possible(*base) && holds(&states(*base));
        (0..system.size() as u32).filter(meets).map(|base| system.members(base)).sum()
    }
}
