//! The probability that a set is reached within t steps, for t = 0, 1, ..: backward induction.
//!
//! Let y(t, c) be the probability that the set is not reached within t steps from c. Outside the set, y(0, c) = 1, and
//! y(t + 1, c) is the mean of y(t, ·) over the steps of c; if a daemon chooses, the greatest or the least of the means of
//! its choices. A mean does not enlarge errors, and computing it adds at most one `slack`. So after t steps every value is
//! known to within t times that, and no bound rests on values having stopped changing.

use super::bounds::{Equations, Row, Successors, choice_row, get};
use super::descent::Descent;
use crate::decision::{Choices, Extreme};
use crate::question::Horizon;
use crate::report::{Bounds, Likely, Quantile, Reach};
use crate::space::{Bits, Markov};
use crate::{Monitor, Stop};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The search for a quantile ends after this many terms of the equations: some minutes.
const MOST_TERMS: u64 = 1 << 36;
/// If the set is not always reached, the search for a quantile ends after this many steps.
pub(crate) const MOST_STEPS: u64 = 1 << 20;

/// The probabilities of reaching a set of one graph. The set must contain every node that is not a configuration.
pub(crate) struct Prospect<'a, G> {
    pub(crate) graph: &'a G,
    pub(crate) target: &'a Bits,
    /// The nodes at which executions start, unless they start everywhere.
    pub(crate) among: Option<&'a Bits>,
    /// The number of starts of which a mean is taken.
    pub(crate) count: u64,
    /// The nodes of each given start.
    pub(crate) starts: Vec<Vec<u32>>,
    /// Whether the set is reached with probability 1 from everywhere.
    pub(crate) reached: bool,
    pub(crate) horizon: Horizon,
    pub(crate) monitor: &'a Monitor,
}

impl<G: Markov> Prospect<'_, G> {
    /// The probabilities in a Markov chain.
    pub(crate) fn by_chance(&self, successors: &Successors<'_>) -> Result<Reach, Stop> {
        let (least, quantile) = self.curve(successors)?;
        Ok(Reach { least, greatest: None, quantile })
    }

    /// The probabilities against the worst daemon and with the best one.
    pub(crate) fn against(&self, choices: &Choices) -> Result<Reach, Stop> {
        let (least, quantile) = self.curve(&Successors::Chosen(choices, Extreme::Worst))?;
        let steps = Some(least.len() as u64 - 1);
        let horizon = Horizon { steps, quantile: None };
        let best = Prospect { starts: self.starts.clone(), horizon, ..*self };
        let (greatest, _) = best.curve(&Successors::Chosen(choices, Extreme::Best))?;
        Ok(Reach { least, greatest: Some(greatest), quantile })
    }

    fn curve(&self, successors: &Successors<'_>) -> Result<(Vec<Likely>, Option<Quantile>), Stop> {
        let Prospect { graph, target, monitor, .. } = *self;
        let len = graph.size();
        let outside = |node: u32| f64::from(u8::from(!target.contains(node))).to_bits();
        let values = (0..len as u32).map(|node| AtomicU64::new(outside(node))).collect();
        let mut next: Vec<AtomicU64> = (0..len).map(|_| AtomicU64::new(0)).collect();
        let (among, total, ahead, descent) = (self.among, graph.total() as f64, vec![], Descent::default());
        let mut equations = Equations { graph, steps: successors, target, among, values, total, ahead, descent };
        let slack = (successors.terms(graph) as f64 + 4.0) * f64::EPSILON;
        let terms = len.saturating_mul(successors.terms(graph)).max(1);
        let most = if self.reached { MOST_TERMS / terms + 1 } else { (MOST_TERMS / terms + 1).min(MOST_STEPS) };
        let first = self.point(&equations, successors, 0.0);
        curve(self.horizon, most, first, |t| {
            monitor.enter(format!("probabilities within {t} steps"), Some(len));
            equations.look_ahead(monitor)?;
            let changed = self.step(&equations, &next)?;
            std::mem::swap(&mut equations.values, &mut next);
            Ok((self.point(&equations, successors, t as f64 * slack), changed))
        })
    }

    /// One step of the induction. Returns whether any value changed.
    fn step(&self, equations: &Equations<'_, G>, next: &[AtomicU64]) -> Result<bool, Stop> {
        let values = &equations.values;
        let visit = |changed: &mut bool, range: Range<u64>| {
            let mut store = |c: u32, mean: f64| {
                *changed |= mean.to_bits() != values[c as usize].load(Relaxed);
                next[c as usize].store(mean.to_bits(), Relaxed);
            };
            match equations.steps {
                Successors::Chosen(choices, extreme) => {
                    for c in range.map(|c| c as u32).filter(|&c| !self.target.contains(c)) {
                        let x = get(values, c);
                        let means = choices.of(c).map(|choice| mean(&choice_row(values, c, choices, choice), x));
                        let most = match extreme {
                            Extreme::Worst => means.max_by(f64::total_cmp),
                            Extreme::Best => means.min_by(f64::total_cmp),
                        };
                        store(c, most.unwrap_or(x));
                    }
                }
                _ => equations.rows(range, false, |row: Row| store(row.c, mean(&row, get(values, row.c)))),
            }
        };
        let changed = self.monitor.blocks(values.len() as u64, equations.block(), visit, || false)?;
        Ok(changed.contains(&true))
    }

    /// The probabilities for all values, each of which is known to within `error`.
    fn point(&self, equations: &Equations<'_, G>, successors: &Successors<'_>, error: f64) -> Likely {
        let best = matches!(successors, Successors::Chosen(_, Extreme::Best));
        let values = &equations.values;
        let (mut worst, mut sum) = (0.0_f64, 0.0);
        let begins = |c: &u32| self.among.is_none_or(|starts| starts.contains(*c));
        for c in self.target.missing().filter(begins) {
            let y = get(values, c);
            worst = worst.max(y);
            sum += y * self.graph.members(c) as f64;
        }
        let from = |nodes: &Vec<u32>| {
            let outside = nodes.iter().map(|&c| get(values, c));
            let all = if best { outside.min_by(f64::total_cmp) } else { outside.max_by(f64::total_cmp) };
            reached(all.unwrap_or(0.0), error)
        };
        let rounding = values.len() as f64 * f64::EPSILON;
        let mean = reached(sum / self.count as f64, error + rounding);
        Likely { worst: reached(worst, error), mean, from: self.starts.iter().map(from).collect() }
    }
}

/// The mean of the values after a step. A positive mean stays positive, so that 0 means that the set is reached.
#[inline]
fn mean(row: &Row, x: f64) -> f64 {
    let sum = row.moves + row.stay * x;
    if sum > 0.0 { (sum / row.whole).max(f64::MIN_POSITIVE) } else { 0.0 }
}

/// The probability of having reached the set.
fn reached(outside: f64, error: f64) -> Bounds {
    if outside == 0.0 {
        return Bounds { low: 1.0, high: 1.0 };
    }
    Bounds { low: (1.0 - outside - error).max(0.0), high: (1.0 - outside + error).min(1.0) }
}

/// The probabilities within 0, 1, .. steps, and the quantile, as far as they are asked for; for the quantile, of at most so many steps.
/// `after` takes one step more: it has the probabilities within so many steps, and whether any changed.
pub(crate) fn curve(
    horizon: Horizon,
    most: u64,
    first: Likely,
    mut after: impl FnMut(u64) -> Result<(Likely, bool), Stop>,
) -> Result<(Vec<Likely>, Option<Quantile>), Stop> {
    let mut search = horizon.quantile.map(|q| Search::new(q, first.from.len()));
    let mut points = vec![first];
    search.iter_mut().for_each(|search| search.see(0, &points[0]));
    for t in 1.. {
        let asked = horizon.steps.is_some_and(|steps| t <= steps);
        let searching = search.as_ref().is_some_and(Search::goes_on);
        if !asked && (!searching || t > most) {
            break;
        }
        let (point, changed) = after(t)?;
        search.iter_mut().for_each(|search| search.see(t, &point));
        if asked || horizon.steps.is_none() {
            points.push(point);
        }
        if !asked && !changed {
            break;
        }
    }
    Ok((points, search.map(|search| search.quantile)))
}

/// The search for the steps after which probabilities are large enough.
struct Search {
    quantile: Quantile,
}

impl Search {
    fn new(probability: f64, starts: usize) -> Search {
        let unknown = [None, None];
        Search {
            quantile: Quantile { probability, searched: 0, worst: unknown, mean: unknown, from: vec![unknown; starts] },
        }
    }

    /// Whether some probability is still too small. The mean and every start are at least the worst.
    fn goes_on(&self) -> bool {
        let Quantile { worst, mean, from, .. } = &self.quantile;
        [worst, mean].into_iter().chain(from).any(|[_, surely]| surely.is_none())
    }

    fn see(&mut self, t: u64, point: &Likely) {
        let Quantile { probability, searched, worst, mean, from } = &mut self.quantile;
        *searched = t;
        let look = |[perhaps, surely]: &mut [Option<u64>; 2], bounds: Bounds| {
            // Probability 1 is exact: it means that no execution is outside, and then both bounds are 1.
            let enough = if *probability < 1.0 { bounds.high } else { bounds.low };
            if enough >= *probability {
                perhaps.get_or_insert(t);
            }
            if bounds.low >= *probability {
                surely.get_or_insert(t);
            }
        };
        look(worst, point.worst);
        look(mean, point.mean);
        from.iter_mut().zip(&point.from).for_each(|(steps, bounds)| look(steps, *bounds));
    }
}
