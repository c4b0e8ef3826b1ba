//! The choice of a kernel.

use crate::Refused;

/// The kernel that runs a population protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase", parse_err_fn = unknown, parse_err_ty = Refused)]
pub enum KernelChoice {
    /// The fastest kernel, chosen anew during a run.
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

fn unknown(text: &str) -> Refused {
    Refused(format!("no kernel is called {text:?}; there are auto, rule, table, skip and count"))
}
