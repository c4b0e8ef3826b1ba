//! A rule compiled: every pair of local states, with everything else that it reads, and all its outcomes.

use crate::{Refusal, Stop};
use ringleader_erased::{LeavesDomain, PopulationInstance, RingInstance};
use ringleader_model::{Chain, Odometer, Place, Reads, Ring as _, View};
use std::collections::HashMap;
use std::hash::Hash;

/// One way a pair of states can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The left agent's (initiator's) new state.
    pub left: u16,
    /// The right agent's (responder's) new state.
    pub right: u16,
    /// Its probability, in units of 1 / [`Table::whole`].
    pub weight: u32,
    /// Which set of [`Table::rules`] fired.
    pub rules: u32,
}

/// A local rule as a table: `(context, left state, right state)` to what becomes of the two.
///
/// The context is what the rule reads and does not write. In a population that is what the two agents are told. In a ring of
/// processes the right state is that of the process which steps, the left state never changes, and the context is the state of
/// the neighbour on the other side, if that is read too.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    radix: u32,
    contexts: usize,
    whole: u32,
    tosses: bool,
    chooses: bool,
    start: Vec<u32>,
    changes: Vec<Change>,
    rules: Vec<Vec<u8>>,
    /// What the coins show, and for each outcome which of these; nothing where all rules are deterministic.
    coins: Vec<Vec<u32>>,
    shown: Vec<u32>,
    inverse: Vec<Inverse>,
}

/// For each pair of states, the other pairs that may become it.
#[derive(Clone, Debug, PartialEq)]
struct Inverse {
    start: Vec<u32>,
    pairs: Vec<(u16, u16)>,
}

/// Why there is no table of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTable {
    /// It writes a value that its variable is not declared to take.
    LeavesDomain(LeavesDomain),
    /// Its coins have too many outcomes to list, or their common denominator is too large to be counted with.
    TooRandom,
}

impl From<NoTable> for Stop {
    fn from(problem: NoTable) -> Stop {
        match problem {
            NoTable::LeavesDomain(problem) => problem.into(),
            NoTable::TooRandom => Refusal::TooRandom.into(),
        }
    }
}

/// All probabilities are fractions with this denominator at most.
const MOST_WHOLE: u64 = u32::MAX as u64;
/// So many outcomes are listed besides the first one of each pair of states.
const MOST_OUTCOMES: usize = 1 << 21;

/// What a rule answered for one draw of its coins.
struct Answer {
    left: u64,
    right: u64,
    one_in: u64,
    rules: Vec<u8>,
    coin: Vec<u32>,
}

/// What a rule answered for all states, one after the other, and what it drew from.
#[derive(Default)]
struct Answers {
    list: Vec<Answer>,
    tosses: bool,
    chooses: bool,
    /// How many rules were asked.
    asked: usize,
}

impl Answers {
    /// Takes what a rule answers for every draw of its coins.
    fn take(&mut self, mut rule: impl FnMut(&mut Odometer) -> Result<(u64, u64), LeavesDomain>) -> Result<(), NoTable> {
        self.asked += 1;
        let most = self.asked + MOST_OUTCOMES;
        let mut problem = None;
        Odometer::each_while(|coin| {
            match rule(coin) {
                Ok(_) if self.list.len() >= most || coin.outcomes() > MOST_WHOLE => problem = Some(NoTable::TooRandom),
                Ok((left, right)) => {
                    self.tosses |= coin.tossed();
                    self.chooses |= coin.chose();
                    let (one_in, rules, coin) = (coin.outcomes(), coin.rules().to_vec(), coin.draws());
                    self.list.push(Answer { left, right, one_in, rules, coin });
                }
                Err(outside) => problem = Some(NoTable::LeavesDomain(outside)),
            }
            problem.is_none()
        });
        problem.map_or(Ok(()), Err)
    }
}

/// Different values, numbered in the order in which they come.
struct Roll<T> {
    values: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Roll<T> {
    fn new() -> Roll<T> {
        Roll { values: vec![], numbers: HashMap::new() }
    }

    fn number(&mut self, value: T) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }
}

impl Table {
    /// Compiles a population protocol. The contexts are what the two agents can be told, in the order of
    /// [`PopulationInstance::tellings`].
    pub fn population(algorithm: &PopulationInstance) -> Result<Table, NoTable> {
        let tellings = algorithm.tellings();
        Table::compile(algorithm.states() as usize, tellings.len(), |context, l, r, answers| {
            answers.take(|coin| algorithm.try_interact(l as u64, r as u64, tellings[context], coin))
        })
    }

    /// Compiles a rule over numbered states that tosses one coin of `sides` sides, a few: new states and the rules that fired.
    pub fn from_rule(
        states: usize,
        contexts: usize,
        sides: u32,
        mut rule: impl FnMut(usize, u32, u32) -> (u32, u32, Vec<u8>),
    ) -> Table {
        let table = Table::compile(states, contexts, |context, l, r, answers| {
            answers.tosses |= sides > 1;
            for side in 0..sides {
                let (left, right, rules) = rule(context, l as u32, r as u32);
                let (left, right, one_in) = (u64::from(left), u64::from(right), u64::from(sides));
                let coin = if sides > 1 { vec![side] } else { vec![] };
                answers.list.push(Answer { left, right, one_in, rules, coin });
            }
            Ok(())
        });
        table.expect("one coin has few sides")
    }

    /// Compiles a ring algorithm for a place. The contexts are the states of the right neighbour, if it is read.
    ///
    /// At the end of a line a process sees itself where a neighbour is missing, whatever the table is asked for.
    pub fn ring(algorithm: &RingInstance, at: Place) -> Result<Table, NoTable> {
        let line = algorithm.chain() == Chain::Line;
        let contexts = if algorithm.reads() == Reads::BothSides { algorithm.states() as usize } else { 1 };
        Table::compile(algorithm.states() as usize, contexts, |context, l, own, answers| {
            let view = seen(at, line, contexts > 1, [l, own, context]);
            answers.take(|coin| Ok((l as u64, algorithm.try_act(view, coin)?)))
        })
    }

    fn compile(
        states: usize,
        contexts: usize,
        mut rule: impl FnMut(usize, usize, usize, &mut Answers) -> Result<(), NoTable>,
    ) -> Result<Table, NoTable> {
        let mut answers = Answers::default();
        let mut start = vec![0];
        for context in 0..contexts {
            for l in 0..states {
                for r in 0..states {
                    rule(context, l, r, &mut answers)?;
                    start.push(answers.list.len() as u32);
                }
            }
        }
        let Answers { list, tosses, chooses, .. } = answers;
        let whole = common(list.iter().map(|a| a.one_in))?;
        let (mut rules, mut coins, mut shown) = (Roll::new(), Roll::new(), vec![]);
        let changes = list.into_iter().map(|a| {
            if tosses || chooses {
                shown.push(coins.number(a.coin));
            }
            let (fired, weight) = (rules.number(a.rules), (whole / a.one_in) as u32);
            Change { left: a.left as u16, right: a.right as u16, weight, rules: fired }
        });
        let changes = changes.collect();
        let (rules, coins) = (rules.values, coins.values);
        let (radix, whole, inverse) = (states as u32, whole as u32, vec![]);
        let table = Table { radix, contexts, whole, tosses, chooses, start, changes, rules, coins, shown, inverse };
        Ok(table.inverted())
    }

    /// The same table with other outcomes in some cells: how mutants are made.
    ///
    /// `change` sees the context, the two states, and which of their outcomes is asked for.
    pub fn altered(&self, change: impl Fn(usize, u32, u32, usize) -> Change) -> Table {
        let mut table = self.clone();
        for context in 0..self.contexts {
            for l in 0..self.radix {
                for r in 0..self.radix {
                    let cell = self.cell(context, l, r);
                    for (draw, at) in cell.enumerate() {
                        table.changes[at] = change(context, l, r, draw);
                    }
                }
            }
        }
        table.inverted()
    }

    fn inverted(mut self) -> Table {
        let s = self.radix;
        self.inverse = (0..self.contexts)
            .map(|context| {
                let mut arrows = vec![];
                for l in 0..s {
                    for r in 0..s {
                        let changed = |o: &&Change| (u32::from(o.left), u32::from(o.right)) != (l, r);
                        let targets = self.changes[self.cell(context, l, r)].iter().filter(changed);
                        arrows
                            .extend(targets.map(|o| (u32::from(o.left) * s + u32::from(o.right), l as u16, r as u16)));
                    }
                }
                arrows.sort_unstable();
                arrows.dedup();
                let mut start = vec![0; (s * s) as usize + 1];
                for &(target, ..) in &arrows {
                    start[target as usize + 1] += 1;
                }
                for i in 1..start.len() {
                    start[i] += start[i - 1];
                }
                Inverse { start, pairs: arrows.into_iter().map(|(_, l, r)| (l, r)).collect() }
            })
            .collect();
        self
    }

    /// How many local states there are.
    pub fn radix(&self) -> u32 {
        self.radix
    }

    /// How many contexts there are; 1 where a rule reads nothing but the two states.
    pub fn contexts(&self) -> usize {
        self.contexts
    }

    /// What the weights of each cell's outcomes add up to.
    pub fn whole(&self) -> u32 {
        self.whole
    }

    /// Whether every cell has one outcome.
    pub fn deterministic(&self) -> bool {
        self.whole == 1
    }

    /// Whether a rule tosses a coin.
    pub fn tosses(&self) -> bool {
        self.tosses
    }

    /// Whether the scheduler may have to choose between rules.
    pub fn chooses(&self) -> bool {
        self.chooses
    }

    /// What the coins show, and the scheduler chooses, for the outcome with this number, in the order of the draws.
    pub fn coin(&self, outcome: usize) -> &[u32] {
        self.shown.get(outcome).map_or(&[], |&shown| &self.coins[shown as usize])
    }

    /// Which of [`Table::changes`] belong to a cell.
    #[inline]
    pub fn cell(&self, context: usize, left: u32, right: u32) -> std::ops::Range<usize> {
        let at = (context as u32 * self.radix + left) as usize * self.radix as usize + right as usize;
        self.start[at] as usize..self.start[at + 1] as usize
    }

    /// How many outcomes a cell has at most.
    pub fn most_changes(&self) -> u64 {
        self.start.windows(2).map(|ends| u64::from(ends[1] - ends[0])).max().unwrap_or(0)
    }

    /// All outcomes of all cells.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The rules that fired in an outcome, as the paper numbers them.
    pub fn rules(&self, outcome: Change) -> &[u8] {
        &self.rules[outcome.rules as usize]
    }

    /// The pairs other than `(left, right)` that may become it.
    #[inline]
    pub fn before(&self, context: usize, left: u32, right: u32) -> &[(u16, u16)] {
        let inverse = &self.inverse[context];
        let at = (left * self.radix + right) as usize;
        &inverse.pairs[inverse.start[at] as usize..inverse.start[at + 1] as usize]
    }

    /// How many bytes a table of this many states, contexts and outcomes per cell takes, roughly.
    pub fn bytes(states: u64, contexts: u64) -> u64 {
        let cells = states.saturating_mul(states).saturating_mul(contexts);
        // An outcome, its start, an inverse pair and its start; answers and arrows while compiling.
        cells.saturating_mul(16 + 4 + 4 + 4 + 64)
    }
}

/// What a process sees, of the states of its left neighbour, itself and its right neighbour.
pub(crate) fn seen(at: Place, line: bool, both_sides: bool, [left, own, right]: [usize; 3]) -> View<u64> {
    let left = if line && at == Place::Bottom { own } else { left };
    let right = if (line && at == Place::Top) || !both_sides { own } else { right };
    View { at, left, own, right }.map(|state| state as u64)
}

/// The common denominator of one in so many and others.
pub(crate) fn common(mut all: impl Iterator<Item = u64>) -> Result<u64, NoTable> {
    let whole = all.try_fold(1, |whole, one| Some(lcm(whole, one)).filter(|whole| *whole <= MOST_WHOLE));
    whole.ok_or(NoTable::TooRandom)
}

pub(crate) fn lcm(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
