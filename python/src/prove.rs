//! `prove` and `verify`: proofs for every size, and their independent check.

use crate::algorithm::Algorithm;
use crate::errors::{refused, value};
use crate::found::Found;
use crate::setup::{Setup, scheduler};
use crate::work::{Board, Done, watched_or_left};
use pyo3::prelude::*;
use ringleader::catalog::proofs;
use ringleader::check::Monitor;
use ringleader::erased::Topology;
use ringleader::model::Scheduler;
use ringleader::prove::{Hints, Options, Outcome, Progress, Refutation, prove_complete, random_partners};
use ringleader::report::{Subject, proof};
use ringleader::verify::{Certificate, CompleteCertificate, FailureCertificate, Scheduler as Fairness, Sizes};
use std::sync::Arc;

/// The arguments of a proof.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    setup: Setup,
    scheduler: Option<String>,
    from: Option<usize>,
    multiple_of: Option<usize>,
    not_multiple_of: Option<usize>,
    budget: u64,
    /// A safe set and measures to check instead of searching.
    hints: Option<String>,
}

/// The largest first size of a proof: no table is built for larger rings.
const LARGEST_FROM: usize = 64;

/// The outcome as JSON, and the certificate of a proof.
type Told = (serde_json::Value, Option<String>);

/// Searches for a proof; the certificate of a proof comes with the result, as JSON.
#[pyfunction]
pub(crate) fn prove(
    py: Python<'_>,
    algorithm: &Algorithm,
    asked: Asked,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Found, Option<String>)> {
    let card = algorithm.card;
    let scheduler = asked.scheduler.as_deref().map(scheduler).transpose()?;
    let fairness = proofs::schedules(card, scheduler).map_err(refused)?;
    let lies = match asked.setup.oracle(card)? {
        None | Some("perfect") => false,
        Some("eventually-correct") => true,
        Some(other) => {
            return Err(value(format!(
                "no proof is about the oracle {other}: there are perfect and eventually-correct"
            )));
        }
    };
    if lies && fairness != Fairness::GloballyFair {
        return Err(value("a proof about a detector that may lie needs the scheduler globally-fair"));
    }
    let (board, monitor) = (Arc::new(Board::default()), Arc::new(Monitor::default()));
    let job = Job {
        algorithm: algorithm.again(),
        asked,
        scheduler,
        fairness,
        lies,
        board: board.clone(),
        monitor: monitor.clone(),
    };
    let stop = || {
        board.stop();
        monitor.stop();
    };
    // Some phases of a search for proofs take seconds between two looks at the request to stop.
    let Done { result, interrupted } = watched_or_left(py, progress, || board.look(), stop, move || job.run())?;
    let (json, certificate) = match (result, interrupted.is_some()) {
        (Some(Ok((mut json, certificate))), interrupted) => {
            if interrupted && certificate.is_none() {
                json["phase"] = board.look().phase.into();
            }
            (json, certificate)
        }
        (Some(Err(error)), false) => return Err(error),
        _ => {
            let phase = board.look().phase;
            (serde_json::json!({ "outcome": "not proved", "algorithm": card.name, "phase": phase }), None)
        }
    };
    Ok((Found::new(&json).until(interrupted), certificate))
}

struct Job {
    algorithm: Algorithm,
    asked: Asked,
    scheduler: Option<Scheduler>,
    fairness: Fairness,
    lies: bool,
    board: Arc<Board>,
    monitor: Arc<Monitor>,
}

impl Job {
    fn run(&self) -> PyResult<Told> {
        self.board.note("compiling the rules", 0, None);
        let (card, catalog) = (self.algorithm.card, &self.algorithm.catalog);
        let at = |size: usize| self.asked.setup.at(size);
        let tell = |stage: Progress| {
            self.board.note(said(stage), 0, None);
        };
        let hints = self.asked.hints.as_deref().map(|text| Hints::read(text).map_err(value)).transpose()?;
        let options = Options {
            hints: hints.as_ref(),
            cancel: Some(self.board.flag()),
            progress: Some(&tell),
            lies: self.lies,
            ..Options::seconds(self.asked.budget)
        };
        let given: Vec<_> = at(2)?.given().iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let with = if given.is_empty() { "" } else { " with " };
        let named = format!("{}{with}{}", card.name, given.join(", "));
        let supported = |n: &usize| at(*n).is_ok_and(|parameters| catalog.supports(card.name, &parameters).is_ok());
        let least = (2..LARGEST_FROM).find(supported).unwrap_or(2);
        let two = at(2)?;
        let subject = Subject { card, parameters: &two };
        if two.layers.topology(card) == Topology::Complete {
            let sizes = self.asked.multiple_of.or(self.asked.not_multiple_of);
            let daemon = !matches!(self.fairness, Fairness::GloballyFair | Fairness::Unfair);
            let partners = self.scheduler == Some(Scheduler::RandomPartner);
            if self.lies || sizes.is_some() || hints.is_some() || daemon || partners {
                return Err(value(format!(
                    "{} is for complete graphs: multiples, hints, a lying oracle, and schedulers other than random, globally-fair and \
                     unfair are for rings",
                    card.name
                )));
            }
            let from = self.asked.from.unwrap_or(least);
            let rules = proofs::complete(catalog, card, &at(from.min(LARGEST_FROM))?).map_err(refused)?;
            let outcome = prove_complete(&named, &rules, from, self.fairness, &options).map_err(value)?;
            let certificate = match &outcome {
                Outcome::Proved(certificate) => {
                    Some(CompleteCertificate { text: self.text(), ..certificate.as_ref().clone() }.to_json())
                }
                _ => None,
            };
            return Ok((proof::complete_json(subject, &outcome), certificate));
        }
        let from = self.asked.from.unwrap_or(least.max(3));
        if from > LARGEST_FROM {
            return Err(value(format!("from_size={from}: the smallest size of a proof is at most {LARGEST_FROM}")));
        }
        let sizes = self.sizes(from)?;
        let mut rules = proofs::ring(catalog, card, &at(from)?, &sizes).map_err(refused)?;
        let partners = self.scheduler == Some(Scheduler::RandomPartner);
        if partners {
            rules = random_partners(&rules).map_err(value)?;
        }
        if self.lies {
            proofs::check_equal_answers(catalog, card, &at(from)?).map_err(refused)?;
        }
        let coins = proofs::usual_coins(self.fairness, &rules);
        proofs::check_choices(catalog, card, &at(from)?, &rules, self.fairness, coins).map_err(refused)?;
        let options = Options { coins, families: !partners, ..options };
        let outcome = ringleader::prove::prove(&named, &rules, &sizes, self.fairness, &options).map_err(value)?;
        let (mut below, mut certificate) = (vec![], None);
        if let Outcome::Proved(proof) = &outcome {
            certificate = Some(Certificate { text: self.text(), ..proof.certificate.clone() }.to_json());
            // Smaller sizes are checked from all configurations, and without random partners.
            if !partners && rules.given.is_none() {
                let at = |size: usize| two.resized(size);
                let claim = proofs::Claim { fairness: self.fairness, coins, lies: self.lies };
                let all = proofs::below(catalog, card, &sizes, at, claim, &self.monitor).map_err(refused)?;
                below.extend(all.iter().map(|smaller| (smaller.size, smaller.holds, smaller.level.map(Into::into))));
            }
        }
        if let Outcome::Refuted(Refutation { family: Some(family), .. }) = &outcome {
            certificate = Some(FailureCertificate { text: self.text(), ..family.as_ref().clone() }.to_json());
        }
        let mut json = proof::ring_json(subject, &rules, (self.fairness, coins), &outcome, &below);
        if let Some(scheduler @ (Scheduler::RandomPartner | Scheduler::Fair)) = self.scheduler {
            json["scheduler"] = scheduler.name().into();
        }
        Ok((json, certificate))
    }

    /// The text of a protocol that the user wrote, which belongs to its certificate.
    fn text(&self) -> Option<String> {
        let Algorithm { catalog, card, .. } = &self.algorithm;
        let own = !catalog.is_built_in(card.name) && catalog.protocol(card.name).is_some();
        own.then(|| card.source.to_string())
    }

    fn sizes(&self, from: usize) -> PyResult<Sizes> {
        match (self.asked.multiple_of, self.asked.not_multiple_of) {
            (Some(_), Some(_)) => Err(value("give multiple_of or not_multiple_of, not both")),
            (Some(k), None) | (None, Some(k)) if !(2..=64).contains(&k) => {
                Err(value(format!("multiple_of and not_multiple_of take numbers from 2 to 64, not {k}")))
            }
            (Some(k), None) => Ok(Sizes { from, modulus: k, residues: vec![0] }),
            (None, Some(k)) => Ok(Sizes { from, modulus: k, residues: (1..k).collect() }),
            (None, None) => Ok(Sizes::from(from)),
        }
    }
}

/// The progress of the search, in words.
fn said(stage: Progress) -> String {
    match stage {
        Progress::Ring { size } => format!("every configuration of {size} agents"),
        Progress::Safe { states } => format!("a safe set of {states} automaton states"),
        Progress::Formulas { count } => format!("{count} formulas"),
        Progress::Level { measures, solved, of } => {
            format!("level {}: {solved} of {of} configurations of the sample solved", measures + 1)
        }
        Progress::Verify => "checking the certificate".into(),
    }
}
