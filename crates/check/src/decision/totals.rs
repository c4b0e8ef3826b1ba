//! The greatest expected total of the rewards of choices until a set is reached, as a certified interval.
//!
//! Rewards may be 0, so no bound compares totals with rewards; it compares them with steps. Let t be at least 1 + P t for
//! every choice. If r + P x is at most x + a for every choice, then x + a t is at least the greatest total, and if it is at
//! least x - b for some choice of every node, then x - b t is at most that total (optional stopping). So t and one more
//! sweep over any values x bound the totals of all nodes at once.

use super::collapsed::Collapsed;
use crate::decision::{Choices, EndComponent};
use crate::report::Bounds;
use crate::space::{Bits, Markov as _};
use crate::{Monitor, Stop};

/// No search for narrow bounds takes more sweeps.
const MOST_SWEEPS: u32 = 1 << 20;

/// The rewards of a decision process.
#[derive(Debug)]
pub struct Rewards<'a> {
    /// The decision process.
    pub choices: &'a Choices,
    /// For each choice, the sum of the rewards of its outcomes, each times its weight.
    pub weighted: &'a [f64],
    /// The set that ends the count. Every daemon reaches it that leaves the end components.
    pub target: &'a Bits,
    /// The maximal end components outside the target. They earn nothing, so each is one node.
    pub inner: &'a [EndComponent],
}

/// The greatest totals from every node.
#[derive(Debug)]
pub struct Totals {
    values: Vec<f64>,
    /// A bound on the steps, and the factors of it that bound the error of the values.
    steps: Vec<f64>,
    below: f64,
    above: f64,
    /// The node that stands for each node's end component.
    leader: Vec<u32>,
}

impl Totals {
    /// The total from one node.
    pub fn at(&self, node: u32) -> Bounds {
        let leader = self.leader[node as usize] as usize;
        let (x, t) = (self.values[leader], self.steps[leader]);
        let rounding = 4.0 * f64::EPSILON;
        let low = (x - self.below * t) * (1.0 - rounding);
        Bounds { low: low.max(0.0), high: (x + self.above * t) * (1.0 + rounding) }
    }
}

/// The equations of the totals.
impl Collapsed<'_> {
    /// One step each; a repeated choice is one step.
    fn steps(_: u32, whole: f64) -> f64 {
        whole
    }

    /// The rounding error of one value, of values up to `greatest`.
    fn slack(&self, greatest: f64) -> f64 {
        let terms = self.choices.steps_at_most() as f64 + 4.0;
        4.0 * terms * f64::EPSILON * (greatest + 1.0)
    }

    /// Replaces every value by the greatest one of its choices. Returns the largest change and the largest value.
    fn sweep(&self, values: &mut [f64], earned: impl Fn(u32, f64) -> f64) -> (f64, f64) {
        let (mut change, mut most) = (0.0_f64, 0.0_f64);
        for &node in self.open.iter().rev() {
            let next = self.greatest(values, node, &earned);
            change = change.max((next - values[node as usize]).abs());
            most = most.max(next);
            values[node as usize] = next;
        }
        (change, most)
    }

    /// By how much the values fall short of their choices at most, and by how much they exceed them.
    fn measure(&self, values: &[f64], earned: impl Fn(u32, f64) -> f64) -> [f64; 2] {
        let differences = self.open.iter().map(|&node| self.greatest(values, node, &earned) - values[node as usize]);
        differences.fold([0.0; 2], |[short, over], d| [f64::max(short, d), f64::max(over, -d)])
    }

    /// At least 1 + P t for every choice.
    fn bound_steps(&self, monitor: &Monitor) -> Result<Vec<f64>, Stop> {
        let mut values = vec![0.0; self.leader.len()];
        for sweep in 1.. {
            monitor.enter(format!("a bound on the steps, sweep {sweep}"), None);
            monitor.check()?;
            let (change, most) = self.sweep(&mut values, Self::steps);
            if change > 0.25 && sweep < MOST_SWEEPS {
                continue;
            }
            let left = 1.0 - self.measure(&values, Self::steps)[0] - self.slack(most);
            if left >= 0.5 || sweep >= MOST_SWEEPS {
                let scale = if left > 0.0 { (1.0 + 4.0 * f64::EPSILON) / left } else { f64::INFINITY };
                values.iter_mut().filter(|x| **x > 0.0).for_each(|x| *x *= scale);
                break;
            }
        }
        Ok(values)
    }
}

impl Rewards<'_> {
    /// The greatest totals, to this relative width of the largest one if rounding allows it. `what` names the rewards.
    pub fn totals(&self, what: &str, width: f64, monitor: &Monitor) -> Result<Totals, Stop> {
        let collapsed = Collapsed::new(self.choices, self.inner, |node| self.target.contains(node));
        let steps = collapsed.bound_steps(monitor)?;
        let longest = collapsed.open.iter().map(|&node| steps[node as usize]).fold(0.0, f64::max);
        // A choice that may repeat earns its reward each time.
        let earned = |choice: u32, _: f64| self.weighted[choice as usize];
        let mut values = vec![0.0; steps.len()];
        let mut sweeps = 0_u32;
        let (short, over) = loop {
            sweeps += 1;
            monitor.enter(format!("expected {what}, sweep {sweeps}"), None);
            monitor.check()?;
            let (change, most) = collapsed.sweep(&mut values, earned);
            let enough = width * most / 4.0;
            if change * longest > enough && !sweeps.is_multiple_of(64) && sweeps < MOST_SWEEPS {
                continue;
            }
            let slack = collapsed.slack(most);
            let [short, over] = collapsed.measure(&values, earned);
            if (short + over) * longest <= enough || short + over <= slack || sweeps >= MOST_SWEEPS {
                break (short + slack, over + slack);
            }
        };
        Ok(Totals { values, steps, below: over, above: short, leader: collapsed.leader })
    }
}
