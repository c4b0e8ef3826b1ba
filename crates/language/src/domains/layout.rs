//! The variables of a state, packed into one word.

use ringleader_model::{Domain, Name, Visitor};

/// A state: the value of every variable minus its least value, in as many bits as the variable needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State(pub(crate) u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) words: Option<&'static [&'static str]>,
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) shift: u32,
    pub(crate) mask: u64,
}

impl Field {
    #[inline]
    pub(crate) fn get(&self, state: u64) -> i64 {
        (state >> self.shift & self.mask) as i64 + self.low
    }

    #[inline]
    pub(crate) fn set(&self, state: u64, value: i64) -> u64 {
        let digit = (value.wrapping_sub(self.low)) as u64 & self.mask;
        state & !(self.mask << self.shift) | digit << self.shift
    }

    /// A value as written in the text.
    pub(crate) fn show(&self, value: i64) -> String {
        let word = self.words.and_then(|words| words.get(usize::try_from(value).ok()?));
        word.map_or_else(|| value.to_string(), ToString::to_string)
    }

    /// The domain as written in the text.
    pub(crate) fn domain(&self) -> String {
        match self.words {
            Some(words) => format!("one of {}", words.join(", ")),
            None => format!("{}..{}", self.low, self.high),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Layout {
    pub(crate) fields: Vec<Field>,
}

impl Layout {
    /// The number of a state; `None` if a variable has a value outside its domain.
    pub(crate) fn rank(&self, state: u64) -> Option<u64> {
        let (mut rank, mut radix) = (0, 1u64);
        for field in &self.fields {
            let (digit, last) = (state >> field.shift & field.mask, (field.high - field.low) as u64);
            if digit > last {
                return None;
            }
            rank += digit * radix;
            radix = radix.wrapping_mul(last + 1);
        }
        Some(rank)
    }

    /// Visits every variable of a state.
    pub(crate) fn visit(&self, state: &mut u64, visitor: &mut dyn Visitor) {
        for field in &self.fields {
            let domain = match field.words {
                Some(words) => Domain::Symbols(words),
                None => Domain::Range(field.low as u64, field.high as u64),
            };
            let value = visitor.field(Name::from(field.name), domain, field.get(*state) as u64);
            *state = field.set(*state, value as i64);
        }
    }
}
