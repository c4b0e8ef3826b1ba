//! Loose stabilization: the time until one leader, and how long it stays.

use crate::kernel::arcs::{Arcs, Arena};
use crate::kernel::{ByRule, End, Interactions, Kernel, Policy, ProcessSteps, Progress, Watched, meet, reach};
use crate::{ElectionSeries, Generator, Limits, StabilizingInstance, Start, StartError};
use ringleader_erased::{Number, PopulationInstance, RingInstance};
use ringleader_model::{Goal, Scheduler, Stabilizing};
use std::sync::atomic::Ordering::Relaxed;

/// The usual limit of a run: the leader may stay longer than any simulation lasts.
pub const USUALLY_WATCHED: u64 = 20_000_000;

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The number of steps until the configuration was safe, with an error of at most one step per agent.
    pub reached: Option<u64>,
    /// The number of steps after that in which no output changed.
    pub held: u64,
    /// Whether an output changed then; if not, the limit ended the run.
    pub lost: bool,
}

/// Runs a kernel until its configuration is safe, judged every `stretch` steps, and then until `lost` ends the run, within the step
/// limit; `None` if it was stopped.
fn hold<K: Kernel>(
    mut kernel: K,
    stretch: u64,
    limits: Limits<'_>,
    safe: impl Fn(&K) -> bool,
    lost: impl Fn(&mut K) -> End,
) -> Option<Held> {
    while !safe(&kernel) {
        if limits.stop.load(Relaxed) {
            return None;
        }
        if kernel.progress().steps >= limits.steps {
            return Some(Held { reached: None, held: 0, lost: false });
        }
        kernel.advance(stretch);
    }
    let reached = kernel.progress().steps;
    let (until, lost) = match lost(&mut kernel) {
        End::Reached(steps) => (steps, true),
        End::Limit(steps) | End::Stuck(steps) => (steps, false),
        End::Interrupted => return None,
    };
    Some(Held { reached: Some(reached), held: until - reached, lost })
}

/// Until the output of an agent changes. The leader detector is perfect.
fn hold_population(
    protocol: &PopulationInstance,
    arena: &Arena,
    start: &[Number],
    limits: Limits<'_>,
    coin: Generator,
) -> Option<Held> {
    let (cells, stretch) = (ByRule::new(protocol, start), arena.agents().clamp(1, 1 << 16) as u64);
    let kernel = Interactions::new(cells, arena.clone(), Progress::new(coin), Policy::Step);
    let lost = |kernel: &mut Interactions<ByRule, Arena>| {
        let reached = kernel.progress().steps;
        let limit = reached + limits.steps.saturating_sub(reached).next_multiple_of(stretch);
        let goal = |kernel: &Interactions<ByRule, Arena>| kernel.progress().last_output_change > reached;
        reach(kernel, &Watched { goal: &goal, still: None }, limit, limits.stop)
    };
    let one_leader = protocol.goal() == Goal::OneLeader;
    let safe = |kernel: &Interactions<_, _>| (!one_leader || kernel.progress().leaders == 1) && kernel.safe();
    hold(kernel, stretch, limits, safe, lost)
}

/// Until the goal is no longer met: the token may move.
fn hold_ring(
    algorithm: &RingInstance,
    start: &[Number],
    scheduler: Scheduler,
    limits: Limits<'_>,
    coin: Generator,
) -> Option<Held> {
    let kernel = ProcessSteps::new(algorithm, start, scheduler, Progress::new(coin));
    let goal = |kernel: &ProcessSteps| !algorithm.correct(&kernel.configuration());
    let lost =
        |kernel: &mut ProcessSteps| meet(kernel, &Watched { goal: &goal, still: None }, limits.steps, limits.stop);
    hold(kernel, 1, limits, ProcessSteps::safe, lost)
}

/// A loosely stabilizing algorithm and its surroundings.
#[derive(Clone, Copy, Debug)]
pub enum LooseSystem<'a> {
    /// A population protocol on its graph.
    Population(&'a PopulationInstance, &'a Arena),
    /// A ring or a line of processes under its scheduler.
    Ring(&'a RingInstance, Scheduler),
}

impl LooseSystem<'_> {
    /// All runs of a series, in the order of their numbers; `each` is called on this thread as they end. A run that was stopped is missing.
    ///
    /// ```
    /// use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
    /// use ringleader_erased::PopulationInstance;
    /// use ringleader_model::Shape;
    /// use ringleader_simulate::{Arena, ElectionSeries, Limits, LooseSystem, Start};
    /// use std::sync::atomic::AtomicBool;
    ///
    /// let (protocol, arena) = (PopulationInstance::new(FischerJiangComplete)?, Arena::shaped(Shape::Complete, 4)?);
    /// let (series, limits) = (ElectionSeries::new(1, 4, 3), Limits { steps: 10_000, stop: &AtomicBool::new(false) });
    /// let runs = LooseSystem::Population(&protocol, &arena).hold_all(&series, &Start::AllLeaders, limits, |_, _| ())?;
    /// assert!(runs.iter().all(|(_, run)| run.reached.is_some() && !run.lost), "what is safe for ever is not lost");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hold_all(
        &self,
        series: &ElectionSeries,
        start: &Start,
        limits: Limits<'_>,
        mut each: impl FnMut(u64, Held),
    ) -> Result<Vec<(u64, Held)>, StartError> {
        let algorithm: &dyn StabilizingInstance = match self {
            LooseSystem::Population(protocol, _) => *protocol,
            LooseSystem::Ring(algorithm, _) => *algorithm,
        };
        start.states(algorithm, series.size, &mut series.generator(0))?;
        let watch = |mut coin: Generator| {
            let states = start.states(algorithm, series.size, &mut coin).ok()?;
            match self {
                LooseSystem::Population(protocol, arena) => hold_population(protocol, arena, &states, limits, coin),
                LooseSystem::Ring(algorithm, scheduler) => hold_ring(algorithm, &states, *scheduler, limits, coin),
            }
        };
        let mut found = vec![];
        series.hold([], limits.stop, watch, |run, held| {
            if let Some(held) = held {
                each(run, held);
                found.push((run, held));
            }
            true
        });
        found.sort_unstable_by_key(|(run, _)| *run);
        Ok(found)
    }
}
