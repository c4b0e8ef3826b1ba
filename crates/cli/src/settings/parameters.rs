//! The parameters of algorithms, as flags.

use crate::catalog;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use ringleader_erased::{Layers, Parameter, ParameterKind, Parameters};

/// The parameters of all algorithms, as flags; each algorithm refuses those it does not have.
///
/// They are read off the cards of the catalog, so that a new algorithm needs no change here.
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

/// A parameter of one or more algorithms.
struct Flag {
    name: &'static str,
    /// What it means, its words, and who takes it.
    help: String,
    /// Whether it may stand alone, as in `--as-printed`.
    alone: bool,
}

/// Every parameter; what it means where it first occurs.
fn flags() -> Vec<Flag> {
    let mut found: Vec<(&'static Parameter, bool, Vec<&'static str>)> = vec![];
    let of_cards = catalog().cards().flat_map(|card| card.parameters.iter().map(move |p| (p, card.name)));
    for (parameter, user) in of_cards.chain(Layers::PARAMETERS.iter().map(|p| (p, "layers"))) {
        let switch = parameter.kind == ParameterKind::Switch;
        match found.iter_mut().find(|(known, ..)| known.name == parameter.name) {
            Some((_, alone, users)) => {
                *alone |= switch;
                users.push(user);
            }
            None => found.push((parameter, switch, vec![user])),
        }
    }
    let flag = |(parameter, alone, users): (&'static Parameter, bool, Vec<_>)| {
        let words = parameter.kind.words().map_or_else(String::new, |words| format!("{}; ", words.join(" or ")));
        Flag { name: parameter.name, help: format!("{} ({words}{})", parameter.meaning, users.join(", ")), alone }
    };
    found.into_iter().map(flag).collect()
}

impl FromArgMatches for ParameterArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |flag: Flag| Some((flag.name.to_string(), matches.get_one::<String>(flag.name)?.clone()));
        Ok(ParameterArguments(flags().into_iter().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ParameterArguments {
    fn augment_args(command: Command) -> Command {
        flags().into_iter().fold(command, |command, flag| {
            let arg = Arg::new(flag.name).long(flag.name).value_name("VALUE");
            let arg = if flag.alone { arg.num_args(0..=1).default_missing_value("yes") } else { arg };
            command.arg(arg.help(flag.help).help_heading("Algorithm parameters"))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
