//! What every verb does with the terminal: how it ends, what it shows meanwhile, where it writes.

pub(crate) mod exit;
pub(crate) mod files;
pub(crate) mod interrupt;
pub(crate) mod progress;

/// How many columns there are for a ring beside what else stands on its line.
pub(crate) fn ring_width() -> usize {
    const BESIDE: usize = 30;
    columns().saturating_sub(BESIDE).max(20)
}

/// How many columns there are.
pub(crate) fn columns() -> usize {
    terminal_size::terminal_size().map_or(120, |(width, _)| usize::from(width.0))
}
