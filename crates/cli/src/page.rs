//! A run as one HTML page that plays it. The player is part of the lab.

use crate::settings::election::Election;
use crate::settings::refuse;
use crate::terminal::exit::{Failure, usage};
use crate::terminal::files;
use ringleader_erased::Kind;
use std::path::Path;

/// Refuses a page that cannot be written, before the work whose result it is to hold.
pub(crate) fn writable(path: &Path) -> Result<(), Failure> {
    match cfg!(feature = "lab") {
        true => files::writable(path),
        false => Err(usage!("this program was built without --html: build it with the feature `lab`")),
    }
}

/// Refuses a page of a run that cannot be played.
pub(crate) fn writable_for(path: &Path, election: &Election) -> Result<(), Failure> {
    let timed = election.card.kind == Kind::Robust;
    refuse(election.card, &[("--html", timed)], "it runs on clocks, and has no steps to play")?;
    writable(path)
}

#[cfg(feature = "lab")]
mod written {
    use super::{Election, Failure, Kind, Path, files, usage};
    use crate::catalog;
    use crate::settings::Start;
    use ringleader_lab_server::{Recording, Refused};

    fn write(path: &Path, page: Result<String, Refused>) -> Result<(), Failure> {
        let page = page.map_err(|why| usage!("the run cannot be put on a page: {why}"))?;
        files::write(path, page)
    }

    /// Writes the run of a trace, and the failure that the check of this program has found on it, if there was one.
    pub(crate) fn replay(path: &Path, trace: &str, found: Option<&str>) -> Result<(), Failure> {
        write(path, Recording::replay(trace, found).and_then(|recording| recording.html(catalog())))
    }

    /// Removes an older page, which would be taken for the result of this command; whether there was one.
    pub(crate) fn forget(path: &Path) -> Result<bool, Failure> {
        files::forget(path, Recording::detect)
    }

    /// Writes a run with the agents that faults hit after so many steps; without a number of steps, until a little after its goal.
    pub(crate) fn run(
        path: &Path,
        election: &Election,
        faults: &[(u64, Vec<usize>)],
        steps: Option<u64>,
    ) -> Result<(), Failure> {
        let Election { card, parameters, seed, scheduler, start, .. } = election;
        let recording = Recording::new(card.name, parameters, *seed).under(
            (card.kind != Kind::Message).then(|| scheduler.name().to_string()),
            election.oracle.map(|oracle| oracle.to_string()),
            election.channels.map(|channels| channels.name().to_string()),
            election.given_graph().map(|graph| graph.arcs().iter().map(|(u, v)| format!("{u} {v}\n")).collect()),
        );
        let recording = match start.document()? {
            Some(document) => recording.from_text(&document.print()),
            None => match start {
                Start::Named(named) => recording.starting(&named.to_string()),
                other => recording.starting(&other.to_string()),
            },
        };
        let recording = faults.iter().fold(recording, |recording, (at, agents)| recording.struck(*at, agents));
        let recording = match steps {
            Some(steps) => recording.lasting(steps),
            None => recording,
        };
        write(path, recording.html(catalog()))
    }
}

#[cfg(not(feature = "lab"))]
mod written {
    use super::{Election, Failure, Path, writable};

    pub(crate) fn replay(path: &Path, _: &str, _: Option<&str>) -> Result<(), Failure> {
        writable(path)
    }

    pub(crate) fn forget(path: &Path) -> Result<bool, Failure> {
        writable(path).map(|()| false)
    }

    pub(crate) fn run(path: &Path, _: &Election, _: &[(u64, Vec<usize>)], _: Option<u64>) -> Result<(), Failure> {
        writable(path)
    }
}

pub(crate) use written::{forget, replay, run};
