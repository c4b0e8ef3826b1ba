//! The runs of one setting.

use super::records::thread_seconds;
use super::{Arguments, MEASURED};
use crate::settings::reading::{self, Steps};
use crate::settings::{graph, memory};
use crate::terminal::exit::Failure;
use crate::terminal::interrupt;
use ringleader_catalog::Instance;
use ringleader_erased::{Card, MessageInstance, Parameter, ParameterKind, Parameters, Topology};
use ringleader_model::{Graph, Scheduler, Terminating};
use ringleader_report::experiment::{Record, Setting};
use ringleader_simulate::{
    Arena, Election, Elections, End, Generator, Limits, Oracle, elect_by_messages, in_parallel, run_generator,
};

/// Everything about one setting.
pub(super) struct Series<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) card: &'static Card,
    pub(super) graph: Option<&'a Graph>,
    pub(super) seed: u64,
    pub(super) index: usize,
    pub(super) setting: &'a Setting,
    pub(super) records: &'a mut Vec<Record>,
}

/// Who is told of each run as it ends.
type Sink<'a> = &'a mut dyn FnMut(&Record) -> Result<(), Failure>;

impl Series<'_> {
    /// Does the runs that are not there yet, and says on what.
    pub(super) fn run(
        self,
        instance: Instance,
        mut sink: impl FnMut(&Record) -> Result<(), Failure>,
    ) -> Result<String, Failure> {
        let start = self.arguments.start(self.card);
        let elections = match instance {
            Instance::Message(algorithm) => return self.messages(algorithm, &mut sink),
            Instance::Population(algorithm) => {
                let oracle = self.arguments.setup.oracle().unwrap_or(Oracle::Perfect);
                Elections::population(
                    algorithm,
                    arena(self.card, &self.setting.parameters, self.arguments.graph.as_deref(), self.graph)?,
                    self.arguments.kernel,
                    oracle,
                )
            }
            Instance::Ring(algorithm) => {
                Elections::ring(algorithm, self.setting.parameters.size, measured(self.arguments, self.card))
            }
            Instance::Robust(_) => {
                let name = self.card.name;
                return Err(Failure::usage(format!("{name} is not simulated here: its network has a verb of its own")));
            }
        };
        let elections = elections.map_err(Failure::usage)?;
        let faults = self.arguments.faults(self.setting);
        self.fits(elections.bytes_per_agent())?;
        let elections = elections.starting(&start.load()?).map_err(|error| start.refusal(error))?;
        let limits = self.limits();
        self.all(&mut sink, |coin| recorded(elections.run(faults, limits, coin)))?;
        Ok(elections.means())
    }

    fn limits(&self) -> Limits<'static> {
        Limits { steps: self.arguments.limit, stop: interrupt::flag() }
    }

    /// Refuses what would not fit the memory there is.
    fn fits(&self, bytes_per_agent: usize) -> Result<(), Failure> {
        let size = self.setting.parameters.size;
        if size > 1 << 30 {
            return Err(Failure::usage(format!("size {size} is more than 2^30 agents")));
        }
        let needed = (size as u64)
            .saturating_mul(bytes_per_agent as u64 * self.arguments.threads().min(self.arguments.runs as usize) as u64);
        match memory::available().map(|free| free / 10 * 9) {
            Some(free) if needed > free => Err(Failure::usage(format!(
                "{size} agents on {} threads would take about {} MiB, and {} MiB are free: fewer --threads or a smaller size",
                self.arguments.threads(),
                needed >> 20,
                free >> 20
            ))),
            _ => Ok(()),
        }
    }

    /// Does the runs that are not there yet.
    fn all(self, sink: Sink<'_>, job: impl Fn(Generator) -> Option<Record> + Sync) -> Result<(), Failure> {
        let (index, size, x) = (self.index, self.setting.parameters.size, self.setting.x);
        let shard = self.arguments.shard();
        let of_this = self.records.iter().filter(|r| r.point == index);
        let mut done: Vec<u64> = of_this.filter_map(|r| shard.place(r.run)).collect();
        done.sort_unstable();
        done.dedup();
        // Where a parameter varies at one size, its values must not share their randomness.
        let key = if x == size { size } else { size ^ (x << 32) };
        let seed = self.seed;
        let mut failure = None;
        in_parallel(
            shard.share(self.arguments.runs).saturating_sub(done.len() as u64) as usize,
            self.arguments.threads(),
            interrupt::flag(),
            |i| {
                let before = thread_seconds();
                let run = shard.run(missing(&done, i as u64));
                let record = job(run_generator(seed, key, run))?;
                Some(Record { point: index, run, cpu: Some(thread_seconds() - before), ..record })
            },
            |_, record| {
                let Some(record) = record else { return true };
                let written = sink(&record);
                self.records.push(record);
                failure = written.err();
                failure.is_none()
            },
        );
        failure.map_or(Ok(()), Err)
    }

    /// Elections by messages. Where processes have identities that the user did not give, each run has an order of its own.
    fn messages(self, algorithm: MessageInstance, sink: Sink<'_>) -> Result<String, Failure> {
        let (card, given, limits) = (self.card, &self.setting.parameters, self.limits());
        let named = |p: &Parameter| p.kind == ParameterKind::Identities && given.word(p.name).is_none();
        let shuffled = card.parameters.iter().any(named);
        self.all(sink, |mut coin| {
            let of_this_run = shuffled.then(|| {
                let parameters = given.clone().with_identities(card, &mut coin);
                reading::build(card, &parameters, Steps::Own, "simulate").ok()
            });
            let algorithm = of_this_run.flatten().unwrap_or_else(|| algorithm.clone());
            let election = elect_by_messages(&algorithm, algorithm.channels(), limits, coin);
            let end = match election.end {
                End::Stuck(steps) => End::Limit(steps),
                end => end,
            };
            // Variants that only serve a published table announce no rounds.
            let rounds = Some(election.rounds).filter(|&rounds| rounds > 0);
            Some(Record { messages: Some(election.messages), rounds, ..Record::of(end)? })
        })?;
        Ok("messages, one choice at a time".into())
    }
}

/// Under which scheduler a ring of processes runs. An algorithm for every fair schedule is measured under the random one, which has
/// a distribution.
pub(super) fn measured(arguments: &Arguments, card: &Card) -> Scheduler {
    let own = Some(card.scheduler).filter(|own| MEASURED.contains(own)).unwrap_or(Scheduler::Random);
    arguments.scheduler.unwrap_or(own)
}

/// Where a population runs: its own kind of graph, or the user's if it is of that kind.
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

/// The `i`-th number, from 0, that is not in the sorted `done`.
fn missing(done: &[u64], i: u64) -> u64 {
    let (mut low, mut high) = (0, done.len());
    while low < high {
        let middle = (low + high) / 2;
        if done[middle] - middle as u64 <= i {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    i + low as u64
}

fn recorded(election: Election) -> Option<Record> {
    let record = Record::of(election.end)?;
    let last_output_change = record.reached.then_some(election.last_output_change);
    let (recoveries, unhealed) = (election.recoveries, election.unhealed);
    Some(Record { last_output_change, recoveries, unhealed, ..record })
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn what_is_done_is_not_done_again() {
        for done in [&[][..], &[0], &[3], &[0, 1, 2], &[1, 4, 5, 9]] {
            let left = (0..20).filter(|run| !done.contains(run));
            assert!(left.enumerate().all(|(i, run)| missing(done, i as u64) == run), "{done:?}");
        }
    }
}
