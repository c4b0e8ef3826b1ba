//! `ringleader check --device gpu`: population protocols on directed rings.

use super::Asked;
use super::configurations::{Prepared, Told, one};
use crate::settings::needs_cpu;
use crate::terminal::exit::{Failure, usage};
use ringleader_check::{DeviceUse, Monitor, Question, Stop, Uncheckable, population_on, refuse_on_device};
use ringleader_device::Gpu;
use ringleader_erased::{Kind, PopulationInstance};
use ringleader_model::Graph;
use ringleader_report::number::grouped;
use serde_json::{Map, json};
use std::process::ExitCode;
use std::sync::OnceLock;

/// Refuses the GPU for other models, and for many graphs.
pub(super) fn refuse_models(asked: &Asked<'_>) -> Result<(), Failure> {
    let many = asked.arguments.configurations.census().is_some();
    let refusal =
        needs_cpu(&[("--graph all or trees", many), ("a check of this model", asked.card.kind != Kind::Population)]);
    if refusal.is_some() { asked.arguments.device.gpu(refusal).map(|_| ()) } else { Ok(()) }
}

/// The GPU, if it is to be used.
pub(super) fn open(asked: &Asked<'_>, graph: &Graph, question: &Question) -> Result<Option<Gpu>, Failure> {
    asked.arguments.device.gpu(refuse_on_device(graph, question).err().map(|why| why.to_string()))
}

/// Checks a population protocol on a GPU. If that turns out to be impossible, `--device auto` uses the CPU.
pub(super) fn population(
    asked: &Asked<'_>,
    gpu: &Gpu,
    algorithm: &PopulationInstance,
    graph: &Graph,
    words: String,
    check: &Prepared,
) -> Result<ExitCode, Failure> {
    let (arguments, question) = (asked.arguments, &check.question);
    let there = question.clone().within(arguments.limits.memory.unwrap_or(u64::MAX));
    let (used, impossible) = (OnceLock::new(), OnceLock::new());
    let work = |monitor: &Monitor| match population_on(gpu, algorithm, graph, &there, monitor) {
        Ok(found) => {
            used.get_or_init(|| found.used);
            Ok(found.report)
        }
        Err(Stop::Refused(why)) if arguments.device.without(&why.to_string()).is_ok() => {
            ringleader_check::population(algorithm, graph, question, monitor)
        }
        Err(stop) => {
            impossible.get_or_init(|| matches!(stop, Stop::Refused(Uncheckable::NotOnDevice(_))));
            Err(stop)
        }
    };
    let ended = one(asked, check, words, work, || told(gpu, used.get()));
    match ended {
        Err(failure) if impossible.get() == Some(&true) => Err(usage!("--device gpu: {failure}; use --device cpu")),
        ended => ended,
    }
}

fn told(gpu: &Gpu, used: Option<&DeviceUse>) -> Told {
    let Some(used) = used else { return Told::default() };
    let seconds = used.time.as_secs_f64();
    let rate = (used.slots as f64 * used.passes as f64 / seconds.max(1e-9)) as u64;
    let device = json!({
        "name": gpu.name(),
        "peak_bytes": used.peak_bytes,
        "slots": used.slots,
        "value_bits": used.value_bits,
        "scale": used.scale,
        "passes": used.passes,
        "sweeps": used.sweeps,
        "width": used.width,
        "farthest": used.farthest,
        "seconds": seconds,
        "slots_per_second": rate,
    });
    let width = used.width.map_or(String::new(), |width| {
        format!("; expected steps after {} sweeps, to within {width:.0e}", grouped(used.sweeps))
    });
    let preface = format!(
        "on {}: {} slots with values of {} bits, {} MiB of its memory; {} passes in {seconds:.1} s; the farthest configuration is \
         {} steps from the really safe set{width}\n",
        gpu.name(),
        grouped(used.slots),
        used.value_bits,
        grouped(used.peak_bytes >> 20),
        grouped(used.passes),
        grouped(used.farthest),
    );
    Told { fields: Map::from_iter([("device".to_string(), device)]), preface }
}
