//! Samples of which some hit a limit (censored samples): the statistics that are still known.

/// A summary of samples some of which are only known to exceed a value.
///
/// The mean of the others estimates nothing: the longest samples are missing. Known are a lower bound of the mean of all
/// samples, and the quantiles below the first sample that hit the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Censored {
    /// The number of samples.
    pub count: usize,
    /// The number of samples that hit the limit.
    pub cut: usize,
    /// A lower bound of the mean.
    pub at_least: f64,
    /// The median, if known.
    pub median: Option<f64>,
    /// The 90th percentile, if known.
    pub p90: Option<f64>,
    /// The 99th percentile, if known.
    pub p99: Option<f64>,
}

impl Censored {
    /// Summarizes samples, each with whether it hit the limit there; `None` if none did.
    ///
    /// ```
    /// use ringleader_simulate::statistics::Censored;
    /// let some = Censored::of(vec![(1.0, false), (10.0, true), (2.0, false), (10.0, true)]).unwrap();
    /// assert_eq!((some.cut, some.at_least), (2, 5.75));
    /// assert_eq!((some.median, some.p90), (Some(2.0), None));
    /// assert!(Censored::of(vec![(1.0, false)]).is_none());
    /// ```
    #[must_use]
    pub fn of(mut samples: Vec<(f64, bool)>) -> Option<Censored> {
        let (count, cut) = (samples.len(), samples.iter().filter(|(_, cut)| *cut).count());
        if cut == 0 {
            return None;
        }
        // A censored sample may lie anywhere beyond its value.
        samples.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let known = samples.iter().take_while(|(_, cut)| !cut).count();
        let percentile = |p: f64| {
            let rank = ((p * count as f64).ceil() as usize).clamp(1, count);
            (rank <= known).then(|| samples[rank - 1].0)
        };
        let at_least = samples.iter().map(|(value, _)| value).sum::<f64>() / count as f64;
        Some(Censored { count, cut, at_least, median: percentile(0.5), p90: percentile(0.9), p99: percentile(0.99) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Summary;

    /// The statistics of censored samples are true of the uncensored ones.
    #[test]
    fn statistics_of_censored_samples_are_true_of_all_samples() {
        let mut coin = crate::Generator::new(4);
        for _ in 0..200 {
            let whole: Vec<f64> = (0..50).map(|_| -coin.fraction().ln() * 100.0).collect();
            let limit = 20.0 + 300.0 * coin.fraction();
            let truth = Summary::of(whole.clone()).unwrap();
            let Some(seen) = Censored::of(whole.iter().map(|&x| (x.min(limit), x > limit)).collect()) else { continue };
            assert!(seen.at_least <= truth.mean);
            for (known, true_value) in [(seen.median, truth.median), (seen.p90, truth.p90), (seen.p99, truth.p99)] {
                assert!(known.is_none_or(|known| known == true_value), "{seen:?}, {truth:?}");
            }
            assert_eq!(seen.median.is_some(), truth.median <= limit);
        }
    }

    #[test]
    fn no_quantile_is_known_if_the_least_sample_is_censored() {
        let none = Censored::of(vec![(0.0, true), (3.0, false), (4.0, false)]).unwrap();
        assert_eq!((none.median, none.p90, none.cut), (None, None, 1));
    }
}
