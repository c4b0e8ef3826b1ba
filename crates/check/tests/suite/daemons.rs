//! Rings and lines beyond one neighbour and one process at a time, on algorithms of other papers. The checker is
//! compared with brute force that calls their rules, and with published numbers.

mod brute;
mod classics;

use brute::{Brute, configurations, ring_steps};
pub(crate) use classics::Herman;
use classics::{FourState, Huang, IsraeliJalfon, KState, ThreeState};
use ringleader_check::replay::{Played, play, unfold};
use ringleader_check::{Counterexample, Monitor, Question, Report, Time, Value};
use ringleader_erased::{Number, PopulationInstance, RingInstance};
use ringleader_model::text::Document;
use ringleader_model::trace::{Actor, Assumptions, Trace};
use ringleader_model::{
    Chain, Coin, Goal, Graph, Marks, Population as _, Reads, Ring, Safety, Scheduler, Stabilizing, Told, Variables,
    View, Visitor,
};
use std::hash::Hash;

const DAEMONS: [Scheduler; 5] =
    [Scheduler::Random, Scheduler::Unfair, Scheduler::Synchronous, Scheduler::Distributed, Scheduler::LocallyCentral];

fn check_ring<A: Ring + Stabilizing + Copy + 'static>(algorithm: A, n: usize, scheduler: Scheduler) -> Report {
    let instance = RingInstance::new(algorithm).unwrap();
    let report =
        ringleader_check::ring(&instance, n, &Question::new(scheduler).with_adversarial_coins(), &Monitor::new(2))
            .unwrap();
    if let Some(run) = &report.counterexample {
        replay(&instance, scheduler, run);
    }
    report
}

/// Writes a counterexample as text, parses it, replays it, and compares every configuration. All its claims must be
/// true.
fn replay(algorithm: &RingInstance, scheduler: Scheduler, run: &Counterexample) {
    let states = |digits: &[u32]| digits.iter().map(|&d| Number(d.into())).collect::<Vec<_>>();
    let document = Document::new("classic", algorithm, vec![], &states(&run.start));
    let assumptions = Assumptions { scheduler: Some(scheduler), ..Assumptions::default() };
    let text =
        |c: &[u32]| states(c).iter().map(|state| ringleader_model::text::print_state(algorithm, state)).collect();
    let trace = Trace::parse(&run.trace(document, assumptions, text).print()).unwrap();
    let played = play(&Played::Ring(algorithm), &trace).unwrap();
    assert_eq!(trace.steps.len(), run.prefix.len() + run.cycle.len());
    let shown: Vec<_> = run.prefix.iter().chain(&run.cycle).collect();
    for (i, step) in shown.iter().enumerate() {
        assert_eq!(played.configurations[i + 1], states(&step.after), "step {i} of {run:?}");
        let fired = &played.rules[i];
        assert!(step.actor == Actor::All || *fired == step.rules, "{fired:?}, {step:?}");
    }
    assert_eq!((played.broken, played.closes), (None, trace.cycle.map(|_| true)), "{run:?}");
}

/// Compares a check with brute force. Returns whether the algorithm converges. `coins` says that only coins decide
/// under the synchronous daemon.
fn compare<A>(algorithm: A, n: usize, scheduler: Scheduler, coins: bool) -> bool
where
    A: Ring<State: Hash + Eq> + Stabilizing + Copy + 'static,
{
    let what = format!("{}, {n} processes, {scheduler}", std::any::type_name::<A>());
    let report = check_ring(algorithm, n, scheduler);
    let leaders = move |c: &[A::State]| {
        let leads = |i: usize| algorithm.marks(View::of(c, i, algorithm.chain())).leader();
        (0..c.len()).fold(0, |bits, i| bits | u64::from(leads(i)) << i)
    };
    let steps = |c: &[A::State]| ring_steps(&algorithm, c, scheduler);
    let brute = Brute::new(configurations(&algorithm, n), steps, |c| algorithm.correct(c), &leaders);
    assert_eq!(report.configurations, brute.configurations(), "{what}");
    assert_eq!(report.really_safe, brute.really_safe.len() as u64, "{what}");
    let almost_surely = scheduler == Scheduler::Random || (scheduler == Scheduler::Synchronous && coins);
    assert_eq!(report.almost_surely, almost_surely, "{what}");
    let own: Vec<_> = configurations(&algorithm, n).into_iter().filter(|c| algorithm.safe(c)).collect();
    let named = algorithm.safety() != Safety::Unknown;
    let own_fine = !named || own.iter().all(|c| brute.really_safe.contains(c));
    let own = if named { own.len() } else { brute.really_safe.len() };
    assert_eq!(
        (report.own_is_named, report.own_safe, report.own_is_really_safe),
        (named, own as u64, own_fine),
        "{what}"
    );
    let converges = if almost_surely { brute.reachable() } else { brute.longest().is_some() };
    assert_eq!(report.holds, converges && own_fine && report.own_is_closed, "{what}: {report:?}");
    let cycles = report.counterexample.as_ref().is_some_and(|run| !run.cycle.is_empty());
    assert_eq!(cycles, !converges, "{what}: {report:?}");
    if report.holds {
        let times = if almost_surely { &report.expected_steps } else { &report.steps };
        let time = times.as_ref().unwrap().to_really_safe.as_ref().unwrap();
        let (worst, mean) = if almost_surely { brute.expected() } else { brute.longest().unwrap() };
        assert!(near(&time.worst, worst) && near(&time.mean, mean), "{what}: {time:?}, not {worst} and {mean}");
        println!("{what}: worst {worst}, mean {mean}");
    } else {
        println!("{what}: fails");
    }
    converges
}

fn near(value: &Value, known: f64) -> bool {
    let bounds = value.bounds();
    bounds.low <= known + 1e-8 * known && known - 1e-8 * known <= bounds.high && bounds.high - bounds.low < 1e-6
}

fn expected(report: &Report) -> &Time {
    report.expected_steps.as_ref().unwrap().to_really_safe.as_ref().unwrap()
}

/// Correct under the unfair central daemon from K = n - 1 on. Simultaneous steps need one state more.
#[test]
fn dijkstras_k_states() {
    for n in 2..=6_u8 {
        for k in 2.max(n - 2)..=n {
            let report = check_ring(KState { k }, n.into(), Scheduler::Unfair);
            assert_eq!(report.holds, k + 1 >= n, "n = {n}, K = {k}");
        }
    }
    for n in 2..=4_u8 {
        for k in 2..=n + 1 {
            for scheduler in DAEMONS {
                let holds = compare(KState { k }, n.into(), scheduler, false);
                let enough = if scheduler == Scheduler::Distributed { k >= n } else { k + 1 >= n };
                assert!(holds || !enough || scheduler == Scheduler::Synchronous, "n = {n}, K = {k}, {scheduler}");
            }
        }
    }
    for n in 4..=6 {
        assert!(!check_ring(KState { k: n - 1 }, n.into(), Scheduler::Synchronous).holds, "K = n - 1 = {}", n - 1);
        assert!(check_ring(KState { k: n }, n.into(), Scheduler::Distributed).holds, "K = n = {n}");
    }
}

/// A line that reads both neighbours; two rules of one process may be enabled.
#[test]
fn dijkstras_four_states() {
    for n in 2..=7 {
        assert!(check_ring(FourState, n, Scheduler::Unfair).holds, "{n}");
    }
    for n in 2..=4 {
        for scheduler in DAEMONS {
            compare(FourState, n, scheduler, false);
        }
    }
}

/// A ring that reads both neighbours, with a bottom and a top; two rules of one process may be enabled.
#[test]
fn dijkstras_three_states() {
    for n in 2..=8 {
        assert!(check_ring(ThreeState, n, Scheduler::Unfair).holds, "{n}");
    }
    assert_eq!(check_ring(ThreeState, 3, Scheduler::Unfair).really_safe, 21);
    for n in 2..=5 {
        for scheduler in DAEMONS {
            compare(ThreeState, n, scheduler, false);
        }
    }
}

/// 4n²/27, attained by equal distances where 3 divides n (Bruna and others 2016).
#[test]
fn hermans_coins_all_at_once() {
    for (n, known) in [(3, 4.0 / 3.0), (5, 3.2), (7, 48.0 / 7.0), (9, 12.0)] {
        let report = check_ring(Herman, n, Scheduler::Synchronous);
        assert!(report.holds && report.almost_surely && near(&expected(&report).worst, known), "{n}: {report:?}");
        let start = &expected(&report).worst_start;
        let tokens: Vec<usize> = (0..n).filter(|&i| start[i] == start[(i + n - 1) % n]).collect();
        assert!(n != 9 || tokens.windows(2).all(|two| two[1] - two[0] == 3), "{start:?}");
    }
    for n in 2..=6 {
        // Even rings have an even number of tokens.
        let converges = compare(Herman, n, Scheduler::Synchronous, true);
        assert_eq!(converges, n % 2 == 1, "{n}");
        compare(Herman, n, Scheduler::Distributed, true);
        compare(Herman, n, Scheduler::Random, true);
    }
}

/// Prime rings under the central daemon; simultaneous steps can cycle for ever.
#[test]
fn huangs_election() {
    for n in [2_u8, 3, 5, 7] {
        assert!(check_ring(Huang { n }, n.into(), Scheduler::Unfair).holds, "{n}");
    }
    for n in [4_u8, 6] {
        let report = check_ring(Huang { n }, n.into(), Scheduler::Unfair);
        assert!(report.counterexample.unwrap().shows.contains("no step changes anything"), "{n}");
    }
    for n in 2..=4_u8 {
        for scheduler in DAEMONS {
            let converges = compare(Huang { n }, n.into(), scheduler, false);
            assert_eq!(
                converges,
                n < 4 && matches!(scheduler, Scheduler::Random | Scheduler::Unfair | Scheduler::LocallyCentral),
                "{n} {scheduler}"
            );
        }
    }
}

/// Two tokens d apart meet after d(n - d) moves, and one of 2n arcs in n/2 steps moves one of them.
#[test]
fn israelis_and_jalfons_walks() {
    let instance = PopulationInstance::new(IsraeliJalfon).unwrap();
    for n in 3..=7 {
        let graph = Graph::undirected_ring(n).unwrap();
        let report =
            ringleader_check::population(&instance, &graph, &Question::new(Scheduler::Random), &Monitor::new(2))
                .unwrap();
        let steps = |c: &[bool]| {
            let meet = |&(u, v): &(u32, u32)| {
                let (mut after, (u, v)) = (c.to_vec(), (u as usize, v as usize));
                let told = Told::both(false);
                (after[u], after[v]) = IsraeliJalfon.interact(c[u], c[v], told, &mut ringleader_model::NoCoin);
                (after, 1.0 / graph.arcs().len() as f64)
            };
            graph.arcs().iter().map(meet).collect()
        };
        let all = configurations(&IsraeliJalfon, n);
        let brute = Brute::new(all, steps, |c| IsraeliJalfon.correct(c), &|_| 0);
        assert!(report.holds && brute.reachable() && report.configurations == (1 << n) - 1, "{n}");
        assert_eq!(report.really_safe, n as u64);
        let (most, mean) = brute.expected();
        let time = report.expected_steps.unwrap().to_really_safe.unwrap();
        assert!(near(&time.worst, most) && near(&time.mean, mean), "{n}: {time:?}, not {most}");
        if n == 3 {
            // Of three tokens two meet at once; then 1 * 2 moves, each after 3/2 steps.
            assert!(near(&time.worst, 1.0 + 3.0), "{time:?}");
        }
    }
}

/// A process on a line with a greater neighbour takes its value, from the right with a coin. Between two greater
/// neighbours, the scheduler chooses.
#[derive(Clone, Copy, Debug)]
struct Greatest;

impl Variables for Greatest {
    type State = u8;

    fn variables(&self, value: &mut u8, v: &mut dyn Visitor) {
        v.range("value", 1, 3, value);
    }
}

impl Ring for Greatest {
    fn chain(&self) -> Chain {
        Chain::Line
    }

    fn reads(&self) -> Reads {
        Reads::BothSides
    }

    fn act(&self, View { left, own, right, .. }: View<u8>, coin: &mut impl Coin) -> u8 {
        match (left > own, right > own) {
            (true, true) if coin.choose(2) == 1 => right,
            (true, _) => left,
            (false, true) if coin.below(4) == 0 => right,
            _ => own,
        }
    }

    fn marks(&self, _: View<u8>) -> Marks {
        Marks::NONE
    }
}

impl Stabilizing for Greatest {
    fn goal(&self) -> Goal {
        Goal::Agreement
    }

    fn correct(&self, c: &[u8]) -> bool {
        c.iter().all(|value| *value == c[0])
    }
}

/// If no process has a choice, coins keep their probability: each of two processes on a line has one neighbour.
#[test]
fn where_nobody_has_a_choice_coins_are_fair() {
    let report = check_ring(Greatest, 2, Scheduler::Synchronous);
    let time = report.expected_steps.expect("numbers").to_really_safe.expect("it holds");
    // Only the left one waits, for a coin of four sides.
    assert!(near(&time.worst, 4.0), "{time:?}");
    // Where a process has a choice, the question says whether the daemon chooses the coins too.
    assert!(!check_ring(Greatest, 3, Scheduler::Synchronous).holds);
    let (instance, question) = (RingInstance::new(Greatest).unwrap(), Question::new(Scheduler::Synchronous));
    assert!(ringleader_check::ring(&instance, 3, &question, &Monitor::new(1)).unwrap().holds);
}

/// Herman's tokens are only passed on if all processes step at the same time. A process that steps alone creates tokens, so no
/// configuration is really safe under the other daemons.
#[test]
fn daemons_defeat_hermans_coins() {
    use Scheduler::{Alternating, Distributed, Fair, LocallyCentral, LocallyFair, Unfair};
    let instance = RingInstance::new(Herman).unwrap();
    for (n, scheduler) in
        [(3, Unfair), (5, Unfair), (5, Distributed), (5, LocallyCentral), (3, Alternating), (3, Fair), (3, LocallyFair)]
    {
        let report = ringleader_check::ring(&instance, n, &Question::new(scheduler), &Monitor::new(2)).unwrap();
        let run = report.counterexample.as_ref().unwrap_or_else(|| panic!("{n} {scheduler}: it holds"));
        assert!(!run.strategy.is_empty() && report.really_safe == 0, "{report:?}");
        replay(&instance, scheduler, run);
        let states = |digits: &[u32]| digits.iter().map(|&d| Number(d.into())).collect::<Vec<_>>();
        let text =
            |c: &[u32]| states(c).iter().map(|state| ringleader_model::text::print_state(&instance, state)).collect();
        let document = Document::new("classic", &instance, vec![], &states(&run.start));
        let assumptions =
            Assumptions { scheduler: Some(scheduler), coins: Some("fair".into()), ..Assumptions::default() };
        let trace = run.trace(document, assumptions, text);
        let played = Played::Ring(&instance);
        let mut distinct = std::collections::BTreeSet::new();
        for seed in 0..5 {
            let again = unfold(&played, &trace, seed, 200).unwrap();
            let run = play(&played, &again).unwrap();
            assert_eq!((run.broken, again.steps.len()), (None, 200), "{n} {scheduler}");
            distinct.insert(format!("{:?}", again.steps));
        }
        assert!(distinct.len() > 1, "coins differ by seed");
        // Without one of its configurations, the strategy can be left.
        let mut broken = trace.clone();
        broken.strategy.remove(broken.strategy.len() - 1);
        broken.steps.clear();
        let left = broken.strategy.is_empty() || play(&played, &broken).unwrap().broken.is_some();
        assert!(left, "{n} {scheduler}: {broken:?}");
    }
}
