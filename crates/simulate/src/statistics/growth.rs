//! The growth of a mean over the measured sizes: exponents from one size to the next, and a choice among a few laws.
//!
//! A power fitted over all sizes averages over lower-order terms, and its interval measures the error of that average, not its distance
//! from the exponent of the law. So the exponent is shown locally, with its trend, and the power is one law among
//! others.

use super::{inverse, polynomial};

/// A mean with its standard error at a size.
pub type Mean = (f64, f64, f64);

/// The exponent between two neighbouring sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Local {
    /// The smaller size.
    pub from: f64,
    /// The larger size.
    pub to: f64,
    /// ln(y / y') / ln(x / x').
    pub exponent: f64,
    /// Its 95 % interval, from the errors of the two means.
    pub ci95: (f64, f64),
}

/// A law with at most two coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Form {
    /// c n^b
    Power,
    /// a log n
    Log,
    /// a log n + b
    LogOffset,
    /// a n
    Linear,
    /// a n + b
    LinearOffset,
    /// a n log n
    LinearLog,
    /// a n log n + b n
    LinearLogLinear,
    /// a n²
    Square,
    /// a n² + b n
    SquareLinear,
    /// a n³
    Cube,
    /// a n³ + b n²
    CubeSquare,
}

/// A term of a law, as a function of the size.
type Term = fn(f64) -> f64;

/// Every law with its formula and the terms that its coefficients multiply; a power has none.
const LAWS: [(Form, &str, &[Term]); 11] = [
    (Form::Power, "c n^b", &[]),
    (Form::Log, "a log n", &[f64::ln]),
    (Form::LogOffset, "a log n + b", &[f64::ln, |_| 1.0]),
    (Form::Linear, "a n", &[|n| n]),
    (Form::LinearOffset, "a n + b", &[|n| n, |_| 1.0]),
    (Form::LinearLog, "a n log n", &[|n| n * n.ln()]),
    (Form::LinearLogLinear, "a n log n + b n", &[|n| n * n.ln(), |n| n]),
    (Form::Square, "a n²", &[|n| n * n]),
    (Form::SquareLinear, "a n² + b n", &[|n| n * n, |n| n]),
    (Form::Cube, "a n³", &[|n| n.powi(3)]),
    (Form::CubeSquare, "a n³ + b n²", &[|n| n.powi(3), |n| n * n]),
];

impl Form {
    /// The number of laws.
    pub const COUNT: usize = LAWS.len();

    /// The law as a formula.
    #[must_use]
    pub fn formula(self) -> &'static str {
        LAWS[self as usize].1
    }

    fn terms(self) -> &'static [Term] {
        LAWS[self as usize].2
    }
}

/// A law fitted to means.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Fitted {
    /// The form of the law.
    pub form: Form,
    /// Its coefficients in the order of the formula; the second is 0 where there is only one.
    pub coefficients: (f64, f64),
    /// The sum of the squared distances of the means, each in standard errors.
    pub chi2: f64,
    /// Akaike's criterion for small samples: χ² + 2k + 2k(k + 1)/(m - k - 1), of m means and k coefficients.
    pub aicc: f64,
}

impl Fitted {
    /// The law's value at a size.
    #[must_use]
    pub fn at(&self, n: f64) -> f64 {
        let (a, b) = self.coefficients;
        match self.form.terms() {
            [] => a * n.powf(b),
            [one] => a * one(n),
            [one, two, ..] => a * one(n) + b * two(n),
        }
    }

    fn of(form: Form, points: &[Mean]) -> Option<Fitted> {
        let coefficients = match form.terms() {
            [] => power(points)?,
            [one] => (least_squares(points, [*one])?[0], 0.0),
            [one, two, ..] => least_squares(points, [*one, *two]).map(|[a, b]| (a, b))?,
        };
        // A law that finally decreases is no law of growth.
        if form != Form::Power && coefficients.0 <= 0.0 {
            return None;
        }
        let (m, k) = (points.len() as f64, if form.terms().len() == 1 { 1.0 } else { 2.0 });
        let mut fitted = Fitted { form, coefficients, chi2: 0.0, aicc: 0.0 };
        fitted.chi2 = points.iter().map(|&(x, y, error)| ((y - fitted.at(x)) / error).powi(2)).sum();
        fitted.aicc = fitted.chi2 + 2.0 * k + 2.0 * k * (k + 1.0) / (m - k - 1.0);
        Some(fitted).filter(|fitted| fitted.chi2.is_finite())
    }
}

/// The power with the least squared errors: Gauss-Newton iteration from the fit of the logarithms.
fn power(points: &[Mean]) -> Option<(f64, f64)> {
    let start = super::Fit::of(points)?;
    let (mut a, mut b) = (start.intercept.exp(), start.exponent);
    for _ in 0..20 {
        let terms: [&dyn Fn(f64) -> f64; 2] = [&|n: f64| n.powf(b), &|n: f64| a * n.powf(b) * n.ln()];
        let (mut matrix, mut right) = ([[0.0; 2]; 2], [0.0; 2]);
        for &(x, y, error) in points {
            let slopes = [terms[0](x) / error, terms[1](x) / error];
            let off = (y - a * x.powf(b)) / error;
            for i in 0..2 {
                right[i] += slopes[i] * off;
                (0..2).for_each(|j| matrix[i][j] += slopes[i] * slopes[j]);
            }
        }
        let inverse = inverse(matrix)?;
        let step = [0, 1].map(|i| inverse[i][0] * right[0] + inverse[i][1] * right[1]);
        if !step.iter().all(|step| step.is_finite()) || a + step[0] <= 0.0 {
            break;
        }
        (a, b) = (a + step[0], b + step[1]);
    }
    Some((a, b))
}

/// Weighted least squares of coefficients that multiply terms.
fn least_squares<const D: usize>(points: &[Mean], terms: [fn(f64) -> f64; D]) -> Option<[f64; D]> {
    // Scaled by their largest values, the terms stay comparable.
    let units = terms.map(|term| points.iter().map(|p| term(p.0).abs()).fold(f64::MIN_POSITIVE, f64::max));
    let (mut matrix, mut right) = ([[0.0; D]; D], [0.0; D]);
    for &(x, y, error) in points {
        let row: [f64; D] = std::array::from_fn(|i| terms[i](x) / units[i] / error);
        for i in 0..D {
            right[i] += row[i] * y / error;
            (0..D).for_each(|j| matrix[i][j] += row[i] * row[j]);
        }
    }
    let inverse = inverse(matrix)?;
    Some(std::array::from_fn(|i| (0..D).map(|j| inverse[i][j] * right[j]).sum::<f64>() / units[i]))
}

/// The growth of means over several sizes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Growth {
    /// The exponents between neighbouring sizes.
    pub local: Vec<Local>,
    /// The change of the exponent when the size doubles, with its 95 % interval; from three sizes on.
    pub trend: Option<(f64, (f64, f64))>,
    /// The laws, the one with the least [`Fitted::aicc`] first; from four sizes on, which the criterion needs.
    pub laws: Vec<Fitted>,
}

/// Laws whose criterion is this close to the least fit about as well (Burnham and Anderson 2002, section 2.6).
pub const NOT_TOLD_APART: f64 = 2.0;

impl Growth {
    /// The growth over two or more sizes.
    ///
    /// ```
    /// use ringleader_simulate::statistics::{Form, Growth};
    /// let points = [16.0, 32.0, 64.0, 128.0, 256.0].map(|n: f64| (n, 3.0 * n * n + 20.0 * n, n * n / 100.0));
    /// let growth = Growth::of(&points).unwrap();
    /// assert_eq!(growth.laws[0].form, Form::SquareLinear);
    /// assert!(growth.local.iter().all(|local| local.exponent < 2.0) && growth.trend.unwrap().0 > 0.0);
    /// ```
    #[must_use]
    pub fn of(points: &[Mean]) -> Option<Growth> {
        let usable = |p: &&Mean| p.0 > 1.0 && p.1 > 0.0 && p.2 > 0.0;
        let mut points: Vec<Mean> = points.iter().filter(usable).copied().collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        if points.len() < 2 || points.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return None;
        }
        let local = points.windows(2).map(|pair| {
            let ((x, y, e), (x2, y2, e2)) = (pair[0], pair[1]);
            let apart = (x2 / x).ln();
            let exponent = (y2 / y).ln() / apart;
            let half = 1.96 * (e / y).hypot(e2 / y2) / apart;
            Local { from: x, to: x2, exponent, ci95: (exponent - half, exponent + half) }
        });
        // On logarithmic axes: the slope of a parabola changes by 2c over a unit, by 2c ln 2 from a size to twice the size.
        let logarithmic: Vec<Mean> = points.iter().map(|&(x, y, e)| (x.ln(), y.ln(), e / y)).collect();
        let per_doubling = |c: f64| 2.0 * c * std::f64::consts::LN_2;
        let trend = polynomial::<3>(&logarithmic).map(|parabola| {
            let (c, (low, high)) = parabola[2];
            (per_doubling(c), (per_doubling(low), per_doubling(high)))
        });
        let mut laws: Vec<Fitted> = vec![];
        if points.len() >= 4 {
            laws = LAWS.iter().filter_map(|&(form, ..)| Fitted::of(form, &points)).collect();
            laws.sort_by(|a, b| a.aicc.total_cmp(&b.aicc));
        }
        Some(Growth { local: local.collect(), trend, laws })
    }

    /// The law that fits best, and those that fit about as well.
    #[must_use]
    pub fn best(&self) -> Option<(Fitted, &[Fitted])> {
        let best = *self.laws.first()?;
        let near = self.laws.iter().take_while(|law| law.aicc <= best.aicc + NOT_TOLD_APART).count();
        Some((best, &self.laws[1..near]))
    }

    /// Whether the best law fits: chance exceeds its χ² more than once in a thousand times.
    #[must_use]
    pub fn fits(&self) -> bool {
        let Some((best, _)) = self.best() else { return false };
        let k = if best.form.terms().len() == 1 { 1 } else { 2 };
        let freedom = (self.local.len() + 1 - k) as f64;
        // Wilson and Hilferty's approximation of the quantile.
        let spread = 2.0 / (9.0 * freedom);
        best.chi2 <= freedom * (1.0 - spread + 3.09 * spread.sqrt()).powi(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Generator;

    #[test]
    fn the_table_of_laws_is_in_the_order_of_the_forms() {
        assert!(LAWS.iter().enumerate().all(|(i, (form, ..))| *form as usize == i));
    }

    /// Means of a law at 16, 32, .. 512, each with a normal error in proportion to it.
    fn measured(law: impl Fn(f64) -> f64, share: f64, coin: &mut Generator) -> Vec<Mean> {
        let mut normal = || (0..12).map(|_| coin.fraction()).sum::<f64>() - 6.0;
        let at = |n: f64, normal: f64| (n, law(n) * (1.0 + share * normal), share * law(n));
        (4..10).map(|k| at(f64::from(1 << k), normal())).collect()
    }

    /// A power over all sizes is far from 2 where there is a linear term; the law with that term is the one chosen.
    #[test]
    fn lower_order_terms_are_told_from_another_exponent() {
        let mut coin = Generator::new(1);
        let (mut excluded, mut chosen) = (0, 0);
        for _ in 0..100 {
            let points = measured(|n| 4.0 * n * n - 15.0 * n, 0.01, &mut coin);
            let (low, high) = super::super::Fit::of(&points).unwrap().ci95.unwrap();
            excluded += usize::from(!(low..high).contains(&2.0));
            let growth = Growth::of(&points).unwrap();
            let (best, near) = growth.best().unwrap();
            chosen += usize::from(best.form == Form::SquareLinear || near.iter().any(|l| l.form == Form::SquareLinear));
            assert!(growth.trend.unwrap().0 < 0.0 && growth.local[0].exponent > growth.local[4].exponent);
        }
        assert!(excluded > 30, "{excluded}");
        assert!(chosen >= 95, "{chosen}");
    }

    #[test]
    fn each_law_is_recognised_in_means_of_its_own() {
        type Law = fn(f64) -> f64;
        let laws: [(Form, Law); 5] = [
            (Form::Power, |n| 2.0 * n.powf(1.5)),
            (Form::Log, |n| 7.0 * n.ln()),
            (Form::LinearLog, |n| 3.0 * n * n.ln()),
            (Form::Square, |n| 5.0 * n * n),
            (Form::CubeSquare, |n| n.powi(3) + 30.0 * n * n),
        ];
        for (form, law) in laws {
            let mut coin = Generator::new(2);
            let known = (0..100).filter(|_| {
                let growth = Growth::of(&measured(law, 0.01, &mut coin)).unwrap();
                let (best, near) = growth.best().unwrap();
                growth.fits() && (best.form == form || near.iter().any(|law| law.form == form))
            });
            let known = known.count();
            assert!(known >= 90, "{form:?}: {known}");
        }
    }

    /// Growth that no listed law describes fits none.
    #[test]
    fn a_growth_of_none_of_these_laws_does_not_fit() {
        let mut coin = Generator::new(3);
        let steps = |n: f64| if n < 100.0 { n * n } else { n * n * 3.0 };
        let fitting = (0..100).filter(|_| Growth::of(&measured(steps, 0.01, &mut coin)).unwrap().fits()).count();
        assert!(fitting < 3, "{fitting}");
    }

    /// The local exponents cover the truth nineteen times in twenty.
    #[test]
    fn local_exponents_are_covered() {
        let mut coin = Generator::new(5);
        let mut covered = 0;
        for _ in 0..200 {
            let growth = Growth::of(&measured(|n| n.powf(2.5), 0.02, &mut coin)).unwrap();
            covered += growth.local.iter().filter(|l| l.ci95.0 <= 2.5 && 2.5 <= l.ci95.1).count();
        }
        assert!((930..=970).contains(&covered), "{covered} of 1000");
    }
}
