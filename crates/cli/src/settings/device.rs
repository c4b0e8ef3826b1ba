//! The device of a search: the CPU, or a GPU with the feature `cuda`.

#[cfg(feature = "cuda")]
use crate::terminal::exit::Failure;
#[cfg(feature = "cuda")]
use ringleader_explore::Gpu;

/// The device of a search. Without the feature `cuda` there is no such flag.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct DeviceArguments {
    /// Where to search: cpu, gpu (exit code 2 if that is impossible), or auto (the GPU if that is possible) [default: cpu]
    #[cfg(feature = "cuda")]
    #[arg(long, value_name = "DEVICE")]
    device: Option<Device>,
}

/// Where to search.
#[cfg(feature = "cuda")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Device {
    Cpu,
    Gpu,
    Auto,
}

#[cfg(feature = "cuda")]
impl DeviceArguments {
    /// The GPU, if it is to be used. `needs` are flags that need the CPU, and whether they are given.
    pub(crate) fn gpu(&self, needs: &[(&str, bool)]) -> Result<Option<Gpu>, Failure> {
        let device = self.device.unwrap_or(Device::Cpu);
        if device == Device::Cpu {
            return Ok(None);
        }
        let opened = match needs.iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(format!("{flag} needs the CPU")),
            None => Gpu::open().map_err(|none| none.to_string()),
        };
        match (opened, device) {
            (Ok(gpu), _) => Ok(Some(gpu)),
            (Err(why), Device::Auto) => {
                anstream::eprintln!("note: the search uses the CPU: {why}");
                Ok(None)
            }
            (Err(why), _) => Err(Failure::usage(format!("--device gpu: {why}; use --device cpu"))),
        }
    }
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::{Device, DeviceArguments};

    /// With or without a GPU.
    #[test]
    fn flags_that_need_the_cpu_are_refused_only_for_the_gpu() {
        let needs = [("--set", false), ("--export", true)];
        let asked = |device| DeviceArguments { device }.gpu(&needs).map(|gpu| gpu.is_some());
        assert!(matches!(asked(None), Ok(false)) && matches!(asked(Some(Device::Cpu)), Ok(false)));
        assert!(matches!(asked(Some(Device::Auto)), Ok(false)));
        assert!(asked(Some(Device::Gpu)).is_err_and(|why| why.to_string().contains("--export needs the CPU")));
    }
}
