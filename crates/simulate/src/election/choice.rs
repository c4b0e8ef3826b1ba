//! Which kernel is to run a population protocol.

use std::fmt;
use std::str::FromStr;

/// Which kernel runs a population protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KernelChoice {
    /// The best there is, chosen again and again while running.
    #[default]
    Auto,
    /// Every interaction, by the algorithm's own rule.
    Rule,
    /// Every interaction, by a compiled table.
    Table,
    /// Only interactions that may change something.
    Skip,
    /// Counts per state, on complete graphs.
    Count,
}

impl KernelChoice {
    const ALL: [(KernelChoice, &'static str); 5] = [
        (KernelChoice::Auto, "auto"),
        (KernelChoice::Rule, "rule"),
        (KernelChoice::Table, "table"),
        (KernelChoice::Skip, "skip"),
        (KernelChoice::Count, "count"),
    ];
}

impl fmt::Display for KernelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        KernelChoice::ALL.iter().find(|(choice, _)| choice == self).map_or(Ok(()), |(_, name)| f.pad(name))
    }
}

/// No kernel has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKernel(pub String);

impl fmt::Display for UnknownKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no kernel is called {:?}; there are auto, rule, table, skip and count", self.0)
    }
}

impl std::error::Error for UnknownKernel {}

impl FromStr for KernelChoice {
    type Err = UnknownKernel;
    fn from_str(text: &str) -> Result<Self, UnknownKernel> {
        let found = KernelChoice::ALL.iter().find(|(_, name)| *name == text).map(|(choice, _)| *choice);
        found.ok_or_else(|| UnknownKernel(text.into()))
    }
}
