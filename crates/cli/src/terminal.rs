//! What every verb does with the terminal: how it ends, what it shows meanwhile, where it writes.

pub(crate) mod exit;
pub(crate) mod files;
pub(crate) mod interrupt;
pub(crate) mod program;
pub(crate) mod progress;

/// How many columns there are for a ring beside what else stands on its line.
pub(crate) fn ring_width() -> usize {
    const BESIDE: usize = 30;
    columns().saturating_sub(BESIDE).max(20)
}

/// How many columns there are.
pub(crate) fn columns() -> usize {
    size().map_or(120, |(_, width)| width)
}

/// How many lines and columns the terminal has that is written to.
pub(crate) fn size() -> Option<(usize, usize)> {
    let sizes = [console::Term::stdout(), console::Term::stderr()].map(|terminal| terminal.size_checked());
    sizes.into_iter().flatten().next().map(|(height, width)| (height.into(), width.into()))
}
