//! From a start to the goal, and again after every fault.

use crate::Generator;
use crate::election::{Election, Faults, Limits};
use crate::kernel::{End, Kernel, Progress, Watched, meet, reach};
use crate::start::Instance;
use ringleader_erased::Number;
use ringleader_model::{Goal, Safety};

/// What every configuration of the goal passes: one leader, where that is what the algorithm promises.
pub(super) fn possible(algorithm: &dyn Instance, progress: &Progress) -> bool {
    algorithm.promises().0 != Goal::OneLeader || progress.leaders == 1
}

pub(super) fn measure<K: Kernel>(
    algorithm: &dyn Instance,
    mut kernel: K,
    watched: &Watched<'_, K>,
    faults: Faults,
    limits: Limits<'_>,
) -> Election {
    // Where nobody says what is safe, the goal may be lost again: what is measured is when it is met first.
    let until = if algorithm.promises().1 == Safety::Unknown { meet } else { reach };
    let mut end = until(&mut kernel, watched, limits.steps, limits.stop);
    let last_output_change = kernel.progress().last_output_change;
    let (mut recoveries, mut unhealed) = (vec![], None);
    if !matches!(end, End::Reached(_)) {
        return Election { end, last_output_change, recoveries, unhealed };
    }
    // The faults have a generator of their own: a run does not depend on what hits it later.
    let mut coin = Generator::stream(kernel.progress().coin.clone().word(), 1);
    for _ in 0..faults.times {
        let wait = coin.between(faults.after.0, faults.after.1);
        kernel.run_to(kernel.progress().steps.saturating_add(wait));
        let hit = some_of(kernel.agents() as u64, faults.agents as u64, &mut coin);
        let hit: Vec<_> = hit.into_iter().map(|agent| (agent, algorithm.arbitrary(&mut coin))).collect();
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
    Election { end, last_output_change, recoveries, unhealed }
}

/// What no fault can change and this one did, put back.
fn undone<K: Kernel>(algorithm: &dyn Instance, kernel: &K) -> Vec<(usize, Number)> {
    let faulty = kernel.configuration();
    let mut right = faulty.clone();
    algorithm.put_back(&mut right);
    let changed = right.into_iter().zip(faulty).enumerate().filter(|(_, (right, faulty))| right != faulty);
    changed.map(|(agent, (right, _))| (agent, right)).collect()
}

/// `count` different agents of `n`, each set as likely (Floyd's algorithm).
fn some_of(n: u64, count: u64, coin: &mut Generator) -> Vec<usize> {
    let mut chosen = std::collections::BTreeSet::new();
    for last in n - count.min(n)..n {
        let agent = coin.between(0, last);
        let agent = if chosen.contains(&agent) { last } else { agent };
        chosen.insert(agent);
    }
    chosen.into_iter().map(|agent| agent as usize).collect()
}
