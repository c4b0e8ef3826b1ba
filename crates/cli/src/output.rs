//! Files that a verb writes and reads.

use crate::failure::Failure;
use std::fs::{self, OpenOptions};
use std::path::Path;

/// Refuses a path that cannot be written, before the work whose result is to go there.
pub(crate) fn writable(path: &Path) -> Result<(), Failure> {
    let there = path.exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    if opened.is_ok() && !there {
        let _ = fs::remove_file(path);
    }
    opened.map(drop).map_err(|e| Failure::usage(format!("cannot write {}: {e}", path.display())))
}

/// A number that tells texts apart: FNV-1a, the same everywhere.
pub(crate) fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
