//! The start of a run, as it is given on the command line.

use crate::terminal::exit::{Failure, bail, usage};
use crate::{catalog, texts};
use ringleader_catalog::{ClaimError, CountError, stabilizing, with_counts};
use ringleader_check::Starting;
use ringleader_erased::{Card, Kind, Number, Parameters};
use ringleader_model::text::Document;
use ringleader_simulate::{self as simulate, StabilizingInstance, StartError};
use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The start of a run: a named one, the configuration in a file, or a condition or counts of local states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Named(simulate::Start),
    File(PathBuf),
    Among(String),
}

impl FromStr for Start {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.parse() {
            Ok(named) => Start::Named(named),
            Err(_) if Path::new(text).exists() => Start::File(text.into()),
            Err(_) => Start::Among(text.into()),
        })
    }
}

/// The numbers of agents in each local state, if the text has the form of counts: `A: 60, B: 40`.
fn counted(text: &str, algorithm: &dyn StabilizingInstance, size: usize) -> Result<Option<Vec<usize>>, Failure> {
    let counts =
        ringleader_catalog::counted(text, algorithm, algorithm.states(), size).map_err(|error| match error {
            CountError::NoState { .. } => usage!("--start: {error}"),
            _ => usage!("--start {error}"),
        })?;
    if counts.is_none() && names_file(text) {
        bail!(
            "--start {text}: there is no such file; a start is also clean, arbitrary, a condition or counts of local states"
        );
    }
    Ok(counts)
}

/// Whether a text looks like the name of a file. A condition names an agent in brackets, or is one word.
fn names_file(text: &str) -> bool {
    text.contains(['.', '/']) && !text.contains(|c: char| c.is_whitespace() || "[]()=<>:".contains(c))
}

/// A failure of a condition that may be meant as the name of a start or of a file.
fn wrong_start(text: &str, error: ClaimError) -> Failure {
    if text.contains(|c: char| !c.is_alphanumeric() && !"-_".contains(c)) {
        return wrong_condition(error);
    }
    let named = "arbitrary, clean, all-leaders, no-leader";
    usage!("--start {text}: this is neither the name of a start ({named}), nor a file, nor a condition")
}

/// A failure of a condition, at its place.
pub(crate) fn wrong_condition(error: ClaimError) -> Failure {
    match error {
        ClaimError::Text(wrong) => Failure::explained(wrong.styled()),
        ClaimError::Refused(refusal) => refusal.into(),
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Start::Named(start) => f.write_str(&start.to_string().replace('-', " ")),
            Start::File(path) => path.display().fmt(f),
            Start::Among(text) => f.write_str(text),
        }
    }
}

impl Start {
    pub(crate) const ARBITRARY: Start = Start::Named(simulate::Start::Arbitrary);
    pub(crate) const CLEAN: Start = Start::Named(simulate::Start::Clean);

    /// The start of an algorithm's runs if none is given: the condition of its text, if it has one.
    pub(crate) fn usual(card: &Card, parameters: &Parameters) -> Start {
        let own = || catalog().written_start(card.name, parameters.layers).map(|text| Start::Among(text.into()));
        if card.kind == Kind::Message { Start::CLEAN } else { own().unwrap_or(Start::ARBITRARY) }
    }

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

    /// The starts of all executions: those of a condition or of counts, or else those of the algorithm's text. `arbitrary` ignores the
    /// text.
    pub(crate) fn starting(
        given: Option<&Start>,
        name: &str,
        parameters: &Parameters,
        algorithm: &dyn StabilizingInstance,
    ) -> Result<Option<Starting>, Failure> {
        match given {
            Some(Start::Among(text)) => match counted(text, algorithm, parameters.size)? {
                Some(counts) => Ok(Some(with_counts(text, counts))),
                None => catalog()
                    .starting(name, parameters, "--start", text)
                    .map(Some)
                    .map_err(|error| wrong_start(text, error)),
            },
            Some(_) => Ok(None),
            None => {
                let own = catalog().written_start(name, parameters.layers);
                own.map(|text| catalog().starting(name, parameters, "start", text)).transpose().map_err(wrong_condition)
            }
        }
    }

    /// One configuration, by the numbers of its states: clean, or from a file.
    pub(crate) fn configuration(
        &self,
        name: &str,
        parameters: &Parameters,
        algorithm: &dyn StabilizingInstance,
        verb: &str,
    ) -> Result<Vec<u32>, Failure> {
        let states = if *self == Start::CLEAN {
            let mut states = vec![Number(0); parameters.size];
            algorithm.restore(&mut states);
            states
        } else {
            self.agreed(name, parameters.clone())?;
            let document =
                self.document()?.ok_or_else(|| usage!("--start {self}: {verb} takes clean or a configuration file"))?;
            document.states(algorithm).map_err(|e| usage!("{self}: {e}"))?
        };
        let mut restored = states.clone();
        algorithm.restore(&mut restored);
        if restored != states {
            return Err(self.refusal(StartError::ChangesGiven));
        }
        Ok(states.iter().map(|state| state.0 as u32).collect())
    }

    /// The start in the form of the simulator, for an algorithm with these parameters.
    pub(crate) fn load(&self, name: &str, parameters: &Parameters) -> Result<simulate::Start, Failure> {
        Ok(match self {
            Start::Named(start) => start.clone(),
            Start::File(path) => simulate::Start::Given(read(path)?),
            Start::Among(text) => {
                let instance = catalog().instance(name, parameters)?;
                let Some(algorithm) = stabilizing(&instance) else {
                    bail!("--start {text}: {name} takes arbitrary, clean, all-leaders, no-leader or a file");
                };
                match counted(text, algorithm, parameters.size)? {
                    Some(counts) => {
                        let states = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
                        simulate::Start::Counted(states.map(|(state, count)| (Number(state as u64), count)).collect())
                    }
                    None => {
                        let among = catalog().start(name, parameters, "--start", text);
                        simulate::Start::Among(among.map_err(|error| wrong_start(text, error))?)
                    }
                }
            }
        })
    }

    /// Why a run cannot start here, in the words of the command line.
    pub(crate) fn refusal(&self, error: StartError) -> Failure {
        match error {
            StartError::ChangesGiven => usage!(
                "--start {self} changes a variable that is given to this algorithm, such as which agent is the leader"
            ),
            StartError::Unreadable(_) | StartError::WrongSize { .. } => usage!("{self}: {error}"),
            _ => Failure::usage(error),
        }
    }
}

fn read(path: &Path) -> Result<Document, Failure> {
    Document::parse(&texts::run_file(path)?).map_err(|e| usage!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::names_file;

    #[test]
    fn a_file_has_a_name_without_brackets() {
        assert!(["missing.conf", "runs/clean", "./x"].into_iter().all(names_file));
        assert!(["safe", "x[0]/2=1", "all i : x[i] = 0.", "i.x=1", "A: 3"].into_iter().all(|text| !names_file(text)));
    }
}
