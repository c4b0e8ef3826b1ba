//! Text protocols among the arguments: a path is as good as a name.

use crate::terminal::exit::Failure;
use ringleader_catalogue::Catalog;
use ringleader_language::{Protocol, Source};
use std::ffi::OsString;
use std::path::Path;

/// What the names of text protocols end in.
pub(crate) const ENDING: &str = "ring";

/// The verbs that take such files as files.
const OF_FILES: [&str; 2] = ["fmt", "new"];

/// Puts every text protocol that the arguments name into the catalogue, and its name in the place of its path.
pub(crate) fn shelved(mut catalog: Catalog, mut arguments: Vec<OsString>) -> Result<(Catalog, Vec<OsString>), Failure> {
    if arguments.get(1).is_some_and(|verb| OF_FILES.iter().any(|of_files| verb == of_files)) {
        return Ok((catalog, arguments));
    }
    for argument in arguments.iter_mut().skip(2) {
        let path = Path::new(&*argument);
        if path.extension().is_some_and(|ending| ending == ENDING) && !argument.to_string_lossy().starts_with('-') {
            let protocol = read(path)?;
            *argument = protocol.card().name.into();
            catalog = catalog.text(&protocol);
        }
    }
    Ok((catalog, arguments))
}

/// Reads a text protocol; what may not have been meant is said at once.
fn read(path: &Path) -> Result<Protocol, Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| Failure::usage(format!("cannot read {name}: {e}")))?;
    let protocol = Source::parse(&name, &text).map_err(|wrong| Failure::explained(wrong.styled()))?;
    if !protocol.warnings().is_empty() {
        anstream::eprintln!("{}", protocol.warnings().styled());
    }
    Ok(protocol)
}
