//! Statistics of many runs: means with confidence intervals, percentiles, and their growth.

mod censored;
mod growth;

pub use censored::Censored;
pub use growth::{Fitted, Form, Growth, Local, Mean, NOT_TOLD_APART};

/// A summary of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Summary {
    /// The number of samples.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The standard error of the mean; absent with fewer than two samples.
    pub error: Option<f64>,
    /// The median.
    pub median: f64,
    /// The 90th percentile.
    pub p90: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The smallest sample.
    pub min: f64,
    /// The largest sample.
    pub max: f64,
}

impl Summary {
    /// The summary of at least one sample.
    ///
    /// ```
    /// use ringleader_simulate::statistics::Summary;
    /// let summary = Summary::of(vec![1.0, 2.0, 3.0, 10.0]).unwrap();
    /// assert_eq!((summary.mean, summary.median, summary.max), (4.0, 2.0, 10.0));
    /// assert!(Summary::of(vec![]).is_none());
    /// ```
    pub fn of(mut samples: Vec<f64>) -> Option<Summary> {
        samples.sort_by(f64::total_cmp);
        let count = samples.len();
        let (min, max) = (*samples.first()?, *samples.last()?);
        let mean = samples.iter().sum::<f64>() / count as f64;
        let squares = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let error = (count > 1).then(|| (squares / (count - 1) as f64 / count as f64).sqrt());
        // The nearest-rank percentile: a value that did occur.
        let percentile = |p: f64| samples[((p * count as f64).ceil() as usize).clamp(1, count) - 1];
        let [median, p90, p99] = [0.5, 0.9, 0.99].map(percentile);
        Some(Summary { count, mean, error, median, p90, p99, min, max })
    }

    /// The 95 % confidence interval of the mean, by Student's t. Where no sample is negative, the interval ends at 0.
    pub fn ci95(&self) -> Option<(f64, f64)> {
        let half = self.error? * student_t(self.count - 1);
        let low = self.mean - half;
        Some((if self.min >= 0.0 { low.max(0.0) } else { low }, self.mean + half))
    }
}

/// The 97.5 % quantile of Student's t with this many degrees of freedom.
fn student_t(freedom: usize) -> f64 {
    const SMALL: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    match freedom {
        0 => f64::INFINITY,
        1..=10 => SMALL[freedom - 1],
        _ => {
            // Cornish-Fisher expansion about the normal quantile; right to four digits from here on.
            let (z, v) = (1.959_964_f64, freedom as f64);
            let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
            z + (z3 + z) / (4.0 * v)
                + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * v * v)
                + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * v.powi(3))
        }
    }
}

/// A power law y = c x^b fitted on logarithmic axes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Fit {
    /// b
    pub exponent: f64,
    /// The 95 % confidence interval of b, if known.
    pub ci95: Option<(f64, f64)>,
    /// ln c
    pub intercept: f64,
}

impl Fit {
    /// Fits points (x, y, standard error of y), each weighted by its error.
    ///
    /// The interval is the larger of two: one from the errors of the points, one from their distances to the line. A law
    /// with lower-order terms is no straight line, and the interval must show that.
    ///
    /// ```
    /// use ringleader_simulate::statistics::Fit;
    /// let cubic = [10.0, 20.0, 40.0].map(|x: f64| (x, 5.0 * x.powi(3), x.powi(3) / 100.0));
    /// let fit = Fit::of(&cubic).unwrap();
    /// assert!((fit.exponent - 3.0).abs() < 1e-9);
    /// ```
    pub fn of(points: &[(f64, f64, f64)]) -> Option<Fit> {
        let usable = |&&(x, y, e): &&(f64, f64, f64)| x > 0.0 && y > 0.0 && e > 0.0;
        // The error of ln y is the relative error of y.
        let points: Vec<_> = points.iter().filter(usable).map(|&(x, y, e)| (x.ln(), y.ln(), (y / e).powi(2))).collect();
        let weight: f64 = points.iter().map(|p| p.2).sum();
        let x = points.iter().map(|p| p.2 * p.0).sum::<f64>() / weight;
        let y = points.iter().map(|p| p.2 * p.1).sum::<f64>() / weight;
        let sxx: f64 = points.iter().map(|p| p.2 * (p.0 - x).powi(2)).sum();
        if points.len() < 2 || sxx <= 0.0 {
            return None;
        }
        let exponent = points.iter().map(|p| p.2 * (p.0 - x) * (p.1 - y)).sum::<f64>() / sxx;
        let intercept = y - exponent * x;
        let chi: f64 = points.iter().map(|p| p.2 * (p.1 - intercept - exponent * p.0).powi(2)).sum();
        let freedom = points.len() - 2;
        let half = match freedom {
            0 => 1.96 / sxx.sqrt(),
            _ => (1.96 / sxx.sqrt()).max(student_t(freedom) * (chi / freedom as f64 / sxx).sqrt()),
        };
        Some(Fit { exponent, ci95: Some((exponent - half, exponent + half)), intercept })
    }

    /// The fitted value at x.
    pub fn at(&self, x: f64) -> f64 {
        (self.intercept + self.exponent * x.ln()).exp()
    }
}

/// A straight line y = a + b x, and the curvature of the points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// a, with its 95 % confidence interval.
    pub intercept: (f64, (f64, f64)),
    /// b, with its 95 % confidence interval.
    pub slope: (f64, (f64, f64)),
    /// c of the parabola a' + b' x + c x² that fits best, with its 95 % confidence interval: the points show no bend
    /// if that contains 0. Absent with fewer than three points.
    pub curvature: Option<(f64, (f64, f64))>,
}

impl Line {
    /// Fits points (x, y, standard error of y), each weighted by its error.
    ///
    /// ```
    /// use ringleader_simulate::statistics::Line;
    /// let points = [1.0, 2.0, 3.0, 5.0].map(|x: f64| (x, 7.0 + 3.0 * x, 0.1));
    /// let line = Line::of(&points).unwrap();
    /// assert!((line.slope.0 - 3.0).abs() < 1e-9 && (line.intercept.0 - 7.0).abs() < 1e-9);
    /// assert!(line.is_straight());
    /// ```
    pub fn of(points: &[(f64, f64, f64)]) -> Option<Line> {
        let line = polynomial::<2>(points)?;
        Some(Line { intercept: line[0], slope: line[1], curvature: polynomial::<3>(points).map(|p| p[2]) })
    }

    /// Whether the points show no bend: the interval of the curvature contains 0.
    pub fn is_straight(&self) -> bool {
        self.curvature.is_some_and(|(_, (low, high))| low <= 0.0 && 0.0 <= high)
    }

    /// The fitted value at x.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept.0 + self.slope.0 * x
    }
}

/// Weighted least squares: the coefficients of 1, x, x², .. and their 95 % intervals, from the errors of the points alone.
fn polynomial<const D: usize>(points: &[(f64, f64, f64)]) -> Option<[(f64, (f64, f64)); D]> {
    let points: Vec<_> = points.iter().filter(|p| p.2 > 0.0).collect();
    let mut xs: Vec<f64> = points.iter().map(|p| p.0).collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    if xs.len() < D {
        return None;
    }
    // Scaled by the largest x, the matrix stays well-conditioned.
    let unit = xs.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let mut matrix = [[0.0; D]; D];
    let mut right = [0.0; D];
    for &&(x, y, error) in &points {
        let powers: [f64; D] = std::array::from_fn(|i| (x / unit).powi(i as i32));
        for i in 0..D {
            right[i] += powers[i] * y / (error * error);
            (0..D).for_each(|j| matrix[i][j] += powers[i] * powers[j] / (error * error));
        }
    }
    let inverse = inverse(matrix)?;
    Some(std::array::from_fn(|i| {
        let scale = unit.powi(i as i32);
        let value = (0..D).map(|j| inverse[i][j] * right[j]).sum::<f64>() / scale;
        let half = 1.96 * inverse[i][i].sqrt() / scale;
        (value, (value - half, value + half))
    }))
}

/// Gauss-Jordan elimination; the matrices are positive definite, so no pivot search is needed.
fn inverse<const D: usize>(mut m: [[f64; D]; D]) -> Option<[[f64; D]; D]> {
    let mut inverse: [[f64; D]; D] = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for i in 0..D {
        let pivot = m[i][i];
        if pivot.abs() < f64::MIN_POSITIVE {
            return None;
        }
        (0..D).for_each(|j| (m[i][j], inverse[i][j]) = (m[i][j] / pivot, inverse[i][j] / pivot));
        for k in (0..D).filter(|&k| k != i) {
            let factor = m[k][i];
            for j in 0..D {
                m[k][j] -= factor * m[i][j];
                inverse[k][j] -= factor * inverse[i][j];
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Generator;

    #[test]
    fn percentiles_are_samples() {
        let summary = Summary::of((1..=100).map(f64::from).collect()).unwrap();
        assert_eq!((summary.median, summary.p90, summary.p99, summary.max), (50.0, 90.0, 99.0, 100.0));
        let single = Summary::of(vec![7.0]).unwrap();
        assert_eq!((single.mean, single.ci95()), (7.0, None));
    }

    #[test]
    fn no_interval_of_samples_without_negative_values_goes_below_0() {
        let (low, high) = Summary::of(vec![0.0, 0.0, 0.0, 9.0]).unwrap().ci95().unwrap();
        assert!(low == 0.0 && high > 2.25, "{low} {high}");
        let (low, _) = Summary::of(vec![-1.0, 0.0, 0.0, 9.0]).unwrap().ci95().unwrap();
        assert!(low < -1.0, "{low}");
    }

    #[test]
    fn quantiles_of_student() {
        // Abramowitz and Stegun, table 26.10.
        for (freedom, expected) in [(2, 4.303), (10, 2.228), (11, 2.201), (20, 2.086), (60, 2.000), (1000, 1.962)] {
            assert!((student_t(freedom) - expected).abs() < 1e-3, "{freedom}: {}", student_t(freedom));
        }
    }

    /// The interval of the exponent covers the truth about nineteen times in twenty.
    #[test]
    fn the_interval_of_an_exponent_covers_it() {
        let mut coin = Generator::new(2);
        let covered = (0..400)
            .filter(|_| {
                let points: Vec<_> = (4..11)
                    .map(|k| {
                        let x = f64::from(1 << k);
                        let noise: f64 = (0..12).map(|_| coin.fraction()).sum::<f64>() - 6.0;
                        (x, 3.0 * x.powf(2.5) * (1.0 + 0.02 * noise), 0.06 * x.powf(2.5))
                    })
                    .collect();
                let (low, high) = Fit::of(&points).unwrap().ci95.unwrap();
                (low..high).contains(&2.5)
            })
            .count();
        assert!((370..=399).contains(&covered), "{covered} of 400");
    }

    /// Slope and intercept are covered nineteen times in twenty, a straight line is called straight as often, and one that
    /// bends by a seventh over the range is not.
    #[test]
    fn a_line_is_told_from_a_bend() {
        let mut coin = Generator::new(3);
        let mut points = |bend: f64| -> Vec<_> {
            let xs = (1..8).map(|k| f64::from(100 * k));
            let mut noise = || (0..12).map(|_| coin.fraction()).sum::<f64>() - 6.0;
            xs.map(|x| (x, 5000.0 + 60.0 * x + bend * x * x + 200.0 * noise(), 200.0)).collect()
        };
        let (mut slope, mut intercept, mut straight, mut bent) = (0, 0, 0, 0);
        for _ in 0..400 {
            let line = Line::of(&points(0.0)).unwrap();
            slope += u32::from((line.slope.1.0..line.slope.1.1).contains(&60.0));
            intercept += u32::from((line.intercept.1.0..line.intercept.1.1).contains(&5000.0));
            straight += u32::from(line.is_straight());
            bent += u32::from(!Line::of(&points(60.0 * 0.15 / 700.0)).unwrap().is_straight());
        }
        assert!([slope, intercept, straight].iter().all(|c| (365..=394).contains(c)), "{slope} {intercept} {straight}");
        assert!(bent > 390, "{bent}");
    }
}
