//! The capabilities of this process.

use caps::errors::CapsError;
use caps::{CapSet, Capability, clear, has_cap};

/// The capabilities that virtual addresses need.
const NEEDED: [Capability; 2] = [Capability::CAP_NET_ADMIN, Capability::CAP_NET_RAW];

/// The names of the capabilities that virtual addresses need and this process does not have.
pub fn missing() -> Vec<String> {
    let has = |one| has_cap(None, CapSet::Effective, one).unwrap_or(false);
    NEEDED.into_iter().filter(|one| !has(*one)).map(|one| one.to_string()).collect()
}

/// Keeps the capabilities of this thread, and of threads that it starts later, from the programs that they run. Programs of root have all
/// capabilities anyway.
pub fn keep_from_children() -> Result<(), CapsError> {
    clear(None, CapSet::Ambient)?;
    clear(None, CapSet::Inheritable)
}
