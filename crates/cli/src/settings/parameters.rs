//! The parameters of algorithms, as flags.

use clap::{Arg, ArgGroup, ArgMatches, Args, Command, FromArgMatches};
use ringleader_catalog::Catalog;
use ringleader_erased::{Layers, Parameter, ParameterKind, Parameters};

/// The parameters of all algorithms, as flags; each algorithm refuses those it does not have.
///
/// The cards of the catalog list them, so that a new algorithm needs no change here.
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
    /// Its meaning, its values, and the algorithms that have it.
    help: String,
    /// Whether it can stand without a value, as in `--as-printed`.
    alone: bool,
}

/// Every parameter, with the meaning that the first card gives it.
fn flags(catalog: &Catalog) -> Vec<Flag> {
    let mut found: Vec<(&'static Parameter, bool, Vec<&'static str>)> = vec![];
    for (user, parameter) in catalog.parameters().chain(Layers::PARAMETERS.iter().map(|p| ("layers", p))) {
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

/// Marks the verbs that take parameters.
const PARAMETERS: &str = "parameters";

/// The command line with a flag for each parameter of a catalog, in every wanted verb that takes parameters.
pub(crate) fn with_parameters(command: Command, catalog: &Catalog, wanted: impl Fn(&str) -> bool) -> Command {
    let takes = |verb: &Command| wanted(verb.get_name()) && verb.get_groups().any(|group| group.get_id() == PARAMETERS);
    if !command.get_subcommands().any(takes) {
        return command;
    }
    let args = flags(catalog).into_iter().enumerate().map(|(place, flag)| {
        // The place keeps parameters in the order of the cards, in whatever order they are typed.
        let arg = Arg::new(format!("{PARAMETERS} {place:03} {}", flag.name)).long(flag.name).value_name("VALUE");
        let arg = if flag.alone { arg.num_args(0..=1).default_missing_value("yes") } else { arg };
        arg.help(flag.help).help_heading("Algorithm parameters")
    });
    let args: Vec<Arg> = args.collect();
    command.mut_subcommands(|verb| if takes(&verb) { verb.args(&args) } else { verb })
}

impl FromArgMatches for ParameterArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut ids: Vec<&str> = matches.ids().map(clap::Id::as_str).collect();
        ids.sort_unstable();
        let given = |id: &str| {
            let (_, name) = id.strip_prefix(PARAMETERS)?.trim_start().split_once(' ')?;
            Some((name.to_string(), matches.get_one::<String>(id)?.clone()))
        };
        Ok(ParameterArguments(ids.into_iter().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ParameterArguments {
    /// Only marks the verb: [`with_parameters`] knows the catalog, and this does not.
    fn augment_args(command: Command) -> Command {
        command.group(ArgGroup::new(PARAMETERS))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
