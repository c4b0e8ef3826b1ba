//! Lines, processes that read both sides and choose among rules, and every daemon: the fast engine against the plain one.

use ringleader_erased::{Number, RingInstance};
use ringleader_model::{
    Chain, Coin, Goal, Marks, Place, Reads, Ring, Safety, Scheduler, Stabilizing, Variables, View, Visitor,
};
use ringleader_simulate::kernel::{Kernel, ProcessSteps, Progress, Watched, meet};
use ringleader_simulate::plain::{SimulatedRun, StabilizingRun};
use ringleader_simulate::{Elections, End, Faults, Generator, Limits, Start};
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);
const LIMITS: Limits<'static> = Limits { steps: 1_000_000, stop: &NEVER };
const SCHEDULERS: [Scheduler; 5] =
    [Scheduler::Random, Scheduler::RoundRobin, Scheduler::Alternating, Scheduler::Synchronous, Scheduler::Distributed];

/// The solution with four-state machines of E. W. Dijkstra: *Self-stabilizing systems in spite of distributed control*,
/// CACM 17(11), 1974: a line, in which a machine reads both neighbours and may have two privileges.
pub(crate) struct FourState;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Machine {
    x: bool,
    up: bool,
}

impl FourState {
    /// What the enabled rules would make of a machine.
    fn moves(View { at, left, own, right }: View<Machine>) -> Vec<Machine> {
        let flipped = Machine { x: !own.x, ..own };
        let down = own.x == right.x && !right.up;
        match at {
            Place::Bottom => [down.then_some(flipped), None],
            Place::Top => [(own.x != left.x).then_some(flipped), None],
            Place::Other => [
                (own.x != left.x).then_some(Machine { up: true, ..flipped }),
                (down && own.up).then_some(Machine { up: false, ..own }),
            ],
        }
        .into_iter()
        .flatten()
        .collect()
    }
}

impl Variables for FourState {
    type State = Machine;
    fn variables(&self, m: &mut Machine, v: &mut dyn Visitor) {
        v.bit("x", &mut m.x);
        v.bit("up", &mut m.up);
    }
}

impl Ring for FourState {
    fn chain(&self) -> Chain {
        Chain::Line
    }

    fn reads(&self) -> Reads {
        Reads::BothSides
    }

    fn act(&self, view: View<Machine>, coin: &mut impl Coin) -> Machine {
        let moves = FourState::moves(view);
        match moves.len() {
            0 => view.own,
            1 => moves[0],
            many => moves[coin.choose(many as u32) as usize],
        }
    }

    fn marks(&self, view: View<Machine>) -> Marks {
        Marks::TOKEN.when(!FourState::moves(view).is_empty())
    }
}

impl Stabilizing for FourState {
    fn goal(&self) -> Goal {
        Goal::OneToken
    }

    /// One privilege in all.
    fn correct(&self, c: &[Machine]) -> bool {
        let privileges = |i| FourState::moves(View::of(c, i, Chain::Line)).len();
        (0..c.len()).map(privileges).sum::<usize>() == 1
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    /// The ends' directions are no variables.
    fn restore(&self, c: &mut [Machine]) {
        let last = c.len() - 1;
        (c[0].up, c[last].up) = (true, false);
    }
}

/// The mean, and the square of its standard error.
pub(crate) fn moments(times: impl Iterator<Item = u64>) -> (f64, f64) {
    let times: Vec<f64> = times.map(|time| time as f64).collect();
    let n = times.len() as f64;
    let mean = times.iter().sum::<f64>() / n;
    (mean, times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (n - 1.0) / n)
}

#[test]
fn a_line_that_reads_both_sides_under_every_daemon() {
    let algorithm = RingInstance::new(FourState).unwrap();
    let (size, runs) = (6, 20_000);
    for scheduler in SCHEDULERS {
        let slow = moments((0..runs).map(|seed| {
            let mut coin = Generator::stream(1, seed);
            let states = Start::Arbitrary.states(&algorithm, size, &mut coin).unwrap();
            StabilizingRun::processes(&algorithm, states, scheduler, coin)
                .run_until_reached(10_000)
                .expect("it stabilizes")
        }));
        let elections = Elections::ring(algorithm.clone(), size, scheduler).unwrap();
        let fast =
            moments((0..runs).map(
                |seed| match elections.run(Faults::default(), LIMITS, Generator::stream(2, seed)).end {
                    End::Reached(steps) => steps,
                    other => panic!("{scheduler}: {other:?}"),
                },
            ));
        let error = (slow.1 + fast.1).sqrt();
        assert!(4.0 * error < 0.03 * slow.0, "{scheduler}: too few runs: {slow:?}, {fast:?}");
        assert!((slow.0 - fast.0).abs() < 3.5 * error, "{scheduler}: {slow:?}, {fast:?}");
    }
}

/// The only schedulers without choices: the engines take the very same steps. Fifty of them, then the states.
#[test]
fn without_choices_the_steps_are_the_same() {
    let algorithm = RingInstance::new(Flip).unwrap();
    for (scheduler, size) in [(Scheduler::RoundRobin, 5), (Scheduler::Synchronous, 5), (Scheduler::Synchronous, 2)] {
        for code in 0..1u64 << size {
            let states: Vec<Number> = (0..size).map(|i| Number(code >> i & 1)).collect();
            let mut plain = StabilizingRun::processes(&algorithm, states.clone(), scheduler, Generator::new(1));
            let progress = Progress::new(Generator::new(1));
            let mut fast = ProcessSteps::new(&algorithm, &states, scheduler, progress);
            for _ in 0..50 {
                plain.step();
                fast.advance(1);
                assert_eq!(plain.numbers(), fast.configuration());
            }
        }
    }
}

/// A line in which every process becomes the sum of its neighbours; the top one its opposite.
struct Flip;

impl Variables for Flip {
    type State = bool;
    fn variables(&self, bit: &mut bool, v: &mut dyn Visitor) {
        v.bit("bit", bit);
    }
}

impl Ring for Flip {
    fn chain(&self) -> Chain {
        Chain::Line
    }
    fn reads(&self) -> Reads {
        Reads::BothSides
    }
    fn act(&self, view: View<bool>, _: &mut impl Coin) -> bool {
        view.left ^ view.right ^ (view.at == Place::Top)
    }
    fn marks(&self, view: View<bool>) -> Marks {
        Marks::LEADER.when(view.own)
    }
}

impl Stabilizing for Flip {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }
    fn correct(&self, c: &[bool]) -> bool {
        c.iter().filter(|bit| **bit).count() == 1
    }
}

/// Every process counts its steps.
struct Steps(Chain);
impl Variables for Steps {
    type State = u16;
    fn variables(&self, count: &mut u16, v: &mut dyn Visitor) {
        v.range("count", 0, 60_000, count);
    }
}

impl Ring for Steps {
    fn chain(&self) -> Chain {
        self.0
    }
    fn act(&self, view: View<u16>, _: &mut impl Coin) -> u16 {
        view.own + 1
    }
    fn marks(&self, _: View<u16>) -> Marks {
        Marks::NONE
    }
}

impl Stabilizing for Steps {
    fn goal(&self) -> Goal {
        Goal::Agreement
    }
    fn correct(&self, _: &[u16]) -> bool {
        false
    }
}

/// Between two steps of a process each of its neighbours steps exactly once, on rings and on lines.
#[test]
fn alternating_schedules_alternate() {
    for (chain, size) in [(Chain::Ring, 2), (Chain::Ring, 7), (Chain::Line, 2), (Chain::Line, 7)] {
        let algorithm = RingInstance::new(Steps(chain)).unwrap();
        for seed in 0..20 {
            let start = vec![Number(0); size];
            let mut run =
                StabilizingRun::processes(&algorithm, start.clone(), Scheduler::Alternating, Generator::new(seed));
            let progress = Progress::new(Generator::new(seed));
            let mut fast = ProcessSteps::new(&algorithm, &start, Scheduler::Alternating, progress);
            for _ in 0..300 {
                run.step();
                fast.advance(1);
                for counts in [run.numbers().to_vec(), fast.configuration()] {
                    let apart = |i: usize| counts[i].0.abs_diff(counts[(i + 1) % size].0);
                    let edges = if chain == Chain::Line { size - 1 } else { size };
                    assert!((0..edges).all(|i| apart(i) <= 1), "{chain:?} {size}: {counts:?}");
                }
            }
            assert!(run.numbers().iter().all(|count| count.0 > 10), "everybody steps");
        }
    }
}

/// Every non-empty set of three processes is as likely as every other.
#[test]
fn the_distributed_daemon_takes_every_set_alike() {
    let algorithm = RingInstance::new(Steps(Chain::Ring)).unwrap();
    let runs = 70_000u64;
    let start = [Number(0); 3];
    let (mut plain, mut fast) = ([0u64; 8], [0u64; 8]);
    let index = |c: &[Number]| (0..3).fold(0, |bits, i| bits | usize::from(c[i] != start[i]) << i);
    for seed in 0..runs {
        let mut run =
            StabilizingRun::processes(&algorithm, start.to_vec(), Scheduler::Distributed, Generator::stream(3, seed));
        run.step();
        plain[index(run.numbers())] += 1;
        let progress = Progress::new(Generator::stream(4, seed));
        let mut kernel = ProcessSteps::new(&algorithm, &start, Scheduler::Distributed, progress);
        kernel.advance(1);
        fast[index(&kernel.configuration())] += 1;
    }
    for counts in [plain, fast] {
        assert_eq!(counts[0], 0);
        assert!(counts[1..].iter().all(|&count| count.abs_diff(runs / 7) < 500), "{counts:?}");
    }
}

/// A goal that need not be closed is judged once at the start and after every step that changes a state, and not after the
/// others.
#[test]
fn only_changes_are_judged() {
    let algorithm = RingInstance::new(FourState).unwrap();
    let start: Vec<Number> = (0..8).map(|i| Number(i % algorithm.states())).collect();
    for scheduler in [Scheduler::Random, Scheduler::RoundRobin, Scheduler::Alternating] {
        let kernel = || ProcessSteps::new(&algorithm, &start, scheduler, Progress::new(Generator::new(3)));
        let (mut slow, mut changes) = (kernel(), 0);
        for _ in 0..2000 {
            let before = slow.configuration();
            slow.advance(1);
            changes += u64::from(slow.configuration() != before);
        }
        let judged = std::cell::Cell::new(0);
        let goal = |_: &ProcessSteps| {
            judged.set(judged.get() + 1);
            false
        };
        let (mut fast, watched) = (kernel(), Watched { goal: &goal, still: None });
        assert_eq!(meet(&mut fast, &watched, 2000, &NEVER), End::Limit(2000));
        assert_eq!((judged.get(), fast.configuration()), (changes + 1, slow.configuration()), "{scheduler}");
        assert!(changes > 2 && changes < 1990, "{scheduler}: {changes}");
    }
}
