//! A device as an engine uses it.

use thiserror::Error;

/// The part of every source that comes first.
#[cfg(any(feature = "cuda", all(feature = "host", unix)))]
const PRELUDE: &str = include_str!("prelude.cu");

/// A program for a device.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name of its source, for messages of the compiler.
    pub name: &'static str,
    /// The source, in the common part of C and CUDA.
    pub source: &'static str,
    /// Constants of the source.
    pub constants: Vec<(&'static str, u64)>,
    /// The names of its kernels, in the order of their numbers.
    pub kernels: &'static [&'static str],
}

impl Program {
    /// The complete source.
    #[cfg(any(feature = "cuda", all(feature = "host", unix)))]
    pub(crate) fn text(&self) -> String {
        let defined = self.constants.iter().map(|(name, value)| format!("#define {name} {value}\n"));
        format!("{}{PRELUDE}{}", defined.collect::<String>(), self.source)
    }
}

/// A failure of a device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Fault(pub String);

/// A device that compiles programs.
pub trait Device {
    /// A program on this device.
    type Board: Board;

    /// Compiles a program.
    fn load(&self, program: &Program) -> Result<Self::Board, Fault>;
}

/// A program on a device: memory in words of 64 bits, and kernels. Everything happens in the order of the calls.
pub trait Board {
    /// Memory of the device. It is freed when it is dropped.
    type Words;
    /// A table in the memory of the device.
    type Numbers;

    /// Copies a table to the device.
    fn place(&self, numbers: &[u32]) -> Result<Self::Numbers, Fault>;

    /// The address of a table on the device.
    fn address_of(&self, numbers: &Self::Numbers) -> u64;

    /// Memory that is zero.
    fn zeros(&self, words: usize) -> Result<Self::Words, Fault>;

    /// The address of a word on the device.
    fn address(&self, of: &Self::Words, word: usize) -> u64;

    /// Copies words to the device.
    fn write(&self, from: &[u64], to: &mut Self::Words) -> Result<(), Fault>;

    /// Copies the first words of `from` to the start of `to`.
    fn copy(&self, from: &Self::Words, words: usize, to: &mut Self::Words) -> Result<(), Fault>;

    /// Copies some words to the host.
    fn read(&self, from: &Self::Words, first: usize, words: usize) -> Result<Vec<u64>, Fault>;

    /// Runs a kernel over this many items. Its only argument is `job`, a `repr(C)` structure without padding, as in the source.
    fn run<J: Copy>(&self, kernel: usize, items: u64, job: &J) -> Result<(), Fault>;
}
