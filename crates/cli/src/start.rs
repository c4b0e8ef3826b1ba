//! Where a run starts.

use crate::failure::Failure;
use ringleader_model::text::Document;
use ringleader_model::{Variables, corrupt};
use ringleader_simulate::Generator;
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
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| Failure::usage(format!("cannot read {name}: {e}")))?;
        Document::parse(&text).map(Some).map_err(|e| Failure::usage(format!("{name}: {e}")))
    }

    /// The states to start from. `leads` says whether an agent in a state shows itself as leader.
    pub(crate) fn states<A: Variables>(
        &self,
        algorithm: &A,
        size: usize,
        clean: impl Fn(usize) -> A::State,
        leads: impl Fn(usize, &A::State) -> bool,
        coin: &mut Generator,
    ) -> Result<Vec<A::State>, Failure> {
        let wanted = match self {
            Start::File(path) => {
                let document = self.document()?.ok_or_else(|| Failure::usage("no file"))?;
                return document
                    .states(algorithm)
                    .map_err(|error| Failure::usage(format!("{}: {error}", path.display())));
            }
            Start::Clean => return Ok((0..size).map(clean).collect()),
            Start::Arbitrary => None,
            Start::AllLeaders => Some(true),
            Start::NoLeader => Some(false),
        };
        (0..size)
            .map(|agent| {
                // At least one state in a few hundred is a leader's, in every algorithm.
                (0..100_000)
                    .map(|_| corrupt::arbitrary(algorithm, coin))
                    .find(|state| wanted.is_none_or(|wanted| leads(agent, state) == wanted))
                    .ok_or_else(|| Failure::usage(format!("this algorithm has no start with {self}")))
            })
            .collect()
    }
}
