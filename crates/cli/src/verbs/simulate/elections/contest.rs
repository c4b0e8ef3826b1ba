//! One setting of the algorithm, ready to elect.

use super::{Arguments, Plan};
use crate::catalog;
use crate::settings::graph::{self, Wanted};
use crate::settings::memory;
use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::interrupt;
use ringleader_catalog::Instance;
use ringleader_erased::{Card, Parameters, Topology};
use ringleader_model::Scheduler;
use ringleader_report::experiment::Setting;
use ringleader_simulate::{Arena, Contest, Elections, Oracle, Start, schedulers};

/// Prepares a setting. Fails if the setting does not fit the memory or the algorithm refuses its start.
pub(super) fn ready<'a>(arguments: &Arguments, plan: &Plan, setting: &'a Setting) -> Result<Contest<'a>, Failure> {
    let (card, parameters, start) = (plan.card, &setting.parameters, arguments.start(plan.card));
    let elections = match catalog().instance(card.name, parameters)? {
        Instance::Message(algorithm) => return Ok(catalog().elections_by_messages(card, parameters, algorithm)),
        Instance::Population(algorithm) => {
            let oracle = arguments.setup.oracle().unwrap_or(Oracle::Perfect);
            let arena = arena(card, parameters, &plan.graph)?;
            Elections::population_until(algorithm, arena, arguments.kernel, oracle, interrupt::flag())
        }
        Instance::Ring(algorithm) => Elections::ring(algorithm, parameters.size, measured(arguments, card)),
        Instance::Graph(algorithm) => Elections::graph(algorithm, measured(arguments, card)),
        Instance::Robust(_) => {
            let name = card.name;
            bail!("{name} is simulated in a network and cannot be measured here");
        }
    };
    let elections = elections.and_then(|all| if arguments.count_rounds { all.counting() } else { Ok(all) });
    let elections = elections.map_err(Failure::usage)?;
    fits(arguments, card, parameters.size, elections.bytes_per_agent())?;
    let from = start.load(card.name, parameters)?;
    let listed = matches!(from, Start::Clean | Start::Given(_) | Start::Among(_));
    if parameters.size > MOST_LISTED && (listed || arguments.corrupt.is_some()) {
        bail!(
            "more than 2^30 agents are counted, not listed: they start arbitrary, all-leaders, no-leader or with counts such as \
             --start \"A: 6, B: 4\", and no fault hits single agents"
        );
    }
    Ok(elections.starting(&from).map_err(|error| start.refusal(error))?.into())
}

/// More agents are counted, and have no places.
const MOST_LISTED: usize = 1 << 30;

/// Refuses a setting that would not fit the free memory.
fn fits(arguments: &Arguments, card: &Card, size: usize, bytes_per_agent: usize) -> Result<(), Failure> {
    let exponent = if bytes_per_agent == 0 { 40 } else { 30 };
    if size > 1 << exponent {
        bail!("size {size} is more than 2^{exponent} {}", card.kind.members());
    }
    let at_once = arguments.threads.count().min(arguments.runs as usize);
    let needed = (size as u64).saturating_mul(bytes_per_agent as u64 * at_once as u64);
    match memory::available().map(|free| free / 10 * 9) {
        Some(free) if needed > free => Err(usage!(
            "{size} {} on {} threads need about {} MiB, but {} MiB are free: use fewer --threads or a smaller size",
            card.kind.members(),
            arguments.threads.count(),
            needed >> 20,
            free >> 20
        )),
        _ => Ok(()),
    }
}

/// The scheduler of processes. An algorithm for every fair schedule is measured under the random scheduler, which has
/// a distribution.
pub(super) fn measured(arguments: &Arguments, card: &Card) -> Scheduler {
    let own = Some(card.scheduler).filter(|own| schedulers(card.kind).contains(own)).unwrap_or(Scheduler::Random);
    arguments.scheduler.unwrap_or(own)
}

/// The graph of a population: the algorithm's own kind, or the user's if it is of that kind.
pub(super) fn arena(card: &Card, parameters: &Parameters, wanted: &Wanted) -> Result<Arena, Failure> {
    let (size, topology) = (parameters.size, parameters.layers.topology(card));
    let shaped = |shape| Arena::shaped(shape, size).map_err(Failure::usage);
    match wanted {
        Wanted::Own => shaped(topology.shape()),
        Wanted::File(graph) if !topology.suits(graph) => {
            Err(graph::unsuitable(card, topology, &format!("the {} of the file", graph.shape())))
        }
        Wanted::File(graph) => Ok(Arena::of(graph)),
        Wanted::Family(family) => match family.shape() {
            // A ring and a complete graph need no list of arcs.
            Some(shape) if topology == Topology::Any || shape == topology.shape() => shaped(shape),
            _ => Ok(Arena::of(&wanted.of_agents(card, topology, size)?)),
        },
    }
}
