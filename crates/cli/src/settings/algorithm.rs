//! What one may say about an algorithm besides its name and size: its layers, its oracle and its parameters.

use super::ParameterArguments;
use ringleader_erased::{DetectorLayer, Layers, Parameters};
use ringleader_simulate::Oracle;
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

    /// The parameters and layers as flags, each after a space: what was typed, for whoever is to type it again.
    pub(crate) fn written(&self) -> String {
        let named = self.parameters.at(0);
        let named = named.named().iter().map(|(name, value)| format!(" --{name} {value}"));
        let layers = self.layers();
        let detector = layers.detector.map(|layer| format!(" --oracle {}", layer.layer()));
        let others = [(layers.undirected, " --undirected"), (layers.alternator, " --alternator")];
        let others = others.into_iter().filter(|(given, _)| *given).map(|(_, flag)| flag.to_string());
        named.chain(detector).chain(others).collect()
    }

    /// Whether nothing was said that a configuration file might say too.
    pub(crate) fn is_empty(&self) -> bool {
        self.parameters.is_empty() && self.layers() == Layers::default()
    }
}

impl<O: OracleKind> Default for Setup<O> {
    fn default() -> Setup<O> {
        Setup { oracle: None, undirected: false, alternator: false, parameters: ParameterArguments::default() }
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
