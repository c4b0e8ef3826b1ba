//! The parts of steered runs: each step is recorded, the next one can be chosen, and checkpoints can be restored.
//!
//! The scheduler's choices and the coins come from the same generator, in the same order, as in a run that is
//! only watched: steering changes nothing before it.

use crate::Generator;
use crate::composite::Turns;
use crate::oracle::Detector;
use ringleader_erased::{LeavesDomain, Number};
use ringleader_model::Coin;
use ringleader_model::trace::Actor;

/// A step that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenStep {
    /// The agents or processes that took it.
    pub actor: Actor,
    /// The detector's answers to the two agents, where they ask.
    pub inputs: Option<(bool, bool)>,
    /// The rules that fired.
    pub rules: Vec<u8>,
    /// The outcomes of the coins, in the order of the draws.
    pub coin: Vec<u32>,
}

/// A step that the caller chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenStep {
    /// The agents or processes that take it.
    pub actor: Actor,
    /// The answers to the two agents; the detector's own if absent.
    pub inputs: Option<(bool, bool)>,
    /// The outcomes of the coins; further coins are tossed.
    pub coin: Vec<u32>,
}

impl ChosenStep {
    /// A step of these agents, everything else left to chance.
    #[must_use]
    pub fn of(actor: Actor) -> ChosenStep {
        ChosenStep { actor, inputs: None, coin: vec![] }
    }
}

/// The reason why a step was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotTaken {
    /// There is no such arc or process here.
    #[error("there is no such arc or process")]
    NoSuchActor,
    /// A coin with this number of sides cannot show this.
    #[error("the coin has {sides} sides, it cannot show {shown}")]
    NoSuchSide {
        /// The number of sides.
        sides: u32,
        /// The requested outcome.
        shown: u32,
    },
    /// The rule writes a value outside its variable's domain.
    #[error(transparent)]
    LeavesDomain(#[from] LeavesDomain),
}

/// The state of a run, to continue from later.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    pub(super) states: Vec<Number>,
    pub(super) coin: Generator,
    /// The number of steps before it.
    pub steps: u64,
    pub(super) safe_since: Option<u64>,
    pub(super) detector: Option<Detector>,
    pub(super) turns: Option<Turns>,
}

impl Checkpoint {
    /// The start of a run without a detector and without turns.
    pub(super) fn new(states: Vec<Number>, coin: Generator) -> Checkpoint {
        Checkpoint { states, coin, steps: 0, safe_since: None, detector: None, turns: None }
    }

    /// Its approximate number of bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Checkpoint>() + size_of_val(&self.states[..]) + self.turns.as_ref().map_or(0, Turns::bytes)
    }
}

/// A coin that shows the given outcomes first, and records all outcomes and the rules that fired.
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

    /// The rules that fired and the outcomes of the coins.
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
