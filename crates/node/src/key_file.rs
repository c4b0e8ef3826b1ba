//! Key files, which other users must not be able to read.

use crate::error::NodeError;
use crate::private_file::{self, Demands, FileError};
use ringleader_model::shell_word;
use ringleader_node_core::Keys;
use std::path::Path;

/// Reads a key file that only its owner may read or write. It must not be a symbolic link.
pub fn read_keys(path: &Path) -> Result<Keys, NodeError> {
    read(path, Demands { forbidden: 0o077, links: false })
}

/// Reads a key file that its group may also read, like a mounted secret. It may be a symbolic link, as Kubernetes mounts secrets.
pub fn read_shared_keys(path: &Path) -> Result<Keys, NodeError> {
    read(path, Demands { forbidden: 0o037, links: true })
}

fn read(path: &Path, demands: Demands) -> Result<Keys, NodeError> {
    let name = path.display();
    let text = private_file::read(path, demands).map_err(|error| {
        let remedy = match error {
            // Nobody should change the mode of a file with other contents.
            FileError::Mode(_) if !holds_keys(path) => {
                ", and it holds no key: `ringleader node --new-key FILE` makes a key".into()
            }
            FileError::Mode(mode) if mode & 0o037 == 0 => {
                format!(": run `chmod 600 {}`, or give --key-file-group if its group is trusted", shell_word(&name))
            }
            FileError::Mode(_) => format!(": run `chmod 600 {}`", shell_word(&name)),
            ref error if error.is_missing() => {
                ": copy it from another host, or make the first one with `ringleader node --new-key FILE`".into()
            }
            FileError::Link => ", or give --key-file-group for a mounted secret".into(),
            _ => String::new(),
        };
        NodeError::new(format!("cannot use the key file {name}: {error}{remedy}"))
    })?;
    let refused =
        |e| NodeError::new(format!("the key file {name}: {e} (`ringleader node --new-key FILE` makes a key)"));
    Keys::parse(&text).map_err(refused)
}

fn holds_keys(path: &Path) -> bool {
    let short = std::fs::metadata(path).is_ok_and(|file| file.len() <= private_file::LONGEST);
    short && std::fs::read_to_string(path).is_ok_and(|text| Keys::parse(&text).is_ok())
}
