//! The arguments of an algorithm besides its name and size: its layers, its oracle and its parameters.

use super::ParameterArguments;
use ringleader_erased::{DetectorLayer, Layers, Parameters};
use ringleader_model::shell_word;
use ringleader_simulate::Oracle;
use std::str::FromStr;

/// An oracle as a verb takes it.
pub(crate) trait OracleKind: FromStr<Err: std::fmt::Display> + Copy + Send + Sync + 'static {
    /// The help of `--oracle`.
    const HELP: &'static str;
}

impl OracleKind for Oracle {
    const HELP: &'static str = "The leader detector Ω?, for algorithms that need one: perfect, delayed:STEPS or \
        adversarial:STEPS; or a layer that implements it: distance (with --bound) or timer (with --timer)";
}

/// The arguments of an algorithm besides its name and size.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Setup<O: OracleKind = Oracle> {
    #[arg(long, help = O::HELP)]
    oracle: Option<OracleArgument<O>>,
    /// Run a protocol for directed rings on an undirected ring, above a colouring and an orientation
    #[arg(long)]
    undirected: bool,
    /// Run a ring algorithm behind the alternator, which makes every fair schedule alternating
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

    /// The layers in the arguments.
    pub(crate) fn layers(&self) -> Layers {
        let detector = match self.oracle {
            Some(OracleArgument::Layer(layer)) => Some(layer),
            _ => None,
        };
        Layers { undirected: self.undirected, detector, alternator: self.alternator }
    }

    /// The oracle in the arguments, if it is no layer.
    pub(crate) fn oracle(&self) -> Option<O> {
        match self.oracle {
            Some(OracleArgument::Oracle(oracle)) => Some(oracle),
            _ => None,
        }
    }

    /// The first flag that is no parameter.
    pub(crate) fn flag(&self) -> Option<&'static str> {
        let flags =
            [("--oracle", self.oracle.is_some()), ("--undirected", self.undirected), ("--alternator", self.alternator)];
        flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }

    /// The parameters and layers as flags, each after a space, as they were typed.
    pub(crate) fn written(&self) -> String {
        let named = self.parameters.at(0);
        let named = named.named().iter().map(|(name, value)| format!(" --{name} {}", shell_word(value)));
        let layers = self.layers();
        let detector = layers.detector.map(|layer| format!(" --oracle {}", layer.layer()));
        let others = [(layers.undirected, " --undirected"), (layers.alternator, " --alternator")];
        let others = others.into_iter().filter(|(given, _)| *given).map(|(_, flag)| flag.to_string());
        named.chain(detector).chain(others).collect()
    }

    /// Whether there is no argument that a configuration file can hold as well.
    pub(crate) fn is_empty(&self) -> bool {
        self.parameters.is_empty() && self.layers() == Layers::default()
    }
}

impl<O: OracleKind> Default for Setup<O> {
    fn default() -> Setup<O> {
        Setup { oracle: None, undirected: false, alternator: false, parameters: ParameterArguments::default() }
    }
}

/// A value of `--oracle`.
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
                .map_err(|e| format!("{e}; the layers distance and timer need no oracle")),
        }
    }
}
