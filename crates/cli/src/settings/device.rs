//! The device of a search or a check: the CPU, or a GPU with the feature `cuda`.

#[cfg(feature = "cuda")]
use crate::terminal::exit::{Failure, bail};
#[cfg(feature = "cuda")]
use ringleader_device::Gpu;

/// The device of a search or a check. Without the feature `cuda` the flag is hidden, and its refusal names the feature.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct DeviceArguments {
    /// Where to compute: cpu, gpu (exit code 2 if that is impossible), or auto (the GPU if that is possible) [default: cpu]
    #[cfg(feature = "cuda")]
    #[arg(long, value_name = "DEVICE")]
    device: Option<Device>,
    #[cfg(not(feature = "cuda"))]
    #[arg(long = "device", value_name = "DEVICE", hide = true, value_parser = without_feature)]
    _device: Option<std::convert::Infallible>,
}

#[cfg(not(feature = "cuda"))]
fn without_feature(_: &str) -> Result<std::convert::Infallible, &'static str> {
    Err("this program was built without the feature `cuda`")
}

/// Where to compute.
#[cfg(feature = "cuda")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Device {
    Cpu,
    Gpu,
    Auto,
}

#[cfg(feature = "cuda")]
impl DeviceArguments {
    /// The GPU, if it is to be used. `refusal` is the reason why it cannot.
    pub(crate) fn gpu(&self, refusal: Option<String>) -> Result<Option<Gpu>, Failure> {
        let device = self.device.unwrap_or(Device::Cpu);
        if device == Device::Cpu {
            return Ok(None);
        }
        match refusal.map_or_else(|| Gpu::open().map_err(|none| none.to_string()), Err) {
            Ok(gpu) => Ok(Some(gpu)),
            Err(why) => self.without(&why).map(|()| None),
        }
    }

    /// Tells why the CPU is used, or why `--device gpu` is impossible.
    pub(crate) fn without(&self, why: &str) -> Result<(), Failure> {
        if self.device != Some(Device::Auto) {
            bail!("--device gpu: {why}; use --device cpu");
        }
        anstream::eprintln!("note: the CPU is used: {why}");
        Ok(())
    }
}

/// The first of these flags that is given, each with whether it is, as a reason for the CPU.
#[cfg(feature = "cuda")]
pub(crate) fn needs_cpu(flags: &[(&str, bool)]) -> Option<String> {
    super::first_given(flags).map(|flag| format!("{flag} needs the CPU"))
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::{Device, DeviceArguments, needs_cpu};

    /// With or without a GPU.
    #[test]
    fn flags_that_need_the_cpu_are_refused_only_for_the_gpu() {
        let needs = [("--set", false), ("--export", true)];
        let asked = |device| DeviceArguments { device }.gpu(needs_cpu(&needs)).map(|gpu| gpu.is_some());
        assert!(matches!(asked(None), Ok(false)) && matches!(asked(Some(Device::Cpu)), Ok(false)));
        assert!(matches!(asked(Some(Device::Auto)), Ok(false)));
        assert!(asked(Some(Device::Gpu)).is_err_and(|why| why.to_string().contains("--export needs the CPU")));
    }
}

#[cfg(all(test, not(feature = "cuda")))]
mod tests {
    use super::DeviceArguments;
    use clap::Parser;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        _device: DeviceArguments,
    }

    #[test]
    fn the_refusal_names_the_feature() {
        assert!(Program::try_parse_from(["program"]).is_ok());
        let refused = Program::try_parse_from(["program", "--device", "gpu"]).err().expect("there is no GPU");
        assert!(refused.to_string().contains("built without the feature `cuda`"), "{refused}");
    }
}
