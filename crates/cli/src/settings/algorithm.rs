//! The arguments of an algorithm besides its name and size: its layers, its oracle and its parameters.

use super::{ParameterArguments, first_given};
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
    /// The parts of a step of processes on rings, lines and graphs: composite (a process reads its neighbours and writes itself) or
    /// read-write (it copies one neighbour's register, or writes its own by rules that read the copies) [default: composite]
    #[arg(long, value_name = "ATOMICITY")]
    atomicity: Option<Atomicity>,
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
        let read_write = self.atomicity == Some(Atomicity::ReadWrite);
        Layers { undirected: self.undirected, detector, alternator: self.alternator, read_write }
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
        first_given(&[
            ("--oracle", self.oracle.is_some()),
            ("--undirected", self.undirected),
            ("--alternator", self.alternator),
            ("--atomicity", self.atomicity.is_some()),
        ])
    }

    /// The parameters and layers as flags, each after a space, as they were typed.
    pub(crate) fn written(&self) -> String {
        let named = self.parameters.at(0);
        let named = named.named().iter().map(|(name, value)| format!(" --{name} {}", shell_word(value)));
        let layers = self.layers();
        let detector = layers.detector.map(|layer| format!(" --oracle {}", layer.layer()));
        let others = [
            (layers.undirected, " --undirected"),
            (layers.alternator, " --alternator"),
            (layers.read_write, READ_WRITE),
        ];
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
        let parameters = ParameterArguments::default();
        Setup { oracle: None, undirected: false, alternator: false, atomicity: None, parameters }
    }
}

/// The flag of read/write atomicity, after a space.
pub(crate) const READ_WRITE: &str = " --atomicity read-write";

/// A value of `--atomicity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Atomicity {
    Composite,
    ReadWrite,
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
