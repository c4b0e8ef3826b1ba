//! The variables of a state, packed into one word.

use crate::domains::fold::{Constants, divides_by_nothing};
use crate::domains::large::{Sizes, TOO_LARGE};
use crate::meaning::typed::{Domain as Declared, Variable};
use ringleader_erased::Refusal;
use ringleader_model::{Domain, Name, Visitor};
use std::collections::HashSet;
use std::sync::Mutex;

/// A state: every variable's value, less its least, in as many bits as it needs.
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

    /// A value as it is written.
    pub(crate) fn show(&self, value: i64) -> String {
        let word = self.words.and_then(|words| words.get(usize::try_from(value).ok()?));
        word.map_or_else(|| value.to_string(), ToString::to_string)
    }

    /// The domain as it is written.
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

/// The engines ask for words that live as long as the program. Every word is kept once, however often a file is read.
pub(crate) fn keep(text: &str) -> &'static str {
    static KEPT: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut kept = KEPT.lock().unwrap_or_else(|broken| broken.into_inner());
    let kept = kept.get_or_insert_default();
    if let Some(known) = kept.get(text) {
        return known;
    }
    let new: &'static str = Box::leak(text.to_string().into_boxed_str());
    kept.insert(new);
    new
}

/// The same for lists of words.
pub(crate) fn keep_words(words: &[String]) -> &'static [&'static str] {
    static KEPT: Mutex<Option<HashSet<&'static [&'static str]>>> = Mutex::new(None);
    let words: Vec<_> = words.iter().map(|word| keep(word)).collect();
    let mut kept = KEPT.lock().unwrap_or_else(|broken| broken.into_inner());
    let kept = kept.get_or_insert_default();
    if let Some(known) = kept.get(&words[..]) {
        return known;
    }
    let new: &'static [&'static str] = Box::leak(words.into_boxed_slice());
    kept.insert(new);
    new
}

/// The greatest bound that a domain may have.
const MOST: i64 = 1 << 32;

/// The ends of a domain.
pub(crate) fn ends(
    domain: &Declared,
    enums: &[Vec<String>],
    constants: &Constants,
    name: &str,
) -> Result<(i64, i64), Refusal> {
    let (low, high) = match domain {
        Declared::Bit => (0, 1),
        Declared::Words(words) => (0, enums[*words].len() as i64 - 1),
        Declared::Range(low, high) => {
            let sizes = Sizes { constants, layout: None, messages: &[], around: true };
            if sizes.fits(low, None).and(sizes.fits(high, None)).is_err() {
                return Err(Refusal::new(format!("the domain of {name}: {TOO_LARGE}")));
            }
            if [low, high].iter().any(|end| divides_by_nothing(&constants.fold(end))) {
                return Err(Refusal::new(format!("the domain of {name} divides by 0 at this size")));
            }
            (constants.value(low), constants.value(high))
        }
    };
    if low > high || low < 0 || high > MOST {
        let what = if low > high { "is empty" } else { "must lie in 0..2^32" };
        return Err(Refusal::new(format!(
            "the domain {low}..{high} of {name} {what} at this size and with these parameters"
        )));
    }
    Ok((low, high))
}

impl Layout {
    pub(crate) fn new(variables: &[Variable], enums: &[Vec<String>], constants: &Constants) -> Result<Layout, Refusal> {
        let mut fields = vec![];
        let mut bits = 0;
        for v in variables {
            let (low, high) = ends(&v.domain, enums, constants, &v.name)?;
            let width = ((high - low) as u64).checked_ilog2().map_or(0, |log| log + 1);
            let words = match v.domain {
                Declared::Words(words) => Some(keep_words(&enums[words])),
                _ => None,
            };
            // A variable of one value takes no bits, and its shift must stay below the width of a word.
            let (shift, mask) = if width == 0 { (0, 0) } else { (bits, (1u64 << width) - 1) };
            fields.push(Field { name: keep(&v.name), words, low, high, shift, mask });
            bits += width;
            if bits > 64 {
                let why = "the variables of one agent take more than 64 bits at this size and with these parameters";
                return Err(Refusal::new(why));
            }
        }
        Ok(Layout { fields })
    }

    /// The number of a state, unless a variable has a value that it may not have.
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

    /// Shows every variable of a state.
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
