//! Solves x = 1 + P x for all configurations at once, by the conjugate residual method with restarts (Eisenstat, Elman,
//! Schultz 1983): each step makes the residual as short as the directions so far allow. Values alone are found here; their
//! bounds are proved afterwards.

use crate::Stop;

/// After this many directions, they are forgotten.
const DIRECTIONS: usize = 16;

/// The state of the solution.
#[derive(Debug, Default)]
pub(crate) struct Descent {
    residual: Vec<f64>,
    /// A change of the values, and the change of the residual by it, of length 1.
    directions: Vec<[Vec<f64>; 2]>,
}

impl Descent {
    /// The bytes besides the values, for this many nodes.
    pub(crate) fn bytes(nodes: u64) -> u64 {
        nodes.saturating_mul(8 * (2 * DIRECTIONS as u64 + 4))
    }

    /// Improves the values. `residual` computes 1 + P x - x, and `reduced` d - P d; both are 0 inside the target.
    /// Returns the difference between the greatest and the least residual, or 0.
    pub(super) fn improve(
        &mut self,
        values: &mut [f64],
        residual: impl Fn(&[f64]) -> Result<Vec<f64>, Stop>,
        reduced: impl Fn(&[f64]) -> Result<Vec<f64>, Stop>,
    ) -> Result<f64, Stop> {
        if self.residual.is_empty() || self.directions.len() == DIRECTIONS {
            self.directions.clear();
            // A plain step ends every standstill.
            add(values, 1.0, &residual(values)?);
            self.residual = residual(values)?;
        }
        let mut change = self.residual.clone();
        let mut effect = reduced(&change)?;
        for [known, its] in &self.directions {
            let along = dot(&effect, its);
            add(&mut effect, -along, its);
            add(&mut change, -along, known);
        }
        let length = dot(&effect, &effect).sqrt();
        if length > 0.0 {
            let far = dot(&self.residual, &effect) / length / length;
            add(values, far, &change);
            add(&mut self.residual, -far, &effect);
            [&mut change, &mut effect].into_iter().flatten().for_each(|x| *x /= length);
            self.directions.push([change, effect]);
        } else {
            self.residual.clear();
        }
        let ends = |(low, high): (f64, f64), &x: &f64| (low.min(x), high.max(x));
        let (low, high) = self.residual.iter().fold((0.0, 0.0), ends);
        Ok(high - low)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Several sums at once need not wait for each other.
    let mut sums = [0.0; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    for (a, b) in a.zip(b) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (x, y))| *sum += x * y);
    }
    sums.iter().sum::<f64>() + rest
}

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, x)| *to += factor * x);
}
