//! Whether measures fall: the automaton of steps, refined measure by measure.

use crate::automaton::{Dfa, TooLarge};
use crate::fault::{Fault, planted};
use crate::meaning::Nodes;
use crate::steps::Alphabet;
use crate::values::{START, Values};
use crate::{Measure, Rules};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A step whose measures so far do not rise: equal, or lower.
pub(crate) const OPEN: u8 = 1;
/// A step with a measure that falls, those before it not rising.
pub(crate) const FALLS: u8 = 2;
/// A step of which neither is shown.
pub(crate) const LOST: u8 = 3;

/// A step without exactly one run of values.
const AMBIGUOUS: u8 = 4;

/// The sum of differences has risen too far to be followed; it counts as a rise.
const HIGH: i32 = i32::MAX;

/// How differences between two configurations add up from agent 0 on.
enum Order {
    Sum { weights: Vec<i32>, bound: i32 },
    FirstCounts,
    LastCounts,
}

impl Order {
    /// The sum so far, with what one agent adds; an upper bound of the truth, never less.
    fn add(&self, sum: i32, [before, after]: [u64; 2]) -> i32 {
        let change = (after & 1) as i32 - (before & 1) as i32;
        match self {
            Order::FirstCounts => {
                if sum == 0 {
                    change
                } else {
                    sum
                }
            }
            Order::LastCounts => {
                if change == 0 {
                    sum
                } else {
                    change
                }
            }
            Order::Sum { .. } if sum == HIGH => HIGH,
            Order::Sum { weights, bound } => {
                let value = |bits: u64, i: usize| (bits >> i & 1) as i32;
                let change: i32 = (0..weights.len()).map(|i| weights[i] * (value(after, i) - value(before, i))).sum();
                match sum + change {
                    s if s > *bound => {
                        if planted(Fault::Saturation) {
                            *bound
                        } else {
                            HIGH
                        }
                    }
                    s => s.max(-bound),
                }
            }
        }
    }
}

/// A step's class, given the one before and how the measure changes.
fn refined(class: u8, change: i32) -> u8 {
    match (class, change) {
        (OPEN, ..0) => FALLS,
        (OPEN, 0) => OPEN,
        (OPEN, _) => {
            if planted(Fault::Order) {
                OPEN
            } else {
                LOST
            }
        }
        (class, _) => class,
    }
}

/// Sorts out, among the steps that are open, those that a formula's values make fall or rise. Where some step is enough the lost ones
/// are left out: they will never fall.
pub(crate) fn refine(
    rules: &Rules,
    alphabet: &Alphabet,
    steps: &Dfa,
    measure: &Measure,
    keep_lost: bool,
) -> Result<Dfa, Trouble> {
    let (order, nodes) = match measure {
        Measure::Count(terms) => {
            let weights: Vec<i32> = terms.iter().map(|(w, _)| *w).collect();
            let bound = 4 * weights.iter().map(|w| w.abs()).max().unwrap_or(1);
            (Order::Sum { weights, bound }, Nodes::new(rules, terms.iter().map(|(_, f)| f)))
        }
        Measure::FromBottom(f) => (Order::FirstCounts, Nodes::new(rules, [f])),
        Measure::FromTop(f) => (Order::LastCounts, Nodes::new(rules, [f])),
        Measure::Unsafe => unreachable!("the safe set has no formula"),
    };
    let mut values = Values::new(alphabet, nodes.map_err(Trouble::Meaning)?);
    let differences = RefCell::new(Differences::new(alphabet, &mut values, order));
    let undecided = steps.reaching(|class| class == OPEN);
    let step = |&(at, set): &(u32, u32), letter: usize| {
        let at = steps.step(at, letter)?;
        Some((at, if undecided[at as usize] { differences.borrow_mut().step(set, letter) } else { DECIDED }))
    };
    let class = |&(at, set): &(u32, u32)| match steps.class[at as usize] {
        OPEN => match differences.borrow().closed(set) {
            None => AMBIGUOUS,
            Some(change) => match refined(OPEN, change) {
                LOST if !keep_lost => 0,
                class => class,
            },
        },
        class => class,
    };
    let refined = Dfa::explore(alphabet.pairs.len(), (0, BEGUN), step, class)?;
    if values.overflowed {
        return Err(Trouble::TooLarge);
    }
    if refined.class.contains(&AMBIGUOUS) {
        return Err(Trouble::Ambiguous);
    }
    Ok(refined.minimized())
}

/// The set of runs once a step is decided: none.
const DECIDED: u32 = 0;
/// The set of runs before anything is read.
const BEGUN: u32 = 1;

/// A run on each of both configurations, with the sum of differences so far.
type Run = (u32, u32, i32);

/// How a measure differs between the configurations of a step, as a deterministic automaton: its states are sets of runs,
/// numbered, and followed as they are asked for.
struct Differences<'v, 'a> {
    alphabet: &'a Alphabet,
    values: &'v mut Values<'a>,
    order: Order,
    /// Letters that show the formulas the same are one look.
    look: Vec<u32>,
    sets: Vec<Rc<[Run]>>,
    number: HashMap<Rc<[Run]>, u32>,
    /// By set and look.
    next: HashMap<(u32, u32), u32>,
}

impl<'v, 'a> Differences<'v, 'a> {
    fn new(alphabet: &'a Alphabet, values: &'v mut Values<'a>, order: Order) -> Differences<'v, 'a> {
        let mut looks = HashMap::new();
        let shown = |pair| alphabet.both(pair).map(|letter| values.shown(letter));
        let look = (0..alphabet.pairs.len()).map(shown).map(|shown| {
            let fresh = looks.len() as u32;
            *looks.entry(shown).or_insert(fresh)
        });
        let look = look.collect();
        let sets: Vec<Rc<[Run]>> = vec![Rc::new([]), Rc::new([(START, START, 0)])];
        let number = HashMap::from([(sets[0].clone(), DECIDED), (sets[1].clone(), BEGUN)]);
        Differences { alphabet, values, order, look, sets, number, next: HashMap::new() }
    }

    fn step(&mut self, set: u32, letter: usize) -> u32 {
        if let Some(&known) = self.next.get(&(set, self.look[letter])) {
            return known;
        }
        let [before, after] = self.alphabet.both(letter);
        let mut next = Vec::new();
        for &(one, two, sum) in self.sets[set as usize].iter() {
            let changed = self.values.read(two, after);
            for &(one, bits) in self.values.read(one, before).iter() {
                next.extend(changed.iter().map(|&(two, changed)| (one, two, self.order.add(sum, [bits, changed]))));
            }
        }
        next.sort_unstable();
        next.dedup();
        let next: Rc<[Run]> = next.into();
        let number = *self.number.entry(next).or_insert_with_key(|next| {
            self.sets.push(next.clone());
            self.sets.len() as u32 - 1
        });
        self.next.insert((set, self.look[letter]), number);
        number
    }

    /// By how much the measure changes if the configurations end here; nothing if not exactly one run can end.
    fn closed(&self, set: u32) -> Option<i32> {
        let runs = self.sets[set as usize].iter();
        let mut closed = runs.filter(|run| self.values.closes(run.0) && self.values.closes(run.1));
        closed.next().filter(|_| closed.next().is_none()).map(|run| run.2)
    }
}

/// Why a measure could not be followed.
#[derive(Debug)]
pub(crate) enum Trouble {
    Meaning(String),
    TooLarge,
    /// A word without exactly one run: a mistake of this checker.
    Ambiguous,
}

impl From<TooLarge> for Trouble {
    fn from(_: TooLarge) -> Trouble {
        Trouble::TooLarge
    }
}

/// The same for the measure that is 1 outside the safe set and 0 in it: all steps come from outside.
pub(crate) fn refine_unsafe(alphabet: &Alphabet, steps: &Dfa, safe: &Dfa) -> Result<Dfa, TooLarge> {
    let step = |(at, next): &(u32, Option<u32>), letter: usize| {
        Some((steps.step(*at, letter)?, next.and_then(|s| safe.step(s, alphabet.both(letter)[1]))))
    };
    let class = |(at, next): &(u32, Option<u32>)| {
        let change = if next.is_some_and(|s| safe.class[s as usize] == 1) { -1 } else { 0 };
        refined(steps.class[*at as usize], change)
    };
    Ok(Dfa::explore(alphabet.pairs.len(), (0, Some(0)), step, class)?.minimized())
}
