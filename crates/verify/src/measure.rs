//! How values of formulas change from one configuration to another: the automaton of steps, refined measure by measure.

use crate::Rejection;
use crate::automaton::{Dfa, Numbered, START};
use crate::rejection::ensure;
use crate::ring::{Ring, Run, closes};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// A step whose measures so far do not rise: equal, or lower.
pub(crate) const OPEN: u8 = 1;
/// A step with a measure that falls, those before it not rising.
pub(crate) const FALLS: u8 = 2;
/// A step of which neither is shown.
pub(crate) const LOST: u8 = 3;

/// A word on which a formula has no value, or two.
const AMBIGUOUS: u8 = 4;

/// More runs at once, and more of one measure in all, are not followed: that would take minutes, and all memory.
const AT_ONCE: usize = 1 << 22;
const IN_ALL: usize = 1 << 26;

/// How what is read at agents 0 to n-1, before and after, adds up to a number.
pub(crate) enum Order {
    /// The number of values after that are true, up to 2.
    Total,
    /// By how much a weighted sum of the true values grows, within bounds.
    Growth(Vec<i32>),
    /// Which way the first difference goes; the last.
    First,
    Last,
    /// 1 if a value that was true before is false after, at some agent.
    Lapse,
}

impl Order {
    /// The number so far, with one agent more. Growth is rounded up, if at all; above its bound it stays there.
    fn add(&self, number: i32, before: u64, after: u64) -> i32 {
        let change = (after & 1) as i32 - (before & 1) as i32;
        match self {
            Order::Total => (number + after.count_ones() as i32).min(2),
            Order::Lapse => number | (before & !after & 1) as i32,
            Order::First => [number, change][usize::from(number == 0)],
            Order::Last => [change, number][usize::from(change == 0)],
            Order::Growth(weights) => {
                let bound = 4 * weights.iter().map(|w| w.abs()).max().unwrap_or(1);
                let value = |bits: u64, i: usize| (bits >> i & 1) as i32;
                let change: i32 = (0..weights.len()).map(|i| weights[i] * (value(after, i) - value(before, i))).sum();
                if number > bound { number } else { (number + change).clamp(-bound, bound + 1) }
            }
        }
    }
}

/// A step's class, given the one before and how a measure changes.
pub(crate) fn judged(class: u8, change: i32) -> u8 {
    match (class, change) {
        (OPEN, ..=-1) => FALLS,
        (OPEN, 1..) => LOST,
        (class, _) => class,
    }
}

/// The words of an automaton, sorted once more: by their class, and by the number that formulas' values add up to on two configurations
/// which each word `shows`. All runs on both are followed at once, each with its number so far.
pub(crate) fn refined(
    words: &Dfa,
    shows: impl Fn(usize) -> [usize; 2],
    ring: &Ring,
    order: &Order,
    class: impl Fn(u8, i32) -> u8,
) -> Result<Dfa, Rejection> {
    let left = Cell::new(IN_ALL);
    let read = |runs: &[(Option<Run>, Option<Run>, i32)], [one, two]: [usize; 2]| {
        let mut next = Vec::new();
        for &(before, after, number) in runs {
            for (before, old) in ring.read(before, one) {
                next.extend(ring.read(after, two).map(|(after, new)| (before, after, order.add(number, old, new))));
                if next.len() > left.get().min(AT_ONCE) {
                    left.set(0);
                    return Vec::new();
                }
            }
        }
        left.set(left.get() - next.len());
        next.sort_unstable();
        next.dedup();
        next
    };
    let mut sets = Numbered::new(vec![(None, None, 0)]);
    let settled = sets.number(Vec::new());
    let unsettled = words.reaching(OPEN);
    let sets = RefCell::new(sets);
    let mut known = HashMap::new();
    let step = |&(at, set): &(u32, u32), letter: usize| {
        let at = words.step(at, letter)?;
        if !unsettled[at as usize] {
            return Some((at, settled));
        }
        let shown = shows(letter).map(|letter| ring.look[letter]);
        let next = known.entry((set, shown)).or_insert_with(|| {
            let mut sets = sets.borrow_mut();
            let next = read(&sets.all[set as usize].clone(), shown);
            sets.number(next)
        });
        Some((at, *next))
    };
    let sorted = |&(at, set): &(u32, u32)| {
        let runs = &sets.borrow().all[set as usize];
        let numbers: Vec<i32> = runs.iter().filter(|r| closes(r.0) && closes(r.1)).map(|r| r.2).collect();
        match (words.class[at as usize], numbers.as_slice()) {
            (OPEN, [number]) => class(OPEN, *number),
            (OPEN, _) => AMBIGUOUS,
            (known, _) => known,
        }
    };
    let sorted = Dfa::new(words.letters, (START, 0), step, sorted)?;
    if left.get() == 0 {
        return Err(Rejection::TooLarge);
    }
    let sound = !sorted.class.contains(&AMBIGUOUS);
    ensure(sound, || "the checker contradicts itself: a formula with no value, or two; please report this".into())?;
    Ok(sorted)
}
