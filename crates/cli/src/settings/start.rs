//! Where a run starts, as the user says it.

use crate::terminal::exit::Failure;
use crate::texts;
use ringleader_erased::Parameters;
use ringleader_model::text::Document;
use ringleader_simulate::{self as simulate, StartError};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Where a run starts, as the user said it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Arbitrary,
    Clean,
    AllLeaders,
    NoLeader,
    File(PathBuf),
}

impl FromStr for Start {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "arbitrary" => Ok(Start::Arbitrary),
            "clean" => Ok(Start::Clean),
            "all-leaders" => Ok(Start::AllLeaders),
            "no-leader" => Ok(Start::NoLeader),
            path if Path::new(path).exists() => Ok(Start::File(path.into())),
            _ => Err("it is neither arbitrary, clean, all-leaders or no-leader nor a file".into()),
        }
    }
}

impl std::fmt::Display for Start {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Start::Arbitrary => f.write_str("arbitrary"),
            Start::Clean => f.write_str("clean"),
            Start::AllLeaders => f.write_str("all leaders"),
            Start::NoLeader => f.write_str("no leader"),
            Start::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Start {
    /// Its file, if it is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        if let Start::File(path) = self { Some(path) } else { None }
    }

    /// The configuration in its file, if the start is one.
    pub(crate) fn document(&self) -> Result<Option<Document>, Failure> {
        let Some(path) = self.file() else { return Ok(None) };
        let document = Document::parse(&texts::run_file(path)?);
        document.map(Some).map_err(|e| Failure::usage(format!("{}: {e}", path.display())))
    }

    /// The parameters to run an algorithm with, at their size: the user's, or if there are none those of the file that the run
    /// starts from. A file of another algorithm, of another size, or with other parameters is refused.
    pub(crate) fn agreed(&self, name: &str, given: Parameters) -> Result<Parameters, Failure> {
        let Some(document) = self.document()? else { return Ok(given) };
        if document.algorithm != name {
            let of = document.algorithm;
            return Err(Failure::usage(format!("the start is a configuration of {of}, not of {name}")));
        }
        if document.size != given.size {
            let (there, here) = (document.size, given.size);
            return Err(Failure::usage(format!("two sizes are given: the start has {there} agents, not {here}")));
        }
        let written = Parameters::read(document.size, &document.parameters)?;
        if given.given().is_empty() {
            return Ok(written);
        }
        if written.given() != given.given() {
            let said = |parameters: &Parameters| match parameters.given() {
                none if none.is_empty() => "no parameters".to_string(),
                some => some.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", "),
            };
            let (there, here) = (said(&written), said(&given));
            return Err(Failure::usage(format!("the start is a configuration with {there}, not with {here}")));
        }
        Ok(given)
    }

    /// As the simulator takes it.
    pub(crate) fn load(&self) -> Result<simulate::Start, Failure> {
        Ok(match self {
            Start::Arbitrary => simulate::Start::Arbitrary,
            Start::Clean => simulate::Start::Clean,
            Start::AllLeaders => simulate::Start::AllLeaders,
            Start::NoLeader => simulate::Start::NoLeader,
            Start::File(_) => simulate::Start::Given(self.document()?.ok_or_else(|| Failure::usage("no file"))?),
        })
    }

    /// Why there is no such start, in the words of the command line.
    pub(crate) fn refusal(&self, error: StartError) -> Failure {
        match error {
            StartError::ChangesGiven => Failure::usage(format!(
                "--start {self} changes what this algorithm is given, such as which agent is the leader"
            )),
            StartError::Unreadable(_) | StartError::WrongSize { .. } => Failure::usage(format!("{self}: {error}")),
            _ => Failure::usage(error),
        }
    }
}
