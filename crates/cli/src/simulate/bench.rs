//! The runs of one setting, once the algorithm's type is known.

use super::record::{Record, thread_seconds};
use super::{Arguments, MEASURED};
use crate::failure::Failure;
use crate::interrupt;
use crate::start::Start;
use crate::sweep::Point;
use ringleader_algorithms::message::Identities;
use ringleader_algorithms::{Card, Topology, catalog};
use ringleader_model::{Graph, Population, Ring, Scheduler, Shape, Stabilizing, Terminating, Timed, Variables, number};
use ringleader_simulate::arcs::{CompleteArcs, Place, RingArcs};
use ringleader_simulate::election::{self, Elections, Limits, Outcome};
use ringleader_simulate::experiment::{generator, in_parallel};
use ringleader_simulate::kernel::message::MessageSteps;
use ringleader_simulate::plain::Run;
use ringleader_simulate::reach::End;
use ringleader_simulate::{Generator, Oracle};

/// Everything about one setting.
pub(super) struct Bench<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) card: &'static Card,
    pub(super) graph: Option<&'a Graph>,
    pub(super) seed: u64,
    pub(super) index: usize,
    pub(super) point: &'a Point,
    pub(super) records: &'a mut Vec<Record>,
}

/// A bench, and who is told of each run as it ends.
pub(super) struct Sinking<'a, S> {
    bench: Bench<'a>,
    sink: S,
}

impl<'a> Bench<'a> {
    pub(super) fn with<S: FnMut(&Record) -> Result<(), Failure>>(self, sink: S) -> Sinking<'a, S> {
        Sinking { bench: self, sink }
    }

    fn limits(&self) -> Limits<'static> {
        Limits { steps: self.arguments.limit, stop: interrupt::flag() }
    }

    /// Where a population runs: its own kind of graph, or the user's if it is of that kind.
    fn place(&self) -> Result<Place, Failure> {
        let size = self.point.parameters.size;
        let topology = self.point.parameters.layers()?.topology(self.card);
        let (shape, name) = match topology {
            Topology::Complete => (Shape::Complete, "complete"),
            Topology::UndirectedRing => (Shape::UndirectedRing, "undirected-ring"),
            _ => (Shape::DirectedRing, "ring"),
        };
        let refuse = |found: &str| {
            Err(Failure::usage(format!(
                "{} is for a {}, not for {found}: its safe set and its proof mean nothing there",
                self.card.name,
                topology.describe()
            )))
        };
        match (&self.arguments.graph, self.graph) {
            (_, Some(graph)) if graph.has_shape(shape) => Ok(Place::of(graph)),
            (_, Some(graph)) => refuse(&format!("the {} of the file", graph.shape())),
            (Some(asked), None) if asked != name => refuse(asked),
            _ if shape == Shape::DirectedRing && size > 2 => Ok(Place::Ring(RingArcs(size))),
            _ if shape == Shape::Complete && size >= 2 => Ok(Place::Complete(CompleteArcs(size))),
            _ if shape == Shape::DirectedRing => Ok(Place::of(&Graph::directed_ring(size).map_err(Failure::usage)?)),
            _ => Ok(Place::of(&Graph::undirected_ring(size).map_err(Failure::usage)?)),
        }
    }

    /// Refuses what would not fit the memory there is.
    fn fits(&self, bytes_per_agent: usize) -> Result<(), Failure> {
        let size = self.point.parameters.size;
        if size > 1 << 30 {
            return Err(Failure::usage(format!("size {size} is more than 2^30 agents")));
        }
        let needed = (size as u64)
            .saturating_mul(bytes_per_agent as u64 * self.arguments.threads().min(self.arguments.runs as usize) as u64);
        match available_memory() {
            Some(free) if needed > free => Err(Failure::usage(format!(
                "{size} agents on {} threads would take about {} MiB, and {} MiB are free: fewer --threads or a smaller size",
                self.arguments.threads(),
                needed >> 20,
                free >> 20
            ))),
            _ => Ok(()),
        }
    }

    fn faults(&self) -> Result<election::Faults, Failure> {
        let faults = self.arguments.faults(self.point);
        if faults.agents > self.point.parameters.size {
            return Err(Failure::usage(format!(
                "--corrupt {}: there are only {} agents",
                faults.agents, self.point.parameters.size
            )));
        }
        Ok(faults)
    }

    /// The states to start from, where they are not random.
    fn given_states<A: Variables>(&self, algorithm: &A) -> Result<Option<Vec<A::State>>, Failure> {
        let start = self.start();
        if start == Start::Clean {
            return Ok(Some(vec![number::unrank(algorithm, 0); self.point.parameters.size]));
        }
        let states = start.document()?.map(|d| d.states(algorithm)).transpose();
        states.map_err(|e| Failure::usage(format!("{start}: {e}")))
    }

    fn start(&self) -> Start {
        self.arguments.start(self.card)
    }
}

impl<S: FnMut(&Record) -> Result<(), Failure>> Sinking<'_, S> {
    /// Does the runs that are not there yet.
    fn all(self, job: impl Fn(Generator) -> Option<Record> + Sync) -> Result<(), Failure> {
        let Sinking { bench, mut sink } = self;
        let (index, size, x) = (bench.index, bench.point.parameters.size, bench.point.x);
        let mut done: Vec<u64> = bench.records.iter().filter(|r| r.point == index).map(|r| r.run).collect();
        done.sort_unstable();
        done.dedup();
        // Where a parameter varies at one size, its values must not share their randomness.
        let key = if x == size { size } else { size ^ (x << 32) };
        let seed = bench.seed;
        let mut failure = None;
        in_parallel(
            bench.arguments.runs.saturating_sub(done.len() as u64) as usize,
            bench.arguments.threads(),
            interrupt::flag(),
            |i| {
                let before = thread_seconds();
                let run = missing(&done, i as u64);
                let record = job(generator(seed, key, run))?;
                Some(Record { point: index, run, cpu: Some(thread_seconds() - before), ..record })
            },
            |_, record| {
                let Some(record) = record else { return true };
                let written = sink(&record);
                bench.records.push(record);
                failure = written.err();
                failure.is_none()
            },
        );
        failure.map_or(Ok(()), Err)
    }

    /// Elections by messages. Where processes have identities that the user did not give, each run has an order of its own.
    fn messages(self) -> Result<String, Failure> {
        let (name, limit, given) = (self.bench.card.name, self.bench.arguments.limit, &self.bench.point.parameters);
        let known = Identities::PARAMETER.name;
        let shuffled = self.bench.card.parameters.iter().any(|p| p.name == known) && given.word(known).is_none();
        self.all(|mut coin| {
            let mut parameters = given.clone();
            if shuffled {
                parameters = parameters.with(known, Identities::shuffled(given.size as u32, &mut coin).to_string());
            }
            let election = catalog::visit(name, &parameters, ByMessages { coin, limit });
            election.expect("parameters that were accepted before")
        })?;
        Ok("messages, one choice at a time".into())
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

/// One election by messages.
struct ByMessages {
    coin: Generator,
    limit: u64,
}

impl catalog::Visitor for ByMessages {
    /// `None` if it was interrupted.
    type Output = Option<Record>;

    fn message<A: Terminating + 'static>(self, algorithm: A) -> Option<Record> {
        let mut steps = MessageSteps::new(&algorithm, algorithm.channels(), self.coin);
        while steps.run().steps() < self.limit && steps.step() {
            if steps.run().steps().is_multiple_of(1024) && interrupt::requested() {
                return None;
            }
        }
        let run = steps.run();
        let end = run.reached().map_or(End::Limit(run.steps()), End::Reached);
        // Variants that only serve a published table announce no rounds.
        let rounds = Some(run.rounds()).filter(|&rounds| rounds > 0);
        Some(Record { messages: Some(run.messages()), rounds, ..Record::of(end)? })
    }

    fn population<A: Population + Stabilizing + 'static>(self, _: A) -> Option<Record> {
        None
    }

    fn ring<A: Ring + Stabilizing + 'static>(self, _: A) -> Option<Record> {
        None
    }

    fn robust<A: Timed + 'static>(self, _: A) -> Option<Record> {
        None
    }
}

fn recorded(outcome: Outcome) -> Option<Record> {
    let record = Record::of(outcome.end)?;
    let last_output_change = record.reached.then_some(outcome.last_output_change);
    Some(Record { last_output_change, recoveries: outcome.recoveries, ..record })
}

fn election_start<'a, T>(start: &Start, states: Option<&'a [T]>) -> election::Start<'a, T> {
    match (states, start) {
        (Some(states), _) => election::Start::States(states),
        (None, Start::AllLeaders) => election::Start::Random(Some(true)),
        (None, Start::NoLeader) => election::Start::Random(Some(false)),
        (None, _) => election::Start::Random(None),
    }
}

impl<S: FnMut(&Record) -> Result<(), Failure>> catalog::Visitor for Sinking<'_, S> {
    type Output = Result<String, Failure>;

    fn population<A: Population + Stabilizing + 'static>(self, algorithm: A) -> Self::Output {
        let bench = &self.bench;
        let place = bench.place()?;
        let faults = bench.faults()?;
        let oracle = bench.arguments.setup.oracle().unwrap_or(Oracle::Perfect);
        let elections = Elections::new(&algorithm, place, bench.arguments.kernel, oracle).map_err(Failure::usage)?;
        let means = elections.means().to_string();
        bench.fits(if means == "count" { 2 + size_of::<A::State>() } else { 2 * size_of::<A::State>() + 24 })?;
        let states = bench.given_states(&algorithm)?;
        let start = election_start(&bench.start(), states.as_deref());
        election::possible_start(&algorithm, |s| algorithm.marks(s).leader(), &start).map_err(Failure::usage)?;
        let limits = bench.limits();
        self.all(|coin| recorded(elections.run(&start, faults, limits, coin)))?;
        Ok(means)
    }

    fn ring<A: Ring + Stabilizing + 'static>(self, algorithm: A) -> Self::Output {
        let bench = &self.bench;
        // An algorithm for every fair schedule is measured under the random one, which has a distribution.
        let own = Some(bench.card.scheduler).filter(|own| MEASURED.contains(own)).unwrap_or(Scheduler::Random);
        let scheduler = bench.arguments.scheduler.unwrap_or(own);
        let faults = bench.faults()?;
        bench.fits(3 * size_of::<A::State>() + 32)?;
        let states = bench.given_states(&algorithm)?;
        let start = election_start(&bench.start(), states.as_deref());
        let leads = |s: &A::State| algorithm.marks(ringleader_model::Place::Other, s, s).leader();
        election::possible_start(&algorithm, leads, &start).map_err(Failure::usage)?;
        let (size, limits) = (bench.point.parameters.size, bench.limits());
        self.all(|coin| recorded(election::ring(&algorithm, size, scheduler, &start, faults, limits, coin)))?;
        Ok(format!("rule, {scheduler} scheduler"))
    }

    fn message<A: Terminating + 'static>(self, _: A) -> Self::Output {
        self.messages()
    }

    fn robust<A: Timed + 'static>(self, _: A) -> Self::Output {
        Err(Failure::usage(format!(
            "{} is not simulated here: its network has a verb of its own",
            self.bench.card.name
        )))
    }
}

/// How much memory may be used, where the system tells.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024 / 10 * 9)
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
