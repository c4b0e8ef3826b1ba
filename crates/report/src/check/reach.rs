//! The probability of a really safe configuration within t steps.

use super::CheckReport;
use super::json::likely;
use crate::curve::Curve;
use crate::json::{OptionalFields as _, unless_empty};
use crate::number::counted;
use ringleader_check::{Bounds, Likely, Quantile, Start};
use serde_json::{Value as Json, json};
use std::io::{Result, Write};

impl CheckReport<'_> {
    /// The probability of a really safe configuration within t steps: from the worst start, the mean over all starts, and from
    /// each start of the question; the least over all daemons, and the greatest, if a daemon chooses. These are
    /// numbers in the certified intervals.
    #[must_use]
    pub fn curves(&self) -> Vec<Curve> {
        let Some(reach) = &self.found.reach else { return vec![] };
        let kinds: &[&str] = if reach.greatest.is_some() { &["min", "max"] } else { &[""] };
        // A bound of 0 or 1 is certain; the middle of the interval would miss it.
        let middle = |Bounds { low, high }: Bounds| match (low, high) {
            (0.0, _) => 0.0,
            (_, 1.0) => 1.0,
            _ => (low + high) / 2.0,
        };
        let curve = |name: String, of: &dyn Fn(&Likely) -> Bounds| {
            let greatest = |t: usize| reach.greatest.as_ref().map(|all| middle(of(&all[t])));
            let point = |(t, least): (usize, &Likely)| [middle(of(least))].into_iter().chain(greatest(t)).collect();
            Curve { name, kinds, points: reach.least.iter().enumerate().map(point).collect() }
        };
        let mean = if self.found.starts.is_some() { "mean over the starts" } else { "mean over all" };
        let mut curves =
            vec![curve("worst start".into(), &|likely| likely.worst), curve(mean.into(), &|likely| likely.mean)];
        for (at, start) in self.question.starts.iter().enumerate() {
            curves.push(curve(format!("from {}", start.name), &|likely| likely.from[at]));
        }
        curves
    }

    /// The title of a picture of the [curves](Self::curves).
    #[must_use]
    pub fn title(&self) -> String {
        let (name, given, scheduler) = (self.subject.card.name, self.subject.given(), self.question.scheduler.name());
        format!("{name}, {} {}{given}, {scheduler}", self.found.agents, self.looks.kind.members())
    }

    /// The probabilities as text.
    pub(super) fn within(&self, out: &mut impl Write) -> Result<()> {
        let Some(reach) = &self.found.reach else { return Ok(()) };
        if self.question.horizon.is_some_and(|horizon| horizon.steps.is_some()) {
            let over = if reach.greatest.is_some() { ", least and greatest over all daemons" } else { "" };
            writeln!(out, "\nprobability of a really safe configuration within t steps{over}:")?;
            write!(out, "{}", Curve::table(&self.curves()))?;
        }
        let Some(quantile) = &reach.quantile else { return Ok(()) };
        let daemon = if reach.greatest.is_some() { " against the worst daemon" } else { "" };
        writeln!(out, "\nreally safe with probability {}{daemon}:", quantile.probability)?;
        if self.found.really_safe == 0 {
            return writeln!(out, "  never, since no configuration is really safe");
        }
        for (from, range) in steps(quantile, &self.question.starts) {
            let within = match range {
                [Some(least), Some(most)] if least == most => format!("within {}", counted(least, "step")),
                [Some(least), Some(most)] => format!("within {least} to {}", counted(most, "step")),
                // The computed bounds contain the probability that is asked for, until the search ends.
                [Some(least), None] => format!(
                    "within {} up to rounding: the probability then equals {} up to rounding,",
                    counted(least, "step"),
                    quantile.probability
                ),
                _ => format!("not within {}", counted(quantile.searched, "step")),
            };
            writeln!(out, "  {within} {from}")?;
        }
        Ok(())
    }

    /// The probabilities as JSON.
    pub(super) fn within_json(&self) -> Option<Json> {
        let reach = self.found.reach.as_ref()?;
        let all = |points: &Vec<Likely>| points.iter().map(likely).collect::<Json>();
        let quantile = |quantile: &Quantile| {
            let Quantile { probability, searched, worst, mean, from, .. } = quantile;
            let range = |range: &[Option<u64>; 2]| json!({ "low": range[0], "high": range[1] });
            let steps = json!({
                "probability": probability, "searched": searched, "worst": range(worst), "mean": range(mean),
            });
            steps.with("from", unless_empty(from, range))
        };
        let object = json!({ "least": all(&reach.least) });
        Some(
            object
                .with("greatest", reach.greatest.as_ref().map(all))
                .with("quantile", reach.quantile.as_ref().map(quantile)),
        )
    }
}

/// The numbers of steps of a quantile, each with its start.
fn steps<'a>(quantile: &'a Quantile, starts: &'a [Start]) -> impl Iterator<Item = (String, [Option<u64>; 2])> + 'a {
    let from = starts.iter().zip(&quantile.from).map(|(start, steps)| (format!("from {}", start.name), *steps));
    let all =
        [("from every start", quantile.worst), ("from a start that is chosen uniformly at random", quantile.mean)];
    all.into_iter().map(|(from, steps)| (from.to_string(), steps)).chain(from)
}
