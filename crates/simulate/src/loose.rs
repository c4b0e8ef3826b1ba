//! Loose stabilization: the time until one leader, and how long it stays.

use crate::kernel::arcs::{Arcs, Arena};
use crate::kernel::{Kernel, ProcessSteps, Progress};
use crate::{ElectionSeries, Generator, Limits, StabilizingInstance, Start, StartError};
use ringleader_erased::{Number, PopulationInstance, RingInstance};
use ringleader_model::{Scheduler, Stabilizing, Told};
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

/// Runs a population until its configuration is safe, and then until an output changes, within the step limit;
/// `None` if it was stopped. The leader detector is perfect.
///
/// ```
/// use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
/// use ringleader_erased::{Number, PopulationInstance};
/// use ringleader_model::Shape;
/// use ringleader_simulate::{Arena, Generator, Limits, hold};
/// use std::sync::atomic::AtomicBool;
///
/// let (protocol, arena) = (PopulationInstance::new(FischerJiangComplete)?, Arena::shaped(Shape::Complete, 4)?);
/// let limits = Limits { steps: 10_000, stop: &AtomicBool::new(false) };
/// let run = hold(&protocol, &arena, &[Number(1); 4], limits, Generator::new(1)).unwrap();
/// assert!(run.reached.is_some() && !run.lost, "what is safe for ever is not lost");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn hold(
    protocol: &PopulationInstance,
    arena: &Arena,
    start: &[Number],
    limits: Limits<'_>,
    mut coin: Generator,
) -> Option<Held> {
    let (mut agents, mut tosses) = (protocol.agents(start), Generator::new(coin.word()));
    let (mut leaders, mut steps) = (agents.leaders(), 0);
    let mut arcs = vec![(0, 0); arena.agents().clamp(1, 1 << 16)];
    while leaders != 1 || !agents.safe() {
        if limits.stop.load(Relaxed) {
            return None;
        }
        if steps >= limits.steps {
            return Some(Held { reached: None, held: 0, lost: false });
        }
        arena.draw_all(&mut coin, &mut arcs);
        agents.meet_all(&arcs, &mut leaders, &mut tosses);
        steps += arcs.len() as u64;
    }
    let (reached, mut held) = (Some(steps), 0);
    while steps + held < limits.steps {
        if limits.stop.load(Relaxed) {
            return None;
        }
        arena.draw_all(&mut coin, &mut arcs);
        for &(u, v) in &arcs {
            held += 1;
            if agents.meet((u as usize, v as usize), Told::both(true), &mut tosses).loud {
                return Some(Held { reached, held, lost: true });
            }
        }
    }
    Some(Held { reached, held, lost: false })
}

/// The same for a ring or a line of processes, until the goal is no longer met: the token may move.
pub fn hold_ring(
    algorithm: &RingInstance,
    start: &[Number],
    scheduler: Scheduler,
    limits: Limits<'_>,
    coin: Generator,
) -> Option<Held> {
    let mut kernel = ProcessSteps::new(algorithm, start, scheduler, Progress::new(coin));
    while !kernel.safe() {
        if limits.stop.load(Relaxed) {
            return None;
        }
        if kernel.progress().steps >= limits.steps {
            return Some(Held { reached: None, held: 0, lost: false });
        }
        kernel.advance(1);
    }
    let reached = kernel.progress().steps;
    while kernel.progress().steps < limits.steps {
        if limits.stop.load(Relaxed) {
            return None;
        }
        kernel.advance(1);
        if !algorithm.correct(&kernel.configuration()) {
            return Some(Held { reached: Some(reached), held: kernel.progress().steps - reached, lost: true });
        }
    }
    Some(Held { reached: Some(reached), held: kernel.progress().steps - reached, lost: false })
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
                LooseSystem::Population(protocol, arena) => hold(protocol, arena, &states, limits, coin),
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
