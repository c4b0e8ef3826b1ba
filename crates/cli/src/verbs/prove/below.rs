//! The sizes below those of a proof, one by one.

use crate::catalog;
use crate::settings::graph;
use crate::terminal::exit::Failure;
use ringleader_catalog::Instance;
use ringleader_check::{Detector, Monitor, Question};
use ringleader_erased::{Card, Parameters};
use ringleader_model::Scheduler;
use ringleader_verify::{Scheduler as Fairness, Sizes};

/// The checker's result for one size.
pub(super) struct Below {
    pub(super) size: usize,
    pub(super) holds: bool,
    /// Whether a set that the algorithm names violates its claim. Proofs are not about these sets.
    sets_fail: bool,
}

impl Below {
    pub(super) fn verdict(&self) -> &'static str {
        match (self.holds, self.sets_fail) {
            (true, _) => "holds too",
            (false, false) => "fails",
            (false, true) => "has a set that violates the algorithm's claim about it, and may fail",
        }
    }
}

/// Checks the sizes from 2 on that the algorithm claims and the proof does not cover.
pub(super) fn checked(
    card: &Card,
    sizes: &Sizes,
    at: impl Fn(usize) -> Parameters,
    fairness: Fairness,
    lies: bool,
) -> Result<Vec<Below>, Failure> {
    let scheduler = match fairness {
        Fairness::GloballyFair => Scheduler::GloballyFair,
        Fairness::Unfair => Scheduler::Unfair,
    };
    let detector = if lies { Detector::EventuallyCorrect } else { Detector::Perfect };
    let (mut question, monitor) = (Question::new(scheduler), Monitor::default());
    question.detector = detector;
    let mut all = vec![];
    for size in (2..sizes.from).filter(|size| sizes.residues.contains(&(size % sizes.modulus))) {
        let parameters = at(size);
        if catalog().supports(card.name, &parameters).is_err() {
            continue;
        }
        let report = match catalog().instance(card.name, &parameters)? {
            Instance::Population(algorithm) => {
                let graph = graph::of(parameters.layers.topology(card), size)?;
                ringleader_check::population(&algorithm, &graph, &question, &monitor)
            }
            Instance::Ring(algorithm) => ringleader_check::ring(&algorithm, size, &question, &monitor),
            _ => continue,
        };
        let report = report.map_err(Failure::usage)?;
        let own = report.own_is_closed && report.own_is_really_safe;
        let sets_fail = !own || report.sets.iter().any(|set| set.counterexample.is_some());
        all.push(Below { size, holds: report.holds, sets_fail });
    }
    Ok(all)
}
