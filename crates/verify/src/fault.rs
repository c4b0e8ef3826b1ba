//! Bugs on purpose: tests plant one in a step of the checker and see that they notice. Outside of tests there are none.

/// Where a bug can be planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Moves across the seam are forgotten.
    Seam,
    /// A formula's value at the seam is believed without a reason.
    Reason,
    /// Counters that grow too large come back to the bound.
    Saturation,
    /// A step is taken for a fall though a measure rises before.
    Order,
    /// Steps that do not fall are kept when they are projected.
    Projection,
    /// A set of runs is left out if a *larger* one is known, too.
    Inclusion,
    /// The next configuration need not be safe.
    Closure,
    /// A leader may move.
    Leader,
    /// Two tokens are as good as one.
    Promise,
    /// Leaders that are to last though the detector lies are looked at as if it did not.
    Lies,
    /// On complete graphs, too few agents are looked at.
    Cutoff,
}

#[cfg(not(test))]
pub(crate) const fn planted(_: Fault) -> bool {
    false
}

#[cfg(test)]
thread_local! {
    static PLANTED: std::cell::Cell<Option<Fault>> = const { std::cell::Cell::new(None) };
}

#[cfg(test)]
pub(crate) fn planted(fault: Fault) -> bool {
    PLANTED.get() == Some(fault)
}

/// Runs something with a bug.
#[cfg(test)]
pub(crate) fn with<T>(fault: Option<Fault>, run: impl FnOnce() -> T) -> T {
    PLANTED.set(fault);
    let result = run();
    PLANTED.set(None);
    result
}
