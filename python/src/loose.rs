//! `simulate` of loosely stabilizing algorithms: the time until one leader, and how long it stays.

use crate::algorithm::Algorithm;
use crate::errors::value;
use crate::found::Found;
use crate::simulate::{Asked, Plan, called};
use crate::work::{Board, Done, watched};
use pyo3::prelude::*;
use ringleader::Instance;
use ringleader::report::experiment::Setting;
use ringleader::report::loose::{LooseReport, LooseSize};
use ringleader::simulate::{ElectionSeries, Held, Limits, LooseSystem, USUALLY_WATCHED};

/// One run as Python reads it: setting, number, steps until safe, steps held, whether the leader was lost.
pub(crate) type Row = (usize, u64, Option<u64>, u64, bool);

/// Watches the leaders; `asked` has the names of the package's `simulate`. The runs come with the report.
#[pyfunction]
pub(crate) fn hold(
    py: Python<'_>,
    algorithm: &Algorithm,
    asked: Asked,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Found, Vec<Row>)> {
    let plan = Plan::new(algorithm, &asked)?;
    if plan.settings.iter().any(|setting| setting.corrupt > 0) || asked.kernel != "auto" {
        return Err(value(format!(
            "corrupt and kernel are not for {}: it is only loosely stabilizing, and simulate measures how long its leader stays",
            algorithm.card.name
        )));
    }
    let board = Board::default();
    let watched_for = asked.limit.unwrap_or(USUALLY_WATCHED);
    let (mut sizes, mut rows) = (vec![], vec![]);
    let work = || -> Result<(), String> {
        let mut done = 0;
        for (index, setting) in plan.settings.iter().enumerate().take_while(|_| board.goes_on()) {
            let size = setting.parameters.size;
            let limits = Limits { steps: watched_for, stop: board.flag() };
            let found = plan.hold(setting, limits, |_| {
                done += 1;
                board.note(format!("size {size}"), done, Some(plan.settings.len() as u64 * asked.runs));
            })?;
            rows.extend(found.iter().map(|(run, held)| (index, *run, held.reached, held.held, held.lost)));
            sizes.push(LooseSize { size, runs: found.into_iter().map(|(_, held)| held).collect() });
        }
        Ok(())
    };
    let done = watched(py, progress, || board.look(), || board.stop(), work)?;
    let Done { interrupted, .. } = done.unless_failed(value)?;
    let report =
        LooseReport { card: algorithm.card, start: called(&plan.start), seed: asked.seed, watched: watched_for, sizes };
    Ok((Found::new(&report.json()).with_text(|out| report.text(out))?.until(interrupted), rows))
}

impl Plan<'_> {
    /// All runs of a setting.
    fn hold(
        &self,
        setting: &Setting,
        limits: Limits<'_>,
        mut each: impl FnMut(Held),
    ) -> Result<Vec<(u64, Held)>, String> {
        let (parameters, asked) = (&setting.parameters, self.asked);
        let series =
            ElectionSeries { threads: self.threads, ..ElectionSeries::new(asked.seed, parameters.size, asked.runs) };
        let mut all = |system: LooseSystem<'_>| {
            system.hold_all(&series, &self.start, limits, |_, held| each(held)).map_err(|e| e.to_string())
        };
        let name = self.algorithm.card.name;
        match self.algorithm.catalog.instance(name, parameters).map_err(|e| e.to_string())? {
            Instance::Population(protocol) => {
                let arena = self.arena(parameters)?;
                all(LooseSystem::Population(&protocol, &arena))
            }
            Instance::Ring(ring) => all(LooseSystem::Ring(&ring, self.scheduler)),
            Instance::Graph(_) | Instance::Message(_) | Instance::Robust(_) => {
                Err(format!("{name} is not loosely stabilizing"))
            }
        }
    }
}
