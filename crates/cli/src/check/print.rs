//! The report as text.

use super::{Face, Outcome, memory};
use crate::catalog;
use crate::failure::Failure;
use crate::{picture, step};
use anstyle::{AnsiColor, Style};
use ringleader_check::report::{Counterexample, Detector, Level, Report, Symmetry, Time, Value};
use ringleader_model::{Marks, Scheduler};
use std::io::Write;

/// Runs longer than this are cut in the middle when drawn; the saved trace has all of them.
const DRAWN: usize = 60;

pub(super) fn print(out: &mut impl Write, outcome: &Outcome<'_>, face: &Face) -> Result<(), Failure> {
    opening(out, outcome, face)?;
    verdict(out, outcome, face)?;
    sets(out, &outcome.report, face)?;
    times(out, &outcome.report, face)?;
    if let Some(run) = &outcome.report.counterexample {
        counterexample(out, run, face)?;
        if let Some(path) = &outcome.check.arguments.save {
            writeln!(out, "\nsaved: `ringleader elect --replay {}` plays it", path.display())?;
        } else {
            writeln!(out, "\n--save FILE keeps this run; `ringleader elect --replay FILE` plays it")?;
        }
    }
    let peak =
        memory::peak().map_or(String::new(), |bytes| format!(", at most {:.2} GiB", bytes as f64 / 1.073_741_824e9));
    writeln!(out, "\n{:.2} s{peak}", outcome.time.as_secs_f64())?;
    Ok(())
}

fn opening(out: &mut impl Write, outcome: &Outcome<'_>, face: &Face) -> Result<(), Failure> {
    let (check, report) = (outcome.check, &outcome.report);
    let bold = Style::new().bold();
    let kind = check.layers.topology(check.card).describe();
    write!(out, "{bold}{}{bold:#}: {} {}, {kind}", check.card.name, report.agents, plural(face.agent))?;
    for (name, value) in check.parameters.given() {
        write!(out, ", {name} {value}")?;
    }
    writeln!(out)?;
    write!(out, "scheduler {}", check.options.scheduler.describe())?;
    if check.options.scheduler == Scheduler::LocallyFair {
        let action = match check.options.level {
            Level::Transition => "a transition on an arc",
            Level::Rule => "a rule on an arc",
            Level::Arc => "an arc",
        };
        write!(out, ", an action being {action}")?;
    }
    match (check.layers.oracle(check.card), check.options.detector) {
        (None, _) => {}
        (Some(_), Detector::Perfect) => write!(out, " · oracle perfect")?,
        (Some(_), Detector::EventuallyCorrect) => write!(out, " · oracle eventually correct")?,
    }
    writeln!(out)?;
    write!(out, "all {} configurations of {} states each", report.configurations, report.states)?;
    if let Some(classes) = report.classes {
        let symmetry = match classes.symmetry {
            Symmetry::Rotation => "up to rotation",
            Symmetry::Permutation => "as multisets",
        };
        write!(out, " ({} {symmetry})", classes.count)?;
    }
    if let Some(product) = report.product_states {
        let with = if check.options.detector == Detector::EventuallyCorrect { "inputs" } else { "tokens" };
        write!(out, ", {product} with {with}")?;
    }
    writeln!(out, ", {} steps between them", report.transitions)?;
    if let Err(refusal) = catalog().supports(check.card.name, check.parameters) {
        writeln!(out, "beyond its paper's claim: {refusal}")?;
    }
    writeln!(out)?;
    Ok(())
}

fn verdict(out: &mut impl Write, outcome: &Outcome<'_>, face: &Face) -> Result<(), Failure> {
    let report = &outcome.report;
    if report.holds {
        let good = AnsiColor::Green.on_default().bold();
        let certainly = match outcome.check.options.scheduler {
            Scheduler::Random => "with probability 1",
            _ => "in every such run",
        };
        writeln!(out, "{good}holds{good:#}: from every configuration, {certainly}, {}", face.goal.describe())?;
    } else {
        let bad = AnsiColor::Red.on_default().bold();
        let shows = report.counterexample.as_ref().map_or("a set of the proof can be left", |run| &run.shows);
        writeln!(out, "{bad}fails{bad:#}: {shows}")?;
    }
    Ok(())
}

fn sets(out: &mut impl Write, report: &Report, face: &Face) -> Result<(), Failure> {
    let closed = |closed: bool| if closed { "closed" } else { "NOT CLOSED" };
    writeln!(out, "  really safe   {:>12}  the promise is met and cannot be broken", report.really_safe)?;
    let within = match (report.own_is_really_safe, report.own_safe == report.really_safe) {
        (true, true) => ", the same set",
        (true, false) => ", all of it really safe",
        (false, _) => ", NOT ALL OF IT REALLY SAFE",
    };
    let silent = if report.own_is_silent { ", silent" } else { "" };
    let reached = if report.own_is_reached == Some(false) { ", not always reached" } else { "" };
    let own = format!("{}{within}{silent}{reached}", closed(report.own_is_closed));
    writeln!(out, "  own safe set  {:>12}  {own} ({})", report.own_safe, face.safe_set)?;
    for set in &report.sets {
        let line = format!("{}, as {} claims", closed(set.closed), set.claim);
        writeln!(out, "  {:12}  {:>12}  {line}", set.name, set.configurations)?;
    }
    Ok(())
}

fn times(out: &mut impl Write, report: &Report, face: &Face) -> Result<(), Failure> {
    let kinds = [("steps", &report.steps), ("expected steps", &report.expected_steps)];
    for (what, times) in kinds.into_iter().filter_map(|(what, times)| Some((what, times.as_ref()?))) {
        let targets = [("really safe", &times.to_really_safe), ("own safe set", &times.to_own_safe)];
        for (target, time) in targets.into_iter().filter_map(|(target, time)| Some((target, time.as_ref()?))) {
            writeln!(out, "\n{what} to {target}: worst {}, mean {}", number(&time.worst), number(&time.mean))?;
            worst_start(out, time, face)?;
        }
    }
    Ok(())
}

fn worst_start(out: &mut impl Write, time: &Time, face: &Face) -> Result<(), Failure> {
    let picture = picture::line(&face.marks(&time.worst_start), None, picture::width());
    writeln!(out, "  worst from {picture}")?;
    for (i, state) in face.states(&time.worst_start).iter().enumerate() {
        writeln!(out, "    {} {i}: {state}", face.agent)?;
    }
    if let Some(turns) = &time.worst_turns {
        let turns: Vec<_> = turns.iter().map(|p| p.to_string()).collect();
        writeln!(out, "    before their left neighbours step: {}", turns.join(", "))?;
    }
    Ok(())
}

/// A number as far as it is known.
fn number(value: &Value) -> String {
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
            } else {
                format!("{decimal} (exact fraction in --json)")
            }
        }
        Value::Between(_) => {
            // As many digits as tell the two ends apart, and one more.
            let width = (bounds.high - bounds.low).max(f64::MIN_POSITIVE);
            let digits = (1.0 - width.log10()).ceil().clamp(0.0, 12.0) as usize;
            format!("in [{:.digits$}, {:.digits$}]", bounds.low, bounds.high)
        }
    }
}

fn counterexample(out: &mut impl Write, run: &Counterexample, face: &Face) -> Result<(), Failure> {
    let width = picture::width();
    let shows = std::iter::once(&run.start).chain(run.prefix.iter().chain(&run.cycle).map(|s| &s.after));
    let shown = shows.flat_map(|c| face.marks(c)).fold(Marks::NONE, |all, m| all | m);
    writeln!(out, "\n{}\n", picture::legend(shown))?;
    writeln!(out, "{:>6}  {}", "start", picture::line(&face.marks(&run.start), None, width))?;
    for (i, state) in face.states(&run.start).iter().enumerate() {
        writeln!(out, "          {} {i}: {state}", face.agent)?;
    }
    let mut before = &run.start;
    let total = run.prefix.len() + run.cycle.len();
    for (at, step) in run.prefix.iter().chain(&run.cycle).enumerate() {
        if at == run.prefix.len() {
            writeln!(out, "        for ever:")?;
        }
        if total <= DRAWN || at < DRAWN / 2 || at + DRAWN / 2 >= total {
            let (old, new) = (face.states(before), face.states(&step.after));
            let drawn = step::Drawn {
                marks: &face.marks(&step.after),
                actor: &step.actor,
                rules: &step.rules,
                inputs: step.inputs,
                before: &old,
                after: &new,
            };
            drawn.draw(out, at + 1)?;
        } else if at == DRAWN / 2 {
            writeln!(out, "        … {} steps …", total - DRAWN)?;
        }
        before = &step.after;
    }
    Ok(())
}

fn plural(word: &str) -> String {
    if word.ends_with('s') { format!("{word}es") } else { format!("{word}s") }
}
