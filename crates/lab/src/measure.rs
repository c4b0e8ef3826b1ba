//! How long elections take, and how that grows: many of them, of several algorithms and sizes, told while they are held.

use crate::Refused;
use crate::jobs::{Job, Jobs};
use crate::setup::{Setup, Start, Subject, System};
use ringleader_catalogue::Catalog;
use ringleader_model::Shape;
use ringleader_simulate::statistics::{Fit, Summary};
use ringleader_simulate::{
    self as simulate, Arena, Elections, End, Faults, KernelChoice, Limits, in_parallel, run_generator,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many curves, sizes and runs at most.
const MOST: (usize, usize, usize) = (6, 24, 1000);
/// After so many steps an election is given up.
const LIMIT: u64 = 2_000_000_000;

/// What a page wants to see measured.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// One curve each; its size does not count.
    curves: Vec<Setup>,
    sizes: Vec<usize>,
    runs: usize,
}

/// One point of a curve, with its samples.
#[derive(Clone, Debug, Default)]
struct Point {
    curve: usize,
    size: usize,
    steps: Vec<f64>,
    given_up: usize,
}

#[derive(Default)]
struct Board {
    points: Vec<Point>,
    /// What could not be measured, and why.
    notes: Vec<String>,
}

impl Asked {
    /// Begins to measure.
    pub(crate) fn begin(self, catalog: &Catalog, jobs: &Jobs) -> Result<Value, Refused> {
        let (curves, sizes, runs) = MOST;
        if self.curves.is_empty() || self.sizes.is_empty() || self.runs == 0 {
            return Err(Refused::new("there is nothing to measure: it takes an algorithm, a size and a run"));
        }
        if self.curves.len() > curves || self.sizes.len() > sizes || self.runs > runs {
            return Err(Refused::new(format!("at most {curves} algorithms, {sizes} sizes and {runs} runs of each")));
        }
        let board = Arc::new(Mutex::new(Board::default()));
        let (shown, catalog) = (board.clone(), catalog.clone());
        jobs.begin(
            move || tell(&locked(&shown)),
            || (),
            move |job| {
                self.measure(&catalog, job, &board);
                Ok(tell(&locked(&board)))
            },
        )
    }

    /// The smaller sizes of all curves first: they are quick, and show the shape.
    fn measure(&self, catalog: &Catalog, job: &Job, board: &Mutex<Board>) {
        let mut sizes = self.sizes.clone();
        sizes.sort_unstable();
        sizes.dedup();
        for &size in &sizes {
            for (curve, setup) in self.curves.iter().enumerate() {
                let setup = Setup { size, ..setup.clone() };
                match setup.build(catalog).and_then(|subject| Hall::open(&setup, subject)) {
                    Ok(hall) => self.point(&hall, &setup, Point { curve, size, ..Point::default() }, job, board),
                    Err(refused) => {
                        let name = if setup.text.is_some() { "your protocol" } else { &setup.algorithm };
                        locked(board).notes.push(format!("{name}, {size}: {refused}"));
                    }
                }
            }
        }
    }

    fn point(&self, hall: &Hall, setup: &Setup, point: Point, job: &Job, board: &Mutex<Board>) {
        let stop = job.stopped();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        locked(board).points.push(point.clone());
        in_parallel(
            self.runs,
            threads,
            stop,
            |run| hall.elect(Limits { steps: LIMIT, stop }, run_generator(setup.seed, point.size, run as u64)),
            |_, end| {
                let mut board = locked(board);
                if let Some(point) = board.points.last_mut() {
                    match end {
                        End::Reached(steps) => point.steps.push(steps as f64),
                        End::Interrupted => {}
                        _ => point.given_up += 1,
                    }
                }
                true
            },
        );
    }
}

/// Where elections of one size are held.
enum Hall {
    Stabilizing(Elections),
    Messages(Box<Subject>),
}

impl Hall {
    fn open(setup: &Setup, subject: Subject) -> Result<Hall, Refused> {
        if let Some(reason) = &subject.beyond_claim {
            return Err(Refused::new(reason));
        }
        let elections = match &subject.system {
            System::Message(_) => return Ok(Hall::Messages(Box::new(subject))),
            System::Population(instance, graph) => {
                let arena = if graph.has_shape(Shape::Complete) {
                    Arena::shaped(Shape::Complete, subject.parameters.size).map_err(Refused::new)?
                } else {
                    Arena::of(graph)
                };
                Elections::population(instance.clone(), arena, KernelChoice::Auto, subject.oracle)
            }
            System::Ring(instance) => Elections::ring(instance.clone(), subject.parameters.size, subject.scheduler),
        };
        let start = match &setup.start {
            Start::Named(name) if name == "all-leaders" => simulate::Start::AllLeaders,
            Start::Named(name) if name == "no-leader" => simulate::Start::NoLeader,
            Start::Named(name) if name == "clean" => simulate::Start::Clean,
            _ => simulate::Start::Arbitrary,
        };
        elections.map_err(Refused::new)?.starting(&start).map(Hall::Stabilizing).map_err(Refused::new)
    }

    fn elect(&self, limits: Limits<'_>, coin: simulate::Generator) -> End {
        match self {
            Hall::Stabilizing(elections) => elections.run(Faults::default(), limits, coin).end,
            Hall::Messages(subject) => match &subject.system {
                System::Message(algorithm) => algorithm.subject().elect(subject.channels, limits, coin).end,
                _ => End::Interrupted,
            },
        }
    }
}

fn locked(board: &Mutex<Board>) -> MutexGuard<'_, Board> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What there is so far: points with their errors, and the law that fits each curve.
fn tell(board: &Board) -> Value {
    let points: Vec<(&Point, Summary)> =
        board.points.iter().filter_map(|point| Some((point, Summary::of(point.steps.clone())?))).collect();
    let curves = board.points.iter().map(|point| point.curve + 1).max().unwrap_or(0);
    let fit = |curve: usize| {
        let known = points.iter().filter(|(point, _)| point.curve == curve);
        let known: Vec<_> =
            known.filter_map(|(point, summary)| Some((point.size as f64, summary.mean, summary.error?))).collect();
        Fit::of(&known).map(|fit| json!({"exponent": fit.exponent, "ci95": fit.ci95, "intercept": fit.intercept}))
    };
    let points: Vec<_> = points
        .iter()
        .map(|(point, summary)| {
            json!({
                "curve": point.curve, "size": point.size, "runs": summary.count, "given_up": point.given_up,
                "mean": summary.mean, "ci95": summary.ci95().filter(|_| summary.count > 1), "median": summary.median,
                "p90": summary.p90, "max": summary.max,
            })
        })
        .collect();
    json!({"points": points, "fits": (0..curves).map(fit).collect::<Vec<_>>(), "notes": board.notes})
}
