//! Arguments that several verbs share.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use ringleader_algorithms::{Layers, Parameters, catalog};

/// The parameters of all algorithms, as flags; each algorithm refuses those it does not have.
///
/// They are read off the cards of the catalogue, so that a new algorithm needs no change here.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParameterArguments(Vec<(String, String)>);

impl ParameterArguments {
    /// These parameters at a size.
    pub(crate) fn at(&self, size: usize) -> Parameters {
        self.0.iter().fold(Parameters::new(size), |all, (name, value)| all.with(name, value))
    }

    /// Whether none was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Every parameter name, with its meaning where it first occurs and who takes it.
fn parameters() -> Vec<(&'static str, String)> {
    let mut found: Vec<(&'static str, &'static str, Vec<&'static str>)> = vec![];
    for card in catalog::CARDS {
        for parameter in card.parameters {
            match found.iter_mut().find(|(name, ..)| *name == parameter.name) {
                Some((_, _, users)) => users.push(card.name),
                None => found.push((parameter.name, parameter.meaning, vec![card.name])),
            }
        }
    }
    for parameter in Layers::PARAMETERS {
        if !found.iter().any(|(name, ..)| *name == parameter.name) {
            found.push((parameter.name, parameter.meaning, vec!["layers"]));
        }
    }
    found.into_iter().map(|(name, meaning, users)| (name, format!("{meaning} ({})", users.join(", ")))).collect()
}

impl FromArgMatches for ParameterArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = parameters()
            .into_iter()
            .filter_map(|(name, _)| matches.get_one::<String>(name).map(|value| (name.to_string(), value.clone())));
        Ok(ParameterArguments(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ParameterArguments {
    fn augment_args(command: Command) -> Command {
        parameters().into_iter().fold(command, |command, (name, help)| {
            command.arg(Arg::new(name).long(name).value_name("VALUE").help(help).help_heading("Algorithm parameters"))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// A seed that differs from call to call; every result prints the one it used.
pub(crate) fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // Short seeds are easier to copy, and a million are enough to tell runs apart.
    RandomState::new().hash_one("seed") % 1_000_000
}
