//! Key files, which other users must not be able to read.

use crate::error::NodeError;
use ringleader_node_core::Keys;
use std::path::Path;

/// Reads a key file that only its owner may read or write.
pub fn read_keys(path: &Path) -> Result<Keys, NodeError> {
    read(path, 0o077)
}

/// Reads a key file that its group may also read, like a mounted secret.
pub fn read_shared_keys(path: &Path) -> Result<Keys, NodeError> {
    read(path, 0o037)
}

fn read(path: &Path, forbidden: u32) -> Result<Keys, NodeError> {
    let name = path.display();
    let unreadable = |e: std::io::Error| NodeError::new(format!("cannot read the key file {name}: {e}"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map_err(unreadable)?.permissions().mode() & 0o777;
        if mode & forbidden != 0 {
            let group = if mode & 0o037 == 0 { ", or give --key-file-group if its group is trusted" } else { "" };
            return Err(NodeError::new(format!(
                "the key file {name} has mode {mode:03o}, which lets other users read or change it: run `chmod 600 {name}`{group}"
            )));
        }
    }
    #[cfg(not(unix))]
    let _ = forbidden;
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let refused =
        |e| NodeError::new(format!("the key file {name}: {e} (`ringleader node --new-key FILE` makes a key)"));
    Keys::parse(&text).map_err(refused)
}
