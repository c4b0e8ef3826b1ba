//! The length of elections and its growth: many elections, of several algorithms and sizes, shown while they run.

use crate::Refused;
use crate::questions::jobs::{Job, Jobs};
use crate::runs::setup::{Runnable, Setup, Subject};
use ringleader_catalog::Catalog;
use ringleader_model::{Shape, lock};
use ringleader_simulate::statistics::{Censored, Fit, Growth, Summary};
use ringleader_simulate::{Arena, Contest, ElectionSeries, Elections, Faults, KernelChoice, Limits, elect_by_messages};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// The most curves, sizes and runs.
const MOST: (usize, usize, usize) = (6, 24, 1000);
/// The step limit of an election.
const LIMIT: u64 = 2_000_000_000;

/// A measurement that a page asks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// One setup for each curve; its size is ignored.
    curves: Vec<Setup>,
    sizes: Vec<usize>,
    runs: usize,
}

/// One point of a curve, with its samples.
#[derive(Clone, Debug, Default)]
struct Measured {
    curve: usize,
    size: usize,
    /// The steps of each run, and whether it hit the limit.
    steps: Vec<(f64, bool)>,
}

#[derive(Default)]
struct Board {
    points: Vec<Measured>,
    /// The claimed growth of each curve.
    claims: Vec<Option<String>>,
    /// The failed measurements: curve, reason and sizes.
    notes: Vec<(String, String, Vec<usize>)>,
}

impl Board {
    fn note(&mut self, name: &str, why: String, size: usize) {
        match self.notes.iter_mut().find(|(curve, reason, _)| curve == name && *reason == why) {
            Some((.., sizes)) => sizes.push(size),
            None => self.notes.push((name.into(), why, vec![size])),
        }
    }
}

impl Asked {
    /// Starts the measurement.
    pub(crate) fn begin(self, catalog: &Catalog, jobs: &Jobs) -> Result<Value, Refused> {
        let (curves, sizes, runs) = MOST;
        if self.curves.is_empty() || self.sizes.is_empty() || self.runs == 0 {
            return Err(Refused::new("a measurement needs at least one algorithm, one size and one run"));
        }
        if self.curves.len() > curves || self.sizes.len() > sizes || self.runs > runs {
            return Err(Refused::new(format!("at most {curves} algorithms, {sizes} sizes and {runs} runs of each")));
        }
        let claims = vec![None; self.curves.len()];
        let board = Arc::new(Mutex::new(Board { claims, ..Board::default() }));
        let (shown, catalog) = (board.clone(), catalog.clone());
        jobs.begin(
            move || tell(&lock(&shown)),
            || (),
            move |job| {
                self.measure(&catalog, job, &board);
                Ok(tell(&lock(&board)))
            },
        )
    }

    /// Measures the smaller sizes of all curves first: they are quick and show the shape.
    fn measure(&self, catalog: &Catalog, job: &Job, board: &Mutex<Board>) {
        let mut sizes = self.sizes.clone();
        sizes.sort_unstable();
        sizes.dedup();
        for &size in &sizes {
            for (curve, setup) in self.curves.iter().enumerate() {
                let setup = Setup { size, ..setup.clone() };
                let opened = setup.build(catalog).and_then(|subject| {
                    let law = subject.card.law.as_ref().map(|law| format!("{} ({})", law.claim, law.source));
                    lock(board).claims[curve] = law;
                    ready(&setup, subject)
                });
                match opened {
                    Ok(contest) => {
                        self.point(&contest, &setup, Measured { curve, size, ..Measured::default() }, job, board)
                    }
                    Err(refused) => {
                        let name = if setup.text.is_some() { "your protocol" } else { &setup.algorithm };
                        lock(board).note(name, refused.to_string(), size);
                    }
                }
            }
        }
    }

    fn point(&self, contest: &Contest<'_>, setup: &Setup, point: Measured, job: &Job, board: &Mutex<Board>) {
        let stop = &job.stop;
        lock(board).points.push(point.clone());
        ElectionSeries::new(setup.seed, point.size, self.runs as u64).hold(
            [],
            stop,
            |coin| contest.elect(Faults::default(), Limits { steps: LIMIT, stop }, coin),
            |_, record| {
                if let (Some(record), Some(point)) = (record, lock(board).points.last_mut()) {
                    point.steps.push((record.steps as f64, !record.reached));
                }
                job.pulse();
                true
            },
        );
    }
}

/// Makes the elections of one size ready.
fn ready(setup: &Setup, subject: Subject) -> Result<Contest<'static>, Refused> {
    if let Some(reason) = &subject.beyond_claim {
        return Err(Refused::new(reason));
    }
    if subject.parameters.size != setup.size {
        let why = "the graph of a file has one size: choose a family of graphs to measure several";
        return Err(Refused::new(why));
    }
    let start = match subject.runnable {
        Runnable::Message(_) => ringleader_simulate::Start::Clean,
        _ => subject.start(&setup.start)?,
    };
    let elections = match subject.runnable {
        Runnable::Message(algorithm) => {
            let channels = subject.channels;
            let elect = move |limits: Limits<'_>, coin| elect_by_messages(&algorithm, channels, limits, coin);
            return Ok(Contest::Messages(Box::new(elect)));
        }
        Runnable::Population(instance, graph) => {
            let arena = if graph.has_shape(Shape::Complete) {
                Arena::shaped(Shape::Complete, subject.parameters.size).map_err(Refused::new)?
            } else {
                Arena::of(&graph)
            };
            Elections::population(instance, arena, KernelChoice::Auto, subject.oracle)
        }
        Runnable::Ring(instance) => Elections::ring(instance, subject.parameters.size, subject.scheduler),
        Runnable::Graph(instance, _) => Elections::graph(instance, subject.scheduler),
    };
    Ok(elections.map_err(Refused::new)?.starting(&start).map_err(Refused::new)?.into())
}

/// The result so far: points with their errors, and the law that fits each curve.
fn tell(board: &Board) -> Value {
    let measured: Vec<_> = board.points.iter().filter(|point| !point.steps.is_empty()).collect();
    let fits: Vec<_> = (0..board.claims.len()).map(|curve| fit(curve, &measured)).collect();
    let points: Vec<_> = measured.iter().map(|point| tell_point(point)).collect();
    let notes: Vec<_> = board.notes.iter().map(|(name, why, sizes)| json!([name, why, sizes])).collect();
    json!({"points": points, "fits": fits, "claims": board.claims, "notes": notes})
}

/// The summary of all samples of a point, if none hit the limit.
fn summary(point: &Measured) -> Option<Summary> {
    let whole = point.steps.iter().all(|(_, cut)| !cut);
    whole.then(|| Summary::of(point.steps.iter().map(|(steps, _)| *steps).collect()))?
}

fn tell_point(point: &Measured) -> Value {
    let mut told = json!({"curve": point.curve, "size": point.size, "runs": point.steps.len(), "given_up": 0});
    if let Some(all) = summary(point) {
        told["mean"] = json!(all.mean);
        told["ci95"] = json!(all.ci95().filter(|_| all.count > 1));
        (told["median"], told["p90"], told["max"]) = (json!(all.median), json!(all.p90), json!(all.max));
    }
    // The mean of the runs that ended estimates nothing: the longest runs are missing.
    if let Some(some) = Censored::of(point.steps.clone()) {
        (told["given_up"], told["at_least"]) = (json!(some.cut), json!(some.at_least));
        (told["median"], told["p90"]) = (json!(some.median), json!(some.p90));
    }
    told
}

/// The exponent of the growth of a curve, and whether it changes with the size.
fn fit(curve: usize, points: &[&Measured]) -> Value {
    let known: Vec<_> = points
        .iter()
        .filter(|point| point.curve == curve)
        .filter_map(|point| summary(point).and_then(|all| Some((point.size as f64, all.mean, all.error?))))
        .collect();
    let trend = Growth::of(&known).and_then(|growth| growth.trend).map(|(_, (low, high))| {
        if low > 0.0 {
            "rise"
        } else if high < 0.0 {
            "fall"
        } else {
            "stay"
        }
    });
    Fit::of(&known).map_or(Value::Null, |fit| json!({"exponent": fit.exponent, "ci95": fit.ci95, "trend": trend}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(size: usize, steps: &[(f64, bool)]) -> Measured {
        Measured { curve: 0, size, steps: steps.to_vec() }
    }

    #[test]
    fn a_point_with_elections_over_the_limit_has_no_mean_and_no_part_in_the_fit() {
        let whole = |size: usize| point(size, &[((size * size) as f64, false), ((size * size + 1) as f64, false)]);
        let cut = point(16, &[(1.0, false), (2.0, false), (3.0, false), (900.0, true)]);
        let claims = vec![None];
        let told = tell(&Board { points: vec![whole(4), whole(8), cut], claims: claims.clone(), notes: vec![] });
        let last = &told["points"][2];
        assert_eq!((&last["mean"], &last["given_up"], &last["at_least"]), (&Value::Null, &json!(1), &json!(226.5)));
        assert_eq!((&last["median"], &last["p90"]), (&json!(2.0), &Value::Null));
        let without = tell(&Board { points: vec![whole(4), whole(8)], claims, notes: vec![] });
        assert_eq!(told["fits"], without["fits"]);
        assert!((told["fits"][0]["exponent"].as_f64().unwrap() - 2.0).abs() < 0.1);
    }

    #[test]
    fn one_reason_is_reported_once_for_all_its_sizes() {
        let mut board = Board::default();
        [4, 6].into_iter().for_each(|size| board.note("a", "not prime".into(), size));
        board.note("b", "not prime".into(), 4);
        assert_eq!(tell(&board)["notes"], json!([["a", "not prime", [4, 6]], ["b", "not prime", [4]]]));
    }
}
