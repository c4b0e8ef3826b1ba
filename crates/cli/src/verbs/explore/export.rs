//! Exports, in the format that a file's name asks for.

use crate::terminal::exit::Failure;
use crate::terminal::files;
use ringleader_explore::{Graph, Quotient, export};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

fn extension(path: &Path) -> &str {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default()
}

/// Refuses names whose format is not known, and files that cannot be written, before any work is done.
pub(super) fn check(paths: &[PathBuf]) -> Result<(), Failure> {
    match paths.iter().find(|path| !export::FORMATS.contains(&extension(path))) {
        None => paths.iter().try_for_each(|path| files::writable(path)),
        Some(path) => Err(Failure::usage(format!(
            "--export {}: the name must end in one of .{}",
            path.display(),
            export::FORMATS.join(", .")
        ))),
    }
}

/// Writes one file, or the three of PRISM's explicit format.
pub(super) fn write(path: &Path, graph: &Graph, quotient: Option<&Quotient>) -> Result<(), Failure> {
    let to = |path: &Path, print: &dyn Fn(&mut dyn Write) -> std::io::Result<()>| {
        let written = File::create(path).map(BufWriter::new).and_then(|mut file| {
            print(&mut file)?;
            file.flush()
        });
        written.map_err(|e| Failure::usage(format!("cannot write {}: {e}", path.display())))
    };
    match (extension(path), quotient) {
        ("aut", Some(quotient)) => to(path, &|out| export::aut_quotient(quotient, out)),
        ("aut", None) => to(path, &|out| export::aut(graph, out)),
        ("dot", Some(quotient)) => to(path, &|out| export::dot_quotient(quotient, out)),
        ("dot", None) => to(path, &|out| export::dot(graph, out)),
        ("drn", _) => to(path, &|out| export::drn(graph, out)),
        ("prism", _) => to(path, &|out| export::prism(graph, out)),
        _ => {
            to(path, &|out| export::tra(graph, out))?;
            to(&path.with_extension("sta"), &|out| export::sta(graph, out))?;
            to(&path.with_extension("lab"), &|out| export::lab(graph, out))
        }
    }
}
