//! `ringleader explore` for population protocols and for processes on rings and graphs: every configuration.

use super::{Arguments, export};
use crate::catalog;
use crate::settings::graph::Wanted;
use crate::settings::{Start, memory, refuse, wrong_condition};
use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::progress::watched;
use crate::terminal::{interrupt, print};
use crate::verbs::check::{look, refused};
use ringleader_catalog::Placed;
use ringleader_check::{Asymmetry, Claim, Configurations, Promise, Question, Starting, Stop, Uncheckable};
use ringleader_erased::{Card, Kind, Parameters, Topology};
use ringleader_model::Scheduler;
use ringleader_report::Subject;
use ringleader_report::check::Looks;
use ringleader_report::exploration::ConfigurationsReport;
use ringleader_report::export::ConfigurationGraph;
use ringleader_simulate::StabilizingInstance;
use std::process::ExitCode;
use std::sync::Arc;
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
    if arguments.reduce.rotation && card.kind == Kind::Graph {
        refuse(card, &[("--reduce rotation", true)], "its processes are on a graph; use --reduce automorphism")?;
    }
    let automorphism = arguments.reduce.automorphism && card.kind != Kind::Graph;
    refuse(
        card,
        &[("--reduce automorphism", automorphism)],
        "it is for processes that read their neighbours in a graph",
    )?;
    let setup = &arguments.setup;
    if (setup.oracle().is_some() || setup.layers().detector.is_some()) && card.oracle.is_none() {
        bail!("--oracle is not for {}: it needs no oracle", card.name);
    }
    if setup.oracle().is_some_and(|oracle| !oracle.is_perfect()) {
        bail!("explore supports a perfect oracle, or a layer that replaces it: distance or timer");
    }
    let topology = setup.layers().topology(card);
    let fixed = topology != Topology::Any && card.kind != Kind::Graph;
    refuse(card, &[("--graph", fixed && arguments.graph.is_some())], "it is for one kind of graph")?;
    let wanted = Wanted::read(arguments.graph.as_deref())?;
    let size = arguments.size;
    if let Wanted::File(graph) = &wanted
        && graph.size() != size
    {
        bail!("--size is {size}, but the graph has {} agents", graph.size());
    }
    let parameters = setup.at(size);
    let parameters = match card.kind {
        Kind::Graph => parameters.on(wanted.of_processes(card, size)?),
        _ => parameters,
    };
    let scheduler = scheduler(arguments, card, &parameters)?;
    let mut question = Question::new(scheduler).within(arguments.limits.bytes());
    let reduction = reduction(arguments);
    question.symmetry = reduction.is_some();
    question.claims = claims(card, &parameters, reduction)?;
    interrupt::listen();
    let instance = catalog().instance(card.name, &parameters)?;
    let placed = Placed::new(instance, size, || wanted.of_agents(card, topology, size))?;
    let algorithm = placed.ok_or_else(|| usage!("{} passes messages", card.name))?;
    question.starting = starting(arguments, card, &parameters, algorithm.algorithm())?;
    explore(arguments, Subject { card, parameters: &parameters }, &algorithm, &question)
}

/// The symmetry by which configurations are one state, if any.
fn reduction(arguments: &Arguments) -> Option<&'static str> {
    let rotation = arguments.reduce.rotation.then_some("--reduce rotation");
    rotation.or(arguments.reduce.automorphism.then_some("--reduce automorphism"))
}

/// The scheduler of the graph: by default that of a check, or the nearest one that a graph expresses, and a note.
fn scheduler(arguments: &Arguments, card: &Card, parameters: &Parameters) -> Result<Scheduler, Failure> {
    let own = parameters.layers.checked_under(card);
    let scheduler = arguments.scheduler.unwrap_or(Configurations::nearest(own));
    if let Some(flag) = reduction(arguments).filter(|_| !matches!(scheduler, Scheduler::Random | Scheduler::Unfair)) {
        bail!("{flag} is for --scheduler random and unfair, not for {scheduler}");
    }
    if arguments.scheduler.is_none() && scheduler != own {
        anstream::eprintln!(
            "note: the scheduler of {} is {own}, which no graph of configurations expresses; this is the graph under {scheduler}, so \
             its numbers are those of `check --scheduler {scheduler}`",
            card.name
        );
    }
    Ok(scheduler)
}

/// The claims of the algorithm whose sets are labels. A set that names a process by its place is no set of classes.
fn claims(card: &Card, parameters: &Parameters, reduction: Option<&str>) -> Result<Vec<Claim>, Failure> {
    let written = catalog().written_claims(card.name, parameters.layers).into_iter();
    let about_sets = written.filter(|claim| !matches!(claim.promise, Promise::Recurring | Promise::Response));
    let claim = |written| catalog().claim(card.name, parameters, &written).map_err(wrong_condition);
    let (labels, dropped): (Vec<_>, Vec<_>) = about_sets
        .map(claim)
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .partition(|claim| reduction.is_none() || !claim.places);
    if let Some(flag) = reduction.filter(|_| !dropped.is_empty()) {
        let names: Vec<_> = dropped.iter().map(|claim| claim.name.as_str()).collect();
        anstream::eprintln!("note: {flag}: claims that name processes are no labels: {}", names.join(", "));
    }
    Ok(labels)
}

/// The starts of all executions: those of --start or of the text.
fn starting(
    arguments: &Arguments,
    card: &Card,
    parameters: &Parameters,
    algorithm: &dyn StabilizingInstance,
) -> Result<Option<Starting>, Failure> {
    match &arguments.start {
        Some(start) if *start != Start::ARBITRARY && !matches!(start, Start::Among(_)) => {
            let one = start.configuration(card.name, parameters, algorithm, "explore")?;
            let places = one.iter().any(|state| *state != one[0]);
            Ok(Some(Starting { name: start.to_string(), holds: Arc::new(move |states: &[u32]| states == one), places }))
        }
        start => Start::starting(start.as_ref(), card.name, parameters, algorithm),
    }
}

/// Explores the configurations, and prints and exports them.
fn explore(
    arguments: &Arguments,
    subject: Subject<'_>,
    algorithm: &Placed,
    question: &Question,
) -> Result<ExitCode, Failure> {
    let (card, monitor, begun) = (subject.card, arguments.limits.monitor(), Instant::now());
    let all = match watched(|| algorithm.configurations(question, &monitor), |progress| look(progress, &monitor)) {
        Ok(all) => all,
        // An export has no adversarial coins.
        Err(Stop::Refused(late @ Uncheckable::ChoosesLate)) => return Err(Failure::usage(late)),
        Err(Stop::Interrupted) => {
            return Err(Failure::Interrupted(format!("interrupted after {:.1} s", begun.elapsed().as_secs_f64())));
        }
        Err(stop) => return Err(refused(&stop)),
    };
    if let Some((flag, asymmetry)) = reduction(arguments).zip(all.asymmetry()) {
        let reason = match asymmetry {
            Asymmetry::Given => "the given values differ between agents",
            Asymmetry::Sets => "a set of the algorithm names an agent by its place",
            Asymmetry::Question => "the start names an agent by its place",
            Asymmetry::Memory => "the tables of the orbits need too much memory; raise the limit (--memory)",
            _ if card.kind == Kind::Graph => {
                "no automorphism of the graph exchanges only processes that the rules and the sets do not tell apart"
            }
            _ => "the agents are not identical, or the graph has no rotation",
        };
        bail!("{flag} is not for {} here: {reason}", card.name);
    }
    let report = ConfigurationsReport { subject, all: &all, time: begun.elapsed(), peak_bytes: memory::peak() };
    let looks = Looks::new(algorithm.algorithm(), card.kind);
    let exported = ConfigurationGraph { all: &all, looks };
    print(arguments.json, || report.json(), |mut out| report.text(&mut out))?;
    export::write(&arguments.export, &exported, None)?;
    Ok(ExitCode::SUCCESS)
}
