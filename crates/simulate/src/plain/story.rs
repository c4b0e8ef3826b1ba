//! One run to its goal, then through faults and back to the goal: the loop of everything that shows a single run.

use super::{LookTimes, SimulatedRun};
use crate::Generator;
use ringleader_model::Coin;

/// A run to its goal, and the faults that hit it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Story {
    /// The run ends after this many steps in all.
    pub limit: u64,
    /// The number of agents that each fault corrupts.
    pub corrupt: usize,
    /// The number of faults, one after the other, each once the goal is reached.
    pub faults: usize,
    /// The seed of the run. The corrupted agents are drawn from a stream of their own, so that faults change nothing before them.
    pub seed: u64,
}

/// An event of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoryEvent<'a> {
    /// A step is about to be taken, or the goal has just been reached.
    Step,
    /// The goal was reached for the first time, after this many steps.
    Reached(u64),
    /// A fault has corrupted these agents.
    Struck(&'a [usize]),
    /// The goal was reached again, this many steps after the fault.
    Healed(u64),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// It reached its goal after this many steps.
    Reached(u64),
    /// The limit of steps came first.
    Limit,
    /// No step is possible, or the rule is [wrong](SimulatedRun::wrong).
    NoStep,
    /// No step can change anything.
    Still,
    /// The observer ended it.
    Interrupted,
}

/// The result of a run through faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryOutcome {
    /// The number of steps until the goal was first reached.
    pub first: Option<u64>,
    /// The faults: the number of steps before each, and its agents.
    pub strikes: Vec<(u64, Vec<usize>)>,
    /// The steps of each recovery.
    pub recoveries: Vec<u64>,
    /// How the last stretch ended.
    pub end: RunEnd,
}

/// Runs until the goal is reached. `each` is called before every look at the goal; once it returns `false`, the run is interrupted.
pub fn run_to_goal<R: SimulatedRun + ?Sized, E>(
    run: &mut R,
    limit: u64,
    mut each: impl FnMut(&R) -> Result<bool, E>,
) -> Result<RunEnd, E> {
    let (begun, mut looks) = (run.steps(), LookTimes::of_run(run.size()));
    loop {
        let goes_on = each(run)?;
        if let Some(steps) = run.reached() {
            return Ok(RunEnd::Reached(steps));
        }
        if !goes_on {
            return Ok(RunEnd::Interrupted);
        }
        if looks.due(run.steps() - begun).is_some_and(|questions| run.still(questions)) {
            return Ok(RunEnd::Still);
        }
        if run.steps() >= limit {
            return Ok(RunEnd::Limit);
        }
        if !run.step() {
            return Ok(RunEnd::NoStep);
        }
    }
}

impl Story {
    /// Runs to the goal, then through each fault to the goal again. `watch` sees every event; once it returns `false`, the run is
    /// interrupted.
    ///
    /// ```
    /// use ringleader_algorithms::population::yokota_ring::YokotaRing;
    /// use ringleader_erased::{Number, PopulationInstance};
    /// use ringleader_model::{Graph, Scheduler};
    /// use ringleader_simulate::plain::{RunEnd, StabilizingRun, Story, StoryEvent};
    /// use ringleader_simulate::{Generator, Oracle};
    ///
    /// let (ring, graph) = (PopulationInstance::new(YokotaRing { bound: 8 })?, Graph::directed_ring(8)?);
    /// let start = vec![Number(0); 8];
    /// let mut run = StabilizingRun::population(&ring, &graph, start, Scheduler::Random, Oracle::Perfect, Generator::new(1));
    /// let mut struck = vec![];
    /// let told = Story { limit: 1 << 20, corrupt: 3, faults: 1, seed: 1 }.run(&mut run, |_, event| {
    ///     if let StoryEvent::Struck(agents) = event {
    ///         struck = agents.to_vec();
    ///     }
    ///     Ok::<_, std::convert::Infallible>(true)
    /// })?;
    /// assert!(matches!(told.end, RunEnd::Reached(_)) && told.recoveries.len() == 1);
    /// assert_eq!((struck.len(), &told.strikes[0].1), (3, &struck));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run<E>(
        &self,
        run: &mut dyn SimulatedRun,
        mut watch: impl FnMut(&dyn SimulatedRun, StoryEvent<'_>) -> Result<bool, E>,
    ) -> Result<StoryOutcome, E> {
        let mut choice = Generator::stream(self.seed, 1);
        let end = run_to_goal(run, self.limit, |run| watch(run, StoryEvent::Step))?;
        let mut told = StoryOutcome { first: None, strikes: vec![], recoveries: vec![], end };
        if let RunEnd::Reached(steps) = end {
            told.first = Some(steps);
            watch(run, StoryEvent::Reached(steps))?;
        }
        while let RunEnd::Reached(_) = told.end
            && self.corrupt > 0
            && told.strikes.len() < self.faults
        {
            let struck_at = run.steps();
            let agents = self.strike(run, &mut choice);
            watch(run, StoryEvent::Struck(&agents))?;
            told.strikes.push((struck_at, agents));
            told.end = run_to_goal(run, self.limit, |run| watch(run, StoryEvent::Step))?;
            if let RunEnd::Reached(steps) = told.end {
                let took = steps.saturating_sub(struck_at);
                told.recoveries.push(took);
                watch(run, StoryEvent::Healed(took))?;
            }
        }
        Ok(told)
    }

    /// Corrupts agents chosen at random.
    fn strike(&self, run: &mut dyn SimulatedRun, choice: &mut Generator) -> Vec<usize> {
        let mut agents: Vec<usize> = (0..run.size()).collect();
        let corrupt = self.corrupt.min(agents.len());
        for i in 0..corrupt {
            let j = i + choice.below((agents.len() - i) as u32) as usize;
            agents.swap(i, j);
        }
        agents.truncate(corrupt);
        agents.sort_unstable();
        run.corrupt(&agents);
        agents
    }
}
