//! The choice of a kernel.

/// The kernel that runs a population protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase", parse_err_fn = unknown, parse_err_ty = UnknownKernel)]
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

/// No kernel has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no kernel is called {0:?}; there are auto, rule, table, skip and count")]
pub struct UnknownKernel(pub String);

fn unknown(text: &str) -> UnknownKernel {
    UnknownKernel(text.into())
}
