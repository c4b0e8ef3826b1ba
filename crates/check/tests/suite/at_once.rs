//! Synchronous systems with local coins, process by process: the same means, sets and expected steps as step by step.

use crate::daemons::Herman;
use crate::twin::{Dice, random_surveys};
use ringleader_check::parts::{
    Bits, Daemon, Effort, INCORRECT, Markov as _, ProcessByProcess, StateGraph as _, Successors, Survey, Together,
    bounded, can_reach, count_steps, really_safe,
};
use ringleader_check::{Configurations, Horizon, Monitor, Question, Subject, Value, ring};
use ringleader_erased::RingInstance;
use ringleader_model::Scheduler;

fn some(size: u64, contains: impl Fn(u32) -> bool) -> Bits {
    let set = Bits::new(size);
    (0..size as u32).filter(|&c| contains(c)).for_each(|c| assert!(set.insert(c)));
    set
}

fn members(set: &Bits) -> Vec<u32> {
    set.iter().collect()
}

/// The mean of some values after a step, and whether a step leads to a set, by all outcomes of one configuration.
fn directly(graph: &Together<'_>, c: u32, values: &[f64], set: &Bits) -> (f64, bool) {
    let (mut sum, mut leads) = (0.0, false);
    graph.successors(c, |edge| {
        sum += f64::from(edge.weight) * values[edge.target as usize];
        leads |= set.contains(edge.target);
    });
    (sum / graph.total() as f64, leads)
}

fn tossing(dice: &mut Dice) -> Option<Survey> {
    let survey = random_surveys(dice).plain;
    let suits = survey.system.is_ring && survey.system.tosses() && !survey.system.chooses();
    suits.then_some(survey)
}

#[test]
fn means_sets_and_steps_are_those_of_single_steps() {
    let (mut means, mut sides, mut lines, mut timed, mut safe_sets, mut counted) = (0, 0, 0, 0, 0, 0);
    for seed in 0..1500 {
        let mut dice = Dice::new(seed);
        let Some(survey) = tossing(&mut dice) else { continue };
        let (system, monitor) = (&survey.system, Monitor::new(2));
        let size = system.size();
        let stored = Together::new(system, Daemon::Synchronous, u64::MAX, &monitor).unwrap();
        let values: Vec<f64> = (0..size).map(|_| f64::from(dice.below(1000))).collect();
        let chosen: Vec<bool> = (0..size).map(|_| dice.below(4) == 0).collect();
        let set = some(size, |c| chosen[c as usize]);
        if system.space.agents > 2 {
            let mut steps = 0;
            (0..size as u32).for_each(|c| stored.successors(c, |_| steps += 1));
            assert_eq!(count_steps(system), Some(steps), "seed {seed}");
            counted += 1;
        }
        for low in 1..system.space.agents {
            let all = ProcessByProcess::taking(system, low);
            let (fast, before) = (all.means(&values, &monitor).unwrap(), all.before(&set, &monitor).unwrap());
            for c in 0..size as u32 {
                let (slow, leads) = directly(&stored, c, &values, &set);
                assert!(
                    (fast[c as usize] - slow).abs() <= 1e-9,
                    "seed {seed}, {low}: {} is not {slow}",
                    fast[c as usize]
                );
                assert_eq!(before.contains(c), leads, "seed {seed}, {low}, {c}");
            }
            means += 1;
            sides += u32::from(system.reads_both_sides);
            lines += u32::from(system.is_line);
            let at_once = Together::at_once(system, all, &monitor).unwrap();
            assert!(
                at_once.is_markov()
                    && (at_once.total(), at_once.steps_at_most()) == (stored.total(), stored.steps_at_most())
            );
            for c in 0..size as u32 {
                let edges = |graph: &Together<'_>| {
                    let mut edges = vec![];
                    graph.successors(c, |edge| edges.push(edge));
                    edges
                };
                assert_eq!(edges(&at_once), edges(&stored), "seed {seed}");
            }
            let [found, known] = [&at_once, &stored].map(|graph| {
                let safe = really_safe(graph, |node, turn| survey.label(node, turn), &monitor).unwrap();
                let reaching = can_reach(graph, &set, &monitor).unwrap();
                (members(&safe), members(&reaching))
            });
            assert_eq!(found, known, "seed {seed}");
            let correct = (0..size as u32).filter(|&c| survey.label(c, 0) != INCORRECT).count();
            safe_sets += u32::from(!known.0.is_empty() && known.0.len() < correct);
            if known.1.len() as u64 != size || set.count() == 0 {
                continue;
            }
            let steps = Successors::AtOnce(at_once.at_once().expect("it was asked for"));
            let [found, known] = [(&at_once, steps), (&stored, Successors::Single)].map(|(graph, steps)| {
                bounded(graph, &steps, (&set, None), size, Effort::new(1e-9), None, &monitor).unwrap()
            });
            for c in 0..size as u32 {
                let (a, b) = (found.at(c), known.at(c));
                assert!(a.low <= b.high && b.low <= a.high, "seed {seed}, {c}: {a:?}, {b:?}");
                assert!(a.high - a.low <= 1e-8 * a.high.max(1.0), "seed {seed}: {a:?}");
            }
            timed += 1;
        }
    }
    println!("{means} {sides} {lines} {timed} {safe_sets}");
    assert!(counted > 50 && means > 250 && sides > 80 && lines > 60 && timed > 30 && safe_sets > 100);
}

/// There are 32768 configurations and 14 million steps; no step is stored. The worst expectation is 4 n^2 / 27 (Bruna, Grigore,
/// Kiefer, Ouaknine and Worrell 2016). Probabilities in time are repeated means.
#[test]
fn herman_on_fifteen_processes() {
    let (algorithm, monitor) = (RingInstance::new(Herman).unwrap(), Monitor::new(2));
    let mut question = Question::new(Scheduler::Synchronous);
    question.horizon = Some(Horizon { steps: Some(3), quantile: None });
    let report = ring(&algorithm, 15, &question, &monitor).unwrap();
    assert!(report.holds && report.almost_surely && report.really_safe == 30);
    assert_eq!(report.transitions, 3_u64.pow(15) + 1);
    let time = report.expected_steps.and_then(|times| times.to_really_safe).unwrap();
    let Value::Between(bounds) = time.worst else { panic!("{time:?}") };
    let known = 4.0 * 15.0 * 15.0 / 27.0;
    assert!(bounds.low <= known && known <= bounds.high && bounds.high - bounds.low < 1e-6, "{bounds:?}");

    let survey = Survey::of(&Subject::Ring(&algorithm, 15), &question, &monitor).unwrap();
    let all = ProcessByProcess::new(&survey.system);
    let outside: Vec<f64> =
        (0..survey.system.size() as u32).map(|c| f64::from(u8::from(survey.label(c, 0) == INCORRECT))).collect();
    let mut missed = outside.clone();
    for point in report.reach.unwrap().least {
        let (worst, mean) =
            (missed.iter().copied().fold(0.0, f64::max), missed.iter().sum::<f64>() / missed.len() as f64);
        assert!(point.worst.low <= 1.0 - worst && 1.0 - worst <= point.worst.high, "{point:?}, {worst}");
        assert!((point.mean.low - 1.0 + mean).abs() < 1e-9, "{point:?}, {mean}");
        missed = all.means(&missed, &monitor).unwrap().iter().zip(&outside).map(|(mean, out)| mean * out).collect();
    }
    assert!(missed.iter().sum::<f64>() < 0.99 * outside.iter().sum::<f64>());
}

/// A chain that does not fit is refused before any configuration is looked at.
#[test]
fn a_chain_that_is_too_large_is_refused_at_once() {
    let algorithm = RingInstance::new(Herman).unwrap();
    for size in [25, 29, 31] {
        let (question, monitor) = (Question::new(Scheduler::Synchronous).within(3 << 30), Monitor::new(1));
        let refused = ring(&algorithm, size, &question, &monitor).unwrap_err();
        assert!(refused.to_string().contains("GiB"), "{refused}");
        assert_eq!(monitor.progress().0.name, "compiling the rules", "{size}: {refused}");
    }
}

/// Of n processes, k have a token in 2 (n over k) configurations, where n - k is even, and each of them tosses a coin.
#[test]
fn exports_do_not_store_many_steps() {
    let herman = RingInstance::new(Herman).unwrap();
    let question = Question::new(Scheduler::Synchronous).within(1 << 26);
    let graph = Configurations::new(&Subject::Ring(&herman, 15), &question, &Monitor::new(2)).unwrap();
    assert_eq!(graph.transitions(), 3_u64.pow(15) + 1);
    assert_eq!(graph.count(|number| graph.really_safe(number)), 30);
}
