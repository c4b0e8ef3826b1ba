//! Enumerates all outcomes of a rule. The rule tables of all engines are built from it.

use crate::concrete::After;
use crate::{LeavesDomain, NoTable, Unfit};
use ringleader_model::number::OutOfDomain;
use ringleader_model::{Coin, Interner, Odometer};

/// One outcome of a rule that is applied to two states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The left agent's (initiator's) new state.
    pub left: u16,
    /// The right agent's (responder's) new state.
    pub right: u16,
    /// The inverse of its probability.
    pub one_in: u32,
    /// The number of the set of rules that fired, if these are recorded.
    pub(crate) rules: u32,
    /// The number of the sequence of draws, if these are recorded.
    pub(crate) draws: u32,
    /// The number of the scheduler's choices, if draws are recorded.
    pub(crate) choices: u32,
}

/// Applies a rule to pairs of states.
pub(crate) struct Walk {
    coin: Odometer,
    found: Vec<Outcome>,
    /// The rules that fired and the draws, if they are recorded.
    pub(crate) records: Option<Records>,
    most_per_pair: usize,
    pub(crate) tosses: bool,
    pub(crate) chooses: bool,
    /// Whether the scheduler chooses after a coin was tossed.
    pub(crate) chooses_late: bool,
}

/// The sequences of rules that fired, and those of draws.
#[derive(Default)]
pub(crate) struct Records {
    pub(crate) rules: Interner<Vec<u8>>,
    pub(crate) draws: Interner<Vec<u32>>,
}

impl Walk {
    /// A walk that refuses a pair with more outcomes than `most_per_pair`.
    pub(crate) fn new(records: bool, most_per_pair: usize) -> Walk {
        let records = records.then(Records::default);
        Walk {
            coin: Odometer::default(),
            found: vec![],
            records,
            most_per_pair,
            tosses: false,
            chooses: false,
            chooses_late: false,
        }
    }

    /// All outcomes of a rule for two states; `texts` names the states in an error.
    pub(crate) fn outcomes(
        &mut self,
        mut rule: impl FnMut(&mut dyn Coin) -> Result<After<2>, OutOfDomain>,
        texts: impl Fn() -> Vec<String>,
    ) -> Result<&[Outcome], NoTable> {
        let Walk { coin, found, records, most_per_pair, tosses, chooses, chooses_late } = self;
        found.clear();
        let mut problem = None;
        coin.each_again(|coin| {
            let after = if records.is_some() { rule(coin) } else { rule(&mut SilentCoin(coin)) };
            problem = match (after, u32::try_from(coin.outcomes())) {
                (Err(written), _) => {
                    Some(LeavesDomain { rules: coin.rules().to_vec(), states: texts(), written }.into())
                }
                (Ok(After { hides: true, .. }), _) => Some(NoTable::Unfit(Unfit::Hidden)),
                (Ok(_), Err(_)) => Some(NoTable::TooRandom),
                (Ok(After { states: [left, right], .. }), Ok(one_in)) => {
                    *tosses |= coin.tossed();
                    *chooses |= coin.chose();
                    let choices = coin.choices();
                    *chooses_late |= choices.is_none();
                    let (rules, draws, choices) = match records {
                        Some(Records { rules, draws }) => (
                            rules.number_of(coin.rules()),
                            draws.number_of(&coin.draws()[..]),
                            draws.number_of(choices.unwrap_or_default()),
                        ),
                        None => (0, 0, 0),
                    };
                    found.push(Outcome { left: left as u16, right: right as u16, one_in, rules, draws, choices });
                    (found.len() > *most_per_pair).then_some(NoTable::TooRandom)
                }
            };
            problem.is_none()
        });
        match problem {
            Some(problem) => Err(problem),
            None => Ok(found),
        }
    }
}

/// A coin whose announcements are used in error messages only, so that a layer below may use its cache.
pub(crate) struct SilentCoin<'a>(pub(crate) &'a mut Odometer);

impl Coin for SilentCoin<'_> {
    fn below(&mut self, n: u32) -> u32 {
        self.0.below(n)
    }

    fn choose(&mut self, n: u32) -> u32 {
        self.0.choose(n)
    }

    fn fired(&mut self, rule: u8) {
        self.0.fired(rule);
    }

    fn listens(&self) -> bool {
        false
    }
}
