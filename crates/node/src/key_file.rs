//! Keys from files that others cannot read.

use ringleader_node_core::Keys;
use std::path::Path;

/// Reads a key file, which nobody but its owner may read or write.
pub fn read_keys(path: &Path) -> Result<Keys, String> {
    read(path, 0o077)
}

/// Reads a key file that its group may read too, as where a secret is mounted.
pub fn read_shared_keys(path: &Path) -> Result<Keys, String> {
    read(path, 0o037)
}

fn read(path: &Path, forbidden: u32) -> Result<Keys, String> {
    let name = path.display();
    let complain = |e: std::io::Error| format!("cannot read the key file {name}: {e}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map_err(complain)?.permissions().mode() & 0o777;
        if mode & forbidden != 0 {
            let group = if mode & 0o037 == 0 { ", or say --key-file-group if its group is to be trusted" } else { "" };
            return Err(format!(
                "the key file {name} has mode {mode:03o}: others may use it; run `chmod 600 {name}`{group}"
            ));
        }
    }
    #[cfg(not(unix))]
    let _ = forbidden;
    let text = std::fs::read_to_string(path).map_err(complain)?;
    Keys::parse(&text)
        .map_err(|e| format!("the key file {name}: {e} (make a key with `ringleader node --new-key FILE`)"))
}
