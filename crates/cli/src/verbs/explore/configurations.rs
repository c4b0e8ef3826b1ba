//! `ringleader explore` for population protocols and rings: every configuration.

use super::{Arguments, export};
use crate::catalog;
use crate::settings::{graph, memory, refuse};
use crate::terminal::exit::{Failure, INTERRUPTED};
use crate::terminal::interrupt;
use crate::terminal::progress::watched;
use crate::verbs::check::{look, refused};
use ringleader_catalog::Instance;
use ringleader_check::{Configurations, Monitor, Question, Stop, Uncheckable};
use ringleader_erased::{Card, Kind, Parameters, Topology};
use ringleader_model::{Graph, Scheduler};
use ringleader_report::Subject;
use ringleader_report::check::Looks;
use ringleader_report::exploration::ConfigurationsReport;
use ringleader_report::export::ConfigurationGraph;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

pub(super) fn run(arguments: &Arguments, card: &'static Card) -> Result<ExitCode, Failure> {
    let flags = [
        ("--reading", arguments.reading.is_some()),
        ("--channels", arguments.channels.is_some()),
        ("--minimize", arguments.minimize.is_some()),
        ("--visible", arguments.visible.is_some()),
        ("--set", arguments.set.is_some()),
        ("--hash-seed", arguments.hash_seed.is_some()),
        ("--verify", arguments.verify),
        ("--reduce confluence", arguments.reduce.confluence),
    ];
    refuse(card, &flags, "it passes no messages, and every configuration is explored")?;
    let setup = &arguments.setup;
    if (setup.oracle().is_some() || setup.layers().detector.is_some()) && card.oracle.is_none() {
        return Err(Failure::usage(format!("--oracle is not for {}: it needs no oracle", card.name)));
    }
    if setup.oracle().is_some_and(|oracle| !oracle.is_perfect()) {
        return Err(Failure::usage(
            "explore supports a perfect oracle, or a layer that replaces it: distance or timer",
        ));
    }
    let topology = setup.layers().topology(card);
    let (named, file) = match arguments.graph.as_deref() {
        None => (None, None),
        Some(_) if topology != Topology::Any && card.kind != Kind::Graph => {
            return refuse(card, &[("--graph", true)], "it is for one kind of graph").map(|()| ExitCode::SUCCESS);
        }
        Some(asked) => (graph::named(asked), graph::file(asked).map(graph::read).transpose()?),
    };
    if let Some(found) = file.as_ref().map(Graph::size).filter(|found| *found != arguments.size) {
        let asked = arguments.size;
        return Err(Failure::usage(format!("--size is {asked}, but the graph has {found} agents")));
    }
    let parameters = setup.at(arguments.size);
    let parameters = match card.kind {
        Kind::Graph => parameters.on(graph::of_processes(card, file.as_ref(), named, arguments.size)?),
        _ => parameters,
    };
    let scheduler = scheduler(arguments, card, &parameters)?;
    let question = Question::new(scheduler).within(arguments.limits.bytes()?);
    let question = if arguments.reduce.rotation { question } else { question.without_symmetry() };
    interrupt::listen();
    let job = Explore { arguments, card, parameters: &parameters };
    match catalog().instance(card.name, &parameters)? {
        Instance::Population(algorithm) => {
            let graph = match (file, named) {
                (Some(graph), _) => graph,
                (None, Some(family)) => graph::member(family, parameters.size)?,
                (None, None) => graph::of(topology, parameters.size)?,
            };
            let work = |monitor: &Monitor| Configurations::population(&algorithm, &graph, &question, monitor);
            job.run(Looks::population(&algorithm), work)
        }
        Instance::Ring(algorithm) => {
            let work = |monitor: &Monitor| Configurations::ring(&algorithm, parameters.size, &question, monitor);
            job.run(Looks::ring(&algorithm), work)
        }
        Instance::Graph(algorithm) => {
            let work = |monitor: &Monitor| Configurations::graph(&algorithm, &question, monitor);
            job.run(Looks::graph(&algorithm), work)
        }
        Instance::Message(_) | Instance::Robust(_) => unreachable!("the card says what it is"),
    }
}

/// The scheduler of the graph. By default the algorithm's own, if it is random or synchronous; otherwise the unfair daemon, which
/// has every step of one agent or process.
fn scheduler(arguments: &Arguments, card: &Card, parameters: &Parameters) -> Result<Scheduler, Failure> {
    let own = match parameters.layers.scheduler(card) {
        chance @ (Scheduler::Random | Scheduler::Synchronous) => chance,
        _ => Scheduler::Unfair,
    };
    let scheduler = arguments.scheduler.unwrap_or(own);
    if arguments.reduce.rotation && !matches!(scheduler, Scheduler::Random | Scheduler::Unfair) {
        return Err(Failure::usage(format!(
            "--reduce rotation is for --scheduler random and unfair, not for {scheduler}"
        )));
    }
    Ok(scheduler)
}

struct Explore<'a> {
    arguments: &'a Arguments,
    card: &'static Card,
    parameters: &'a Parameters,
}

impl Explore<'_> {
    fn run(
        self,
        looks: Looks<'_>,
        work: impl FnOnce(&Monitor) -> Result<Configurations, Stop> + Send,
    ) -> Result<ExitCode, Failure> {
        let arguments = self.arguments;
        let monitor = arguments.limits.threads.map_or_else(Monitor::default, Monitor::new);
        let begun = Instant::now();
        let all = match watched(|| work(&monitor), |progress| look(progress, &monitor)) {
            Ok(all) => all,
            // An export has no adversarial coins.
            Err(Stop::Refused(late @ Uncheckable::ChoosesLate)) => return Err(Failure::usage(late)),
            Err(Stop::Refused(refusal)) => return Err(refused(&refusal)),
            Err(Stop::Interrupted) => {
                anstream::eprintln!("interrupted after {:.1} s", begun.elapsed().as_secs_f64());
                return Ok(ExitCode::from(INTERRUPTED));
            }
            Err(stop) => return Err(Failure::usage(stop)),
        };
        if arguments.reduce.rotation && !all.up_to_rotation() {
            return Err(Failure::usage(format!(
                "--reduce rotation: the agents of {} are not identical, or one of its sets names an agent by its place",
                self.card.name
            )));
        }
        let report = ConfigurationsReport {
            subject: Subject { card: self.card, parameters: self.parameters },
            all: &all,
            time: begun.elapsed(),
            peak_bytes: memory::peak(),
        };
        let exported = ConfigurationGraph { all: &all, looks };
        let mut out = anstream::stdout().lock();
        if arguments.json {
            writeln!(out, "{}", report.json())?
        } else {
            report.text(&mut out)?
        }
        for path in &arguments.export {
            export::write(path, &exported, None)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
