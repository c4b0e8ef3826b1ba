//! `simulate` of the robust algorithms: many runs in a hostile network.

use crate::algorithm::Algorithm;
use crate::errors::{refused, value};
use crate::found::Found;
use crate::setup::Setup;
use crate::work::{Board, Done, watched};
use pyo3::prelude::*;
use ringleader::Instance;
use ringleader::erased::Parameters;
use ringleader::report::Subject;
use ringleader::report::campaign::{CampaignReport, CampaignSummary, LinksOverTime, RelapseReport, settling};
use ringleader::simulate::network::{Adversary, Campaign, Contents, Scenario, Source, SystemClass};
use ringleader::simulate::{Generator, TimedAlgorithm, run_generator};
use serde_json::{Value, json};
use std::io::Write as _;
use std::sync::Arc;

/// The arguments of campaigns, one per size.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    sizes: Vec<usize>,
    setup: Setup,
    runs: u64,
    seed: u64,
    threads: Option<usize>,
    system: Option<String>,
    adversary: Option<String>,
    crash: usize,
    restart: usize,
    partition: bool,
    eventually: bool,
    contents: Option<String>,
    horizon: Option<u64>,
    links_over_time: bool,
}

/// One run as Python reads it: size, number, the time to settle in δ, leader changes, messages, deliveries, links at the end.
pub(crate) type Row = (usize, u64, Option<f64>, u64, u64, u64, Option<usize>);

/// One size, ready to run.
struct Ready {
    parameters: Parameters,
    algorithm: Arc<dyn TimedAlgorithm>,
    campaign: Campaign,
}

/// Runs the campaigns; `asked` has the names of the package's `simulate`. The runs come with the report.
#[pyfunction]
pub(crate) fn settle(
    py: Python<'_>,
    algorithm: &Algorithm,
    asked: Asked,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Found, Vec<Row>)> {
    let ready = asked.sizes.iter().map(|&size| asked.ready(algorithm, size)).collect::<PyResult<Vec<_>>>()?;
    let board = Board::default();
    let told = || {
        let mut told = Told::default();
        for one in ready.iter().take_while(|_| board.goes_on()) {
            match one.campaign.source {
                Source::Adversary(adversary) if adversary.waits() => {
                    one.relapses(algorithm, &asked, adversary, &board, &mut told);
                }
                _ => one.settles(algorithm, &asked, &board, &mut told),
            }
        }
        told
    };
    let Done { result: told, interrupted } = watched(py, progress, || board.look(), || board.stop(), told)?;
    let json = match &told.objects[..] {
        [one] => one.clone(),
        several => json!({ "version": 1, "sizes": several }),
    };
    let picture = (!told.summaries.is_empty()).then(|| settling(algorithm.card.name, &told.summaries));
    let found = Found::new(&json).with_text(|out| out.write_all(&told.text))?;
    Ok((found.with_picture(picture).until(interrupted), told.rows))
}

/// The results of all sizes.
#[derive(Default)]
struct Told {
    objects: Vec<Value>,
    text: Vec<u8>,
    summaries: Vec<(usize, CampaignSummary)>,
    rows: Vec<Row>,
}

impl Asked {
    fn ready(&self, algorithm: &Algorithm, size: usize) -> PyResult<Ready> {
        let (card, catalog) = (algorithm.card, &algorithm.catalog);
        let parameters = self.setup.at(size)?;
        catalog.supports(card.name, &parameters).map_err(refused)?;
        let Instance::Robust(instance) = catalog.instance(card.name, &parameters).map_err(refused)? else {
            return Err(value(format!("{} has neither links nor crashes", card.name)));
        };
        let source = match (&self.adversary, self.system.as_deref().or(card.system)) {
            (Some(_), _) if self.system.is_some() => return Err(value("give a system or an adversary, not both")),
            (Some(name), _) => Source::Adversary(name.parse::<Adversary>().map_err(value)?),
            (None, Some(name)) => Source::System(name.parse::<SystemClass>().map_err(value)?),
            (None, None) => return Err(value(format!("{} has no system of its own: give one", card.name))),
        };
        let campaign = Campaign {
            crashes: self.crash,
            restarts: self.restart,
            partition: self.partition,
            eventually: self.eventually,
            start: self.contents.as_deref().map(|name| name.parse::<Contents>().map_err(value)).transpose()?,
            horizon: self.horizon,
            ..Campaign::new(source, self.seed_of(size))
        };
        campaign.check(size).map_err(value)?;
        Ok(Ready { parameters, algorithm: instance, campaign })
    }

    /// The seed of a size: each of several sizes has its own, as on the command line.
    fn seed_of(&self, size: usize) -> u64 {
        if self.sizes.len() > 1 { run_generator(self.seed, size, 0).word() } else { self.seed }
    }

    fn total(&self) -> u64 {
        self.runs * self.sizes.len() as u64
    }

    fn threads(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or(cores).max(1)
    }
}

impl Ready {
    /// Runs until each run has settled, or can no longer settle within the horizon.
    fn settles(&self, of: &Algorithm, asked: &Asked, board: &Board, told: &mut Told) {
        let Ready { parameters, campaign, .. } = self;
        let (algorithm, size, before) = (&*self.algorithm, parameters.size, told.rows.len() as u64);
        let delta = algorithm.timing().delta;
        let horizon = campaign.horizon_in_deltas(algorithm);
        let note = |done| board.note(format!("size {size}"), before + done, Some(asked.total()));
        let settlements = campaign.all(algorithm, asked.runs, asked.threads(), note);
        let watched = asked.runs.min(LinksOverTime::MOST_RUNS);
        let links = match asked.links_over_time {
            true => LinksOverTime::of(campaign, algorithm, 0..watched, || board.goes_on()),
            false => None,
        };
        let summary = CampaignSummary::of(&settlements, delta, size, horizon);
        let report = CampaignReport {
            subject: Subject { card: of.card, parameters },
            network: &match campaign.source {
                Source::System(system) => system.to_string(),
                Source::Adversary(adversary) => adversary.to_string(),
            },
            crashes: campaign.crashes,
            seed: campaign.seed,
            horizon,
            summary: &summary,
            links: links.as_ref(),
            replays: &[],
        };
        told.objects.push(report.json());
        let _ = report.text(&mut told.text);
        told.rows.extend(settlements.iter().map(|(run, found)| {
            let settled = found.settled.as_ref();
            let after = settled.map(|settled| settled.after as f64 / delta as f64);
            let links = settled.map(|settled| settled.links.len());
            (size, *run, after, found.leader_changes, found.messages, found.deliveries, links)
        }));
        told.summaries.push((size, summary));
    }

    /// Runs an adversary that waits for a leader.
    fn relapses(&self, of: &Algorithm, asked: &Asked, adversary: Adversary, board: &Board, told: &mut Told) {
        let (size, seed) = (self.parameters.size, self.campaign.seed);
        let calm = Scenario::benign(size);
        let strike = |run| {
            board.note(format!("size {size}"), run, Some(asked.runs));
            self.algorithm.relapse(adversary, &calm, &Generator::stream(seed, run))
        };
        let runs = (0..asked.runs).take_while(|_| board.goes_on());
        let struck: Vec<bool> = runs.filter_map(strike).map(|relapse| relapse.lost.is_some()).collect();
        let report = RelapseReport {
            subject: Subject { card: of.card, parameters: &self.parameters },
            adversary: &adversary.to_string(),
            seed,
            runs: struck.len(),
            lost: struck.iter().filter(|lost| **lost).count(),
        };
        told.objects.push(report.json());
        let _ = report.text(&mut told.text);
    }
}
