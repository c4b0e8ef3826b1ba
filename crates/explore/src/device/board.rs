//! A device as the search uses it.

use crate::Failure;

/// The kernels of `search.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Adds stored states of another table to the set.
    Admit,
    /// Expands the states of a list.
    Expand,
    /// Looks at some slots of the table again.
    Verify,
}

impl Kernel {
    pub(crate) const ALL: [Kernel; 3] = [Kernel::Admit, Kernel::Expand, Kernel::Verify];

    /// Its name in the source.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kernel::Admit => "admit",
            Kernel::Expand => "expand",
            Kernel::Verify => "verify",
        }
    }
}

/// The source of the kernels.
pub(crate) const SOURCE: &str = include_str!("search.cu");

/// The argument of every kernel, as in the source. Addresses are those of the device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Job {
    pub(crate) table: u64,
    pub(crate) slots: u64,
    pub(crate) items: u64,
    pub(crate) count: u64,
    pub(crate) found: u64,
    pub(crate) aside: u64,
    pub(crate) missing: u64,
    pub(crate) most_missing: u64,
    pub(crate) sums: u64,
    pub(crate) arcs_of: u64,
    pub(crate) arcs: u64,
    pub(crate) sends: u64,
    pub(crate) arrivals: u64,
    pub(crate) routes: u64,
    pub(crate) seed: u64,
    pub(crate) size: u32,
    pub(crate) bits: u32,
    pub(crate) ports: u32,
    pub(crate) messages: u32,
    pub(crate) rotation: u32,
    pub(crate) unused: u32,
}

/// The sums of a kernel, by their places in the source.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) deadlocks: u64,
    pub(crate) edges: u64,
    pub(crate) invariant: u64,
    pub(crate) stored: u64,
    pub(crate) lost: u64,
    pub(crate) absent: u64,
    /// The lengths of the lists.
    pub(crate) found: u64,
    pub(crate) aside: u64,
    pub(crate) missing: u64,
}

impl Sums {
    pub(crate) const WORDS: usize = 11;

    pub(crate) fn new(words: [u64; Sums::WORDS]) -> Sums {
        let [states, transitions, deadlocks, edges, invariant, stored, lost, absent, found, aside, missing] = words;
        Sums { states, transitions, deadlocks, edges, invariant, stored, lost, absent, found, aside, missing }
    }
}

/// A device: memory in words of 64 bits, and the kernels. Everything happens in the order of the calls.
pub(crate) trait Board {
    /// Memory of the device. It is freed when it is dropped.
    type Words;
    /// A table in the memory of the device.
    type Numbers;

    /// Copies a table to the device.
    fn place(&self, numbers: &[u32]) -> Result<Self::Numbers, Failure>;

    /// The address of a table on the device.
    fn address_of(&self, numbers: &Self::Numbers) -> u64;

    /// Memory that is zero.
    fn zeros(&self, words: usize) -> Result<Self::Words, Failure>;

    /// The address of a word on the device.
    fn address(&self, of: &Self::Words, word: usize) -> u64;

    /// Copies words to the device.
    fn write(&self, from: &[u64], to: &mut Self::Words) -> Result<(), Failure>;

    /// Copies the first words of `from` to the start of `to`.
    fn copy(&self, from: &Self::Words, words: usize, to: &mut Self::Words) -> Result<(), Failure>;

    /// Copies the first words to the host.
    fn read(&self, from: &Self::Words, words: usize) -> Result<Vec<u64>, Failure>;

    /// Runs a kernel.
    fn run(&self, kernel: Kernel, job: &Job) -> Result<(), Failure>;
}
