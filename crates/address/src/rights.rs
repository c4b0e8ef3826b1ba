//! The capabilities of this process.

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set, set_capabilities};

/// The capabilities that virtual addresses need.
const NEEDED: [(CapabilitySet, &str); 2] =
    [(CapabilitySet::NET_ADMIN, "CAP_NET_ADMIN"), (CapabilitySet::NET_RAW, "CAP_NET_RAW")];

/// The names of the capabilities that virtual addresses need and this process does not have.
pub fn missing() -> Vec<&'static str> {
    let have = capabilities(None).map_or(CapabilitySet::empty(), |sets| sets.effective);
    NEEDED.into_iter().filter(|(one, _)| !have.contains(*one)).map(|(_, name)| name).collect()
}

/// Keeps the capabilities of this thread, and of threads that it starts later, from the programs that they run. Programs of root have all
/// capabilities anyway.
pub fn keep_from_children() -> std::io::Result<()> {
    clear_ambient_capability_set()?;
    let sets = capabilities(None)?;
    Ok(set_capabilities(None, CapabilitySets { inheritable: CapabilitySet::empty(), ..sets })?)
}
