//! Runs that somebody steers: each step recorded, the next one chosen by hand, an agent changed, and back to where one was.
//!
//! What the scheduler chooses and what the coins show come from the same generator, in the same order, as in a run that is
//! only watched: steering changes nothing before it.

use crate::Generator;
use crate::oracle::Detector;
use crate::plain::Run;
use ringleader_erased::{LeavesDomain, Number};
use ringleader_model::Coin;
use ringleader_model::trace::Actor;
use std::fmt;

/// A step that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Who took it.
    pub actor: Actor,
    /// What the two agents were told, where they ask.
    pub inputs: Option<(bool, bool)>,
    /// The rules that fired.
    pub rules: Vec<u8>,
    /// What the coins showed, in the order of the draws.
    pub coin: Vec<u32>,
}

/// A step that somebody chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Who takes it.
    pub actor: Actor,
    /// What the two agents are told; what the detector says if nothing is given.
    pub inputs: Option<(bool, bool)>,
    /// What the coins show; coins beyond these are tossed.
    pub coin: Vec<u32>,
}

impl Choice {
    /// A step of these, all else left to chance.
    #[must_use]
    pub fn of(actor: Actor) -> Choice {
        Choice { actor, inputs: None, coin: vec![] }
    }
}

/// Why a step was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotTaken {
    /// There is no such arc or process here.
    NoSuchActor,
    /// A coin of so many sides cannot show this.
    NoSuchSide {
        /// How many sides it has.
        sides: u32,
        /// What it was to show.
        shown: u32,
    },
    /// The rule writes a value that its variable is not declared to take.
    LeavesDomain(LeavesDomain),
}

impl fmt::Display for NotTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotTaken::NoSuchActor => f.write_str("there is no such arc or process"),
            NotTaken::NoSuchSide { sides, shown } => write!(f, "the coin has {sides} sides, it cannot show {shown}"),
            NotTaken::LeavesDomain(wrong) => wrong.fmt(f),
        }
    }
}

impl std::error::Error for NotTaken {}

/// Where a run was, to go on from there again.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    pub(super) states: Vec<Number>,
    pub(super) coin: Generator,
    pub(super) steps: u64,
    pub(super) safe_since: Option<u64>,
    pub(super) detector: Option<Detector>,
    pub(super) turn: Vec<bool>,
}

impl Checkpoint {
    /// After how many steps it was.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// About how many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Checkpoint>() + size_of_val(&self.states[..]) + self.turn.len()
    }
}

/// A run that somebody steers.
///
/// ```
/// use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
/// use ringleader_erased::{Number, PopulationInstance};
/// use ringleader_model::trace::Actor;
/// use ringleader_model::{Graph, Scheduler};
/// use ringleader_simulate::plain::{Choice, PopulationRun, Steered};
/// use ringleader_simulate::{Generator, Oracle};
///
/// let protocol = PopulationInstance::new(FischerJiangRing)?;
/// let graph = Graph::directed_ring(3)?;
/// let start = vec![Number(0); 3];
/// let mut run =
///     PopulationRun::new(&protocol, &graph, start, Scheduler::Random, Oracle::Perfect, Generator::new(1));
/// let before = run.checkpoint();
/// let taken = run.take(&Choice::of(Actor::Arc(0, 1)))?;
/// assert_eq!(taken.actor, Actor::Arc(0, 1));
/// assert!(run.take(&Choice::of(Actor::Arc(1, 0))).is_err(), "the ring is directed");
/// run.go_to(&before);
/// assert_eq!(run.numbers(), [Number(0); 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Steered: Run {
    /// Takes the step that the scheduler chooses.
    fn advance(&mut self) -> Result<Taken, NotTaken>;

    /// Takes a step that somebody chose.
    fn take(&mut self, choice: &Choice) -> Result<Taken, NotTaken>;

    /// Gives an agent a state, as a fault does; what no fault can change is put back.
    fn put(&mut self, agent: usize, state: Number);

    /// The states of all agents.
    fn numbers(&self) -> &[Number];

    /// Where the run is.
    fn checkpoint(&self) -> Checkpoint;

    /// Goes to where this run, or one of the same algorithm on the same graph, was.
    fn go_to(&mut self, checkpoint: &Checkpoint);
}

/// A coin that shows what it is told to as long as that lasts, and remembers what it showed and which rules fired.
pub(super) struct Recorder<'a> {
    coin: &'a mut Generator,
    given: std::slice::Iter<'a, u32>,
    shown: Vec<u32>,
    rules: Vec<u8>,
    problem: Option<NotTaken>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(coin: &'a mut Generator, given: &'a [u32]) -> Recorder<'a> {
        Recorder { coin, given: given.iter(), shown: vec![], rules: vec![], problem: None }
    }

    /// The rules that fired and what the coins showed.
    pub(super) fn finish(self) -> Result<(Vec<u8>, Vec<u32>), NotTaken> {
        self.problem.map_or(Ok((self.rules, self.shown)), Err)
    }

    fn draw(&mut self, sides: u32, toss: impl FnOnce(&mut Generator) -> u32) -> u32 {
        let side = match self.given.next() {
            Some(&shown) if shown < sides => shown,
            Some(&shown) => {
                self.problem.get_or_insert(NotTaken::NoSuchSide { sides, shown });
                0
            }
            None => toss(self.coin),
        };
        self.shown.push(side);
        side
    }
}

impl Coin for Recorder<'_> {
    fn below(&mut self, n: u32) -> u32 {
        self.draw(n, |coin| coin.below(n))
    }

    fn choose(&mut self, n: u32) -> u32 {
        self.draw(n, |coin| coin.choose(n))
    }

    fn fired(&mut self, rule: u8) {
        self.rules.push(rule);
    }
}
