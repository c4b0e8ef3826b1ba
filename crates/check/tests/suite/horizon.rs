//! The probability of the really safe set within t steps, compared with brute force in exact fractions: t times the mean over
//! the steps, the least or the greatest over the choices.

use crate::decisions::{Process, contains, fraction, really_safe, site_outcomes};
use crate::twin::{Dice, Twin, random_surveys};
use num_rational::BigRational;
use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_check::parts::{Daemon, Survey, check};
use ringleader_check::{Detector, Horizon, Likely, Monitor, Question, Start, Stop, Uncheckable, population};
use ringleader_erased::PopulationInstance;
use ringleader_model::{Graph, Scheduler};
use std::collections::HashMap;

const STEPS: u64 = 6;

/// Outcomes with their probabilities.
type Outcomes = Vec<(usize, BigRational)>;

/// The choices of every node, the configuration of every node, and the target.
struct Brute {
    choices: Vec<Vec<Outcomes>>,
    configuration: Vec<u32>,
    target: Vec<bool>,
}

impl Brute {
    fn new(survey: &Survey, scheduler: Scheduler) -> Brute {
        let system = &survey.system;
        if scheduler == Scheduler::Alternating {
            return Brute::alternating(survey);
        }
        let process = match Daemon::of(scheduler) {
            Some(daemon) => Process::together(system, daemon),
            None => Process::central(system),
        };
        let target = really_safe(survey, &process);
        let choices = match scheduler {
            Scheduler::Random => (0..target.len() as u32).map(|c| vec![chain(survey, c)]).collect(),
            _ => process.choices.into_iter().map(|here| here.into_iter().map(|c| c.outcomes).collect()).collect(),
        };
        Brute { choices, configuration: (0..target.len() as u32).collect(), target }
    }

    fn alternating(survey: &Survey) -> Brute {
        let question = Question::new(Scheduler::Alternating);
        let twin = Twin::new(survey, &question);
        let nodes: Vec<_> = twin.arrows.keys().collect();
        let number: HashMap<_, _> = nodes.iter().enumerate().map(|(at, node)| (*node, at)).collect();
        let sites = survey.system.sites.len();
        let choices = nodes.iter().map(|node| {
            let of = |site: usize| -> Outcomes {
                let whole = survey.system.tables[survey.system.sites[site].table].whole();
                let weight = |p: f64| (p * sites as f64 * f64::from(whole)).round() as u32;
                let mine = twin.arrows[*node].iter().filter(|arrow| arrow.site == site);
                mine.map(|arrow| (number[&arrow.to], fraction(weight(arrow.probability), whole))).collect()
            };
            (0..sites).map(of).filter(|outcomes| !outcomes.is_empty()).collect()
        });
        let target = nodes.iter().map(|node| twin.is_really_safe(node)).collect();
        let configuration = nodes.iter().map(|node| survey.system.space.encode(&node.0)).collect();
        Brute { choices: choices.collect(), configuration, target }
    }

    /// The probabilities within 0, 1, .. steps from every node.
    fn within(&self, steps: u64, least: bool) -> Vec<Vec<BigRational>> {
        let mut all = vec![self.target.iter().map(|&safe| fraction(u32::from(safe), 1)).collect::<Vec<_>>()];
        for _ in 0..steps {
            let now = all.last().expect("there is a first one");
            let mean = |outcomes: &Outcomes| outcomes.iter().map(|(to, p)| p * &now[*to]).sum::<BigRational>();
            let value = |c: usize| {
                let means = self.choices[c].iter().map(mean);
                let best = if least { means.min() } else { means.max() };
                if self.target[c] { fraction(1, 1) } else { best.expect("a node has a choice") }
            };
            all.push((0..self.target.len()).map(value).collect());
        }
        all
    }

    /// The values of the nodes of a configuration.
    fn at<'a>(&'a self, values: &'a [BigRational], c: u32) -> impl Iterator<Item = &'a BigRational> {
        values.iter().zip(&self.configuration).filter(move |(_, of)| **of == c).map(|(value, _)| value)
    }
}

/// A step of the random scheduler: every site with the same probability, whether or not it changes anything.
fn chain(survey: &Survey, c: u32) -> Outcomes {
    let (system, sites) = (&survey.system, survey.system.sites.len());
    let of = |site: usize| site_outcomes(system, c, site).into_iter().map(|(to, p, _)| (to, p));
    let all = (0..sites).flat_map(of);
    all.map(|(to, p)| (system.space.encode(&to) as usize, p * fraction(1, sites as u32))).collect()
}

fn agrees(found: &Likely, brute: &Brute, values: &[BigRational], start: u32, least: bool) -> Result<(), String> {
    let worst = values.iter().min().expect("there are configurations");
    let mean = values.iter().sum::<BigRational>() / BigRational::from_integer(values.len().into());
    let from = if least { brute.at(values, start).min() } else { brute.at(values, start).max() };
    for (bounds, exact) in [(found.worst, worst), (found.mean, &mean), (found.from[0], from.expect("a start"))] {
        if !contains(bounds, exact) || bounds.high - bounds.low > 1e-12 {
            return Err(format!("{bounds:?}, not {exact}"));
        }
    }
    Ok(())
}

/// All schedulers, on random systems with and without coins, with and without rotations.
#[test]
fn probabilities_within_steps() {
    use Scheduler::{Alternating, Distributed, LocallyCentral, Random, Synchronous, Unfair};
    let (mut compared, mut between, mut reached, mut open) = (HashMap::<_, u32>::new(), 0, 0, 0);
    for seed in 0..500 {
        let mut dice = Dice::new(seed);
        let surveys = random_surveys(&mut dice);
        let system = &surveys.plain.system;
        let size = system.space.size() as u32;
        let mut schedulers = vec![Random, Unfair];
        if system.is_ring {
            schedulers.extend([Distributed, LocallyCentral, Synchronous]);
            schedulers.extend((size <= 16).then_some(Alternating));
        }
        for scheduler in schedulers {
            let brute = Brute::new(&surveys.plain, scheduler);
            let start = dice.below(size);
            let probability = [0.5, 0.75, 0.99, 1.0][dice.below(4) as usize];
            let mut question = Question::new(scheduler);
            question.horizon = Some(Horizon { steps: Some(STEPS), quantile: Some(probability) });
            question.starts = vec![Start { name: "it".into(), states: system.space.digits(start) }];
            let tosses_against = system.tosses() && !matches!(scheduler, Random | Synchronous);
            let folds = surveys.folded.system.is_up_to_symmetry() && question.up_to_symmetry() && !tosses_against;
            let all = [Some(&surveys.plain), folds.then_some(&surveys.folded)];
            for survey in all.into_iter().flatten() {
                let report = check(survey, &question, &Monitor::new(2)).unwrap();
                let reach = report.reach.expect("it was asked for");
                let what = format!("seed {seed}, {scheduler}, {} nodes", survey.nodes());
                assert_eq!(
                    reach.greatest.is_some(),
                    !matches!(scheduler, Random) && (scheduler != Synchronous || !system.tosses()),
                    "{what}"
                );
                let least = brute.within(STEPS, true);
                for (t, values) in least.iter().enumerate() {
                    agrees(&reach.least[t], &brute, values, start, true).unwrap_or_else(|e| panic!("{what}, {t}: {e}"));
                    between += u32::from(values.iter().any(|p| *p > fraction(0, 1) && *p < fraction(1, 1)));
                }
                assert_eq!(reach.least.len() as u64, STEPS + 1, "{what}");
                for (t, values) in brute.within(STEPS, false).iter().enumerate() {
                    let Some(greatest) = &reach.greatest else { break };
                    agrees(&greatest[t], &brute, values, start, false).unwrap_or_else(|e| panic!("{what}, {t}: {e}"));
                }
                // The least number of steps, unless it is larger than those of the brute force.
                let quantile = reach.quantile.expect("it was asked for");
                let limit = BigRational::from_float(probability).expect("a number");
                let worst = |values: &Vec<BigRational>| values.iter().min().is_some_and(|p| *p >= limit);
                let first = least.iter().position(worst).map(|t| t as u64);
                let [low, high] = quantile.worst;
                match first {
                    Some(t) => {
                        reached += 1;
                        assert!(low <= Some(t) && high.is_none_or(|high| t <= high), "{what}: {quantile:?}, not {t}");
                        let exactly = least[t as usize].iter().min() == Some(&limit);
                        assert!(low == high || exactly, "{what}: {quantile:?}, {t}");
                    }
                    None => {
                        open += 1;
                        assert!(low.is_none_or(|low| low > STEPS), "{what}: {quantile:?}");
                    }
                }
                *compared.entry(scheduler.to_string()).or_default() += 1;
            }
        }
    }
    println!("{compared:?}, {between} between 0 and 1, {reached} quantiles, {open} beyond");
    assert!(compared.len() == 6 && compared.values().all(|count| *count > 100), "{compared:?}");
    assert!(between > 1000 && reached > 100 && open > 100, "{between} {reached} {open}");
}

/// Multisets, merged states and rotations have the same probabilities as all configurations.
#[test]
fn reductions_change_no_probability() {
    let algorithm = PopulationInstance::new(FischerJiangRing).unwrap();
    let graph = Graph::directed_ring(4).unwrap();
    let mut question = Question::new(Scheduler::Random);
    question.horizon = Some(Horizon { steps: Some(40), quantile: Some(0.5) });
    let reduced = population(&algorithm, &graph, &question, &Monitor::new(2)).unwrap();
    assert!(reduced.classes.is_some());
    let all = question.clone().without_symmetry().without_merging();
    let all = population(&algorithm, &graph, &all, &Monitor::new(2)).unwrap();
    assert!(all.classes.is_none());
    let (reduced, all) = (reduced.reach.unwrap(), all.reach.unwrap());
    assert_eq!(reduced.quantile, all.quantile);
    for (a, b) in reduced.least.iter().zip(&all.least) {
        assert!((a.worst.low - b.worst.low).abs() < 1e-12 && (a.mean.low - b.mean.low).abs() < 1e-12, "{a:?} {b:?}");
    }
}

/// Fairness bounds no finite part of an execution, and a lie has no probability.
#[test]
fn probabilities_that_are_not_defined_are_refused() {
    let algorithm = PopulationInstance::new(FischerJiangRing).unwrap();
    let graph = Graph::directed_ring(3).unwrap();
    for (scheduler, detector) in [
        (Scheduler::Fair, Detector::Perfect),
        (Scheduler::LocallyFair, Detector::Perfect),
        (Scheduler::GloballyFair, Detector::Perfect),
        (Scheduler::Random, Detector::EventuallyCorrect),
    ] {
        let mut question = Question::new(scheduler);
        (question.horizon, question.detector) = (Some(Horizon { steps: Some(3), quantile: None }), detector);
        let refused = population(&algorithm, &graph, &question, &Monitor::new(1)).unwrap_err();
        assert_eq!(refused, Stop::Refused(Uncheckable::NoProbabilities), "{scheduler}");
    }
}
