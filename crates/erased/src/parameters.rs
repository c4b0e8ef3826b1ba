//! The parameters of an algorithm.

use crate::{Card, Kind, Layers, Refusal, Topology};
use ringleader_model::Graph;
use std::sync::Arc;

/// The kind of values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterKind {
    /// A whole number.
    Number,
    /// A whole number that bounds a quantity; the quantity is unbounded if the parameter is not given.
    Bound,
    /// Yes or no; `yes` if it is given without a value: [`Parameters::switch`].
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
    /// The identities of the processes: a permutation, which simulations shuffle if it is not given.
    Identities,
}

impl ParameterKind {
    /// The possible words, if they are few.
    pub fn words(self) -> Option<&'static [&'static str]> {
        match self {
            ParameterKind::Switch => Some(&SWITCH),
            ParameterKind::Choice(words) => Some(words),
            _ => None,
        }
    }
}

/// A parameter of an algorithm besides the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// The meaning.
    pub meaning: &'static str,
    /// The default, in words.
    pub default: &'static str,
    /// The kind of values.
    pub kind: ParameterKind,
}

/// The size, the graph, the named parameters that a user gave, and the layers around the algorithm.
///
/// ```
/// use ringleader_erased::Parameters;
/// let parameters = Parameters::new(16).with("bound", "20");
/// assert_eq!(parameters.number("bound").unwrap(), Some(20));
/// assert!(Parameters::new(16).with("bound", "many").number("bound").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The number of agents or processes.
    pub size: usize,
    /// The layers around the algorithm.
    pub layers: Layers,
    /// The graph of an algorithm for any graph, if one is given.
    pub graph: Option<Arc<Graph>>,
    named: Vec<(String, String)>,
}

/// The words of a switch; the first is the default.
const SWITCH: [&str; 2] = ["no", "yes"];

/// The name of the layers among the parameters of a file.
pub(crate) const LAYERS: &str = "layers";

impl Parameters {
    /// Parameters with only a size.
    pub fn new(size: usize) -> Parameters {
        Parameters { size, layers: Layers::default(), graph: None, named: vec![] }
    }

    /// Parameters from a file: named parameters, including the layers.
    pub fn read(size: usize, written: &[(String, String)]) -> Result<Parameters, Refusal> {
        written.iter().try_fold(Parameters::new(size), |all, (name, value)| match name.as_str() {
            LAYERS => Ok(Parameters { layers: value.parse()?, ..all }),
            _ => Ok(all.with(name, value)),
        })
    }

    /// Adds a parameter; a later value replaces an earlier one.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Parameters {
        let name = name.into();
        self.named.retain(|(n, _)| *n != name);
        self.named.push((name, value.into()));
        self
    }

    /// The same parameters on a graph, whose size becomes the size.
    #[must_use]
    pub fn on(self, graph: Graph) -> Parameters {
        Parameters { size: graph.size(), graph: Some(Arc::new(graph)), ..self }
    }

    /// Wraps the algorithm in these layers.
    pub fn layered(self, layers: Layers) -> Parameters {
        Parameters { layers, ..self }
    }

    /// The same at another size.
    pub fn resized(&self, size: usize) -> Parameters {
        Parameters { size, graph: None, ..self.clone() }
    }

    /// The named parameters, without the layers.
    pub fn named(&self) -> &[(String, String)] {
        &self.named
    }

    /// All parameters besides the size, as files contain them: the layers come last.
    pub fn given(&self) -> Vec<(String, String)> {
        let layers = (self.layers != Layers::default()).then(|| (LAYERS.to_string(), self.layers.to_string()));
        self.named.iter().cloned().chain(layers).collect()
    }

    /// The value of a parameter, if it was given.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.named.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The value of a parameter that is a number, if it was given.
    pub fn number(&self, name: &str) -> Result<Option<u64>, Refusal> {
        let parse = |word: &str| word.parse().map_err(|_| Refusal::value(name, "a whole number below 2^64", word));
        self.word(name).map(parse).transpose()
    }

    /// The value of a switch; no if it was not given.
    ///
    /// ```
    /// use ringleader_erased::Parameters;
    /// assert_eq!(Parameters::new(3).with("greedy", "yes").switch("greedy"), Ok(true));
    /// assert_eq!(Parameters::new(3).switch("greedy"), Ok(false));
    /// ```
    pub fn switch(&self, name: &str) -> Result<bool, Refusal> {
        Ok(self.choice(name, &SWITCH)? == "yes")
    }

    /// The value of a parameter that is one of several words; the first if it was not given.
    pub fn choice(&self, name: &str, words: &[&'static str]) -> Result<&'static str, Refusal> {
        match self.word(name) {
            None => Ok(words[0]),
            Some(given) => {
                let found = words.iter().find(|word| **word == given).copied();
                found.ok_or_else(|| Refusal::value(name, words.join(" or "), given))
            }
        }
    }

    /// Refuses parameters that the algorithm does not support: layers that do not apply, parameters that neither its
    /// card nor a layer lists, values outside their words, a size of 0, and a graph with a cycle for an algorithm for trees.
    pub fn check(&self, card: &Card) -> Result<(), Refusal> {
        card.check()?;
        self.layers.suit(card)?;
        let takes = || card.parameters.iter().chain(self.layers.parameters());
        for (name, word) in &self.named {
            let Some(parameter) = takes().find(|p| p.name == name) else {
                // It may be a parameter of a layer that was not requested.
                let of_a_layer = Layers::PARAMETERS.iter().find(|p| p.name == name);
                let meaning = of_a_layer.map_or(String::new(), |p| format!(" ({})", p.meaning));
                let known: Vec<_> = takes().map(|p| p.name).collect();
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                let why = format!("{} has no parameter {name:?}{meaning}: it takes {known}", card.name);
                return Err(Refusal::NoParameter(why));
            };
            if word.is_empty() || word.contains(char::is_whitespace) {
                return Err(Refusal::value(name, "one word, as files have it", word));
            }
            match parameter.kind {
                ParameterKind::Number | ParameterKind::Bound => self.number(name).map(drop)?,
                kind => match kind.words() {
                    Some(words) if !words.contains(&word.as_str()) => {
                        return Err(Refusal::value(name, words.join(" or "), word));
                    }
                    _ => {}
                },
            }
        }
        if card.topology == Topology::Tree
            && let Some(cycle) = self.graph.as_ref().and_then(|graph| graph.cycle())
        {
            let around: Vec<_> = cycle.iter().chain(cycle.first()).map(ToString::to_string).collect();
            return Err(Refusal::new(format!(
                "{} is for trees, and the graph has the cycle {}: choose a tree, such as line, star, binary-tree or random-tree",
                card.name,
                around.join("-")
            )));
        }
        let least = if matches!(card.kind, Kind::Ring | Kind::Graph) { 2 } else { 1 };
        match self.size >= least {
            true => Ok(()),
            false => Err(Refusal::value("size", format!("at least {least}"), &self.size.to_string())),
        }
    }
}
