//! Text protocols among the arguments: a path is as good as a name.

use crate::terminal::exit::Failure;
use crate::terminal::files;
use ringleader_catalogue::Catalog;
use ringleader_language::{Protocol, Source};
use std::ffi::OsString;
use std::path::Path;

/// What the names of text protocols end in.
pub(crate) const ENDING: &str = "ring";

/// The verbs that take such files as files.
const OF_FILES: [&str; 6] = ["fmt", "lab", "list", "new", "verify", "watch"];

/// Puts every text protocol that the arguments name into the catalogue, and its name in the place of its path.
pub(crate) fn shelved(mut catalog: Catalog, mut arguments: Vec<OsString>) -> Result<(Catalog, Vec<OsString>), Failure> {
    let of_files = arguments.get(1).is_some_and(|verb| OF_FILES.iter().any(|of_files| verb == of_files));
    // A certificate is a file, but what it is compared with is an algorithm.
    if of_files && !arguments.iter().any(|argument| argument == "--against") {
        return Ok((catalog, arguments));
    }
    let mut after_flag = false;
    for argument in arguments.iter_mut().skip(2) {
        let path = Path::new(&*argument);
        let is_flag = argument.to_string_lossy().starts_with('-');
        // What follows a flag may be a file that it is to write.
        let to_be_written = std::mem::replace(&mut after_flag, is_flag) && !path.exists();
        if is_flag || to_be_written {
            continue;
        }
        // A list of names may have paths in it.
        let several = argument.to_str().filter(|text| text.contains(',') && !path.exists());
        let Some(several) = several else {
            if is_protocol(path) {
                let protocol = read(path)?;
                *argument = protocol.card().name.into();
                catalog = catalog.text(&protocol);
            }
            continue;
        };
        let mut names: Vec<String> = several.split(',').map(String::from).collect();
        for name in names.iter_mut().filter(|name| is_protocol(Path::new(name))) {
            let protocol = read(Path::new(name))?;
            *name = protocol.card().name.to_string();
            catalog = catalog.text(&protocol);
        }
        *argument = names.join(",").into();
    }
    Ok((catalog, arguments))
}

fn is_protocol(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == ENDING)
}

/// Reads a text protocol; what may not have been meant is said at once.
pub(crate) fn read(path: &Path) -> Result<Protocol, Failure> {
    let protocol = parse(path, &files::read(path)?)?;
    if !protocol.warnings().is_empty() {
        anstream::eprintln!("{}", protocol.warnings().styled());
    }
    Ok(protocol)
}

/// The protocol that a file's text is.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Protocol, Failure> {
    Source::parse(&path.display().to_string(), text).map_err(|wrong| Failure::explained(wrong.styled()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_protocols_are_read() {
        let shelve = |words: &str| shelved(Catalog::empty(), words.split(' ').map(OsString::from).collect());
        assert!(shelve("ringleader check missing.ring --size 3").is_err(), "a protocol that is not there");
        assert!(shelve("ringleader check name --save missing.ring").is_ok(), "a file to be written");
        assert!(shelve("ringleader verify missing.ring").is_ok(), "no protocol at all: the verb says so");
    }
}
