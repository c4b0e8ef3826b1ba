//! Open steps: those on which all measures so far are equal.

use crate::formulas::expr::{Measure, Mode};
use crate::measures::order::{MODES, falling};
use crate::watch::Cancel;

/// A configuration with the targets of its open steps: those on which all measures so far are equal. With fair coins, with those of one
/// choice of the daemon.
#[derive(Clone)]
pub(crate) struct Open {
    pub(crate) word: u32,
    /// Its number in the sample.
    pub(crate) source: u32,
    /// Whether all its steps are open.
    pub(crate) whole: bool,
    pub(crate) steps: Vec<u32>,
}

/// All open steps, each with the configuration that it starts from.
pub(crate) fn steps(open: &[Open]) -> Vec<(u32, u32)> {
    open.iter().flat_map(|o| o.steps.iter().map(|&target| (o.word, target))).collect()
}

/// The sign of a measure's change on a step, from the values of its terms before and after.
fn change(measure: &Measure, before: &[u16], after: impl Fn(usize) -> u16) -> i64 {
    let count = |bits: u16| i64::from(bits.count_ones());
    match measure {
        Measure::Unsafe => count(after(0)) - count(before[0]),
        Measure::Of(Mode::Count, terms) => {
            let change =
                |(i, (weight, _)): (usize, &(i32, _))| i64::from(*weight) * (count(after(i)) - count(before[i]));
            terms.iter().enumerate().map(change).sum()
        }
        Measure::Of(mode, _) => {
            let order = MODES.iter().position(|m| m == mode).expect("one of them");
            let (falls, equal) = falling(before[0], after(0));
            if equal >> order & 1 == 1 { 0 } else { 1 - 2 * i64::from(falls >> order & 1) }
        }
    }
}

/// The open steps after one more measure. `value` gives the values of its terms.
///
/// If `every` step must fall, steps on which the measure falls are closed, and a configuration with a step on which it rises is an
/// error. Otherwise a configuration is closed if the measure falls on one of its steps.
pub(crate) fn remaining(
    measure: &Measure,
    every: bool,
    open: &[Open],
    value: impl Fn(usize, u32) -> u16,
    cancel: Cancel,
) -> Result<Vec<Open>, u32> {
    let (mut rest, mut before) = (vec![], vec![]);
    for &Open { word, source, whole, steps: ref targets } in open.iter().take_while(|_| !cancel.asked()) {
        before.clear();
        before.extend((0..measure.terms().max(1)).map(|i| value(i, word)));
        let (mut steps, mut falls) = (vec![], false);
        for &target in targets {
            match change(measure, &before, |i| value(i, target)) {
                0 => steps.push(target),
                1.. if every => return Err(word),
                1.. => {}
                _ => falls = true,
            }
            if falls && !every {
                break;
            }
        }
        if if every { !steps.is_empty() } else { !falls } {
            rest.push(Open { word, source, whole: whole && steps.len() == targets.len(), steps });
        }
    }
    Ok(rest)
}
