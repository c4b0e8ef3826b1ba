//! One setting of the algorithm, ready to elect.

use super::{Arguments, MEASURED, Plan};
use crate::catalog;
use crate::settings::reading;
use crate::settings::{graph, memory};
use crate::terminal::exit::Failure;
use ringleader_catalog::Instance;
use ringleader_erased::{Card, MessageInstance, Parameter, ParameterKind, Parameters, Topology};
use ringleader_model::{Graph, Scheduler, Terminating};
use ringleader_report::experiment::Setting;
use ringleader_simulate::{Arena, Contest, Elections, Oracle, elect_by_messages};

/// Prepares a setting. Fails if the setting does not fit the memory or the algorithm refuses its start.
pub(super) fn ready<'a>(arguments: &Arguments, plan: &Plan, setting: &'a Setting) -> Result<Contest<'a>, Failure> {
    let (card, parameters, start) = (plan.card, &setting.parameters, arguments.start(plan.card));
    let elections = match catalog().instance(card.name, parameters)? {
        Instance::Message(algorithm) => return Ok(messages(card, parameters, algorithm)),
        Instance::Population(algorithm) => {
            let oracle = arguments.setup.oracle().unwrap_or(Oracle::Perfect);
            let arena = arena(card, parameters, arguments.graph.as_deref(), plan.graph.as_ref())?;
            Elections::population(algorithm, arena, arguments.kernel, oracle)
        }
        Instance::Ring(algorithm) => Elections::ring(algorithm, parameters.size, measured(arguments, card)),
        Instance::Robust(_) => {
            let name = card.name;
            return Err(Failure::usage(format!("{name} is simulated in a network and cannot be measured here")));
        }
    };
    let elections = elections.map_err(Failure::usage)?;
    fits(arguments, parameters.size, elections.bytes_per_agent())?;
    Ok(elections.starting(&start.load()?).map_err(|error| start.refusal(error))?.into())
}

/// Refuses a setting that would not fit the free memory.
fn fits(arguments: &Arguments, size: usize, bytes_per_agent: usize) -> Result<(), Failure> {
    if size > 1 << 30 {
        return Err(Failure::usage(format!("size {size} is more than 2^30 agents")));
    }
    let at_once = arguments.threads().min(arguments.runs as usize);
    let needed = (size as u64).saturating_mul(bytes_per_agent as u64 * at_once as u64);
    match memory::available().map(|free| free / 10 * 9) {
        Some(free) if needed > free => Err(Failure::usage(format!(
            "{size} agents on {} threads need about {} MiB, but {} MiB are free: use fewer --threads or a smaller size",
            arguments.threads(),
            needed >> 20,
            free >> 20
        ))),
        _ => Ok(()),
    }
}

/// Elections by messages. Where the user gave no identities, each run draws its own order of them.
fn messages<'a>(card: &'static Card, given: &'a Parameters, algorithm: MessageInstance) -> Contest<'a> {
    let named = |p: &Parameter| p.kind == ParameterKind::Identities && given.word(p.name).is_none();
    let shuffled = card.parameters.iter().any(named);
    Contest::Messages(Box::new(move |limits, mut coin| {
        let of_this_run = shuffled.then(|| {
            let parameters = given.clone().with_identities(card, &mut coin);
            reading::build(card, &parameters, None, "simulate").ok()
        });
        let algorithm = of_this_run.flatten().unwrap_or_else(|| algorithm.clone());
        elect_by_messages(&algorithm, algorithm.channels(), limits, coin)
    }))
}

/// The scheduler of a ring of processes. An algorithm for every fair schedule is measured under the random scheduler, which has
/// a distribution.
pub(super) fn measured(arguments: &Arguments, card: &Card) -> Scheduler {
    let own = Some(card.scheduler).filter(|own| MEASURED.contains(own)).unwrap_or(Scheduler::Random);
    arguments.scheduler.unwrap_or(own)
}

/// The graph of a population: the algorithm's own kind, or the user's if it is of that kind.
pub(super) fn arena(
    card: &Card,
    parameters: &Parameters,
    asked: Option<&str>,
    graph: Option<&Graph>,
) -> Result<Arena, Failure> {
    let (size, topology) = (parameters.size, parameters.layers.topology(card));
    let shape = graph::shape(topology);
    let refuse = |found: &str| Err(graph::unsuitable(card, topology, found));
    match (asked.and_then(graph::named), graph) {
        (_, Some(graph)) if graph::suits(topology, graph) => Ok(Arena::of(graph)),
        (_, Some(graph)) => refuse(&format!("the {} of the file", graph.shape())),
        (Some(asked), None) if topology != Topology::Any && asked != shape => refuse(&graph::a(&asked.to_string())),
        (asked, None) => Arena::shaped(asked.unwrap_or(shape), size).map_err(Failure::usage),
    }
}
