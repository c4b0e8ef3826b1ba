//! The kernels of the search, with their argument and their sums.

use ringleader_device::Program;
use strum::VariantNames;

/// The kernels of `search.cu`, by their names there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Kernel {
    /// Adds stored states of another table to the set.
    Admit,
    /// Expands the states of a list.
    Expand,
    /// Looks at some slots of the table again.
    Verify,
}

impl Kernel {
    /// The program with these kernels.
    pub(crate) fn program() -> Program {
        Program { name: "search.cu", source: SOURCE, constants: vec![], kernels: Kernel::VARIANTS }
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
