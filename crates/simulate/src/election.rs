//! One election from start to goal, and again after every fault, on the kernel asked for.

use crate::arcs::{Arcs, Place};
use crate::kernel::auto::{Auto, Policy};
use crate::kernel::{Kernel, Progress, count::Count, misled::Misled, ring::RingSteps};
use crate::reach::{End, reach};
use crate::rule::Direct;
use crate::table::{Compiled, Table};
use crate::{Generator, Oracle, draws};
use ringleader_model::{Goal, Input, Population, Ring, Scheduler, Stabilizing, corrupt, number};
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
    /// How many steps after the goal a fault comes: uniform in this range.
    pub after: (u64, u64),
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
    /// Give up after this many steps.
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
    /// The table, and the states by their numbers.
    table: Option<(Table, Vec<P::State>)>,
}

/// What one election is given.
struct Task<'a, S> {
    start: &'a Start<'a, S>,
    faults: Faults,
    limits: Limits<'a>,
}

impl<'a, P: Population + Stabilizing> Elections<'a, P> {
    /// Compiles what there is to compile, and refuses a kernel that cannot run this.
    pub fn new(protocol: &'a P, place: Place, choice: Choice, oracle: Oracle) -> Result<Self, String> {
        if P::closed_sets().is_empty() {
            return Err(
                "what it calls safe only holds for long, so there is no step from which it holds for ever".into()
            );
        }
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
            (Choice::Count, Ok(table)) if table.tosses() => return why("count", &"its rule tosses coins"),
            (Choice::Skip, _) if complete => {
                return why("skip", &"on a complete graph every agent touches all arcs; use count");
            }
            _ => {}
        }
        let table = table.ok().filter(|_| choice != Choice::Rule && !misled);
        let table = table.map(|table| (table, number::all(protocol).collect()));
        Ok(Elections { protocol, place, choice, oracle, table })
    }

    /// In words, what `auto` and the others run on here.
    pub fn means(&self) -> &'static str {
        match (&self.table, &self.place, self.choice) {
            _ if self.counts() => "count",
            (Some(_), Place::Complete(_), _) => "table",
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
        let task = Task { start, faults, limits };
        match &self.table {
            Some((table, states)) if P::Input::ALL.len() > 1 => self.by_table::<true>(table, states, &task, coin),
            Some((table, states)) => self.by_table::<false>(table, states, &task, coin),
            None => self.by_rule(&task, coin),
        }
    }

    fn by_rule(&self, task: &Task<'_, P::State>, mut coin: Generator) -> Outcome {
        let states = self.start_states(task.start, &mut coin);
        let progress = Progress::new(coin);
        if self.misled() {
            let kernel = Misled::new(self.protocol, self.place.clone(), states, self.oracle, progress);
            return self.measure(kernel, &|k| k.truthful() && self.safe(k, |s| s), |s| *s, |s| s, task);
        }
        let kernel = Auto::new(Direct(self.protocol), self.place.clone(), states, progress, self.policy());
        self.measure(kernel, &|k| self.safe(k, |s| s), |s| *s, |s| s, task)
    }

    fn policy(&self) -> Policy {
        match (&self.place, self.choice) {
            (Place::Complete(_), _) => Policy::Step,
            (_, Choice::Skip) => Policy::Skip,
            (_, Choice::Auto) => Policy::Choose,
            _ => Policy::Step,
        }
    }

    fn by_table<const HEARS: bool>(
        &self,
        table: &Table,
        states: &[P::State],
        task: &Task<'_, P::State>,
        mut coin: Generator,
    ) -> Outcome {
        let rule = Compiled::<HEARS>(table);
        if self.counts() {
            let counts = self.start_counts(task.start, &mut coin);
            return self.counted(Count::<HEARS>::new(table, counts, Progress::new(coin)), states, task);
        }
        let start = self.start_states(task.start, &mut coin);
        let cells: Vec<u16> = start.iter().map(|s| number::rank(self.protocol, s) as u16).collect();
        let progress = Progress::new(coin);
        let policy = self.policy();
        match &self.place {
            Place::Ring(arcs) => self.compiled(Auto::new(rule, *arcs, cells, progress, policy), states, task),
            place => self.compiled(Auto::new(rule, place.clone(), cells, progress, policy), states, task),
        }
    }

    fn compiled(&self, kernel: impl Kernel<Cell = u16>, states: &[P::State], task: &Task<'_, P::State>) -> Outcome {
        let decode = |cell: u16| states[usize::from(cell)];
        let encode = |state: &P::State| number::rank(self.protocol, state) as u16;
        self.measure(kernel, &|k| self.safe(k, decode), encode, decode, task)
    }

    /// Agents that are only counted are interchangeable, so one look at the same counts is enough.
    fn counted<const HEARS: bool>(
        &self,
        kernel: Count<'_, HEARS>,
        states: &[P::State],
        task: &Task<'_, P::State>,
    ) -> Outcome {
        let decode = |cell: u16| states[usize::from(cell)];
        let encode = |state: &P::State| number::rank(self.protocol, state) as u16;
        let last = RefCell::new((vec![], false));
        let goal = |kernel: &Count<'_, HEARS>| {
            if last.borrow().0 != kernel.counts() {
                let safe = self.safe(kernel, decode);
                *last.borrow_mut() = (kernel.counts().to_vec(), safe);
            }
            last.borrow().1
        };
        self.measure(kernel, &goal, encode, decode, task)
    }

    fn counts(&self) -> bool {
        let asked = matches!(self.choice, Choice::Auto | Choice::Count) && matches!(self.place, Place::Complete(_));
        asked && P::GOAL == Goal::OneLeader && self.table.as_ref().is_some_and(|(table, _)| !table.tosses())
    }

    fn safe<K: Kernel>(&self, kernel: &K, decode: impl Fn(K::Cell) -> P::State) -> bool {
        possible::<P>(kernel.progress()) && look(kernel, decode, |c| self.protocol.safe_fast(c))
    }

    fn start_states(&self, start: &Start<'_, P::State>, coin: &mut Generator) -> Vec<P::State> {
        random_states(self.protocol, |s| self.protocol.marks(s).leader(), start, self.place.agents(), coin)
    }

    /// The same distribution as that of many states drawn one by one.
    fn start_counts(&self, start: &Start<'_, P::State>, coin: &mut Generator) -> Vec<u64> {
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
                let mut left = self.place.agents() as u64;
                for (done, &state) in eligible.iter().enumerate() {
                    counts[state] = draws::binomial(coin, left, 1.0 / (eligible.len() - done) as f64);
                    left -= counts[state];
                }
            }
        }
        counts
    }

    fn measure<K: Kernel>(
        &self,
        kernel: K,
        goal: &dyn Fn(&K) -> bool,
        encode: impl Fn(&P::State) -> K::Cell,
        decode: impl Fn(K::Cell) -> P::State,
        task: &Task<'_, P::State>,
    ) -> Outcome {
        measure(self.protocol, kernel, goal, encode, decode, task)
    }
}

/// Asks something of a kernel's configuration, in the algorithm's own states.
fn look<K: Kernel, S, T>(kernel: &K, decode: impl Fn(K::Cell) -> S, mut ask: impl FnMut(&[S]) -> T) -> T {
    let mut answer = None;
    kernel.configuration(&mut |cells| {
        let states: Vec<S> = cells.iter().map(|&cell| decode(cell)).collect();
        answer = Some(ask(&states));
    });
    answer.expect("every kernel has a configuration")
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
    let safe = |k: &RingSteps<'_, R>| possible::<R>(k.progress()) && look(k, |s| s, |c| algorithm.safe_fast(c));
    measure(algorithm, kernel, &safe, |s| *s, |s| s, &Task { start, faults, limits })
}

/// What every configuration of the goal passes: one leader, where that is what the algorithm promises.
fn possible<A: Stabilizing>(progress: &Progress) -> bool {
    A::GOAL != Goal::OneLeader || progress.leaders == 1
}

/// Refuses a start that no state suits, or that changes what the algorithm is given.
pub fn possible_start<A: Stabilizing<State: Copy>>(
    algorithm: &A,
    leads: impl Fn(&A::State) -> bool,
    start: &Start<'_, A::State>,
) -> Result<(), String> {
    let Start::Random(Some(wanted)) = *start else { return Ok(()) };
    let mut coin = Generator::new(0);
    // At least one state in a few hundred is a leader's, in every algorithm that has one.
    let found = (0..100_000).any(|_| leads(&corrupt::arbitrary(algorithm, &mut coin)) == wanted);
    let kept = found && random_states(algorithm, &leads, start, 3, &mut coin).iter().all(|s| leads(s) == wanted);
    let what = if wanted { "all leaders" } else { "no leader" };
    if kept { Ok(()) } else { Err(format!("this algorithm has no start with {what}")) }
}

fn random_states<A: Stabilizing>(
    algorithm: &A,
    leads: impl Fn(&A::State) -> bool,
    start: &Start<'_, A::State>,
    n: usize,
    coin: &mut Generator,
) -> Vec<A::State>
where
    A::State: Copy,
{
    let mut states: Vec<A::State> = match *start {
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
    };
    algorithm.restore(&mut states);
    states
}

fn measure<A, K>(
    algorithm: &A,
    mut kernel: K,
    goal: &dyn Fn(&K) -> bool,
    encode: impl Fn(&A::State) -> K::Cell,
    decode: impl Fn(K::Cell) -> A::State,
    &Task { faults, limits, .. }: &Task<'_, A::State>,
) -> Outcome
where
    A: Stabilizing<State: Copy>,
    K: Kernel,
{
    let mut end = reach(&mut kernel, goal, limits.steps, limits.stop);
    let last_output_change = kernel.progress().last_output_change;
    let mut recoveries = vec![];
    if !matches!(end, End::Reached(_)) {
        return Outcome { end, last_output_change, recoveries };
    }
    // The faults have a generator of their own: a run does not depend on what hits it later.
    let mut coin = Generator::stream(kernel.progress().coin.clone().word(), 1);
    for _ in 0..faults.times {
        let wait = coin.between(faults.after.0, faults.after.1);
        kernel.run_to(kernel.progress().steps.saturating_add(wait));
        let hit = some_of(kernel.agents() as u64, faults.agents as u64, &mut coin);
        let hit: Vec<_> =
            hit.into_iter().map(|agent| (agent, encode(&corrupt::arbitrary(algorithm, &mut coin)))).collect();
        kernel.corrupt(&hit);
        let restored = restored(algorithm, &kernel, &encode, &decode);
        kernel.corrupt(&restored);
        let from = kernel.progress().steps;
        match reach(&mut kernel, goal, limits.steps.saturating_add(from), limits.stop) {
            End::Reached(steps) => recoveries.push(steps - from),
            other => {
                end = other;
                break;
            }
        }
    }
    Outcome { end, last_output_change, recoveries }
}

/// What no fault can change and this one did, put back.
fn restored<A, K>(
    algorithm: &A,
    kernel: &K,
    encode: impl Fn(&A::State) -> K::Cell,
    decode: impl Fn(K::Cell) -> A::State,
) -> Vec<(usize, K::Cell)>
where
    A: Stabilizing<State: Copy>,
    K: Kernel,
{
    look(kernel, decode, |faulty| {
        let mut right = faulty.to_vec();
        algorithm.restore(&mut right);
        let pairs = right.iter().zip(faulty).enumerate();
        pairs.filter(|(_, (right, faulty))| right != faulty).map(|(agent, (right, _))| (agent, encode(right))).collect()
    })
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
