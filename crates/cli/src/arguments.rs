//! Arguments that several verbs share.

use crate::catalog;
use crate::failure::Failure;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use ringleader_instance::{Card, DetectorLayer, Identities, Layers, Parameter, ParameterKind, Parameters};
use ringleader_simulate::{Generator, Oracle};
use std::str::FromStr;

/// What a verb understands by an oracle.
pub(crate) trait OracleKind: FromStr<Err: std::fmt::Display> + Copy + Send + Sync + 'static {
    /// The help of `--oracle`.
    const HELP: &'static str;
}

impl OracleKind for Oracle {
    const HELP: &'static str = "The leader detector Ω?, for algorithms that need one: perfect, delayed:STEPS or \
        adversarial:STEPS, or a layer that does without an oracle: distance (with --bound) or timer (with --timer)";
}

/// What every verb that takes an algorithm lets one say about it, besides its name and size.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Setup<O: OracleKind = Oracle> {
    #[arg(long, help = O::HELP)]
    oracle: Option<OracleArgument<O>>,
    /// Run a protocol for directed rings on an undirected one, above a colouring and an orientation
    #[arg(long)]
    undirected: bool,
    /// Run a ring algorithm behind the alternator: then every fair schedule will do
    #[arg(long)]
    alternator: bool,
    #[command(flatten)]
    parameters: ParameterArguments,
}

impl<O: OracleKind> Setup<O> {
    /// The parameters at a size, layers included.
    pub(crate) fn at(&self, size: usize) -> Parameters {
        self.parameters.at(size).layered(self.layers())
    }

    /// The layers asked for.
    pub(crate) fn layers(&self) -> Layers {
        let detector = match self.oracle {
            Some(OracleArgument::Layer(layer)) => Some(layer),
            _ => None,
        };
        Layers { undirected: self.undirected, detector, alternator: self.alternator }
    }

    /// The oracle asked for, if it is one and no layer.
    pub(crate) fn oracle(&self) -> Option<O> {
        match self.oracle {
            Some(OracleArgument::Oracle(oracle)) => Some(oracle),
            _ => None,
        }
    }

    /// The first flag given here that is no parameter.
    pub(crate) fn flag(&self) -> Option<&'static str> {
        let flags =
            [("--oracle", self.oracle.is_some()), ("--undirected", self.undirected), ("--alternator", self.alternator)];
        flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }

    /// Whether nothing was said that a configuration file might say too.
    pub(crate) fn is_empty(&self) -> bool {
        self.parameters.0.is_empty() && self.layers() == Layers::default()
    }
}

/// What may follow `--oracle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OracleArgument<O> {
    Oracle(O),
    Layer(DetectorLayer),
}

impl<O: OracleKind> FromStr for OracleArgument<O> {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "distance" => Ok(OracleArgument::Layer(DetectorLayer::Distance)),
            "timer" => Ok(OracleArgument::Layer(DetectorLayer::Timer)),
            _ => text
                .parse()
                .map(OracleArgument::Oracle)
                .map_err(|e| format!("{e}; the layers distance and timer do without")),
        }
    }
}

/// Refuses flawed algorithms unless they are wanted for their flaw.
pub(crate) fn refuse_flawed(name: &str, allowed: bool) -> Result<(), Failure> {
    match catalog().card(name)?.flaw {
        Some(flaw) if !allowed => {
            Err(Failure::usage(format!("{name} is flawed: {flaw}\n       --allow-flawed runs it all the same")))
        }
        _ => Ok(()),
    }
}

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

/// A seed that differs from call to call; every result prints the one it used.
pub(crate) fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // Short seeds are easier to copy, and a million are enough to tell runs apart.
    RandomState::new().hash_one("seed") % 1_000_000
}
