//! What text costs: check and plain steps of built-in algorithms and then of their text twins, processor time.
//!
//! `cargo bench -p ringleader-language`

use ringleader_algorithms::population::{fischer_jiang_ring::FischerJiangRing, yokota_ring::YokotaRing};
use ringleader_check::{Monitor, Question};
use ringleader_instance::{Number, Parameters, PopulationInstance};
use ringleader_language::{Diagnostics, Instance, Protocol, Source};
use ringleader_model::{Coin, Graph, Scheduler};

fn text(name: &str, parameters: &Parameters) -> PopulationInstance {
    let path = format!("{}/tests/twins/{name}.ring", env!("CARGO_MANIFEST_DIR"));
    let protocol = Source::parse(&path, &std::fs::read_to_string(&path).expect("a twin")).expect("it is right");
    match protocol.instance(parameters) {
        Ok(Instance::Population(instance)) => instance,
        other => panic!("{other:?}"),
    }
}

/// The processor time of all threads so far, in seconds: other programs do not count.
fn used() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let after = stat.rsplit(')').next().unwrap_or("");
    let fields: Vec<&str> = after.split_whitespace().collect();
    fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap_or(0.0) / 100.0).sum()
}

/// Processor seconds, each the least of several; the two take turns.
fn compare(what: &str, mut a: impl FnMut(), mut b: impl FnMut()) {
    let time = |run: &mut dyn FnMut()| {
        let start = used();
        (0..5).for_each(|_| run());
        (used() - start) / 5.0
    };
    let pairs: Vec<(f64, f64)> = (0..3).map(|_| (time(&mut a), time(&mut b))).collect();
    let least = |side: fn(&(f64, f64)) -> f64| pairs.iter().map(side).fold(f64::INFINITY, f64::min);
    let (a, b) = (least(|pair| pair.0), least(|pair| pair.1));
    println!("{what}: {a:.4} s and {b:.4} s, {:.2} times", b / a);
}

fn checked(instance: &PopulationInstance, n: usize) {
    let graph = Graph::directed_ring(n).expect("a ring");
    let report = ringleader_check::population(instance, &graph, &Question::new(Scheduler::Random), &Monitor::new(1))
        .expect("checked");
    assert!(report.holds);
}

struct Cheap(u64);

impl Coin for Cheap {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }
}

/// A million arcs of a ring.
fn arcs(n: u32) -> Vec<(u32, u32)> {
    let mut coin = Cheap(1);
    let arc = |l: u32| (l, (l + 1) % n);
    (0..1 << 20).map(|_| arc(coin.below(n))).collect()
}

/// A million steps without a table.
fn steps(instance: &PopulationInstance, arcs: &[(u32, u32)], n: usize) {
    let mut agents = instance.agents(&vec![Number(0); n]);
    let mut leaders = 0;
    agents.meet_all(arcs, &mut leaders, &mut Cheap(1));
}

/// Every configuration judged.
fn judged(instance: &PopulationInstance, n: usize) {
    let (mut judge, mut digits) = (instance.judge(n).expect("few states"), vec![0u32; n]);
    let mut safe = 0;
    loop {
        safe += u64::from(judge.judge(&digits).safe);
        let Some(at) = digits.iter().position(|d| u64::from(*d) + 1 < instance.states()) else { break };
        digits[at] += 1;
        digits[..at].fill(0);
    }
    assert!(safe > 0);
}

fn main() {
    let six = Parameters::new(6);
    compare(
        "check fischer-jiang-ring n = 6",
        || checked(&PopulationInstance::new(FischerJiangRing).expect("small"), 6),
        || checked(&text("fischer-jiang-ring", &six), 6),
    );
    let three = Parameters::new(3);
    compare(
        "check yokota-ring n = N = 3",
        || checked(&PopulationInstance::new(YokotaRing { bound: 3 }).expect("small"), 3),
        || checked(&text("yokota-ring", &three), 3),
    );
    let (a, b) = (PopulationInstance::new(YokotaRing { bound: 3 }).expect("small"), text("yokota-ring", &three));
    compare("verdicts of yokota-ring n = N = 3", || judged(&a, 3), || judged(&b, 3));
    let source = include_str!("../tests/twins/yokota-ring.ring");
    let read =
        |how: fn(&str, &str) -> Result<Protocol, Diagnostics>| (0..100).for_each(|_| drop(how("yokota-ring", source)));
    compare("reading yokota-ring 100 times, tried and known", || read(Source::parse), || read(Source::known));
    let thousand = Parameters::new(1000);
    let arcs = arcs(1000);
    let (a, b) = (PopulationInstance::new(FischerJiangRing).expect("small"), text("fischer-jiang-ring", &thousand));
    compare("steps of fischer-jiang-ring n = 1000", || steps(&a, &arcs, 1000), || steps(&b, &arcs, 1000));
    let (a, b) = (PopulationInstance::new(YokotaRing { bound: 1000 }).expect("small"), text("yokota-ring", &thousand));
    compare("steps of yokota-ring n = N = 1000", || steps(&a, &arcs, 1000), || steps(&b, &arcs, 1000));
}
