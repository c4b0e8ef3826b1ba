//! The start of a run, as it is given on the command line.

use crate::terminal::exit::{Failure, bail};
use crate::texts;
use ringleader_erased::Parameters;
use ringleader_model::text::Document;
use ringleader_simulate::{self as simulate, StartError};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The start of a run: a named one, or the configuration in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Named(simulate::Start),
    File(PathBuf),
}

#[derive(Debug, thiserror::Error)]
#[error("it is neither arbitrary, clean, all-leaders or no-leader nor a file")]
pub(crate) struct UnknownStart;

impl FromStr for Start {
    type Err = UnknownStart;
    fn from_str(text: &str) -> Result<Self, UnknownStart> {
        match text.parse() {
            Ok(named) => Ok(Start::Named(named)),
            Err(_) if Path::new(text).exists() => Ok(Start::File(text.into())),
            Err(_) => Err(UnknownStart),
        }
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Start::Named(start) => f.write_str(&start.to_string().replace('-', " ")),
            Start::File(path) => path.display().fmt(f),
        }
    }
}

impl Start {
    pub(crate) const ARBITRARY: Start = Start::Named(simulate::Start::Arbitrary);
    pub(crate) const CLEAN: Start = Start::Named(simulate::Start::Clean);

    /// The path, if the start is a file.
    pub(crate) fn file(&self) -> Option<&Path> {
        if let Start::File(path) = self { Some(path) } else { None }
    }

    /// The configuration in the file, if the start is one.
    pub(crate) fn document(&self) -> Result<Option<Document>, Failure> {
        self.file().map(read).transpose()
    }

    /// The parameters of a run at its size: those on the command line, or, where there are none, those of the file.
    /// A file of another algorithm or size, or with other parameters, is refused.
    pub(crate) fn agreed(&self, name: &str, given: Parameters) -> Result<Parameters, Failure> {
        let Some(document) = self.document()? else { return Ok(given) };
        if document.algorithm != name {
            let of = document.algorithm;
            bail!("the start is a configuration of {of}, not of {name}");
        }
        if document.size != given.size {
            let (there, here) = (document.size, given.size);
            bail!("two sizes are given: the start has {there} agents, not {here}");
        }
        let written = Parameters::read(document.size, &document.parameters)?;
        if given.given().is_empty() {
            return Ok(written);
        }
        if written.given() != given.given() {
            let listed = |parameters: &Parameters| match parameters.given() {
                none if none.is_empty() => "no parameters".to_string(),
                some => some.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", "),
            };
            let (there, here) = (listed(&written), listed(&given));
            bail!("the start is a configuration with {there}, not with {here}");
        }
        Ok(given)
    }

    /// The start in the form of the simulator.
    pub(crate) fn load(&self) -> Result<simulate::Start, Failure> {
        Ok(match self {
            Start::Named(start) => start.clone(),
            Start::File(path) => simulate::Start::Given(read(path)?),
        })
    }

    /// Why a run cannot start here, in the words of the command line.
    pub(crate) fn refusal(&self, error: StartError) -> Failure {
        match error {
            StartError::ChangesGiven => Failure::usage(format!(
                "--start {self} changes a variable that is given to this algorithm, such as which agent is the leader"
            )),
            StartError::Unreadable(_) | StartError::WrongSize { .. } => Failure::usage(format!("{self}: {error}")),
            _ => Failure::usage(error),
        }
    }
}

fn read(path: &Path) -> Result<Document, Failure> {
    Document::parse(&texts::run_file(path)?).map_err(|e| Failure::usage(format!("{}: {e}", path.display())))
}
