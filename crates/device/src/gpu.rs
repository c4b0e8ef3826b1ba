//! A GPU, through the CUDA driver. The driver and the compiler of kernels are loaded when they are first used.
#![allow(unsafe_code, reason = "the driver takes raw addresses: kernels check no bounds")]

use crate::{Board, Device, Fault, Program};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts};
use std::sync::Arc;
use thiserror::Error;

/// The threads of a block, and the blocks of each multiprocessor.
const THREADS: u32 = 256;
const BLOCKS: u32 = 8;
/// The part of the free memory that an engine may take: the driver needs some itself.
const USABLE: f64 = 0.95;

/// The reason why there is no GPU to use.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NoGpu(String);

/// The first GPU of this machine.
pub struct Gpu {
    context: Arc<CudaContext>,
    architecture: String,
    name: String,
    blocks: u32,
    memory: u64,
}

/// A program on a GPU.
pub struct GpuBoard {
    stream: Arc<CudaStream>,
    kernels: Vec<CudaFunction>,
    blocks: u32,
}

impl From<DriverError> for Fault {
    fn from(error: DriverError) -> Fault {
        Fault(error.to_string())
    }
}

/// The argument of a kernel.
#[repr(transparent)]
struct Argument<J>(J);

/// Safety: a kernel reads the bytes of its argument as the structure of the same layout in its source.
unsafe impl<J: Copy> DeviceRepr for Argument<J> {}

impl Gpu {
    /// Opens the first GPU.
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
        let processors = context
            .attribute(cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
            .map_err(wrong)?;
        let (free, _) = context.mem_get_info().map_err(wrong)?;
        Ok(Gpu {
            name: context.name().map_err(wrong)?,
            context,
            architecture: format!("--gpu-architecture=compute_{major}{minor}"),
            blocks: processors.max(1) as u32 * BLOCKS,
            memory: (free as f64 * USABLE) as u64,
        })
    }

    /// The name of the GPU.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes of its memory that an engine may take.
    pub fn memory(&self) -> u64 {
        self.memory
    }
}

impl Device for Gpu {
    type Board = GpuBoard;

    fn load(&self, program: &Program) -> Result<GpuBoard, Fault> {
        let (options, name) = (vec![self.architecture.clone()], Some(program.name.into()));
        let options = CompileOptions { options, name, ..CompileOptions::default() };
        let code = compile_ptx_with_opts(program.text(), options).map_err(|error| match error {
            CompileError::CompileError { log, .. } => {
                Fault(format!("the kernels do not compile:\n{}", log.to_string_lossy()))
            }
            error => Fault(format!("the kernels do not compile: {error}")),
        })?;
        let module = self.context.load_module(code)?;
        let kernels = program.kernels.iter().map(|name| module.load_function(name)).collect::<Result<_, _>>()?;
        Ok(GpuBoard { stream: self.context.default_stream(), kernels, blocks: self.blocks })
    }
}

impl Board for GpuBoard {
    type Words = CudaSlice<u64>;
    type Numbers = CudaSlice<u32>;

    fn place(&self, numbers: &[u32]) -> Result<CudaSlice<u32>, Fault> {
        // There is no memory without a word.
        Ok(self.stream.clone_htod(if numbers.is_empty() { &[0][..] } else { numbers })?)
    }

    fn address_of(&self, numbers: &CudaSlice<u32>) -> u64 {
        numbers.device_ptr(&self.stream).0
    }

    fn zeros(&self, words: usize) -> Result<CudaSlice<u64>, Fault> {
        Ok(self.stream.alloc_zeros(words)?)
    }

    fn address(&self, of: &CudaSlice<u64>, word: usize) -> u64 {
        of.device_ptr(&self.stream).0 + 8 * word as u64
    }

    fn write(&self, from: &[u64], to: &mut CudaSlice<u64>) -> Result<(), Fault> {
        Ok(self.stream.memcpy_htod(from, to)?)
    }

    fn copy(&self, from: &CudaSlice<u64>, words: usize, to: &mut CudaSlice<u64>) -> Result<(), Fault> {
        if words == 0 {
            return Ok(());
        }
        Ok(self.stream.memcpy_dtod(&from.slice(..words), &mut to.slice_mut(..words))?)
    }

    fn read(&self, from: &CudaSlice<u64>, first: usize, words: usize) -> Result<Vec<u64>, Fault> {
        if words == 0 {
            return Ok(vec![]);
        }
        let read = self.stream.clone_dtoh(&from.slice(first..first + words))?;
        self.stream.synchronize()?;
        Ok(read)
    }

    fn run<J: Copy>(&self, kernel: usize, items: u64, job: &J) -> Result<(), Fault> {
        let blocks = items.div_ceil(THREADS.into()).clamp(1, self.blocks.into()) as u32;
        let shape = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
        let mut launch = self.stream.launch_builder(&self.kernels[kernel]);
        let argument = Argument(*job);
        // Safety: every address of a job is that of memory which the engine holds until the kernel has ended, and the engine
        // makes room for all that a kernel can write.
        unsafe { launch.arg(&argument).launch(shape)? };
        Ok(())
    }
}
