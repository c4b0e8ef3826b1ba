//! The parameters of algorithms, as flags.

use crate::catalog;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use ringleader_instance::{Card, Identities, Layers, Parameter, ParameterKind, Parameters};
use ringleader_simulate::Generator;

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

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Every parameter, as where it first occurs, with its meaning and who takes it.
fn parameters() -> Vec<(&'static Parameter, String)> {
    let mut found: Vec<(&'static Parameter, Vec<&'static str>)> = vec![];
    let of_cards = catalog().cards().flat_map(|card| card.parameters.iter().map(move |p| (p, card.name)));
    for (parameter, user) in of_cards.chain(Layers::PARAMETERS.iter().map(|p| (p, "layers"))) {
        match found.iter_mut().find(|(known, _)| known.name == parameter.name) {
            Some((_, users)) => users.push(user),
            None => found.push((parameter, vec![user])),
        }
    }
    let helped = |(parameter, users): (&'static Parameter, Vec<_>)| {
        (parameter, format!("{} ({})", parameter.meaning, users.join(", ")))
    };
    found.into_iter().map(helped).collect()
}

impl FromArgMatches for ParameterArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = parameters()
            .into_iter()
            .filter_map(|(p, _)| matches.get_one::<String>(p.name).map(|value| (p.name.to_string(), value.clone())));
        Ok(ParameterArguments(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ParameterArguments {
    fn augment_args(command: Command) -> Command {
        parameters().into_iter().fold(command, |command, (parameter, help)| {
            let arg = Arg::new(parameter.name).long(parameter.name).value_name("VALUE");
            // A parameter that is a yes or no may stand alone, as in --as-printed.
            let alone = parameter.kind == ParameterKind::Switch;
            let arg = if alone { arg.num_args(0..=1).default_missing_value("yes") } else { arg };
            command.arg(arg.help(help).help_heading("Algorithm parameters"))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Identities in an order that the coin decides, where the algorithm has such and the user gave none.
pub(crate) fn with_identities(card: &Card, parameters: Parameters, coin: &mut Generator) -> Parameters {
    let unnamed = |p: &&Parameter| p.kind == ParameterKind::Identities && parameters.word(p.name).is_none();
    match card.parameters.iter().find(unnamed) {
        None => parameters,
        Some(parameter) => {
            let identities = Identities::shuffled(parameters.size as u32, coin).to_string();
            parameters.with(parameter.name, identities)
        }
    }
}
