//! Claims besides the promise: closed sets, and sets that every execution reaches.

use crate::question::{Claim, Promise, Question};
use crate::report::{ClaimReport, Counterexample, Report};
use crate::search::{can_reach, leaves, longest};
use crate::space::{Bits, Reversible, StateGraph};
use crate::witness::Scene;
use crate::{Monitor, Stop};
use std::ops::Range;

/// Finds an execution that never reaches a set.
pub(super) type Never<'a> = &'a mut dyn FnMut(&Bits) -> Result<Option<Counterexample>, Stop>;

/// Checks every claim. `never` searches the executions that the scheduler allows.
pub(super) fn judge<G: StateGraph>(
    scene: &Scene<'_, G>,
    question: &Question,
    report: &mut Report,
    monitor: &Monitor,
    never: Never<'_>,
) -> Result<(), Stop> {
    if question.only_claims {
        (report.holds, report.counterexample) = (true, None);
    }
    for claim in &question.claims {
        let set = members(scene, claim, monitor)?;
        let counterexample = match claim.promise {
            Promise::Invariant => leaves(scene.graph, &set, monitor)?
                .map(|step| scene.run(format!("a step leads out of {}", claim.name), &vec![step], &vec![], None)),
            Promise::Eventually => {
                let impossible = |node: &u32| !scene.survey.possible(scene.base(*node));
                (0..scene.graph.size() as u32).filter(impossible).for_each(|node| assert!(set.insert(node)));
                let shows = format!("a run never reaches {}", claim.name);
                never(&set)?.map(|run| Counterexample { shows, ..run })
            }
        };
        let holds = counterexample.is_none();
        monitor.find(format!("{} {}", claim.name, if holds { "holds" } else { "fails" }));
        report.holds &= holds;
        report.counterexample = report.counterexample.take().or_else(|| counterexample.clone());
        report.claims.push(ClaimReport {
            name: claim.name.clone(),
            promise: claim.promise,
            configurations: count(scene, claim),
            counterexample,
        });
    }
    Ok(())
}

/// The nodes whose configurations meet a claim.
fn members<G: StateGraph>(scene: &Scene<'_, G>, claim: &Claim, monitor: &Monitor) -> Result<Bits, Stop> {
    let size = scene.graph.size();
    monitor.enter("configurations that meet the claim", Some(size));
    let set = Bits::new(size);
    let look = |_: &mut (), range: Range<u64>| {
        for node in range.map(|node| node as u32) {
            if scene.survey.possible(scene.base(node)) && (claim.holds)(&scene.digits(node)) {
                set.insert(node);
            }
        }
    };
    monitor.blocks(size, 1 << 14, look, || ())?;
    Ok(set)
}

/// The number of configurations that meet a claim, regardless of tokens or inputs.
fn count<G: StateGraph>(scene: &Scene<'_, G>, claim: &Claim) -> u64 {
    let system = &scene.survey.system;
    let digits = |base: u32| system.space().digits(system.configuration(base));
    let meets = |base: &u32| scene.survey.possible(*base) && (claim.holds)(&digits(*base));
    (0..system.size() as u32).filter(meets).count() as u64
}

/// An execution that an adversarial scheduler keeps outside a set.
pub(super) fn kept_away<G: StateGraph>(
    scene: &Scene<'_, G>,
    target: &Bits,
    monitor: &Monitor,
) -> Result<Option<Counterexample>, Stop> {
    scene.avoiding(&longest(scene.graph, target, |node| scene.members(node), monitor)?, target, monitor)
}

/// An execution that reaches a configuration from which the set is unreachable.
pub(super) fn cut_off<G: Reversible>(
    scene: &Scene<'_, G>,
    target: &Bits,
    monitor: &Monitor,
) -> Result<Option<Counterexample>, Stop> {
    scene.trap(&can_reach(scene.graph, target, monitor)?, monitor)
}
