//! `ringleader explore --device gpu`: the states stay on the GPU; their counts are reported.

use super::messages::{Explore, interrupted};
use crate::settings::forecast::unexplored;
use crate::settings::{memory, needs_cpu};
use crate::terminal::exit::{FAILS, Failure};
use crate::terminal::print;
use crate::terminal::progress::Progress;
use ringleader_device::Gpu;
use ringleader_erased::MessageInstance;
use ringleader_explore::{Failure as Ended, Options, Progress as Found, explore_on};
use ringleader_report::exploration::{DeviceUse, ExplorationReport};
use std::process::ExitCode;
use std::time::Instant;

impl Explore<'_> {
    /// The GPU, if it is to be used.
    pub(super) fn gpu(&self) -> Result<Option<Gpu>, Failure> {
        let arguments = self.arguments;
        arguments.device.gpu(needs_cpu(&[
            ("--reduce confluence", arguments.reduce.confluence),
            ("--minimize", arguments.minimize.is_some()),
            ("--export", !arguments.export.is_empty()),
            ("--set", arguments.set.is_some()),
            ("--hosts", arguments.company.given()),
        ]))
    }

    /// Searches on a GPU.
    pub(super) fn on_gpu(&self, model: &MessageInstance, gpu: &Gpu) -> Result<ExitCode, Failure> {
        let allowed = self.arguments.limits.memory.unwrap_or(u64::MAX).min(gpu.memory());
        let options = Options { memory: allowed, ..self.options };
        self.read.refuse_on_device(&options, "reduce it (--reduce rotation), ")?;
        let (begun, mut progress, mut stored) = (Instant::now(), Progress::new(), 0);
        let mut watch = |found: Found| {
            stored = found.stored;
            progress.search(found)
        };
        let found = match explore_on(gpu, model, &options, self.arguments.verify, &mut watch) {
            Ok(found) => found,
            Err(Ended::Stopped) => return Err(interrupted(begun, stored)),
            Err(failure) => return Err(unexplored(&failure, model, options.channels)),
        };
        drop(progress);
        let report = ExplorationReport {
            subject: self.read.subject(),
            reading: self.read.steps.map(|reading| reading.name),
            options: &options,
            found: found.summary,
            quotient: None,
            verified: found.verified,
            time: found.time,
            peak_bytes: memory::peak().unwrap_or_default(),
            spread: None,
            device: Some(DeviceUse {
                name: gpu.name(),
                peak_bytes: found.peak_bytes,
                verification: found.verification,
            }),
        };
        print(self.arguments.json, || report.json(), |mut out| report.text(&mut out))?;
        let sound = found.verified.is_none_or(|verified| verified.is_sound());
        Ok(if sound { ExitCode::SUCCESS } else { ExitCode::from(FAILS) })
    }
}
