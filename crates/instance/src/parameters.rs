//! What an algorithm is built from.

use crate::{Card, Layers, Refusal};

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A whole number.
    Number,
    /// A whole number that bounds what would be without end if it is not given.
    Bound,
    /// Yes or no: its word is `yes` where it is given without one.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any words.
    Text,
    /// Which process has which identity: a permutation, which simulations shuffle if it is not given.
    Identities,
}

/// Something an algorithm must be told besides the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What it is when not given, in words.
    pub default: &'static str,
    /// What values it takes.
    pub kind: ParameterKind,
}

/// The size, the named parameters that a user gave, and the layers that the algorithm is to be wrapped in.
///
/// ```
/// use ringleader_instance::Parameters;
/// let parameters = Parameters::new(16).with("bound", "20");
/// assert_eq!(parameters.number("bound").unwrap(), Some(20));
/// assert!(Parameters::new(16).with("bound", "many").number("bound").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How many agents or processes there are.
    pub size: usize,
    /// What the algorithm is wrapped in.
    pub layers: Layers,
    named: Vec<(String, String)>,
}

/// What layers are called where parameters are written down.
const LAYERS: &str = "layers";

impl Parameters {
    /// Only a size.
    pub fn new(size: usize) -> Parameters {
        Parameters { size, layers: Layers::default(), named: vec![] }
    }

    /// What a file says: named parameters, and layers among them.
    pub fn read(size: usize, written: &[(String, String)]) -> Result<Parameters, Refusal> {
        written.iter().try_fold(Parameters::new(size), |all, (name, value)| match name.as_str() {
            LAYERS => Ok(Parameters { layers: value.parse()?, ..all }),
            _ => Ok(all.with(name, value)),
        })
    }

    /// With one more parameter; a later value replaces an earlier one.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Parameters {
        let name = name.into();
        self.named.retain(|(n, _)| *n != name);
        self.named.push((name, value.into()));
        self
    }

    /// With the algorithm wrapped in these layers.
    pub fn layered(self, layers: Layers) -> Parameters {
        Parameters { layers, ..self }
    }

    /// The same at another size.
    pub fn resized(&self, size: usize) -> Parameters {
        Parameters { size, ..self.clone() }
    }

    /// The named parameters, without the layers.
    pub fn named(&self) -> &[(String, String)] {
        &self.named
    }

    /// Everything given besides the size, as it is written down: the layers come last.
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
        let parse = |word: &str| word.parse().map_err(|_| Refusal::value(name, "a whole number", word));
        self.word(name).map(parse).transpose()
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

    /// Refuses what neither the algorithm's card nor a layer lists, and layers that do not suit the algorithm.
    pub fn check_names(&self, card: &Card) -> Result<(), Refusal> {
        self.layers.suit(card)?;
        let known: Vec<_> =
            card.parameters.iter().chain(self.layers.parameters()).map(|p| p.name.to_string()).collect();
        match self.named.iter().find(|(name, _)| !known.contains(name)) {
            None => Ok(()),
            Some((stray, _)) => Err(Refusal::NoParameter {
                algorithm: card.name.into(),
                parameter: stray.clone(),
                meaning: Layers::PARAMETERS.iter().find(|p| p.name == stray).map(|p| p.meaning),
                known,
            }),
        }
    }
}
