//! Algorithms for timed networks, erased to one type.

use crate::Generator;
use crate::network::{Adversary, Link, NetworkRun, Overwrite, Relapse, Scenario, Settlement};
use crate::plain::{SimulatedRun, TimedRun};
use crate::start::{self, Start, StartError};
use ringleader_model::{Timed, Timing, Worst, corrupt};

/// An algorithm for a crash-prone network with clocks, of any type. Each method is a whole run, so that its inner loop knows
/// the type.
pub trait TimedAlgorithm: Send + Sync {
    /// The number of processes.
    fn size(&self) -> usize;

    /// The algorithm's timing.
    fn timing(&self) -> Timing;

    /// The duration of agreement after which a run counts as settled: 50 δ, and at least ten timeouts.
    fn settling_stretch(&self) -> u64;

    /// The horizon that docs/robust.md derives for the algorithm, among links as bad as those of random instances and
    /// adversaries.
    fn horizon(&self) -> u64;

    /// A run where every link is timely, to be watched step by step; up to `stray` messages with arbitrary contents are
    /// already in transit on every link.
    fn watch(&self, start: &Start, stray: u32, coin: Generator) -> Result<Box<dyn SimulatedRun + '_>, StartError>;

    /// A run in a network, until it has settled, or can no longer settle with an agreement that began within `horizon` of the last
    /// fault.
    fn settle(&self, scenario: &Scenario, start: &[Overwrite], coin: Generator, horizon: u64) -> Settlement;

    /// For each of these times, the number of directed links that have carried messages since the time before it.
    fn links_used(&self, scenario: &Scenario, start: &[Overwrite], coin: Generator, until: &[u64]) -> Vec<usize>;

    /// Settles where all links are timely, replays the same run with an adversary that [waits](Adversary::waits), and reports
    /// its effect; `None` if the calm run did not settle.
    fn relapse(&self, adversary: Adversary, calm: &Scenario, coin: &Generator) -> Option<Relapse>;
}

impl<P: Timed> TimedAlgorithm for P {
    fn size(&self) -> usize {
        Timed::size(self)
    }

    fn timing(&self) -> Timing {
        Timed::timing(self)
    }

    fn settling_stretch(&self) -> u64 {
        let Timing { beta, delta, .. } = Timed::timing(self);
        (50 * delta).max(self.timeout().saturating_mul(beta).saturating_mul(10))
    }

    fn horizon(&self) -> u64 {
        let (delta, stretch) = (Timed::timing(self).delta, self.settling_stretch());
        let (age, gap) = (Link::OLDEST * delta, Link::LONGEST_GAP * delta);
        Timed::horizon(self, Worst { age, gap, odds: Link::ODDS, agreement: stretch + age + stretch / 2 })
    }

    fn watch(&self, start: &Start, stray: u32, mut coin: Generator) -> Result<Box<dyn SimulatedRun + '_>, StartError> {
        let size = Timed::size(self);
        let states = match start {
            Start::Clean => (0..size).map(|me| self.start(me)).collect(),
            Start::Given(document) => start::of_size(document.states(self)?, size)?,
            _ => start.draw(size, |_| corrupt::arbitrary(self, &mut coin), |me, s| self.marks(me, s).leader())?,
        };
        Ok(Box::new(TimedRun::new(self, states, stray, coin)))
    }

    fn settle(&self, scenario: &Scenario, start: &[Overwrite], coin: Generator, horizon: u64) -> Settlement {
        begun(self, scenario, start, coin).settle(horizon)
    }

    fn links_used(&self, scenario: &Scenario, start: &[Overwrite], coin: Generator, until: &[u64]) -> Vec<usize> {
        let mut world = begun(self, scenario, start, coin);
        until.iter().map(|&end| world.links_used_until(end)).collect()
    }

    fn relapse(&self, adversary: Adversary, calm: &Scenario, coin: &Generator) -> Option<Relapse> {
        let timing = Timed::timing(self);
        let patience = 20 * self.timeout() * timing.beta;
        let mut world = NetworkRun::new(self, calm, coin.clone());
        let settled = world.settle(1000 * timing.delta + 10 * patience).settled?;
        let (leader, struck) = (settled.leader, world.now);
        let victim = (0..calm.size).find(|&p| p != leader && world.is_alive(p))?;
        let scenario = adversary.strike(calm, leader, victim, struck, patience);
        let mut world = NetworkRun::new(self, &scenario, coin.clone());
        while world.now < struck && world.step() {}
        while world.agreed_since.is_some() && world.now < struck + patience && world.step() {}
        let lost = world.agreed_since.is_none().then_some(world.now);
        Some(Relapse { leader, victim, struck, lost })
    }
}

fn begun<'a, P: Timed>(
    algorithm: &'a P,
    scenario: &Scenario,
    start: &[Overwrite],
    coin: Generator,
) -> NetworkRun<'a, P> {
    let mut world = NetworkRun::new(algorithm, scenario, coin);
    for mut overwrite in start.iter().copied() {
        world.overwrite(overwrite.process, &mut overwrite);
    }
    world
}
