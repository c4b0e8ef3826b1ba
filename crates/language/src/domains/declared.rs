//! Computes the layout of a state from the declared domains and the values of the parameters.

use crate::domains::fold::{Constants, divides_by_nothing};
use crate::domains::large::{Sizes, TOO_LARGE};
use crate::domains::layout::{Field, Layout};
use crate::keep::{keep, keep_words};
use crate::meaning::typed::{Domain, Variable};
use ringleader_erased::Refusal;

/// The largest permitted bound of a domain.
const MOST: i64 = 1 << 32;

/// The bounds of a domain.
pub(crate) fn ends(
    domain: &Domain,
    enums: &[Vec<String>],
    constants: &Constants,
    name: &str,
) -> Result<(i64, i64), Refusal> {
    let (low, high) = match domain {
        Domain::Bit => (0, 1),
        Domain::Words(words) => (0, enums[*words].len() as i64 - 1),
        Domain::Neighbour { none, .. } => (i64::from(!none), constants.max_degree()),
        Domain::Range(low, high) => {
            let sizes = Sizes { constants, layout: None, messages: &[], around: true };
            if sizes.fits(low, None).and(sizes.fits(high, None)).is_err() {
                return Err(Refusal::new(format!("the domain of {name}: {TOO_LARGE}")));
            }
            if [low, high].iter().any(|end| divides_by_nothing(&constants.fold(end))) {
                return Err(Refusal::new(format!("the domain of {name}: a divisor is 0 at this size")));
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
                Domain::Words(words) => Some(keep_words(&enums[words])),
                _ => None,
            };
            // A variable with one value takes no bits. Its shift must stay below the width of a word.
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
}
