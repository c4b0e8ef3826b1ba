//! `ringleader explore`: every reachable state of a message-passing algorithm.

use crate::arguments::ParameterArguments;
use crate::check::memory;
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt;
use ringleader_algorithms::{Card, Parameters, catalog};
use ringleader_explore::{
    Equivalence, Failure as Ended, Model, Options, Quotient, Set, Space, Verified, Visible, minimize,
};
use ringleader_model::Channels;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

pub(crate) mod estimate;
mod files;
pub(crate) mod model;
pub(crate) mod progress;

use model::Steps;

/// Explore every reachable state of an algorithm that passes messages: count, reduce, minimize, export.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader explore franklin --size 4                              Table 1 of the paper: 380,609 states
  ringleader explore franklin --size 6 --reduce rotation            260,753,105 states, 43,461,635 of them stored
  ringleader explore franklin --size 4 --ids 3 --reading left-first Table 3, \"normal\"
  ringleader explore franklin --size 5 --reduce rotation,confluence --minimize branching
  ringleader explore fokkink-pang --size 3 --export ring.aut
  ringleader explore itai-rodeh --size 3 --rounds 3 --json
  ringleader explore franklin --size 5 --reduce rotation --set compact --verify

`states` and `transitions` are those of the full state space, `stored` is what was kept; docs/exploring.md has the details.
`invariant` counts the states that every rotation leaves as they are.
--json has: version, algorithm, size, channels, states, transitions, deadlocks, stored, depth, invariant, set, bytes_per_state, stored_bytes,
seconds, peak_bytes, verified, quotient.
Exit codes: 0 done, 1 verification failed, 2 bad usage or does not fit in memory, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The algorithm, as `ringleader list` gives it
    algorithm: String,
    /// How many processes
    #[arg(long, value_name = "N")]
    size: usize,
    /// For franklin, in which steps: both (as in Table 1), left-first (Tables 2 and 3) or atomic (its own) [default: both]
    #[arg(long, value_name = "STEPS")]
    reading: Option<Steps>,
    /// bag (any message next) or fifo (the oldest next) [default: the weakest that the algorithm's claim is about]
    #[arg(long)]
    channels: Option<Channels>,
    /// Keep fewer states: rotation (one of each class of rotations), confluence (none with an internal step that loses
    /// nothing), or both with a comma between
    #[arg(long, value_name = "HOW", default_value = "none")]
    reduce: Reductions,
    /// Compute the smallest equivalent state space: branching or strong
    #[arg(long, value_name = "EQUIVALENCE")]
    minimize: Option<Equivalence>,
    /// What a bystander sees: leader, passive, or both with a comma between
    #[arg(long, value_name = "ACTIONS", default_value_t)]
    visible: Visible,
    /// Write the kept state space, in the format that the name ends in: .aut, .drn, .tra (with .sta and .lab), .dot, .prism
    #[arg(long, value_name = "FILE")]
    export: Vec<PathBuf>,
    /// How many GiB may be used [default: 80% of what is available]
    #[arg(long, value_name = "GIB")]
    memory: Option<f64>,
    /// How many threads [default: one per core]
    #[arg(long, value_name = "K")]
    threads: Option<usize>,
    /// How states are stored: plain, or compact in a third of the room and more time [default: compact if plain does not fit]
    #[arg(long, value_name = "HOW")]
    set: Option<Storage>,
    /// Which of many hash functions places the states; no count depends on it
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    hash_seed: u64,
    /// Look at every stored state again afterwards: it must be found, and so must all its successors
    #[arg(long)]
    verify: bool,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    parameters: ParameterArguments,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Storage {
    Plain,
    Compact,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reductions {
    rotation: bool,
    confluence: bool,
}

impl FromStr for Reductions {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut reductions = Reductions::default();
        for word in text.split(',') {
            match word.trim() {
                "rotation" => reductions.rotation = true,
                "confluence" => reductions.confluence = true,
                "none" => {}
                other => return Err(format!("there are rotation and confluence, not {other:?}")),
            }
        }
        Ok(reductions)
    }
}

const GIB: f64 = (1u64 << 30) as f64;

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let card = catalog::card(&arguments.algorithm)?;
    let parameters = arguments.parameters.at(arguments.size);
    let is_franklin = card.name == "franklin";
    if arguments.reading.is_some() && !is_franklin {
        return Err(Failure::usage(format!("--reading is for franklin; {} is explored in its own steps", card.name)));
    }
    let both = "both".parse().map_err(|e: String| Failure::usage(e))?;
    let steps = if is_franklin { arguments.reading.unwrap_or(both) } else { Steps::Atomic };
    let mut options = Options {
        rotation: arguments.reduce.rotation,
        confluence: arguments.reduce.confluence,
        visible: arguments.visible,
        memory: memory::allowed(arguments.memory)?,
        set: match arguments.set {
            None => Set::Automatic,
            Some(Storage::Plain) => Set::Plain,
            Some(Storage::Compact) => Set::Compact,
        },
        seed: arguments.hash_seed,
        ..Options::default()
    };
    options.threads = arguments.threads.unwrap_or(options.threads).clamp(1, 64);
    files::check(&arguments.export)?;
    model::refuse_endless(card, &parameters)?;
    interrupt::listen();
    let job = Explore { arguments, card, parameters: &parameters, steps, options };
    job.run(&*model::build(card, &parameters, steps, "explore")?)
}

/// One exploration.
struct Explore<'a> {
    arguments: &'a Arguments,
    card: &'static Card,
    parameters: &'a Parameters,
    steps: Steps,
    options: Options,
}

impl Explore<'_> {
    fn run(mut self, model: &dyn Model) -> Result<ExitCode, Failure> {
        self.options.channels = self.arguments.channels.unwrap_or_else(|| model.channels());
        let advice = "reduce it (--reduce rotation,confluence), ";
        if let Some(expected) = refuse_if_too_large(self.card, self.parameters, self.steps, &self.options, advice)? {
            self.announce(expected);
        }
        let begun = Instant::now();
        let mut line = progress::Line::new();
        let mut stored = 0;
        let explored = Space::explore(model, &self.options, &mut |progress| {
            stored = progress.stored;
            line.search(progress)
        });
        let space = match explored {
            Ok(space) => space,
            Err(Ended::Stopped) => return Ok(interrupted(begun, stored)),
            Err(failure) => return Err(Failure::usage(failure)),
        };
        let seconds = begun.elapsed();
        let mut quotient = None;
        if self.arguments.minimize.is_some() || !self.arguments.export.is_empty() {
            let bytes = space.graph_bytes();
            if bytes + space.peak_bytes() > self.options.memory {
                return Err(Failure::usage(format!(
                    "the graph of {} stored states takes up to {} MiB beside them, more than is allowed; reduce it, or \
                     leave out --minimize and --export",
                    grouped(space.stored()),
                    bytes >> 20
                )));
            }
            line.say(|| "building the graph".into());
            let graph = space.graph_while(&|| !interrupt::requested());
            let Some(graph) = graph else { return Ok(interrupted(begun, space.stored())) };
            if let Some(equivalence) = self.arguments.minimize {
                quotient = minimize(&graph, equivalence, &mut || line.say(|| "minimizing".into()));
            }
            if interrupt::requested() {
                return Ok(interrupted(begun, space.stored()));
            }
            for path in &self.arguments.export {
                files::write(path, &graph, quotient.as_ref())?;
            }
        }
        let mut verified = None;
        if self.arguments.verify {
            line.say(|| "verifying".into());
            verified = space.verify(&|| !interrupt::requested());
            if verified.is_none() {
                return Ok(interrupted(begun, space.stored()));
            }
        }
        drop(line);
        let report = Report { job: &self, space: &space, quotient, verified, time: seconds };
        let mut out = anstream::stdout().lock();
        if self.arguments.json {
            writeln!(out, "{}", report.json())?
        } else {
            report.print(&mut out)?
        }
        Ok(if verified.is_none_or(|verified| verified.is_sound()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Takes the set that is large enough, and says before long work how much memory it is expected to take.
    fn announce(&mut self, expected: estimate::Estimate) {
        let (set, bytes) = expected.choose(&self.options);
        let by_itself = self.options.set == Set::Automatic && set == Set::Compact;
        self.options.set = set;
        if by_itself || bytes > GIB {
            anstream::eprintln!(
                "about {:.1e} states are expected to be stored{}, in {:.1} GiB of the {:.1} GiB allowed",
                expected.stored,
                if set == Set::Compact { " compactly" } else { "" },
                bytes / GIB,
                self.options.memory as f64 / GIB
            );
        }
    }
}

fn interrupted(begun: Instant, stored: u64) -> ExitCode {
    let seconds = begun.elapsed().as_secs_f64();
    anstream::eprintln!("interrupted after {seconds:.1} s, with {} states stored so far", grouped(stored));
    ExitCode::from(INTERRUPTED)
}

/// Says no before the work starts, if smaller rings show that it will not fit.
pub(crate) fn refuse_if_too_large(
    card: &'static Card,
    parameters: &Parameters,
    steps: Steps,
    options: &Options,
    advice: &str,
) -> Result<Option<estimate::Estimate>, Failure> {
    let Some(expected) = estimate::estimate(card, parameters, steps, options) else { return Ok(None) };
    let (_, bytes) = expected.choose(options);
    if bytes <= options.memory as f64 {
        return Ok(Some(expected));
    }
    Err(Failure::usage(format!(
        "{} at size {} will not fit: judging by smaller rings, {} states would be stored in {} GiB, and {:.1} GiB \
         are allowed; {advice}choose a smaller size, or allow more (--memory)",
        card.name,
        parameters.size,
        if expected.stored < 1e30 { format!("about {:.1e}", expected.stored) } else { "very many".into() },
        if bytes < 1e15 { format!("{:.0}", bytes / GIB) } else { "very many".into() },
        options.memory as f64 / GIB
    )))
}

struct Report<'r, 'a> {
    job: &'r Explore<'r>,
    space: &'r Space<'a>,
    quotient: Option<Quotient>,
    verified: Option<Verified>,
    time: Duration,
}

impl Report<'_, '_> {
    fn peak_bytes(&self) -> u64 {
        memory::peak().unwrap_or_else(|| self.space.peak_bytes())
    }

    fn json(&self) -> Value {
        let (job, space) = (self.job, self.space);
        let parameters: serde_json::Map<String, Value> =
            job.parameters.given().iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        let mut value = json!({
            "version": 1,
            "algorithm": job.card.name,
            "size": job.parameters.size,
            "parameters": parameters,
            "channels": job.options.channels.name(),
            "rotation": job.options.rotation,
            "confluence": job.options.confluence,
            "visible": job.options.visible.to_string(),
            "stored": space.stored(),
            "depth": space.depth(),
            "cells": space.cells(),
            "set": if space.is_compact() { "compact" } else { "plain" },
            "bytes_per_state": space.bytes_per_state(),
            "stored_bytes": space.stored_bytes(),
            "seconds": self.time.as_secs_f64(),
            "peak_bytes": self.peak_bytes(),
        });
        let mut add = |name: &str, number: Option<u64>| {
            if let Some(number) = number {
                value[name] = number.into();
            }
        };
        add("states", space.states());
        add("transitions", space.transitions());
        add("deadlocks", space.deadlocks());
        add("invariant", space.invariant());
        if let Some(seen) = self.verified {
            value["verified"] = json!({ "sound": seen.is_sound(), "lost": seen.lost, "missing": seen.missing });
        }
        if job.card.name == "franklin" {
            value["reading"] = job.steps.to_string().into();
        }
        if let (Some(quotient), Some(by)) = (&self.quotient, job.arguments.minimize) {
            value["quotient"] = json!({
                "by": by.to_string(),
                "states": quotient.states,
                "transitions": quotient.transitions.len(),
            });
        }
        value
    }

    fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        let (job, space) = (self.job, self.space);
        let given: String = job.parameters.given().iter().map(|(name, value)| format!(", {name} {value}")).collect();
        let reading = if job.card.name == "franklin" { format!(", reading {}", job.steps) } else { String::new() };
        writeln!(
            out,
            "{}, {} processes{given}{reading}, {} channels",
            job.card.name, job.parameters.size, job.options.channels
        )?;
        let mut line = |name: &str, value: Option<u64>| match value {
            Some(value) => writeln!(out, "  {name:<12} {:>18}", grouped(value)),
            None => Ok(()),
        };
        line("states", space.states())?;
        line("transitions", space.transitions())?;
        line("deadlocks", space.deadlocks())?;
        line("stored", Some(space.stored()))?;
        line("depth", Some(space.depth()))?;
        line("invariant", space.invariant())?;
        if let Some(Verified { lost, missing, .. }) = self.verified {
            let sound = if self.verified.is_some_and(|seen| seen.is_sound()) { "yes" } else { "NO" };
            writeln!(out, "  verified     {sound:>18}: {lost} stored states lost, {missing} successors missing")?;
        }
        if let (Some(quotient), Some(by)) = (&self.quotient, job.arguments.minimize) {
            writeln!(
                out,
                "  quotient     {:>18} states, {} transitions, by {by} bisimilarity with {} visible",
                grouped(quotient.states as u64),
                grouped(quotient.transitions.len() as u64),
                job.options.visible
            )?;
            for (from, action, to) in quotient.transitions.iter().take(if quotient.states <= 6 { 12 } else { 0 }) {
                writeln!(out, "    s{from} --{action}--> s{to}")?;
            }
        }
        let seconds = self.time.as_secs_f64();
        writeln!(
            out,
            "{seconds:.2} s, {} stored states per second, {} MiB at most, {} bytes a state",
            grouped((space.stored() as f64 / seconds.max(1e-9)) as u64),
            self.peak_bytes() >> 20,
            space.bytes_per_state()
        )?;
        if space.is_compact() {
            let bytes = space.stored_bytes() as f64 / space.stored() as f64;
            writeln!(out, "stored compactly, {bytes:.1} bytes a state with all that is needed to find it")?;
        }
        Ok(())
    }
}

/// A number with its thousands set apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
