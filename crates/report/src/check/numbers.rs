//! The numbers of a report as text: steps, moves, rounds and probabilities.

use super::Hints;
use super::text::{Printer, own_is_same, waits};
use crate::number::{counted, joined};
use crate::ring;
use ringleader_check::{Bounds, ClaimReport, Likely, Reaching, Report, Time, Times, Value};
use std::io::{Result, Write};

impl<W: Write> Printer<'_, W> {
    /// Steps, moves and probabilities: of the goal, then of each claim.
    pub(super) fn numbers(&mut self) -> Result<()> {
        let found = self.report.found;
        let best = &found.best_expected_steps;
        let daemon = if best.is_some() { " against the worst daemon" } else { "" };
        let kinds: [(&str, &str, &Option<Times>); 5] = [
            ("steps", "", &found.steps),
            ("moves", "", &found.moves),
            ("expected steps", daemon, &found.expected_steps),
            ("expected moves", daemon, &found.expected_moves),
            ("expected steps", " with the best daemon", best),
        ];
        // If the sets are the same, their times are, too, with one exception.
        let two = has_two_targets(found);
        for (what, daemon, times) in kinds {
            let Some(times) = times else { continue };
            let targets = [("really safe", &times.to_really_safe), ("own safe set", &times.to_own_safe)];
            for (target, time) in targets.into_iter().take(if two { 2 } else { 1 }) {
                self.time(&format!("{what} to {target}{daemon}"), time)?;
            }
        }
        self.probabilities("convergence", &found.least_probability, &found.greatest_probability)?;
        for (delay, to) in [(&found.delay, ""), (&found.own_delay, " to own safe set")] {
            if let Some(delay) = delay.as_ref().filter(|_| two || to.is_empty()) {
                writeln!(self.out, "\nexpected steps{to} against the worst daemon: unbounded, since {}", delay.shows)?;
                self.strategy(delay)?;
            }
        }
        if let Some(worst) = &found.worst_strategy {
            writeln!(self.out, "\nexpected steps to really safe: {}", worst.shows)?;
            self.strategy(worst)?;
        }
        for ClaimReport { name, reaching, .. } in &found.claims {
            let Some(reaching) = reaching else { continue };
            for (what, daemon, time) in times(reaching) {
                self.time(&format!("{what} to {name}{daemon}"), time)?;
            }
            self.probabilities(name, &reaching.least_probability, &reaching.greatest_probability)?;
            if let Some(delay) = &reaching.delay {
                let shows = &delay.shows;
                writeln!(self.out, "\nexpected steps to {name} against the worst daemon: unbounded, since {shows}")?;
                self.strategy(delay)?;
            }
        }
        Ok(())
    }

    /// A time, with the start that attains the worst case and the times from the given starts.
    fn time(&mut self, what: &str, time: &Option<Time>) -> Result<()> {
        let Some(time) = time else { return Ok(()) };
        let (from, hints) = (starts(self.report.found), self.hints);
        writeln!(self.out, "\n{what}{from}: worst {}, mean {}", number(&time.worst, hints), number(&time.mean, hints))?;
        self.show_worst(&time.worst_start)?;
        if let Some(turns) = &time.worst_turns {
            writeln!(self.out, "    before their left neighbours step: {}", joined(turns, ", "))?;
        }
        for (start, value) in self.report.question.starts.iter().zip(&time.from) {
            writeln!(self.out, "  from {}: {}", start.name, number(value, hints))?;
        }
        Ok(())
    }

    /// The probability of a set, or the least and the greatest one over all daemons.
    fn probabilities(&mut self, of: &str, least: &Option<Likely>, greatest: &Option<Likely>) -> Result<()> {
        let from = starts(self.report.found);
        for (kind, likely) in kinds(least, greatest) {
            let Some(likely) = likely else { continue };
            let (worst, mean) = (probability(likely.worst), probability(likely.mean));
            writeln!(self.out, "\n{kind} of {of}{from}: worst {worst}, mean {mean}")?;
            for (start, bounds) in self.report.question.starts.iter().zip(&likely.from) {
                writeln!(self.out, "  from {}: {}", start.name, probability(*bounds))?;
            }
        }
        Ok(())
    }

    /// Rounds to the really safe set.
    pub(super) fn rounds(&mut self) -> Result<()> {
        let (found, hints) = (self.report.found, self.hints);
        let Some(rounds) = &found.rounds else { return Ok(()) };
        let expected = if rounds.expected { "expected " } else { "" };
        let daemon = if found.against_daemon { " against the worst daemon" } else { "" };
        let times = match (&rounds.worst, &rounds.mean) {
            (Some(worst), Some(mean)) => format!("worst {}, mean {}", number(worst, hints), number(mean, hints)),
            (Some(worst), None) => format!("worst {}", number(worst, hints)),
            (None, _) => "unbounded".into(),
        };
        writeln!(self.out, "\n{expected}rounds to really safe{daemon}{}: {times}", starts(found))?;
        self.show_worst(&rounds.worst_start)
    }

    /// The configuration that attains a worst case.
    fn show_worst(&mut self, states: &[u32]) -> Result<()> {
        let looks = self.report.looks;
        writeln!(self.out, "  worst from {}", ring::line(&looks.marks(states), None, self.width))?;
        for (i, state) in looks.states(states).iter().enumerate() {
            writeln!(self.out, "    {} {i}: {state}", looks.kind.member())?;
        }
        Ok(())
    }
}

/// Whether the own safe set is named and differs from the really safe one. Under the alternating scheduler their times differ even if
/// the sets do not: a configuration counts as really safe only if it is safe with every orientation of its tokens.
fn has_two_targets(found: &Report) -> bool {
    found.own_is_named && (found.product_states.is_some() || !own_is_same(found))
}

/// The numbers of a claim, in words: the worst time between two visits, or whether and when its set is reached.
#[must_use]
pub fn measured(claim: &ClaimReport) -> Option<String> {
    let Some(reaching) = &claim.reaching else {
        return claim.service.as_ref().map(|service| waits(claim.promise, service));
    };
    let hints = Hints::default();
    let mut words = vec![];
    for (what, daemon, time) in times(reaching) {
        words.extend(time.as_ref().map(|time| {
            format!("{what}{daemon}: worst {}, mean {}", number(&time.worst, hints), number(&time.mean, hints))
        }));
    }
    if reaching.delay.is_some() {
        words.push("expected steps against the worst daemon: unbounded".into());
    }
    for (kind, likely) in kinds(&reaching.least_probability, &reaching.greatest_probability) {
        words.extend(
            likely.as_ref().map(|likely| {
                format!("{kind}: worst {}, mean {}", probability(likely.worst), probability(likely.mean))
            }),
        );
    }
    Some(words.join("; "))
}

/// The times to a set: their kind, the daemon, and the time.
fn times(reaching: &Reaching) -> [(&'static str, &'static str, &Option<Time>); 3] {
    let daemon = if reaching.best_expected_steps.is_some() { " against the worst daemon" } else { "" };
    [
        ("steps", "", &reaching.steps),
        ("expected steps", daemon, &reaching.expected_steps),
        ("expected steps", " with the best daemon", &reaching.best_expected_steps),
    ]
}

/// The probability of a set, or the least and the greatest one over all daemons, each with its kind.
fn kinds<'a>(least: &'a Option<Likely>, greatest: &'a Option<Likely>) -> [(&'static str, &'a Option<Likely>); 2] {
    [(if greatest.is_some() { "least probability" } else { "probability" }, least), ("greatest probability", greatest)]
}

/// The given starts, if executions do not start everywhere.
fn starts(report: &Report) -> String {
    report.starts.map(|count| format!(" from {}", many(count, "start"))).unwrap_or_default()
}

/// A number of configurations or steps. The checker counts fewer than 2^64.
pub(super) fn count(count: u64) -> String {
    if count == u64::MAX { "2^64 or more".into() } else { count.to_string() }
}

/// The same with a noun.
pub(super) fn many(number: u64, noun: &str) -> String {
    if number == u64::MAX { format!("2^64 or more {noun}s") } else { counted(number, noun) }
}

fn probability(bounds: Bounds) -> String {
    if bounds.low.total_cmp(&bounds.high).is_eq() { bounds.low.to_string() } else { interval(bounds) }
}

/// A number with its known digits.
fn number(value: &Value, hints: Hints<'_>) -> String {
    let bounds = value.bounds();
    match value {
        Value::Steps(x) if x.fract() == 0.0 => format!("{x}"),
        Value::Steps(x) => format!("{x:.6}"),
        Value::Exact(p, q) if q.to_string() == "1" => format!("{p} exactly"),
        Value::Exact(p, q) => {
            let text = format!("{p}/{q}");
            let decimal = format!("{:.9}", bounds.low);
            if text.len() <= 40 {
                format!("{text} = {decimal}")
            } else if hints.fraction.is_empty() {
                decimal
            } else {
                format!("{decimal} ({})", hints.fraction)
            }
        }
        Value::Between(_) if bounds.high.is_infinite() => {
            format!("at least {:.0} (no upper bound yet)", bounds.low.floor())
        }
        Value::Between(bounds) => interval(*bounds),
    }
}

/// An interval with enough digits to tell its ends apart, and one more; rounded outwards, so that it stays true.
pub(super) fn interval(bounds: Bounds) -> String {
    let width = (bounds.high - bounds.low).max(f64::MIN_POSITIVE);
    let digits = (1.0 - width.log10()).ceil().clamp(0.0, 12.0) as usize;
    let unit = 10_f64.powi(digits as i32);
    let (low, high) = ((bounds.low * unit).floor() / unit, (bounds.high * unit).ceil() / unit);
    format!("in [{low:.digits$}, {high:.digits$}]")
}
