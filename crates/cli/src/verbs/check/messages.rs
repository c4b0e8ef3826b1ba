//! `ringleader check` for algorithms that pass messages: all reachable states from the clean start, under every scheduler.

use super::Asked;
use crate::catalog;
use crate::settings::forecast::unexplored;
use crate::settings::reading::{self, Read, Steps};
use crate::settings::{Company, CompanyArguments, first_given, memory, refuse};
use crate::terminal::exit::{FAILS, Failure, bail, usage};
use crate::terminal::progress::Progress;
use crate::terminal::{columns, files, interrupt};
use ringleader_erased::{Card, MessageInstance, Parameter, ParameterKind, Parameters};
use ringleader_explore::{
    Claim, DecisionGraph, Elections, Failure as Ended, Figures, Options, Progress as Found, Space,
};
use ringleader_model::{Channels, Promise, Terminating};
use ringleader_report::Subject;
use ringleader_report::curve::Curve;
use ringleader_report::messages::{Findings, MessageReport, over_orders};
use ringleader_report::number::grouped;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

/// The flags of `check` for these algorithms only.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "For algorithms that pass messages")]
pub(super) struct MessageArguments {
    /// The order of delivery: bag (any message) or fifo (the oldest) [default: the weakest channels of the algorithm's claim]
    #[arg(long)]
    pub(super) channels: Option<Channels>,
    /// The steps of franklin: atomic (its own steps), both (Table 1) or left-first (Tables 2 and 3) [default: atomic]
    #[arg(long, value_name = "STEPS")]
    pub(super) reading: Option<String>,
    /// With --within, the same for another value of a parameter, such as variant=b
    #[arg(long, value_name = "NAME=VALUE", requires = "within")]
    pub(super) against: Option<String>,
    #[command(flatten)]
    pub(super) company: CompanyArguments,
}

impl MessageArguments {
    /// The given flag, if there is one. Other algorithms refuse it.
    pub(super) fn given(&self) -> Option<&'static str> {
        first_given(&[
            ("--channels", self.channels.is_some()),
            ("--reading", self.reading.is_some()),
            ("--against", self.against.is_some()),
            ("--hosts", self.company.given()),
        ])
    }
}

/// Checks one algorithm, at one size.
pub(super) fn run(asked: &Asked<'_>) -> Result<ExitCode, Failure> {
    let Asked { arguments: all, card, parameters, .. } = *asked;
    let arguments = &all.messages;
    let layers = (all.setup.flag().unwrap_or_default(), all.setup.flag().is_some());
    let reason = "it starts clean, and the check covers every scheduler";
    refuse(card, &[layers], reason)?;
    refuse(card, &all.configurations.given(), reason)?;
    interrupt::listen();
    let memory = all.limits.bytes();
    let within = all.time.within;
    if all.time.quantile.is_some() && within.is_none() {
        bail!("--quantile needs --within T here: the number of steps to compute");
    }
    arguments.company.refuse(&[("--within", within.is_some())])?;
    let steps = reading::chosen(card, arguments.reading.as_deref(), None, "checked")?;
    all.time.prepare()?;
    let other = arguments.against.as_deref().map(|pair| against(parameters, pair)).transpose()?;
    let read = Read { card, parameters, steps };
    read.refuse_endless()?;
    if let Some((_, parameters)) = &other {
        Read { parameters, ..read }.build("this check")?;
    }
    let unordered = unordered(card, parameters);
    let single = [("--within", within.is_some()), ("--hosts", arguments.company.given())];
    if let (Some(name), Some(flag)) = (unordered, first_given(&single)) {
        bail!(
            "{flag} needs one order of the identities, but {} has many: give --{name} ascending, or another order",
            card.name
        );
    }
    let model = read.build("this check")?;
    let (progress, company) = (Progress::new(), Company::alone());
    let mut check = Check { asked, arguments, memory, steps, progress, told: false, last: None, company };
    let findings = match unordered {
        Some(name) => check.all_orders(name),
        None => check.findings(&model, parameters, other),
    }?;
    check.tell(&findings)
}

/// The parameter for the order of the identities, if there are identities and it was not given.
pub(crate) fn unordered(card: &Card, parameters: &Parameters) -> Option<&'static str> {
    let unnamed = |p: &&Parameter| p.kind == ParameterKind::Identities && parameters.word(p.name).is_none();
    card.parameters.iter().find(unnamed).map(|p| p.name)
}

/// The parameters with one of them changed.
fn against(parameters: &Parameters, pair: &str) -> Result<(String, Parameters), Failure> {
    let (name, value) =
        pair.split_once('=').ok_or_else(|| usage!("--against {pair}: it must be NAME=VALUE, such as variant=b"))?;
    Ok((pair.to_string(), parameters.clone().with(name, value)))
}

/// The value, in the first algorithm, of the parameter that `--against` changes.
fn counterpart(asked: &Asked<'_>, pair: &str) -> Option<String> {
    let (name, _) = pair.split_once('=')?;
    let given = asked.parameters.word(name);
    let default = asked.card.parameters.iter().find(|parameter| parameter.name == name).map(|p| p.default);
    Some(format!("{name}={}", given.or(default)?))
}

struct Check<'c> {
    asked: &'c Asked<'c>,
    arguments: &'c MessageArguments,
    memory: u64,
    steps: Steps,
    progress: Progress,
    /// Whether the verdicts have been printed.
    told: bool,
    /// The last reported progress of the exploration.
    last: Option<Found>,
    company: Company,
}

impl Check<'_> {
    fn read<'p>(&self, parameters: &'p Parameters) -> Read<'p> {
        Read { card: self.asked.card, parameters, steps: self.steps }
    }

    /// Explores, up to rotation if the processes are identical.
    fn explore<'a>(
        &mut self,
        model: &'a MessageInstance,
        parameters: &Parameters,
        claims: &[Claim],
    ) -> Result<Space<'a>, Failure> {
        let mut options = Options {
            channels: self.arguments.channels.unwrap_or_else(|| model.channels()),
            rotation: catalog().may_rotate(self.asked.card.name, model, claims),
            memory: self.memory,
            threads: self.asked.arguments.limits.threads().min(64),
            ..Options::default()
        };
        let processes = self.arguments.company.processes()?;
        let all = Options { memory: options.memory.saturating_mul(processes), ..options };
        self.read(parameters).refuse_if_too_large(&all, "")?;
        let (card, channels) = (self.asked.card, options.channels);
        let source = files::digest(card.source);
        let claims = &self.asked.arguments.claims;
        let what =
            format!("check {} {source} {parameters:?} {} {channels} {claims:?}", card.name, reading::name(self.steps));
        self.company = self.arguments.company.meet(&what)?;
        let tells = self.company.tells();
        loop {
            let mut watch = |found: Found| {
                self.last = Some(found);
                Company::shows(tells, &mut self.progress, found)
            };
            match Space::explore_with(model, &options, &mut watch, &mut *self.company.peers) {
                Ok(space) => return Ok(space),
                Err(Ended::NotSymmetric) if options.rotation => options.rotation = false,
                Err(ended @ (Ended::Stopped | Ended::Lost { .. })) => return Err(self.ended(ended)),
                Err(failure) => return Err(unexplored(&failure, model, options.channels)),
            }
        }
    }

    fn ended(&self, ended: Ended) -> Failure {
        match ended {
            Ended::Stopped => self.interrupted(),
            ended => self.company.failure(ended, self.last),
        }
    }

    fn interrupted(&self) -> Failure {
        let known: Vec<_> = self.last.iter().map(|found| format!("{} states stored", grouped(found.stored))).collect();
        self.asked.interrupted(Some("the reachable states and their properties"), &known)
    }

    /// Every order of the identities up to rotation, or as many as the limit allows.
    fn all_orders(&mut self, name: &str) -> Result<Findings, Failure> {
        let (begun, given) = (Instant::now(), self.asked.parameters);
        let find = |order: &str| {
            self.progress.say(|| format!("identities {order}"));
            let parameters = given.clone().with(name, order);
            let model = self.read(&parameters).build("this check")?;
            self.findings(&model, &parameters, None)
        };
        let (found, ended) = over_orders(given.size, |_| false, find);
        ended?;
        let mut findings = found.ok_or_else(|| self.interrupted())?;
        findings.time = begun.elapsed();
        Ok(findings)
    }

    fn findings(
        &mut self,
        model: &MessageInstance,
        parameters: &Parameters,
        other: Option<(String, Parameters)>,
    ) -> Result<Findings, Failure> {
        let (begun, within) = (Instant::now(), self.asked.arguments.time.within);
        let claims = self.asked.arguments.claims.about(self.asked, model)?;
        let reaches = claims.iter().any(|claim| claim.promise == Promise::Eventually);
        self.arguments.company.refuse(&[("--eventually", reaches)])?;
        let space = self.explore(model, parameters, &claims)?;
        let graph = self.graph(&space);
        if interrupt::requested() {
            return Err(self.interrupted());
        }
        if let (Err(too_large), true) = (&graph, reaches) {
            return Err(Failure::usage(too_large));
        }
        let keep_going = || !interrupt::requested();
        let properties = space.properties(graph.as_ref().ok(), &claims, &mut *self.company.peers, &keep_going);
        let (properties, undecided) = properties.map_err(|ended| self.ended(ended))?;
        let mut findings = Findings {
            states: space.states(),
            stored: space.stored(),
            undecided,
            properties,
            ..Findings::new(space.channels())
        };
        if parameters == self.asked.parameters {
            self.tell_early(&findings)?;
        }
        match graph {
            Ok(graph) => {
                self.numbers(&graph, &mut findings)?;
                if let Some(horizon) = within {
                    let name = other.as_ref().and_then(|(pair, _)| counterpart(self.asked, pair));
                    let name = name.unwrap_or_else(|| self.asked.card.name.to_string());
                    findings.curves.push(self.curve(&graph, name, horizon)?);
                }
            }
            Err(too_large) if within.is_some() => return Err(Failure::usage(too_large)),
            Err(too_large) => findings.no_numbers = Some(too_large),
        }
        if let (Some((name, parameters)), Some(horizon)) = (other, within) {
            let twin = self.read(&parameters).build("this check")?;
            let graph = self
                .explore(&twin, &parameters, &claims)
                .and_then(|space| self.graph(&space).map_err(Failure::usage))?;
            findings.curves.push(self.curve(&graph, name, horizon)?);
        }
        findings.quantile = self.asked.arguments.time.quantile;
        findings.time = begun.elapsed();
        findings.peak_bytes = memory::peak();
        Ok(findings)
    }

    /// The graph, if it and the computations on it fit into memory.
    fn graph(&self, space: &Space<'_>) -> Result<DecisionGraph, String> {
        let bytes = space.graph_bytes();
        if self.arguments.company.given() {
            return Err("they need the whole graph on one machine".into());
        }
        if bytes + space.peak_bytes() <= self.memory {
            return space.graph_while(&|| !interrupt::requested()).ok_or("interrupted".into());
        }
        let (stored, mib) = (space.stored(), bytes >> 20);
        Err(format!(
            "the graph of {} stored states takes up to {mib} MiB more, which exceeds the limit",
            grouped(stored)
        ))
    }

    fn numbers(&mut self, graph: &DecisionGraph, findings: &mut Findings) -> Result<(), Failure> {
        let keep_going = || !interrupt::requested();
        let elections = Elections::new(graph).while_told(&keep_going);
        let figures = elections.figures(&mut |what| self.progress.say(|| what.to_string()));
        let Figures { elected, steps, messages } = figures.ok_or_else(|| self.interrupted())?;
        (findings.elected, findings.steps, findings.messages) = (Some(elected), steps, messages);
        Ok(())
    }

    fn curve(&mut self, graph: &DecisionGraph, name: String, horizon: u64) -> Result<Curve, Failure> {
        let threads = self.asked.arguments.limits.threads();
        let progress = &mut self.progress;
        let points = Elections::new(graph).within(horizon as usize, threads, |step| {
            progress.say(|| format!("{name}: within {step} of {horizon} steps"))
        });
        Ok(Curve::three(name, points.ok_or_else(|| self.interrupted())?))
    }

    fn report<'f>(&self, findings: &'f Findings) -> MessageReport<'f>
    where
        Self: 'f,
    {
        let subject = Subject { card: self.asked.card, parameters: self.asked.parameters };
        MessageReport { subject, reading: self.steps.map(|reading| reading.name), findings }
    }

    /// Prints the verdicts before the numbers are computed.
    fn tell_early(&mut self, findings: &Findings) -> Result<(), Failure> {
        if self.asked.arguments.json || !self.company.tells() {
            return Ok(());
        }
        self.progress.clear();
        self.told = true;
        let mut out = anstream::stdout().lock();
        self.report(findings).decided(&mut out)?;
        Ok(out.flush()?)
    }

    fn tell(mut self, findings: &Findings) -> Result<ExitCode, Failure> {
        self.progress.clear();
        let report = self.report(findings);
        let Check { asked, told, company, .. } = self;
        let tells = company.tells();
        company.leave();
        if !tells {
            return Ok(if report.holds() { ExitCode::SUCCESS } else { ExitCode::from(FAILS) });
        }
        let trace = report.trace().map(|trace| trace.print());
        let broken = findings.properties.iter().find(|property| property.broken.is_some());
        let shows = broken.map(|property| format!("it breaks “{}”", property.name)).unwrap_or_default();
        let ended = asked.tell(
            report.holds(),
            trace,
            &shows,
            || report.json(),
            |mut out| match told {
                true => report.rest(&mut out, columns()),
                false => report.text(&mut out, columns()),
            },
        )?;
        asked.arguments.time.write(&report.title(), "a leader", &findings.curves)?;
        Ok(ended)
    }
}
