//! Text protocols among the arguments: a path is as good as a name.

use crate::terminal::exit::Failure;
use crate::terminal::files;
use ringleader_catalog::Catalog;
use ringleader_language::{Protocol, Source};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What the names of text protocols end in.
pub(crate) const ENDING: &str = "ring";

/// The verbs that take such files as files.
const OF_FILES: [&str; 6] = ["fmt", "lab", "list", "new", "verify", "watch"];

/// The flags whose files name an algorithm, which may be a text protocol by its path.
const OF_RUNS: [&str; 2] = ["--replay", "--start"];

/// The paths of the text protocols of this process, and the names of these.
static PATHS: OnceLock<Vec<(String, String)>> = OnceLock::new();

/// What to call an algorithm on the command line and in files, so that it is found again: its name, or the path of its text.
pub(crate) fn called(name: &str) -> &str {
    let path = PATHS.get().into_iter().flatten().find(|(_, known)| known == name).map(|(path, _)| path.as_str());
    // In files a name is one word.
    path.filter(|path| !path.contains(char::is_whitespace)).unwrap_or(name)
}

/// Whether an algorithm is a text that was given by its path.
pub(crate) fn is_given(name: &str) -> bool {
    PATHS.get().into_iter().flatten().any(|(_, known)| known == name)
}

/// The name of an algorithm that may be called by its path.
pub(crate) fn name(called: &str) -> &str {
    PATHS.get().into_iter().flatten().find(|(path, _)| path == called).map_or(called, |(_, name)| name)
}

/// The text protocol that a file of a run names, if it does.
fn named_in(file: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(file).ok()?;
    let mut words = text.lines().take(20).map(str::split_whitespace);
    let path =
        words.find_map(|mut line| (line.next() == Some("algorithm")).then(|| line.next().map(PathBuf::from))?)?;
    is_protocol(&path).then_some(path)
}

/// Puts every text protocol that the arguments name into the catalog, and its name in the place of its path.
pub(crate) fn shelved(mut catalog: Catalog, mut arguments: Vec<OsString>) -> Result<(Catalog, Vec<OsString>), Failure> {
    let of_files = arguments.get(1).is_some_and(|verb| OF_FILES.iter().any(|of_files| verb == of_files));
    // A certificate is a file, but what it is compared with is an algorithm.
    if of_files && !arguments.iter().any(|argument| argument == "--against") {
        return Ok((catalog, arguments));
    }
    let (mut after_flag, mut of_run, mut paths) = (false, false, vec![]);
    let mut shelve = |path: &Path| {
        let protocol = read(path)?;
        let name = protocol.card().name;
        catalog = std::mem::take(&mut catalog).text(&protocol);
        paths.push((path.display().to_string(), name.to_string()));
        Ok::<_, Failure>(name)
    };
    for argument in arguments.iter_mut().skip(2) {
        let path = Path::new(&*argument);
        let is_flag = argument.to_string_lossy().starts_with('-');
        if std::mem::replace(&mut of_run, OF_RUNS.iter().any(|flag| *argument == *flag))
            && let Some(text) = named_in(path)
        {
            shelve(&text)?;
        }
        // What follows a flag may be a file that it is to write.
        let to_be_written = std::mem::replace(&mut after_flag, is_flag) && !path.exists();
        if is_flag || to_be_written {
            continue;
        }
        // A list of names may have paths in it.
        let several = argument.to_str().filter(|text| text.contains(',') && !path.exists());
        let Some(several) = several else {
            if is_protocol(path) {
                *argument = shelve(path)?.into();
            }
            continue;
        };
        let mut names: Vec<String> = several.split(',').map(String::from).collect();
        for name in names.iter_mut().filter(|name| is_protocol(Path::new(name))) {
            *name = shelve(Path::new(name))?.to_string();
        }
        *argument = names.join(",").into();
    }
    // Only tests come here twice.
    let _ = PATHS.set(paths);
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
