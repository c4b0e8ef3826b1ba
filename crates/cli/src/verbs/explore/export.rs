//! Exports, in the format of a file's extension.

use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::files;
use ringleader_explore::Quotient;
use ringleader_report::export::{self, Exported};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

fn extension(path: &Path) -> &str {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default()
}

/// Refuses unknown formats, formats without quotients, and files that cannot be written, before any work is done.
pub(super) fn check(paths: &[PathBuf], minimized: bool) -> Result<(), Failure> {
    if let Some(path) = paths.iter().find(|path| minimized && !["aut", "dot"].contains(&extension(path))) {
        bail!("--export {}: --minimize gives a quotient without probabilities; use .aut or .dot", path.display());
    }
    match paths.iter().find(|path| !export::FORMATS.contains(&extension(path))) {
        None => paths.iter().try_for_each(|path| files::writable(path)),
        Some(path) => {
            Err(usage!("--export {}: the name must end in one of .{}", path.display(), export::FORMATS.join(", .")))
        }
    }
}

/// Writes every file, or the three files of PRISM's explicit format, and says so. The quotient is a labelled transition system
/// without probabilities, so only formats without probabilities support it.
pub(super) fn write(paths: &[PathBuf], system: &dyn Exported, quotient: Option<&Quotient>) -> Result<(), Failure> {
    for path in paths {
        let to = |path: &Path, print: &dyn Fn(&mut dyn Write) -> std::io::Result<()>| {
            let written = File::create(path).map(BufWriter::new).and_then(|mut file| {
                print(&mut file)?;
                file.flush()
            });
            written.map_err(|e| usage!("cannot write {}: {e}", path.display()))?;
            anstream::eprintln!("wrote {}", path.display());
            Ok::<(), Failure>(())
        };
        match (extension(path), quotient) {
            ("aut", Some(quotient)) => to(path, &|out| export::aut(quotient, out)),
            ("aut", None) => to(path, &|out| export::aut(system, out)),
            ("dot", Some(quotient)) => to(path, &|out| export::dot_labelled(quotient, out)),
            ("dot", None) => to(path, &|out| export::dot(system, out)),
            ("drn", _) => to(path, &|out| export::drn(system, out)),
            ("prism", _) => to(path, &|out| export::prism(system, out)),
            _ => {
                to(path, &|out| export::tra(system, out))?;
                to(&path.with_extension("sta"), &|out| export::sta(system, out))?;
                to(&path.with_extension("lab"), &|out| export::lab(system, out))
            }
        }?;
    }
    Ok(())
}
