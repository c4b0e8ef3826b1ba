//! What an algorithm is built from.

use crate::{Card, Kind, Layers, Refusal};

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A whole number.
    Number,
    /// A whole number that bounds what would be without end if it is not given.
    Bound,
    /// Yes or no, and `yes` where it is given without a word: [`Parameters::switch`].
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any words.
    Text,
    /// Which process has which identity: a permutation, which simulations shuffle if it is not given.
    Identities,
}

impl ParameterKind {
    /// The words that it may be, if they are few.
    pub fn words(self) -> Option<&'static [&'static str]> {
        match self {
            ParameterKind::Switch => Some(&SWITCH),
            ParameterKind::Choice(words) => Some(words),
            _ => None,
        }
    }
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
/// use ringleader_erased::Parameters;
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

/// What a yes or no may be; the first if it is not given.
const SWITCH: [&str; 2] = ["no", "yes"];

/// What layers are called where parameters are written down.
pub(crate) const LAYERS: &str = "layers";

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

    /// The value of a parameter that is a yes or no; no if it was not given.
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

    /// Refuses what the algorithm cannot be asked for: layers that do not suit it, parameters that neither its card nor a layer
    /// lists, words that are none of theirs, and nobody to run it.
    pub fn check(&self, card: &Card) -> Result<(), Refusal> {
        card.check()?;
        self.layers.suit(card)?;
        let takes = || card.parameters.iter().chain(self.layers.parameters());
        for (name, word) in &self.named {
            let Some(parameter) = takes().find(|p| p.name == name) else {
                return Err(Refusal::NoParameter {
                    algorithm: card.name.into(),
                    parameter: name.clone(),
                    meaning: Layers::PARAMETERS.iter().find(|p| p.name == name).map(|p| p.meaning),
                    known: takes().map(|p| p.name.to_string()).collect(),
                });
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
        let least = if card.kind == Kind::Ring { 2 } else { 1 };
        match self.size >= least {
            true => Ok(()),
            false => Err(Refusal::value("size", format!("at least {least}"), self.size.to_string())),
        }
    }
}
