//! The kernels on the host, against the engines of the CPU.
#![allow(unsafe_code, reason = "a test plants a fault in the memory of the kernels")]

use super::kernels::{Job, Kernel, SOURCE, Sums};
use super::ring::{Ring, refuse_on_device};
use super::run::{self, OnDevice};
use crate::search::{can_reach, really_safe};
use crate::space::StateGraph as _;
use crate::{
    Claim, Claimed, Detector, Horizon, Likely, Monitor, Question, Reach, Report, SetReport, Start, Stop, Subject,
    Survey, Time, Uncheckable, population,
};
use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_algorithms::population::yokota_ring::YokotaRing;
use ringleader_device::{Device, Host};
use ringleader_erased::PopulationInstance;
use ringleader_model::{
    ClosedSet, Coin, Goal, Graph, Marks, Population, Reader, Safety, Scheduler, Stabilizing, Told, Variables, Visitor,
};
use std::sync::Arc;

fn goal_only(scheduler: Scheduler) -> Question {
    Question { only_goal: true, ..Question::new(scheduler) }
}

fn on(
    device: &impl Device,
    algorithm: &PopulationInstance,
    size: usize,
    question: &Question,
) -> Result<OnDevice, Stop> {
    let (graph, monitor) = (Graph::directed_ring(size).unwrap(), Monitor::new(1));
    run::check(device, &Ring::new(algorithm, &graph, question, &monitor)?, question, &monitor)
}

/// A protocol with a random rule.
#[derive(Clone, Copy, Debug)]
struct Random {
    seed: u64,
    states: u32,
    /// The parts of a state: those of one part behave alike.
    parts: u32,
    sides: u32,
    hears: bool,
    goal: Goal,
    tells: bool,
}

impl Random {
    fn new(seed: u64) -> Random {
        let roll = |what: u64, below: u64| (mixed(seed, what) % below) as u32;
        let parts = 2 + roll(1, 3);
        let goal = [Goal::OneLeader, Goal::OneToken, Goal::Agreement, Goal::Holds("few leaders")][roll(2, 4) as usize];
        let (sides, hears, tells) = (1 + roll(3, 3), roll(4, 3) == 0, roll(5, 2) == 0);
        Random { seed, states: parts + roll(6, 4), parts, sides, hears, goal, tells }
    }

    /// The part of the rule, for a side of the coin.
    fn part(&self, side: u32, told: Told, l: u32, r: u32, which: u64) -> u32 {
        let told = if self.hears { 1 + 2 * u64::from(told.initiator) + 4 * u64::from(told.responder) } else { 0 };
        let cell = u64::from(l % self.parts) << 8 | u64::from(r % self.parts) | told << 16 | u64::from(side) << 24;
        let roll = mixed(self.seed, cell << 8 | 128 | which);
        let own = [l, r][which as usize] % self.parts;
        // Some pairs change nothing, states 0 are rare, and leaders often stay if there must be one.
        match roll % 8 {
            0 | 1 => own,
            2 => (roll >> 32) as u32 % self.parts,
            _ if self.goal == Goal::OneLeader && own == 0 => own,
            _ => 1 + (roll >> 32) as u32 % (self.parts - 1),
        }
    }
}

fn mixed(seed: u64, what: u64) -> u64 {
    let hash = (seed ^ what.wrapping_mul(0xd6e8_feb8_6659_fd93)).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^ hash >> 31
}

impl Variables for Random {
    type State = u32;
    fn variables(&self, s: &mut u32, v: &mut dyn Visitor) {
        v.range("s", 0, u64::from(self.states) - 1, s);
    }
}

impl Population for Random {
    fn hears(&self) -> bool {
        self.hears
    }

    fn interact(&self, l: u32, r: u32, told: Told, coin: &mut impl Coin) -> (u32, u32) {
        let side = coin.below(self.sides);
        // The state inside of a part is random, too, but has no consequence.
        let state = |which: u64| {
            let part = self.part(side, told, l, r, which);
            let other = part + self.parts;
            let exchanged = mixed(self.seed, u64::from(l * 7 + r * 3 + side) << 2 | which).is_multiple_of(2);
            if exchanged && other < self.states { other } else { part }
        };
        (state(0), state(1))
    }

    fn marks(&self, s: &u32) -> Marks {
        Marks::LEADER.when(s.is_multiple_of(self.parts)) | Marks::TOKEN.when(s % self.parts == 1)
    }
}

impl Stabilizing for Random {
    fn goal(&self) -> Goal {
        self.goal
    }

    fn correct(&self, c: &[u32]) -> bool {
        let leaders = c.iter().filter(|&&s| s % self.parts == 0).count();
        match self.goal {
            Goal::OneLeader => leaders == 1,
            Goal::OneToken => true,
            Goal::Agreement => leaders == 0,
            Goal::Holds(_) => leaders < 3,
        }
    }

    fn safety(&self) -> Safety {
        if self.seed.is_multiple_of(3) { Safety::Unknown } else { Safety::ForEver }
    }

    fn safe(&self, c: &[u32]) -> bool {
        self.correct(c) && (self.seed.is_multiple_of(5) || c.iter().any(|&s| s % self.parts == 1))
    }

    fn closed_sets(&self) -> Vec<ClosedSet<'_, u32>> {
        let some = |part: u32| move |c: &[u32]| c.iter().any(|&s| s % self.parts == part);
        vec![
            ClosedSet::new("all", "a test", |_: &[u32]| true),
            ClosedSet::new("some", "a test", some((self.seed % 2) as u32)),
            ClosedSet::new("safe", "a test", |c: &[u32]| self.safe(c)),
        ]
    }

    fn visible(&self, s: &u32, _: Reader) -> Option<u64> {
        self.tells.then(|| u64::from(s % self.parts))
    }
}

fn overlap(device: &Time, cpu: &Time, what: &str) {
    let values = |time: &Time| [&time.worst, &time.mean].into_iter().chain(&time.from).cloned().collect::<Vec<_>>();
    assert_eq!(device.from.len(), cpu.from.len());
    for (x, y) in values(device).iter().zip(&values(cpu)) {
        let (x, y) = (x.bounds(), y.bounds());
        assert!(x.low <= y.high && y.low <= x.high, "{what}: {x:?} and {y:?}");
        assert!(x.high - x.low <= 2e-9 * x.high, "{what}: {x:?}");
    }
}

/// The greatest distance of a node that can reach the really safe set, and the number of those that cannot.
fn distances(algorithm: &PopulationInstance, size: usize, question: &Question) -> (u64, u64) {
    let (graph, monitor) = (Graph::directed_ring(size).unwrap(), Monitor::new(1));
    let survey =
        Survey::of(&Subject::Population(algorithm, &graph), &question.clone().without_merging(), &monitor).unwrap();
    let system = &survey.system;
    let mut near = really_safe(system, |node, turn| survey.label(node, turn), &monitor).unwrap();
    let able = can_reach(system, &near, &monitor).unwrap();
    let mut farthest = 0;
    while near.count() < able.count() {
        let next = near.clone();
        for node in near.missing() {
            system.successors(node, |edge| {
                if near.contains(edge.target) {
                    next.insert(node);
                }
            });
        }
        (near, farthest) = (next, farthest + 1);
    }
    (farthest, system.size() - able.count())
}

/// The device has the numbers of the CPU. Returns the CPU's.
fn agrees(
    device: &impl Device,
    algorithm: &PopulationInstance,
    size: usize,
    question: &Question,
    what: &str,
) -> Report {
    let graph = Graph::directed_ring(size).unwrap();
    let cpu = population(algorithm, &graph, question, &Monitor::new(1)).unwrap();
    let OnDevice { report, used } = on(device, algorithm, size, question).unwrap();
    let counts = |report: &Report| {
        let own = (report.own_safe, report.own_is_named, report.own_is_silent, report.own_is_closed);
        let own = (report.really_safe, own, report.own_is_really_safe, report.own_is_reached);
        let set = |set: &SetReport| (set.name.clone(), set.claim.clone(), set.configurations, set.closed);
        let sets: Vec<_> = report.sets.iter().map(set).collect();
        (report.agents, report.states, report.configurations, report.transitions, report.holds, own, sets)
    };
    assert_eq!(counts(&report), counts(&cpu), "{what}");
    assert_eq!((report.tosses, report.almost_surely), (cpu.tosses, cpu.almost_surely), "{what}");
    let (farthest, apart) = distances(algorithm, size, question);
    if cpu.holds {
        let classes = |report: &Report| (report.state_classes, report.classes);
        assert_eq!(classes(&report), classes(&cpu), "{what}");
        assert_eq!((used.farthest, apart), (farthest, 0), "{what}");
    } else if report.state_classes.is_none() {
        assert_eq!(used.farthest, farthest, "{what}");
        let told = if apart > 0 {
            format!("{apart} classes of configurations cannot reach")
        } else {
            "a GPU computes no".into()
        };
        assert!(report.unshown.is_some_and(|why| why.contains(&told)), "{what}");
    }
    assert!(used.slots >= report.classes.map_or(0, |classes| classes.count) && used.peak_bytes >= used.slots * 4);
    match (&report.expected_steps, &cpu.expected_steps) {
        (Some(device), Some(cpu)) => {
            overlap(device.to_really_safe.as_ref().unwrap(), cpu.to_really_safe.as_ref().unwrap(), what);
            match (&device.to_own_safe, &cpu.to_own_safe) {
                (Some(device), Some(cpu)) => overlap(device, cpu, what),
                (device, cpu) => assert_eq!(device, cpu, "{what}"),
            }
            assert!(used.width.is_some_and(|width| width <= 1e-9) && used.sweeps > 0);
        }
        (None, None) => assert!(used.width.is_none()),
        other => panic!("{what}: {other:?}"),
    }
    match (&report.reach, &cpu.reach) {
        (Some(device), Some(cpu)) => likely(device, cpu, 0.5_f64.powi(48), what),
        (None, None) => assert_eq!(question.horizon, None),
        other => panic!("{what}: {other:?}"),
    }
    cpu
}

/// The probabilities are those of the CPU, to within one unit for each step.
fn likely(device: &Reach, cpu: &Reach, unit: f64, what: &str) {
    let steps = |reach: &Reach| reach.quantile.clone().map(|quantile| (quantile.worst, quantile.mean, quantile.from));
    assert_eq!((steps(device), device.least.len()), (steps(cpu), cpu.least.len()), "{what}");
    for (t, (device, cpu)) in device.least.iter().zip(&cpu.least).enumerate() {
        let all = |likely: &Likely| [vec![likely.worst, likely.mean], likely.from.clone()].concat();
        assert_eq!(device.from.len(), cpu.from.len());
        for (x, y) in all(device).into_iter().zip(all(cpu)) {
            assert!(x.low <= y.high && y.low <= x.high, "{what}, {t} steps: {x:?} {y:?}");
            assert!(x.high - x.low <= t as f64 * unit + 1e-14, "{what}, {t} steps: {x:?}");
            // Probability 1 is exact.
            assert_eq!(x.low == 1.0, y.low == 1.0, "{what}, {t} steps: {x:?} {y:?}");
        }
    }
}

fn agrees_everywhere(device: &impl Device) {
    let (mut holds, mut timed, mut fails, mut safe, mut proven, mut left) = (0, 0, 0, 0, 0, 0);
    for seed in 0..160 {
        let protocol = Random::new(seed);
        let size = 2 + seed as usize % 3;
        let algorithm = PopulationInstance::new(protocol).unwrap();
        let scheduler = if seed % 4 == 0 { Scheduler::GloballyFair } else { Scheduler::Random };
        let only_goal = mixed(seed, 9).is_multiple_of(2);
        let mut question = Question { merge: seed % 3 > 0, only_goal, ..Question::new(scheduler) };
        if scheduler == Scheduler::Random {
            let states = (0..size as u32).map(|i| (i * 5 + seed as u32) % protocol.states).collect();
            question.starts = vec![Start { name: "some".into(), states }];
            let horizon = Horizon { steps: Some(seed % 20), quantile: (seed % 5 > 0).then_some(0.3517) };
            question.horizon = (seed % 2 > 0).then_some(horizon);
        }
        let what = format!("seed {seed}, size {size}, {protocol:?}");
        let Report { holds: well, really_safe, own_is_named, sets, .. } =
            agrees(device, &algorithm, size, &question, &what);
        proven += u32::from(well && own_is_named);
        left += u32::from(sets.iter().any(|set| !set.closed));
        holds += u32::from(well);
        fails += u32::from(!well);
        timed += u32::from(well && scheduler == Scheduler::Random);
        safe += u32::from(really_safe > 0 && protocol.goal == Goal::OneLeader);
    }
    println!("{holds} hold, {timed} have expected steps, {fails} fail, {safe} have a safe leader");
    assert!(timed > 20 && fails > 20 && holds > timed && safe > 5, "{holds} {timed} {fails} {safe}");
    assert!(proven > 0 && left > 10, "{proven} {left}");
    for size in 2..=5 {
        let algorithm = PopulationInstance::new(FischerJiangRing).unwrap();
        agrees(
            device,
            &algorithm,
            size,
            &goal_only(Scheduler::Random),
            &format!("the ring of Fischer and Jiang, {size}"),
        );
    }
    let algorithm = PopulationInstance::new(YokotaRing { bound: 3 }).unwrap();
    for (merge, only_goal) in [(false, true), (true, true), (true, false)] {
        let question = Question { merge, only_goal, ..Question::new(Scheduler::Random) };
        assert!(agrees(device, &algorithm, 3, &question, &format!("the ring of Yokota et al., merged {merge}")).holds);
    }
}

#[test]
fn numbers_are_those_of_the_cpu() {
    agrees_everywhere(&Host::default());
}

/// Only on a machine with a GPU.
#[cfg(feature = "cuda")]
#[test]
fn numbers_of_a_gpu_are_those_of_the_cpu() {
    match ringleader_device::Gpu::open() {
        Ok(gpu) => agrees_everywhere(&gpu),
        Err(none) => println!("not tested: {none}"),
    }
}

/// The reference values of the throw-away program that this engine replaces.
#[test]
fn values_end_at_their_least_fixed_point() {
    let algorithm = PopulationInstance::new(YokotaRing { bound: 3 }).unwrap();
    let exactly = Question { width: Some(0.0), ..goal_only(Scheduler::Random) };
    let found = on(&Host::default(), &algorithm, 3, &exactly).unwrap();
    let time = found.report.expected_steps.and_then(|times| times.to_really_safe).unwrap();
    let [worst, mean] = [time.worst, time.mean].map(|value| value.bounds());
    assert!(
        (worst.low - 16.154851752022).abs() < 1e-12 && (mean.low - 6.919397076480).abs() < 1e-12,
        "{worst:?} {mean:?}"
    );
    assert_eq!((found.used.value_bits, found.used.scale, found.report.really_safe), (64, 48, 74_208));
    // Each residual is less than a unit.
    assert!(found.used.width.is_some_and(|width| width < 0.5_f64.powi(48)), "{:?}", found.used);
}

#[test]
fn formats_depend_on_width_values_and_memory() {
    let (host, algorithm) = (Host::default(), PopulationInstance::new(FischerJiangRing).unwrap());
    let within = |width: f64, memory: u64| {
        let question = Question { width: Some(width), memory, ..goal_only(Scheduler::Random) };
        on(&host, &algorithm, 5, &question)
    };
    let format = |found: &OnDevice| (found.used.value_bits, found.used.scale);
    let fine = within(1e-9, u64::MAX).unwrap();
    assert_eq!(format(&fine), (64, 48));
    let worst = |found: &OnDevice| {
        let times = found.report.expected_steps.clone();
        times.and_then(|times| times.to_really_safe).unwrap().worst.bounds()
    };
    assert!(worst(&fine).low < 128.0, "{:?}", worst(&fine));
    let coarse = within(1e-6, u64::MAX).unwrap();
    assert_eq!(format(&coarse), (32, 25));
    assert!(coarse.used.width.is_some_and(|width| width <= 1e-6 && width > 1e-9));
    let bytes = coarse.used.peak_bytes;
    // With less memory than a wide value takes, the width is what 32 bits allow.
    let scarce = within(1e-9, bytes).unwrap();
    assert_eq!(format(&scarce), (32, 25));
    assert!(scarce.used.width.is_some_and(|width| width < 0.5_f64.powi(25)));
    for found in [&coarse, &scarce] {
        let (x, y) = (worst(found), worst(&fine));
        assert!(x.low <= y.low && y.high <= x.high, "{x:?} {y:?}");
    }
    match within(1e-9, bytes - 1) {
        Err(Stop::Refused(Uncheckable::Memory { configurations: Some(32_768), needed, allowed })) => {
            assert_eq!((needed, allowed), (bytes, bytes - 1));
        }
        other => panic!("{other:?}"),
    }
    // Values above 128 steps begin anew with a larger unit.
    let slow = PopulationInstance::new(Slow(250)).unwrap();
    let question = Question { width: Some(1e-6), ..goal_only(Scheduler::Random) };
    let found = on(&host, &slow, 3, &question).unwrap();
    assert_eq!(format(&found), (32, 20));
    let expected = agrees(&host, &slow, 3, &goal_only(Scheduler::Random), "slow").expected_steps.unwrap();
    let expected = expected.to_really_safe.unwrap().worst.bounds();
    let found = worst(&found);
    assert!(found.low <= expected.high && expected.low <= found.high && expected.low > 128.0, "{found:?} {expected:?}");
}

#[test]
fn probabilities_take_a_second_value() {
    let (host, algorithm) = (Host::default(), PopulationInstance::new(FischerJiangRing).unwrap());
    let horizon = Horizon { steps: Some(40), quantile: None };
    let within = |memory: u64| {
        let question = Question { width: Some(1e-6), memory, horizon: Some(horizon), ..goal_only(Scheduler::Random) };
        on(&host, &algorithm, 4, &question)
    };
    let ample = within(u64::MAX).unwrap();
    assert_eq!((ample.used.value_bits, ample.report.reach.as_ref().unwrap().least.len()), (32, 41));
    // Half of the second values' memory suffices for values of 32 bits.
    let scarce = within(ample.used.peak_bytes - 1).unwrap();
    assert!(scarce.used.peak_bytes < ample.used.peak_bytes);
    let [fine, coarse] = [&ample, &scarce].map(|found| found.report.reach.clone().unwrap());
    likely(&coarse, &fine, 0.5_f64.powi(31), "32 bits");
    let last = &coarse.least[40].mean;
    assert!(last.high - last.low > 1e-9 && last.low > 0.5, "{last:?}");
    let (needed, allowed) = (scarce.used.peak_bytes, scarce.used.peak_bytes - 1);
    match within(allowed) {
        Err(Stop::Refused(Uncheckable::Memory { needed: least, .. })) => assert_eq!(least, needed),
        other => panic!("{other:?}"),
    }
    let late = Horizon { steps: Some(u64::MAX), quantile: None };
    let late = Question { horizon: Some(late), ..goal_only(Scheduler::Random) };
    let late = on(&host, &algorithm, 3, &late);
    assert!(matches!(late, Err(Stop::Refused(Uncheckable::TooLate(u64::MAX)))), "{late:?}");
}

/// An agent becomes 1 with probability 1 in some number, if it is the second of a step.
#[derive(Clone, Copy, Debug)]
struct Slow(u32);

impl Variables for Slow {
    type State = u32;
    fn variables(&self, s: &mut u32, v: &mut dyn Visitor) {
        v.range("s", 0, 1, s);
    }
}

impl Population for Slow {
    fn interact(&self, l: u32, r: u32, _: Told, coin: &mut impl Coin) -> (u32, u32) {
        if coin.below(self.0) == 0 { (l, 1) } else { (l, r) }
    }

    fn marks(&self, _: &u32) -> Marks {
        Marks::NONE
    }
}

impl Stabilizing for Slow {
    fn goal(&self) -> Goal {
        Goal::Holds("all are 1")
    }

    fn correct(&self, c: &[u32]) -> bool {
        c.iter().all(|&s| s == 1)
    }
}

#[test]
fn a_wrong_value_is_noticed() {
    // A value is raised before the residuals are measured.
    let fault = |kernel: usize, job: *const u8| {
        if kernel == Kernel::Measure as usize {
            // Safety: the argument is a job with 64-bit values.
            let values = unsafe {
                let job = &*job.cast::<Job>();
                std::slice::from_raw_parts_mut(job.values as *mut u64, job.count as usize)
            };
            let value = values.iter_mut().find(|value| **value > 0 && **value < u64::MAX).expect("a value");
            *value += 1 << 30;
        }
    };
    let algorithm = PopulationInstance::new(FischerJiangRing).unwrap();
    let wrong = on(&Host::with_fault(fault), &algorithm, 3, &goal_only(Scheduler::Random));
    assert!(matches!(&wrong, Err(Stop::Device(why)) if why.contains("above the solutions")), "{wrong:?}");
}

#[test]
fn questions_for_the_cpu_are_refused() {
    let ring = Graph::directed_ring(3).unwrap();
    let question = goal_only(Scheduler::Random);
    assert_eq!(refuse_on_device(&ring, &question), Ok(()));
    let claim = Claim { name: "c".into(), claimed: Claimed::Invariant(Arc::new(|_| true)), places: false };
    let others = [
        Question { scheduler: Scheduler::Unfair, ..question.clone() },
        Question { detector: Detector::EventuallyCorrect, ..question.clone() },
        Question { claims: vec![claim], ..question.clone() },
        Question { horizon: Some(Horizon::default()), ..goal_only(Scheduler::GloballyFair) },
        Question { rounds: true, ..question.clone() },
        question.clone().without_symmetry(),
    ];
    for other in others {
        assert!(matches!(refuse_on_device(&ring, &other), Err(Uncheckable::NotOnDevice(_))), "{other:?}");
    }
    let complete = Graph::complete(4).unwrap();
    assert!(matches!(refuse_on_device(&complete, &question), Err(Uncheckable::NotOnDevice(_))));
    let many = on(
        &Host::default(),
        &PopulationInstance::new(YokotaRing { bound: 9 }).unwrap(),
        9,
        &question.clone().without_merging(),
    );
    assert!(matches!(many, Err(Stop::Refused(Uncheckable::TooManyConfigurations { .. }))), "{many:?}");
    let stopped = Monitor::new(1);
    stopped.stop();
    let algorithm = PopulationInstance::new(FischerJiangRing).unwrap();
    let tables = Ring::new(&algorithm, &ring, &question, &Monitor::new(1)).unwrap();
    assert!(matches!(run::check(&Host::default(), &tables, &question, &stopped), Err(Stop::Interrupted)));
}

#[test]
fn sums_are_in_the_order_of_the_source() {
    let names = "CLASSES, CONFIGURATIONS, STEPS, CHANGED, LOW, MIDDLE, HIGH, TOO_LARGE, SUMS, RESIDUAL = SUMS, BELOW, WORST, FOUND";
    assert!(SOURCE.contains(names));
    let mut sums = Sums::default();
    sums.add(std::array::from_fn(|i| 1 + i as u64));
    assert_eq!((sums.classes, sums.changed, sums.too_large, sums.below), (1, 4, 8, 10));
    assert_eq!((sums.values, sums.residual, sums.worst, sums.found), (5 + (6 << 32) + (7 << 64), 9, 11, 12));
}

#[test]
fn leaps_replace_sweeps() {
    let leaping = |algorithm: &PopulationInstance, size: usize, width: f64| {
        let coarse = Question { width: Some(width), ..goal_only(Scheduler::Random).without_merging() };
        let with = on(&Host::default(), algorithm, size, &coarse).unwrap();
        let memory = with.used.peak_bytes - 1;
        let without = on(&Host::default(), algorithm, size, &Question { memory, ..coarse.clone() }).unwrap();
        let exactly = population(algorithm, &Graph::directed_ring(size).unwrap(), &coarse, &Monitor::new(1)).unwrap();
        let times = |report: &Report| report.expected_steps.clone().and_then(|times| times.to_really_safe).unwrap();
        let expected = times(&exactly);
        for found in [&with, &without] {
            assert!(found.used.width.is_some_and(|reached| reached <= width), "{:?}", found.used);
            let time = times(&found.report);
            for (x, y) in [(time.worst, &expected.worst), (time.mean, &expected.mean)] {
                let (x, y) = (x.bounds(), y.bounds());
                assert!(x.low <= y.high && y.low <= x.high && x.high - x.low <= 1.1 * width * x.high, "{x:?} {y:?}");
            }
        }
        without.used.sweeps as i64 - with.used.sweeps as i64
    };
    let yokota = PopulationInstance::new(YokotaRing { bound: 3 }).unwrap();
    assert!(leaping(&yokota, 3, 1e-6) > 0);
    // Values are lowered by three units of 3e-8, and then rise again.
    leaping(&yokota, 3, 5e-8);
    assert!(leaping(&PopulationInstance::new(FischerJiangRing).unwrap(), 6, 1e-6) > 50);
}
