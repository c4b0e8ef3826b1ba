//! `ringleader check` for algorithms that pass messages: every reachable state from the clean start, under every scheduler.

use crate::check::memory;
use crate::explore::model::{self, Steps};
use crate::explore::{grouped, progress, refuse_if_too_large};
use crate::failure::{FAILS, Failure, INTERRUPTED};
use crate::interrupt;
use crate::replay_message::READING;
use ringleader_explore::{Cost, Decider, Elections, Failure as Ended, Graph, Interval, Model, Options, Run, Space};
use ringleader_instance::{Card, Parameters};
use ringleader_model::Channels;
use ringleader_model::message_trace::MessageTrace;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

mod curve;
mod report;

pub(crate) use curve::Curve;

/// What `check` takes for these algorithms only.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "For algorithms that pass messages")]
pub(crate) struct MessageArguments {
    /// bag (any message next) or fifo (the oldest next) [default: the weakest that the algorithm's claim is about]
    #[arg(long)]
    pub(crate) channels: Option<Channels>,
    /// For franklin, in which steps: atomic (its own), both (as in Table 1) or left-first (Tables 2 and 3) [default: atomic]
    #[arg(long, value_name = "STEPS")]
    pub(crate) reading: Option<Steps>,
    /// The probability of a leader within 0, 1, .. T steps: least, under the uniform scheduler, and greatest
    #[arg(long, value_name = "T")]
    pub(crate) within: Option<usize>,
    /// With --within, the same for another value of a parameter, such as variant=b
    #[arg(long, value_name = "NAME=VALUE", requires = "within")]
    pub(crate) against: Option<String>,
    /// With --within, write the numbers to this file, separated by commas
    #[arg(long, value_name = "FILE", requires = "within")]
    pub(crate) csv: Option<PathBuf>,
    /// With --within, draw the curves into this file: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE", requires = "within")]
    pub(crate) plot: Option<PathBuf>,
}

impl MessageArguments {
    /// The flag that was given, if any: the other algorithms refuse it.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--channels", self.channels.is_some()),
            ("--reading", self.reading.is_some()),
            ("--within", self.within.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }
}

/// What every check takes.
pub(crate) struct Common<'c> {
    pub(crate) card: &'static Card,
    pub(crate) parameters: &'c Parameters,
    pub(crate) memory: u64,
    pub(crate) threads: Option<usize>,
    pub(crate) save: Option<&'c Path>,
    pub(crate) json: bool,
}

/// Checks one algorithm, at one size.
pub(crate) fn run(common: &Common<'_>, arguments: &MessageArguments) -> Result<ExitCode, Failure> {
    let card = common.card;
    Steps::refuse_for(arguments.reading, card, "checked")?;
    if arguments.csv.as_deref() == Some(Path::new("-")) {
        return Err(Failure::usage("--csv needs a file: standard output has the result"));
    }
    let files = [arguments.csv.as_deref(), arguments.plot.as_deref()];
    files.into_iter().flatten().try_for_each(crate::output::writable)?;
    let steps = arguments.reading.unwrap_or(Steps::Own);
    let other = arguments.against.as_deref().map(|pair| against(common.parameters, pair)).transpose()?;
    model::refuse_endless(card, common.parameters)?;
    let model = model::build(card, common.parameters, steps, "this check")?;
    let mut check = Check { common, arguments, steps, line: progress::Line::new() };
    match check.findings(model.model(), other) {
        Ok(findings) => check.tell(&findings),
        Err(Stop::Interrupted) => {
            anstream::eprintln!("interrupted before the result was complete");
            Ok(ExitCode::from(INTERRUPTED))
        }
        Err(Stop::Failed(failure)) => Err(failure),
    }
}

/// The parameters with one of them changed.
fn against(parameters: &Parameters, pair: &str) -> Result<(String, Parameters), Failure> {
    let (name, value) = pair
        .split_once('=')
        .ok_or_else(|| Failure::usage(format!("--against {pair}: it must be NAME=VALUE, such as variant=b")))?;
    Ok((pair.to_string(), parameters.clone().with(name, value)))
}

/// What the parameter that `--against` changes is in the first of the two.
fn counterpart(common: &Common<'_>, pair: &str) -> Option<String> {
    let (name, _) = pair.split_once('=')?;
    let given = common.parameters.word(name);
    let default = common.card.parameters.iter().find(|parameter| parameter.name == name).map(|p| p.default);
    Some(format!("{name}={}", given.or(default)?))
}

/// A property of all reachable states, and the run that breaks it, if any.
struct Property {
    name: String,
    broken: Option<Run>,
}

/// The least, the uniform scheduler's and the greatest.
type Three = [Option<Interval>; 3];

/// What was found out.
struct Findings {
    channels: Channels,
    states: Option<u64>,
    stored: u64,
    undecided: u64,
    properties: Vec<Property>,
    /// The least and the greatest.
    elected: Option<[Option<Interval>; 2]>,
    steps: Option<Three>,
    messages: Option<Three>,
    curves: Vec<Curve>,
    /// Why there are no probabilities and expectations.
    no_numbers: Option<String>,
    time: Duration,
    peak_bytes: Option<u64>,
}

struct Check<'c> {
    common: &'c Common<'c>,
    arguments: &'c MessageArguments,
    steps: Steps,
    line: progress::Line,
}

enum Stop {
    Interrupted,
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failed(failure)
    }
}

impl Check<'_> {
    /// Explores, with rotations identified if the processes are alike.
    fn explore<'a>(&mut self, model: &'a dyn Model, parameters: &Parameters) -> Result<Space<'a>, Stop> {
        let mut options = Options {
            channels: self.arguments.channels.unwrap_or_else(|| model.channels()),
            rotation: true,
            memory: self.common.memory,
            ..Options::default()
        };
        options.threads = self.common.threads.unwrap_or(options.threads).clamp(1, 64);
        refuse_if_too_large(self.common.card, parameters, self.steps, &options, "")?;
        loop {
            match Space::explore(model, &options, &mut |progress| self.line.search(progress)) {
                Ok(space) => return Ok(space),
                Err(Ended::NotSymmetric) if options.rotation => options.rotation = false,
                Err(Ended::Stopped) => return Err(Stop::Interrupted),
                Err(failure) => return Err(Failure::usage(failure).into()),
            }
        }
    }

    fn findings(&mut self, model: &dyn Model, other: Option<(String, Parameters)>) -> Result<Findings, Stop> {
        let begun = Instant::now();
        let space = self.explore(model, self.common.parameters)?;
        let properties = properties(model, &space);
        let mut findings = Findings {
            channels: space.channels(),
            states: space.states(),
            stored: space.stored(),
            undecided: space.count(|state| state.stopped() && state.cut_off()),
            properties,
            elected: None,
            steps: None,
            messages: None,
            curves: vec![],
            no_numbers: None,
            time: Duration::ZERO,
            peak_bytes: None,
        };
        let graph = self.graph(&space);
        if interrupt::requested() {
            return Err(Stop::Interrupted);
        }
        match graph {
            Ok(graph) => {
                self.numbers(&graph, &mut findings)?;
                if let Some(horizon) = self.arguments.within {
                    let name = other.as_ref().and_then(|(pair, _)| counterpart(self.common, pair));
                    let name = name.unwrap_or_else(|| self.common.card.name.to_string());
                    findings.curves.push(self.curve(&graph, name, horizon)?);
                }
            }
            Err(too_large) if self.arguments.within.is_some() => return Err(Failure::usage(too_large).into()),
            Err(too_large) => findings.no_numbers = Some(too_large),
        }
        if let (Some((name, parameters)), Some(horizon)) = (other, self.arguments.within) {
            let twin = model::build(self.common.card, &parameters, self.steps, "this check")?;
            let graph = self
                .explore(twin.model(), &parameters)
                .and_then(|space| self.graph(&space).map_err(|e| Failure::usage(e).into()))?;
            findings.curves.push(self.curve(&graph, name, horizon)?);
        }
        findings.time = begun.elapsed();
        findings.peak_bytes = memory::peak();
        Ok(findings)
    }

    /// The graph, if there is room for it and what is computed on it.
    fn graph(&self, space: &Space<'_>) -> Result<Graph, String> {
        let bytes = space.graph_bytes();
        if bytes + space.peak_bytes() <= self.common.memory {
            return space.graph_while(&|| !interrupt::requested()).ok_or("interrupted".into());
        }
        let (stored, mib) = (space.stored(), bytes >> 20);
        Err(format!(
            "the graph of {} stored states takes up to {mib} MiB beside them, more than is allowed",
            grouped(stored)
        ))
    }

    fn numbers(&mut self, graph: &Graph, findings: &mut Findings) -> Result<(), Stop> {
        let keep_going = || !interrupt::requested();
        let elections = Elections::new(graph).while_told(&keep_going);
        let mut say = |what: &str| if self.line.say(|| what.to_string()) { Ok(()) } else { Err(Stop::Interrupted) };
        say("the probability of an election, over all schedulers")?;
        findings.elected = Some([Decider::Least, Decider::Greatest].map(|decider| elections.probability(decider)));
        say("whether every scheduler elects")?;
        if elections.certain() != Some(true) {
            return say("done");
        }
        for (cost, name) in [(Cost::Steps, "steps"), (Cost::Messages, "messages")] {
            let mut three = [None; 3];
            let deciders = [Decider::Least, Decider::Uniform, Decider::Greatest];
            for (interval, decider) in three.iter_mut().zip(deciders) {
                say(&format!("the expected number of {name}"))?;
                *interval = elections.expected(cost, decider);
            }
            say("done")?;
            *if cost == Cost::Steps { &mut findings.steps } else { &mut findings.messages } = Some(three);
        }
        Ok(())
    }

    fn curve(&mut self, graph: &Graph, name: String, horizon: usize) -> Result<Curve, Stop> {
        let threads = self.common.threads.unwrap_or(Options::default().threads);
        let line = &mut self.line;
        let points = Elections::new(graph)
            .within(horizon, threads, |step| line.say(|| format!("{name}: within {step} of {horizon} steps")))
            .ok_or(Stop::Interrupted)?;
        Ok(Curve { name, points })
    }

    fn tell(self, findings: &Findings) -> Result<ExitCode, Failure> {
        let Check { common, arguments, steps, line } = self;
        drop(line);
        let broken = findings.properties.iter().find_map(|property| property.broken.as_ref());
        let trace = broken.map(|run| MessageTrace {
            algorithm: common.card.name.into(),
            size: common.parameters.size,
            parameters: traced(common.parameters, steps),
            channels: findings.channels,
            steps: run.lines(),
        });
        let write = |path: &Path, text: &str| {
            std::fs::write(path, text).map_err(|e| Failure::usage(format!("cannot write {}: {e}", path.display())))
        };
        if let (Some(path), Some(trace)) = (common.save, &trace) {
            write(path, &trace.print())?;
        }
        if let Some(path) = &arguments.csv {
            write(path, &curve::csv(&findings.curves))?;
        }
        if let Some(path) = &arguments.plot {
            let given = common.parameters.given().into_iter().map(|(name, value)| format!(", {name} {value}"));
            let (name, size, given) = (common.card.name, common.parameters.size, given.collect::<String>());
            let title = format!("{name}, {size} processes{given}");
            curve::picture(&title, &findings.curves).write(path)?;
        }
        let report = report::Report { common, steps, findings, trace: trace.as_ref() };
        let mut out = anstream::stdout().lock();
        if common.json {
            report.json(&mut out)?
        } else {
            report.print(&mut out)?
        }
        Ok(if broken.is_some() { ExitCode::from(FAILS) } else { ExitCode::SUCCESS })
    }
}

/// The parameters as a trace states them.
fn traced(parameters: &Parameters, steps: Steps) -> Vec<(String, String)> {
    let mut all = parameters.given();
    if steps != Steps::Own {
        all.push((READING.into(), steps.to_string()));
    }
    all
}

fn properties(model: &dyn Model, space: &Space<'_>) -> Vec<Property> {
    let judge =
        |name: &str, bad: Option<usize>| Property { name: name.into(), broken: bad.map(|state| space.run_to(state)) };
    let two = space.first(|state| state.leaders() > 1);
    let terminated = space.first(|state| state.stopped() && !state.cut_off() && state.leaders() != 1);
    let mut properties =
        vec![judge("never two leaders", two), judge("on every terminated run exactly one leader", terminated)];
    for (number, name) in model.invariants().into_iter().enumerate() {
        let broken = space.first(|state| !state.holds(number));
        properties.push(judge(&format!("{name} in every reachable state"), broken));
    }
    properties
}
