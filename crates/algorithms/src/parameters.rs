//! What an algorithm is built from, and how it says no.

use crate::{Card, Layers};
use std::fmt;

/// The size and the named parameters a user gave.
///
/// ```
/// use ringleader_algorithms::Parameters;
/// let parameters = Parameters::new(16).with("bound", "20");
/// assert_eq!(parameters.number("bound").unwrap(), Some(20));
/// assert!(Parameters::new(16).with("bound", "many").number("bound").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How many agents or processes there are.
    pub size: usize,
    given: Vec<(String, String)>,
}

impl Parameters {
    /// Only a size.
    pub fn new(size: usize) -> Parameters {
        Parameters { size, given: vec![] }
    }

    /// With one more parameter; a later value replaces an earlier one.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Parameters {
        let name = name.into();
        self.given.retain(|(n, _)| *n != name);
        self.given.push((name, value.into()));
        self
    }

    /// Everything given besides the size.
    pub fn given(&self) -> &[(String, String)] {
        &self.given
    }

    /// The value of a parameter, if it was given.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The value of a parameter that is a number, if it was given.
    pub fn number(&self, name: &str) -> Result<Option<u64>, Refusal> {
        self.word(name)
            .map(|word| word.parse().map_err(|_| Refusal::new(format!("{name} must be a whole number, not {word:?}"))))
            .transpose()
    }

    /// With the algorithm wrapped in these layers: the parameter `layers`.
    pub fn layered(self, layers: Layers) -> Parameters {
        self.with("layers", layers.to_string())
    }

    /// What the algorithm is to be wrapped in.
    pub fn layers(&self) -> Result<Layers, Refusal> {
        self.word("layers").unwrap_or_default().parse()
    }

    /// Refuses what neither the algorithm's card nor a layer lists, and layers that do not suit the algorithm.
    pub fn check_names(&self, card: &Card) -> Result<(), Refusal> {
        let layers = self.layers()?;
        layers.suit(card)?;
        let known: Vec<_> = card.parameters.iter().chain(layers.parameters()).map(|p| p.name).collect();
        let Some((stray, _)) = self.given.iter().find(|(n, _)| n != "layers" && !known.contains(&n.as_str())) else {
            return Ok(());
        };
        let known = if known.is_empty() { "it takes none".into() } else { format!("it takes {}", known.join(", ")) };
        let hint = Layers::PARAMETERS.iter().find(|p| p.name == stray).map(|p| format!(" ({})", p.meaning));
        Err(Refusal::new(format!("{} has no parameter {stray:?}{}: {known}", card.name, hint.unwrap_or_default())))
    }
}

/// Why an algorithm cannot be built or run as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(String);

impl Refusal {
    /// A refusal with its reason.
    pub fn new(reason: impl Into<String>) -> Refusal {
        Refusal(reason.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}
