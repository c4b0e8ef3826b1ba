//! The kernels of `rings.cu`, with their argument and their sums.

use super::ring::Ring;
use ringleader_device::Program;
use strum::VariantNames;

/// The kernels, by their names in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Kernel {
    /// Counts the classes, and finds those that meet the goal.
    Survey,
    /// Removes the classes that a step leaves from the set.
    Shrink,
    /// Counts the classes that meet the goal and are not in the set.
    Stray,
    /// Counts the set, and the classes in it that a step leaves.
    Leak,
    /// Counts the set, and gives the value 1 to its classes.
    Begin,
    /// Gives the next value to the classes that are one step away.
    Approach,
    /// Gives a value to all classes outside of the set.
    Fill,
    /// Moves the values to the solutions of their equations.
    Relax,
    /// Moves the values on by a multiple of their last changes.
    Leap,
    /// Lowers the values.
    Settle,
    /// Measures values and residuals.
    Measure,
    /// One step of the probability that the set is not reached.
    Outlast,
    /// Finds a value.
    Find,
}

/// The source of the kernels.
pub(crate) const SOURCE: &str = include_str!("rings.cu");

/// The program for a ring, with values of 32 or 64 bits.
pub(crate) fn program(ring: &Ring, value: u32) -> Program {
    let constants = vec![
        ("SIZE", ring.slots.size as u64),
        ("BITS", ring.bits.into()),
        ("VALUE", value.into()),
        ("NARROW", u64::from(ring.slots.offset[1] < 1 << 32)),
        ("SINGLE", u64::from(ring.changes.len() == 2 * ring.moves.len())),
    ];
    Program { name: "rings.cu", source: SOURCE, constants, kernels: Kernel::VARIANTS }
}

/// The argument of every kernel, as in the source. Addresses are those of the device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Job {
    pub(crate) values: u64,
    pub(crate) next: u64,
    pub(crate) safe: u64,
    pub(crate) first: u64,
    pub(crate) count: u64,
    pub(crate) sums: u64,
    pub(crate) offset: u64,
    pub(crate) start: u64,
    pub(crate) changes: u64,
    pub(crate) weights: u64,
    pub(crate) moves: u64,
    pub(crate) sizes: u64,
    pub(crate) keys: u64,
    pub(crate) goal: u64,
    pub(crate) leads: u64,
    pub(crate) one: u64,
    pub(crate) most: u64,
    pub(crate) level: u64,
    pub(crate) origin: u64,
    pub(crate) reciprocal: u64,
    pub(crate) letter: u32,
    pub(crate) base: u32,
    pub(crate) states: u32,
    pub(crate) key_count: u32,
    pub(crate) total: u32,
    pub(crate) told: u32,
    pub(crate) fixed: u32,
    pub(crate) pairs: u32,
}

/// The sums of the kernels of one pass, by their places in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) classes: u64,
    pub(crate) configurations: u64,
    pub(crate) steps: u64,
    pub(crate) changed: u64,
    /// The sum of the values of all configurations, or of residuals.
    pub(crate) values: u128,
    pub(crate) too_large: u64,
    /// The largest residual, the largest amount by which one is negative, and the largest value.
    pub(crate) residual: u64,
    pub(crate) below: u64,
    pub(crate) worst: u64,
    /// The complement of the first slot with a value; 0 if there is none.
    pub(crate) found: u64,
}

impl Sums {
    pub(crate) const WORDS: usize = 12;

    /// Adds the sums of one kernel.
    pub(crate) fn add(&mut self, words: [u64; Sums::WORDS]) {
        let [classes, configurations, steps, changed, low, middle, high, too_large, residual, below, worst, found] =
            words;
        self.classes += classes;
        self.configurations += configurations;
        self.steps += steps;
        self.changed += changed;
        self.values += u128::from(low) + (u128::from(middle) << 32) + (u128::from(high) << 64);
        self.too_large += too_large;
        self.residual = self.residual.max(residual);
        self.below = self.below.max(below);
        self.worst = self.worst.max(worst);
        self.found = self.found.max(found);
    }
}
