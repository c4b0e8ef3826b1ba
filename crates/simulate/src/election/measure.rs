//! From a start to the goal, and again after every fault.

use crate::Generator;
use crate::election::{Election, Faults, Limits};
use crate::kernel::{End, Kernel, Progress, Watched, meet, reach};
use crate::stabilizing::StabilizingInstance;
use ringleader_erased::Number;
use ringleader_model::{Goal, Safety};

/// A quick necessary condition of the goal: one leader, where the algorithm promises one.
pub(super) fn possible(algorithm: &dyn StabilizingInstance, progress: &Progress) -> bool {
    algorithm.goal() != Goal::OneLeader || progress.leaders == 1
}

pub(super) fn measure<K: Kernel>(
    algorithm: &dyn StabilizingInstance,
    mut kernel: K,
    watched: &Watched<'_, K>,
    faults: Faults,
    limits: Limits<'_>,
) -> Election {
    // Without a safe set the goal may be lost again: the run is measured until it is first met.
    let until = if algorithm.safety() == Safety::Unknown { meet } else { reach };
    let mut end = until(&mut kernel, watched, limits.steps, limits.stop);
    let (last_output_change, counted) = (kernel.progress().last_output_change, kernel.counted());
    let (mut recoveries, mut unhealed) = (vec![], None);
    if !matches!(end, End::Reached(_)) {
        return Election { end, last_output_change, counted, recoveries, unhealed };
    }
    // The faults have a generator of their own: a run does not depend on later faults.
    let mut coin = Generator::stream(kernel.progress().coin.clone().word(), 1);
    for _ in 0..faults.times {
        let wait = coin.between(faults.after.0, faults.after.1);
        kernel.run_to(kernel.progress().steps.saturating_add(wait));
        let hit = some_of(kernel.agents() as u64, faults.agents as u64, &mut coin);
        let hit: Vec<_> = hit.into_iter().map(|agent| (agent, algorithm.arbitrary(agent, &mut coin))).collect();
        kernel.corrupt(&hit);
        kernel.corrupt(&undone(algorithm, &kernel));
        let from = kernel.progress().steps;
        match until(&mut kernel, watched, limits.steps.saturating_add(from), limits.stop) {
            End::Reached(steps) => recoveries.push(steps - from),
            End::Limit(steps) | End::Stuck(steps) => {
                unhealed = Some(steps - from);
                break;
            }
            End::Interrupted => {
                end = End::Interrupted;
                break;
            }
        }
    }
    Election { end, last_output_change, counted, recoveries, unhealed }
}

/// The agents whose fixed variables the fault changed, with their restored states.
fn undone<K: Kernel>(algorithm: &dyn StabilizingInstance, kernel: &K) -> Vec<(usize, Number)> {
    let faulty = kernel.configuration();
    let mut right = faulty.clone();
    algorithm.restore(&mut right);
    let changed = right.into_iter().zip(faulty).enumerate().filter(|(_, (right, faulty))| right != faulty);
    changed.map(|(agent, (right, _))| (agent, right)).collect()
}

/// `count` different agents of `n`, every set equally likely (Floyd's algorithm).
fn some_of(n: u64, count: u64, coin: &mut Generator) -> Vec<usize> {
    let mut chosen = std::collections::BTreeSet::new();
    for last in n - count.min(n)..n {
        let agent = coin.between(0, last);
        let agent = if chosen.contains(&agent) { last } else { agent };
        chosen.insert(agent);
    }
    chosen.into_iter().map(|agent| agent as usize).collect()
}
