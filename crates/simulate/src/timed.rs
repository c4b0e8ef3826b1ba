//! Timed networks whose type is forgotten.

use crate::Generator;
use crate::network::loops::{Loops, Typed};
use crate::network::{Adversary, Overwrite, Relapse, Scenario, Settlement, World, relapse, settling_stretch, worst};
use crate::plain::{Run, TimedRun};
use crate::start::{self, Start, StartError};
use ringleader_model::corrupt::Arbitrary;
use ringleader_model::{Timed, Timing};

/// An algorithm for a crash-prone network with clocks, of any type.
pub trait TimedAlgorithm: Send + Sync {
    /// How many processes there are.
    fn size(&self) -> usize;

    /// What it knows of time.
    fn timing(&self) -> Timing;

    /// How long all must agree before a run counts as settled: 50 δ, and at least ten timeouts.
    fn settling_stretch(&self) -> u64;

    /// The horizon that docs/robust.md derives for the algorithm, among links as bad as those of random instances and
    /// adversaries.
    fn horizon(&self) -> u64;

    /// A run where every link is timely, to be watched step by step; up to `stray` messages with arbitrary contents are
    /// already under way on every link.
    fn watch(&self, start: &Start, stray: u32, coin: Generator) -> Result<Box<dyn Run + '_>, StartError>;

    /// A run in a network, until it has settled, or cannot any more with an agreement that began within `horizon` of the last
    /// fault.
    fn settle(&self, scenario: &Scenario, start: &[Overwrite], coin: Generator, horizon: u64) -> Settlement;

    /// How many directed links carry messages until each of these times, since the one before.
    fn links_used(&self, scenario: &Scenario, start: &[Overwrite], coin: Generator, until: &[u64]) -> Vec<usize>;

    /// Settles where all is timely, replays the very same run with an adversary that [waits](Adversary::waits), and reports
    /// what it did; `None` if the calm run did not settle.
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
        settling_stretch(Timed::timing(self), self.timeout())
    }

    fn horizon(&self) -> u64 {
        Timed::horizon(self, worst(Timed::timing(self), self.timeout()))
    }

    fn watch(&self, start: &Start, stray: u32, coin: Generator) -> Result<Box<dyn Run + '_>, StartError> {
        let loops = match start {
            Start::Given(document) => Typed::new(self, start::of_size(document.states(self)?, Timed::size(self))?),
            _ => Typed::started(self),
        };
        watch(Box::new(loops), start, stray, coin)
    }

    fn settle(&self, scenario: &Scenario, start: &[Overwrite], coin: Generator, horizon: u64) -> Settlement {
        begun(Box::new(Typed::started(self)), scenario, start, coin).settle(horizon)
    }

    fn links_used(&self, scenario: &Scenario, start: &[Overwrite], coin: Generator, until: &[u64]) -> Vec<usize> {
        let mut world = begun(Box::new(Typed::started(self)), scenario, start, coin);
        until.iter().map(|&end| world.links_used_until(end)).collect()
    }

    fn relapse(&self, adversary: Adversary, calm: &Scenario, coin: &Generator) -> Option<Relapse> {
        relapse(adversary, [Box::new(Typed::started(self)), Box::new(Typed::started(self))], calm, coin)
    }
}

fn watch<'a>(
    mut loops: Box<dyn Loops + 'a>,
    start: &Start,
    stray: u32,
    mut coin: Generator,
) -> Result<Box<dyn Run + 'a>, StartError> {
    if !matches!(start, Start::Clean | Start::Given(_)) {
        start.draw(loops.size(), |me, wanted| {
            loops.fill(me, &mut Arbitrary(&mut coin));
            wanted.is_none_or(|wanted| loops.marks(me).leader() == wanted).then_some(())
        })?;
    }
    Ok(Box::new(TimedRun::of(loops, stray, coin)))
}

fn begun<'a>(loops: Box<dyn Loops + 'a>, scenario: &'a Scenario, start: &[Overwrite], coin: Generator) -> World<'a> {
    let mut world = World::of(loops, scenario, coin);
    for mut overwrite in start.iter().copied() {
        world.overwrite(overwrite.process, &mut overwrite);
    }
    world
}
