//! One election from start to goal, and again after every fault, on the kernel asked for.

use crate::arcs::{Arcs, CompleteArcs, Incidence, Place};
use crate::kernel::{
    Kernel, Progress, auto::Auto, count::Count, misled::Misled, ring::RingSteps, skip::Skip, step::Step,
};
use crate::reach::{End, reach};
use crate::rule::{Direct, Rule};
use crate::table::{Compiled, Table};
use crate::{Generator, Oracle, draws};
use ringleader_model::{Goal, Input, Population, Ring, Scheduler, Stabilizing, Variables, corrupt, number};
use std::cell::RefCell;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

/// Which kernel runs a population protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The best there is, chosen again and again while running.
    Auto,
    /// Every interaction, by the algorithm's own rule.
    Rule,
    /// Every interaction, by a compiled table.
    Table,
    /// Only interactions that may change something.
    Skip,
    /// Counts per state, on complete graphs.
    Count,
}

impl Choice {
    const ALL: [(Choice, &'static str); 5] = [
        (Choice::Auto, "auto"),
        (Choice::Rule, "rule"),
        (Choice::Table, "table"),
        (Choice::Skip, "skip"),
        (Choice::Count, "count"),
    ];
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Choice::ALL.iter().find(|(choice, _)| choice == self).map_or(Ok(()), |(_, name)| f.pad(name))
    }
}

impl FromStr for Choice {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Choice::ALL.iter().find(|(_, name)| *name == text).map(|(choice, _)| *choice);
        found.ok_or_else(|| format!("no kernel is called {text:?}; there are auto, rule, table, skip and count"))
    }
}

/// Faults that hit a run once it has reached its goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// How many agents each corrupts.
    pub agents: usize,
    /// How many faults, one after the other has healed.
    pub times: usize,
    /// How long after the goal a fault comes: uniform in 0..=this many steps, or at the next change after that.
    pub within: u64,
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// After how many steps the output of an agent last changed before the goal was reached.
    pub last_output_change: u64,
    /// Steps to recover from each fault.
    pub recoveries: Vec<u64>,
}

/// Where a run starts.
pub enum Start<'a, S> {
    /// Every agent in a state chosen uniformly: any at all, or only leaders' (`Some(true)`) or others' (`Some(false)`).
    Random(Option<bool>),
    /// These states.
    States(&'a [S]),
}

/// How long a run may take, and who may stop it.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Give up after about this many steps.
    pub steps: u64,
    /// Raised to interrupt.
    pub stop: &'a AtomicBool,
}

/// A table of at most this size stays in a core's own cache, and is faster than the rule.
pub const TABLE_BYTES: u64 = 1 << 20;
/// The largest table that is compiled when asked for.
const LARGEST_TABLE: u64 = 1 << 26;

/// A population protocol, ready for many elections.
pub struct Elections<'a, P: Population> {
    protocol: &'a P,
    place: Place,
    choice: Choice,
    oracle: Oracle,
    table: Option<Table<P::State>>,
}

impl<'a, P: Population + Stabilizing> Elections<'a, P> {
    /// Compiles what there is to compile, and refuses a kernel that cannot run this.
    pub fn new(protocol: &'a P, place: Place, choice: Choice, oracle: Oracle) -> Result<Self, String> {
        let complete = matches!(place, Place::Complete(_));
        let limit = if choice == Choice::Table { LARGEST_TABLE } else { TABLE_BYTES };
        let table = Table::compile(protocol, limit);
        let why =
            |what: &str, why: &dyn fmt::Display| Err(format!("the {what} kernel cannot run this algorithm: {why}"));
        let misled = P::Input::ALL.len() > 1 && oracle != Oracle::Perfect;
        match (choice, &table) {
            (Choice::Table | Choice::Skip | Choice::Count, _) if misled => {
                return why(
                    &choice.to_string(),
                    &"with a detector that is late or lies, only the rule kernel is exact",
                );
            }
            (Choice::Table | Choice::Count, Err(error)) => return why(&choice.to_string(), error),
            (Choice::Count, _) if !complete => return why("count", &"it is for complete graphs"),
            (Choice::Count, _) if P::GOAL != Goal::OneLeader => return why("count", &"its goal is not one leader"),
            (Choice::Skip, _) if complete => {
                return why("skip", &"on a complete graph every agent touches all arcs; use count");
            }
            _ => {}
        }
        let table = table.ok().filter(|_| choice != Choice::Rule && !misled);
        Ok(Elections { protocol, place, choice, oracle, table })
    }

    /// In words, what `auto` and the others run on here.
    pub fn means(&self) -> &'static str {
        match (&self.table, &self.place, self.choice) {
            (Some(_), Place::Complete(_), Choice::Auto | Choice::Count) if P::GOAL == Goal::OneLeader => "count",
            (Some(_), _, Choice::Auto) => "auto: table and skip",
            (None, Place::Complete(_), _) => "rule",
            (None, _, Choice::Auto) if self.misled() => "rule",
            (None, _, Choice::Auto) => "auto: rule and skip",
            (_, _, Choice::Rule) => "rule",
            (_, _, Choice::Skip) => "skip",
            _ => "table",
        }
    }

    fn misled(&self) -> bool {
        P::Input::ALL.len() > 1 && self.oracle != Oracle::Perfect
    }

    /// One election.
    pub fn run(&self, start: &Start<'_, P::State>, faults: Faults, limits: Limits<'_>, coin: Generator) -> Outcome {
        match &self.place {
            Place::Complete(arcs) => self.on_complete(*arcs, start, faults, limits, coin),
            Place::Ring(arcs) => self.on_incidence(*arcs, start, faults, limits, coin),
            Place::Listed(arcs) => self.on_incidence(arcs.clone(), start, faults, limits, coin),
        }
    }

    fn on_complete(
        &self,
        arcs: CompleteArcs,
        start: &Start<'_, P::State>,
        faults: Faults,
        limits: Limits<'_>,
        mut coin: Generator,
    ) -> Outcome {
        let by_counts = matches!(self.choice, Choice::Auto | Choice::Count) && P::GOAL == Goal::OneLeader;
        match &self.table {
            Some(table) if by_counts => {
                let counts = self.start_counts(start, arcs.agents() as u64, &mut coin);
                let kernel = Count::new(self.protocol, table, counts, Progress::new(coin));
                // The agents are interchangeable, so one look at these counts is enough.
                let last = RefCell::new((vec![], false));
                let goal = |kernel: &Count<'_, P>| {
                    if last.borrow().0 != kernel.counts() {
                        let safe = kernel.configuration(|c| self.protocol.safe_fast(c));
                        *last.borrow_mut() = (kernel.counts().to_vec(), safe);
                    }
                    last.borrow().1
                };
                self.measure(kernel, goal, faults, limits)
            }
            _ => self.stepping(arcs, start, faults, limits, coin),
        }
    }

    fn on_incidence<A: Incidence>(
        &self,
        arcs: A,
        start: &Start<'_, P::State>,
        faults: Faults,
        limits: Limits<'_>,
        mut coin: Generator,
    ) -> Outcome {
        if self.misled() || matches!(self.choice, Choice::Rule | Choice::Table) {
            return self.stepping(arcs, start, faults, limits, coin);
        }
        let states = self.start_states(start, arcs.agents(), &mut coin);
        match &self.table {
            Some(table) => {
                self.skipping(Compiled::new(self.protocol, table), arcs, states, faults, limits, Progress::new(coin))
            }
            None => self.skipping(Direct(self.protocol), arcs, states, faults, limits, Progress::new(coin)),
        }
    }

    fn skipping<R: Rule<State = P::State>, A: Incidence>(
        &self,
        rule: R,
        arcs: A,
        states: Vec<P::State>,
        faults: Faults,
        limits: Limits<'_>,
        progress: Progress,
    ) -> Outcome {
        let cells = states.iter().map(|s| rule.encode(s)).collect();
        drop(states);
        match self.choice {
            Choice::Skip => self.measure(Skip::new(rule, arcs, cells, progress), |k| self.safe(k), faults, limits),
            _ => self.measure(Auto::new(rule, arcs, cells, progress), |k| self.safe(k), faults, limits),
        }
    }

    fn stepping<A: Arcs>(
        &self,
        arcs: A,
        start: &Start<'_, P::State>,
        faults: Faults,
        limits: Limits<'_>,
        mut coin: Generator,
    ) -> Outcome {
        let states = self.start_states(start, arcs.agents(), &mut coin);
        let progress = Progress::new(coin);
        if self.misled() {
            let kernel = Misled::new(self.protocol, arcs, states, self.oracle, progress);
            return self.measure(kernel, |k| k.truthful() && self.safe(k), faults, limits);
        }
        match &self.table {
            None => {
                let kernel = Step::new(Direct(self.protocol), arcs, states, progress);
                self.measure(kernel, |k| self.safe(k), faults, limits)
            }
            Some(table) => {
                let rule = Compiled::new(self.protocol, table);
                let cells = states.iter().map(|s| rule.encode(s)).collect();
                self.measure(Step::new(rule, arcs, cells, progress), |k| self.safe(k), faults, limits)
            }
        }
    }

    fn safe(&self, kernel: &impl Kernel<State = P::State>) -> bool {
        possible::<P>(kernel.progress()) && kernel.configuration(|c| self.protocol.safe_fast(c))
    }

    fn start_states(&self, start: &Start<'_, P::State>, n: usize, coin: &mut Generator) -> Vec<P::State> {
        random_states(self.protocol, |s| self.protocol.marks(s).leader(), start, n, coin)
    }

    /// The same distribution as that of many states drawn one by one.
    fn start_counts(&self, start: &Start<'_, P::State>, n: u64, coin: &mut Generator) -> Vec<u64> {
        let mut counts = vec![0; number::states(self.protocol).unwrap_or(0) as usize];
        match start {
            Start::States(states) => {
                states.iter().for_each(|s| counts[number::rank(self.protocol, s) as usize] += 1);
            }
            Start::Random(wanted) => {
                let eligible: Vec<usize> = number::all(self.protocol)
                    .enumerate()
                    .filter(|(_, s)| wanted.is_none_or(|wanted| self.protocol.marks(s).leader() == wanted))
                    .map(|(state, _)| state)
                    .collect();
                let mut left = n;
                for (done, &state) in eligible.iter().enumerate() {
                    counts[state] = draws::binomial(coin, left, 1.0 / (eligible.len() - done) as f64);
                    left -= counts[state];
                }
            }
        }
        counts
    }

    fn measure<K: Kernel<State = P::State>>(
        &self,
        kernel: K,
        goal: impl Fn(&K) -> bool,
        faults: Faults,
        limits: Limits<'_>,
    ) -> Outcome {
        measure(self.protocol, kernel, goal, faults, limits)
    }
}

/// One election of a ring algorithm.
pub fn ring<R: Ring + Stabilizing>(
    algorithm: &R,
    size: usize,
    scheduler: Scheduler,
    start: &Start<'_, R::State>,
    faults: Faults,
    limits: Limits<'_>,
    mut coin: Generator,
) -> Outcome {
    let leads = |s: &R::State| algorithm.marks(ringleader_model::Place::Other, s, s).leader();
    let states = random_states(algorithm, leads, start, size, &mut coin);
    let kernel = RingSteps::new(algorithm, states, scheduler, Progress::new(coin));
    let safe = |k: &RingSteps<'_, R>| possible::<R>(k.progress()) && k.configuration(|c| algorithm.safe_fast(c));
    measure(algorithm, kernel, safe, faults, limits)
}

/// What every configuration of the goal passes: one leader, where that is what the algorithm promises.
fn possible<A: Stabilizing>(progress: &Progress) -> bool {
    A::GOAL != Goal::OneLeader || progress.leaders == 1
}

fn random_states<A: Variables>(
    algorithm: &A,
    leads: impl Fn(&A::State) -> bool,
    start: &Start<'_, A::State>,
    n: usize,
    coin: &mut Generator,
) -> Vec<A::State>
where
    A::State: Copy,
{
    match *start {
        Start::States(states) => states.to_vec(),
        Start::Random(wanted) => (0..n)
            .map(|_| {
                let mut draw = || corrupt::arbitrary(algorithm, coin);
                let mut state = draw();
                while wanted.is_some_and(|wanted| leads(&state) != wanted) {
                    state = draw();
                }
                state
            })
            .collect(),
    }
}

fn measure<A, K>(algorithm: &A, mut kernel: K, goal: impl Fn(&K) -> bool, faults: Faults, limits: Limits<'_>) -> Outcome
where
    A: Variables,
    K: Kernel<State = A::State>,
{
    let mut end = reach(&mut kernel, &goal, limits.steps, limits.stop);
    let last_output_change = kernel.progress().last_output_change;
    let mut recoveries = vec![];
    if !matches!(end, End::Reached(_)) {
        return Outcome { end, last_output_change, recoveries };
    }
    // The faults have a generator of their own: a run does not depend on what hits it later.
    let mut coin = Generator::stream(kernel.progress().coin.clone().word(), 1);
    for _ in 0..faults.times {
        let until = kernel.progress().steps + coin.between(0, faults.within);
        while kernel.progress().steps < until && kernel.advance(1) > 0 {}
        let hit = some_of(kernel.agents() as u64, faults.agents as u64, &mut coin);
        let hit: Vec<_> = hit.into_iter().map(|agent| (agent, corrupt::arbitrary(algorithm, &mut coin))).collect();
        kernel.corrupt(&hit);
        let from = kernel.progress().steps;
        match reach(&mut kernel, &goal, limits.steps.saturating_add(from), limits.stop) {
            End::Reached(steps) => recoveries.push(steps - from),
            other => {
                end = other;
                break;
            }
        }
    }
    Outcome { end, last_output_change, recoveries }
}

/// `count` different agents of `n`, each set as likely (Floyd's algorithm).
fn some_of(n: u64, count: u64, coin: &mut Generator) -> Vec<usize> {
    let mut chosen = std::collections::BTreeSet::new();
    for last in n - count..n {
        let agent = coin.between(0, last);
        let agent = if chosen.contains(&agent) { last } else { agent };
        chosen.insert(agent);
    }
    chosen.into_iter().map(|agent| agent as usize).collect()
}
