//! The one list of a state's variables, from which numbering, text and corruption follow.

use std::fmt;

/// What values a variable takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain<'a> {
    /// Every integer from the first to the second, both included.
    Range(u64, u64),
    /// One of these words; the value is the index.
    Symbols(&'a [&'a str]),
}

impl Domain<'_> {
    /// How many values there are, or `None` for the 2^64 of a whole word.
    pub fn len(&self) -> Option<u64> {
        match *self {
            Domain::Range(low, high) if high < low => Some(0),
            Domain::Range(low, high) => (high - low).checked_add(1),
            Domain::Symbols(words) => Some(words.len() as u64),
        }
    }

    /// Whether there is no value at all, which no variable may have.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// The least value.
    pub fn low(&self) -> u64 {
        match *self {
            Domain::Range(low, _) => low,
            Domain::Symbols(_) => 0,
        }
    }

    /// The greatest value.
    pub fn high(&self) -> u64 {
        match *self {
            Domain::Range(_, high) => high,
            Domain::Symbols(words) => (words.len() as u64).saturating_sub(1),
        }
    }

    /// Whether `value` is one of them.
    pub fn contains(&self, value: u64) -> bool {
        !self.is_empty() && (self.low()..=self.high()).contains(&value)
    }
}

impl fmt::Display for Domain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Range(low, high) => write!(f, "{low}..{high}"),
            Domain::Symbols(words) => write!(f, "one of {}", words.join(", ")),
        }
    }
}

/// A variable's name, with the index where it is one cell of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// The name of the variable or array.
    pub base: &'a str,
    /// Which cell.
    pub index: Option<usize>,
}

impl<'a> From<&'a str> for Name<'a> {
    fn from(base: &'a str) -> Self {
        Name { base, index: None }
    }
}

impl<'a> From<(&'a str, usize)> for Name<'a> {
    fn from((base, index): (&'a str, usize)) -> Self {
        Name { base, index: Some(index) }
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            None => f.write_str(self.base),
            Some(index) => write!(f, "{}[{index}]", self.base),
        }
    }
}

/// Anything a variable can hold.
pub trait Scalar: Copy {
    /// The value as a word.
    fn to_word(self) -> u64;
    /// The value of a word that lies in the variable's domain.
    fn from_word(word: u64) -> Self;
}

macro_rules! scalar {
    ($($t:ty),*) => {$(
        impl Scalar for $t {
            fn to_word(self) -> u64 { self as u64 }
            fn from_word(word: u64) -> Self { word as $t }
        }
    )*};
}
scalar!(u8, u16, u32, u64, usize);

/// Makes an enum without fields a [`Scalar`]; its variants, all listed in their order, are the words from 0.
#[macro_export]
macro_rules! scalar_enum {
    ($name:ident: $($variant:ident),+) => {
        impl $crate::Scalar for $name {
            fn to_word(self) -> u64 {
                self as u64
            }
            fn from_word(word: u64) -> Self {
                [$($name::$variant),+][word as usize]
            }
        }
    };
}

impl Scalar for bool {
    fn to_word(self) -> u64 {
        u64::from(self)
    }
    fn from_word(word: u64) -> Self {
        word != 0
    }
}

/// Sees each variable of a state in turn and may replace its value.
pub trait Visitor {
    /// Called with the present value; what it returns becomes the value. It must lie in the domain.
    fn field(&mut self, name: Name<'_>, domain: Domain<'_>, value: u64) -> u64;

    /// Called with the kind of a message: a field called `kind`, which text forms write in front of the others.
    fn kind_field(&mut self, domain: Domain<'_>, value: u64) -> u64 {
        self.field("kind".into(), domain, value)
    }
}

/// A visitor may be a function.
impl<F: FnMut(Name<'_>, Domain<'_>, u64) -> u64> Visitor for F {
    fn field(&mut self, name: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
        self(name, domain, value)
    }
}

impl dyn Visitor + '_ {
    /// A variable that is 0 or 1.
    pub fn bit<'n>(&mut self, name: impl Into<Name<'n>>, value: &mut bool) {
        self.range(name, 0, 1, value);
    }

    /// A variable in `low..=high`.
    pub fn range<'n, T: Scalar>(&mut self, name: impl Into<Name<'n>>, low: u64, high: u64, value: &mut T) {
        *value = T::from_word(self.field(name.into(), Domain::Range(low, high), value.to_word()));
    }

    /// A variable that is one of several words.
    pub fn symbol<'n, T: Scalar>(&mut self, name: impl Into<Name<'n>>, words: &'n [&'n str], value: &mut T) {
        *value = T::from_word(self.field(name.into(), Domain::Symbols(words), value.to_word()));
    }

    /// The kind of a message, one of several words.
    pub fn kind<T: Scalar>(&mut self, words: &[&str], value: &mut T) {
        *value = T::from_word(self.kind_field(Domain::Symbols(words), value.to_word()));
    }

    /// A variable that may be any 64-bit word.
    pub fn word<'n>(&mut self, name: impl Into<Name<'n>>, value: &mut u64) {
        self.range(name, 0, u64::MAX, value);
    }
}

/// The variables of an algorithm's local state, listed once.
///
/// ```
/// use ringleader_model::{number, text, Variables, Visitor};
///
/// struct Lamp { colours: u64 }
/// #[derive(Clone, Copy, Debug, Default, PartialEq)]
/// struct State { on: bool, colour: u8 }
///
/// impl Variables for Lamp {
///     type State = State;
///     fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
///         v.bit("on", &mut s.on);
///         v.range("colour", 1, self.colours, &mut s.colour);
///     }
/// }
///
/// let lamp = Lamp { colours: 5 };
/// assert_eq!(number::states(&lamp), Some(10));
/// let state = number::unrank(&lamp, 7);
/// assert_eq!(number::rank(&lamp, &state), 7);
/// assert_eq!(text::print_state(&lamp, &state), "on=1 colour=4");
/// ```
pub trait Variables: Send + Sync {
    /// The local state of one agent or process.
    type State: Clone + Default + PartialEq + fmt::Debug + Send + Sync + 'static;

    /// Shows every variable of `state` to `visitor`, in a fixed order, with its domain.
    ///
    /// Which variables come may depend on the values of earlier ones only in states that are never numbered.
    fn variables(&self, state: &mut Self::State, visitor: &mut dyn Visitor);

    /// The same for the state of a process of a configuration, as texts show it: the variables that hold a port may show the neighbour
    /// behind it instead, as words in the order of the ports.
    fn variables_at(&self, _process: usize, state: &mut Self::State, visitor: &mut dyn Visitor) {
        self.variables(state, visitor);
    }

    /// What [`number::rank`](crate::number::rank) says, if all values are in their domains and there is a quicker way than to show each.
    fn quick_rank(&self, _state: &Self::State) -> Option<u64> {
        None
    }
}
