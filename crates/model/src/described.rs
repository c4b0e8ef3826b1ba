//! The variables of a state, to be spoken of.

use crate::{Domain, Name, Variables};

/// A variable: its name, and what values it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The name; a cell of an array has its index behind an underscore.
    pub name: String,
    /// The least value.
    pub low: u64,
    /// The greatest value.
    pub high: u64,
    /// The words for its values, if they are words.
    pub words: Vec<String>,
}

impl Described {
    /// The value that is written like this, as [`text::print_state`](crate::text::print_state) does.
    pub fn value(&self, written: &str) -> Option<u64> {
        match self.words.is_empty() {
            true => written.parse().ok(),
            false => self.words.iter().position(|word| word == written).map(|at| at as u64),
        }
    }
}

/// The variables of a state, with their values.
///
/// ```
/// use ringleader_model::{Variables, Visitor, described};
/// struct Counter;
/// impl Variables for Counter {
///     type State = u8;
///     fn variables(&self, state: &mut u8, visitor: &mut dyn Visitor) {
///         visitor.range("x", 0, 9, state);
///     }
/// }
/// let found = described(&Counter, &3);
/// assert_eq!((found[0].0.name.as_str(), found[0].0.high, found[0].1), ("x", 9, 3));
/// ```
pub fn described<A: Variables + ?Sized>(algorithm: &A, state: &A::State) -> Vec<(Described, u64)> {
    let mut all = vec![];
    algorithm.variables(&mut state.clone(), &mut |name: Name<'_>, domain: Domain<'_>, value: u64| {
        let name = match name.index {
            None => name.base.to_string(),
            Some(index) => format!("{}_{index}", name.base),
        };
        let words = match domain {
            Domain::Symbols(words) => words.iter().map(ToString::to_string).collect(),
            Domain::Range(..) => vec![],
        };
        all.push((Described { name, low: domain.low(), high: domain.high(), words }, value));
        value
    });
    all
}
