//! The terminal and the files: exit codes, progress, interruption, output.

pub(crate) mod exit;
pub(crate) mod files;
pub(crate) mod interrupt;
pub(crate) mod program;
pub(crate) mod progress;

use serde_json::Value;
use std::io::{Result, Write};

/// Prints a result as JSON or as text.
pub(crate) fn print(
    json: bool,
    value: impl FnOnce() -> Value,
    text: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let mut out = anstream::stdout().lock();
    if json { writeln!(out, "{}", value()) } else { text(&mut out) }
}

/// The columns for a ring, beside the rest of its line.
pub(crate) fn ring_width() -> usize {
    const BESIDE: usize = 30;
    columns().saturating_sub(BESIDE).max(20)
}

/// The number of columns.
pub(crate) fn columns() -> usize {
    size().map_or(120, |(_, width)| width)
}

/// The lines and columns of the terminal of the output.
pub(crate) fn size() -> Option<(usize, usize)> {
    let sizes = [console::Term::stdout(), console::Term::stderr()].map(|terminal| terminal.size_checked());
    sizes.into_iter().flatten().next().map(|(height, width)| (height.into(), width.into()))
}
