//! A board with a GPU, through the CUDA driver. The driver and the compiler of kernels are loaded when they are first used.
#![allow(unsafe_code, reason = "the driver takes raw addresses: kernels check no bounds")]

use super::board::{Board, Job, Kernel, SOURCE};
use super::search::{self, Outcome};
use crate::space::{Summary, Verified};
use crate::{Failure, Options, Watch};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts};
use ringleader_erased::MessageInstance;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// The threads of a block, and the blocks of each multiprocessor.
const THREADS: u32 = 256;
const BLOCKS: u32 = 8;
/// The part of the free memory that a search may take: the driver needs some itself.
const USABLE: f64 = 0.95;

/// The reason why there is no GPU to use.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NoGpu(String);

/// The first GPU of this machine.
pub struct Gpu {
    stream: Arc<CudaStream>,
    kernels: [CudaFunction; Kernel::ALL.len()],
    name: String,
    blocks: u32,
    memory: u64,
}

/// A search on a GPU.
#[derive(Clone, Copy, Debug)]
pub struct Searched {
    /// Its counts.
    pub summary: Summary,
    /// The result of the second pass over all states, if there was one.
    pub verified: Option<Verified>,
    /// The duration of that pass.
    pub verification: Option<Duration>,
    /// The duration of the search.
    pub time: Duration,
    /// The most bytes of the GPU in use.
    pub peak_bytes: u64,
}

impl From<DriverError> for Failure {
    fn from(error: DriverError) -> Failure {
        Failure::Device(error.to_string())
    }
}

/// Safety: the structure has the layout of the one in the source, and no padding.
unsafe impl DeviceRepr for Job {}

impl Gpu {
    /// Opens the first GPU and compiles the kernels for it.
    pub fn open() -> Result<Gpu, NoGpu> {
        // Safety: both load a library and look at nothing in it.
        let (driver, compiler) =
            unsafe { (cudarc::driver::sys::is_culib_present(), cudarc::nvrtc::sys::is_culib_present()) };
        if !driver {
            return Err(NoGpu("there is no CUDA driver on this machine (libcuda)".into()));
        }
        if !compiler {
            return Err(NoGpu("there is no CUDA compiler library on this machine (libnvrtc)".into()));
        }
        let wrong = |error: DriverError| NoGpu(format!("the CUDA driver finds no usable GPU: {error}"));
        let context = CudaContext::new(0).map_err(wrong)?;
        let (major, minor) = context.compute_capability().map_err(wrong)?;
        if major < 7 {
            return Err(NoGpu(format!("the GPU has compute capability {major}.{minor}, and at least 7.0 is needed")));
        }
        let options = vec![format!("--gpu-architecture=compute_{major}{minor}")];
        let options = CompileOptions { options, name: Some("search.cu".into()), ..CompileOptions::default() };
        let code = compile_ptx_with_opts(SOURCE, options).map_err(|error| match error {
            CompileError::CompileError { log, .. } => {
                NoGpu(format!("the kernels do not compile:\n{}", log.to_string_lossy()))
            }
            error => NoGpu(format!("the kernels do not compile: {error}")),
        })?;
        let module = context.load_module(code).map_err(wrong)?;
        let mut kernels = vec![];
        for kernel in Kernel::ALL {
            kernels.push(module.load_function(kernel.name()).map_err(wrong)?);
        }
        let processors = context
            .attribute(cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
            .map_err(wrong)?;
        let (free, _) = context.mem_get_info().map_err(wrong)?;
        Ok(Gpu {
            name: context.name().map_err(wrong)?,
            stream: context.default_stream(),
            kernels: kernels.try_into().map_err(|_| NoGpu("the kernels are not complete".into()))?,
            blocks: processors.max(1) as u32 * BLOCKS,
            memory: (free as f64 * USABLE) as u64,
        })
    }

    /// The name of the GPU.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes of its memory that a search may take.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Explores all states that are reachable from the clean start. The memory limit of the options is that of the GPU. The set
    /// of the options is not used.
    pub fn explore(
        &self,
        algorithm: &MessageInstance,
        options: &Options,
        verify: bool,
        watch: Watch<'_>,
    ) -> Result<Searched, Failure> {
        let options = Options { memory: options.memory.min(self.memory), ..*options };
        let (system, found) = search::search(self, algorithm, &options, verify, watch)?;
        let Outcome { counts, stored, depth, table_bytes, peak_bytes, verified, time } = found;
        let summary = Summary {
            states: Some(counts.states),
            transitions: Some(counts.transitions),
            deadlocks: Some(counts.deadlocks),
            invariant: options.rotation.then_some(counts.invariant),
            stored,
            depth,
            cells: system.cells.len() as u64,
            set: "table",
            entry_bytes: 16,
            stored_bytes: table_bytes,
        };
        let (verified, verification) = verified.unzip();
        Ok(Searched { summary, verified, verification, time, peak_bytes })
    }
}

impl Board for Gpu {
    type Words = CudaSlice<u64>;
    type Numbers = CudaSlice<u32>;

    fn place(&self, numbers: &[u32]) -> Result<CudaSlice<u32>, Failure> {
        // There is no memory without a word.
        Ok(self.stream.clone_htod(if numbers.is_empty() { &[0][..] } else { numbers })?)
    }

    fn address_of(&self, numbers: &CudaSlice<u32>) -> u64 {
        numbers.device_ptr(&self.stream).0
    }

    fn zeros(&self, words: usize) -> Result<CudaSlice<u64>, Failure> {
        Ok(self.stream.alloc_zeros(words)?)
    }

    fn address(&self, of: &CudaSlice<u64>, word: usize) -> u64 {
        of.device_ptr(&self.stream).0 + 8 * word as u64
    }

    fn write(&self, from: &[u64], to: &mut CudaSlice<u64>) -> Result<(), Failure> {
        Ok(self.stream.memcpy_htod(from, to)?)
    }

    fn copy(&self, from: &CudaSlice<u64>, words: usize, to: &mut CudaSlice<u64>) -> Result<(), Failure> {
        if words == 0 {
            return Ok(());
        }
        Ok(self.stream.memcpy_dtod(&from.slice(..words), &mut to.slice_mut(..words))?)
    }

    fn read(&self, from: &CudaSlice<u64>, words: usize) -> Result<Vec<u64>, Failure> {
        if words == 0 {
            return Ok(vec![]);
        }
        let read = self.stream.clone_dtoh(&from.slice(..words))?;
        self.stream.synchronize()?;
        Ok(read)
    }

    fn run(&self, kernel: Kernel, job: &Job) -> Result<(), Failure> {
        let blocks = job.count.div_ceil(THREADS.into()).clamp(1, self.blocks.into()) as u32;
        let shape = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
        let mut launch = self.stream.launch_builder(&self.kernels[kernel as usize]);
        // Safety: every address of a job is that of memory which the search holds until the kernel has ended, and the search
        // makes room for all that a kernel can write.
        unsafe { launch.arg(job).launch(shape)? };
        Ok(())
    }
}
