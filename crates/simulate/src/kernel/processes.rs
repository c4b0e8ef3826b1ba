//! The processes of a ring, a line or a graph under a daemon, with running counts.

use crate::Generator;
use crate::composite::{Composite, Turns};
use crate::kernel::active::Active;
use crate::kernel::pace::Pace;
use crate::kernel::{Counted, Kernel, Progress};
use ringleader_erased::{Number, Processes};
use ringleader_model::{Coin, Ring as _, Scheduler};

/// The number of scheduled processes drawn ahead: no scheduler looks at the states.
const BLOCK: usize = 256;

/// Takes every scheduled step, including those that change nothing.
pub struct ProcessSteps {
    processes: Box<dyn Processes>,
    daemon: Daemon,
    progress: Progress,
    /// The count of rounds and moves, if it is asked for.
    pace: Option<Pace>,
}

impl ProcessSteps {
    /// The schedulers that choose at random, or have no choice.
    pub const SCHEDULERS: [Scheduler; 5] = [
        Scheduler::Alternating,
        Scheduler::Random,
        Scheduler::RoundRobin,
        Scheduler::Synchronous,
        Scheduler::Distributed,
    ];

    /// A run from `states` under the alternating, round-robin, random, synchronous or distributed scheduler.
    pub fn new(
        algorithm: impl Into<Composite>,
        states: &[Number],
        scheduler: Scheduler,
        mut progress: Progress,
    ) -> Self {
        assert!(states.len() >= 2, "a ring has at least two processes");
        let algorithm = algorithm.into();
        let processes = algorithm.processes(states);
        let daemon = Daemon::new(scheduler, algorithm, states.len(), &mut progress.coin);
        progress.leaders = processes.leaders();
        ProcessSteps { processes, daemon, progress, pace: None }
    }

    /// The same run, which also counts its rounds and moves. Neither its steps nor its coins change.
    #[must_use]
    pub fn counting(self) -> ProcessSteps {
        let pace = Some(Pace::new(self.daemon.algorithm.clone(), self.processes.numbers()));
        ProcessSteps { pace, ..self }
    }

    /// Steps of processes one after the other.
    fn one_by_one(&mut self, who: &[u32]) {
        let ProcessSteps { processes, progress, pace, .. } = self;
        let last_loud = processes.act_all(who, &mut progress.leaders, &mut progress.tosses);
        progress.passed(who.len() as u64, last_loud);
        pace.iter_mut().for_each(|pace| pace.stepped(who, |process| processes.number(process)));
    }

    /// One step of several processes at once.
    fn together(&mut self, who: &[u32]) {
        let ProcessSteps { processes, progress, pace, .. } = self;
        let loud = processes.act_together(who, &mut progress.leaders, &mut progress.tosses);
        progress.passed(1, loud.into());
        pace.iter_mut().for_each(|pace| pace.stepped(who, |process| processes.number(process)));
    }
}

impl Kernel for ProcessSteps {
    fn advance(&mut self, units: u64) -> u64 {
        let n = self.processes.count();
        match self.daemon.scheduler {
            Scheduler::Synchronous => {
                let all: Vec<u32> = (0..n as u32).collect();
                (0..units).for_each(|_| self.together(&all));
            }
            Scheduler::Distributed => {
                for _ in 0..units {
                    let some = some_set(n, &mut self.progress.coin);
                    self.together(&some);
                }
            }
            _ => {
                let (mut drawn, mut left) = ([0; BLOCK], units);
                while left > 0 {
                    let ahead = if self.pace.is_some() { 1 } else { BLOCK };
                    let block = &mut drawn[..left.min(ahead as u64) as usize];
                    self.daemon.draw_all(self.progress.steps, &mut self.progress.coin, block);
                    self.one_by_one(block);
                    left -= block.len() as u64;
                }
            }
        }
        units
    }

    fn one(&mut self) -> Option<bool> {
        if matches!(self.daemon.scheduler, Scheduler::Synchronous | Scheduler::Distributed) {
            self.advance(1);
            return Some(true);
        }
        let mut drawn = [0];
        self.daemon.draw_all(self.progress.steps, &mut self.progress.coin, &mut drawn);
        let process = drawn[0] as usize;
        let before = self.processes.number(process);
        self.one_by_one(&drawn);
        Some(self.processes.number(process) != before)
    }

    fn agents(&self) -> usize {
        self.processes.count()
    }

    fn acting(&self) -> usize {
        if matches!(self.daemon.scheduler, Scheduler::Synchronous | Scheduler::Distributed) { self.agents() } else { 1 }
    }

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn counted(&self) -> Option<Counted> {
        self.pace.as_ref().map(Pace::counted)
    }

    fn safe(&self) -> bool {
        self.processes.safe()
    }

    fn configuration(&self) -> Vec<Number> {
        self.processes.numbers()
    }

    fn corrupt(&mut self, faults: &[(usize, Number)]) {
        self.processes.corrupt(faults);
        self.progress.leaders = self.processes.leaders();
        self.pace.iter_mut().for_each(|pace| pace.struck(self.processes.numbers()));
    }
}

impl Clone for ProcessSteps {
    fn clone(&self) -> Self {
        let ProcessSteps { processes, daemon, progress, pace } = self;
        ProcessSteps {
            processes: processes.boxed(),
            daemon: daemon.clone(),
            progress: progress.clone(),
            pace: pace.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.processes.copy(&*other.processes);
        self.daemon.clone_from(&other.daemon);
        self.progress.clone_from(&other.progress);
        self.pace.clone_from(&other.pace);
    }
}

/// The daemon: chooses the process that steps next.
#[derive(Debug)]
struct Daemon {
    scheduler: Scheduler,
    algorithm: Composite,
    size: usize,
    /// The turns of an alternating schedule, and the processes that may step.
    turns: Option<(Turns, Active)>,
}

impl Daemon {
    fn new(scheduler: Scheduler, algorithm: Composite, size: usize, coin: &mut Generator) -> Daemon {
        let turns = (scheduler == Scheduler::Alternating).then(|| {
            let (turns, mut may_step) = (Turns::new(&algorithm, size, coin), Active::new(size as u64));
            (0..size).for_each(|process| may_step.set(process, turns.may_step(process)));
            (turns, may_step)
        });
        Daemon { scheduler, algorithm, size, turns }
    }

    fn draw_all(&mut self, steps: u64, coin: &mut Generator, out: &mut [u32]) {
        let n = self.size as u32;
        match (self.scheduler, &mut self.turns) {
            (Scheduler::RoundRobin, _) => {
                let first = steps % u64::from(n);
                (first..).zip(out).for_each(|(step, process)| *process = (step % u64::from(n)) as u32);
            }
            (_, Some(turns)) => match &self.algorithm {
                Composite::Ring(algorithm) => {
                    let (chain, size) = (algorithm.chain(), self.size);
                    let near = |process: usize| {
                        let (left, right) = chain.neighbours(process, size);
                        [left, process, right].into_iter()
                    };
                    out.iter_mut().for_each(|process| *process = alternate(turns, near, coin) as u32);
                }
                Composite::Graph(_) => {
                    let near = |process: usize| self.algorithm.near(process, self.size);
                    out.iter_mut().for_each(|process| *process = alternate(turns, near, coin) as u32);
                }
            },
            _ => out.iter_mut().for_each(|process| *process = coin.below(n)),
        }
    }
}

/// A process that may step, which passes its turns on. `near` has a process and its neighbours.
#[inline]
fn alternate<N: Iterator<Item = usize>>(
    (turns, may_step): &mut (Turns, Active),
    near: impl Fn(usize) -> N,
    coin: &mut Generator,
) -> usize {
    let process = may_step.draw(coin, |_| ());
    turns.pass(process, near(process));
    near(process).for_each(|near| may_step.set(near, turns.may_step(near)));
    process
}

impl Clone for Daemon {
    fn clone(&self) -> Self {
        Daemon { algorithm: self.algorithm.clone(), turns: self.turns.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        self.turns.clone_from(&other.turns);
    }
}

/// A uniformly random non-empty set of processes, in ascending order.
fn some_set(size: usize, coin: &mut Generator) -> Vec<u32> {
    loop {
        let (mut word, mut set) = (0, vec![]);
        for process in 0..size as u32 {
            word = if process % 64 == 0 { coin.word() } else { word >> 1 };
            if word & 1 == 1 {
                set.push(process);
            }
        }
        if !set.is_empty() {
            return set;
        }
    }
}
