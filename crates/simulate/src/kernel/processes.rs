//! The processes of a ring, a line or a graph under a daemon, with running counts.

use crate::Generator;
use crate::kernel::active::Active;
use crate::kernel::pace::Pace;
use crate::kernel::{Counted, Kernel, Progress};
use ringleader_erased::{GraphInstance, Number, Processes, RingInstance};
use ringleader_model::{Chain, Coin, Ring, Scheduler};

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

    /// Those of a graph. Alternation is defined on rings and lines.
    pub const ON_GRAPHS: [Scheduler; 4] =
        [Scheduler::Random, Scheduler::RoundRobin, Scheduler::Synchronous, Scheduler::Distributed];

    /// A run from `states` under the alternating, round-robin, random, synchronous or distributed scheduler.
    pub fn new(algorithm: &RingInstance, states: &[Number], scheduler: Scheduler, progress: Progress) -> Self {
        assert!(states.len() >= 2, "a ring has at least two processes");
        ProcessSteps::of(algorithm.processes(states), algorithm.chain(), scheduler, progress)
    }

    /// A run on a graph from `states` under the round-robin, random, synchronous or distributed scheduler.
    pub fn graph(algorithm: &GraphInstance, states: &[Number], scheduler: Scheduler, progress: Progress) -> Self {
        assert!(scheduler != Scheduler::Alternating, "alternation is defined on rings and lines");
        ProcessSteps::of(algorithm.processes(states), Chain::Ring, scheduler, progress)
    }

    fn of(processes: Box<dyn Processes>, chain: Chain, scheduler: Scheduler, mut progress: Progress) -> Self {
        let daemon = Daemon::new(scheduler, chain, processes.count(), &mut progress.coin);
        progress.leaders = processes.leaders();
        ProcessSteps { processes, daemon, progress, pace: None }
    }

    /// The same run, which also counts its rounds and moves. Neither its steps nor its coins change.
    #[must_use]
    pub fn counting(self, algorithm: &RingInstance) -> ProcessSteps {
        let pace = Some(Pace::new(algorithm, self.processes.numbers()));
        ProcessSteps { pace, ..self }
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
                    let ProcessSteps { processes, progress, pace, .. } = self;
                    let last_loud = processes.act_all(block, &mut progress.leaders, &mut progress.tosses);
                    progress.passed(block.len() as u64, last_loud);
                    pace.iter_mut().for_each(|pace| pace.stepped(block, |process| processes.number(process)));
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
        let ProcessSteps { processes, progress, pace, .. } = self;
        let loud = processes.act_all(&drawn, &mut progress.leaders, &mut progress.tosses);
        progress.passed(1, loud);
        pace.iter_mut().for_each(|pace| pace.stepped(&drawn, |process| processes.number(process)));
        Some(self.processes.number(process) != before)
    }

    fn agents(&self) -> usize {
        self.processes.count()
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
struct Daemon {
    scheduler: Scheduler,
    /// The form of a ring or a line, for alternation.
    chain: Chain,
    size: usize,
    /// Edge reversal: whether on the edge between `i - 1` and `i` it is `i`'s turn. At the left end of a line it always is.
    turn: Vec<bool>,
    /// The processes whose turn it is on all their edges.
    may_step: Active,
}

impl Daemon {
    fn new(scheduler: Scheduler, chain: Chain, size: usize, coin: &mut Generator) -> Daemon {
        let mut daemon = Daemon { scheduler, chain, size, turn: vec![], may_step: Active::new(size as u64) };
        if scheduler == Scheduler::Alternating {
            daemon.turn = some_orientation(chain, size, coin);
            (0..size).for_each(|i| daemon.look(i));
        }
        daemon
    }

    fn draw_all(&mut self, steps: u64, coin: &mut Generator, out: &mut [u32]) {
        let n = self.size as u32;
        match self.scheduler {
            Scheduler::RoundRobin => {
                let first = steps % u64::from(n);
                (first..).zip(out).for_each(|(step, process)| *process = (step % u64::from(n)) as u32);
            }
            Scheduler::Alternating => out.iter_mut().for_each(|process| *process = self.alternate(coin) as u32),
            _ => out.iter_mut().for_each(|process| *process = coin.below(n)),
        }
    }

    fn alternate(&mut self, coin: &mut Generator) -> usize {
        let i = self.may_step.draw(coin, |_| ());
        let (left, right) = self.chain.neighbours(i, self.size);
        if left != i {
            self.turn[i] = false;
        }
        if right != i {
            self.turn[right] = true;
        }
        [left, i, right].into_iter().for_each(|j| self.look(j));
        i
    }

    fn look(&mut self, i: usize) {
        let (_, right) = self.chain.neighbours(i, self.size);
        self.may_step.set(i, self.turn[i] && (right == i || !self.turn[right]));
    }
}

impl Clone for Daemon {
    fn clone(&self) -> Self {
        Daemon { turn: self.turn.clone(), may_step: self.may_step.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        self.turn.clone_from(&other.turn);
        self.may_step.clone_from(&other.may_step);
    }
}

/// A uniformly random orientation of the edges that is no directed cycle: `true` if on the edge to the left of `i` it is `i`'s
/// turn; always `true` at the left end of a line.
fn some_orientation(chain: Chain, size: usize, coin: &mut Generator) -> Vec<bool> {
    loop {
        let turn: Vec<bool> = (0..size).map(|i| (chain == Chain::Line && i == 0) || coin.below(2) == 1).collect();
        if chain == Chain::Line || (turn.contains(&true) && turn.contains(&false)) {
            return turn;
        }
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
