//! A rule compiled: every pair of local states, with every input, and all its outcomes.

use ringleader_instance::{LeavesDomain, PopulationInstance, RingInstance};
use ringleader_model::{Odometer, Place, View};
use std::convert::Infallible;

/// One way a pair of states can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The left agent's (initiator's) new state.
    pub left: u16,
    /// The right agent's (responder's) new state.
    pub right: u16,
    /// Its probability, in units of 1 / [`Table::whole`].
    pub weight: u32,
    /// Which set of [`Table::rules`] fired.
    pub rules: u32,
}

/// A local rule as a table: `(inputs, left state, right state)` to outcomes.
///
/// A ring algorithm is the special case in which the left state never changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    radix: u32,
    choices: usize,
    whole: u32,
    start: Vec<u32>,
    outcomes: Vec<Outcome>,
    rules: Vec<Vec<u8>>,
    inverse: Vec<Inverse>,
}

/// For each pair of states, the other pairs that may become it.
#[derive(Clone, Debug, PartialEq)]
struct Inverse {
    start: Vec<u32>,
    pairs: Vec<(u16, u16)>,
}

/// What a rule answered for one draw of its coins.
struct Answer {
    left: u64,
    right: u64,
    one_in: u64,
    rules: Vec<u8>,
}

/// What a rule answers for every draw of its coins.
fn each_outcome(
    answers: &mut Vec<Answer>,
    mut rule: impl FnMut(&mut Odometer) -> Result<(u64, u64), LeavesDomain>,
) -> Result<(), LeavesDomain> {
    let mut outside = Ok(());
    Odometer::each(|coin| match rule(coin) {
        Ok((left, right)) => {
            answers.push(Answer { left, right, one_in: coin.outcomes(), rules: coin.rules().to_vec() });
        }
        Err(problem) if outside.is_ok() => outside = Err(problem),
        Err(_) => {}
    });
    outside
}

impl Table {
    /// Compiles a population protocol. The input choices are what the two agents can be told, in the order of
    /// [`PopulationInstance::tellings`].
    pub fn population(algorithm: &PopulationInstance) -> Result<Table, LeavesDomain> {
        let tellings = algorithm.tellings();
        Table::compile(algorithm.states() as usize, tellings.len(), |choice, l, r, answers| {
            each_outcome(answers, |coin| algorithm.try_interact(l as u64, r as u64, tellings[choice], coin))
        })
    }

    /// Compiles a rule over numbered states that tosses one coin of `sides` sides: new states and the rules that fired.
    pub fn from_rule(
        states: usize,
        choices: usize,
        sides: u32,
        mut rule: impl FnMut(usize, u32, u32) -> (u32, u32, Vec<u8>),
    ) -> Table {
        let table = Table::compile(states, choices, |choice, l, r, answers| {
            for _ in 0..sides {
                let (left, right, rules) = rule(choice, l as u32, r as u32);
                let (left, right, one_in) = (u64::from(left), u64::from(right), u64::from(sides));
                answers.push(Answer { left, right, one_in, rules });
            }
            Ok::<(), Infallible>(())
        });
        match table {
            Ok(table) => table,
            Err(never) => match never {},
        }
    }

    /// Compiles a ring algorithm for a place.
    pub fn ring(algorithm: &RingInstance, at: Place) -> Result<Table, LeavesDomain> {
        Table::compile(algorithm.states() as usize, 1, |_, l, r, answers| {
            let (left, own) = (l as u64, r as u64);
            each_outcome(answers, |coin| Ok((left, algorithm.try_act(View { at, left, own, right: own }, coin)?)))
        })
    }

    fn compile<E>(
        states: usize,
        choices: usize,
        mut rule: impl FnMut(usize, usize, usize, &mut Vec<Answer>) -> Result<(), E>,
    ) -> Result<Table, E> {
        let mut answers = vec![];
        let mut start = vec![0];
        for choice in 0..choices {
            for l in 0..states {
                for r in 0..states {
                    rule(choice, l, r, &mut answers)?;
                    start.push(answers.len() as u32);
                }
            }
        }
        let whole = answers.iter().fold(1, |whole, a| lcm(whole, a.one_in));
        let mut rules: Vec<Vec<u8>> = vec![];
        let outcomes = answers.into_iter().map(|a| {
            let fired = rules.iter().position(|known| *known == a.rules).unwrap_or_else(|| {
                rules.push(a.rules);
                rules.len() - 1
            });
            let weight = (whole / a.one_in) as u32;
            Outcome { left: a.left as u16, right: a.right as u16, weight, rules: fired as u32 }
        });
        let outcomes = outcomes.collect();
        let table =
            Table { radix: states as u32, choices, whole: whole as u32, start, outcomes, rules, inverse: vec![] };
        Ok(table.inverted())
    }

    /// The same table with other outcomes in some cells: how mutants are made.
    ///
    /// `change` sees the input choice, the two states, and which of their outcomes is asked for.
    pub fn altered(&self, change: impl Fn(usize, u32, u32, usize) -> Outcome) -> Table {
        let mut table = self.clone();
        for choice in 0..self.choices {
            for l in 0..self.radix {
                for r in 0..self.radix {
                    let cell = self.cell(choice, l, r);
                    for (draw, at) in cell.enumerate() {
                        table.outcomes[at] = change(choice, l, r, draw);
                    }
                }
            }
        }
        table.inverted()
    }

    fn inverted(mut self) -> Table {
        let s = self.radix;
        self.inverse = (0..self.choices)
            .map(|choice| {
                let mut arrows = vec![];
                for l in 0..s {
                    for r in 0..s {
                        let changed = |o: &&Outcome| (u32::from(o.left), u32::from(o.right)) != (l, r);
                        let targets = self.outcomes[self.cell(choice, l, r)].iter().filter(changed);
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

    /// How many input choices there are: 1, or the square of the number of inputs.
    pub fn choices(&self) -> usize {
        self.choices
    }

    /// What the weights of each cell's outcomes add up to.
    pub fn whole(&self) -> u32 {
        self.whole
    }

    /// Whether every cell has one outcome.
    pub fn deterministic(&self) -> bool {
        self.whole == 1
    }

    /// Which of [`Table::outcomes`] belong to a cell.
    #[inline]
    pub fn cell(&self, choice: usize, left: u32, right: u32) -> std::ops::Range<usize> {
        let at = (choice as u32 * self.radix + left) as usize * self.radix as usize + right as usize;
        self.start[at] as usize..self.start[at + 1] as usize
    }

    /// How many outcomes a cell has at most.
    pub fn most_outcomes(&self) -> u64 {
        self.start.windows(2).map(|ends| u64::from(ends[1] - ends[0])).max().unwrap_or(0)
    }

    /// All outcomes.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// The rules that fired in an outcome, as the paper numbers them.
    pub fn rules(&self, outcome: Outcome) -> &[u8] {
        &self.rules[outcome.rules as usize]
    }

    /// The pairs other than `(left, right)` that may become it.
    #[inline]
    pub fn before(&self, choice: usize, left: u32, right: u32) -> &[(u16, u16)] {
        let inverse = &self.inverse[choice];
        let at = (left * self.radix + right) as usize;
        &inverse.pairs[inverse.start[at] as usize..inverse.start[at + 1] as usize]
    }

    /// How many bytes a table of this many states, input choices and outcomes per cell takes, roughly.
    pub fn bytes(states: u64, choices: u64) -> u64 {
        let cells = states.saturating_mul(states).saturating_mul(choices);
        // An outcome, its start, an inverse pair and its start; answers and arrows while compiling.
        cells.saturating_mul(16 + 4 + 4 + 4 + 64)
    }
}

pub(crate) fn lcm(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
